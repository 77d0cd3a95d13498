//! `sliced`: bit-sliced playouts on a device.

use std::ops::Range;

use super::groups::groups;
use super::hard::{FLAT, MANY, PLAYOUTS, SMALL};
use super::play::Annexation;
use super::shapes::{Function, Job, Kernels, items};
use super::tasks::{self, RandomPlayer, Root};
use super::{Asked, Standing};
use crate::games::annexation::PLAYOUTS_A_DRAW;
use crate::opencl::{Device, DeviceKind, LaunchBudget, Outcomes, Queue};
use crate::techniques::hard::Trial;
use crate::techniques::list::choices;
use crate::techniques::tasks::random_games::in_launches;
use crate::techniques::{Setup, Technique};
use crate::words::{DEVICES, Fault, Tally, Task, TechniqueEntry, Telemetry};

/// Bit k of a cell's word is playout k, as in `serial-sliced`. GPUs get [`groups`], processors [`items`].
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "sliced",
        summary: "playouts a bit each: a work-group a few words of them, on processors a work-item 1024",
        needs: "local memory: 8 bytes a cell and word, 6.3 KB on hex200 and 32 KB on hex1000 with 4 words",
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
            Ok(Box::new(Sliced::new(setup, play)?))
        })
    },
};

/// Playouts of a choice's first batch, and the limit of a batch.
const BATCHES: Range<u64> = 65_536..67_108_864;

/// The same for processors. The first batch fills a work-item's lanes for each colour.
const BATCHES_ON_PROCESSOR: Range<u64> = 8_192..BATCHES.end;

choices! {
    /// The parameter `shape`; true for items, `None` for `auto`.
    pub SHAPE, shape -> Option<bool>:
        "shape", {"auto" => None, "groups" => Some(false), "items" => Some(true)}, "auto",
        "`auto`: items on a processor, else groups; `groups` or `items`";
}

/// The kernels of the shape by parameters and device, which play `function`.
pub fn kernels(setup: &Setup<'_>, play: &Annexation, function: Function) -> Result<Kernels, Fault> {
    let device = setup.on_device()?;
    let by_items = SHAPE.given(setup.params, None, shape)?;
    let built = if by_items.unwrap_or_else(|| on_processor(device)) {
        items(device, play, function)?
    } else {
        groups(device, play, function)?
    };
    Kernels::new(setup, built)
}

fn on_processor(device: &Device) -> bool {
    device.info().kind == DeviceKind::Cpu && device.quirks().wide_vectors().is_ok()
}

/// Playouts of positions, 32 to a word.
struct Sliced {
    asked: Asked,
    kernels: Kernels,
    tallies: Outcomes,
    budget: LaunchBudget,
    /// True after every kernel has been launched.
    warm: bool,
    /// Turns left per position.
    turns: Vec<u32>,
    /// Index of the position whose board is on the device.
    current: Option<usize>,
}

impl Sliced {
    fn new(setup: &Setup<'_>, play: &Annexation) -> Result<Sliced, Fault> {
        let (device, kernels) = (
            setup.on_device()?,
            kernels(setup, play, Function::Playouts)?,
        );
        Ok(Sliced {
            asked: play.asked,
            tallies: Outcomes::new(device, "part", kernels.most_groups(), TALLY_WORDS)?,
            kernels,
            budget: LaunchBudget::new(device, FIRST),
            warm: false,
            turns: Vec::new(),
            current: None,
        })
    }

    /// Launches a range, with the kernel at `place` or with the kernel for its size.
    fn launch(
        &mut self,
        index: usize,
        range: &Range<u64>,
        place: Option<usize>,
        sums: &mut (u64, u64),
    ) -> Result<(), Fault> {
        if self.current != Some(index) {
            self.current = None;
            self.kernels.upload(index)?;
            self.current = Some(index);
        }
        let block = range.start / PLAYOUTS_A_DRAW;
        let words = (range.end - block * PLAYOUTS_A_DRAW).div_ceil(PLAYOUTS_A_DRAW);
        let place = place.unwrap_or_else(|| self.kernels.place_for(words));
        let turns = self.turns[index];
        let job = Job::Playouts {
            turns,
            block,
            range,
        };
        let what = (place, index);
        self.kernels
            .launch(what, words as usize, &job, &mut self.tallies)?;
        add_up(&mut self.tallies, &mut self.kernels.queue, sums)
    }
}

impl RandomPlayer<Annexation> for Sliced {
    /// The first time, launches every kernel: some drivers compile at first use.
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        let roots = positions.iter().map(|it| Root::new(&self.asked, it));
        let roots: Vec<Root> = roots.collect();
        self.turns = roots.iter().map(|root| root.turns).collect();
        self.kernels.load(roots.iter().map(|root| &root.board));
        self.current = None;
        if !self.warm && !roots.is_empty() {
            let places = self.kernels.words().len();
            for place in 0..places {
                self.launch(0, &(0..1), Some(place), &mut (0, 0))?;
            }
            self.kernels.queue.take_parts();
            self.warm = true;
        }
        Ok(())
    }

    fn begin_sample(&mut self) {
        self.current = None;
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let mut sums = (0, 0);
        let count = playouts.end.saturating_sub(playouts.start);
        let launch = |it: &mut Self, part| it.launch(index, &part, None, &mut sums);
        in_launches(self, |it| &mut it.budget, playouts, next_launch, launch)?;
        Ok(tally(count, sums))
    }

    fn telemetry(&mut self) -> Telemetry {
        self.kernels.telemetry()
    }
}

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
