//! `move-sets-even`: move sets divided evenly over full work-groups of the device's preferred size.

use super::device_board::{FULL, GROUP, defines, items, table, words};
use super::hard::{SEARCH, SMALL};
use super::host_sets::{by_sums, forced};
use super::takes_move_sets;
use super::tasks::{self, ConnectFour, Searcher};
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, Order, Position};
use crate::search::MoveSetSums;
use crate::techniques::prelude::*;
use crate::techniques::tasks::{built_for, runner};

/// Computes the sums of `move-sets`, with the work "divided evenly between more threads" and the early exit that the
/// paper's program lacked (Connect Four AI, "Conclusion" and "Results"). Each work-item sums an equal part of each
/// first move's sets in registers. A full root column costs nothing. The host sums the groups' scores per first move,
/// so one launch suffices.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "move-sets-even",
        summary: "move-sets on bitboards with an equal share of the sets per work-item",
        paper: "Connect Four AI, \"Conclusion\" (even division, full groups, early exit)",
        like: "move-sets-serial",
        reference: "move-sets-serial",
        counts: Counts::Model,
        params: &[GROUP],
        check: takes_move_sets,
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", SEARCH), Trial::new("group=5", SMALL)],
    prepare: |setup| {
        tasks::prepare_search::<ConnectFour>(setup, |asked| {
            Ok(Box::new(EvenSets::new(asked, setup)?))
        })
    },
};

/// Number of words in a group's score (`SCORES` in the kernel): one per first move, plus one for the positions entered.
const SCORES: usize = COLUMNS + 1;

/// Returns the number of groups per unit: enough to fill a GPU, or a few per core, so that no CPU core idles for long.
fn groups_per_unit(kind: DeviceKind) -> usize {
    match kind {
        DeviceKind::Cpu => 4,
        _ => 16,
    }
}

struct EvenSets {
    game: Bits,
    depth: u32,
    run: Runner,
    scores: Buffer<i64>,
    sets: u64,
    groups: usize,
    /// Stamp of the next launch's first group.
    stamp: u64,
    positions: Vec<Board>,
    read: Vec<i64>,
}

impl EvenSets {
    fn new(asked: &ConnectFour, setup: &Setup<'_>) -> Result<EvenSets, Fault> {
        let device = setup.on_device()?;
        let info = device.info();
        let items = items(setup.params, device)?;
        let local_bytes = (8 * SCORES * items) as u64;
        info.check_local(local_bytes, format_args!("{items} work-items need"))?;
        let mut defines = defines();
        defines.push(("PLIES", asked.amount.depth.to_string()));
        defines.push(("GROUP", items.to_string()));
        let sets = COLUMNS.pow(asked.amount.depth - 1);
        let units = info.compute_units.max(1) as usize;
        let groups = (units * groups_per_unit(info.kind)).min(sets.div_ceil(items));
        let kernel = ("connect_four/move_sets_even.cl", "move_sets_even");
        let layout = format!("{groups} groups of {items}, local {local_bytes} bytes");
        let mut run = runner(setup, kernel, &defines, items, &layout)?;
        run.upload("table", &table(&asked.evaluation))?;
        let scores = run.buffer("scores", groups * (SCORES + 1), Access::Write)?;
        let mut even = EvenSets {
            game: Bits::new(&asked.evaluation, Order::FromTheLeft),
            depth: asked.amount.depth,
            run,
            scores,
            sets: sets as u64,
            groups,
            stamp: 1,
            positions: Vec::new(),
            read: Vec::with_capacity(groups * (SCORES + 1)),
        };
        // Some drivers compile at first use. With full columns, the kernel has no work.
        even.launch((0, FULL, 0))?;
        even.run.telemetry();
        Ok(even)
    }

    /// Launches the kernel on a board. Returns the sum of the sets per first move, and the counters.
    fn launch(
        &mut self,
        (own, stones, value): (u64, u64, i32),
    ) -> Result<(MoveSetSums, Counters), Fault> {
        let stamp = self.stamp;
        self.stamp += self.groups as u64;
        self.run.set(&[
            ("own", &own),
            ("stones", &stones),
            ("value", &value),
            ("first_set", &0_u64),
            ("sets", &self.sets),
            ("stamp", &stamp),
        ])?;
        self.run.launch_groups(self.groups)?;
        self.read.clear();
        self.read.resize(self.groups * (SCORES + 1), 0);
        self.run.queue.read(&self.scores, &mut self.read)?;
        let mut sums = MoveSetSums::default();
        let mut entered = 0;
        for (group, scores) in (0..).zip(self.read.chunks_exact(SCORES + 1)) {
            if scores[SCORES] as u64 != stamp + group {
                return Err(Fault::Device(format!(
                    "kernel `move_sets_even` did not finish group {group} of {}",
                    self.groups
                )));
            }
            for (sum, score) in sums.iter_mut().zip(scores) {
                *sum += score;
            }
            entered += scores[COLUMNS] as u64;
        }
        Ok((sums, Counters::of_search(1 + entered, entered)))
    }
}

impl Searcher<ConnectFour> for EvenSets {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let boards = positions.iter().map(|position| self.game.load(position));
        self.positions = boards.collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Column>, Fault> {
        built_for(self.depth, depth)?;
        let (game, board) = (&self.game, self.positions[index]);
        if let Some(found) = forced(game, &board) {
            return Ok(found);
        }
        let packed = words(game, &board);
        let (sums, counters) = self.launch(packed)?;
        Ok(by_sums(&self.game, &board, depth, &sums, counters))
    }

    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}
