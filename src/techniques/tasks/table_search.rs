//! Alpha-beta with a table and an order of moves on an OpenCL device, all of whose work-groups search one tree:
//! `table-search` of every game that brings a [`TableGame`].
//!
//! The host drives it as MTD(f) does (Plaat, Schaeffer, Pijls and de Bruin 1996): it asks whether the value
//! reaches a threshold, several thresholds a launch, and closes in. The search becomes two plies deeper
//! each time. `cl/common/table_search.clh` tells how a launch searches.
//!
//! Its values are those of `serial`: what the table holds counts only at exactly its remaining depth, and is
//! the position's value at that depth or a bound of it. The move is one of those with that value. Nodes
//! differ from run to run, as the groups share what they find. A node here is a child that was made and
//! valued; two plies or more above the leaves all children of a position are, where a search on the host stops
//! at the first that is good enough.
//!
//! With `batch` the positions of a sample are searched side by side, up to 64: a launch asks the
//! next thresholds of each at its own depth, and all share table, records and queue.

mod bounds;
mod device;
mod game;
mod host;
pub mod params;

use std::time::{Duration, Instant};

use self::bounds::{Bounds, thresholds};
use self::device::{DeviceTable, MOST_POSITIONS, NO_MOVE, Question};
pub use self::game::{Root, TableGame};
use self::host::Host;
use self::params::hybrid;
use super::remembering::{Timed, batch, choose_until};
use super::{Choice, Chooser, Effort, Play, Searcher, Searches};
use crate::games::INFINITY;
use crate::search::Found;
use crate::techniques::Setup;
use crate::words::{Counters, Fault, Telemetry};

/// How many times as long as an iteration one that is a ply deeper may take.
const GROWTH: u32 = 6;

type PositionOf<G> = <<G as TableGame>::Play as Play>::Position;
type MoveOf<G> = <<G as TableGame>::Play as Play>::Move;

/// Builds a game's kernels, makes their buffers and searches `start` once.
///
/// # Errors
/// For an invalid parameter, and where the device refuses.
pub fn table_search<G: TableGame>(
    setup: &Setup<'_>,
    game: G,
    start: &PositionOf<G>,
) -> Result<Box<dyn Timed<G::Play>>, Fault> {
    let mut made = TableSearch {
        device: DeviceTable::new(setup, &game)?,
        batch: batch(setup)?,
        positions: Vec::new(),
        host: None,
        game,
    };
    // Once, as some drivers compile for a work-group size when they first see it.
    made.search_all(&[made.game.root(start)], 4)?;
    made.device.queue.take_parts();
    if hybrid(setup.params)? {
        made.host = Some(Host::new(setup, made.game.host(), G::TIMES_AS_LONG)?);
    }
    Ok(Box::new(made))
}

struct TableSearch<G: TableGame> {
    game: G,
    device: DeviceTable,
    /// Whether the positions of a sample are searched side by side.
    batch: bool,
    positions: Vec<Root>,
    /// The host's part, where it has one.
    host: Option<Host<G::Play, G::Host>>,
}

impl<G: TableGame> TableSearch<G> {
    fn spent(&mut self) -> Telemetry {
        let mut notes = self.device.notes.clone();
        if self.batch {
            notes += &format!(", batch: up to {MOST_POSITIONS} positions around one table");
        }
        if let Some(host) = &mut self.host {
            let [its, all] = std::mem::take(&mut host.answered);
            notes += &format!(", {its} of {all} positions by the host");
        }
        Telemetry {
            parts: self.device.queue.take_parts(),
            build_ns: self.device.build_ns,
            notes,
            ..Telemetry::default()
        }
    }

    /// The values of positions at a depth of at least 1, and best moves: all at once.
    fn search_all(&mut self, roots: &[Root], depth: u32) -> Result<Vec<Found<MoveOf<G>>>, Fault> {
        // Of one parity: the side that moves last has the better of a static value.
        let first = (G::FIRST_DEPTH + depth % 2).min(depth);
        self.device.begin(roots.len(), depth)?;
        let mut searches: Vec<Search> = roots.iter().map(|root| Search::new(*root)).collect();
        for search in &mut searches {
            search.deepen(first);
        }
        self.close_in(&mut searches, depth, None)?;
        Ok(searches.iter().map(Search::found::<G>).collect())
    }

    /// Searches deeper and deeper until the time is up. What the last iteration that ended found, and its
    /// depth. A launch cannot be stopped: an iteration begins where one that takes [`GROWTH`] times as long as
    /// the last would still end in time.
    fn search_until(
        &mut self,
        root: &Root,
        deadline: Instant,
    ) -> Result<(Found<MoveOf<G>>, u32), Fault> {
        self.device.begin(1, G::MOST_DEPTH)?;
        let mut search = [Search::new(*root)];
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

    /// Asks until all values at the last depth are known: each launch the next thresholds of every position, at
    /// its own depth. False where the deadline came first.
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
                    search.deepen(search.depth + 2);
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
            let mut questions: Vec<Question> = open
                .iter()
                .map(|search| search.question(G::STRIDE, most))
                .collect();
            let nodes = self.device.ask(&mut questions)?;
            for (search, question) in open.iter_mut().zip(&questions) {
                search.bounds = question.bounds;
            }
            // Which of them made a node is not known: what counts is their sum.
            let counters = &mut open[0].counters;
            counters.nodes += nodes;
            counters.leaves += nodes;
        }
    }
}

/// A position on its way to its value.
struct Search {
    root: Root,
    depth: u32,
    /// What the value is taken for: that of the depth before, at first the static value.
    guess: i32,
    bounds: Bounds,
    counters: Counters,
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
            counters: Counters::default(),
        }
    }

    /// Goes on to a depth of which nothing is known.
    fn deepen(&mut self, depth: u32) {
        self.depth = depth;
        self.guess = self.bounds.middle();
        self.bounds.lower = -INFINITY;
        self.bounds.upper = INFINITY;
    }

    fn question(&self, stride: i32, most: usize) -> Question {
        Question {
            root: self.root,
            depth: self.depth,
            guess: self.guess,
            bounds: self.bounds,
            thresholds: thresholds(self.bounds, self.guess, stride, most),
        }
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
            host.positions = positions.to_vec();
        }
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<MoveOf<G>>, Fault> {
        if let Some(host) = &mut self.host
            && let Some(found) = host.try_search(index, depth)
        {
            return Ok(found);
        }
        let mut found = self.search_all(&[self.positions[index]], depth)?;
        found.pop().ok_or_else(|| Fault::Device("no answer".into()))
    }

    /// Side by side, where a batch is asked for.
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<MoveOf<G>>,
    ) -> Result<(), Fault> {
        for some in indices.chunks(if self.batch { MOST_POSITIONS } else { 1 }) {
            if let [index] = some {
                let start = Instant::now();
                done.add(self.search(*index, depth)?, start);
                continue;
            }
            let roots: Vec<Root> = some.iter().map(|index| self.positions[*index]).collect();
            done.found.extend(self.search_all(&roots, depth)?);
        }
        Ok(())
    }

    fn telemetry(&mut self) -> Telemetry {
        self.spent()
    }
}

impl<G: TableGame> Chooser<G::Play> for TableSearch<G> {
    fn choose(
        &mut self,
        play: &G::Play,
        position: &PositionOf<G>,
        effort: Effort,
    ) -> Result<Choice<MoveOf<G>>, Fault> {
        let start = Instant::now();
        choose_until(play, position, start, effort, |deadline| {
            let root = self.game.root(position);
            self.search_until(&root, deadline)
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.spent()
    }
}
