//! `prefix-sharing-sums`: the paper's second strategy from one walk instead of replays.

use super::device_prefixes::{PREFIX, Prefix, Prefixes};
use super::hard::{DEEP, SEARCH, SMALL};
use super::strategy;
use super::tasks::{self, ConnectFour, Searcher};
use crate::games::connect_four::{Bits, Board, Column, Order, Position};
use crate::search::{Found, move_set_sums};
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry, Telemetry};

/// The sums from the walk of [`Prefixes`]. A forced move needs no launch.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "prefix-sharing-sums",
        summary: "the sums of all move sets from the walk of prefix-sharing; a win or a block goes first",
        paper: "Connect Four AI, \"Algorithm Description\" (the strategy); ours (the walk)",
        needs: "work-groups of 343 work-items, or of 49",
        like: "move-sets-serial",
        reference: "move-sets-serial",
        counts: Counts::Own,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[PREFIX],
        check: super::device_prefixes::check,
        splits: true,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("", DEEP),
        Trial::new("prefix=3", SMALL),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let prefix = Prefix::read(setup.params).map_err(Fault::Input)?;
        let device = setup.on_device()?;
        let (evaluation, depth) = (&asked.evaluation, asked.depth);
        Ok(Box::new(Sums {
            game: Bits::new(evaluation, Order::FromTheLeft),
            boards: Vec::new(),
            prefixes: Prefixes::new(evaluation, device, prefix, depth, setup.kernels)?,
        }))
    })
}

struct Sums {
    game: Bits,
    boards: Vec<Board>,
    prefixes: Prefixes,
}

impl Searcher<ConnectFour> for Sums {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let load = |position| self.game.load(position);
        self.boards = positions.iter().map(load).collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Column>, Fault> {
        let board = &self.boards[index];
        if let Some(found) = strategy::forced(&self.game, board) {
            return Ok(found);
        }
        let walked = self.prefixes.walk(&self.game, board, depth)?;
        let (sums, counters) = match walked {
            Some(walked) => (walked.sums, walked.counters),
            None => move_set_sums(&self.game, board, depth),
        };
        Ok(strategy::by_sums(&self.game, board, depth, &sums, counters))
    }

    fn telemetry(&mut self) -> Telemetry {
        self.prefixes.telemetry()
    }
}
