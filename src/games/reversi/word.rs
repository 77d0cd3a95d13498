use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Shl, Shr};

/// Operations on a set of bits in a word.
pub trait Bits:
    Copy
    + Eq
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The empty set.
    const ZERO: Self;
}

/// A word for one rank, in which bit `file` stands for a square: `u16`, `u32` or `u64`.
pub trait Word: Bits + BitAndAssign + BitOrAssign + Not<Output = Self> {
    /// Type of a word of twice the width that contains two ranks.
    type Pair: Bits;

    /// Number of files that fit into the word.
    const BITS: u32;
    /// The set that contains only the first file.
    const ONE: Self;

    /// Returns the low bits of a rank of a [`super::Position`].
    fn from_rank(rank: u64) -> Self;
    /// Converts to a rank of a [`super::Position`].
    fn to_rank(self) -> u64;
    /// Returns this rank in the low half, with another rank in the high half.
    fn pair(self, high: Self) -> Self::Pair;
    /// Returns the two ranks of a [`Word::pair`].
    fn unpair(pair: Self::Pair) -> (Self, Self);
    /// Adds two words, wrapping around.
    fn plus(self, other: Self) -> Self;
    /// Subtracts a word, wrapping around.
    fn minus(self, other: Self) -> Self;
    /// Returns the files in reverse order.
    fn mirrored(self) -> Self;
    /// Returns the number of squares in the set.
    fn count(self) -> u32;
    /// Returns the file of the first square, or [`Word::BITS`] if the set is empty.
    fn lowest(self) -> u32;
    /// Returns the number of files after the last square, or [`Word::BITS`] if the set is empty.
    fn past(self) -> u32;
}

macro_rules! word {
    ($($word:ty, $pair:ty, $join:expr, $split:expr;)*) => {$(
        impl Word for $word {
            type Pair = $pair;
            const BITS: u32 = <$word>::BITS;
            const ONE: Self = 1;

            #[inline(always)]
            fn from_rank(rank: u64) -> Self {
                rank as $word
            }
            #[inline(always)]
            fn to_rank(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn pair(self, high: Self) -> $pair {
                $join(self, high)
            }
            #[inline(always)]
            fn unpair(pair: $pair) -> (Self, Self) {
                $split(pair)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn mirrored(self) -> Self {
                self.reverse_bits()
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn past(self) -> u32 {
                self.leading_zeros()
            }
        }
    )*};
}

word! {
    u16, u32, |low, high| u32::from(low) | u32::from(high) << 16, |pair: u32| (pair as u16, (pair >> 16) as u16);
    u32, u64, |low, high| u64::from(low) | u64::from(high) << 32, |pair: u64| (pair as u32, (pair >> 32) as u32);
    u64, Two, Two, |Two(low, high)| (low, high);
}

macro_rules! bits {
    ($($bits:ty),*) => {$(
        impl Bits for $bits {
            const ZERO: Self = 0;
        }
    )*};
}

bits!(u16, u32, u64);

/// Two 64-bit words that are shifted separately. A `u128` is slower, and would shift bits from one word to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Two(u64, u64);

impl Bits for Two {
    const ZERO: Self = Two(0, 0);
}

impl BitAnd for Two {
    type Output = Two;
    #[inline(always)]
    fn bitand(self, other: Two) -> Two {
        Two(self.0 & other.0, self.1 & other.1)
    }
}

impl BitOr for Two {
    type Output = Two;
    #[inline(always)]
    fn bitor(self, other: Two) -> Two {
        Two(self.0 | other.0, self.1 | other.1)
    }
}

impl Shl<u32> for Two {
    type Output = Two;
    #[inline(always)]
    fn shl(self, by: u32) -> Two {
        Two(self.0 << by, self.1 << by)
    }
}

impl Shr<u32> for Two {
    type Output = Two;
    #[inline(always)]
    fn shr(self, by: u32) -> Two {
        Two(self.0 >> by, self.1 >> by)
    }
}
