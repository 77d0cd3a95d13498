//! Runs user-supplied kernels. docs/KERNELS.md describes the contracts: their signatures and a position's words.

use std::collections::HashSet;
use std::path::Path;

pub use playouts::{Packing, playing};
pub use subtrees::{SearchPacking, searching};

use super::hard::Trial;
use super::list::whole_numbers;
use super::program::params::{HASH, KERNEL, RANDOM, RULES, as_noted, comparison, kernel_of, text};
use super::tasks::{Counter, Counting, Loads, Pack, PerftSearcher, Play};
use super::{Prepare, Setup, Technique};
use crate::opencl::own_kernel_source;
use crate::techniques::prelude::*;

mod playouts;
mod subtrees;

/// A contract's name in the catalogue, its tasks and its parameters.
type Contract = (&'static str, &'static [Task], &'static [ParamEntry]);

/// The contract `playouts`.
pub const PLAYOUTS: Contract = ("kernel-playouts", &[Task::Playouts], PARAMS);
/// The contract `perft`.
pub const PERFT: Contract = ("kernel-perft", &[Task::Perft], PARAMS_OF_PERFT);
/// The contract `subtrees`.
pub const SUBTREES: Contract = ("kernel-subtrees", SEARCHES, PARAMS_OF_SEARCHES);
/// The contract `evaluate`.
pub const EVALUATE: Contract = ("kernel-evaluate", SEARCHES, PARAMS_OF_SEARCHES);

const SEARCHES: &[Task] = &[Task::Search, Task::Game, Task::Match];

const PARAMS: &[ParamEntry] = &[
    FILE, CONTRACT, GROUP, GLOBAL, DEFINES, RANDOM, RULES, HASH, DEVICES,
];
const PARAMS_OF_PERFT: &[ParamEntry] = &[FILE, CONTRACT, GROUP, GLOBAL, DEFINES, RULES, HASH];
const PARAMS_OF_SEARCHES: &[ParamEntry] =
    &[FILE, CONTRACT, GROUP, GLOBAL, PLIES, DEFINES, RULES, HASH];

/// Creates the technique for a user-supplied kernel with this contract.
pub const fn technique(
    game: &'static str,
    (name, tasks, params): Contract,
    trials: &'static [Trial],
    prepare: Prepare,
) -> Technique {
    Technique {
        entry: TechniqueEntry {
            game,
            name,
            summary: "your own kernel (docs/KERNELS.md)",
            paper: "yours",
            counts: Counts::Vary,
            tasks,
            params,
            ..TechniqueEntry::DEVICE
        },
        trials,
        prepare,
    }
}

const FILE: ParamEntry = text(KERNEL, "the kernel file");
const CONTRACT: ParamEntry = text("contract", "playouts, perft, subtrees or evaluate");

whole_numbers! {
    auto GLOBAL, read_global: "global", 1..=1 << 20, "auto",
        "`auto` (the contract's maximum) or the maximum number of work-items per launch, from 1 to 1048576";

    auto GROUP, read_group: "group", 1..=1024, "auto",
        "`auto` (64, or 16 on a CPU) or the number of work-items per group, from 1 to 1024";

    number PLIES, read_plies: "plies", 0..=8, "",
        "a whole number from 0 to 8: plies that the host plays below a node before it launches; the default is 1 for \
              `subtrees` and 3 for `evaluate`";
}

const DEFINES: ParamEntry = ParamEntry {
    name: "defines",
    allowed: "a list of constants for the kernel, as \"NAME=VALUE\", with distinct names other than GROUP and LEVELS",
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

/// Builds the kernel for up to `most` work-items per launch. Also returns the actual maximum, which `global` may lower.
fn build(
    setup: &Setup<'_>,
    contract: &str,
    constants_of_game: Defines,
    most: usize,
) -> Result<(Runner, usize), Fault> {
    let (device, params) = (setup.on_device()?, setup.params);
    let file = kernel_of(params);
    let file = file.ok_or_else(|| Fault::Input(format!("{KERNEL}: no file is given")))?;
    let auto = match device.info().kind {
        DeviceKind::Cpu => 16,
        _ => 64,
    };
    let group = WorkGroup::given(GROUP.given(params, None, read_group)?, auto);
    let group = group.on(device.info())?;
    let mut defines: Vec<(&str, String)> = constants_of_game;
    defines.push(("GROUP", group.to_string()));
    for (name, value) in DEFINES.given(params, Vec::new(), constants)? {
        if defines.iter().any(|known| known.0 == name) {
            let why = format!("defines: {name} is a constant of the game; allowed are other names");
            return Err(Fault::Input(why));
        }
        defines.push((name, value));
    }
    let source = own_kernel_source(Path::new(file), setup.kernels)?;
    as_noted(params, setup.kernels)?;
    let needs = BuildNeeds {
        // Some drivers need a different build for barriers in loops.
        barriers_in_loops: source.contains("barrier("),
        own_file: true,
        ..BuildNeeds::default()
    };
    let program = device.build(file, &defines, setup.kernels, needs)?;
    // Check again that the file has not changed, because the build read it again.
    as_noted(params, setup.kernels)?;
    let mut run = Runner::new(device, &program, program.kernel(contract)?, group)?;
    let global = GLOBAL.given(params, None, read_global)?;
    let notes = [comparison(params), global.map(|it| format!("global {it}"))];
    for note in notes.into_iter().flatten() {
        run.notes.push_str(&format!(", {note}"));
    }
    Ok((run, most.min(global.unwrap_or(most))))
}

/// Number of positions per compute unit that the host generates for `perft`, and maximum number per launch.
const FRONT_A_UNIT: usize = 128;
const FRONT: usize = 1 << 16;

/// Prepares a kernel with the contract `perft`. It counts sequences of up to `deepest` plies.
pub fn counting<P: Play, G: Loads<P>>(
    setup: &Setup<'_>,
    game: G,
    (pack, mut constants): (Pack<G>, Defines),
    start: &P::Position,
    deepest: u32,
) -> Searching<P> {
    let (device, deepest) = (setup.on_device()?, deepest.max(1));
    constants.push(("LEVELS", deepest.to_string()));
    let (run, most) = build(setup, "perft", constants, FRONT)?;
    let wanted = FRONT_A_UNIT * (device.info().compute_units as usize).max(1);
    let (start, mut words) = (game.load(start), Vec::new());
    pack(&game, &start, &mut words);
    let sizes = (wanted, most);
    let counting = Counting::new(run, device, words.len(), deepest, sizes, Counter::Contract)?;
    let searcher = PerftSearcher::warmed(game, counting, pack, start)?;
    Ok(Box::new(searcher))
}
