//! The parents of leaves on a device: how many fit it, and what is found of one.

use std::ops::Range;

use crate::games::gomoku::{Size, WIN};
use crate::opencl::{DeviceInfo, Outcomes, SEARCHED_WORDS};
use crate::words::{Counters, Fault};

/// The most leaves that go to the device at a time: some milliseconds of a large GPU's work, and
/// 16 MiB of outcomes.
const MOST_LEAVES: usize = 1 << 22;

/// Words that `fold` writes for a parent: the least of its leaves' values plus [`WIN`] above the place
/// of the first leaf that has it; nodes; leaves; 1 where every leaf was written.
pub(super) const FOLDED_WORDS: usize = 4;
/// Bits of that place.
const PLACE_BITS: u32 = 10;
/// In place of a value: no leaf has one.
const NO_LEAF: u32 = (1 << 21) - 1;

/// Numbers of a plane: rows, filled up to fours of squares.
pub(super) fn plane(size: Size) -> usize {
    size.side() * size.side().next_multiple_of(4)
}

/// Words that `parents` writes for one (`PARENT_WORDS`): six planes, the balance, and what fills
/// them up.
pub(super) fn parent_words(size: Size) -> usize {
    6 * plane(size) + 4
}

/// How many parents fit a device at a time, at least 1: its largest buffer and a quarter of its
/// memory bound it, beside [`MOST_LEAVES`] and how many there are.
pub(super) fn most_parents(info: &DeviceInfo, size: Size, split: u32, plies: u32) -> usize {
    let squares = size.squares();
    let outcomes = if plies == 1 { 4 } else { 4 * SEARCHED_WORDS } * squares;
    let shared = if plies == 1 {
        4 * parent_words(size)
    } else {
        0
    };
    let in_buffer = info.max_allocation_bytes / outcomes.max(shared) as u64;
    let in_memory = info.global_memory_bytes / 4 / (outcomes + shared) as u64;
    // Outcomes of a search are six words: a quarter as many leaves, for the same memory.
    let most_leaves = if plies == 1 {
        MOST_LEAVES
    } else {
        MOST_LEAVES / 4
    };
    let in_all = squares.saturating_pow(split - 1);
    (most_leaves / squares)
        .min(in_buffer.min(in_memory) as usize)
        .min(in_all)
        .max(1)
}

/// A parent's leaves, taken together.
pub(super) struct Folded {
    pub value: i32,
    pub best: usize,
    pub counters: Counters,
}

/// A parent as `fold` writes it; `None` where a leaf of it was not written, or it has none.
pub(super) fn read_folded([least, nodes, leaves, written]: [u32; FOLDED_WORDS]) -> Option<Folded> {
    let value = least >> PLACE_BITS;
    (written == 1 && value != NO_LEAF).then(|| Folded {
        // The parent's mover chooses what is worst for its opponent.
        value: WIN - value as i32,
        best: (least & ((1 << PLACE_BITS) - 1)) as usize,
        counters: Counters::of_search(u64::from(nodes), u64::from(leaves)),
    })
}

/// The leaves of one parent as `search_leaves` writes them; `None` where it has none.
pub(super) fn fold_outcomes(
    outcomes: &Outcomes,
    leaves: Range<usize>,
) -> Result<Option<Folded>, Fault> {
    let mut folded = Folded {
        value: i32::MIN,
        best: 0,
        counters: Counters::default(),
    };
    let first = leaves.start;
    outcomes.show(leaves, |leaf| {
        let (value, counters) = leaf.searched();
        folded.counters += counters;
        if counters.nodes > 0 && -value > folded.value {
            (folded.value, folded.best) = (-value, leaf.place - first);
        }
    })?;
    Ok((folded.value > i32::MIN).then_some(folded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::example;

    #[test]
    fn a_parent_is_read_from_its_words() {
        let least = (WIN as u32 - 40) << PLACE_BITS | 2;
        let folded = read_folded([least, 27, 24, 1]).unwrap();
        assert_eq!((folded.value, folded.best), (40, 2));
        assert_eq!((folded.counters.nodes, folded.counters.leaves), (27, 24));
        assert!(
            read_folded([least, 27, 24, 0]).is_none(),
            "one was not written"
        );
        let none = NO_LEAF << PLACE_BITS;
        assert!(read_folded([none, 0, 0, 1]).is_none(), "no leaf at all");
    }

    #[test]
    fn chunks_fit_the_device() {
        let size = Size::new(24).unwrap();
        let device = |global: u64, buffer: u64| DeviceInfo {
            global_memory_bytes: global,
            max_allocation_bytes: buffer,
            ..example(0, 0, "gpu")
        };
        let large = device(140 << 30, 35 << 30);
        assert_eq!(most_parents(&large, size, 3, 1), MOST_LEAVES / 576);
        assert_eq!(most_parents(&large, size, 2, 1), 576);
        assert_eq!(most_parents(&large, size, 1, 1), 1);
        assert_eq!(most_parents(&large, size, 3, 2), MOST_LEAVES / 4 / 576);
        // 13,840 bytes a parent in the largest buffer.
        let small = device(256 << 20, 1 << 20);
        assert_eq!(most_parents(&small, size, 3, 1), (1 << 20) / 13_840);
        assert_eq!(most_parents(&device(1 << 10, 1 << 10), size, 3, 1), 1);
    }
}
