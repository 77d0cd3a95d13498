//! `flat-refill`: random games from all moves in one launch, several games per work-item in succession.

use std::ops::Range;

use super::device_games::{self, GROUP, LANES, Layout, Root, STEPS, Steps};
use super::device_perft::DevicePerft;
use super::hard::{FEW_PLAYOUTS, FLAT, PERFT, PLAYOUTS};
use super::tasks::{self, Draughts, RandomPlayer, Wanted};
use crate::games::checkers::{Position, Rules};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, DeviceKind, LaunchBudget, Quirks, Runner};
use crate::techniques::hard::Trial;
use crate::techniques::tasks::flat_refill::{ITEMS, read_items};
use crate::techniques::tasks::sums::{FIRST, MOST, add_sums, in_launches, with_same_high};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{
    DEVICES, Fault, ParamEntry, Tally, Task, TechniqueEntry, Telemetry, Value, resource,
};

/// Flat Monte Carlo on the device with refilled lanes.
///
/// A step advances every game by one ply, without branches. A warp pays for rare work in full even for one lane. Rare
/// work therefore waits and runs for several lanes at once: an unfinished capture (one ply in 29) waits for `steps`
/// steps, a new game (one ply in 70) for `turns` such periods. Captures of two jumps are counted and selected by word
/// operations; only longer captures walk paths.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "flat-refill",
        summary: "random games from all moves in one launch; a work-item whose game has ended takes the next",
        paper: "ours; the task is that of \"Flat\" Monte Carlo",
        needs: "local memory for three words a first move",
        tasks: &[Task::Playouts, Task::Choose, Task::Match, Task::Perft],
        params: &[GROUP, LANES, STEPS, ITEMS, TURNS, REFILL, COUNTER, DEVICES],
        splits: true,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("", FLAT),
        Trial::new("", PERFT),
        Trial::new("lanes=1 group=48 steps=1", FEW_PLAYOUTS),
        Trial::new("counter=launch turns=3", FEW_PLAYOUTS),
        Trial::new("refill=false", FEW_PLAYOUTS),
        Trial::new("refill=false lanes=1 group=8", FEW_PLAYOUTS),
    ],
    prepare,
};

const TURNS: ParamEntry = ParamEntry {
    name: "turns",
    allowed: "a number from 1 to 64: turns of the captures that go on between two of the games that have ended",
    default: "2, on a processor 1",
    check: |value| read_turns(value).map(drop),
};

const REFILL: ParamEntry = ParamEntry {
    name: "refill",
    allowed: "true, or false: every work-item plays one game in each of its lanes, and idles until its group ends",
    default: "true",
    check: |value| read_refill(value).map(drop),
};

const COUNTER: ParamEntry = ParamEntry {
    name: "counter",
    allowed: "where the next playout comes from: `group`, its group's own share, or `launch`, a counter for all",
    default: "group",
    check: |value| read_counter(value).map(drop),
};

fn read_turns(value: &Value) -> Result<usize, String> {
    TURNS.whole(value, 1..=64)
}

fn read_refill(value: &Value) -> Result<bool, String> {
    match value {
        Value::Flag(refill) => Ok(*refill),
        _ => Err(REFILL.refused(value)),
    }
}

/// True if one counter serves the whole launch, false for one share per group.
fn read_counter(value: &Value) -> Result<bool, String> {
    match value.as_text() {
        Some("group") => Ok(false),
        Some("launch") => Ok(true),
        _ => Err(COUNTER.refused(value)),
    }
}

/// Playouts of a choice's first batch, and limit of a batch, on a processor.
const PROCESSOR_BATCHES: Range<u64> = 2_000..1_000_000;

/// The same for other devices: from one game per lane to about 0.1 s.
const BATCHES: Range<u64> = 100_000..MOST;

/// Minimum games per lane on a processor. With fewer, lanes are mostly empty.
const LEAST: u64 = 8;

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let device = setup.on_device()?;
    if setup.task == Task::Perft {
        return tasks::prepare_perft(setup, |asked| {
            let perft = DevicePerft::new(asked.game, asked.depth, setup, device)?;
            Ok(Box::new(perft))
        });
    }
    let processor = device.info().kind == DeviceKind::Cpu;
    let batches = if processor {
        PROCESSOR_BATCHES
    } else {
        BATCHES
    };
    tasks::prepare_flat(setup, batches, |wanted| {
        Ok(Box::new(FlatRefill::new(wanted, setup, device)?))
    })
}

/// Sums of a launch after the tally.
const SUMS: usize = 5;

struct FlatRefill {
    rules: Rules,
    seed: u64,
    run: Runner,
    quirks: Quirks,
    children: Buffer<u32>,
    sums: Buffer<u32>,
    budget: LaunchBudget,
    layout: Layout,
    /// Limit of work-groups per launch.
    groups: u64,
    /// Minimum playouts per lane.
    least: u64,
    refill: bool,
    roots: Vec<Root>,
    read: Vec<u32>,
    steps: Steps,
    efficiency_ppm: u64,
}

