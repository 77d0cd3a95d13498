//! Host searchers with a transposition table. They search to a depth or for a time.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::host::{Kit, in_pool, prepare_table};
use super::{Effort, Loads, Play, Reached, Searcher, Searches, Searching};
use crate::search::{Feature, TableSearch};
use crate::techniques::pool_of;
use crate::techniques::prelude::*;
use crate::words::AxisEntry;

/// Default size of the table, in MiB. A few seconds of search do not fill it. The table starts small and grows.
pub const TABLE_DEFAULT: usize = 256;

/// The axis `effort` of a game with searches to a depth. The case of a match has either an effort or a depth.
pub const EFFORT: AxisEntry = AxisEntry {
    name: "effort",
    allowed: EFFORT_ALLOWED,
    default: Some("100ms"),
    tasks: &[Task::Choose, Task::Match],
};

const EFFORT_ALLOWED: &str = "a time per move, 1ms to 1h (`100ms`), or for tree search a number of iterations, 1 to 10^12; replaces the depth";

/// Reads a value of [`EFFORT`]. The error is one line with the allowed values.
pub fn read_effort(value: &Value) -> Result<Effort, String> {
    Effort::read(value).map_err(|_| format!("effort: `{value}`; allowed is {EFFORT_ALLOWED}"))
}

/// Returns the effort per move, if the case has an effort instead of a depth.
pub fn effort_of(case: &Case) -> Result<Option<Effort>, String> {
    let effort = case.get("effort").map(read_effort).transpose()?;
    match (effort, case.get("depth")) {
        (Some(_), Some(depth)) => Err(format!("depth: `{depth}`; a case has a depth or an effort")),
        (effort, _) => Ok(effort),
    }
}

/// Creates the strong baseline on one core ([`TableSearch`]), with deepening, null windows, a table and move ordering.
pub const fn serial_table<P: Kit>() -> Technique {
    Technique::on_host(
        TechniqueEntry {
            name: "serial-table",
            summary: "iterative deepening, null windows, a transposition table and move ordering on one core",
            paper: "ours; principal variation search: Marsland and Campbell 1982",
            like: "serial-table",
            tasks: &[Task::Search, Task::Game, Task::Choose, Task::Match],
            params: PARAMS,
            ..TechniqueEntry::SERIAL
        },
        |setup| prepare_table::<P>(setup, None),
    )
}

/// Creates the strong baseline on all cores: `serial-table` on each thread, with a shared table. Threads defer moves
/// that another thread is searching. It returns the same values as `serial`, but the node count varies between runs.
pub const fn rayon_table<P: Kit>() -> Technique {
    Technique::on_host(
        TechniqueEntry {
            name: "rayon-table",
            summary: "serial-table on all cores with one lockless table, the strongest search on the host",
            paper: "ours; ABDADA: Weill 1996; the table: Hyatt and Mann 2002",
            like: "rayon-table",
            reference: "serial-table",
            tasks: &[Task::Search, Task::Game, Task::Choose, Task::Match],
            params: PARAMS_OF_THREADS,
            ..TechniqueEntry::THREADS
        },
        |setup| prepare_table::<P>(setup, Some(setup.threads)),
    )
}

const PARAMS: &[ParamEntry] = &[TABLE, WITHOUT];

const PARAMS_OF_THREADS: &[ParamEntry] = &[TABLE, WITHOUT, BATCH];

whole_numbers! {
    number TABLE, read_table: "table", 1..=65_536, "256",
        "a whole number from 1 to 65536: maximum size of the transposition table, in MiB";
}

choices! {
    WITHOUT, read_without -> Option<Feature>: "without", {
        "nothing" => None,
        "table" => Some(Feature::Table),
        "order" => Some(Feature::Order),
        "deepening" => Some(Feature::Deepening),
        "look-up" => Some(Feature::LookUp)
    }, "nothing", "nothing, or the feature to leave out in an ablation: table, order, deepening, look-up";

    /// Whether the positions of a sample are searched in parallel.
    pub BATCH, read_batch -> bool: "batch", {"on" => true, "off" => false}, "off",
        "off, or on: the positions of a sample are searched in parallel, on the host one per thread, each with its \
              own table, on a device all with one table";
}

/// Returns whether the positions of a sample are searched in parallel.
pub fn batch(setup: &Setup<'_>) -> Result<bool, Fault> {
    let batch = BATCH.given(setup.params, false, read_batch)?;
    match setup.task {
        task if batch && task != Task::Game => Err(Fault::Unsupported(format!(
            "batch: `on`; the task {} has one position at a time, `game` has several",
            task.word()
        ))),
        _ => Ok(batch),
    }
}

