//! Implements the transposition table, which threads share without locks.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::games::INFINITY;

/// Number of entries per bucket. They fill a cache line.
const IN_BUCKET: usize = 4;

const BOUND_BITS: u32 = 24;
const DEPTH_BITS: u32 = 5;
const PLACE_BITS: u32 = 64 - 2 * BOUND_BITS - DEPTH_BITS;

/// Maximum bound in an entry. A larger bound is weakened to this value and stays valid.
const MOST: i32 = (1 << (BOUND_BITS - 1)) - 2;
const NONE: i32 = MOST + 1;

/// Maximum remaining depth in an entry.
pub const MOST_DEPTH: u32 = (1 << DEPTH_BITS) - 1;

/// The value of [`Entry::place`] if no move is known.
pub const NO_PLACE: u16 = (1 << PLACE_BITS) - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The only remaining depth for which the bounds are valid, at least 1.
    pub depth: u32,
    /// A lower bound on the value, or `-`[`INFINITY`] if unknown.
    pub lower: i32,
    /// An upper bound on the value, or [`INFINITY`] if unknown.
    pub upper: i32,
    /// Index of the best move so far, in the game's order, or [`NO_PLACE`] if unknown.
    pub place: u16,
}

impl Entry {
    /// | bits | field |
    /// | --- | --- |
    /// | 0–23 | lower bound, signed |
    /// | 24–47 | upper bound, signed |
    /// | 48–58 | place of the best move |
    /// | 59–63 | remaining depth; 0 in an empty slot |
    fn pack(self) -> u64 {
        // `clamp` is needed, because rustc 1.95 optimises the lower limit away if it is written with `if` and `min`.
        let lower = self.lower.clamp(-NONE, MOST);
        let upper = self.upper.clamp(-MOST, NONE);
        let field = |bound: i32| u64::from(bound as u32) & ((1 << BOUND_BITS) - 1);
        field(lower)
            | field(upper) << BOUND_BITS
            | u64::from(self.place) << (2 * BOUND_BITS)
            | u64::from(self.depth) << (2 * BOUND_BITS + PLACE_BITS)
    }

    fn unpack(data: u64) -> Entry {
        let field = |data: u64| ((data as u32) << (32 - BOUND_BITS)) as i32 >> (32 - BOUND_BITS);
        let (lower, upper) = (field(data), field(data >> BOUND_BITS));
        Entry {
            depth: depth_of(data),
            lower: if lower == -NONE { -INFINITY } else { lower },
            upper: if upper == NONE { INFINITY } else { upper },
            place: (data >> (2 * BOUND_BITS)) as u16 & NO_PLACE,
        }
    }
}

/// Returns the remaining depth of a packed entry, or 0 for an empty slot.
#[inline(always)]
fn depth_of(data: u64) -> u32 {
    (data >> (2 * BOUND_BITS + PLACE_BITS)) as u32
}

/// A table entry of 16 bytes. A reader may see words from two different writes. `check` is the key XOR the data, so
/// such a mixture matches no key (Hyatt and Mann, "A lockless transposition table", ICGA Journal 25, 2002).
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    fn empty(&self) {
        self.check.store(0, Relaxed);
        self.data.store(0, Relaxed);
    }
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; IN_BUCKET]);

/// The transposition table that threads share. With 64-bit keys, about one search in 10⁵ confuses two positions.
pub struct Table {
    buckets: Vec<Bucket>,
    /// Number of buckets in use.
    pub used: usize,
    most: usize,
}

impl Table {
    /// Size of a bucket, in bytes.
    pub const BUCKET_BYTES: usize = size_of::<Bucket>();

    /// Creates an empty table of at most `most_bytes` bytes. The number of buckets is a power of two.
    pub fn new(most_bytes: usize) -> Table {
        let most = (most_bytes / Table::BUCKET_BYTES).max(1);
        let mut table = Table {
            buckets: Vec::new(),
            used: 1,
            most: 1 << most.ilog2(),
        };
        table.clear(1);
        table
    }

    /// Clears the table, and sets its capacity to `entries` or its limit, whichever is smaller.
    pub fn clear(&mut self, entries: usize) {
        self.used = 0;
        self.grow(entries);
        self.buckets[..self.used].fill_with(Bucket::default);
    }

    /// Increases the capacity to `entries`, at most to the table's limit. If the table grew, returns the old number of
    /// buckets. Each old bucket must be [spread](Table::spread) before the next lookup.
    pub fn grow(&mut self, entries: usize) -> Option<usize> {
        let wanted = entries.div_ceil(IN_BUCKET).next_power_of_two();
        let (before, after) = (self.used, wanted.min(self.most));
        if after <= before {
            return None;
        }
        if self.buckets.len() < after {
            self.buckets.resize_with(after, Bucket::default);
        }
        self.used = after;
        Some(before)
    }

