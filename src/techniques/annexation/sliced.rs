//! `sliced`: bit-sliced playouts on a device.

use std::ops::Range;

use super::group_kernels::GroupShape;
use super::hard::{FLAT, MANY, PLAYOUTS, SMALL};
use super::play::Annexation;
use super::sliced_groups::Groups;
use super::sliced_items::Items;
use super::tasks::{self, RandomPlayer, Wanted};
use crate::opencl::{Device, DeviceKind};
use crate::techniques::hard::Trial;
use crate::techniques::list::{choices, whole_numbers};
use crate::techniques::{Setup, Technique};
use crate::words::{DEVICES, Fault, ParamEntry, Params, Task, TechniqueEntry, Value};

/// Bit k of a cell's word is playout k, as in `serial-sliced`. GPUs get [`Groups`], processors [`Items`].
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
        tasks::prepare_flat(setup, batches, |wanted| player(setup, wanted))
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

    number GROUPS, groups: "groups", 1..=65_536, "64",
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

fn player(
    setup: &Setup<'_>,
    wanted: &Wanted<'_>,
) -> Result<Box<dyn RandomPlayer<Annexation>>, Fault> {
    let device = setup.on_device()?;
    Ok(match shape_on(setup.params, device)? {
        Some(shape) => Box::new(Groups::new(device, setup.kernels, wanted, shape)?),
        None => Box::new(Items::new(device, setup.kernels, wanted)?),
    })
}

/// The group shape by parameters and device; `None` if work-items play alone. Fails with [`Fault::Input`].
pub fn shape_on(params: &Params, device: &Device) -> Result<Option<GroupShape>, Fault> {
    let items = SHAPE.given(params, None, shape)?;
    if items.unwrap_or_else(|| on_processor(device)) {
        return Ok(None);
    }
    Ok(Some(GroupShape {
        words: WORDS.given(params, None, words)?,
        held: HELD.given(params, None, held)?,
        chunk: CHUNK.given(params, 16, chunk)?,
        look: LOOK.given(params, 2, look)?,
        groups_a_unit: GROUPS.given(params, 64, groups)?,
    }))
}

fn on_processor(device: &Device) -> bool {
    device.info().kind == DeviceKind::Cpu && device.quirks().wide_vectors().is_ok()
}
