use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Number of words in [`Lanes`].
pub const LANE_WORDS: usize = 16;

/// Number of playouts in [`Lanes`].
pub const PLAYOUTS_A_GROUP: u64 = 64 * LANE_WORDS as u64;

/// A set of playouts in a group of 1024. Bit k of word w stands for playout 64w + k of the group.
///
/// Operations load and store whole values, because processors forward a store only to a load of the same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(128))]
pub struct Lanes(pub [u64; LANE_WORDS]);

impl Lanes {
    /// The empty set.
    pub const NONE: Lanes = Lanes([0; LANE_WORDS]);
    /// The set of all playouts.
    pub const ALL: Lanes = Lanes([u64::MAX; LANE_WORDS]);

    /// Returns the number of playouts in the set.
    #[inline(always)]
    pub fn count(self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns true if the set contains every playout.
    #[inline(always)]
    pub fn is_all(self) -> bool {
        // Compare with zero, because vector instructions test this fastest.
        self.0.iter().fold(0, |left, word| left | !word) == 0
    }

    #[inline(always)]
    fn zip(self, other: Lanes, join: impl Fn(u64, u64) -> u64) -> Lanes {
        let mut joined = Lanes::NONE;
        for lane in 0..LANE_WORDS {
            joined.0[lane] = join(self.0[lane], other.0[lane]);
        }
        joined
    }
}

macro_rules! operators {
    ($($trait:ident $name:ident $operator:tt)*) => {$(
        impl $trait for Lanes {
            type Output = Lanes;

            #[inline(always)]
            fn $name(self, other: Lanes) -> Lanes {
                self.zip(other, |a, b| a $operator b)
            }
        }
    )*};
}

operators! { BitAnd bitand &  BitOr bitor |  BitXor bitxor ^ }

impl Not for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn not(self) -> Lanes {
        self.zip(self, |a, _| !a)
    }
}
