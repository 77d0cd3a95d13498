//! Contains code that several parallel searches use.

use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::words::Counters;

/// Runs `work`, in `pool` if there is one. Unlike [`ThreadPool::install`], it is compiled once for all closure types.
pub fn in_pool<T: Send>(pool: Option<&ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut done) = (Some(work), None);
    enter(pool, &mut || done = work.take().map(|work| work()));
    done.expect("a pool does its work before it returns")
}

/// Like [`in_pool`], for work that stores its own result. It adds no code per closure type.
pub fn enter(pool: Option<&ThreadPool>, work: &mut (dyn FnMut() + Send)) {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Locks a mutex, even if a thread panicked while it held the lock.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `one` with the numbers from 0 to `end` - 1, in this order, on `threads` threads of the current rayon pool.
pub(super) fn in_order(end: usize, threads: usize, one: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let take = || {
        loop {
            let place = next.fetch_add(1, Relaxed);
            if place >= end {
                return;
            }
            one(place);
        }
    };
    if threads.min(end) < 2 {
        return take();
    }
    rayon::scope(|scope| {
        for _ in 1..threads.min(end) {
            scope.spawn(|_| take());
        }
        take();
    });
}

/// Returns the results of `one` for 0 to `end` - 1. Runs on the current rayon pool, with `share` calls per task.
pub(super) fn each<T: Send>(end: usize, share: usize, one: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let shares = (0..end).into_par_iter().with_min_len(share);
    shares.with_max_len(share).map(one).collect()
}

/// The best value at a node so far, and the order of the child with that value: its index in search order at a
/// principal-variation node, otherwise 0. Packed numbers rank larger values first, then earlier children.
pub(super) struct SharedBound(AtomicI64);

fn pack(value: i32, order: u32) -> i64 {
    i64::from(value) << 32 | i64::from(u32::MAX - order)
}

impl SharedBound {
    pub(super) fn new(value: i32) -> SharedBound {
        SharedBound(AtomicI64::new(pack(value, 0)))
    }

    fn best(&self) -> (i32, u32) {
        let packed = self.0.load(Relaxed);
        ((packed >> 32) as i32, u32::MAX - packed as u32)
    }

    pub(super) fn value(&self) -> i32 {
        self.best().0
    }

    /// Records a child's value if it is better. An upper bound has no effect unless it exceeds [`SharedBound::alpha`].
    pub(super) fn raise(&self, value: i32, order: u32) {
        self.0.fetch_max(pack(value, order), Relaxed);
    }

    /// Returns the value that a child must exceed. If a later child is the best so far, an equal value suffices, so
    /// that the result does not depend on timing.
    pub(super) fn alpha(&self, order: u32) -> i32 {
        let (value, best) = self.best();
        value - i32::from(best > order)
    }

    /// Returns a score for each child from 1 to `children`: its value for the best child, `alpha` for any other child.
    pub(super) fn scores(&self, children: usize, alpha: i32) -> impl Iterator<Item = i32> {
        let (value, best) = self.best();
        (1..=children as u32).map(move |order| if order == best { value } else { alpha })
    }
}

/// Counters of the work that several threads did.
#[derive(Default)]
pub(super) struct Tally {
    nodes: AtomicU64,
    leaves: AtomicU64,
}

impl Tally {
    pub(super) fn add(&self, counters: Counters) {
        self.nodes.fetch_add(counters.nodes, Relaxed);
        self.leaves.fetch_add(counters.leaves, Relaxed);
    }

    pub(super) fn total(&self) -> Counters {
        Counters::of_search(self.nodes.load(Relaxed), self.leaves.load(Relaxed))
    }
}
