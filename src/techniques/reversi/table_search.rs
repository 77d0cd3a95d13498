//! `table-search`: alpha-beta with a table and an order of moves on an OpenCL device, all of whose
//! work-groups search one tree.
//!
//! The host drives it as MTD(f) does (Plaat, Schaeffer, Pijls and de Bruin 1996): it asks whether the value
//! reaches a threshold, several thresholds a launch, and closes in. The search becomes two plies deeper
//! each time. `cl/reversi/table_search.cl` tells how a launch searches.
//!
//! Its values are those of `serial`: what the table holds counts only at exactly its remaining depth, and is
//! the position's value at that depth or a bound of it. The move is one of those with that value. Nodes
//! differ from run to run, as the groups share what they find. A node here is a child that was made and
//! valued; above the leaves all children of a position are, where a search on the host stops at the first
//! that is good enough.
//!
//! # What bounds it
//!
//! Sums over eight positions of a game, one search each, on an H200 with 16 threads of its host, ms and
//! millions of nodes:
//!
//! | depth | `serial-table` | `rayon-table` | `table-search` |
//! | --- | --- | --- | --- |
//! | 10 | 227 (6) | 32 (14) | 35 to 38 (44) |
//! | 12 | 1,479 (44) | 198 (75) | 124 to 126 (345) |
//! | 14 | 7,827 (252) | 942 (358) | 599 (2,234) |
//!
//! The host's times differ from machine to machine of the same kind by half. A step of a group is some 700
//! integer instructions and makes ten children, so that the integer rate of the device allows some 6 G
//! children a second; it makes 1.2 G at depth 10, 2.8 G at depth 12 and 3.7 G at depth 14. At depth 10 a
//! launch takes some tenths of a millisecond, and a position ten of them: the length of the chains of steps
//! bounds it, not the rate. At depth 14 what it does in vain bounds it: nine times the nodes of
//! `serial-table`.
//!
//! # What was tried
//!
//! Sums over four positions to depth 12 (the first row: over eight), ms, against the program as it was then:
//!
//! - Two work-items a move, moves carried along instead of found anew, and several nodes above the leaves in
//!   one step: 164 to 131.
//! - Which nodes to expect to be cut: by turns alone, as in the minimal tree, a search to depth 12 of one
//!   position of four split more than 16 M nodes. What a search two plies shallower found in the table, and
//!   then the static values of the children: 77, and without the latter 220.
//! - Idle groups take all children of an expected cut node at once: more than 16 M records. They take them
//!   once the first child has not been enough.
//! - Thresholds a launch: one 174, two 103, four 87, six 94.
//! - Groups for each unit: eight 76, sixteen 77, twenty-four 82, thirty-two 87.
//! - A group alone from two plies left on 90, from three on 77, from four on 112.
//! - Children of an expected cut node one by one: two 94, three 87, five 94.
//! - Every node's first child before its others (young brothers wait): 105 for 87.

mod bounds;
mod device;
mod params;

use std::time::{Duration, Instant};

use rayon::ThreadPool;

use self::bounds::{Bounds, STRIDE, thresholds};
use self::device::{DeviceTable, MOST_POSITIONS, NO_MOVE, Question, Root, takes};
use self::params::{PARAMS, batch, hybrid, trial};
use super::hard::TABLE;
use super::read_board;
use super::tasks::{self, Reversi, Searcher};
use crate::games::INFINITY;
use crate::games::reversi::{Bits8, Evaluation, Position, Representation, Size, Square};
use crate::search::{Found, Remembering};
use crate::techniques::hard::Trial;
use crate::techniques::tasks::remembering::choose_until;
use crate::techniques::tasks::{Choice, Chooser, Effort};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counters, Counts, Fault, Task, TechniqueEntry, Telemetry};

