//! Counter-based random numbers. A number depends only on a key and a counter. Any thread on any device can therefore
//! draw the n-th number of any stream without drawing the earlier ones.
//!
//! The generators are Philox2x32 and Philox4x32 from Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy
//! as 1, 2, 3" (SC 2011), section 4.3 and table 2. `cl/common/philox.clh` implements them for devices. Both pass all of
//! BigCrush with 7 rounds (table 2). The authors recommend 10 rounds as a safety margin.
//!
//! Playouts draw one number per ply with [`playout_draw`], or four words per turn with [`philox4x32`] and 10 rounds.

/// Number of rounds in [`playout_draw`]: the smallest number with which Philox2x32 passes BigCrush.
pub const DRAW_ROUNDS: u32 = 7;

/// Number of rounds for [`philox4x32`], as its authors recommend.
pub const BLOCK_ROUNDS: u32 = 10;

const MULTIPLIER_2: u32 = 0xd256_d193;
const MULTIPLIERS_4: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// Key increments per round (Weyl constants): 2^32 times the fractional parts of the golden ratio and √3.
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// Returns the high and the low 32 bits of the 64-bit product.
#[inline(always)]
fn multiply(a: u32, b: u32) -> (u32, u32) {
    let product = u64::from(a) * u64::from(b);
    ((product >> 32) as u32, product as u32)
}

/// Returns the two random words of Philox2x32 for a counter and a key.
///
/// Each word is kept in the low half of a `u64`. Vectorised code then needs only one multiplication per round and no
/// shuffles.
#[inline(always)]
pub fn philox2x32(counter: [u32; 2], key: u32, rounds: u32) -> [u32; 2] {
    let [mut x, mut y] = counter.map(u64::from);
    let mut key = key;
    for _ in 0..rounds {
        let product = (x & u64::from(u32::MAX)) * u64::from(MULTIPLIER_2);
        (x, y) = (product >> 32 ^ u64::from(key) ^ y, product);
        key = key.wrapping_add(WEYL[0]);
    }
    [x as u32, y as u32]
}

