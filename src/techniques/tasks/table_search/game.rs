//! What a game brings to `table-search`.

use super::params::Shape;
use crate::games::OrderedGame;
use crate::opencl::{Defines, OclPrm};
use crate::techniques::tasks::{Loads, Play};

/// A game whose kernel includes `cl/common/table_search_kernel.clh`.
pub trait TableGame: Send + 'static {
    /// Its positions as people write them.
    type Play: Play;
    /// The representation that the host searches.
    type Host: Loads<Self::Play> + OrderedGame;
    /// The type of the numbers with which the kernel evaluates positions (`WORTH`).
    type Worth: OclPrm;

    /// The kernel's file.
    const KERNEL: &'static str;
    /// Launch parameters that suit GPUs.
    const ON_GPUS: Shape;
    /// The even depth that deepening begins with; to an odd depth, one more.
    const FIRST_DEPTH: u32;
    /// Plies by which an iteration is deeper than the one before, at most: an even number.
    const DEEPER: u32 = 2;
    /// Width of the bounds at which an iteration other than the last ends: its value is only a guess for the next one.
    const CLOSE_ENOUGH: i32;
    /// How far apart thresholds stand where little is known.
    const STRIDE: i32;
    /// The deepest iteration that a time is enough for.
    const MOST_DEPTH: u32 = 30;

    /// The kernel's constants, besides those of the scheduler.
    fn defines(&self) -> Defines;

    /// Local memory of a work-group of this size, bytes: the kernel's `now_t`, `children_t` and `alone_t`.
    fn local_bytes(&self, group: usize) -> usize;

    /// The numbers with which the kernel evaluates positions.
    fn worths(&self) -> Vec<Self::Worth>;

    /// The kernel's further parameters.
    fn words(&self) -> Vec<u64> {
        Vec::new()
    }

    /// The representation that the host searches.
    fn host(&self) -> Self::Host;

    /// A position as the kernel takes it.
    fn root(&self, position: &<Self::Play as Play>::Position) -> Root;

    /// The move with a kernel's number.
    fn mv(number: u32) -> Option<<Self::Play as Play>::Move>;

    /// The value of a root, as the kernel has it, from the mover's side.
    fn value(_root: &Root, value: i32) -> i32 {
        value
    }
}

/// Local memory of the kernel's `now_t` and `children_t`, bytes.
pub fn scheduler_bytes(moves: usize, places: usize) -> usize {
    let (now, alignment) = (144, 8);
    now + 28 * places + 15 * moves + alignment
}

/// A position as a kernel takes it.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// The mover's stones or discs, and the other side's.
    pub own: u64,
    /// The other side's.
    pub other: u64,
    /// The mover's moves.
    pub moves: u64,
    /// What the kernel carries along of the static value.
    pub weight: i32,
    /// Its static value, from the mover.
    pub value: i32,
    /// The first of the mover's moves, where it has one.
    pub first: Option<u32>,
    /// A board of more than 64 squares: a word a row, the mover's stones in its low half; or zeros.
    pub rows: [u32; 16],
}
