use std::path::Path;

use sha2::{Digest, Sha256};

use super::csv_file::line;
use super::hash::hexadecimal;
use super::{MeasurementRow, ResultsError, Sample};
use crate::words::Status;

/// Hashes the samples of a cell so far. The hash seals the cell's row.
#[derive(Clone, Default)]
pub(super) struct Sealing(Sha256);

impl Sealing {
    pub(super) fn add(&mut self, sample: &Sample) -> Result<(), ResultsError> {
        self.0.update(line(Path::new("samples.csv"), sample)?);
        Ok(())
    }

    pub(super) fn seal(mut self, row: &MeasurementRow) -> Result<String, ResultsError> {
        // Leave out the codes, which repeat the texts. Numbers in codes may be rounded when they are read.
        let bare = MeasurementRow {
            seal: String::new(),
            reason_code: None,
            warning_codes: None,
            ..row.clone()
        };
        self.0.update(line(Path::new("measurements.csv"), &bare)?);
        Ok(hexadecimal(&self.0.finalize()))
    }
}

/// Hashes the CSV lines of the samples and of the row without its seal and codes. The hash is not a signature. It only
/// detects manual edits. Fails if the row cannot be written as CSV.
pub fn seal<'a>(
    row: &MeasurementRow,
    samples: impl IntoIterator<Item = &'a Sample>,
) -> Result<String, ResultsError> {
    let mut sealing = Sealing::default();
    for sample in samples.into_iter().filter(|_| row.status == Status::Ok) {
        sealing.add(sample)?;
    }
    sealing.seal(row)
}
