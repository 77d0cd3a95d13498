//! Records the positions that threads are currently searching.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of buckets. At any time, far fewer nodes are being searched, so nodes rarely share a bucket.
const BUCKETS: usize = 1 << 10;
/// Number of entries per bucket. They fill a cache line.
const PLACES: usize = 8;

/// Keys of positions being searched. Other threads defer them. If no entry is free, a key is not recorded.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([AtomicU64; PLACES]);

pub struct Busy(Vec<Bucket>);

impl Busy {
    pub fn new() -> Busy {
        Busy((0..BUCKETS).map(|_| Bucket::default()).collect())
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &[AtomicU64; PLACES] {
        &self.0[(key >> 32) as usize % BUCKETS].0
    }

    /// Returns true if a thread is searching this position.
    #[inline(always)]
    pub fn has(&self, key: u64) -> bool {
        self.bucket(key)
            .iter()
            .any(|place| place.load(Relaxed) == key)
    }

    /// Records a position and returns its entry. Returns `None` if no entry is free or the position is already there.
    #[inline(always)]
    pub fn take(&self, key: u64) -> Option<&AtomicU64> {
        for place in self.bucket(key) {
            let there = place.load(Relaxed);
            if there == key {
                return None;
            }
            if there == 0 {
                place.store(key, Relaxed);
                return Some(place);
            }
        }
        None
    }

    #[inline(always)]
    pub fn leave(place: Option<&AtomicU64>) {
        if let Some(place) = place {
            place.store(0, Relaxed);
        }
    }

    pub fn clear(&self) {
        for place in self.0.iter().flat_map(|bucket| &bucket.0) {
            place.store(0, Relaxed);
        }
    }
}
