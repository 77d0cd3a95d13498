//! A searcher of move sets that runs on the host.

use super::strategy;
use super::tasks::{self, ConnectFour, Searcher};
use crate::games::connect_four::{Bits, Board, Column, Order, Position};
use crate::search::{Found, move_set_bests, move_set_sums, move_sets_as_published, replays};
use crate::techniques::{Sampler, Setup};
use crate::words::Fault;

/// How a position's move sets are searched.
type Strategy = fn(&Bits, &Board, u32) -> Found<Column>;

/// Move sets on one core.
struct HostSets {
    game: Bits,
    positions: Vec<Board>,
    strategy: Strategy,
}

impl HostSets {
    fn new(game: Bits, strategy: Strategy) -> HostSets {
        HostSets {
            game,
            positions: Vec::new(),
            strategy,
        }
    }
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

/// The model of techniques that replay each set for the sums.
///
/// # Errors
/// As every technique of the game.
pub fn replayed_sums(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |game, board, depth| {
        strategy::forced(game, board).unwrap_or_else(|| {
            let (sums, _) = move_set_sums(game, board, depth);
            strategy::by_sums(game, board, depth, &sums, replays(game, board, depth))
        })
    })
}

/// The model of techniques that replay each set for the best.
///
/// # Errors
/// As every technique of the game.
pub fn replayed_bests(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |game, board, depth| {
        strategy::certain(game, board).unwrap_or_else(|| {
            let (bests, _) = move_set_bests(game, board, depth);
            strategy::by_bests(game, board, depth, &bests, replays(game, board, depth))
        })
    })
}

/// The model of `move-sets-as-published`, which replays each set too.
///
/// # Errors
/// As every technique of the game.
pub fn replayed_as_published(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |game, board, depth| {
        strategy::over(game, board).unwrap_or_else(|| {
            let sets = move_sets_as_published(game, board, depth);
            strategy::as_published(board, &sets, sets.replayed)
        })
    })
}

/// Makes a strategy ready.
///
/// # Errors
/// As every technique of the game.
pub fn prepare(
    setup: &Setup<'_>,
    strategy: fn(&Bits, &Board, u32) -> Found<Column>,
) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let game = Bits::new(&asked.evaluation, Order::FromTheLeft);
        Ok(Box::new(HostSets::new(game, strategy)))
    })
}
