use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::words::{Counters, MatchScore, Parts, Reason, Status, Warning};

/// The device in rows of cells that run on the host.
pub const HOST: &str = "host";
/// The device in rows of cells that need a device, if the run has none.
pub const NO_DEVICE: &str = "none";

/// Identifies a cell in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CellId {
    /// The case, such as `board=8x8 depth=4`.
    pub case: String,
    /// The technique's label.
    pub technique: String,
    /// The label of the device, or `host` for the CPU baselines.
    pub device: String,
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} on {}", self.case, self.technique, self.device)
    }
}

/// A row in `samples.csv`: one timed repetition of a cell. Times are in whole nanoseconds. A worker sends times and
/// counters. The run adds the other fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// The sampled cell.
    pub cell: CellId,
    /// The invocation's id.
    pub invocation: String,
    /// Number of the pass in the invocation, counted from 1.
    pub pass: u64,
    /// Number of the sample within its cell: 0, 1, 2 …
    pub sample: u64,
    /// Index of the sample among all samples in the run, which shows the interleaving.
    pub order: u64,
    /// Start of the sample, ns after the start of the invocation. Workers report the time since the request arrived.
    pub at_ns: u64,
    /// Time from the host's call until the host has the answer. In a match, the technique's thinking time.
    pub total_ns: u64,
    /// Time for transfers from host to device.
    pub upload_ns: u64,
    /// Time during which commands were queued and none ran.
    pub queue_ns: u64,
    /// Time during which kernels ran.
    pub kernel_ns: u64,
    /// Time for transfers from device to host.
    pub download_ns: u64,
    /// The part of `total_ns` that is not covered by the other parts.
    pub host_ns: u64,
    /// The opponent's thinking time in all games of a match, otherwise 0.
    pub opponent_ns: u64,
    /// Number of kernels launched.
    pub launches: u64,
    /// Number of bytes sent to the device.
    pub bytes_up: u64,
    /// Number of bytes read from the device.
    pub bytes_down: u64,
    /// Number of positions entered.
    pub nodes: u64,
    /// Number of positions whose value was used.
    pub leaves: u64,
    /// Number of random games finished.
    pub playouts: u64,
    /// Number of plies in the random games.
    pub plies: u64,
    /// Time for each position, in order, separated by `;`. Empty unless the positions were searched one after another.
    #[serde(with = "list")]
    pub positions_ns: Vec<u64>,
}

impl Sample {
    /// Creates a sample from its time, parts and counters. Omits the part times if they are untrusted, or if their sum
    /// exceeds `total_ns`. The second value is true if the sample has part times.
    pub fn of(total_ns: u64, parts: &Parts, counters: Counters) -> (Sample, bool) {
        let trusted = !parts.untrusted && parts.sum_ns() <= total_ns;
        let time = |ns: u64| if trusted { ns } else { 0 };
        let sample = Sample {
            total_ns,
            upload_ns: time(parts.upload_ns),
            queue_ns: time(parts.queue_ns),
            kernel_ns: time(parts.kernel_ns),
            download_ns: time(parts.download_ns),
            host_ns: total_ns - time(parts.sum_ns()),
            launches: parts.launches,
            bytes_up: parts.bytes_up,
            bytes_down: parts.bytes_down,
            nodes: counters.nodes,
            leaves: counters.leaves,
            playouts: counters.playouts,
            plies: counters.plies,
            ..Sample::default()
        };
        (sample, trusted)
    }

    /// Returns the sample's invocation and pass. Within a pass, the samples of a case's cells are interleaved.
    pub fn pass(&self) -> (&str, u64) {
        (&self.invocation, self.pass)
    }

    /// Returns the sample's time, ns. In a match, this is the time of both players together.
    pub fn whole_ns(&self) -> u64 {
        self.total_ns.saturating_add(self.opponent_ns)
    }

    /// Returns the sample's counters.
    pub fn counters(&self) -> Counters {
        Counters {
            nodes: self.nodes,
            leaves: self.leaves,
            playouts: self.playouts,
            plies: self.plies,
        }
    }
}

/// Groups samples by cell, in the order in which they were measured.
pub fn by_cell(samples: &[Sample]) -> HashMap<&CellId, Vec<&Sample>> {
    let mut by_cell: HashMap<&CellId, Vec<&Sample>> = HashMap::new();
    for sample in samples {
        by_cell.entry(&sample.cell).or_default().push(sample);
    }
    by_cell
}

