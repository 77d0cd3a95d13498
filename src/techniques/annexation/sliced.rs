//! `sliced`: plays bit-sliced playouts on a device.

use std::ops::Range;

use super::hard::{FLAT, MANY, PLAYOUTS, SMALL};
use super::play::Annexation;
use super::shapes::{Kernels, SHAPE, on_processor};
use super::tasks::{self, RandomPlayer, root};
use super::{Asked, Standing};
use crate::games::annexation::{PLAYOUTS_A_DRAW, Position};
use crate::techniques::prelude::*;
use crate::techniques::tasks::random_games::in_launches;

/// Bit k of a cell's word belongs to playout k, as in `serial-sliced`. On GPUs, the work-items of a group share the
/// cells (`cl/annexation/sliced_groups.cl`). On CPUs, each work-item handles all cells (`sliced_items.cl`).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "sliced",
        summary: "one bit per playout, with a few words per work-group, or 1024 playouts per work-item on CPUs",
        needs: "local memory: 8 bytes per cell and word, with 4 words 6.3 KB on hex200 and 32 KB on hex1000",
        like: "rayon-sliced",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[SHAPE, DEVICES],
        splits: true,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("", MANY),
        Trial::new("", FLAT),
        Trial::new("shape=groups", SMALL),
        Trial::new("shape=items", SMALL),
    ],
    prepare: |setup| {
        let batches = match setup.device {
            Some(device) if on_processor(device) => BATCHES_ON_PROCESSOR,
            _ => BATCHES,
        };
        tasks::prepare_flat(setup, batches, |play| {
            let kernels = Kernels::new(setup, play, None)?;
            Ok(Box::new(Sliced {
                asked: play.asked,
                budget: LaunchBudget::new(setup.on_device()?, FIRST),
                kernels,
                loaded: Vec::new(),
            }))
        })
    },
};

/// Sizes of the first batch of a choice and of the largest batch, in playouts.
const BATCHES: Range<u64> = 65_536..67_108_864;

/// Like [`BATCHES`], but for CPUs. The first batch fills a work-item's words for each colour.
const BATCHES_ON_PROCESSOR: Range<u64> = 8_192..BATCHES.end;

/// Plays playouts from positions, with 32 playouts per word.
struct Sliced {
    asked: Asked,
    kernels: Kernels,
    budget: LaunchBudget,
    loaded: Vec<Position>,
}

impl RandomPlayer<Annexation> for Sliced {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        self.loaded = positions.iter().map(|it| root(&self.asked, it)).collect();
        self.kernels.load(&self.loaded);
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let count = playouts.end.saturating_sub(playouts.start);
        let (mut wins, mut losses) = (0, 0);
        self.kernels.upload_range(index, &self.loaded[index])?;
        let launch = |it: &mut Self, part: Range<u64>| {
            let seats = part.end.div_ceil(PLAYOUTS_A_DRAW) - part.start / PLAYOUTS_A_DRAW;
            let kernels = &mut it.kernels;
            let place = kernels.place_for(seats as usize);
            kernels.launch((place, index), &it.loaded[index], &part)?;
            kernels.results.read(&mut kernels.queue, |part| {
                wins += u64::from(part.word(0));
                losses += u64::from(part.word(1));
            })
        };
        in_launches(self, |it| &mut it.budget, playouts, next_launch, launch)?;
        Ok(tally(count, (wins, losses)))
    }

    fn telemetry(&mut self) -> Telemetry {
        self.kernels.telemetry()
    }
}

/// Number of playouts in the first launch on a device whose rate is unknown.
pub const FIRST: u64 = 1 << 13;

/// Returns the playouts of the next launch: at most `most`, rounded up to a multiple of 32 or to the end of the range.
pub fn next_launch(playouts: &Range<u64>, most: u64) -> Range<u64> {
    let aligned = playouts.start - playouts.start % PLAYOUTS_A_DRAW;
    let most = most.next_multiple_of(PLAYOUTS_A_DRAW);
    playouts.start..aligned.saturating_add(most).min(playouts.end)
}

/// Returns the tally of `playouts` playouts with these wins and losses.
pub fn tally(playouts: u64, (wins, losses): (u64, u64)) -> Tally {
    Tally {
        wins,
        draws: playouts - wins - losses,
        losses,
        ..Tally::default()
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
