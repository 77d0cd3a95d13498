//! Techniques that are a kernel of the user's under a contract: a signature, and a position's words as the game packs
//! them. docs/KERNELS.md has the contracts.

mod perft;
mod playouts;
mod subtrees;

use std::collections::HashSet;
use std::path::Path;

pub use perft::OwnPerft;
pub use playouts::OwnPlayouts;
pub use subtrees::{SearchPacking, searching};

use super::group::Group;
use super::hard::Trial;
use super::program::params::{
    HASH_PARAM, KERNEL, OWN_RANDOM_PARAM, RULES_DIFFER_PARAM, as_noted, comparison, kernel_of, text,
};
use super::tasks::Play;
use super::{Prepare, Setup, Technique};
use crate::opencl::{BuildNeeds, Defines, DeviceKind, Runner, WorkGroup, own_kernel_source};
use crate::words::{Counts, DEVICES, Fault, ParamEntry, Task, TechniqueEntry, Value};

/// A kernel of the contract `playouts`. A game adds its name, as to all four.
pub const PLAYOUTS: TechniqueEntry = TechniqueEntry {
    name: "kernel-playouts",
    summary: "a kernel of yours: docs/KERNELS.md",
    paper: "yours",
    counts: Counts::Vary,
    tasks: &[Task::Playouts],
    params: &[
        KERNEL_PARAM,
        CONTRACT,
        GROUP,
        GLOBAL,
        DEFINES,
        OWN_RANDOM_PARAM,
        RULES_DIFFER_PARAM,
        HASH_PARAM,
        DEVICES,
    ],
    ..TechniqueEntry::DEVICE
};

/// A kernel of the contract `perft`.
pub const PERFT: TechniqueEntry = TechniqueEntry {
    name: "kernel-perft",
    tasks: &[Task::Perft],
    ..PLAYOUTS
};

/// A kernel of the contract `subtrees`.
pub const SUBTREES: TechniqueEntry = TechniqueEntry {
    name: "kernel-subtrees",
    tasks: &[Task::Search, Task::Game, Task::Match],
    params: &[
        KERNEL_PARAM,
        CONTRACT,
        GROUP,
        GLOBAL,
        PLIES,
        DEFINES,
        RULES_DIFFER_PARAM,
        HASH_PARAM,
    ],
    ..PLAYOUTS
};

/// A kernel of the contract `evaluate`.
pub const EVALUATE: TechniqueEntry = TechniqueEntry {
    name: "kernel-evaluate",
    ..SUBTREES
};

/// A kernel under one of the contracts, for a game.
pub const fn technique(
    game: &'static str,
    contract: TechniqueEntry,
    trials: &'static [Trial],
    prepare: Prepare,
) -> Technique {
    Technique {
        entry: TechniqueEntry { game, ..contract },
        trials,
        prepare,
    }
}

const KERNEL_PARAM: ParamEntry = text(KERNEL, "the kernel's file");
const CONTRACT: ParamEntry = text("contract", "playouts, perft, subtrees or evaluate");

const GLOBAL: ParamEntry = ParamEntry {
    name: "global",
    allowed: "`auto`: as many as the contract has; or the work-items of a launch at most, from 1 to 1048576",
    default: "auto",
    check: |value| GLOBAL.whole_or_auto(value, 1..=1 << 20).map(drop),
};

const PLIES: ParamEntry = ParamEntry {
    name: "plies",
    allowed: "a whole number from 0 to 8: plies that the host plays below a node before it launches, 1 where nothing \
              is said for `subtrees`, and 3 for `evaluate`",
    default: "",
    check: |value| PLIES.whole(value, 0..=8).map(drop),
};

const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`auto`: 64, on a processor 16; or the work-items of a group, from 1 to 1024",
    default: "auto",
    check: |value| Group::parse(value, &GROUP).map(drop),
};

const DEFINES: ParamEntry = ParamEntry {
    name: "defines",
    allowed: "a list of constants for the kernel, as \"NAME=VALUE\", each once, none of them GROUP or LEVELS",
    default: "[]",
    check: |value| constants(value).map(drop),
};

fn constants(value: &Value) -> Result<Vec<(&str, String)>, String> {
    let mut names = HashSet::from(["GROUP", "LEVELS"]);
    let read = |item| {
        let (name, value) = Value::as_text(item)?.split_once('=')?;
        names.insert(name).then(|| (name, value.to_owned()))
    };
    let read = match value {
        Value::List(items) => items.iter().map(read).collect(),
        _ => None,
    };
    read.ok_or_else(|| DEFINES.refused(value))
}

/// Builds the kernel of the contract's name, with constants of the contract's and the game's, for launches of `most`
/// work-items. Returns the playouts or positions of a launch, at most.
fn build(
    setup: &Setup<'_>,
    contract: &str,
    own: Defines,
    most: usize,
) -> Result<(Runner, usize), Fault> {
    let (device, params) = (setup.on_device()?, setup.params);
    let file = kernel_of(params);
    let file = file.ok_or_else(|| Fault::Input(format!("{KERNEL}: no file is given")))?;
    let info = device.info();
    let group = match (Group::read(params, &GROUP)?, info.kind) {
        (Group::Items(items), _) => WorkGroup::Exactly(items).on(info)?,
        (Group::Auto, DeviceKind::Cpu) => info.max_work_group.clamp(1, 16),
        (Group::Auto, _) => info.max_work_group.clamp(1, 64),
    };
    let nothing = Value::List(Vec::new());
    let given = constants(params.get(DEFINES.name).unwrap_or(&nothing)).map_err(Fault::Input)?;
    let is_own = |name: &str| own.iter().any(|it| it.0 == name);
    if let Some((name, _)) = given.iter().find(|(name, _)| is_own(name)) {
        return Err(Fault::Input(format!(
            "defines: {name} is a constant of the game; allowed are other names"
        )));
    }
    let mut defines: Vec<(&str, String)> = own;
    defines.push(("GROUP", group.to_string()));
    defines.extend(given);
    let source = own_kernel_source(Path::new(file), setup.kernels)?;
    as_noted(params, setup.kernels)?;
    let needs = BuildNeeds {
        // Some drivers want another build where a loop has one.
        barriers_in_loops: source.contains("barrier("),
        own_file: true,
        ..BuildNeeds::default()
    };
    let program = device.build(file, &defines, setup.kernels, needs)?;
    // The build has read it again.
    as_noted(params, setup.kernels)?;
    let mut run = Runner::new(device, &program, program.kernel(contract)?, group)?;
    if let Some(how) = comparison(params) {
        run.notes.push_str(&format!(", {how}"));
    }
    let global = GLOBAL.given(params, None, |value| {
        GLOBAL.whole_or_auto(value, 1..=1 << 20)
    })?;
    if let Some(global) = global {
        run.notes.push_str(&format!(", global {global}"));
    }
    Ok((run, most.min(global.unwrap_or(most))))
}

/// What a position becomes: words, or positions.
pub(super) type To<Position, Item> = Box<dyn Fn(&Position) -> Vec<Item> + Send>;

/// How a game's positions go to kernels.
pub struct Packing<P: Play> {
    /// The words of a position.
    pub pack: To<P::Position, u32>,
    /// How many there are, at most.
    pub words: usize,
    /// The constants that the game's own files want.
    pub constants: Defines,
}
