//! `table-search`: alpha-beta with a transposition table and move ordering on an OpenCL device, for every game with a
//! [`TableGame`]. All work-groups search one tree.
//!
//! The host drives the search as in MTD(f) (Plaat, Schaeffer, Pijls and de Bruin 1996). A launch tests whether the
//! value reaches each of several thresholds, and the answers narrow the bounds. An iteration is two plies deeper than
//! the previous one, unless the game sets another step. `cl/common/table_search.clh` describes a launch.
//!
//! The search returns the same values as `serial`. A table entry holds a position's value at a remaining depth, or a
//! bound on it, and is used only at exactly this depth. The best move is one of the moves with the best value. The node
//! count varies between runs, because the groups share their results. A node here is a child that was generated and
//! evaluated. Two plies or more above the leaves, the device evaluates all children, but the host stops at the first
//! child that cuts off.
//!
//! With `hybrid`, the host begins every search like `rayon-table`. With six plies left, and again with four, it
//! predicts the time for its remaining iterations. If the prediction exceeds the threshold, the device searches the
//! position. The host's iterations are then wasted, which costs a few per cent of its time ([`host`]).
//!
//! With `batch`, the positions of a sample are searched in parallel. A launch tests the next thresholds of each
//! position. Depths may differ between positions. All positions share the table, the records and the queue. If there
//! are too few records, the number of positions searched at once is halved. The notes give the number.

use std::time::{Duration, Instant};

use self::device::{DeviceTable, NO_MOVE, Search};
use self::game::hybrid;
use self::game::{Bounds, thresholds};
pub use self::game::{Root, TableGame, scheduler_bytes};
use self::host::Host;
use super::host_table::batch;
use super::{Play, Reached, Searcher, Searches, Searching};
use crate::games::INFINITY;
use crate::techniques::prelude::*;

mod device;
pub mod game;
mod host;

/// Assumed maximum factor by which each further ply lengthens an iteration.
const GROWTH: u32 = 6;

/// Maximum number of positions in a launch with `batch`. No case has more positions.
const MOST_POSITIONS: usize = 4_096;

type PositionOf<G> = <<G as TableGame>::Play as Play>::Position;
type MoveOf<G> = <<G as TableGame>::Play as Play>::Move;

/// Builds the kernels for a game, allocates their buffers, and searches the game's first position once.
pub fn table_search<G: TableGame>(
    setup: &Setup<'_>,
    game: G,
    start: &PositionOf<G>,
) -> Searching<G::Play> {
    let batch = batch(setup)?;
    let at_once = if batch { MOST_POSITIONS } else { 1 };
    let device = DeviceTable::new(setup, &game, at_once)?;
    let host = match hybrid(setup)? {
        Some(threshold) => Some(Host::new(setup, game.host(), threshold)?),
        None => None,
    };
    let mut made = TableSearch {
        device,
        batch,
        at_once,
        positions: Vec::new(),
        host,
        game,
    };
    // Search once, because some drivers compile for each work-group size at first use.
    made.search_all(&[made.game.root(start)], 4)?;
    made.device.telemetry();
    Ok(Box::new(made))
}

struct TableSearch<G: TableGame> {
    game: G,
    device: DeviceTable,
    /// Whether the positions of a sample are searched in parallel.
    batch: bool,
    /// Number of positions that are searched at once.
    at_once: usize,
    positions: Vec<Root>,
    /// The host's part of the search, if `hybrid` is on.
    host: Option<Host<G::Host>>,
}

impl<G: TableGame> TableSearch<G> {
    /// Searches positions one after another. With `hybrid`, the host searches first, and the device searches the rest.
    fn search_in_turn(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<MoveOf<G>>,
    ) -> Result<(), Fault> {
        let Some(host) = &mut self.host else {
            for index in indices {
                let start = Instant::now();
                let found = self.search_one(*index, depth)?;
                done.add(found, start.elapsed());
            }
            return Ok(());
        };
        for (part, index) in host.search(indices, depth).into_iter().zip(indices) {
            if !part.is_given_up {
                done.add(part.found, part.took);
                continue;
            }
            let start = Instant::now();
            let mut found = match (self.search_one(*index, depth), &mut self.host) {
                (Err(Fault::Memory(_)), Some(host)) => host.take_back(*index, depth).found,
                (found, _) => found?,
            };
            found.counters += part.found.counters;
            done.add(found, part.took + start.elapsed());
        }
        Ok(())
    }

    fn search_one(&mut self, index: usize, depth: u32) -> Result<Found<MoveOf<G>>, Fault> {
        let mut found = self.search_all(&[self.positions[index]], depth)?;
        found.pop().ok_or_else(|| Fault::Device("no answer".into()))
    }

