//! Manages the threads of a search with a table. They are woken once and stay awake between iterations.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockWriteGuard};
use std::time::{Duration, Instant};

use super::busy::Busy;
use super::entries::{MOST_DEPTH, Table};
use super::node::{Feature, Shared, Worker};
use crate::games::OrderedGame;
use crate::search::Found;
use crate::search::threads::{Tally, lock};
use crate::words::Counters;

/// Initial number of entries. They use 256 KiB, fit in the second-level cache, and can be cleared within microseconds.
const FIRST_ENTRIES: usize = 1 << 14;

/// Number of table entries per position that the next iteration is expected to store.
const ROOM: f64 = 1.5;

/// Minimum expected duration of an iteration that uses several threads. It is several times their wake-up time.
const WORTH_SHARING: Duration = Duration::from_micros(250);

/// Expected factor by which the number of stored positions grows per ply.
const GROWTH: f64 = 2.5;

const CHUNK: usize = 256;

/// Minimum number of buckets (512 KiB) to which a table must grow before all threads help to widen it.
const WIDENED_BY_ALL: usize = 1 << 13;

/// Time for which a thread polls for work before it sleeps. It exceeds most gaps between two shared iterations.
const AWAKE: Duration = Duration::from_micros(200);

/// Number of polls between two calls that yield the core to another thread.
const POLLS: u32 = 64;

struct Iteration<G: OrderedGame> {
    position: G::Position,
    ply: u32,
    depth: u32,
    first: Option<G::Move>,
    deadline: Option<Instant>,
    stop: AtomicBool,
    outcome: Mutex<Option<(i32, Option<G::Move>)>>,
    searched: Tally,
    kept: AtomicU64,
}

enum Work<G: OrderedGame> {
    Search(Iteration<G>),
    /// The number of old buckets to spread, and the index of the next bucket to spread.
    Spread(usize, AtomicUsize),
}

struct Job<G: OrderedGame> {
    work: Work<G>,
    /// Number of woken threads that are working on the job.
    active: AtomicUsize,
}

pub struct Crew<'a, G: OrderedGame> {
    game: &'a G,
    table: RwLock<&'a mut Table>,
    busy: Option<&'a Busy>,
    ablated: Option<Feature>,
    job: RwLock<Option<Arc<Job<G>>>>,
    jobs: AtomicU64,
    ended: AtomicBool,
    asleep: Mutex<usize>,
    wake: Condvar,
}

/// When dropped, tells the threads to return, even after a panic.
struct Ends<'c, 'a, G: OrderedGame>(&'c Crew<'a, G>);

impl<G: OrderedGame> Drop for Ends<'_, '_, G> {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Release);
        self.0.wake_sleepers();
    }
}

/// Marks a thread that works on a job. If the thread panics, the search stops on the other threads, too.
struct At<'j, G: OrderedGame> {
    job: &'j Job<G>,
    counted: bool,
}

