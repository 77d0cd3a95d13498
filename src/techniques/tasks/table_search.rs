//! `table-search`: alpha-beta with a transposition table and move ordering on an OpenCL device, for every game that
//! brings a [`TableGame`]. All work-groups search one tree.
//!
//! The host drives the search as MTD(f) does (Plaat, Schaeffer, Pijls and de Bruin 1996). A launch asks whether the
//! value reaches each of several thresholds; the answers narrow the bounds of the value. An iteration is two plies
//! deeper than the previous one, unless the game sets another step. `cl/common/table_search.clh` documents the search
//! within a launch.
//!
//! Values equal those of `serial`: a table entry counts only at exactly its remaining depth, and is the value of the
//! position at that depth or a bound of it. The move is one of the moves with that value. Nodes differ from run to
//! run, because the groups share what they find. A node here is a child that was made and valued. Two plies or more
//! above the leaves, all children of a position are made and valued; a search on the host stops at the first child that
//! is good enough.
//!
//! With `hybrid`, the host begins every search as `rayon-table` does; its iterations show how much work a position
//! is. Before each of the last three iterations, the predicted time of the rest on the host is compared with the
//! predicted time of the whole search on the device ([`costs`]). Both predictions are lines through the times of
//! earlier positions, in this sample and earlier ones; the first are random positions that the preparation searched.
//! If the host answers, the comparison costs a few logarithms. If the host gives up, its iterations so far are lost:
//! a few per cent of its time.
//!
//! With `batch`, the positions of a sample are searched side by side, up to 64 at once. A launch asks the next
//! thresholds of each position at its own depth. All positions share the table, the records and the queue.

mod bounds;
mod costs;
mod device;
mod game;
mod host;
pub mod params;

use std::time::{Duration, Instant};

use self::bounds::{Bounds, thresholds};
use self::device::{DeviceTable, MOST_POSITIONS, NO_MOVE, Question};
pub use self::game::{Root, TableGame};
pub use self::host::Practice;
use self::host::{DEEPER, Host, Part, TO_PRACTISE};
use super::remembering::batch;
use super::timed::{Timed, choose_until};
use super::{Choice, Chooser, Effort, Play, Searcher, Searches};
use crate::games::INFINITY;
use crate::search::Found;
use crate::techniques::Setup;
use crate::words::{Counters, Fault, Telemetry};

/// How many times as long as an iteration one that is a ply deeper may take.
const GROWTH: u32 = 6;

type PositionOf<G> = <<G as TableGame>::Play as Play>::Position;
type MoveOf<G> = <<G as TableGame>::Play as Play>::Move;

/// Builds a game's kernels, makes their buffers and searches the first position once.
///
/// # Errors
/// For an invalid parameter, and where the device refuses.
pub fn table_search<G: TableGame>(
    setup: &Setup<'_>,
    game: G,
    practice: &Practice<G::Play>,
) -> Result<Box<dyn Timed<G::Play>>, Fault> {
    let mut made = TableSearch {
        device: DeviceTable::new(setup, &game)?,
        batch: batch(setup)?,
        positions: Vec::new(),
        host: None,
        game,
    };
    // Once, as some drivers compile for a work-group size when they first see it.
    made.search_all(&[made.game.root(&practice.positions[0])], 4)?;
    if practice.is_hybrid {
        made.host = Some(Host::new(setup, made.game.host(), practice.depth)?);
        made.practise(practice)?;
    }
    made.device.queue.take_parts();
    Ok(Box::new(made))
}

struct TableSearch<G: TableGame> {
    game: G,
    device: DeviceTable,
    /// Whether the positions of a sample are searched side by side.
    batch: bool,
    positions: Vec<Root>,
    /// The host's part, where it has one.
    host: Option<Host<G::Host>>,
}

impl<G: TableGame> TableSearch<G> {
    fn spent(&mut self) -> Telemetry {
        let mut notes = self.device.notes.clone();
        if self.batch {
            notes += &format!(", batch: up to {MOST_POSITIONS} positions around one table");
        }
        let mut answered = None;
        if let Some(host) = &mut self.host {
            notes += host.note();
            answered = Some(std::mem::take(&mut host.answered));
        }
        Telemetry {
            answered,
            parts: self.device.queue.take_parts(),
            build_ns: self.device.build_ns,
            notes,
            ..Telemetry::default()
        }
    }

