//! Techniques that are a kernel of the user's under a contract: a signature, and a position's words as the game packs
//! them. docs/KERNELS.md has the contracts.

mod perft;
mod playouts;
mod subtrees;

use std::collections::HashSet;
use std::path::Path;

pub use perft::OwnPerft;
pub use playouts::OwnPlayouts;
pub use subtrees::{OwnSiblings, SearchPacking, searching};

use crate::opencl::{BuildNeeds, Defines, DeviceKind, Runner, WorkGroup, own_kernel_source};
use crate::words::{
    Counts, DEVICES, Fault, ParamEntry, Params, Task, TechniqueEntry, Telemetry, Value,
};

use super::hard::Trial;
use super::program::params::{
    CONTRACT, HASH, HASH_PARAM, KERNEL, OWN_RANDOM, OWN_RANDOM_PARAM, RULES_DIFFER,
    RULES_DIFFER_PARAM, hash_of_text, is_set,
};
use super::tasks::Play;
use super::{Prepare, Setup, Technique};

/// A kernel of the contract `playouts`. A game adds its name, as to all four.
pub const PLAYOUTS: TechniqueEntry = TechniqueEntry {
    name: "kernel-playouts",
    summary: "a kernel of yours: docs/KERNELS.md",
    paper: "yours",
    counts: Counts::Vary,
    tasks: &[Task::Playouts],
    params: &[
        KERNEL_PARAM,
        CONTRACT_PARAM,
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
        CONTRACT_PARAM,
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

const KERNEL_PARAM: ParamEntry = ParamEntry {
    name: KERNEL,
    allowed: "the kernel's file",
    default: "",
    check: text,
};

const CONTRACT_PARAM: ParamEntry = ParamEntry {
    name: CONTRACT,
    allowed: "playouts, perft, subtrees or evaluate",
    default: "",
    check: text,
};

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
    check: |value| GROUP.whole_or_auto(value, 1..=1024).map(drop),
};

/// Constants that every kernel or a contract has from the harness.
const CONTRACTS: [&str; 2] = ["GROUP", "LEVELS"];

const DEFINES: ParamEntry = ParamEntry {
    name: "defines",
    allowed: "a list of constants for the kernel, as \"NAME=VALUE\", each once, none of them GROUP or LEVELS",
    default: "[]",
    check: |value| constants(value).map(drop),
};

fn text(value: &Value) -> Result<(), String> {
    let found = value.as_text().map(drop);
    found.ok_or_else(|| format!("`{value}`; allowed is text"))
}

fn constants(value: &Value) -> Result<Vec<(String, String)>, String> {
    let wrong = || format!("defines: `{value}`; allowed is {}", DEFINES.allowed);
    let Value::List(items) = value else {
        return Err(wrong());
    };
    let read = |item: &Value| {
        let (name, value) = item.as_text()?.split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    };
    let read: Option<Vec<(String, String)>> = items.iter().map(read).collect();
    let read = read.ok_or_else(wrong)?;
    let mut names = HashSet::from(CONTRACTS);
    match read.iter().all(|(name, _)| names.insert(name)) {
        true => Ok(read),
        false => Err(wrong()),
    }
}

/// A kernel of the user's, built for its group.
struct OwnKernel {
    run: Runner,
    /// Playouts or positions of a launch, at most.
    most: usize,
}

impl OwnKernel {
    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}

/// Builds the kernel of that name, with constants of the contract's and the game's.
fn build(
    setup: &Setup<'_>,
    kernel: &str,
    own: &[(&'static str, String)],
) -> Result<OwnKernel, Fault> {
    let device = setup.on_device()?;
    let file = setup.params.get(KERNEL).and_then(Value::as_text);
    let file = file.ok_or_else(|| Fault::Input(format!("{KERNEL}: no file is given")))?;
    let group = GROUP.given(setup.params, None, |value| {
        GROUP.whole_or_auto(value, 1..=1024)
    })?;
    let processor = device.info().kind == DeviceKind::Cpu;
    let group = match group {
        Some(group) => WorkGroup::Exactly(group).on(device.info())?,
        None => (if processor { 16 } else { 64 }).min(device.info().max_work_group.max(1)),
    };
    let given = DEFINES.given(setup.params, Vec::new(), constants)?;
    if let Some((name, _)) = given
        .iter()
        .find(|(name, _)| own.iter().any(|it| it.0 == name))
    {
        return Err(Fault::Input(format!(
            "defines: {name} is a constant of the game; allowed are other names"
        )));
    }
    let size = group.to_string();
    let mut defines: Vec<(&str, String)> = own.to_vec();
    defines.push(("GROUP", size));
    defines.extend(
        given
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone())),
    );
    let source = as_noted(setup, file)?;
    let needs = BuildNeeds {
        // Some drivers want another build where a loop has one.
        barriers_in_loops: source.contains("barrier("),
        own_file: true,
        ..BuildNeeds::default()
    };
    let program = device.build(file, &defines, setup.kernels, needs)?;
    // The build has read it again.
    as_noted(setup, file)?;
    let mut run = Runner::new(device, &program, program.kernel(kernel)?, group)?;
    if let Some(how) = setup.params.get(RULES_DIFFER) {
        run.notes.push_str(&format!(", rules differ: {how}"));
    } else if is_set(setup.params, OWN_RANDOM) {
        run.notes.push_str(", checked: statistics");
    }
    let most = GLOBAL.given(setup.params, None, |value| {
        GLOBAL.whole_or_auto(value, 1..=1 << 20)
    })?;
    if let Some(most) = most {
        run.notes.push_str(&format!(", global {most}"));
    }
    Ok(OwnKernel {
        run,
        most: most.unwrap_or(usize::MAX),
    })
}

/// What the file says, with all that it includes. Fails with [`Fault::Input`] where it is not what it was when the run
/// noted its hash, which is in the cell's key; and where it cannot be read.
fn as_noted(setup: &Setup<'_>, file: &str) -> Result<String, Fault> {
    let source = own_kernel_source(Path::new(file), setup.kernels)?;
    let noted = setup.params.get(HASH).and_then(Value::as_text);
    match noted {
        Some(noted) if noted != hash_of_text(&source) => Err(Fault::Input(format!(
            "{file}: it, or what it includes, was edited after the run began; run it again"
        ))),
        _ => Ok(source),
    }
}

/// The words of a position.
pub type Pack<P> = Box<dyn Fn(&<P as Play>::Position) -> Vec<u32>>;

/// How a game's positions go to kernels.
pub struct Packing<P: Play> {
    /// The words of a position.
    pub pack: Pack<P>,
    /// How many there are, at most.
    pub words: usize,
    /// The constants that the game's own files want.
    pub constants: Defines,
}

/// What the file of a kernel says, with all that it includes. Fails if it cannot be read.
pub fn source_of(params: &Params, kernels: Option<&Path>) -> Result<Option<String>, Fault> {
    let file = params.get(KERNEL).and_then(Value::as_text);
    let source = file.map(|file| own_kernel_source(Path::new(file), kernels));
    source.transpose()
}
