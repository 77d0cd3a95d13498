//! `sliced`: bit-sliced playouts on a device.

use std::ops::Range;

use super::sliced_groups::{GroupShape, Groups, SLICED};
use super::sliced_items::Items;
use super::tasks::{self, Annexation, RandomPlayer, Wanted};
use crate::opencl::{Device, DeviceKind};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{
    Fault, Kind, ParamEntry, Params, Task, TechniqueEntry, Value, takes_every_case,
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
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[SHAPE, WORDS, CHUNK, LOOK, GROUPS],
        check: takes_every_case,
    },
    prepare,
};

/// Playouts of the first batch of a choice, and the most of one.
const BATCHES: Range<u64> = 65_536..67_108_864;

const SHAPE: ParamEntry = ParamEntry {
    name: "shape",
    allowed: "`auto`: items on a processor, else groups; `groups` or `items`",
    default: "auto",
    check: |value| choice(SHAPE.name, value, &["auto", "groups", "items"]).map(drop),
};

const WORDS: ParamEntry = ParamEntry {
    name: "words",
    allowed: "of 32 playouts that a work-group plays at a time: `auto`, 1, 2 or 4; as `auto` the most that \
         local memory has room for, fewer for small batches",
    default: "auto",
    check: |value| words(value).map(drop),
};

const CHUNK: ParamEntry = ParamEntry {
    name: "chunk",
    allowed: "turns between two looks at which rows still matter, an even number from 2 to 64",
    default: "16",
    check: |value| number(CHUNK, value, 2..=64, 2).map(drop),
};

const LOOK: ParamEntry = ParamEntry {
    name: "look",
    allowed: "chunks between two looks at which playouts are decided, from 1 to 65536 (never)",
    default: "2",
    check: |value| number(LOOK, value, 1..=65_536, 1).map(drop),
};

const GROUPS: ParamEntry = ParamEntry {
    name: "groups",
    allowed: "work-groups for each compute unit at the most, from 1 to 65536",
    default: "64",
    check: |value| number(GROUPS, value, 1..=65_536, 1).map(drop),
};

fn refused(param: &str, value: &Value, allowed: &str) -> String {
    format!("{param}: `{value}`; allowed is {allowed}")
}

fn choice<'a>(param: &str, value: &'a Value, allowed: &[&str]) -> Result<&'a str, String> {
    let text = value.as_text().filter(|text| allowed.contains(text));
    text.ok_or_else(|| refused(param, value, SHAPE.allowed))
}

fn words(value: &Value) -> Result<Option<usize>, String> {
    match (value.as_text(), value.as_int()) {
        (Some("auto"), _) => Ok(None),
        (_, Some(words @ (1 | 2 | 4))) => Ok(Some(words as usize)),
        _ => Err(refused(WORDS.name, value, WORDS.allowed)),
    }
}

fn number(
    param: ParamEntry,
    value: &Value,
    range: std::ops::RangeInclusive<i64>,
    step: i64,
) -> Result<usize, String> {
    let number = value.as_int();
    let number = number.filter(|number| range.contains(number) && number % step == 0);
    let number = number.ok_or_else(|| refused(param.name, value, param.allowed))?;
    Ok(number as usize)
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
    tasks::prepare_flat(setup, BATCHES, |wanted| player(setup, wanted))
}

fn player(
    setup: &Setup<'_>,
    wanted: &Wanted<'_>,
) -> Result<Box<dyn RandomPlayer<Annexation>>, Fault> {
    let none = || Fault::Unsupported("no OpenCL device".into());
    let device = setup.device.ok_or_else(none)?;
    let params = setup.params;
    let shape = given(params, SHAPE, "auto".to_owned(), |value| {
        choice(SHAPE.name, value, &["auto", "groups", "items"]).map(str::to_owned)
    })?;
    if shape == "items" || shape == "auto" && on_processor(device) {
        return Ok(Box::new(Items::new(device, setup.kernels, wanted)?));
    }
    let whole = |param: ParamEntry, default| {
        given(params, param, default, |value| {
            number(param, value, 1..=i64::MAX, 1)
        })
    };
    let shape = GroupShape {
        words: given(params, WORDS, None, words)?,
        chunk: whole(CHUNK, 16)?,
        look: whole(LOOK, 2)?,
        groups_a_unit: whole(GROUPS, 64)?,
    };
    Ok(Box::new(Groups::new(
        device,
        setup.kernels,
        wanted,
        &SLICED,
        shape,
    )?))
}

fn on_processor(device: &Device) -> bool {
    device.info().kind == DeviceKind::Cpu
}
