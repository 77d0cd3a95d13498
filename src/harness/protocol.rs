//! What a parent and its workers say to each other: one JSON object a line, over a
//! [channel](super::channel) of their own.

use serde::{Deserialize, Serialize};

use crate::words::{Answer, Case, Counters, Fault, Params, Parts, Resource, Task};

/// Counts the changes of what is said here. A parent talks to workers of another program
/// (`bench compare --programs`) only where theirs is the same.
pub const PROTOCOL: u32 = 1;

/// A request with its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Counted from 1 for each worker.
    pub id: u64,
    /// What is asked.
    pub request: Request,
}

/// A reply with the number of what it answers: what a worker says late, or unasked, answers nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The request's; 0: [`Reply::Ready`].
    pub id: u64,
    /// The answer.
    pub reply: Reply,
}

/// What a parent asks. A worker answers each request once, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Make a cell ready. Answered by [`Reply::Prepared`].
    Prepare(Box<CellSpec>),
    /// Change how many positions of the line a sample holds. Answered by [`Reply::Limited`].
    Limit {
        /// The cell, by the number that its [`CellSpec`] gave it.
        cell: usize,
        /// At most so many.
        units: usize,
    },
    /// Take samples. Answered by [`Reply::Samples`].
    Sample {
        /// The cell.
        cell: usize,
        /// So many, at least one.
        count: u64,
        /// How many of this cell were taken before, by whichever worker.
        first: u64,
        /// Begin no further sample once they have taken this long together, ns.
        budget_ns: u64,
    },
    /// Search one move of one position with a full window. Answered by [`Reply::Value`].
    ValueOf {
        /// The cell.
        cell: usize,
        /// The position's number in the sample.
        unit: usize,
        /// The move, in the game's notation.
        best: String,
    },
    /// Forget a cell and free what it holds. Answered by [`Reply::Forgotten`].
    Forget {
        /// The cell.
        cell: usize,
    },
}

/// One cell, as a worker needs to know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellSpec {
    /// Its number, chosen by the parent.
    pub cell: usize,
    /// The game.
    pub game: String,
    /// The technique's name in the registry.
    pub technique: String,
    /// What is asked.
    pub task: Task,
    /// The case.
    pub case: Case,
    /// The game's options.
    pub options: Params,
    /// The technique's parameters.
    pub params: Params,
    /// Seeds everything random.
    pub seed: u64,
    /// `search`, `perft`, `playouts`: the position; `None`: the game's start.
    pub position: Option<String>,
    /// `game`: at most so many positions.
    pub positions: Option<usize>,
    /// `match`: the opponent's name in the registry and its parameters.
    pub opponent: Option<(String, Params)>,
}

/// What a worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// Said once, unasked, when the worker is ready; or why it is not.
    Ready(Result<Opened, Fault>),
    /// To [`Request::Prepare`].
    Prepared(Result<Prepared, Fault>),
    /// To [`Request::Limit`]: units in a sample now.
    Limited(u64),
    /// To [`Request::Sample`]; a fault ends the batch.
    Samples(Result<Vec<Sampled>, Fault>),
    /// To [`Request::ValueOf`].
    Value(Result<i64, Fault>),
    /// To [`Request::Forget`].
    Forgotten,
}

/// What a worker found when it started and opened its device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Verdict on the device's timer; empty for the host.
    pub timer: String,
    /// Preferred work-group multiple; 0 for the host.
    pub preferred_multiple: usize,
    /// Quirks worked around.
    pub quirks: Vec<String>,
    /// From the worker's start to here: the platform, the context and the queue, ns.
    pub open_ns: u64,
    /// The step of the clock by which it times, ns.
    pub clock_step_ns: u64,
}

/// A cell made ready.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// Positions or playouts in a sample.
    pub units: u64,
    /// Program build, ns, or where `notes` say `cached`, taking it from the cache.
    pub build_ns: u64,
    /// All of it, the build and first launches included, ns.
    pub setup_ns: u64,
    /// What the technique chose or used.
    pub notes: String,
    /// Facts of the case: `(axes, name, value)`.
    pub facts: Vec<(String, String, f64)>,
    /// What the technique takes of its device, and what its device is like.
    pub resources: Vec<Resource>,
    /// Parameters that its reference needs beside the technique's own to give the same answer.
    pub shape: Params,
}

/// One sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// When it began, ns after its request came.
    pub at_ns: u64,
    /// From the host's call to the answer on the host, ns; in a match, what the technique itself
    /// thought.
    pub total_ns: u64,
    /// In a match, what its opponent thought, ns; 0 elsewhere.
    pub opponent_ns: u64,
    /// Where it went.
    pub parts: Parts,
    /// Work counted.
    pub counters: Counters,
    /// `None`: equal to the cell's last answer that was sent. Answers are long (one entry a
    /// position), and nearly always the same.
    pub answer: Option<Answer>,
}
