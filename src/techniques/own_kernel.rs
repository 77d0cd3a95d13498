//! Techniques that are a kernel of the user's under a contract: a signature, and a position's words as the game
//! packs them. docs/KERNELS.md has the contracts.

use std::ops::Range;
use std::path::Path;

use crate::opencl::{
    Access, Buffer, BuildNeeds, Defines, Device, DeviceKind, Runner, WorkGroup, own_kernel_source,
};
use crate::random::draw_key;
use crate::search::Found;
use crate::words::{
    Counters, Counts, Fault, ParamEntry, Params, Tally, TechniqueEntry, Telemetry, Value,
};

use super::Setup;
use super::part::Part;
use super::program::params::{
    CONTRACT, HASH_PARAM, KERNEL, OWN_RANDOM, OWN_RANDOM_PARAM, RULES_DIFFER, RULES_DIFFER_PARAM,
    is_set,
};
use super::tasks::{Play, RandomPlayer, Searcher, perft_from_front};

/// What kernels of all contracts have in common.
pub const ENTRY: TechniqueEntry = TechniqueEntry {
    summary: "a kernel of yours: docs/KERNELS.md",
    paper: "yours",
    counts: Counts::Vary,
    params: &[
        ParamEntry {
            name: KERNEL,
            allowed: "the kernel's file",
            default: "",
            check: text,
        },
        ParamEntry {
            name: CONTRACT,
            allowed: "playouts or perft",
            default: "",
            check: text,
        },
        GROUP,
        DEFINES,
        OWN_RANDOM_PARAM,
        RULES_DIFFER_PARAM,
        HASH_PARAM,
        crate::words::DEVICES,
    ],
    ..TechniqueEntry::DEVICE
};

const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`auto`: 64, on a processor 16; or the work-items of a group, from 1 to 1024",
    default: "auto",
    check: |value| GROUP.whole_or_auto(value, 1..=1024).map(drop),
};

const DEFINES: ParamEntry = ParamEntry {
    name: "defines",
    allowed: "a list of constants for the kernel, as \"NAME=VALUE\"",
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
    let read: Option<Vec<_>> = items.iter().map(read).collect();
    read.ok_or_else(wrong)
}

/// Builds the user's kernel of that name, for its group.
fn build(setup: &Setup<'_>, kernel: &str, own: &[(&'static str, String)]) -> Result<Runner, Fault> {
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
    let size = group.to_string();
    let mut defines: Vec<(&str, String)> = own.to_vec();
    defines.push(("GROUP", size));
    defines.extend(
        given
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone())),
    );
    let source = own_kernel_source(Path::new(file), setup.kernels)?;
    let needs = BuildNeeds {
        // Some drivers want another build where a loop has one.
        barriers_in_loops: source.contains("barrier("),
        own_file: true,
        ..BuildNeeds::default()
    };
    let program = device.build(file, &defines, setup.kernels, needs)?;
    let mut run = Runner::new(device, &program, program.kernel(kernel)?, group)?;
    if let Some(how) = setup.params.get(RULES_DIFFER) {
        run.notes.push_str(&format!(", rules differ: {how}"));
    } else if is_set(setup.params, OWN_RANDOM) {
        run.notes.push_str(", checked: statistics");
    }
    Ok(run)
}

/// How a game's positions go to kernels.
pub struct Packing<P: Play> {
    /// The words of a position, always as many.
    pub pack: fn(&P::Position) -> Vec<u32>,
    /// The constants that the game's own files want.
    pub constants: Defines,
}

/// Playouts of a launch, at most.
const MOST: usize = 1 << 20;

/// Results that no work-item has written.
const UNSET: u32 = u32::MAX;

/// What the playouts of a finished game are; `None` where a game goes on.
type Over<P> = dyn Fn(&<P as Play>::Position, Range<u64>) -> Option<Tally>;
/// How many first moves a position has.
type Moves<P> = dyn Fn(&<P as Play>::Position) -> u64;
/// The positions after each move.
type Children<P> = dyn Fn(&<P as Play>::Position) -> Vec<<P as Play>::Position>;

