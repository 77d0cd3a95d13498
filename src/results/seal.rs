use sha2::{Digest, Sha256};

use super::hash::hexadecimal;
use super::{MeasurementRow, SampleRow};
use crate::words::Status;

/// The samples of a cell so far, for the seal of its row.
#[derive(Clone, Default)]
pub(super) struct Sealing(Sha256);

impl Sealing {
    pub(super) fn add(&mut self, sample: &SampleRow) {
        let numbers = [
            sample.sample,
            sample.order,
            sample.total_ns,
            sample.upload_ns,
            sample.queue_ns,
            sample.kernel_ns,
            sample.download_ns,
            sample.host_ns,
            sample.launches,
            sample.bytes_up,
            sample.bytes_down,
            sample.nodes,
            sample.leaves,
            sample.playouts,
            sample.plies,
            sample.opponent_ns,
            sample.pass,
            sample.at_ns,
            sample.positions_ns.len() as u64,
        ];
        for number in numbers.iter().chain(&sample.positions_ns) {
            self.0.update(number.to_le_bytes());
        }
    }

    pub(super) fn seal(mut self, row: &MeasurementRow) -> String {
        // Codes repeat the sentences, with numbers that are rounded on reading.
        let bare = MeasurementRow {
            seal: String::new(),
            reason_code: None,
            warning_codes: None,
            ..row.clone()
        };
        // Empty columns do not count, so that a later version may add columns.
        if let Ok(serde_json::Value::Object(columns)) = serde_json::to_value(&bare) {
            for (name, value) in columns {
                let value = match value {
                    serde_json::Value::Null => continue,
                    serde_json::Value::String(text) if text.is_empty() => continue,
                    // The file has no line breaks.
                    serde_json::Value::String(text) => text.replace(['\n', '\r'], " "),
                    value => value.to_string(),
                };
                self.0.update(format!("{name}={value}\n"));
            }
        }
        hexadecimal(&self.0.finalize())
    }
}

/// A hash of a row and its samples, the row's `seal`: it detects edits by hand. It is not a signature.
pub fn seal<'a>(row: &MeasurementRow, samples: impl IntoIterator<Item = &'a SampleRow>) -> String {
    let mut sealing = Sealing::default();
    let samples = samples.into_iter().filter(|_| row.status == Status::Ok);
    samples.for_each(|sample| sealing.add(sample));
    sealing.seal(row)
}
