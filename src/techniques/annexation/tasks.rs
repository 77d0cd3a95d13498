//! Implements the common tasks for Annexation.

use std::ops::Range;
use std::sync::Arc;

use super::Asked;
use super::notation::Standing;
use super::play::Annexation;
use crate::games::annexation::Position;
use crate::games::{Ahead, TreeRules};
use crate::techniques::prelude::*;
pub use crate::techniques::tasks::RandomPlayer;
use crate::techniques::tasks::mcts::{LeafPlayer, OneTree, Roots, Settings};
use crate::techniques::tasks::{Made, Play, Playing, needs_effort, prepare};

/// Returns the root for playouts from a position: the start position on the remaining board, with player 1 to move.
pub fn root(asked: &Asked, standing: &Standing) -> Position {
    let position = standing.position();
    let turns = asked.turns_on(position.board());
    let left = turns.saturating_sub(position.turn);
    Position::start(&Arc::new(position.rest()), left)
}

impl Annexation {
    /// Returns the number of cells of the largest board.
    pub fn most_cells(&self) -> usize {
        let cells = self.boards.iter().map(|board| board.cells());
        cells.max().unwrap_or(2)
    }

    /// Returns a leaf for the warm-up: the start position on the first board.
    pub fn first_leaf(&self) -> Position {
        let board = &self.boards[0];
        Position::start(board, self.asked.turns_on(board))
    }
}

/// Maximum number of bytes for a tree's positions.
const TREE_BYTES: usize = 2 << 30;

/// Prepares a tree search on `threads` threads, for choices and matches. `player` creates the player for the leaves.
pub fn prepare_tree<L: LeafPlayer<Position> + Send + 'static>(
    setup: &Setup<'_>,
    settings: Result<Settings, String>,
    threads: usize,
    player: impl FnOnce(&Annexation, Settings) -> Result<L, Fault>,
) -> Prepared {
    let mut settings = settings.map_err(Fault::Input)?;
    prepare(setup, |play: &Annexation, _| {
        needs_effort(play.asked.amount.effort)?;
        let fitting = TREE_BYTES / Position::bytes(play.most_cells());
        settings.most_nodes = settings.most_nodes.min(fitting);
        let player = player(play, settings)?;
        let tree = OneTree::new(play.clone(), player, settings, setup.seed);
        Ok(Made::Choose(Box::new(tree.on_threads(threads)?)))
    })
}

impl TreeRules for Annexation {
    type Position = Position;

    fn ahead(&self, position: &Position) -> Ahead {
        position.ahead()
    }

    fn after(&self, position: &Position, index: u32) -> Position {
        position.after(index)
    }
}

impl Roots<Annexation> for Annexation {
    fn root(&self, standing: &Standing) -> Position {
        root(&self.asked, standing)
    }
}

/// Prepares playouts, or choices and matches by flat Monte Carlo over the colours. `batches` is the range of batch
/// sizes, from the first batch to the largest.
pub fn prepare_flat(
    setup: &Setup<'_>,
    batches: Range<u64>,
    player: impl FnOnce(&Annexation) -> Playing<Annexation>,
) -> Prepared {
    prepare(setup, |play: &Annexation, positions| {
        let mut player = player(play)?;
        if setup.device.is_some() {
            // Some drivers compile at first use.
            player.load(positions)?;
            player.play(0, 0..1)?;
            player.telemetry();
        }
        if setup.task != Task::Playouts {
            player = Box::new(Children {
                play: play.clone(),
                player,
                loaded: Vec::new(),
            });
        }
        Ok(Made::Games(player, batches))
    })
}

/// Distributes playouts over the n legal colours. Playout g starts with colour number g mod n, and continues like
/// playout g div n from the position after that colour. The total therefore does not depend on the batch sizes.
struct Children {
    play: Annexation,
    player: Box<dyn RandomPlayer<Annexation>>,
    /// For each loaded position, the index of its first child in the player, and its number of children.
    loaded: Vec<(usize, u64)>,
}

impl RandomPlayer<Annexation> for Children {
    fn load(&mut self, positions: &[super::Standing]) -> Result<(), Fault> {
        self.loaded.clear();
        let mut children = Vec::new();
        for position in positions {
            let moves = self.play.moves(position);
            self.loaded.push((children.len(), moves.len() as u64));
            children.extend(moves.into_iter().map(|mv| position.play(mv)));
        }
        self.player.load(&children)
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let (first, moves) = self.loaded[index];
        let mut sum = Tally::default();
        for child in 0..moves {
            let from = |playout: u64| playout.saturating_sub(child).div_ceil(moves);
            let range = from(playouts.start)..from(playouts.end);
            // The opponent is to move in the child.
            let own = self.player.play(first + child as usize, range)?;
            sum.wins += own.losses;
            sum.draws += own.draws;
            sum.losses += own.wins;
            sum.plies += own.plies;
            sum.by_first_move.push((own.losses, own.draws, own.wins));
        }
        Ok(sum)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.player.telemetry()
    }
}