/// The contract `playouts`: a work-item plays a game and writes how it ended, in two bits, and its plies above
/// them.
pub struct OwnPlayouts<P: Play> {
    run: Runner,
    packing: Packing<P>,
    /// What the playouts of a finished game are; `None` where a game goes on.
    over: Box<Over<P>>,
    /// First moves of a position: playout number `n` begins with number `n` modulo them.
    moves: Box<Moves<P>>,
    key: u32,
    position: Buffer<u32>,
    results: Buffer<u32>,
    /// Playouts of a launch, at most.
    most: usize,
    loaded: Vec<P::Position>,
    read: Vec<u32>,
}

impl<P: Play> OwnPlayouts<P> {
    /// Builds the kernel, and launches once: some drivers compile for a work-group size when they first see it.
    ///
    /// # Errors
    /// Where the device refuses.
    pub fn new(
        setup: &Setup<'_>,
        packing: Packing<P>,
        start: &P::Position,
        moves: impl Fn(&P::Position) -> u64 + 'static,
        over: impl Fn(&P::Position, Range<u64>) -> Option<Tally> + 'static,
    ) -> Result<OwnPlayouts<P>, Fault> {
        let run = build(setup, "playouts", &packing.constants)?;
        let device = setup.on_device()?;
        // No more than a sample has: what no work-item may have written is cleared before each launch.
        let asked = setup.case.int("playouts").unwrap_or(MOST as i64);
        let most = asked.clamp(1, MOST as i64) as usize;
        let mut player = OwnPlayouts {
            position: device.buffer((packing.pack)(start).len(), Access::Read)?,
            results: device.buffer(most, Access::Write)?,
            most,
            run,
            packing,
            over: Box::new(over),
            moves: Box::new(moves),
            key: draw_key(setup.seed),
            loaded: vec![start.clone()],
            read: Vec::new(),
        };
        player.run.kernel.set_buffer(0, &player.position)?;
        player.run.kernel.set_scalar(1, player.key)?;
        player.run.kernel.set_buffer(4, &player.results)?;
        player.play(0, 0..1)?;
        player.run.telemetry();
        Ok(player)
    }
}

impl<P: Play> RandomPlayer<P> for OwnPlayouts<P> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.loaded = positions.to_vec();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let position = &self.loaded[index];
        if let Some(tally) = (self.over)(position, playouts.clone()) {
            return Ok(tally);
        }
        let moves = (self.moves)(position).max(1);
        let mut tally = Tally {
            by_first_move: vec![(0, 0, 0); moves as usize],
            ..Tally::default()
        };
        let run = &mut self.run;
        run.queue
            .write(&self.position, &(self.packing.pack)(position))?;
        let mut first = playouts.start;
        while first < playouts.end {
            let count = (playouts.end - first).min(self.most as u64) as usize;
            run.queue.fill(&self.results, UNSET)?;
            run.kernel.set_scalar(2, first)?;
            run.kernel.set_scalar(3, count as u32)?;
            run.launch_items(count)?;
            self.read.resize(count, 0);
            run.queue.read(&self.results, &mut self.read)?;
            for (number, result) in (first..).zip(&self.read) {
                let of_move = &mut tally.by_first_move[(number % moves) as usize];
                match (*result, result & 3) {
                    (UNSET, _) | (_, 3) => {
                        return Err(Fault::Wrong(format!(
                            "kernel `playouts`: the result of playout {number} is {result:#x}; its two lowest bits \
                             are to be 0 (won), 1 (drawn) or 2 (lost)"
                        )));
                    }
                    (_, 0) => of_move.0 += 1,
                    (_, 1) => of_move.1 += 1,
                    _ => of_move.2 += 1,
                }
                tally.plies += u64::from(result >> 2);
            }
            first += count as u64;
        }
        for (wins, draws, losses) in &tally.by_first_move {
            tally.wins += wins;
            tally.draws += draws;
            tally.losses += losses;
        }
        Ok(tally)
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            resources: self.run.resources(),
            ..self.run.telemetry()
        }
    }
}

/// Positions that the host plays on to, for each of the device's units, and those of one launch at most.
const FRONT_A_UNIT: usize = 128;
const FRONT: usize = 1 << 16;

