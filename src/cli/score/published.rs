//! Committed runs of the same command.

use std::path::Path;

use crate::cli::check::run_folders;
use crate::results::{MeasurementRow, Run};
use crate::words::{Kind, Status};

#[derive(Clone, Debug, PartialEq)]
pub struct PublishedRate {
    pub experiment: String,
    pub case: String,
    pub machine: String,
    pub device: String,
    /// Positions or games per sample: rates compare only at equal units.
    pub units: u64,
    pub rate: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Published(pub Vec<PublishedRate>);

impl Published {
    /// Reads the command's run folders below a folder, except this machine's runs.
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
            for row in run.measurements.iter().filter(|row| is_of_device(row)) {
                let Some(rate) = rate(row) else { continue };
                let new = PublishedRate {
                    experiment: row.experiment.clone(),
                    case: row.cell.case.clone(),
                    machine: machine.clone().into_owned(),
                    device: row.cell.device.clone(),
                    units: row.units,
                    rate,
                };
                let key = |it: &PublishedRate| PublishedRate {
                    rate: 0.0,
                    ..it.clone()
                };
                match rates.iter_mut().find(|known| key(known) == key(&new)) {
                    Some(known) => known.rate = known.rate.max(rate),
                    None => rates.push(new),
                }
            }
        }
        Published(rates)
    }

    pub fn of(&self, experiment: &str, case: &str, units: u64) -> Vec<&PublishedRate> {
        let is_own = |it: &&PublishedRate| {
            it.experiment == experiment && it.case == case && it.units == units
        };
        let mut own: Vec<_> = self.0.iter().filter(is_own).collect();
        own.sort_by(|a, b| b.rate.total_cmp(&a.rate));
        own
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
