//! The launches of kernels that play random games one after another, and what they sum.

use std::ops::Range;
use std::time::Instant;

use crate::opencl::{LaunchBudget, Quirks, Runner};
use crate::words::{Fault, Tally, Telemetry, resource};

/// Playouts of a launch, at most: the sums of a launch are words, but for the plies.
pub const MOST: u64 = 1 << 26;

/// What a launch adds to after the tally (`SUM_PLIES` and so on in the kernel).
const PLIES: usize = 0;
const STEPS_OF_LONGEST: usize = 2;

/// Adds the sums of a launch of `count` playouts to a tally. `read` has the wins, draws and losses of each first move,
/// then the other sums. Returns the plies of the launch, and the steps of its longest lanes.
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

/// Steps of lanes, and the plies that they played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Plies without each game's first ply. The host plays the first.
    pub plies: u64,
    /// Per lane, the largest number of steps among the lanes in lockstep with it.
    pub steps: u64,
}

impl Steps {
    /// Share of steps that play a ply, in millionths.
    pub fn efficiency_ppm(self) -> u64 {
        self.plies * 1_000_000 / self.steps.max(1)
    }
}

/// A player's telemetry, with its SIMT efficiency in millionths.
pub fn with_efficiency(run: &mut Runner, efficiency_ppm: u64) -> Telemetry {
    let mut resources = run.resources();
    resources.push((resource::SIMT_EFFICIENCY.to_owned(), efficiency_ppm));
    Telemetry {
        resources,
        ..run.telemetry()
    }
}

/// The playouts of the first launch on a device whose rate is not known.
pub const FIRST: u64 = 1 << 12;

/// Plays a range of playouts in launches within a budget, of at most [`MOST`] each. `next` returns the beginning of a
/// range for one launch.
pub fn in_launches<P>(
    player: &mut P,
    budget: fn(&mut P) -> &mut LaunchBudget,
    playouts: Range<u64>,
    next: fn(&Range<u64>, u64) -> Range<u64>,
    mut launch: impl FnMut(&mut P, Range<u64>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut rest = playouts;
    while !rest.is_empty() {
        let most = budget(player).next().unwrap_or(MOST);
        let part = next(&rest, most.min(MOST));
        rest.start = part.end;
        let (count, start) = (part.end - part.start, Instant::now());
        launch(player, part)?;
        budget(player).learn(count, start.elapsed());
    }
    Ok(())
}

/// The beginning of a range, of at most `most` playouts whose numbers share their high word.
pub fn with_same_high(playouts: &Range<u64>, most: u64) -> Range<u64> {
    let from = playouts.start;
    let same_high = (from | u64::from(u32::MAX)) + 1;
    from..playouts.end.min(same_high).min(from + most)
}
