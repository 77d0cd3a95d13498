//! Techniques: a game, an algorithm and, for OpenCL, a kernel, made ready to be sampled.
//!
//! `techniques/<game>/<technique>.rs` holds one technique each; [`registry`] lists them, one line
//! a technique.

pub mod annexation;
pub mod checkers;
pub mod connect_four;
pub mod gomoku;
pub mod group;
pub mod hard;
pub mod launch;
mod list;
pub mod own_kernel;
pub mod program;
pub mod registry;
pub mod reversi;
pub mod tasks;

use std::path::Path;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::opencl::Device;
use crate::words::{
    Answer, Case, Counters, Fault, Params, Searched, Task, TechniqueEntry, Telemetry,
};

/// One technique: what it is, and how to make it ready.
pub struct Technique {
    /// What `bench list` and the experiment file know of it.
    pub entry: TechniqueEntry,
    /// What `bench verify` asks of it. A technique of a device has trials for each of its tasks; the
    /// host's, which the others are held against, have none.
    pub trials: &'static [hard::Trial],
    /// Makes it ready for one cell: builds programs, makes buffers, lays out positions. All of it
    /// counts as set-up, never as part of a sample.
    pub prepare: fn(&Setup<'_>) -> Result<Box<dyn Sampler>, Fault>,
}

/// Everything that a technique is told when it is made ready for a cell.
#[derive(Clone)]
pub struct Setup<'a> {
    /// What is asked.
    pub task: Task,
    /// The case: board, depth.
    pub case: &'a Case,
    /// The game's options, as the experiment gives them.
    pub options: &'a Params,
    /// The technique's own parameters, as the experiment gives them.
    pub params: &'a Params,
    /// Seeds everything random.
    pub seed: u64,
    /// Threads that a parallel baseline may use. At least 1.
    pub threads: usize,
    /// The device; `None` for CPU techniques.
    pub device: Option<&'a Device>,
    /// A folder that replaces the embedded kernels.
    pub kernels: Option<&'a Path>,
    /// `search`: the position, in the game's notation; `None`: the start position.
    pub position: Option<&'a str>,
    /// `game`: at most so many positions of the line, at even distances; `None`: all.
    pub positions: Option<usize>,
    /// `match`: the technique that it plays against, with its parameters.
    pub opponent: Option<(&'static Technique, &'a Params)>,
}

impl<'a> Setup<'a> {
    /// The device.
    ///
    /// # Errors
    /// [`Fault::Unsupported`] without one.
    pub fn on_device(&self) -> Result<&'a Device, Fault> {
        self.device
            .ok_or_else(|| Fault::Unsupported("no OpenCL device".into()))
    }

    /// A pool of the threads that a technique may use, its own.
    ///
    /// # Errors
    /// As [`pool_of`].
    pub fn pool(&self) -> Result<ThreadPool, Fault> {
        pool_of(self.threads)
    }
}

/// A pool of so many threads.
///
/// # Errors
/// [`Fault::Unsupported`] where the system does not give them.
pub fn pool_of(threads: usize) -> Result<ThreadPool, Fault> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    pool.map_err(|error| Fault::Unsupported(format!("no pool of {threads} threads: {error}")))
}

/// What a player answers at one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Its move, in the game's notation; `None` where it has none.
    pub best: Option<String>,
    /// What a search found; `None` of a player that does not search to a depth.
    pub searched: Option<Searched>,
    /// How long it thought, ns.
    pub ns: u64,
}

/// A technique made ready for one cell.
pub trait Sampler {
    /// Is told before each sample how many of the cell were taken before it, by this worker or
    /// another; outside the timed section. A match begins each at another opening.
    fn begin(&mut self, _taken: u64) {}

    /// Does the whole task once. The harness times this call from outside; it holds the transfers,
    /// the launches and the host's part, and nothing else.
    fn sample(&mut self) -> Result<(Answer, Counters), Fault>;

    /// Positions or playouts in one sample.
    fn units(&self) -> u64;

    /// From now on, at most so many positions of the line of play, at even distances.
    fn limit_units(&mut self, _most: usize) {}

    /// The value of playing `best` in the sample's position number `unit`, searched with a full
    /// window at the case's depth: how a best move that differs from the reference's is checked.
    fn value_of(&mut self, _unit: usize, _best: &str) -> Result<i64, Fault> {
        Err(Fault::Unsupported(
            "this technique cannot check a move".into(),
        ))
    }

    /// `match`: what it answers at a position given in the game's notation. This is how it plays as another technique's opponent; it is prepared for the task
    /// `choose`, or `search` where it does not know that.
    fn reply(&mut self, _position: &str) -> Result<Reply, Fault> {
        Err(Fault::Unsupported(
            "this technique cannot be an opponent".into(),
        ))
    }

    /// Where the last sample's time went, and what the technique chose, used and knows. Called outside the
    /// timed section, once when it is ready and then after each sample.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry::default()
    }
}
