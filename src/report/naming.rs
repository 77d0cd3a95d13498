//! Names and units of quantities in reports.

use super::number::Unit;
use crate::config::{Part, Quantity, TimeUnit};
use crate::words::resource;

/// The unit of a quantity; `of_times` overrides the unit of times.
pub(crate) fn unit(quantity: &Quantity, of_times: Option<TimeUnit>) -> Unit {
    match quantity {
        Quantity::Speedup
        | Quantity::NodeOverhead
        | Quantity::TransferShare
        | Quantity::Fact(_) => Unit::Plain,
        Quantity::Time | Quantity::TimePerUnit | Quantity::MeanTimePerUnit | Quantity::Part(_) => {
            of_times.map_or(Unit::Time, Unit::TimeIn)
        }
        Quantity::NodeRate | Quantity::LeafRate | Quantity::PlayoutRate | Quantity::PlyRate => {
            Unit::Rate
        }
        Quantity::Resource(name) if name.ends_with("-ns") => {
            of_times.map_or(Unit::Time, Unit::TimeIn)
        }
        Quantity::Nodes | Quantity::Resource(_) => Unit::Count,
        Quantity::Score => Unit::Percent,
    }
}

pub(crate) fn column_name(quantity: &Quantity) -> String {
    let name = match quantity {
        Quantity::NodeRate => "nodes_per_s".to_owned(),
        Quantity::LeafRate => "leaves_per_s".to_owned(),
        Quantity::PlayoutRate => "playouts_per_s".to_owned(),
        Quantity::PlyRate => "plies_per_s".to_owned(),
        Quantity::Part(part) => format!("{}_ns", part.word()),
        Quantity::Fact(name) | Quantity::Resource(name) => name.clone(),
        own if own.is_whole_time() => format!("{own}_ns"),
        own => own.to_string(),
    };
    name.replace('-', "_")
}

/// For readers: `speed-up over serial`.
pub(crate) fn title(quantity: &Quantity, baseline: Option<&str>) -> String {
    let over = baseline.map_or(String::new(), |name| format!(" over {name}"));
    match quantity {
        Quantity::Speedup => format!("speed-up{over}"),
        Quantity::TimePerUnit => "time per position or playout".into(),
        Quantity::MeanTimePerUnit => "mean time per position or playout".into(),
        Quantity::Time => "time of the whole task".into(),
        Quantity::NodeOverhead => format!("nodes{over}"),
        Quantity::NodeRate => "nodes per second".into(),
        Quantity::Nodes => "nodes".into(),
        Quantity::Score => "score".into(),
        Quantity::LeafRate => "leaves per second".into(),
        Quantity::PlayoutRate => "playouts per second".into(),
        Quantity::PlyRate => "plies of playouts per second".into(),
        Quantity::Part(Part::Host) => "host's own work".into(),
        Quantity::Part(part) => part.word().into(),
        Quantity::TransferShare => "share of transfers".into(),
        Quantity::Fact(name) => name.replace('-', " "),
        Quantity::Resource(name) => match name.as_str() {
            resource::LOCAL => "local memory of a group, bytes".into(),
            resource::PRIVATE => "private memory of a work-item, bytes".into(),
            resource::GLOBAL => "buffers, bytes".into(),
            resource::GROUP => "work-items in a group".into(),
            resource::GROUP_LIMIT => "most in a group, as the driver claims".into(),
            resource::GROUP_MULTIPLE => "preferred multiple".into(),
            resource::ROUND_TRIP => "the device's empty round trip".into(),
            resource::ROWS => "playouts of a launch, a row each".into(),
            resource::TREE_DEPTH => "depth of the tree, plies".into(),
            other => other.replace('-', " "),
        },
    }
}
