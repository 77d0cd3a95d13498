//! Counts the set bits in each lane.

use crate::games::annexation::{Lanes, MOST_CELLS};

pub(super) const LEVELS: usize = MOST_CELLS.trailing_zeros() as usize + 1;

/// A bit-sliced number for each of 1024 playouts. Bit l of playout k's number is bit k of level l.
pub(super) struct Counters {
    levels: [Lanes; LEVELS],
    used: usize,
}

/// Full adder: adds two bits to a sum in each lane, and returns the carry.
#[inline(always)]
fn add(sum: &mut Lanes, a: Lanes, b: Lanes) -> Lanes {
    let one = *sum ^ a;
    let carry = *sum & a | one & b;
    *sum = one ^ b;
    carry
}

impl Counters {
    /// Counts the cells with a set bit in each playout, and adds `more`. Uses full adders (Harley and Seal; "Hacker's
    /// Delight", section 5-1).
    #[inline(always)]
    pub(super) fn of(cells: &[Lanes], more: u32) -> Counters {
        let used = (cells.len() + more as usize).ilog2() as usize + 1;
        let mut levels = [Lanes::NONE; LEVELS];
        for (place, level) in levels[..used].iter_mut().enumerate() {
            if more >> place & 1 == 1 {
                *level = Lanes::ALL;
            }
        }
        let [mut ones, mut twos, mut fours] = [levels[0], levels[1], levels[2]];
        let (eights, rest) = cells.as_chunks::<8>();
        for cells in eights {
            let two_a = add(&mut ones, cells[0], cells[1]);
            let two_b = add(&mut ones, cells[2], cells[3]);
            let four_a = add(&mut twos, two_a, two_b);
            let two_a = add(&mut ones, cells[4], cells[5]);
            let two_b = add(&mut ones, cells[6], cells[7]);
            let four_b = add(&mut twos, two_a, two_b);
            let mut carry = add(&mut fours, four_a, four_b);
            for level in &mut levels[3..used.max(3)] {
                carry = add(level, carry, Lanes::NONE);
            }
        }
        [levels[0], levels[1], levels[2]] = [ones, twos, fours];
        for cell in rest {
            let mut carry = *cell;
            for level in &mut levels[..used] {
                carry = add(level, carry, Lanes::NONE);
            }
        }
        Counters { levels, used }
    }

    /// Returns the playouts in which this number is larger than `other`, and the playouts in which it is smaller.
    #[inline(always)]
    pub(super) fn compare(&self, other: &Counters) -> (Lanes, Lanes) {
        let [mut larger, mut smaller] = [Lanes::NONE; 2];
        // Start at the lowest level, because a difference at a higher level overrides all lower levels.
        for level in 0..self.used.max(other.used) {
            let (a, b) = (self.levels[level], other.levels[level]);
            let equal = !(a ^ b);
            larger = a & !b | larger & equal;
            smaller = b & !a | smaller & equal;
        }
        (larger, smaller)
    }

    #[inline(always)]
    pub(super) fn above(&self, limit: usize) -> Lanes {
        let mut larger = Lanes::NONE;
        let levels = limit.checked_ilog2().map_or(0, |level| level as usize + 1);
        for level in 0..self.used.max(levels) {
            let bit = self.levels[level];
            let set = limit >> level & 1 == 1;
            larger = if set { bit & larger } else { bit | larger };
        }
        larger
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::philox4x32;

    /// Tests numbers of cells around the multiples of eight, with sparse and dense bits.
    #[test]
    fn counts_are_those_of_counting_one_by_one() {
        for cells in (1..40).chain([255, 256, 257, 1000]) {
            let word = |cell: usize, lane: usize, player: u32| {
                let [a, b, c, d] = philox4x32([cell as u32, lane as u32, player, 5], [1, 2], 10);
                let (x, y) = (
                    u64::from(a) << 32 | u64::from(b),
                    u64::from(c) << 32 | u64::from(d),
                );
                [x & y, x, x | y, !0, 0][lane % 5]
            };
            let player = |player| -> Vec<Lanes> {
                let lanes = |cell| Lanes(std::array::from_fn(|lane| word(cell, lane, player)));
                (0..cells).map(lanes).collect()
            };
            let (first, second) = (player(0), player(1));
            let more = cells as u32 % 3 * 50;
            let counted = [Counters::of(&first, more), Counters::of(&second, 0)];
            let (larger, smaller) = counted[0].compare(&counted[1]);
            let above = counted[0].above(cells / 2);
            let beyond = counted[1].above(2 * cells + 7);
            assert_eq!(beyond, Lanes::NONE);
            for playout in 0..1024 {
                let bit = |lanes: &Lanes| lanes.0[playout / 64] >> (playout % 64) & 1;
                let count = |cells: &[Lanes]| cells.iter().map(bit).sum::<u64>();
                let (a, b) = (u64::from(more) + count(&first), count(&second));
                assert_eq!(bit(&larger) == 1, a > b);
                assert_eq!(bit(&smaller) == 1, a < b);
                assert_eq!(bit(&above) == 1, a > cells as u64 / 2);
            }
        }
    }
}