/// A row in `measurements.csv`: the results of one cell. Statistics are empty unless `status` is `ok`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasurementRow {
    /// The measured cell.
    pub cell: CellId,
    /// The cell's status, which is [`Status::Pending`] until the cell is measured.
    pub status: Status,
    /// The reason for a failure. If `status` is `ok`, the sampling condition that was not met, or empty.
    pub reason: String,
    /// One of `serial`, `threads` and `device`.
    pub kind: String,
    /// Number of host threads. 1 for serial and device techniques (`notes` has the threads that grow a device's tree).
    pub threads: u64,
    /// Number of samples taken.
    pub samples: u64,
    /// Number of positions or playouts in a sample.
    pub units: u64,
    /// Median of the total times.
    pub median_ns: Option<u64>,
    /// Lower end of the median's 95 % bootstrap interval.
    pub low_ns: Option<u64>,
    /// Upper end of the median's 95 % bootstrap interval.
    pub high_ns: Option<u64>,
    /// Arithmetic mean of the total times.
    pub mean_ns: Option<u64>,
    /// First quartile of the total times.
    pub q1_ns: Option<u64>,
    /// Third quartile of the total times.
    pub q3_ns: Option<u64>,
    /// Minimum of the total times.
    pub min_ns: Option<u64>,
    /// Median time for transfers from host to device.
    pub upload_ns: Option<u64>,
    /// Median time in the queue.
    pub queue_ns: Option<u64>,
    /// Median time in kernels.
    pub kernel_ns: Option<u64>,
    /// Median time for transfers from device to host.
    pub download_ns: Option<u64>,
    /// Median time for work on the host.
    pub host_ns: Option<u64>,
    /// Number of kernels launched in a sample (median).
    pub launches: Option<u64>,
    /// Number of bytes sent to the device in a sample (median).
    pub bytes_up: Option<u64>,
    /// Number of bytes read from the device in a sample (median).
    pub bytes_down: Option<u64>,
    /// Number of positions entered in a sample (median).
    pub nodes: Option<u64>,
    /// Number of positions in a sample whose value was used (median).
    pub leaves: Option<u64>,
    /// Number of random games finished in a sample (median).
    pub playouts: Option<u64>,
    /// Number of plies in a sample's random games (median).
    pub plies: Option<u64>,
    /// Median thinking time of the opponent in a match. `median_ns` is then the technique's time.
    pub opponent_ns: Option<u64>,
    /// Score and games of a match. Each game has its moves and the technique's final lead.
    pub score: String,
    /// Time to build the program, ns. If `notes` say `program cached`, time to load it. Never part of a sample.
    pub build_ns: Option<u64>,
    /// Time for the whole set-up, ns: context, build, buffers, and the first launch for each local size.
    pub setup_ns: Option<u64>,
    /// Predicted time of a sample, ns, if it was predicted before the cell ran.
    pub predicted_ns: Option<u64>,
    /// The verdict on the device's timer: `trusted` or the problem. Empty for the host.
    pub timer: String,
    /// The technique's choices, for example `group 64, -cl-opt-disable (pocl 3.1)`.
    pub notes: String,
    /// Warnings from the measurement, separated by `; `, for example about a busy host or a changed clock frequency.
    pub warnings: String,
    /// The experiment's name.
    pub experiment: String,
    /// The game.
    pub game: String,
    /// The task.
    pub task: String,
    /// SHA-256 of the question and the [`Provenance`](super::Provenance), first 16 digits. A resumed run keeps the rows
    /// whose keys match.
    pub key: String,
    /// Id of the invocation that wrote the row. Earlier invocations may have taken some of the cell's samples.
    pub invocation: String,
    /// The device's [`DeviceRecord::address`](super::DeviceRecord::address). Empty for the host.
    pub address: String,
    /// Names of the facts that preparing the cell reported, separated by blanks.
    pub facts: String,
    /// `reason` in machine-readable form: the JSON of a [`Reason`].
    #[serde(with = "json")]
    pub reason_code: Option<Reason>,
    /// `warnings` in machine-readable form: a JSON list. Empty if there are no warnings.
    #[serde(with = "json")]
    pub warning_codes: Option<Vec<Warning>>,
    /// SHA-256 of the row and its samples, first 16 digits. See [`seal`](super::seal).
    pub seal: String,
}

