//! Host parts common to the kernels that play on boards.

use std::ops::Range;

use crate::games::annexation::PLAYOUTS_A_DRAW;
use crate::opencl::{Outcomes, Queue};
use crate::words::Fault;

/// Limit of the playouts in one launch: a launch stays short enough to be interrupted, and its counts fit 32
/// bits.
pub const PLAYOUTS_A_LAUNCH: u64 = 1 << 26;

/// Words that a work-item or a work-group writes (`TALLY_WORDS` in the kernels): wins, losses, stamp.
pub const TALLY_WORDS: usize = 3;

/// The launches for a range of playouts. Each starts at a multiple of 32 (the first may start within its
/// first draw) and plays at most `most` playouts, also a multiple of 32.
pub fn launches(playouts: &Range<u64>, most: u64) -> impl Iterator<Item = Range<u64>> + use<> {
    let end = playouts.end;
    let mut next = playouts.start;
    std::iter::from_fn(move || {
        let first = next;
        let aligned = first - first % PLAYOUTS_A_DRAW;
        next = aligned.saturating_add(most).min(end);
        (first < end).then_some(first..next)
    })
}

/// Adds the results of a launch's writers to games won and lost.
///
/// # Errors
/// As [`Outcomes::read`].
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

/// The answer for `playouts` playouts, by those won and lost.
pub fn tally(playouts: u64, (wins, losses): (u64, u64)) -> crate::words::Tally {
    crate::words::Tally {
        wins,
        draws: playouts - wins - losses,
        losses,
        ..crate::words::Tally::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_cover_a_range_and_meet_between_draws() {
        assert_eq!(launches(&(5..5), 64).count(), 0);
        assert!(launches(&(5..40), 64).eq(std::iter::once(5..40)));
        let parts: Vec<_> = launches(&(33..200), 64).collect();
        assert_eq!(parts, [33..96, 96..160, 160..200]);
    }
}