/// Returns the four random words of Philox4x32 for a counter and a key.
#[inline(always)]
pub fn philox4x32(counter: [u32; 4], key: [u32; 2], rounds: u32) -> [u32; 4] {
    let mut x = counter;
    let mut key = key;
    for _ in 0..rounds {
        let (high_0, low_0) = multiply(MULTIPLIERS_4[0], x[0]);
        let (high_1, low_1) = multiply(MULTIPLIERS_4[1], x[2]);
        x = [high_1 ^ x[1] ^ key[0], low_1, high_0 ^ x[3] ^ key[1], low_0];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    x
}

/// Splits a seed into the two words of a key for [`philox4x32`].
#[inline(always)]
pub fn block_key(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

/// Returns the 32-bit key for playouts with a given seed. The seed is mixed first, so that two seeds share a key with a
/// probability of only 2^-32, and colliding seeds form no pattern.
#[inline(always)]
pub fn draw_key(seed: u64) -> u32 {
    philox4x32([0; 4], block_key(seed), BLOCK_ROUNDS)[0]
}

/// Maximum number of plies per playout. A longer playout would share random numbers with other playouts.
pub const MOST_PLIES: u32 = 1 << 16;

/// Maximum number of playouts per key. With more playouts, the streams would repeat.
pub const MOST_PLAYOUTS: u64 = 1 << 48;

/// Returns a playout's random word for a ply. `playout` must be below [`MOST_PLAYOUTS`], `ply` below [`MOST_PLIES`].
#[inline(always)]
pub fn playout_draw(key: u32, playout: u64, ply: u32) -> u32 {
    playout_words(key, playout, ply)[0]
}

/// Returns a playout's two random words for a block. The first is the result of [`playout_draw`]. `playout` must be
/// below [`MOST_PLAYOUTS`], and `block` below [`MOST_PLIES`].
#[inline(always)]
pub fn playout_words(key: u32, playout: u64, block: u32) -> [u32; 2] {
    let high = ((playout >> 32) as u32) << 16 | block;
    philox2x32([playout as u32, high], key, DRAW_ROUNDS)
}

/// Maps a random word to a whole number below `n`. The result is nearly uniform: the numbers of words that yield any
/// two results differ by at most one (Lemire, "Fast Random Integer Generation in an Interval", 2019, without the
/// rejection step).
#[inline(always)]
pub fn below(word: u32, n: u32) -> u32 {
    multiply(word, n).0
}

/// Extracts the next digit, a whole number below `n`, from a random word, as [`below`] does. The word becomes the
/// remainder. Successive digits together form one number below the product of their limits. It is nearly uniform: the
/// numbers of words that map to any two values differ by at most one.
#[inline(always)]
pub fn digit(word: &mut u32, n: u32) -> u32 {
    let (digit, left) = multiply(*word, n);
    *word = left;
    digit
}

/// Advances the checkers paper's generator ("Generowanie liczb losowych") with three shifts and three exclusive ors.
/// The state must not be 0.
#[inline(always)]
pub fn xorshift32(state: &mut u32) -> u32 {
    let mut x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known-answer vectors from the authors' library (Random123, `kat_vectors`).
    #[test]
    fn the_authors_known_answers_come_out() {
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        for (counter, key, rounds, expected) in [
            ([0, 0], 0, 7, [0x257a_3673, 0xcd26_be2a]),
            ([u32::MAX; 2], u32::MAX, 7, [0xab30_2c4d, 0x3dc9_d239]),
            ([pi[0], pi[1]], pi[2], 7, [0xbedb_be6b, 0xe4c7_70b3]),
            ([0, 0], 0, 10, [0xff1d_ae59, 0x6cd1_0df2]),
            ([u32::MAX; 2], u32::MAX, 10, [0x2c3f_628b, 0xab4f_d7ad]),
            ([pi[0], pi[1]], pi[2], 10, [0xdd7c_e038, 0xf62a_4c12]),
        ] {
            assert_eq!(philox2x32(counter, key, rounds), expected);
        }
        for (counter, key, rounds, expected) in [
            (
                [0; 4],
                [0; 2],
                7,
                [0x5f6f_b709, 0x0d89_3f64, 0x4f12_1f81, 0x4f73_0a48],
            ),
            (
                [0; 4],
                [0; 2],
                10,
                [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
            ),
            (
                [u32::MAX; 4],
                [u32::MAX; 2],
                10,
                [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
            ),
            (
                pi,
                [0xa409_3822, 0x299f_31d0],
                10,
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ] {
            assert_eq!(philox4x32(counter, key, rounds), expected);
        }
    }

    /// Returns the standardised chi-squared statistic of `counts` against the uniform distribution: its distance from
    /// the mean, in standard deviations.
    fn deviation(counts: &[u64]) -> f64 {
        let share = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        let freedom = counts.len() as f64 - 1.0;
        let squares = |count: &u64| (*count as f64 - share).powi(2) / share;
        (counts.iter().map(squares).sum::<f64>() - freedom) / (2.0 * freedom).sqrt()
    }

    /// Tests that the streams of neighbouring playouts, plies and seeds are uncorrelated. Pairs of draws must fill the
    /// unit square evenly.
    #[test]
    fn neighbouring_streams_are_unlike() {
        let pair = |a: u32, b: u32| (below(a, 16) * 16 + below(b, 16)) as usize;
        let mut counts = [[0_u64; 256]; 3];
        let (key, next) = (draw_key(1), draw_key(2));
        for playout in 0..2_000 {
            for ply in 0..50 {
                let here = playout_draw(key, playout, ply);
                counts[0][pair(here, playout_draw(key, playout + 1, ply))] += 1;
                counts[1][pair(here, playout_draw(key, playout, ply + 1))] += 1;
                counts[2][pair(here, playout_draw(next, playout, ply))] += 1;
            }
        }
        for counts in counts {
            let deviation = deviation(&counts);
            assert!(deviation.abs() < 4.0, "{deviation} deviations");
        }
    }

    /// In the paper, thread `id` starts with the state `0x9e3779b9 ^ id`. The first draws of neighbouring threads are
    /// therefore correlated, so the test above would reject them.
    #[test]
    fn xorshift_as_seeded_in_the_paper_gives_neighbours_like_draws() {
        let mut counts = [0_u64; 256];
        let first = |id: u32| xorshift32(&mut (0x9e37_79b9 ^ id));
        for id in 0..100_000 {
            counts[(below(first(id), 16) * 16 + below(first(id + 1), 16)) as usize] += 1;
        }
        assert!(deviation(&counts) > 4.0);
    }

    /// Tests that two digits together equal one digit below the product, for words from the whole range.
    #[test]
    fn digits_together_are_one_number() {
        for step in 0..10_000_u32 {
            let word = step.wrapping_mul(429_497);
            let mut left = word;
            let (a, b, c) = (
                digit(&mut left, 7),
                digit(&mut left, 5),
                digit(&mut left, 1),
            );
            assert_eq!((a * 5 + b, c), (below(word, 35), 0));
        }
    }

    #[test]
    fn high_playouts_have_streams_of_their_own() {
        let draws: std::collections::HashSet<_> = [0, 1, 1 << 32, 1 << 47, MOST_PLAYOUTS - 1]
            .iter()
            .map(|playout| playout_draw(7, *playout, MOST_PLIES - 1))
            .collect();
        assert_eq!(draws.len(), 5);
        assert_eq!(playout_words(7, 3, 5)[0], playout_draw(7, 3, 5));
        assert_eq!(below(u32::MAX, 7), 6);
        assert_eq!(below(0, 7), 0);
    }
}
