//! The checked run folder and its problems.

use std::collections::HashMap;

use crate::config::Experiment;
use crate::results::{CellId, MeasurementRow, Run, Sample, by_cell};
use crate::words::Catalogue;

pub struct Data<'a> {
    pub run: &'a Run,
    pub experiment: &'a Experiment,
    pub catalogue: &'a Catalogue,
    pub samples: HashMap<&'a CellId, Vec<&'a Sample>>,
    pub rows: HashMap<&'a CellId, usize>,
}

impl<'a> Data<'a> {
    pub fn new(run: &'a Run, experiment: &'a Experiment, catalogue: &'a Catalogue) -> Self {
        let rows = run.measurements.iter().enumerate();
        Data {
            run,
            experiment,
            catalogue,
            samples: by_cell(&run.samples),
            rows: rows.map(|(at, row)| (&row.cell, at)).collect(),
        }
    }

    pub fn samples_of(&self, row: &MeasurementRow) -> &[&'a Sample] {
        let own = self.samples.get(&row.cell);
        own.map_or(&[], Vec::as_slice)
    }
}

pub enum Place {
    Row(usize),
    /// Beside this row, whose numbers are right.
    Beside(usize),
    Sample(usize, u64),
    /// In a sample that no row counts.
    Loose(CellId, u64),
    /// In the row of a cell that was not measured, by its place in [`Run::pending`].
    Pending(usize),
    Order(u64),
    Fact(u64),
}

pub struct Problem {
    pub place: Place,
    pub what: String,
}

impl Problem {
    pub fn new(place: Place, what: impl Into<String>) -> Problem {
        let mut what = what.into();
        if let Place::Sample(_, number) = place {
            what = format!("sample {number}: {what}");
        }
        Problem { place, what }
    }

    /// The row that loses its numbers.
    pub fn row(&self) -> Option<usize> {
        match self.place {
            Place::Row(at) | Place::Sample(at, _) => Some(at),
            _ => None,
        }
    }
}
