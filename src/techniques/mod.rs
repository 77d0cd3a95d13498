//! Techniques: a game, an algorithm and, for OpenCL, a kernel, prepared for sampling.
//!
//! Each `techniques/<game>/<technique>.rs` has one technique. [`registry`] lists the games, which list their
//! techniques.

pub mod annexation;
pub mod checkers;
pub mod connect_four;
pub mod fleet;
pub mod gomoku;
pub mod hard;
pub mod lanes;
mod list;
pub mod own_kernel;
pub mod prelude;
pub mod program;
pub mod registry;
pub mod reversi;
pub mod tasks;

use std::ops::Range;
use std::path::Path;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::opencl::{Device, DeviceKind};
use crate::words::{
    Answer, Case, Counters, Fault, GameEntry, Params, Searched, Task, TechniqueEntry, Telemetry,
};

/// A technique, with its description and its preparation.
pub struct Technique {
    /// Its description for `bench list` and experiments.
    pub entry: TechniqueEntry,
    /// Its hard cases for `bench verify`. Host techniques have none, because they are the references.
    pub trials: &'static [hard::Trial],
    /// Prepares it for one cell, outside any sample: builds programs, allocates buffers, converts positions.
    pub prepare: Prepare,
}

impl Technique {
    /// A host technique, which is a reference or a baseline, without hard cases.
    pub const fn on_host(entry: TechniqueEntry, prepare: Prepare) -> Technique {
        Technique {
            entry,
            trials: &[],
            prepare,
        }
    }

    /// The technique, as listed for this game.
    pub const fn of(self, game: &'static str) -> Technique {
        let entry = TechniqueEntry { game, ..self.entry };
        Technique { entry, ..self }
    }
}

/// A game with its techniques. The rest of the program sees only this.
pub struct GameKit {
    /// Its axes, options and tasks.
    pub entry: GameEntry,
    /// Its techniques, in the order of `bench list`.
    pub techniques: &'static [Technique],
    /// Placeholders for user-supplied kernels and programs, which experiments label.
    pub brought: &'static [&'static [Technique]],
    /// Host models with the same counters as the techniques with [`Counts::Model`](crate::words::Counts::Model).
    pub models: &'static [(&'static [&'static str], Prepare)],
}

/// A function that prepares a technique for a cell.
pub type Prepare = fn(&Setup<'_>) -> Prepared;

/// A technique prepared for a cell, or the reason for the failure.
pub type Prepared = Result<Box<dyn Sampler>, Fault>;

/// The inputs of a technique's preparation.
#[derive(Clone)]
pub struct Setup<'a> {
    /// The task.
    pub task: Task,
    /// The case, for example a board and a depth.
    pub case: &'a Case,
    /// The options of the game from the experiment, without defaults.
    pub options: &'a Params,
    /// The parameters of the technique from the experiment, without defaults.
    pub params: &'a Params,
    /// Seed of all randomness.
    pub seed: u64,
    /// Number of threads that a parallel baseline may use, at least 1.
    pub threads: usize,
    /// The device; `None` for CPU techniques.
    pub device: Option<&'a Device>,
    /// A folder that replaces the embedded kernels.
    pub kernels: Option<&'a Path>,
    /// `search`: the position, in the game's notation; `None` for the start.
    pub position: Option<&'a str>,
    /// `game`: the maximum number of positions in the line to search, evenly spaced, or `None` for all.
    pub positions: Option<usize>,
    /// `match`: the opponent and its parameters.
    pub opponent: Option<(&'static Technique, &'a Params)>,
}

impl<'a> Setup<'a> {
    /// The device. Fails with [`Fault::Unsupported`] without a device.
    pub fn on_device(&self) -> Result<&'a Device, Fault> {
        self.device
            .ok_or_else(|| Fault::Unsupported("no OpenCL device".into()))
    }

    /// The number of threads that select in a tree if a device plays the games.
    pub fn tree_threads(&self) -> usize {
        self.device.map_or(self.threads, |device| {
            let info = device.info();
            beside(info.kind, info.compute_units, self.threads)
        })
    }

    /// A new pool of `threads` threads. Fails like [`pool_of`].
    pub fn pool(&self) -> Result<ThreadPool, Fault> {
        pool_of(self.threads)
    }
}

