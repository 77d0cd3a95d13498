//! Committed runs of the same command.

use std::collections::HashSet;
use std::path::Path;

use crate::cli::check::run_folders;
use crate::results::{MeasurementRow, Run};
use crate::words::{Kind, Status};

#[derive(Clone, Debug)]
pub struct PublishedRate {
    pub machine: String,
    pub row: MeasurementRow,
    pub rate: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Published(Vec<PublishedRate>);

impl Published {
    /// Reads the command's run folders below a folder, except this machine's runs. The highest rates come first.
    pub fn read(root: &Path, own: &Path) -> Published {
        let mut rates: Vec<PublishedRate> = Vec::new();
        let local = root.join("local");
        let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let own = whole(own);
        for folder in run_folders(root) {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let is_own = folder.starts_with(&local) || whole(&folder).starts_with(&own);
            if is_own || !name.starts_with("score-") {
                continue;
            }
            let Ok(run) = Run::read(&folder) else {
                continue;
            };
            let machine = folder.parent().and_then(Path::file_name);
            let machine = machine.unwrap_or_default().to_string_lossy();
            for row in run.measurements.into_iter().filter(is_of_device) {
                rates.extend(rate(&row).map(|rate| PublishedRate {
                    machine: machine.clone().into_owned(),
                    row,
                    rate,
                }));
            }
        }
        rates.sort_by(|a, b| b.rate.total_cmp(&a.rate));
        Published(rates)
    }

    /// The best rate of each machine's device. Rates compare only at equal units, which are positions or games.
    pub fn of(&self, experiment: &str, case: &str, units: u64) -> Vec<&PublishedRate> {
        let mut seen = HashSet::new();
        let is_own = |it: &&PublishedRate| {
            it.row.experiment == experiment
                && it.row.cell.case == case
                && it.row.units == units
                && seen.insert((it.machine.clone(), it.row.cell.device.clone()))
        };
        self.0.iter().filter(is_own).collect()
    }
}

pub fn is_of_device(row: &MeasurementRow) -> bool {
    row.status == Status::Ok && row.kind == Kind::Device.word()
}

/// Random games per second, or searched positions per second. Nodes per second would reward wasted nodes.
pub fn rate(row: &MeasurementRow) -> Option<f64> {
    let median = row.median_ns.filter(|ns| *ns > 0)?;
    Some(row.units as f64 * 1e9 / median as f64)
}
