//! Host parts common to the kernels that play on boards.

use std::ops::Range;

use crate::games::annexation::PLAYOUTS_A_DRAW;
use crate::opencl::{Outcomes, Queue};
use crate::words::Fault;

/// Playouts of the first launch on a device with unknown rate.
pub const FIRST: u64 = 1 << 13;

/// Words per work-item or work-group (`TALLY_WORDS` in the kernels): wins, losses, stamp.
pub const TALLY_WORDS: usize = 3;

/// The first launch of a range: at most `most` playouts, up to a multiple of 32 or the end of the range.
pub fn next_launch(playouts: &Range<u64>, most: u64) -> Range<u64> {
    let aligned = playouts.start - playouts.start % PLAYOUTS_A_DRAW;
    let most = most.next_multiple_of(PLAYOUTS_A_DRAW);
    playouts.start..aligned.saturating_add(most).min(playouts.end)
}

/// Adds the results of a launch's writers to wins and losses. Fails as [`Outcomes::read`].
pub fn add_up(
    outcomes: &mut Outcomes,
    queue: &mut Queue,
    (wins, losses): &mut (u64, u64),
) -> Result<(), Fault> {
    outcomes.read(queue, |part| {
        *wins += u64::from(part.word(0));
        *losses += u64::from(part.word(1));
    })
}

/// The answer for `playouts` playouts with these wins and losses.
pub fn tally(playouts: u64, (wins, losses): (u64, u64)) -> crate::words::Tally {
    crate::words::Tally {
        wins,
        draws: playouts - wins - losses,
        losses,
        ..crate::words::Tally::default()
    }
}