/// The number of threads that work beside a device. It is 1 for a CPU device, because the device uses the cores. It is
/// also 1 for one compute unit, because only the thread that created Oclgrind may call it.
fn beside(kind: DeviceKind, units: u32, threads: usize) -> usize {
    match kind {
        DeviceKind::Cpu => 1,
        _ if units < 2 => 1,
        _ => threads,
    }
}

/// A pool of this many threads. Fails with [`Fault::Unsupported`] if the system refuses.
pub fn pool_of(threads: usize) -> Result<ThreadPool, Fault> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    pool.map_err(|error| Fault::Unsupported(format!("no pool of {threads} threads: {error}")))
}

/// A player's answer at one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The move, in the game's notation, or `None` if there is no move.
    pub best: Option<String>,
    /// The result of the search, or `None` for a player that does not search to a depth.
    pub searched: Option<Searched>,
    /// The work done by its search.
    pub counters: Counters,
    /// Its thinking time, ns.
    pub ns: u64,
}

/// A technique, prepared for one cell.
pub trait Sampler: Send {
    /// Called before each sample, untimed, with the number of the cell's earlier samples. A match changes its opening.
    fn begin(&mut self, _taken: u64) {}

    /// Does the whole task once. The harness times this call, with its transfers, launches and host work.
    fn sample(&mut self) -> Result<(Answer, Counters), Fault>;

    /// The number of positions or playouts in one sample.
    fn units(&self) -> u64;

    /// Limits the line of play to this many evenly spaced positions.
    fn limit_units(&mut self, _most: usize) {}

    /// The value of the move `best` in the sample's position `unit`, with a full window: checks a differing best move.
    fn value_of(&mut self, _unit: usize, _best: &str) -> Result<i64, Fault> {
        Err(Fault::Unsupported(
            "this technique cannot check a move".into(),
        ))
    }

    /// How a sample is divided among several devices, or `None` if it cannot be divided.
    fn division(&self) -> Option<Division> {
        None
    }

    /// Does a part of a sample. Timed.
    fn part(&mut self, _part: &Part) -> Result<(Answer, Counters), Fault> {
        Err(undivided())
    }

    /// The answer of the sample, from the sum of the answers of its parts. Timed.
    fn joined(&self, sum: Answer) -> Answer {
        sum
    }

    /// `match`: the reply as an opponent at a position. Requires preparation for the task `choose`, or else `search`.
    fn reply(&mut self, _position: &str) -> Result<Reply, Fault> {
        Err(Fault::Unsupported(
            "this technique cannot be an opponent".into(),
        ))
    }

    /// The last sample's time parts, choices and facts. Called untimed, after the preparation and each sample.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry::default()
    }
}

/// How a sample is divided among several devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// Each device does a range of the work. The answer does not depend on the division.
    Ranges,
    /// Each device grows a tree from its own random numbers, so the answer depends on the number of devices.
    Trees,
}

/// A range in the work of a sample, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Its start.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

impl Part {
    /// The whole sample.
    pub const WHOLE: Part = Part { from: 0.0, to: 1.0 };

    /// Its share of `count` items (at most 2^53). Parts that cover the sample contain each item once.
    pub fn of_things(&self, count: u64) -> Range<u64> {
        let place = |at: f64| (count as f64 * at) as u64;
        place(self.from)..place(self.to)
    }
}

/// The refusal of a technique whose samples cannot be divided.
fn undivided() -> Fault {
    Fault::Unsupported("devices: here one device does a whole sample; allowed is 1".into())
}

#[cfg(test)]
pub(crate) mod tests;
