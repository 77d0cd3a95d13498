//! Computes the colours that random playouts name.

use super::{COLOURS, LANE_WORDS, Lanes};
use crate::random::{BLOCK_ROUNDS, block_key, philox4x32};

/// Number of playouts that share a block of random words. Each playout uses one bit per word.
pub const PLAYOUTS_A_DRAW: u64 = 32;

/// Number of words used from each block. Word b contains bit b of every colour.
pub const COLOUR_BITS: usize = COLOURS.trailing_zeros() as usize;

/// Generates the colours that playouts name, for one seed. All colours are equally likely, as in the paper.
///
/// The colour of playout k at turn t, counted from 0, is bit k mod 32 of the first three words from [`philox4x32`]. The
/// key is the seed. The counter is the two halves of k div 32, then t and 0. Bit-sliced programs get the same colours.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    key: [u32; 2],
}

impl Draws {
    /// Creates the generator for a seed.
    pub fn new(seed: u64) -> Draws {
        Draws {
            key: block_key(seed),
        }
    }

    /// Returns the colours that playouts 32 x `block` to 32 x `block` + 31 name at a turn. Each has one bit per word.
    #[inline(always)]
    pub fn words(&self, block: u64, turn: u32) -> [u32; COLOUR_BITS] {
        let counter = [block as u32, (block >> 32) as u32, turn, 0];
        let [first, second, third, _] = philox4x32(counter, self.key, BLOCK_ROUNDS);
        [first, second, third]
    }

    /// Returns the colour that one playout names at a turn.
    pub fn colour(&self, playout: u64, turn: u32) -> usize {
        let words = self.words(playout / PLAYOUTS_A_DRAW, turn);
        colour_of(words, (playout % PLAYOUTS_A_DRAW) as u32)
    }

    /// Returns the colours of 32 blocks, as [`Draws::words`] does for one. Even and odd blocks are computed in separate
    /// vectors, so that combining two blocks into 64-bit words moves no data between lanes.
    #[inline(always)]
    pub fn lanes(&self, blocks: &[u64; 2 * LANE_WORDS], turn: u32) -> [Lanes; COLOUR_BITS] {
        let even = self.alternate(std::array::from_fn(|lane| blocks[2 * lane]), turn);
        let odd = self.alternate(std::array::from_fn(|lane| blocks[2 * lane + 1]), turn);
        let mut words = [Lanes::NONE; COLOUR_BITS];
        for bit in 0..COLOUR_BITS {
            for lane in 0..LANE_WORDS {
                words[bit].0[lane] = even[bit][lane] | odd[bit][lane] << 32;
            }
        }
        words
    }

    #[inline(always)]
    fn alternate(&self, blocks: [u64; LANE_WORDS], turn: u32) -> [[u64; LANE_WORDS]; COLOUR_BITS] {
        const LOW: u64 = u32::MAX as u64;
        let mut x = [[0; LANE_WORDS]; 4];
        for lane in 0..LANE_WORDS {
            x[0][lane] = blocks[lane] & LOW;
            x[1][lane] = blocks[lane] >> 32;
            x[2][lane] = u64::from(turn);
        }
        let mut key = self.key;
        for _ in 0..BLOCK_ROUNDS {
            for lane in 0..LANE_WORDS {
                // The upper halves are already zero. The mask makes the compiler emit a 32-bit multiplication.
                let first = (x[0][lane] & LOW) * u64::from(MULTIPLIERS[0]);
                let second = (x[2][lane] & LOW) * u64::from(MULTIPLIERS[1]);
                x[0][lane] = second >> 32 ^ x[1][lane] ^ u64::from(key[0]);
                x[1][lane] = second & LOW;
                x[2][lane] = first >> 32 ^ x[3][lane] ^ u64::from(key[1]);
                x[3][lane] = first & LOW;
            }
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        [x[0], x[1], x[2]]
    }
}

/// The constants of Philox4x32, as in [`crate::random`], which has no version for lanes.
const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// Returns the colour that one playout of a block names.
#[inline(always)]
pub fn colour_of(words: [u32; COLOUR_BITS], bit: u32) -> usize {
    let [first, second, third] = words.map(|word| (word >> bit & 1) as usize);
    first | second << 1 | third << 2
}

/// Returns, for each colour, the set of playouts that name it.
#[inline(always)]
pub fn named(words: &[Lanes; COLOUR_BITS]) -> [Lanes; COLOURS] {
    let mut masks = [Lanes::ALL; COLOURS];
    for (colour, mask) in masks.iter_mut().enumerate() {
        for (bit, word) in words.iter().enumerate() {
            let word = if colour >> bit & 1 == 1 {
                *word
            } else {
                !*word
            };
            *mask = *mask & word;
        }
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layout is written out literally, so that the test fails if it changes.
    #[test]
    fn a_colour_is_three_bits_of_the_generators_block() {
        let draws = Draws::new(7 << 32 | 3);
        let block = philox4x32([2, 1, 9, 0], [3, 7], 10);
        for bit in 0..32_u32 {
            let playout = (1 << 37) + 64 + u64::from(bit);
            let expected: u32 = (0..3).map(|word| (block[word] >> bit & 1) << word).sum();
            assert_eq!(draws.colour(playout, 9), expected as usize);
        }
    }
}
