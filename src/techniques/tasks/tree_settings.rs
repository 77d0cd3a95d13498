//! The parameters of tree searches.

use crate::search::{MOST_NODES, Uct};
use crate::techniques::list::whole_numbers;
use crate::words::{ParamEntry, Params, Value};

/// Limit of the playouts per leaf.
pub const MOST_PLAYOUTS: u32 = 1_024;
whole_numbers! {
    /// The parameter `leaves`.
    pub number LEAVES, read_leaves: "leaves", 1..=65_536, "4096",
        "leaves of a batch at the most, a whole number from 1 to 65536";

    /// The parameter `playouts`; the default is the paper's 32.
    pub number PLAYOUTS, read_playouts: "playouts", 1..=MOST_PLAYOUTS.into(), "32",
        "playouts of each leaf, a whole number from 1 to 1024";
}

/// The parameter `playouts` of a search with one leaf at a time; the default is UCT's 1.
pub const PLAYOUTS_OF_ONE: ParamEntry = ParamEntry {
    default: "1",
    ..PLAYOUTS
};

/// UCT's exploration constant.
#[expect(clippy::approx_constant, reason = "trees stay as they were measured")]
pub const C: f64 = 1.414_213_56;

/// The value of a parameter, or its default.
fn value(params: &Params, entry: &ParamEntry) -> Value {
    let given = params.get(entry.name).cloned();
    given.unwrap_or_else(|| Value::parse(entry.default))
}

/// The parameters of a tree search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Limit of the leaves in a batch.
    pub leaves: u32,
    /// Playouts per leaf.
    pub playouts: u32,
    /// Capacity of the tree in nodes: smaller if positions are large.
    pub most_nodes: usize,
}

impl Settings {
    /// Reads [`LEAVES`] and [`PLAYOUTS`], with their defaults.
    pub fn read(params: &Params) -> Result<Settings, String> {
        Ok(Settings {
            leaves: read_leaves(&value(params, &LEAVES))? as u32,
            playouts: read_playouts(&value(params, &PLAYOUTS))? as u32,
            most_nodes: MOST_NODES,
        })
    }

    /// Plain UCT: one leaf at a time with one playout.
    pub const TEXTBOOK: Settings = Settings {
        leaves: 1,
        playouts: 1,
        most_nodes: MOST_NODES,
    };

    /// One leaf at a time. Reads [`PLAYOUTS_OF_ONE`]. Fails as [`Settings::read`].
    pub fn leaf_by_leaf(params: &Params) -> Result<Settings, String> {
        Ok(Settings {
            playouts: read_playouts(&value(params, &PLAYOUTS_OF_ONE))? as u32,
            ..Settings::TEXTBOOK
        })
    }

    /// The search with these parameters. Batches of one leaf are not selected ahead.
    pub fn uct(self, seed: u64) -> Uct {
        Uct {
            c: C,
            overlap: self.leaves > 1,
            most_nodes: self.most_nodes,
            seed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_that_make_no_sense_are_named() {
        let read =
            |name: &str, value: Value| Settings::read(&Params::from([(name.to_owned(), value)]));
        let defaults = Settings::read(&Params::new()).unwrap();
        assert_eq!((defaults.leaves, defaults.playouts), (4096, 32));
        for (name, value) in [
            ("leaves", Value::Int(0)),
            ("leaves", Value::Int(65_537)),
            ("playouts", Value::Text("32".into())),
            ("playouts", Value::Int(1_025)),
        ] {
            let wrong = read(name, value.clone()).unwrap_err();
            let expected = format!("{name}: `{value}`; allowed is ");
            assert!(wrong.starts_with(&expected), "{wrong}");
        }
    }
}