/// Returns the value of a legal move. [`value_of_move`](crate::search::value_of_move) would take longer, up to seconds.
pub fn value_with_table<G: OrderedGame>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
    depth: u32,
) -> i64 {
    let mut search = TableSearch::new(TABLE_DEFAULT << 20, 1, None);
    search.value_of_move(game, position, mv, depth)
}

/// Creates a searcher with a transposition table, on the calling thread or on `threads` threads of a new pool.
pub fn searcher<P: Play, G: Loads<P> + OrderedGame>(
    game: G,
    threads: Option<usize>,
    setup: &Setup<'_>,
) -> Searching<P> {
    Ok(Box::new(OnTable {
        game,
        positions: Vec::new(),
        tables: Tables::new(threads, setup)?,
    }))
}

/// Searches with a transposition table, on one representation.
struct OnTable<G: OrderedGame> {
    game: G,
    positions: Vec<G::Position>,
    tables: Tables,
}

/// The searches and the pool. This type is not generic, so its code is compiled once for all games.
struct Tables {
    /// One search, or one per thread if positions are searched in parallel.
    searches: Vec<Mutex<TableSearch>>,
    pool: Option<ThreadPool>,
    notes: String,
}

impl Tables {
    fn new(threads: Option<usize>, setup: &Setup<'_>) -> Result<Tables, Fault> {
        let params = setup.params;
        let mib = TABLE.given(params, TABLE_DEFAULT, read_table)?;
        let without = WITHOUT.given(params, None, read_without)?;
        let threads_of = threads.unwrap_or(1);
        // The number of searches, and the number of threads per search.
        let (count, each, notes) = match batch(setup)? {
            true => {
                let notes = format!("batch: a position a thread, {threads_of} tables x {mib} MiB");
                (threads_of, 1, notes)
            }
            false => (1, threads_of, String::new()),
        };
        let searches = (0..count).map(|_| Mutex::new(TableSearch::new(mib << 20, each, without)));
        Ok(Tables {
            searches: searches.collect(),
            pool: threads.map(pool_of).transpose()?,
            notes,
        })
    }

    /// Calls `work` with the current thread's search, in the pool if there is one.
    fn run<T: Send>(
        &self,
        work: &mut (dyn FnMut(&mut TableSearch) -> T + Send),
    ) -> Result<T, Fault> {
        in_pool(self.pool.as_ref(), &mut || {
            let own = rayon::current_thread_index().unwrap_or(0) % self.searches.len();
            let mut search = self.searches[own]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            work(&mut search)
        })
    }
}

/// Returns the results of `one` for 0 to `count` - 1, computed on all threads of a pool.
fn side_by_side<M: Send>(
    pool: &ThreadPool,
    count: usize,
    one: &(dyn Fn(usize) -> Result<Found<M>, Fault> + Sync),
) -> Result<Vec<Found<M>>, Fault> {
    let each = (0..count).into_par_iter().with_max_len(1);
    pool.install(|| each.map(one).collect())
}

impl<G: OrderedGame> OnTable<G> {
    fn search_one(&self, index: usize, depth: u32) -> Result<Found<G::Move>, Fault> {
        let (game, position) = (&self.game, &self.positions[index]);
        self.tables
            .run(&mut |search| search.search(game, position, depth))
    }
}

impl<P: Play, G: Loads<P> + OrderedGame> Searcher<P> for OnTable<G> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        let loaded = positions.iter().map(|position| self.game.load(position));
        self.positions = loaded.collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<P::Move>, Fault> {
        self.search_one(index, depth)
    }

    /// Searches one position per thread if each thread has its own search.
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<P::Move>,
    ) -> Result<(), Fault> {
        let (game, positions, tables) = (&self.game, &self.positions, &self.tables);
        match &tables.pool {
            Some(pool) if tables.searches.len() > 1 => {
                let one = |place: usize| self.search_one(indices[place], depth);
                done.found = side_by_side(pool, indices.len(), &one)?;
            }
            _ => tables.run(&mut |search| {
                let each = indices.iter().map(|index| &positions[*index]);
                search.search_each(game, each, depth, |found, start| {
                    done.add(found, start.elapsed())
                });
            })?,
        }
        Ok(())
    }

    fn search_until(&mut self, position: &P::Position, deadline: Instant) -> Reached<P::Move> {
        let (game, position) = (&self.game, self.game.load(position));
        self.tables
            .run(&mut |search| search.search_until(game, &position, deadline))
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry::noted(self.tables.notes.clone())
    }
}