    /// Learns what host and device need to the case's depth, as far as there is time. A shallower search of the
    /// first position says whether the device is asked to that depth: not where it needs too long, or more room
    /// than there is.
    fn practise(&mut self, practice: &Practice<G::Play>) -> Result<(), Fault> {
        self.load(&practice.positions)?;
        let start = Instant::now();
        for depth in (4 - practice.depth % 2..practice.depth).step_by(2) {
            let start = Instant::now();
            match self.search_one(0, depth) {
                Err(Fault::Memory(_)) => return Ok(()),
                found => drop(found?),
            }
            if start.elapsed() * DEEPER > TO_PRACTISE {
                return Ok(());
            }
        }
        for index in 1..self.positions.len() {
            let Some(host) = &mut self.host else { break };
            if start.elapsed() > TO_PRACTISE {
                break;
            }
            let part = host.practise(index);
            match self.go_on_with(&part, index, practice.depth) {
                Err(Fault::Memory(_)) => break,
                found => drop(found?),
            }
        }
        Ok(())
    }

    /// Searches positions one after another: on the host, if it has a part, and then those that it gave up.
    fn search_in_turn(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut dyn FnMut(Found<MoveOf<G>>, Duration),
    ) -> Result<(), Fault> {
        let Some(host) = &mut self.host else {
            for index in indices {
                let start = Instant::now();
                let found = self.search_one(*index, depth)?;
                done(found, start.elapsed());
            }
            return Ok(());
        };
        for (part, index) in host.search(indices, depth).into_iter().zip(indices) {
            let (found, took) = match part.is_open {
                true => self.finish(part, *index, depth)?,
                false => (part.found, part.took),
            };
            done(found, took);
        }
        Ok(())
    }

    /// Answers a position that the host gave up: the device, or where that has no room for its nodes the host again.
    fn finish(
        &mut self,
        part: Part<MoveOf<G>>,
        index: usize,
        depth: u32,
    ) -> Result<(Found<MoveOf<G>>, Duration), Fault> {
        let start = Instant::now();
        let answer = self.go_on_with(&part, index, depth);
        if let (Err(Fault::Memory(_)), Some(host)) = (&answer, &mut self.host) {
            let lost = start.elapsed();
            let whole = host.take_back(index, part);
            return Ok((whole.found, whole.took + lost));
        }
        answer
    }

    /// Searches on the device what the host has begun, and learns how long it takes: that and the host's time together.
    fn go_on_with(
        &mut self,
        part: &Part<MoveOf<G>>,
        index: usize,
        depth: u32,
    ) -> Result<(Found<MoveOf<G>>, Duration), Fault> {
        let start = Instant::now();
        let mut found = self.search_one(index, depth)?;
        let took = start.elapsed();
        if let Some(host) = &mut self.host {
            host.device_took(part, took);
        }
        found.counters += part.found.counters;
        Ok((found, took + part.took))
    }

    fn search_one(&mut self, index: usize, depth: u32) -> Result<Found<MoveOf<G>>, Fault> {
        let mut found = self.search_all(&[self.positions[index]], depth)?;
        found.pop().ok_or_else(|| Fault::Device("no answer".into()))
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

    /// Moves on to another depth, with open bounds.
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
            host.load::<G::Play>(positions);
        }
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<MoveOf<G>>, Fault> {
        let mut last = None;
        self.search_in_turn(&[index], depth, &mut |found, _| last = Some(found))?;
        last.ok_or_else(|| Fault::Device("no answer".into()))
    }

    /// Side by side, where a batch is asked for, or else one after another.
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<MoveOf<G>>,
    ) -> Result<(), Fault> {
        if !self.batch {
            return self.search_in_turn(indices, depth, &mut |found, took| done.add(found, took));
        }
        for some in indices.chunks(MOST_POSITIONS) {
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
