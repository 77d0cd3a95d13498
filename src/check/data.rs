//! The checked run folder and its problems.

use std::collections::HashMap;

use crate::config::Experiment;
use crate::results::{MeasurementRow, Run, SampleRow, by_key};
use crate::words::Catalogue;

/// The device label of host cells.
pub const HOST: &str = "host";
/// The device label of a cell that needs a device, in a run without any.
pub const NO_DEVICE: &str = "none";

pub struct Data<'a> {
    pub run: &'a Run,
    pub experiment: &'a Experiment,
    pub catalogue: &'a Catalogue,
    pub samples: HashMap<&'a str, Vec<&'a SampleRow>>,
    pub rows: HashMap<&'a str, usize>,
}

impl<'a> Data<'a> {
    pub fn new(run: &'a Run, experiment: &'a Experiment, catalogue: &'a Catalogue) -> Self {
        let rows = run.measurements.iter().enumerate();
        Data {
            run,
            experiment,
            catalogue,
            samples: by_key(&run.samples),
            rows: rows.map(|(at, row)| (row.key.as_str(), at)).collect(),
        }
    }

    pub fn samples_of(&self, row: &MeasurementRow) -> &[&'a SampleRow] {
        let own = self.samples.get(row.key.as_str());
        own.map_or(&[], Vec::as_slice)
    }
}

pub enum Place {
    Row(usize),
    /// Beside this row, whose numbers are right.
    Beside(usize),
    Sample(usize, u64),
    /// In the first sample of a key without a row, by its place in [`Run::loose`].
    Loose(usize),
    Order(u64),
    /// A missing sample of a run that ended early.
    Gap(u64),
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
