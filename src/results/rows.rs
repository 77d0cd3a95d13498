use serde::{Deserialize, Serialize};

use super::csv_file::Columns;
use super::older;
use crate::words::{MatchScore, Reason, Status, Warning};

impl Columns for SampleRow {
    // The times of positions came within format 2.
    const ADDED: &'static [usize] = &[4, 1];
}

impl Columns for MeasurementRow {
    // The codes came within format 2.
    const ADDED: &'static [usize] = &[6, 2];
}

impl Columns for ResourceRow {}

impl Columns for FactRow {}

/// One row of `samples.csv`: one timed repetition of a cell. Times are whole nanoseconds. In the file, only the first
/// of consecutive samples with the same key and invocation has the names and the invocation; the others have the key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleRow {
    /// The cell's key, as in [`MeasurementRow::key`].
    pub key: String,
    /// The case, `board=8x8 depth=4`.
    pub case: String,
    /// The technique's label.
    pub technique: String,
    /// The device's label; `host` for the CPU baselines.
    pub device: String,
    /// 0, 1, 2 … within the cell.
    pub sample: u64,
    /// Place in the run's whole order of samples, so that the interleaving can be seen.
    pub order: u64,
    /// From the host's call to the answer on the host.
    pub total_ns: u64,
    /// Host to device.
    pub upload_ns: u64,
    /// Enqueued but not yet started.
    pub queue_ns: u64,
    /// Kernels running.
    pub kernel_ns: u64,
    /// Device to host.
    pub download_ns: u64,
    /// The rest: `total_ns` less the four above.
    pub host_ns: u64,
    /// Kernels launched.
    pub launches: u64,
    /// Bytes to the device.
    pub bytes_up: u64,
    /// Bytes from the device.
    pub bytes_down: u64,
    /// Positions entered.
    pub nodes: u64,
    /// Positions whose value was used.
    pub leaves: u64,
    /// Random games finished.
    pub playouts: u64,
    /// Plies of those games.
    pub plies: u64,
    /// In a match, what the opponent thought, all games together; 0 elsewhere. `total_ns` is then
    /// what the technique itself thought.
    pub opponent_ns: u64,
    /// Id of the invocation that took it. Empty in folders of format 1.
    #[serde(default)]
    pub invocation: String,
    /// The invocation's pass over its cases in which it was taken, counted from 1; 0 in folders of
    /// format 1.
    #[serde(default)]
    pub pass: u64,
    /// When it began, ns after the invocation did.
    #[serde(default)]
    pub at_ns: u64,
    /// The time of each position that it searched, in order, `;` between. Empty where they were not searched one after
    /// another, and in rows of before it. Their sum is at most `total_ns`.
    #[serde(default, with = "list")]
    pub positions_ns: Vec<u64>,
}

impl SampleRow {
    /// The invocation and the pass in which it was taken. Cells of a case that have samples of the same pass were
    /// sampled in turns there.
    pub fn pass(&self) -> (&str, u64) {
        (&self.invocation, self.pass)
    }

    /// [`SampleRow::positions_ns`] as the file has them.
    pub fn positions(&self) -> String {
        list::text(&self.positions_ns)
    }
}