    /// Returns the values and the best moves of positions at a depth of at least 1. Searches all positions at once.
    fn search_all(&mut self, roots: &[Root], depth: u32) -> Result<Vec<Found<MoveOf<G>>>, Fault> {
        // All depths have the same parity, because a static value favours the side that moves last.
        let first = (G::FIRST_DEPTH + depth % 2).min(depth);
        self.device.begin(roots.len(), depth)?;
        let mut searches: Vec<Search> = roots.iter().map(|root| Search::new(*root)).collect();
        for search in &mut searches {
            search.deepen(first);
        }
        self.close_in(&mut searches, depth, None)?;
        Ok(searches.iter().map(Search::found::<G>).collect())
    }

    /// Launches until all values at depth `last` are known. Returns false at the deadline. Search depths may differ.
    fn close_in(
        &mut self,
        searches: &mut [Search],
        last: u32,
        deadline: Option<Instant>,
    ) -> Result<bool, Fault> {
        let most = self.device.shape.thresholds;
        loop {
            for search in &mut *searches {
                if search.depth < last && search.bounds.are_within(G::CLOSE_ENOUGH) {
                    search.deepen((search.depth + G::DEEPER).min(last));
                }
            }
            let mut open: Vec<&mut Search> = searches
                .iter_mut()
                .filter(|search| !search.bounds.are_within(0) || search.depth < last)
                .collect();
            if open.is_empty() {
                return Ok(true);
            }
            if deadline.is_some_and(|end| Instant::now() >= end) {
                return Ok(false);
            }
            for search in &mut open {
                search.thresholds = thresholds(search.bounds, search.guess, G::STRIDE, most);
            }
            let nodes = self.device.ask(&mut open)?;
            // The device does not count nodes per position, so only the sum is meaningful.
            let counters = &mut open[0].counters;
            counters.nodes += nodes;
            counters.leaves += nodes;
        }
    }
}

impl Search {
    fn new(root: Root) -> Search {
        Search {
            root,
            depth: 0,
            guess: root.value,
            bounds: Bounds {
                lower: root.value,
                upper: root.value,
                best: NO_MOVE,
            },
            thresholds: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// Begins an iteration at another depth. Takes a guess from the bounds, and then resets the bounds.
    fn deepen(&mut self, depth: u32) {
        self.depth = depth;
        self.guess = self.bounds.middle();
        self.bounds.lower = -INFINITY;
        self.bounds.upper = INFINITY;
    }

    fn found<G: TableGame>(&self) -> Found<MoveOf<G>> {
        let best = self.root.first.map(|first| match self.bounds.best {
            NO_MOVE => first,
            best => best,
        });
        let value = G::value(&self.root, self.bounds.middle());
        Found::new(value, best.and_then(G::mv), self.counters)
    }
}

impl<G: TableGame> Searcher<G::Play> for TableSearch<G> {
    fn load(&mut self, positions: &[PositionOf<G>]) -> Result<(), Fault> {
        let root = |position| self.game.root(position);
        self.positions = positions.iter().map(root).collect();
        if let Some(host) = &mut self.host {
            host.load::<G::Play>(positions);
        }
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<MoveOf<G>>, Fault> {
        let mut done = Searches::default();
        self.search_in_turn(&[index], depth, &mut done)?;
        let found = done.found.pop();
        found.ok_or_else(|| Fault::Device("no answer".into()))
    }

    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<MoveOf<G>>,
    ) -> Result<(), Fault> {
        if !self.batch {
            return self.search_in_turn(indices, depth, done);
        }
        let roots: Vec<Root> = indices.iter().map(|index| self.positions[*index]).collect();
        let mut rest = roots.as_slice();
        while !rest.is_empty() {
            let (some, after) = rest.split_at(rest.len().min(self.at_once));
            match self.search_all(some, depth) {
                Err(Fault::Memory(_)) if some.len() > 1 => self.at_once = some.len().div_ceil(2),
                found => {
                    done.found.extend(found?);
                    rest = after;
                }
            }
        }
        Ok(())
    }

    /// Begins an iteration only if [`GROWTH`] times the last iteration's time is left. A launch cannot be stopped.
    fn search_until(&mut self, position: &PositionOf<G>, deadline: Instant) -> Reached<MoveOf<G>> {
        self.device.begin(1, G::MOST_DEPTH)?;
        let mut search = [Search::new(self.game.root(position))];
        let (mut found, mut reached) = (search[0].found::<G>(), 0);
        let mut took = Duration::ZERO;
        for depth in 1..=G::MOST_DEPTH {
            let start = Instant::now();
            if reached > 0 && start + took * GROWTH >= deadline {
                break;
            }
            search[0].deepen(depth);
            if !self.close_in(&mut search, depth, Some(deadline))? {
                break;
            }
            (found, reached) = (search[0].found::<G>(), depth);
            took = start.elapsed();
        }
        found.counters = search[0].counters;
        Ok((found, reached))
    }

    fn telemetry(&mut self) -> Telemetry {
        let mut telemetry = self.device.telemetry();
        if self.batch {
            telemetry.notes +=
                &format!(", batch: up to {} positions around one table", self.at_once);
        }
        if let Some(host) = &mut self.host {
            telemetry.notes += ", host as rayon-table";
            telemetry.answered = Some(std::mem::take(&mut host.answered));
        }
        telemetry
    }
}