    /// Clears the new buckets, and moves the entries that now belong there from the old `buckets`. `before` is the
    /// number of old buckets. Threads may spread different buckets at once, because no two old buckets share a new one.
    pub fn spread(&self, before: usize, buckets: Range<usize>) {
        for at in buckets {
            for new in (at + before..self.used).step_by(before) {
                self.buckets[new].0.iter().for_each(Slot::empty);
            }
            for slot in &self.buckets[at].0 {
                let data = slot.data.load(Relaxed);
                let key = slot.check.load(Relaxed) ^ data;
                if depth_of(data) > 0 && key as usize & (self.used - 1) != at {
                    slot.empty();
                    self.put(key, data);
                }
            }
        }
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &[Slot; IN_BUCKET] {
        &self.buckets[key as usize & (self.used - 1)].0
    }

    #[inline(always)]
    pub fn get(&self, key: u64) -> Option<Entry> {
        for slot in self.bucket(key) {
            let data = slot.data.load(Relaxed);
            if slot.check.load(Relaxed) ^ data == key && depth_of(data) > 0 {
                return Some(Entry::unpack(data));
            }
        }
        None
    }

    /// Stores an entry. It replaces the position's previous entry or, if there is none, the bucket's shallowest entry.
    #[inline(always)]
    pub fn keep(&self, key: u64, entry: Entry) {
        debug_assert!((1..=MOST_DEPTH).contains(&entry.depth));
        self.put(key, entry.pack());
    }

    #[inline(always)]
    fn put(&self, key: u64, data: u64) {
        let bucket = self.bucket(key);
        let mut victim = &bucket[0];
        let mut least = u32::MAX;
        for slot in bucket {
            let there = slot.data.load(Relaxed);
            if slot.check.load(Relaxed) ^ there == key {
                victim = slot;
                break;
            }
            let depth = depth_of(there);
            if depth < least {
                (victim, least) = (slot, depth);
            }
        }
        victim.check.store(key ^ data, Relaxed);
        victim.data.store(data, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Widens a table piece by piece, as threads do, starting with the last piece.
    fn widen(table: &mut Table, entries: usize) {
        if let Some(before) = table.grow(entries) {
            let middle = before / 3;
            table.spread(before, middle..before);
            table.spread(before, 0..middle);
        }
    }

    fn entry(depth: u32, lower: i32, upper: i32, place: u16) -> Entry {
        Entry {
            depth,
            lower,
            upper,
            place,
        }
    }

    #[test]
    fn entries_come_back_as_they_were() {
        let table = Table::new(1 << 16);
        let bounds = [-INFINITY, -MOST, -1_000_060, -1, 0, 77, MOST];
        for (key, lower) in (1..).zip(bounds) {
            for upper in [-MOST, -1, 0, 77, 1_000_000, MOST, INFINITY] {
                for (depth, place) in [(1, 0), (17, 60), (MOST_DEPTH, NO_PLACE)] {
                    let kept = entry(depth, lower, upper, place);
                    table.keep(key, kept);
                    assert_eq!(table.get(key), Some(kept));
                }
            }
        }
    }

    #[test]
    fn bounds_that_do_not_fit_are_weakened() {
        let table = Table::new(1 << 10);
        table.keep(1, entry(3, INFINITY - 1, INFINITY, 0));
        assert_eq!(table.get(1).map(|entry| entry.lower), Some(MOST));
        table.keep(1, entry(3, -INFINITY, 1 - INFINITY, 0));
        assert_eq!(table.get(1).map(|entry| entry.upper), Some(-MOST));
    }

    #[test]
    fn keys_of_one_bucket_are_told_apart_and_the_shallowest_gives_way() {
        let mut table = Table::new(LEAST);
        widen(&mut table, 1 << 20);
        assert_eq!(table.used, 1, "it grows no further than it may");
        // Keys with one set bit each, including the lowest and the highest bit.
        let keys = [1, 1 << 1, 1 << 31, 1 << 63];
        for (depth, key) in (5..).zip(keys) {
            table.keep(key, entry(depth, depth as i32, INFINITY, 0));
        }
        assert!(keys.iter().all(|key| table.get(*key).is_some()));
        assert_eq!(table.get(0), None);
        assert_eq!(table.get(3), None);
        table.keep(1 << 40, entry(2, 0, 0, 0));
        assert_eq!(table.get(1), None, "depth 5 was the least");
        assert_eq!(table.get(1 << 1).map(|entry| entry.lower), Some(6));
        // A position replaces its previous entry.
        table.keep(1 << 63, entry(1, 3, 4, 5));
        assert_eq!(table.get(1 << 63), Some(entry(1, 3, 4, 5)));
        assert!(table.get(1 << 31).is_some() && table.get(1 << 40).is_some());
    }

    const LEAST: usize = Table::BUCKET_BYTES;

    #[test]
    fn half_an_entry_of_another_thread_matches_no_key() {
        let table = Table::new(LEAST);
        table.keep(7, entry(3, 1, 2, 0));
        let slot = table
            .bucket(7)
            .iter()
            .find(|slot| slot.data.load(Relaxed) != 0);
        slot.unwrap().data.store(entry(4, 1, 2, 0).pack(), Relaxed);
        assert_eq!(table.get(7), None);
    }

    #[test]
    fn widening_keeps_what_is_there_and_clearing_nothing() {
        let mut table = Table::new(1 << 20);
        let key = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        table.clear(64);
        for at in 1..=40 {
            table.keep(key(at), entry(3, at as i32, INFINITY, 9));
        }
        let known = |table: &Table| -> Vec<u64> {
            let has = |at: &u64| {
                table
                    .get(key(*at))
                    .is_some_and(|entry| entry.lower == *at as i32)
            };
            (1..=40).filter(has).collect()
        };
        let before = known(&table);
        assert!(before.len() > 30);
        widen(&mut table, 4_096);
        assert_eq!(known(&table), before);
        widen(&mut table, 16);
        assert_eq!(table.used * IN_BUCKET, 4_096, "it gets no smaller");
        table.clear(64);
        assert!(known(&table).is_empty());
        widen(&mut table, 4_096);
        let holds = known(&table).is_empty();
        assert!(holds, "nor does what is outside come back");
    }
}