/// One row of `measurements.csv`: one cell. Empty statistics where `status` is not `ok`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasurementRow {
    /// SHA-256, its first 16 digits, over what decides whether a resumed run may keep the row: sources, cell, device,
    /// driver, host. Hexadecimal.
    pub key: String,
    /// The experiment's name.
    pub experiment: String,
    /// The game.
    pub game: String,
    /// The task.
    pub task: String,
    /// The case, `board=8x8 depth=4`.
    pub case: String,
    /// The technique's label.
    pub technique: String,
    /// `serial`, `threads` or `device`.
    pub kind: String,
    /// The device's label; `host` for the CPU baselines.
    pub device: String,
    /// Threads of the host that it used; 1 for serial and device techniques. For a device technique with a tree,
    /// `notes` has the number of threads that grow it.
    pub threads: u64,
    /// How the cell ended.
    pub status: Status,
    /// Why, where it is not `ok`; for `ok`, the sampling condition that was not met, if any.
    pub reason: String,
    /// Samples taken.
    pub samples: u64,
    /// Positions or playouts in one sample.
    pub units: u64,
    /// Median of the samples' whole times.
    pub median_ns: Option<u64>,
    /// Lower end of the median's 95 % bootstrap interval.
    pub low_ns: Option<u64>,
    /// Upper end of it.
    pub high_ns: Option<u64>,
    /// Arithmetic mean.
    pub mean_ns: Option<u64>,
    /// First quartile.
    pub q1_ns: Option<u64>,
    /// Third quartile.
    pub q3_ns: Option<u64>,
    /// Smallest.
    pub min_ns: Option<u64>,
    /// Median of host to device.
    pub upload_ns: Option<u64>,
    /// Median of the queue wait.
    pub queue_ns: Option<u64>,
    /// Median of the kernels' time.
    pub kernel_ns: Option<u64>,
    /// Median of device to host.
    pub download_ns: Option<u64>,
    /// Median of the host's own time.
    pub host_ns: Option<u64>,
    /// Kernels launched in a sample (median).
    pub launches: Option<u64>,
    /// Bytes to the device in a sample (median).
    pub bytes_up: Option<u64>,
    /// Bytes from the device in a sample (median).
    pub bytes_down: Option<u64>,
    /// Positions entered in a sample (median).
    pub nodes: Option<u64>,
    /// Positions whose value was used in a sample (median).
    pub leaves: Option<u64>,
    /// Random games finished in a sample (median).
    pub playouts: Option<u64>,
    /// Plies of those games (median).
    pub plies: Option<u64>,
    /// In a match, the opponent's median time; `median_ns` is then the technique's own.
    pub opponent_ns: Option<u64>,
    /// In a match, its score and its games, each with the final difference from the technique's
    /// side and its moves; empty elsewhere.
    pub score: String,
    /// Program build, ns: never part of a sample. `notes` say `program cached` where it is the time
    /// of taking one from the cache.
    pub build_ns: Option<u64>,
    /// All set-up, ns: context, build, buffers, first launch per local size.
    pub setup_ns: Option<u64>,
    /// Predicted cost of one sample, ns, where one was made before the cell ran.
    pub predicted_ns: Option<u64>,
    /// Verdict on the device's timer: `trusted`, or what is wrong with it. Empty for the host.
    pub timer: String,
    /// What the technique chose or used: `group 64, -cl-opt-disable (pocl 3.1)`.
    pub notes: String,
    /// Warnings about the host while it was measured: busy, throttled, quota. `; ` between.
    pub warnings: String,
    /// Id of the measurement without machine and build: equal for devices of the same model, and on all machines.
    /// Empty in folders of format 1.
    #[serde(default)]
    pub cell: String,
    /// Id of the invocation that wrote it; its samples may be of earlier ones too. Empty in folders of
    /// format 1.
    #[serde(default)]
    pub invocation: String,
    /// The device's [`DeviceRecord::address`](super::DeviceRecord::address); empty for the host.
    #[serde(default)]
    pub address: String,
    /// Names of the facts that its preparation told of the case, a blank between.
    #[serde(default)]
    pub facts: String,
    /// `reason` for programs: the JSON of a [`Reason`]. Empty in rows from before this column.
    #[serde(default, with = "json")]
    pub reason_code: Option<Reason>,
    /// `warnings` for programs: the JSON of a list. Empty if there are none, and in rows from before this column.
    #[serde(default, with = "json")]
    pub warning_codes: Option<Vec<Warning>>,
}

impl MeasurementRow {
    /// Why it ended as it did.
    pub fn why(&self) -> Reason {
        match &self.reason_code {
            // The JSON leaves out what the text has.
            Some(Reason::Told(_)) => Reason::Told(self.reason.clone()),
            Some(code) => code.clone(),
            None => older::reason(&self.reason),
        }
    }

    /// What was wrong while it was measured.
    pub fn warned(&self) -> Vec<Warning> {
        let codes = self.warning_codes.clone();
        codes.unwrap_or_else(|| older::warnings(&self.warnings))
    }

    /// What its `score` says; `None` where it is of no match.
    pub fn match_score(&self) -> Option<MatchScore> {
        MatchScore::read(&self.score)
    }

    /// Marks the row as damaged: other files do not confirm it.
    pub fn damage(&mut self, why: String) {
        self.status = Status::Damaged;
        self.reason_code = Some(Reason::Told(why.clone()));
        self.reason = why;
    }

    /// Drops the numbers, which nothing bears out in a damaged row.
    pub fn drop_numbers(&mut self) {
        self.sum_up(&[], false, 0);
        self.units = 0;
        self.score.clear();
    }
}

/// A cell of a CSV file that holds whole numbers, `;` between.
mod list {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn text(values: &[u64]) -> String {
        let values: Vec<String> = values.iter().map(u64::to_string).collect();
        values.join(";")
    }

    pub(super) fn serialize<S: Serializer>(
        values: &[u64],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&text(values))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u64>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let values = text.split(';').filter(|_| !text.is_empty());
        let wrong = |value| D::Error::custom(format!("`{value}` is no whole number"));
        values
            .map(|value| value.parse().map_err(|_| wrong(value)))
            .collect()
    }
}

/// A cell of a CSV file that holds JSON, or nothing.
mod json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = match value {
            Some(value) => serde_json::to_string(value).map_err(S::Error::custom)?,
            None => String::new(),
        };
        serializer.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(None);
        }
        serde_json::from_str(&text)
            .map(Some)
            .map_err(D::Error::custom)
    }
}

/// One row of `resources.csv`: a resource that a technique uses on its device in a case, or a limit of its device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceRow {
    /// The case: `stage=first depth=8`.
    pub case: String,
    /// The technique's label.
    pub technique: String,
    /// The device's label.
    pub device: String,
    /// Its name, with its unit where it has one: `local-bytes`.
    pub resource: String,
    /// How much or how many.
    pub value: u64,
}

/// One row of `facts.csv`: something true of a case itself, such as the average branching factor
/// of its line of play. Reports' tables may show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactRow {
    /// The axes that it depends on: `board=8x8`.
    pub case: String,
    /// Its name: `branching-factor`.
    pub fact: String,
    /// Its value.
    pub value: f64,
}
