//! Defines host techniques that evaluate move sets, and host models of the device techniques.

use super::takes_move_sets;
use super::tasks::{self, ConnectFour, Searcher};
use crate::games::connect_four::{Bits, Board, Column, Order, Position};
use crate::search::{Forced, move_set_bests, move_set_sums, move_sets_as_published, replays};
pub use crate::search::{best_set as by_bests, largest_sum as by_sums};
use crate::techniques::prelude::*;

/// A function that searches a position's move sets to a depth.
type Strategy = fn(&Bits, &Board, u32) -> Found<Column>;

struct HostSets {
    game: Bits,
    positions: Vec<Board>,
    strategy: Strategy,
}

impl Searcher<ConnectFour> for HostSets {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.positions.clear();
        self.positions
            .extend(positions.iter().map(|position| self.game.load(position)));
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Column>, Fault> {
        Ok((self.strategy)(&self.game, &self.positions[index], depth))
    }
}

/// The reference for `move-sets-as-published`. It walks the tree once. A move that makes four adds nothing to its set.
pub const AS_PUBLISHED_SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "move-sets-as-published-serial",
        summary: "move-sets-serial as in the paper's pseudocode: a winning move adds nothing and does not end its set",
        paper: "Connect Four AI, \"Algorithm Description\" (the pseudocode); ours (one walk of the tree)",
        like: "move-sets-as-published-serial",
        reference: "move-sets-as-published-serial",
        check: takes_move_sets,
        ..TechniqueEntry::SERIAL
    },
    |setup| {
        prepare(setup, |game, board, depth| {
            over(game, board).unwrap_or_else(|| {
                let sets = move_sets_as_published(game, board, depth);
                sets.choice(game, board, sets.counters)
            })
        })
    },
);

/// The reference for all sums of move sets. It walks the tree once, and adds each node's value to all sets through it.
pub const SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "move-sets-serial",
        summary: "sums the utilities of all move sets per first move on one core, with wins and blocks first",
        paper: "Connect Four AI, \"Algorithm Description\" (the strategy); ours (one walk of the tree)",
        like: "move-sets-serial",
        reference: "move-sets-serial",
        ..AS_PUBLISHED_SERIAL.entry
    },
    |setup| {
        prepare(setup, |game, board, depth| {
            forced(game, board).unwrap_or_else(|| {
                let (sums, counters) = move_set_sums(game, board, depth);
                by_sums(game, board, depth, &sums, counters)
            })
        })
    },
);

/// The reference for `move-sets-optimistic`, the paper's first strategy. It plays the first move of the set with the
/// best final position.
pub const OPTIMISTIC_SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "move-sets-optimistic-serial",
        summary: "the first move of the best move set on one core, as if the opponent helped",
        paper: "Connect Four AI, \"Algorithm Description\" (the first strategy); ours (one walk of the tree)",
        like: "move-sets-optimistic-serial",
        reference: "move-sets-optimistic-serial",
        ..AS_PUBLISHED_SERIAL.entry
    },
    |setup| {
        prepare(setup, |game, board, depth| {
            certain(game, board).unwrap_or_else(|| {
                let (bests, counters) = move_set_bests(game, board, depth);
                by_bests(game, board, depth, &bests, counters)
            })
        })
    },
);

/// Prepares the host model of techniques that replay all sets to sum them. Fails like the game's techniques.
pub fn replayed_sums(setup: &Setup<'_>) -> Prepared {
    prepare(setup, |game, board, depth| {
        forced(game, board).unwrap_or_else(|| {
            let (sums, _) = move_set_sums(game, board, depth);
            by_sums(game, board, depth, &sums, replays(game, board, depth))
        })
    })
}

/// Prepares the host model of techniques that replay all sets to find the best one. Fails like the game's techniques.
pub fn replayed_bests(setup: &Setup<'_>) -> Prepared {
    prepare(setup, |game, board, depth| {
        certain(game, board).unwrap_or_else(|| {
            let (bests, _) = move_set_bests(game, board, depth);
            by_bests(game, board, depth, &bests, replays(game, board, depth))
        })
    })
}

/// Prepares the host model of `move-sets-as-published`. Fails like the game's techniques.
pub fn replayed_as_published(setup: &Setup<'_>) -> Prepared {
    prepare(setup, |game, board, depth| {
        over(game, board).unwrap_or_else(|| {
            let sets = move_sets_as_published(game, board, depth);
            sets.choice(game, board, sets.replayed)
        })
    })
}

fn prepare(setup: &Setup<'_>, strategy: Strategy) -> Prepared {
    tasks::prepare_search::<ConnectFour>(setup, |asked| {
        let game = Bits::new(&asked.evaluation, Order::FromTheLeft);
        Ok(Box::new(HostSets {
            game,
            positions: Vec::new(),
            strategy,
        }))
    })
}

/// Returns the answer at a root that needs no sums: a finished game, an immediate win, a block or an only move.
pub fn forced(game: &Bits, board: &Board) -> Option<Found<Column>> {
    if let Some(over) = over(game, board) {
        return Some(over);
    }
    Some(Forced::at(game, board)?.choice())
}

/// Returns the answer for a finished game, which has no move.
pub fn over(game: &Bits, board: &Board) -> Option<Found<Column>> {
    game.decided(board, 0)?;
    let counters = Counters {
        nodes: 1,
        ..Counters::default()
    };
    Some(Found::new(0, None, counters))
}

/// Returns the answer at a root that does not need the optimistic strategy: a finished game or an immediate win.
pub fn certain(game: &Bits, board: &Board) -> Option<Found<Column>> {
    if let Some(over) = over(game, board) {
        return Some(over);
    }
    let column = game.winning_column(board)?;
    Some(Forced::Win(column).choice())
}
