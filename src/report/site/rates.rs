//! Makes `reports/scores.csv`, which has the best rate of each device in the runs of `bench score`.

use serde::{Deserialize, Serialize};

use super::Run;
use crate::report::data::is_device;
use crate::report::headline::Headline;

/// A row of the file: the fastest technique of a device in the case of a score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DeviceRate {
    pub machine: String,
    pub experiment: String,
    pub case: String,
    pub device: String,
    /// Number of positions or games per sample.
    pub units: u64,
    /// Median time of a sample, ns.
    pub median_ns: u64,
}

impl DeviceRate {
    /// Returns the number of games or searched positions per second.
    pub fn per_second(&self) -> f64 {
        self.units as f64 * 1e9 / self.median_ns.max(1) as f64
    }
}

pub(super) fn csv(runs: &[Run]) -> Vec<u8> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let scores = runs.iter();
    for run in scores.filter(|run| run.experiment().starts_with("score-")) {
        let headlines = run.analysis.headlines.iter();
        let headlines = headlines.filter(|own| is_device(&own.device));
        for row in headlines.flat_map(Headline::bests).map(|best| &best.row) {
            let rate = row.median_ns.map(|median_ns| DeviceRate {
                machine: run.machine.clone(),
                experiment: row.experiment.clone(),
                case: row.cell.case.clone(),
                device: row.cell.device.clone(),
                units: row.units,
                median_ns,
            });
            rate.map(|rate| csv.serialize(rate));
        }
    }
    csv.into_inner().unwrap_or_default()
}
