//! Which positions threads are searching at the moment.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Buckets: more than threads have nodes in hand, so that few share one.
const BUCKETS: usize = 1 << 10;
/// Places in a bucket: a line of a cache.
const PLACES: usize = 8;

/// Positions in hand, as keys: a hint for other threads to search something else meanwhile. Nothing
/// depends on it but speed, so that a key that finds no place is not written down.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([AtomicU64; PLACES]);

/// See [`Bucket`].
pub struct Busy(Vec<Bucket>);

impl Busy {
    pub fn new() -> Busy {
        Busy((0..BUCKETS).map(|_| Bucket::default()).collect())
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &[AtomicU64; PLACES] {
        &self.0[(key >> 32) as usize % BUCKETS].0
    }

    /// Whether a thread has this position in hand.
    #[inline(always)]
    pub fn has(&self, key: u64) -> bool {
        self.bucket(key)
            .iter()
            .any(|place| place.load(Relaxed) == key)
    }

    /// Writes a position down; the place, where there was one.
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

    /// Crosses out what was written down.
    #[inline(always)]
    pub fn leave(place: Option<&AtomicU64>) {
        if let Some(place) = place {
            place.store(0, Relaxed);
        }
    }

    /// Forgets all positions.
    pub fn clear(&self) {
        for place in self.0.iter().flat_map(|bucket| &bucket.0) {
            place.store(0, Relaxed);
        }
    }
}
