//! `prefix-sharing` and `prefix-sharing-sums`: one walk of the tree, without replays, computes minimax values and sums.

use super::device_prefixes::{Prefixes, Walked};
use super::hard::{DEEP, PERFT, SEARCH};
use super::host_sets::{by_sums, forced};
use super::tasks::{self, ConnectFour, Searcher};
use crate::games::connect_four::{Bits, Board, Column, Order, Position};
use crate::search::{minimax, move_set_sums, perft};
use crate::techniques::prelude::*;

/// Computes minimax with the walk of [`Prefixes`]. Nodes, value and move are the same as for `serial-minimax`.
pub const MINIMAX: Technique = Technique {
    entry: TechniqueEntry {
        name: "prefix-sharing",
        summary: "minimax with one work-item per prefix, which walks its subtree once in registers",
        paper: "ours; as \"Conclusion\" suggests (bitboards, work divided over full groups)",
        needs: "work-groups of 343 or 49 work-items",
        like: "serial-minimax",
        counts: Counts::As("serial-minimax"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        check: super::takes_move_sets,
        splits: true,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("", PERFT),
        Trial::new("", DEEP),
    ],
    prepare: |setup| prepare(setup, false),
};

/// The paper's second strategy, computed in the same walk instead of by replaying sets. Forced moves need no launch.
pub const SUMS: Technique = Technique {
    entry: TechniqueEntry {
        name: "prefix-sharing-sums",
        summary: "the sums of all move sets by the walk of prefix-sharing, with wins and blocks first",
        paper: "Connect Four AI, \"Algorithm Description\" (the strategy); ours (the walk)",
        like: "move-sets-serial",
        reference: "move-sets-serial",
        counts: Counts::Own,
        tasks: &[Task::Search, Task::Game, Task::Match],
        ..MINIMAX.entry
    },
    trials: &[Trial::new("", SEARCH), Trial::new("", DEEP)],
    prepare: |setup| prepare(setup, true),
};

fn prepare(setup: &Setup<'_>, sums: bool) -> Prepared {
    tasks::prepare_search::<ConnectFour>(setup, |asked| {
        let device = setup.on_device()?;
        let (evaluation, depth) = (&asked.evaluation, asked.amount.depth);
        let order = match sums {
            true => Order::FromTheLeft,
            false => Order::CentreFirst,
        };
        Ok(Box::new(PrefixSharing {
            sums,
            game: Bits::new(evaluation, order),
            boards: Vec::new(),
            prefixes: Prefixes::new(evaluation, device, None, depth, setup.kernels)?,
        }))
    })
}

struct PrefixSharing {
    /// Whether the technique chooses a move by the sums of the move sets instead of by minimax.
    sums: bool,
    game: Bits,
    boards: Vec<Board>,
    prefixes: Prefixes,
}

impl PrefixSharing {
    /// Returns the first of the best moves.
    fn choose(&self, board: &Board, walked: &Walked) -> Found<Column> {
        let mut best: Option<(Column, i32)> = None;
        for column in self.game.moves(board) {
            if let Some(value) = walked.values[column.index()]
                && best.is_none_or(|(_, most)| value > most)
            {
                best = Some((column, value));
            }
        }
        // A walk has at least one move.
        let value = best.map_or(0, |(_, value)| value);
        Found::new(value, best.map(|(column, _)| column), walked.counters)
    }
}

impl Searcher<ConnectFour> for PrefixSharing {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let load = |position| self.game.load(position);
        self.boards = positions.iter().map(load).collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Column>, Fault> {
        let (game, board) = (&self.game, &self.boards[index]);
        if self.sums
            && let Some(found) = forced(game, board)
        {
            return Ok(found);
        }
        let walked = self.prefixes.walk(game, board, depth)?;
        if self.sums {
            let (sums, counters) = match walked {
                Some(walked) => (walked.sums, walked.counters),
                None => move_set_sums(game, board, depth),
            };
            return Ok(by_sums(game, board, depth, &sums, counters));
        }
        Ok(match walked {
            Some(walked) => self.choose(board, &walked),
            None => minimax(game, board, depth),
        })
    }

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        let board = &self.boards[index];
        let walked = match self.prefixes.walk(&self.game, board, depth)? {
            Some(walked) if walked.plies == depth => walked,
            _ => return Ok(perft(&self.game, board, depth)),
        };
        Ok(Counters {
            leaves: walked.sequences,
            ..walked.counters
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.prefixes.telemetry()
    }
}
