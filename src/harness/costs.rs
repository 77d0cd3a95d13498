//! What the cells of a run cost.

use super::plan::{Cell, Processor};
use super::predict::Predictor;
use crate::config::Experiment;
use crate::results::MeasurementRow;
use crate::words::Task;

/// The known costs of a run's cells, from which those of others are predicted.
pub struct Costs {
    pub samples: Predictor,
    /// Longest launches of the cells of devices, and the costs of the cells of the host, ns: the growth of the
    /// reference's costs tells how launches grow.
    pub launches: Predictor,
    /// Whether costs are per position, as in a line of play, where the number of positions varies; in all other tasks a
    /// cost is per sample.
    pub by_position: bool,
}

impl Costs {
    pub fn new(experiment: &Experiment) -> Self {
        Self {
            samples: Predictor::default(),
            launches: Predictor::default(),
            by_position: experiment.task == Task::Game,
        }
    }

    /// Records the cost of a sample of `units` units, ns.
    pub fn learn(&mut self, cell: &Cell, ns: f64, units: u64) {
        let parts = if self.by_position { units.max(1) } else { 1 };
        let each = ns / parts as f64;
        let (label, device) = (&cell.choice.label, &cell.device_label);
        self.samples.learn(label, device, &cell.case, each);
        if cell.on == Processor::Host {
            self.launches.learn(label, device, &cell.case, each);
        }
    }

    /// Records the cost of a cell by its row. Returns its units, if it has a time.
    pub fn learn_row(&mut self, cell: &Cell, row: &MeasurementRow) -> Option<u64> {
        let own = row.median_ns.filter(|_| row.units > 0)?;
        let both = own.saturating_add(row.opponent_ns.unwrap_or(0));
        self.learn(cell, both as f64, row.units);
        Some(row.units)
    }

    /// Records the longest launch of a cell, ns; 0 if there was none.
    pub fn learn_launch(&mut self, cell: &Cell, ns: u64) {
        if cell.on != Processor::Host {
            let (label, device) = (&cell.choice.label, &cell.device_label);
            self.launches.learn(label, device, &cell.case, ns as f64);
        }
    }
}
