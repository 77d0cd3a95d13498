use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Shl, Shr};

/// A word that holds one rank, bit `file` for a square: `u16`, `u32` or `u64`.
pub trait Word:
    Copy
    + Default
    + Eq
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// Files that it can hold.
    const BITS: u32;
    /// No square.
    const ZERO: Self;
    /// The first file.
    const ONE: Self;

    /// The low bits of a rank of a [`super::Position`].
    fn from_rank(rank: u64) -> Self;
    /// As a rank of a [`super::Position`].
    fn to_rank(self) -> u64;
    /// Sum without the carry out of the word.
    fn plus(self, other: Self) -> Self;
    /// Difference without the borrow.
    fn minus(self, other: Self) -> Self;
    /// The first file last.
    fn mirrored(self) -> Self;
    /// How many squares.
    fn count(self) -> u32;
    /// The first square's file; [`Word::BITS`] where there is none.
    fn lowest(self) -> u32;
    /// How many files lie past the last square; [`Word::BITS`] where there is none.
    fn past(self) -> u32;
}

macro_rules! word {
    ($($word:ty),*) => {$(
        impl Word for $word {
            const BITS: u32 = <$word>::BITS;
            const ZERO: Self = 0;
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

word!(u16, u32, u64);
