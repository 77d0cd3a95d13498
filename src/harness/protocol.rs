//! Defines the messages between a parent and its workers: JSON objects, one per line of the [channel](super::channel).

use serde::{Deserialize, Serialize};

use crate::results::Sample;
use crate::words::{Answer, Case, Counters, Fault, Params, Parts, Resource, Task, TechniqueEntry};

/// Version of the messages. `bench compare --programs` rejects workers from a program with another version.
pub const PROTOCOL: u32 = 2;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Number of the request. Each worker's requests are counted from 1.
    pub id: u64,
    pub request: Request,
}

/// A reply with the id of its request. Any other id is a protocol error that ends the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The request's id, or 0 for [`Reply::Ready`].
    pub id: u64,
    pub reply: Reply,
}

/// A request from the parent. A worker answers each request once, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    Prepare(Box<CellSpec>),
    /// Changes the number of positions per sample. The positions are taken from the line of play.
    Limit {
        cell: usize,
        units: usize,
    },
    Sample {
        cell: usize,
        /// Number of samples, at least 1.
        count: u64,
        /// Number of earlier samples for this cell, from any worker.
        first: u64,
        /// Time limit for all samples together, ns. After this time, no further sample starts.
        budget_ns: u64,
    },
    /// Searches one move at one position with a full window.
    ValueOf {
        cell: usize,
        /// Index of the position in the sample.
        unit: usize,
        /// The move, in the game's notation.
        best: String,
    },
    Forget {
        cell: usize,
    },
}

impl Request {
    pub fn cell(&self) -> usize {
        match self {
            Request::Prepare(spec) => spec.cell,
            Request::Limit { cell, .. }
            | Request::Sample { cell, .. }
            | Request::ValueOf { cell, .. }
            | Request::Forget { cell } => *cell,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellSpec {
    /// The cell's number, chosen by the parent.
    pub cell: usize,
    pub game: String,
    /// The technique's name in the registry.
    pub technique: String,
    pub task: Task,
    pub case: Case,
    pub options: Params,
    pub params: Params,
    /// Seed for all random numbers.
    pub seed: u64,
    /// For `search`, `perft` and `playouts`: the position, or `None` for the start position.
    pub position: Option<String>,
    /// For `game`: maximum number of positions.
    pub positions: Option<usize>,
    /// For `match`: the opponent's name in the registry, and its parameters.
    pub opponent: Option<(String, Params)>,
    /// For `match`: the pairs of games to play, or `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
}

impl CellSpec {
    /// Creates a request for a cell outside any plan, at the game's start position.
    pub fn of(
        entry: &TechniqueEntry,
        task: Task,
        case: Case,
        [options, params]: [Params; 2],
        seed: u64,
    ) -> CellSpec {
        CellSpec {
            cell: 0,
            game: entry.game.to_owned(),
            technique: entry.name.to_owned(),
            task,
            case,
            options,
            params,
            seed,
            position: None,
            positions: None,
            opponent: None,
            share: None,
        }
    }
}

/// A subset of a match's pairs of games. The number of a pair determines its opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The number of the first pair.
    pub first: u64,
    /// Difference between the numbers of consecutive pairs.
    pub step: u64,
    /// Number of pairs, at least 1. After the last pair, the first is played again.
    pub count: u64,
}

impl Share {
    /// Returns the number of the pair that sample number `sample` plays. Samples are counted from 0.
    pub fn pair(&self, sample: u64) -> u64 {
        self.first + self.step * (sample % self.count.max(1))
    }

    /// Returns the part of the share before `pair`, the first pair whose opening repeats, or `None` if no pair is left.
    pub fn before(&self, pair: u64) -> Option<Share> {
        let count = (pair - self.first) / self.step.max(1);
        (count > 0).then_some(Share { count, ..*self })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// Sent once, without a request, when the worker is ready or could not start.
    Ready(Result<Opened, Fault>),
    Prepared(Result<Prepared, Fault>),
    /// Answers [`Request::Limit`] with the number of units in each later sample.
    Limited(u64),
    /// Answers [`Request::Sample`]. A fault ends the batch.
    Samples(Result<Vec<Sampled>, Fault>),
    Value(Result<i64, Fault>),
    Forgotten,
}

/// A worker's report after it has started and opened its device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The verdict on the device's timer, or empty for the host.
    pub timer: String,
    /// Preferred work-group size multiple, or 0 for the host.
    pub preferred_multiple: usize,
    /// Workarounds in use.
    pub quirks: Vec<String>,
    /// Time until the worker was ready, including platform, context and queue, ns.
    pub open_ns: u64,
    /// The step of the clock that times samples, ns.
    pub clock_step_ns: u64,
}

/// A worker's report after it has prepared a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// Number of positions or playouts in a sample.
    pub units: u64,
    /// Time for building the program or, if `notes` say `cached`, for loading it from the cache, ns.
    pub build_ns: u64,
    /// Total time for the preparation, including the build and the first launches, ns.
    pub setup_ns: u64,
    pub notes: String,
    /// Facts about the case, as `(axes, name, value)`.
    pub facts: Vec<(String, String, f64)>,
    /// The technique's use of the device's resources, and properties of the device.
    pub resources: Vec<Resource>,
    /// Additional parameters with which the reference gives the same answer.
    pub shape: Params,
}

/// One sample, as a worker sends it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// Times and counters.
    pub sample: Sample,
    /// True if the part times from the device's timer are consistent with the total time.
    pub trusted: bool,
    /// The longest launch, ns.
    pub longest_launch_ns: u64,
    /// Number of idle `table-search` workers that left a launch before its end.
    pub workers_left: u64,
    /// Numbers of positions that the host and the device answered, if the technique reports them.
    pub answered: Option<[u64; 2]>,
    /// `None` if the answer is the same as the last one sent for this cell.
    pub answer: Option<Answer>,
}

impl Sampled {
    /// Creates a sample from its time, its parts and its counters.
    pub fn of(total_ns: u64, parts: &Parts, counters: Counters) -> Sampled {
        let (sample, trusted) = Sample::of(total_ns, parts, counters);
        Sampled {
            sample,
            trusted,
            longest_launch_ns: parts.longest_launch_ns,
            workers_left: parts.workers_left,
            ..Sampled::default()
        }
    }
}
