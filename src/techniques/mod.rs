//! Techniques: a game, an algorithm and, for OpenCL, a kernel, made ready to be sampled.
//!
//! `techniques/<game>/<technique>.rs` holds one technique each; [`registry`] lists them, one line
//! a technique.

pub mod annexation;
pub mod checkers;
pub mod connect_four;
pub mod gomoku;
pub mod hard;
pub mod launch;
pub mod registry;
pub mod reversi;
pub mod tasks;

use std::path::Path;

use crate::opencl::Device;
use crate::words::{
    Answer, Case, Counters, Fault, Params, Parts, Resource, Searched, Task, TechniqueEntry,
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

    /// Where the last sample's time went. Called outside the timed section.
    fn parts(&mut self) -> Parts {
        Parts::default()
    }

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

    /// Program build time, ns; 0 for CPU techniques.
    fn build_ns(&self) -> u64 {
        0
    }

    /// What it chose or used, for the row: `group 64`.
    fn notes(&self) -> String {
        String::new()
    }

    /// What it takes of its device.
    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    /// Parameters that its reference needs to give the same answer: what was chosen for the device and decides
    /// what is right. None where the case and the parameters given do.
    fn shape(&self) -> Params {
        Params::new()
    }

    /// Things that are true of the case itself: `(axes it depends on, name, value)`, such as
    /// `("board=8x8", "branching-factor", 7.9)`.
    fn facts(&self) -> Vec<(String, String, f64)> {
        Vec::new()
    }
}