/// The contract `perft`: the host plays the first plies, and a work-item counts the sequences from each position
/// that it reaches.
pub struct OwnPerft<P: Play> {
    run: Runner,
    packing: Packing<P>,
    children: Box<Children<P>>,
    positions: Buffer<u32>,
    results: Buffer<u64>,
    /// Positions that the host plays on to.
    wanted: usize,
    loaded: Vec<P::Position>,
}

impl<P: Play> OwnPerft<P> {
    /// Builds the kernel for sequences of at most `deepest` plies, and launches once.
    ///
    /// # Errors
    /// Where the device refuses.
    pub fn new(
        setup: &Setup<'_>,
        packing: Packing<P>,
        start: &P::Position,
        deepest: u32,
        children: impl Fn(&P::Position) -> Vec<P::Position> + 'static,
    ) -> Result<OwnPerft<P>, Fault> {
        let mut own = packing.constants.clone();
        own.push(("LEVELS", deepest.max(1).to_string()));
        let mut run = build(setup, "perft", &own)?;
        let device: &Device = setup.on_device()?;
        let words = (packing.pack)(start).len();
        let positions = device.buffer(FRONT * words, Access::Read)?;
        let results = device.buffer(FRONT * 2, Access::Write)?;
        run.kernel.set_buffer(0, &positions)?;
        run.kernel.set_buffer(3, &results)?;
        let mut perft = OwnPerft {
            run,
            packing,
            children: Box::new(children),
            positions,
            results,
            wanted: FRONT_A_UNIT * (device.info().compute_units as usize).max(1),
            loaded: vec![start.clone()],
        };
        Searcher::perft(&mut perft, 0, 1)?;
        perft.run.telemetry();
        Ok(perft)
    }
}

/// One launch of the contract `perft`.
fn below<P: Play>(
    run: &mut Runner,
    pack: fn(&P::Position) -> Vec<u32>,
    (positions, results): (&Buffer<u32>, &Buffer<u64>),
    front: &[P::Position],
    depth: u32,
) -> Result<Counters, Fault> {
    let packed: Vec<u32> = front.iter().flat_map(pack).collect();
    run.queue.write(positions, &packed)?;
    run.queue.fill(results, u64::MAX)?;
    run.kernel.set_scalar(1, front.len() as u32)?;
    run.kernel.set_scalar(2, depth as i32)?;
    run.launch_items(front.len())?;
    let mut read = vec![0; 2 * front.len()];
    run.queue.read(results, &mut read)?;
    let mut counters = Counters::default();
    for (place, pair) in read.chunks_exact(2).enumerate() {
        if pair[0] == u64::MAX {
            return Err(Fault::Wrong(format!(
                "kernel `perft`: position {place} of {} was not counted",
                front.len()
            )));
        }
        counters.leaves += pair[0];
        counters.nodes += if pair[1] == u64::MAX { 0 } else { pair[1] };
    }
    Ok(counters)
}

impl<P: Play> Searcher<P> for OwnPerft<P> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.loaded = positions.to_vec();
        Ok(())
    }

    fn search(&mut self, _index: usize, _depth: u32) -> Result<Found<P::Move>, Fault> {
        Err(Fault::Unsupported(
            "a kernel of the contract `perft` does not search".into(),
        ))
    }

    fn perft_part(&mut self, index: usize, depth: u32, part: &Part) -> Result<Counters, Fault> {
        let OwnPerft {
            run,
            packing,
            children,
            positions,
            results,
            wanted,
            loaded,
        } = self;
        perft_from_front(
            loaded[index].clone(),
            depth,
            part,
            (*wanted, FRONT),
            &*children,
            |front, left| below::<P>(run, packing.pack, (positions, results), front, left),
        )
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            resources: self.run.resources(),
            ..self.run.telemetry()
        }
    }
}

/// What the file of a kernel says, with all that it includes.
///
/// # Errors
/// Where it cannot be read.
pub fn source_of(params: &Params, kernels: Option<&Path>) -> Result<Option<String>, Fault> {
    let file = params.get(KERNEL).and_then(Value::as_text);
    let source = file.map(|file| own_kernel_source(Path::new(file), kernels));
    source.transpose()
}