/// The strong search on a device: deepening, null windows, one table, moves in order.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "table-search",
        summary: "the strong search on the device: null windows, a table, moves in order; its groups share one tree",
        paper: "ours; MTD(f): Plaat and others 1996; the table: Hyatt and Mann 2002",
        needs: "8x8; 60 bytes of global memory a record, and the table",
        like: "rayon-table",
        reference: "serial-table",
        counts: Counts::Vary,
        tasks: &[Task::Search, Task::Game, Task::Choose, Task::Match],
        params: PARAMS,
        check: |case, _| match case.get("board").map(read_board) {
            Some(Ok(size)) => takes(size),
            _ => Ok(()),
        },
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", TABLE), Trial::new("group=5 table=1", TABLE)],
    prepare,
};

/// The even depth that deepening begins with; to an odd depth, one more.
const FIRST_DEPTH: u32 = 4;
/// The deepest iteration that a time is enough for.
const MOST_DEPTH: u32 = 30;
/// How many times as long as an iteration one that is a ply deeper may take.
const GROWTH: u32 = 6;
/// How narrow the bounds of an iteration before the last become: a guess is enough.
const CLOSE_ENOUGH: i32 = 60;

/// How many plies less deep the host searches first, to predict how long it would need.
const LESS_DEEP: u32 = 6;
/// How many times as long a search takes that is so much deeper: 100 to 300 times in the middle of games.
const TIMES_AS_LONG: u32 = 150;
/// What the host is given, where it is predicted to need no more.
const HOSTS: Duration = Duration::from_millis(4);

/// The host's part: `rayon-table`.
struct Host {
    game: Bits8,
    table: Remembering,
    pool: ThreadPool,
    /// Positions that it answered since this was told last, and all.
    answered: [u64; 2],
}

impl Host {
    fn new(setup: &Setup<'_>, evaluation: &Evaluation) -> Result<Host, Fault> {
        let threads = setup.threads.max(1);
        Ok(Host {
            game: Bits8::new(evaluation),
            table: Remembering::new(256 << 20, threads, None),
            pool: setup.pool()?,
            answered: [0; 2],
        })
    }

    fn search(&mut self, position: &Position, depth: u32) -> Found<Square> {
        let position = Representation::load(&self.game, position);
        let (game, table) = (&self.game, &mut self.table);
        self.pool.install(|| table.search(game, &position, depth))
    }

    /// What it finds, where it is predicted to need little time.
    fn try_search(&mut self, position: &Position, depth: u32) -> Option<Found<Square>> {
        self.answered[1] += 1;
        let start = Instant::now();
        let before = depth.saturating_sub(LESS_DEEP);
        let less = (before > 0).then(|| self.search(position, before));
        if start.elapsed() * TIMES_AS_LONG > HOSTS && less.is_some() {
            return None;
        }
        self.answered[0] += 1;
        let mut found = self.search(position, depth);
        if let Some(less) = less {
            found.counters += less.counters;
        }
        Some(found)
    }
}

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_timed(setup, |asked| {
        Ok(Box::new(TableSearch::new(setup, &asked.evaluation)?))
    })
}

struct TableSearch {
    evaluation: Evaluation,
    device: DeviceTable,
    first: u32,
    stride: i32,
    close: i32,
    /// Whether the positions of a sample are searched side by side.
    batch: bool,
    positions: Vec<Root>,
    /// The host's part, where it has one, and the positions as it takes them.
    host: Option<(Host, Vec<Position>)>,
}

impl TableSearch {
    fn new(setup: &Setup<'_>, evaluation: &Evaluation) -> Result<TableSearch, Fault> {
        let trials = trial(setup.params)?;
        let of = |name: &str, default| {
            trials
                .iter()
                .find(|(its, _)| its == name)
                .map_or(default, |(_, value)| *value)
        };
        let mut made = TableSearch {
            evaluation: evaluation.clone(),
            device: DeviceTable::new(setup, evaluation)?,
            first: of("first", FIRST_DEPTH as i32) as u32,
            stride: of("stride", STRIDE),
            close: of("close", CLOSE_ENOUGH),
            batch: batch(setup.params)?,
            positions: Vec::new(),
            host: None,
        };
        // Once, as some drivers compile for a work-group size when they first see it.
        let start = made.root(&Position::start(Size::STANDARD));
        made.search(&[start], 4)?;
        made.device.queue.take_parts();
        if hybrid(setup.params)? {
            made.host = Some((Host::new(setup, evaluation)?, Vec::new()));
        }
        Ok(made)
    }