impl<G: OrderedGame> Drop for At<'_, G> {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Work::Search(search) = &self.job.work
        {
            search.stop.store(true, Ordering::Relaxed);
        }
        if self.counted {
            self.job.active.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// Predicts the factor by which the next iteration takes longer than the last one. A search to depth 3 has at least b²
/// leaves (Knuth and Moore 1975).
fn growth(reached: u32, depth: u32, leaves: u64) -> f64 {
    let usual = GROWTH.powi(2);
    if reached == 1 && depth >= 3 {
        usual.max(leaves as f64)
    } else {
        usual
    }
}

fn pause(poll: u32) {
    if poll.is_multiple_of(POLLS) {
        std::thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}

/// Calls `work` with a function that makes all threads of the pool run `follow`, then waits for the threads. This
/// function is compiled only once for all games, because rayon's scope is a lot of code.
fn beside_followers(follow: &(dyn Fn() + Sync), work: &mut (dyn FnMut(&dyn Fn()) + Send)) {
    rayon::scope(|scope| work(&|| scope.spawn_broadcast(|_, _| follow())));
}

impl<'a, G: OrderedGame> Crew<'a, G> {
    pub fn new(
        game: &'a G,
        table: &'a mut Table,
        busy: Option<&'a Busy>,
        ablated: Option<Feature>,
    ) -> Crew<'a, G> {
        Crew {
            game,
            table: RwLock::new(table),
            busy,
            ablated,
            job: RwLock::new(None),
            jobs: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            asleep: Mutex::new(0),
            wake: Condvar::new(),
        }
    }

    /// Calls `work` with a leader on the calling thread. For long searches, the leader wakes the pool's other threads.
    /// They return before this function does. Panics if a thread panics.
    pub fn lead(&self, work: &mut (dyn FnMut(&Leader<'_, 'a, G>) + Send)) {
        let Some(busy) = self.busy else {
            return work(&Leader {
                crew: self,
                wake: None,
                woken: Cell::new(false),
            });
        };
        busy.clear();
        beside_followers(&|| self.follow(), &mut |wake| {
            let _ends = Ends(self);
            work(&Leader {
                crew: self,
                wake: Some(wake),
                woken: Cell::new(false),
            });
        });
    }

    /// Locks the table for writing, while no thread is searching.
    fn table(&self) -> RwLockWriteGuard<'_, &'a mut Table> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does one thread's part of a job. `busy` is set if other threads take part.
    fn run(&self, job: &Job<G>, busy: Option<&Busy>, counted: bool) {
        let _at = At { job, counted };
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        match &job.work {
            Work::Search(search) => {
                let shared = Shared {
                    table: &table,
                    busy,
                    stop: &search.stop,
                    deadline: search.deadline,
                    ablated: self.ablated,
                };
                let mut worker = Worker::new(self.game, &shared);
                if let Some(found) =
                    worker.root(&search.position, search.ply, search.depth, search.first)
                {
                    // The first thread to finish stops the others.
                    let mut outcome = lock(&search.outcome);
                    outcome.get_or_insert(found);
                    search.stop.store(true, Ordering::Relaxed);
                }
                search.searched.add(worker.counters);
                search.kept.fetch_add(worker.kept, Ordering::Relaxed);
            }
            Work::Spread(old, next) => loop {
                let from = next.fetch_add(CHUNK, Ordering::Relaxed);
                if from >= *old {
                    break;
                }
                let buckets: Range<usize> = from..(from + CHUNK).min(*old);
                table.spread(*old, buckets);
            },
        }
    }

    /// Works on the leader's jobs until the leader ends.
    fn follow(&self) {
        let mut seen = 0;
        while self.next(&mut seen) {
            let job = {
                let job = self.job.read().unwrap_or_else(PoisonError::into_inner);
                // The leader waits for all threads that become active before it withdraws the job.
                let Some(job) = job.as_ref() else { continue };
                job.active.fetch_add(1, Ordering::AcqRel);
                job.clone()
            };
            self.run(&job, self.busy, true);
        }
    }

    /// Waits for a job newer than the last job seen. Returns false if the leader has ended.
    fn next(&self, seen: &mut u64) -> bool {
        let news = |seen: &u64| {
            self.ended.load(Ordering::Acquire) || self.jobs.load(Ordering::Acquire) != *seen
        };
        let start = Instant::now();
        let mut polls = 0;
        while !news(seen) {
            polls += 1;
            pause(polls);
            if polls % POLLS == 0 && start.elapsed() > AWAKE {
                let mut asleep = lock(&self.asleep);
                *asleep += 1;
                while !news(seen) {
                    asleep = self
                        .wake
                        .wait(asleep)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                *asleep -= 1;
            }
        }
        *seen = self.jobs.load(Ordering::Acquire);
        !self.ended.load(Ordering::Acquire)
    }

    /// Wakes the sleeping threads. Under this lock, a thread that is about to sleep checks again for a new job.
    fn wake_sleepers(&self) {
        let asleep = lock(&self.asleep);
        if *asleep > 0 {
            self.wake.notify_all();
        }
    }

    fn post(&self, job: Option<Arc<Job<G>>>) {
        *self.job.write().unwrap_or_else(PoisonError::into_inner) = job;
    }
}

/// Leads searches on the calling thread (see [`TableSearch::lead`](super::TableSearch::lead)).
pub struct Leader<'l, 'a, G: OrderedGame> {
    crew: &'l Crew<'a, G>,
    /// Wakes the other threads. `None` if there is only one thread.
    wake: Option<&'l dyn Fn()>,
    woken: Cell<bool>,
}

impl<G: OrderedGame> Leader<'_, '_, G> {
    /// Runs a job on this thread. If `shared` is true, all threads take part.
    fn run(&self, work: Work<G>, shared: bool) -> Arc<Job<G>> {
        let active = AtomicUsize::new(0);
        let job = Arc::new(Job { work, active });
        let crew = self.crew;
        let Some(wake) = self.wake.filter(|_| shared) else {
            crew.run(&job, None, false);
            return job;
        };
        crew.post(Some(job.clone()));
        crew.jobs.fetch_add(1, Ordering::AcqRel);
        if self.woken.replace(true) {
            crew.wake_sleepers();
        } else {
            wake();
        }
        crew.run(&job, crew.busy, false);
        crew.post(None);
        let mut polls = 0;
        while job.active.load(Ordering::Acquire) > 0 {
            polls += 1;
            pause(polls);
        }
        job
    }

    fn widen(&self, entries: usize) {
        let (old, new) = {
            let mut table = self.crew.table();
            let old = table.grow(entries);
            (old, table.used)
        };
        if let Some(old) = old {
            let spread = Work::Spread(old, AtomicUsize::new(0));
            self.run(spread, new >= WIDENED_BY_ALL && self.woken.get());
        }
    }

    /// Searches to a depth of at most 31. Returns the last iteration's result and depth. Before each iteration except
    /// the first, calls `goes_on` with the depth reached and the number of nodes so far. Stops if it returns false.
    pub fn search(
        &self,
        position: (&G::Position, u32),
        depth: u32,
        goes_on: &mut dyn FnMut(u32, u64) -> bool,
    ) -> (Found<G::Move>, u32) {
        // All iterations have the same parity, because the static value favours the side that moves last.
        let step = match self.crew.ablated {
            Some(Feature::Table | Feature::Deepening) => depth.max(1),
            _ => 2,
        };
        let first = if depth.is_multiple_of(step) {
            step
        } else {
            depth % step
        };
        let mut depths = (first.min(depth)..=depth).step_by(step as usize);
        self.deepen(position, &mut depths, None, goes_on)
    }

    /// Like [`Leader::search`], but searches to each of the given depths in turn until a deadline.
    pub fn deepen(
        &self,
        (position, ply): (&G::Position, u32),
        depths: &mut dyn Iterator<Item = u32>,
        deadline: Option<Instant>,
        goes_on: &mut dyn FnMut(u32, u64) -> bool,
    ) -> (Found<G::Move>, u32) {
        self.crew.table().clear(FIRST_ENTRIES);
        let mut found = Found::new(0, None, Counters::default());
        let (mut reached, mut took, mut kept) = (0, Duration::ZERO, 0);
        let mut leaves = 0;
        for depth in depths {
            assert!(depth <= MOST_DEPTH, "depth {depth} does not fit an entry");
            if deadline.is_some_and(|end| Instant::now() >= end)
                || reached > 0 && !goes_on(reached, found.counters.nodes)
            {
                break;
            }
            let expected = kept as f64 * GROWTH.powi((depth - reached) as i32);
            self.widen((expected * ROOM) as usize);
            let start = Instant::now();
            let search = Work::Search(Iteration {
                position: position.clone(),
                ply,
                depth,
                first: found.best,
                deadline,
                stop: AtomicBool::new(false),
                outcome: Mutex::new(None),
                searched: Tally::default(),
                kept: AtomicU64::new(0),
            });
            // In shallower iterations, threads share no nodes, so each thread would do all the work.
            let shared = depth >= G::ORDERED_FROM + G::SHARED_FROM
                && took.mul_f64(growth(reached, depth, leaves)) >= WORTH_SHARING;
            let job = self.run(search, shared);
            let Work::Search(search) = &job.work else {
                break;
            };
            (took, kept) = (start.elapsed(), search.kept.load(Ordering::Relaxed));
            let counters = search.searched.total();
            found.counters += counters;
            leaves = counters.leaves;
            let outcome = *lock(&search.outcome);
            let Some((value, best)) = outcome else {
                break;
            };
            found = Found::new(value, best, found.counters);
            reached = depth;
        }
        (found, reached)
    }
}