impl FlatRefill {
    /// Builds and warms up the program: some drivers compile at first use. The warm-up measures the efficiency.
    fn new(wanted: &Wanted<'_>, setup: &Setup<'_>, device: &Device) -> Result<FlatRefill, Fault> {
        let rules = *wanted.asked.game.rules();
        let params = setup.params;
        let layout = Layout::read(params, device)?.of_whole_vectors(device)?;
        let refill = REFILL.given(params, true, read_refill)?;
        let one_counter = COUNTER.given(params, false, read_counter)?;
        let processor = device.info().kind == DeviceKind::Cpu;
        let turns = if processor { 1 } else { 2 };
        let turns = TURNS.given(params, turns, read_turns)?;
        let units = device.info().compute_units.max(1) as usize;
        let items = ITEMS.given(params, None, read_items)?;
        let items = items.unwrap_or(units * if processor { 8 } else { 4096 });
        let mut defines = device_games::defines(&rules);
        defines.extend(layout.defines());
        defines.extend([
            ("TURNS", turns.to_string()),
            ("REFILL", u32::from(refill).to_string()),
            ("ONE_COUNTER", u32::from(one_counter).to_string()),
        ]);
        // Its two barriers are outside all loops.
        let needs = BuildNeeds::default();
        let path = "checkers/flat_refill.cl";
        let program = device.build(path, &defines, setup.kernels, needs)?;
        let counter = if one_counter { "launch" } else { "group" };
        let more = format!(
            ", items at most {items}, turns {turns}, refill {refill}, counter of the {counter}"
        );
        let run = layout.runner(device, &program, "flat_refill", &more)?;
        let mut player = FlatRefill {
            quirks: device.quirks().clone(),
            rules,
            seed: wanted.seed,
            run,
            children: device.buffer(MOST_MOVES * device_games::CHILD_WORDS, Access::Read)?,
            sums: device.buffer(3 * MOST_MOVES + SUMS, Access::ReadWrite)?,
            budget: LaunchBudget::new(device, FIRST),
            layout,
            groups: items.div_ceil(layout.group) as u64,
            least: if processor { LEAST } else { 1 },
            refill,
            roots: Vec::new(),
            read: Vec::new(),
            steps: Steps::default(),
            efficiency_ppm: 0,
        };
        player.load(&[wanted.asked.position])?;
        let asked = device_games::warm_up(wanted.asked.playouts, &layout, device);
        if player.budget.next().is_some() {
            // An unknown rate shortens the first launch. The efficiency must not depend on that.
            player.play(0, 0..FIRST.min(asked))?;
        }
        player.play(0, 0..asked)?;
        player.efficiency_ppm = player.steps.efficiency_ppm();
        player.telemetry();
        Ok(player)
    }

    /// Plays at most [`MOST`] playouts whose numbers share their high word, and sums the results.
    fn launch(
        &mut self,
        index: usize,
        playouts: Range<u64>,
        tally: &mut Tally,
    ) -> Result<(), Fault> {
        let (from, count) = (playouts.start, playouts.end - playouts.start);
        let root = &self.roots[index];
        let moves = root.moves as usize;
        let games = self.layout.games();
        let (groups, share) = if self.refill {
            let groups = self.groups.min(count.div_ceil(games * self.least)).max(1);
            (groups, count.div_ceil(groups))
        } else {
            (count.div_ceil(games), games)
        };
        let Runner { kernel, queue, .. } = &mut self.run;
        kernel.set_buffer(0, &self.children)?;
        kernel.set_scalar(1, root.moves)?;
        kernel.set_scalar(2, root.down)?;
        kernel.set_scalar(3, root.key)?;
        kernel.set_scalar(4, from as u32)?;
        kernel.set_scalar(5, ((from >> 32) as u32) << 16)?;
        kernel.set_scalar(6, (from % u64::from(root.moves)) as u32)?;
        kernel.set_scalar(7, count as u32)?;
        kernel.set_scalar(8, share as u32)?;
        kernel.set_buffer(9, &self.sums)?;
        kernel.set_local::<u32>(10, 3 * moves)?;
        self.read.clear();
        self.read.resize(3 * moves + SUMS, 0);
        queue.write(&self.children, &root.children)?;
        queue.write(&self.sums, &self.read)?;
        self.run.launch_groups(groups as usize)?;
        self.run.queue.read(&self.sums, &mut self.read)?;
        let (plies, longest) = add_sums(&self.read, count, &self.quirks, tally)?;
        let lanes = (self.layout.width * self.layout.lanes) as u64;
        self.steps.plies += plies - count;
        self.steps.steps += longest * lanes;
        Ok(())
    }
}

/// Limit of first moves: twelve pieces with four directions each, or that number of captures. Branching captures could
/// exceed it; such a position is refused.
const MOST_MOVES: usize = 1024;

impl RandomPlayer<Draughts> for FlatRefill {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let root = |position| Root::new(self.rules, position, self.seed);
        self.roots = positions.iter().map(root).collect();
        match self
            .roots
            .iter()
            .find(|root| root.moves as usize > MOST_MOVES)
        {
            Some(root) => Err(Fault::Unsupported(format!(
                "position: {} first moves; flat-refill takes at most {MOST_MOVES}",
                root.moves
            ))),
            None => Ok(()),
        }
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        self.steps = Steps::default();
        let root = &self.roots[index];
        if root.moves == 0 || playouts.is_empty() {
            return Ok(root
                .host
                .tally(playouts.start..playouts.end.max(playouts.start)));
        }
        let mut tally = Tally::of_first_moves(root.moves as usize);
        let launch = |player: &mut Self, part| player.launch(index, part, &mut tally);
        in_launches(self, |it| &mut it.budget, playouts, with_same_high, launch)?;
        tally.add_up();
        Ok(tally)
    }

    fn telemetry(&mut self) -> Telemetry {
        let mut resources = self.run.resources();
        resources.push((resource::SIMT_EFFICIENCY.to_owned(), self.efficiency_ppm));
        Telemetry {
            resources,
            ..self.run.telemetry()
        }
    }
}
