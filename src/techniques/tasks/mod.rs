//! Contains common parts of all techniques. A task is a [`Sampler`](super::Sampler) that wraps a technique's part.
//!
//! A game provides a [`Play`], with positions in the game's notation. A technique provides one of three parts:
//!
//! - a [`Searcher`] for the tasks that consist of searches, and for choices within a time limit;
//! - a [`RandomPlayer`] for the task `playouts`, which [`Flat`] turns into a [`Chooser`];
//! - a [`Chooser`] for choices and matches.
//!
//! [`prepare`] builds all tasks from these parts.
//!
//! [`host`] contains the searches without a device. Searches with a transposition table are in [`host_table`] for the
//! host and in [`table_search`] for devices. Random games are in [`random_games`] for the host and in [`flat_refill`]
//! for devices. Tree searches are in [`mcts`], and their playouts in [`host_leaves`] and [`device_leaves`].
//! [`tree_search`] builds techniques from them. [`blocks`] grows trees in work-groups.

pub mod blocks;
pub mod cased;
mod cell;
mod choose;
pub mod device_leaves;
pub mod flat_refill;
mod front;
pub mod host;
pub mod host_leaves;
pub mod host_table;
mod matches;
pub mod mcts;
mod play;
pub mod random_games;
mod split;
pub mod table_search;
pub mod tree_search;

pub use cased::{Cased, Made, needs_effort};
pub use cased::{
    prepare, prepare_random, prepare_random_on_host, prepare_search, prepare_timed, replay_match,
};
pub use choose::Flat;
pub use choose::{At, Choice, Chooser, Effort};
pub use front::{Counter, Counting, Pack, PerftSearcher};
pub use matches::{CASE_SEED, openings_after, random_positions};
pub use play::{Line, LineAndFacts, Loads, Play, Turn};
pub use play::{Lines, PLIES, Plies, kept_line, plies_of, read_plies};
pub use random_games::{PLAYOUTS, Playing, RandomPlayer, read_playouts};
pub use split::{Splits, Splitting, minimax_above, read_scores};

use std::time::{Duration, Instant};

use super::Setup;
use crate::techniques::prelude::*;

/// Searches positions of the game `P`. A new search technique implements only this trait.
pub trait Searcher<P: Play>: Send {
    /// Converts positions for the technique, replacing earlier ones. Never timed. Fails if a device refuses them.
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault>;

    /// Searches one of the loaded positions. Fails if the technique does not support searches, or if a device fails.
    fn search(&mut self, _index: usize, _depth: u32) -> Result<Found<P::Move>, Fault> {
        Err(lacks_task("search"))
    }

    /// Searches several of the loaded positions in order, and adds the results to `done`.
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<P::Move>,
    ) -> Result<(), Fault> {
        for index in indices {
            let start = Instant::now();
            let found = self.search(*index, depth)?;
            done.add(found, start.elapsed());
        }
        Ok(())
    }

    /// Counts the move sequences of exactly `depth` plies from one of the loaded positions. Each counts as a leaf.
    fn perft(&mut self, _index: usize, _depth: u32) -> Result<Counters, Fault> {
        Err(lacks_task("perft"))
    }

    /// Searches a position with increasing depth until a deadline. Returns the result and depth of the last iteration.
    fn search_until(&mut self, _: &P::Position, _deadline: Instant) -> Reached<P::Move> {
        Err(lacks_task("choose"))
    }

    /// Returns the telemetry since the last call.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry::default()
    }
}

/// A searcher, or the reason why it could not be created.
pub type Searching<P> = Result<Box<dyn Searcher<P>>, Fault>;

/// The result and depth of a search, or the reason why it failed.
pub type Reached<M> = Result<(Found<M>, u32), Fault>;

fn lacks_task(task: &str) -> Fault {
    Fault::Unsupported(format!("this technique lacks the task {task}"))
}

/// The results of the searches in a sample, in order.
pub struct Searches<M> {
    /// One result per position.
    pub found: Vec<Found<M>>,
    /// Times of searches that ran one after another, in ns.
    ns: Vec<u64>,
}

impl<M> Default for Searches<M> {
    fn default() -> Searches<M> {
        let (found, ns) = Default::default();
        Searches { found, ns }
    }
}

impl<M> Searches<M> {
    fn clear(&mut self) {
        self.found.clear();
        self.ns.clear();
    }

    /// Adds the result and the time of a search.
    pub fn add(&mut self, found: Found<M>, took: Duration) {
        self.ns.push(took.as_nanos() as u64);
        self.found.push(found);
    }

    /// Returns and clears the times of all positions, in ns. Returns none if some positions were searched together.
    fn take_ns(&mut self) -> Vec<u64> {
        let ns = std::mem::take(&mut self.ns);
        if ns.len() == self.found.len() {
            ns
        } else {
            Vec::new()
        }
    }
}

/// Builds a kernel that has no barriers in loops. The notes give `layout`, the private memory and the build options.
pub fn runner(
    setup: &Setup<'_>,
    (path, kernel): (&str, &str),
    defines: &Defines,
    group: usize,
    layout: &str,
) -> Result<Runner, Fault> {
    let device = setup.on_device()?;
    let program = device.build(path, defines, setup.kernels, BuildNeeds::default())?;
    let mut run = Runner::new(device, &program, program.kernel(kernel)?, group)?;
    let (private, options) = (run.kernel.private_bytes(), &run.options);
    run.notes = format!("{layout}, private {private} bytes, built with {options}");
    Ok(run)
}

/// Refuses any depth other than the depth for which a kernel was built. The [`Fault::Input`] gives both depths.
pub fn built_for(built: u32, depth: u32) -> Result<(), Fault> {
    if depth == built {
        return Ok(());
    }
    let why = format!("depth: `{depth}`; this kernel was built for {built}");
    Err(Fault::Input(why))
}

/// Refuses a depth greater than the depth for which a kernel was built. `whose` is empty, or ` below a sibling`.
pub fn built_up_to(built: u32, depth: u32, whose: &str) -> Result<(), Fault> {
    if depth <= built {
        return Ok(());
    }
    let why = format!("depth: `{depth}`{whose}; this kernel was built for {built} at most");
    Err(Fault::Input(why))
}