    fn root(&self, position: &Position) -> Root {
        Root::new(&self.evaluation, position)
    }

    fn spent(&mut self) -> Telemetry {
        let mut notes = self.device.notes.clone();
        if let Some((host, _)) = &mut self.host {
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
    fn search(&mut self, roots: &[Root], depth: u32) -> Result<Vec<Found<Square>>, Fault> {
        // Of one parity: the side that moves last has the better of a static value.
        let first = (self.first + depth % 2).min(depth);
        self.device.begin(roots.len(), depth)?;
        let mut searches: Vec<Search> = roots.iter().map(|root| Search::new(*root)).collect();
        for search in &mut searches {
            search.deepen(first);
        }
        self.close_in(&mut searches, depth, None)?;
        Ok(searches.iter().map(Search::found).collect())
    }

    /// Searches deeper and deeper until the time is up. What the last iteration that ended found, and its
    /// depth. A launch cannot be stopped: an iteration begins where one that takes [`GROWTH`] times as long as
    /// the last would still end in time.
    fn search_until(
        &mut self,
        root: &Root,
        deadline: Instant,
    ) -> Result<(Found<Square>, u32), Fault> {
        self.device.begin(1, MOST_DEPTH)?;
        let mut search = [Search::new(*root)];
        let (mut found, mut reached) = (search[0].found(), 0);
        let mut took = Duration::ZERO;
        for depth in 1..=MOST_DEPTH {
            let start = Instant::now();
            if reached > 0 && start + took * GROWTH >= deadline {
                break;
            }
            search[0].deepen(depth);
            if !self.close_in(&mut search, depth, Some(deadline))? {
                break;
            }
            (found, reached) = (search[0].found(), depth);
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
                let enough = if search.depth == last { 0 } else { self.close };
                if search.depth < last && search.bounds.are_within(enough) {
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
                .map(|search| search.question(most, self.stride))
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

    fn question(&self, most: usize, stride: i32) -> Question {
        let mut asked = Vec::with_capacity(most);
        thresholds(self.bounds, self.guess, most, stride, &mut asked);
        Question {
            root: self.root,
            depth: self.depth,
            guess: self.guess,
            bounds: self.bounds,
            thresholds: asked,
        }
    }

    fn found(&self) -> Found<Square> {
        let best = match self.bounds.best {
            NO_MOVE => self.root.first,
            square => self.root.first.and(Some(Square(square as u16))),
        };
        Found::new(self.bounds.middle(), best, self.counters)
    }
}

impl Searcher<Reversi> for TableSearch {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.positions = positions
            .iter()
            .map(|position| self.root(position))
            .collect();
        if let Some((_, its)) = &mut self.host {
            its.clear();
            its.extend_from_slice(positions);
        }
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        if let Some((host, positions)) = &mut self.host
            && let Some(found) = host.try_search(&positions[index], depth)
        {
            return Ok(found);
        }
        let root = self.positions[index];
        let mut found = TableSearch::search(self, &[root], depth)?;
        found.pop().ok_or_else(|| Fault::Device("no answer".into()))
    }

    /// Side by side, where a batch is asked for.
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        found: &mut Vec<Found<Square>>,
    ) -> Result<(), Fault> {
        for some in indices.chunks(if self.batch { MOST_POSITIONS } else { 1 }) {
            if let [index] = some {
                found.push(Searcher::search(self, *index, depth)?);
                continue;
            }
            let roots: Vec<Root> = some.iter().map(|index| self.positions[*index]).collect();
            found.extend(TableSearch::search(self, &roots, depth)?);
        }
        Ok(())
    }

    fn telemetry(&mut self) -> Telemetry {
        self.spent()
    }
}

impl Chooser<Reversi> for TableSearch {
    fn choose(
        &mut self,
        play: &Reversi,
        position: &Position,
        effort: Effort,
    ) -> Result<Choice<Square>, Fault> {
        let start = Instant::now();
        choose_until(play, position, start, effort, |deadline| {
            let root = self.root(position);
            self.search_until(&root, deadline)
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.spent()
    }
}