impl MeasurementRow {
    /// Returns the cell's row as it was before the measurement.
    pub fn pending(&self) -> MeasurementRow {
        MeasurementRow {
            status: Status::Pending,
            kind: self.kind.clone(),
            threads: self.threads,
            experiment: self.experiment.clone(),
            game: self.game.clone(),
            task: self.task.clone(),
            key: self.key.clone(),
            invocation: self.invocation.clone(),
            address: self.address.clone(),
            cell: self.cell.clone(),
            ..MeasurementRow::default()
        }
    }

    /// Returns the row as JSON, without nesting.
    pub fn json(&self) -> serde_json::Value {
        let mut row = serde_json::to_value(self).unwrap_or_default();
        if let Some(columns) = row.as_object_mut()
            && let Some(serde_json::Value::Object(cell)) = columns.remove("cell")
        {
            columns.extend(cell);
        }
        row
    }

    /// Returns the reason why the cell ended.
    pub fn why(&self) -> Reason {
        match &self.reason_code {
            // The JSON does not contain the reason's text.
            Some(Reason::Told(_)) => Reason::Told(self.reason.clone()),
            Some(code) => code.clone(),
            None if self.reason.is_empty() => Reason::Met,
            None => Reason::Told(self.reason.clone()),
        }
    }

    /// Returns the warnings from the cell's measurement.
    pub fn warned(&self) -> Vec<Warning> {
        self.warning_codes.clone().unwrap_or_default()
    }

    /// Sets the warnings, as sentences and as codes.
    pub fn warn(&mut self, warnings: Vec<Warning>) {
        let sentences: Vec<String> = warnings.iter().map(Warning::to_string).collect();
        self.warnings = sentences.join("; ");
        self.warning_codes = Some(warnings).filter(|all| !all.is_empty());
    }

    /// Returns the parsed `score`, or `None` if the cell is not a match.
    pub fn match_score(&self) -> Option<MatchScore> {
        MatchScore::read(&self.score)
    }

    /// Marks the row as damaged, because it contradicts other files.
    pub fn damage(&mut self, why: String) {
        self.status = Status::Damaged;
        self.reason_code = Some(Reason::Told(why.clone()));
        self.reason = why;
    }

    /// Clears the numbers of a damaged row.
    pub fn drop_numbers(&mut self) {
        self.sum_up(&[], false);
        self.units = 0;
        self.score.clear();
    }
}

/// Reads and writes a CSV field with integers, separated by `;`.
mod list {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(values: &[u64], to: S) -> Result<S::Ok, S::Error> {
        let values: Vec<String> = values.iter().map(u64::to_string).collect();
        to.serialize_str(&values.join(";"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
        let text = String::deserialize(from)?;
        let values = text.split(';').filter(|_| !text.is_empty());
        let wrong = |value| D::Error::custom(format!("`{value}` is not an integer"));
        values
            .map(|value| value.parse().map_err(|_| wrong(value)))
            .collect()
    }
}

/// Reads and writes a CSV field that is empty or contains JSON.
mod json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let text = value.as_ref().map(serde_json::to_string).transpose();
        to.serialize_str(&text.map_err(S::Error::custom)?.unwrap_or_default())
    }

    pub(super) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        let text = String::deserialize(from)?;
        let value = (!text.is_empty()).then(|| serde_json::from_str(&text));
        value.transpose().map_err(D::Error::custom)
    }
}

/// A row in `resources.csv`: a technique's use of a device resource in a case, or a limit of the device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceRow {
    /// The cell.
    pub cell: CellId,
    /// The resource's name, with its unit if it has one, for example `local-bytes`.
    pub resource: String,
    /// The amount of the resource.
    pub value: u64,
}

/// A row in `facts.csv`: a property of a case, such as the average branching factor in its line of play.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FactRow {
    /// The axes on which the fact depends, for example `board=8x8`.
    pub case: String,
    /// The fact's name, for example `branching-factor`.
    pub fact: String,
    /// The fact's value.
    pub value: f64,
}
