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
//! valued; two plies or more above the leaves all children of a position are, where a search on the host stops
//! at the first that is good enough.
//!
//! With `batch` the positions of a sample are searched side by side, up to 64: a launch asks the
//! next thresholds of each at its own depth, and all share table, records and queue.
//!
//! # What bounds it
//!
//! On an H200 with 16 threads of its host, positions of a game one after another, ms and millions of nodes:
//!
//! | depth | positions | `serial` | `rayon-table` | `table-search` |
//! | --- | --- | --- | --- | --- |
//! | 10 | 4 | 401 | 9.7 (3.3) | 7.0 (12.0) |
//! | 12 | 1 | 794 | 10.7 (3.9) | 9.3 (48.8) |
//! | 12 | 16 | 18,860 | 154 (51.9) | 101 (374; groups of 32, sixteen a unit, deepening from 4) |
//! | 14 | 16 | – | – | 609 to 618 (1,890 to 2,130; groups of 64) |
//!
//! A simulation of the kernel, worker by worker with a time for each access to memory and each step, makes as
//! many nodes as the device. In it fewer than a tenth of the workers are busy at depth 10 where only the first
//! child of an expected cut node is tried: chains of steps bound the time, of which several follow each other at
//! every such node, and each costs a few round trips to memory. So workers that would wait try a second child,
//! and read together what does not depend on each other. At depth 14 it makes 3.3 G children a second, of the
//! some 6 G that its integer instructions allow, and eight times the nodes of `serial-table`.
//!
//! # What was tried
//!
//! With groups of 64 but where others are named, eight a unit: ms of the four positions to depth 10 and the one to
//! depth 12. Two runs of one variant differ by some per cent at depth 10 and by a sixth at depth 12.
//!
//! | variant | depth 10 | depth 12 |
//! | --- | --- | --- |
//! | deepening from depth 4, two tries, second child where twelve sixteenths are idle | 8.0 | 10.6 |
//! | groups of 32, eight or sixteen a unit | 7.7, 8.0 | 10.2, 10.3 |
//! | groups of 64, four or twelve | 8.2, 8.4 | 11.3, 11.4 |
//! | groups of 128, four or **eight** | 7.5, **7.0** | 11.4, **9.3** |
//! | groups of 256, four | 8.0 | 9.9 |
//! | deepening from depth **6** | 7.6 | 9.9 |
//! | no second child at once; where eight, fourteen sixteenths are idle | 10.0; 8.1, 8.1 | 12.0; 11.6, 11.0 |
//! | a third child at once as well | 8.1 to 8.3 | 12.4 to 13.4 |
//! | replies tried before all: one, **three**, four | 8.0, 8.0, 8.0 | 13.1, 9.8, 10.1 |
//! | thresholds a launch: two, six, eight | 9.1, 8.2, 8.1 | 12.0, 9.6, 9.4 |
//! | thresholds closer together, further apart | 8.7, 8.4 | 12.9, 8.9 |
//! | children of an expected cut node one by one: two, five | 8.0, 7.8 | 13.7, 10.9 |
//!
//! With one position a step below three plies, and four positions to depth 12: what a search two plies shallower
//! found in the table, and then the static values of the children tell which nodes to expect to be cut: 77, and without
//! the latter 220; by turns alone it split more than 16 M nodes. A group alone from two plies left on 90, from three
//! on 77, from four on 112. Every node's first child before its others (young brothers wait): 105 for 87.

mod bounds;
mod device;
mod params;

use std::time::{Duration, Instant};

use rayon::ThreadPool;

use self::bounds::{Bounds, thresholds};
use self::device::{DeviceTable, MOST_POSITIONS, NO_MOVE, Question, Root, takes};
use self::params::{PARAMS, batch, hybrid};
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
const FIRST_DEPTH: u32 = 6;
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
    /// Whether the positions of a sample are searched side by side.
    batch: bool,
    positions: Vec<Root>,
    /// The host's part, where it has one, and the positions as it takes them.
    host: Option<(Host, Vec<Position>)>,
}

impl TableSearch {
    fn new(setup: &Setup<'_>, evaluation: &Evaluation) -> Result<TableSearch, Fault> {
        let mut made = TableSearch {
            evaluation: evaluation.clone(),
            device: DeviceTable::new(setup, evaluation)?,
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
        let first = (FIRST_DEPTH + depth % 2).min(depth);
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
                if search.depth < last && search.bounds.are_within(CLOSE_ENOUGH) {
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
            let mut questions: Vec<Question> =
                open.iter().map(|search| search.question(most)).collect();
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

    fn question(&self, most: usize) -> Question {
        let mut asked = Vec::with_capacity(most);
        thresholds(self.bounds, self.guess, most, &mut asked);
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
