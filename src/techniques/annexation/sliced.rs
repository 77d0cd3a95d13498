//! `sliced`: bit-sliced playouts on a device.

use std::ops::Range;

use super::group_kernels::GroupShape;
use super::hard::{FLAT, MANY, PLAYOUTS, SMALL};
use super::sliced_groups::{Groups, SLICED};
use super::sliced_items::Items;
use super::tasks::{self, Annexation, RandomPlayer, Wanted};
use crate::opencl::{Device, DeviceKind};
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{
    Counts, Fault, Kind, ParamEntry, Params, Task, TechniqueEntry, Value, takes_every_case,
};

/// Bit k of a cell's word is playout k, as in `serial-sliced`, in one of two shapes: [`Groups`] for GPUs,
/// [`Items`] for processors.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "sliced",
        kind: Kind::Device,
        summary: "playouts a bit each: a work-group a few words of them, on processors a work-item 1024",
        paper: "ours",
        needs: "local memory: 8 bytes a cell and word, 6.3 KB on hex200 and 32 KB on hex1000 with 4 words",
        like: "rayon-sliced",
        reference: "serial",
        counts: Counts::As("serial"),
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[SHAPE, WORDS, HELD, CHUNK, LOOK, GROUPS],
        check: takes_every_case,
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
    prepare,
};

/// Playouts of the first batch of a choice, and the most of one.
const BATCHES: Range<u64> = 65_536..67_108_864;

/// The same on processors: as many as fill a work-item's lanes for each colour. With 65,536 a choice in
/// 10 ms would take ten times as long on two cores.
const BATCHES_ON_PROCESSOR: Range<u64> = 8_192..BATCHES.end;

/// The parameter `shape`.
pub const SHAPE: ParamEntry = ParamEntry {
    name: "shape",
    allowed: "`auto`: items on a processor, else groups; `groups` or `items`",
    default: "auto",
    check: |value| shape(value).map(drop),
};

const SHAPES: [&str; 3] = ["auto", "groups", "items"];

/// The parameter `words`.
pub const WORDS: ParamEntry = ParamEntry {
    name: "words",
    allowed: "of 32 playouts that a work-group plays at a time: `auto`, 1, 2 or 4; as `auto` the most that \
         local memory has room for, fewer for small batches",
    default: "auto",
    check: |value| words(value).map(drop),
};

/// The parameter `held`.
pub const HELD: ParamEntry = ParamEntry {
    name: "held",
    allowed: "cells of a work-item at the least: `auto`, as leaves 128 work-items to a group, 8 at the most; or 1 to 16; \
              more where a group has too few work-items",
    default: "auto",
    check: |value| held(value).map(drop),
};

/// The parameter `chunk`.
pub const CHUNK: ParamEntry = ParamEntry {
    name: "chunk",
    allowed: "turns between two looks at which rows still matter, an even number from 2 to 64",
    default: "16",
    check: |value| chunk(value).map(drop),
};

/// The parameter `look`.
pub const LOOK: ParamEntry = ParamEntry {
    name: "look",
    allowed: "chunks between two looks at which playouts are decided, from 1 to 65536 (never)",
    default: "2",
    check: |value| look(value).map(drop),
};

const GROUPS: ParamEntry = ParamEntry {
    name: "groups",
    allowed: "work-groups for each compute unit at the most, from 1 to 65536",
    default: "64",
    check: |value| groups(value).map(drop),
};

fn refused(param: &str, value: &Value, allowed: &str) -> String {
    format!("{param}: `{value}`; allowed is {allowed}")
}

fn shape(value: &Value) -> Result<String, String> {
    let text = value.as_text().filter(|text| SHAPES.contains(text));
    let text = text.ok_or_else(|| refused(SHAPE.name, value, SHAPE.allowed))?;
    Ok(text.to_owned())
}

fn words(value: &Value) -> Result<Option<usize>, String> {
    match (value.as_text(), value.as_int()) {
        (Some("auto"), _) => Ok(None),
        (_, Some(words @ (1 | 2 | 4))) => Ok(Some(words as usize)),
        _ => Err(refused(WORDS.name, value, WORDS.allowed)),
    }
}

fn held(value: &Value) -> Result<Option<usize>, String> {
    match (value.as_int(), value.as_text()) {
        (Some(cells @ 1..=16), _) => Ok(Some(cells as usize)),
        (_, Some("auto")) => Ok(None),
        _ => Err(refused(HELD.name, value, HELD.allowed)),
    }
}

fn chunk(value: &Value) -> Result<usize, String> {
    match value.as_int() {
        Some(turns @ 2..=64) if turns % 2 == 0 => Ok(turns as usize),
        _ => Err(refused(CHUNK.name, value, CHUNK.allowed)),
    }
}

fn look(value: &Value) -> Result<usize, String> {
    match value.as_int() {
        Some(chunks @ 1..=65_536) => Ok(chunks as usize),
        _ => Err(refused(LOOK.name, value, LOOK.allowed)),
    }
}

fn groups(value: &Value) -> Result<usize, String> {
    match value.as_int() {
        Some(groups @ 1..=65_536) => Ok(groups as usize),
        _ => Err(refused(GROUPS.name, value, GROUPS.allowed)),
    }
}

fn given<T>(
    params: &Params,
    param: ParamEntry,
    default: T,
    read: impl Fn(&Value) -> Result<T, String>,
) -> Result<T, Fault> {
    let value = params.get(param.name);
    value.map_or(Ok(default), read).map_err(Fault::Input)
}

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let batches = match setup.device {
        Some(device) if on_processor(device) => BATCHES_ON_PROCESSOR,
        _ => BATCHES,
    };
    tasks::prepare_flat(setup, batches, |wanted| player(setup, wanted))
}

fn player(
    setup: &Setup<'_>,
    wanted: &Wanted<'_>,
) -> Result<Box<dyn RandomPlayer<Annexation>>, Fault> {
    let device = device(setup)?;
    Ok(match shape_on(setup.params, device)? {
        Some(shape) => Box::new(Groups::new(device, setup.kernels, wanted, &SLICED, shape)?),
        None => Box::new(Items::new(device, setup.kernels, wanted)?),
    })
}

/// The device.
///
/// # Errors
/// [`Fault::Unsupported`] without one.
pub fn device<'a>(setup: &Setup<'a>) -> Result<&'a Device, Fault> {
    let none = || Fault::Unsupported("no OpenCL device".into());
    setup.device.ok_or_else(none)
}

/// The shape of the groups, as the parameters and the device have it; `None`: a work-item plays.
///
/// # Errors
/// [`Fault::Input`] where a parameter makes no sense.
pub fn shape_on(params: &Params, device: &Device) -> Result<Option<GroupShape>, Fault> {
    let asked = given(params, SHAPE, SHAPES[0].to_owned(), shape)?;
    if asked == "items" || asked == "auto" && on_processor(device) {
        return Ok(None);
    }
    Ok(Some(GroupShape {
        words: given(params, WORDS, None, words)?,
        held: given(params, HELD, None, held)?,
        chunk: given(params, CHUNK, 16, chunk)?,
        look: given(params, LOOK, 2, look)?,
        groups_a_unit: given(params, GROUPS, 64, groups)?,
    }))
}

fn on_processor(device: &Device) -> bool {
    device.info().kind == DeviceKind::Cpu && device.quirks().wide_vectors().is_ok()
}
