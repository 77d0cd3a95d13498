//! The launches of kernels that play random games one after another, and what they sum.

use std::ops::Range;

use crate::opencl::Quirks;
use crate::words::{Fault, Tally};

/// Playouts of a launch, at most: the sums of a launch are words, but for the plies.
pub const MOST: u64 = 1 << 26;

/// What a launch adds to after the tally (`SUM_PLIES` and so on in the kernel).
const PLIES: usize = 0;
const STEPS_OF_LONGEST: usize = 2;

/// Adds the sums of a launch of `count` playouts to a tally. `read` has the wins, draws and losses of each first
/// move, then the other sums. Returns the plies of the launch, and the steps of its longest lanes.
///
/// # Errors
/// If the launch finished another number of playouts than `count`.
pub fn add_sums(
    read: &[u32],
    count: u64,
    quirks: &Quirks,
    tally: &mut Tally,
) -> Result<(u64, u64), Fault> {
    let (sums, totals) = read.split_at(3 * tally.by_first_move.len());
    let done: u64 = sums.iter().map(|sum| u64::from(*sum)).sum();
    if done != count {
        return Err(quirks.unfinished(format!(
            "kernel `flat_refill` finished {done} playouts of {count}"
        )));
    }
    for (own, more) in tally.by_first_move.iter_mut().zip(sums.chunks_exact(3)) {
        own.0 += u64::from(more[0]);
        own.1 += u64::from(more[1]);
        own.2 += u64::from(more[2]);
    }
    let wide = |at: usize| u64::from(totals[at + 1]) << 32 | u64::from(totals[at]);
    tally.plies += wide(PLIES);
    Ok((wide(PLIES), wide(STEPS_OF_LONGEST)))
}

/// The playouts of a range in launches of at most [`MOST`], whose numbers share their high word.
pub fn launches(playouts: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let mut from = playouts.start;
    std::iter::from_fn(move || {
        let same_high = (from | u64::from(u32::MAX)) + 1;
        let end = playouts.end.min(same_high).min(from + MOST);
        let launch = from..end;
        from = end;
        (!launch.is_empty()).then_some(launch)
    })
}
