//! Defines techniques. Each combines a game, an algorithm and, for OpenCL, a kernel.
//!
//! A file `techniques/<game>/<technique>.rs` holds a technique and its variants. [`registry`] lists the games, and each
//! game lists its techniques.

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

/// A technique, with its description and the function that prepares it.
pub struct Technique {
    /// Description for `bench list` and experiments.
    pub entry: TechniqueEntry,
    /// Hard cases for `bench verify`. Empty for host techniques, because they are the references.
    pub trials: &'static [hard::Trial],
    /// Prepares the technique for one cell: builds programs, allocates buffers and converts positions. Not timed.
    pub prepare: Prepare,
}

impl Technique {
    /// Creates a host technique. It has no hard cases, because it is a reference or a baseline.
    pub const fn on_host(entry: TechniqueEntry, prepare: Prepare) -> Technique {
        Technique {
            entry,
            trials: &[],
            prepare,
        }
    }

    /// Returns the technique with its game set to `game`.
    pub const fn of(self, game: &'static str) -> Technique {
        let entry = TechniqueEntry { game, ..self.entry };
        Technique { entry, ..self }
    }
}

/// A game and its techniques. The rest of the program accesses a game only through this type.
pub struct GameKit {
    /// The game's axes, options and tasks.
    pub entry: GameEntry,
    /// The game's techniques, in the order of `bench list`.
    pub techniques: &'static [Technique],
    /// Placeholders for user-supplied kernels and programs. Experiments give them labels.
    pub brought: &'static [&'static [Technique]],
    /// Host models of the techniques with [`Counts::Model`](crate::words::Counts::Model). They count the same work.
    pub models: &'static [(&'static [&'static str], Prepare)],
}

/// A function that prepares a technique for a cell.
pub type Prepare = fn(&Setup<'_>) -> Prepared;

/// A technique prepared for a cell, or the reason why the preparation failed.
pub type Prepared = Result<Box<dyn Sampler>, Fault>;

/// Inputs for preparing a technique.
#[derive(Clone)]
pub struct Setup<'a> {
    /// The task.
    pub task: Task,
    /// The case, for example a board and a depth.
    pub case: &'a Case,
    /// The game's options from the experiment, without defaults.
    pub options: &'a Params,
    /// The technique's parameters from the experiment, without defaults.
    pub params: &'a Params,
    /// Seed for all random numbers.
    pub seed: u64,
    /// Number of threads that a parallel baseline may use, at least 1.
    pub threads: usize,
    /// The device; `None` for CPU techniques.
    pub device: Option<&'a Device>,
    /// Folder with kernel files that replace the embedded ones.
    pub kernels: Option<&'a Path>,
    /// `search`: the position in the game's notation, or `None` for the start position.
    pub position: Option<&'a str>,
    /// `game`: the maximum number of evenly spaced positions of the line to search, or `None` for all.
    pub positions: Option<usize>,
    /// `match`: the opponent and its parameters.
    pub opponent: Option<(&'static Technique, &'a Params)>,
}

impl<'a> Setup<'a> {
    /// Returns the device, or [`Fault::Unsupported`] if there is none.
    pub fn on_device(&self) -> Result<&'a Device, Fault> {
        self.device
            .ok_or_else(|| Fault::Unsupported("no OpenCL device".into()))
    }

    /// Returns the number of threads that select leaves in a tree while a device plays the games.
    pub fn tree_threads(&self) -> usize {
        self.device.map_or(self.threads, |device| {
            let info = device.info();
            beside(info.kind, info.compute_units, self.threads)
        })
    }

    /// Creates a pool of `threads` threads. Fails like [`pool_of`].
    pub fn pool(&self) -> Result<ThreadPool, Fault> {
        pool_of(self.threads)
    }
}

/// Returns the number of host threads to use alongside a device. It is 1 for a CPU device, which uses the cores itself,
/// and for a device with one compute unit, because only the thread that created Oclgrind may call it.
fn beside(kind: DeviceKind, units: u32, threads: usize) -> usize {
    match kind {
        DeviceKind::Cpu => 1,
        _ if units < 2 => 1,
        _ => threads,
    }
}

/// Creates a pool with this number of threads. Fails with [`Fault::Unsupported`] if the system refuses.
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
    /// Work done by the search.
    pub counters: Counters,
    /// Thinking time, in ns.
    pub ns: u64,
}

/// A technique, prepared for one cell.
pub trait Sampler: Send {
    /// Prepares the next sample, untimed. `taken` is the number of earlier samples. In a match, it selects the opening.
    fn begin(&mut self, _taken: u64) {}

    /// Runs the whole task once. The harness times this call, including transfers, launches and host work.
    fn sample(&mut self) -> Result<(Answer, Counters), Fault>;

    /// Returns the number of units (positions or playouts) per sample.
    fn units(&self) -> u64;

    /// Limits the line of play to at most `most` evenly spaced positions.
    fn limit_units(&mut self, _most: usize) {}

    /// Returns the full-window value of the move `best` in the sample's position `unit`. Used if the best moves differ.
    fn value_of(&mut self, _unit: usize, _best: &str) -> Result<i64, Fault> {
        Err(Fault::Unsupported(
            "this technique cannot check a move".into(),
        ))
    }

    /// Returns how samples are divided among several devices, or `None` if they cannot be divided.
    fn division(&self) -> Option<Division> {
        None
    }

    /// Runs part of a sample. Timed.
    fn part(&mut self, _part: &Part) -> Result<(Answer, Counters), Fault> {
        Err(undivided())
    }

    /// Computes the sample's answer from the sum of its parts' answers. Timed.
    fn joined(&self, sum: Answer) -> Answer {
        sum
    }

    /// Replies to a position as the opponent in a match. Requires preparation for the task `choose` or `search`.
    fn reply(&mut self, _position: &str) -> Result<Reply, Fault> {
        Err(Fault::Unsupported(
            "this technique cannot be an opponent".into(),
        ))
    }

    /// Returns the last sample's time parts, choices and facts. Called after preparation and each sample, not timed.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry::default()
    }
}

/// Describes how a sample is divided among several devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// Each device does part of the work. The answer does not depend on the division.
    Ranges,
    /// Each device grows a tree with its own random numbers, so the answer depends on the number of devices.
    Trees,
}

/// A part of a sample, as a range of the sample's work. The whole sample is the range from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Start of the range.
    pub from: f64,
    /// End of the range.
    pub to: f64,
}

impl Part {
    /// The whole sample.
    pub const WHOLE: Part = Part { from: 0.0, to: 1.0 };

    /// Returns the part's range of `count` indices (at most 2^53). Parts that cover the sample contain each index once.
    pub fn of_things(&self, count: u64) -> Range<u64> {
        let place = |at: f64| (count as f64 * at) as u64;
        place(self.from)..place(self.to)
    }
}

/// Returns the error for a technique whose samples cannot be divided.
fn undivided() -> Fault {
    Fault::Unsupported("devices: here one device does a whole sample; allowed is 1".into())
}

#[cfg(test)]
pub(crate) mod tests;
