//! `sliced`: bit-sliced playouts on a device.

use std::ops::Range;

use super::device::{FIRST, TALLY_WORDS, add_up, next_launch, tally};
use super::groups::{GroupShape, groups};
use super::hard::{FLAT, MANY, PLAYOUTS, SMALL};
use super::items::items;
use super::play::Annexation;
use super::shapes::{Function, Job, Kernels};
use super::tasks::{self, RandomPlayer, Root};
use super::{Asked, Standing};
use crate::games::annexation::PLAYOUTS_A_DRAW;
use crate::opencl::{Device, DeviceKind, LaunchBudget, Outcomes};
use crate::techniques::hard::Trial;
use crate::techniques::list::{choices, whole_numbers};
use crate::techniques::tasks::sums::in_launches;
use crate::techniques::{Setup, Technique};
use crate::words::{DEVICES, Fault, ParamEntry, Tally, Task, TechniqueEntry, Telemetry, Value};

/// Bit k of a cell's word is playout k, as in `serial-sliced`. GPUs get [`groups`], processors [`items`].
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "sliced",
        summary: "playouts a bit each: a work-group a few words of them, on processors a work-item 1024",
        needs: "local memory: 8 bytes a cell and word, 6.3 KB on hex200 and 32 KB on hex1000 with 4 words",
        like: "rayon-sliced",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[SHAPE, WORDS, HELD, CHUNK, LOOK, GROUPS, DEVICES],
        splits: true,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("", MANY),
        Trial::new("", FLAT),
        Trial::new("shape=groups words=1", SMALL),
        Trial::new("shape=groups words=2", SMALL),
        Trial::new("shape=groups chunk=4 look=1 groups=1 held=3", SMALL),
        Trial::new("shape=items chunk=2 look=3", SMALL),
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

    /// The parameter `words`; `None` for `auto`.
    pub WORDS, words -> Option<usize>:
        "words", {"auto" => None, "1" => Some(1), "2" => Some(2), "4" => Some(4)}, "auto",
        "of 32 playouts that a work-group plays at a time: `auto`, 1, 2 or 4; as `auto` the most that \
         local memory has room for, fewer for small batches";
}

whole_numbers! {
    /// The parameter `held`.
    pub auto HELD, held: "held", 1..=16, "auto",
        "cells of a work-item at the least: `auto`, as leaves 128 work-items to a group, 8 at the most; or 1 to 16; \
              more where a group has too few work-items";

    /// The parameter `look`.
    pub number LOOK, look: "look", 1..=65_536, "2",
        "chunks between two looks at which playouts are decided, from 1 to 65536 (never)";

    number GROUPS, groups_a_unit: "groups", 1..=65_536, "64",
        "work-groups for each compute unit at the most, from 1 to 65536";
}

/// The parameter `chunk`.
pub const CHUNK: ParamEntry = ParamEntry {
    name: "chunk",
    allowed: "turns between two looks at which rows still matter, an even number from 2 to 64",
    default: "16",
    check: |value| chunk(value).map(drop),
};

fn chunk(value: &Value) -> Result<usize, String> {
    match CHUNK.whole(value, 2..=64)? {
        turns if turns % 2 == 0 => Ok(turns),
        _ => Err(CHUNK.refused(value)),
    }
}

/// The kernels of the shape by parameters and device, which play `function`. Fails with [`Fault::Input`] for an invalid
/// parameter, as [`groups`] or [`items`], and as [`Kernels::new`].
pub fn kernels(setup: &Setup<'_>, play: &Annexation, function: Function) -> Result<Kernels, Fault> {
    let (device, params) = (setup.on_device()?, setup.params);
    let by_items = SHAPE.given(params, None, shape)?;
    let built = if by_items.unwrap_or_else(|| on_processor(device)) {
        items(device, play, function)?
    } else {
        let shape = GroupShape {
            words: WORDS.given(params, None, words)?,
            held: HELD.given(params, None, held)?,
            chunk: CHUNK.given(params, 16, chunk)?,
            look: LOOK.given(params, 2, look)?,
            groups_a_unit: GROUPS.given(params, 64, groups_a_unit)?,
        };
        groups(device, play, shape, function)?
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
