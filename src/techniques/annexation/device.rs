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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_cover_a_range_and_meet_between_draws() {
        let launches = |mut rest: Range<u64>| {
            std::iter::from_fn(move || {
                let launch = next_launch(&rest, 64);
                rest.start = launch.end;
                (!launch.is_empty()).then_some(launch)
            })
        };
        assert_eq!(launches(5..5).count(), 0);
        assert!(launches(5..40).eq(std::iter::once(5..40)));
        let parts: Vec<_> = launches(33..200).collect();
        assert_eq!(parts, [33..96, 96..160, 160..200]);
    }
}
