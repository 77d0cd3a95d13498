//! Implements CPU searches over the [`Game`] trait.
//!
//! All alpha-beta searches here visit the same tree. Principal-variation nodes are reached only by first moves, and
//! search the move from [`Game::first`] first. All other moves keep the game's order. A move replaces the best move
//! only if its value is strictly greater, and a cutoff occurs when alpha reaches beta. A pass costs a ply. Only
//! [`TableSearch`] visits a different, smaller tree, because it has a transposition table and move ordering.

mod alpha_beta;
pub mod annexation;
mod full_window;
mod mcts;
mod minimax;
mod move_sets;
mod move_sets_as_published;
mod perft;
mod pv_split;
mod shared;
mod table;
mod threads;

pub use alpha_beta::{Window, alpha_beta, descend, value_of_move};
pub use full_window::{full_window_root, full_window_root_parallel};
pub use mcts::{
    Block, Grown, LeafPlayouts, MOST_LEAVES, MOST_NODES, Mcts, Progress, Uct, explore, grow_block,
};
pub use minimax::{minimax, minimax_parallel};
pub use move_sets::{
    Forced, LONGEST_MOVE_SETS, MoveSetBests, MoveSetSums, best_set, largest_sum, move_set_bests,
    move_set_sums, replays,
};
pub use move_sets_as_published::{PublishedSets, move_sets_as_published};
pub use perft::{children, perft, perft_parallel};
pub use pv_split::{FixedWindow, NullWindow, Sibling, Siblings, SplitNode, pv_split};
pub use shared::{alpha_beta_shared, alpha_beta_shared_until};
pub use table::{Feature, Leader, TableSearch};
pub use threads::{enter, in_pool};

use crate::games::{Game, Stuck};
use crate::words::Counters;

/// The result of searching one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The value at the requested depth, for the side to move. Sums over move sets exceed 32 bits.
    pub value: i64,
    /// The first move in search order with this value. `None` if there is no move, or at depth 0.
    pub best: Option<M>,
    /// The value of each legal move, in the game's order. Empty if the search does not compute them.
    pub by_move: Vec<i64>,
    /// The work that the search did.
    pub counters: Counters,
}

impl<M> Found<M> {
    /// Creates the result of a search that knows only the value of its best move.
    pub fn new(value: i32, best: Option<M>, counters: Counters) -> Found<M> {
        Found {
            value: i64::from(value),
            best,
            by_move: Vec::new(),
            counters,
        }
    }
}

#[inline(always)]
fn count(counters: &mut Counters, leaf: bool) {
    counters.nodes += 1;
    counters.leaves += u64::from(leaf);
}

/// Returns the value of a position that is not searched deeper, and counts it as a leaf. Either the game is decided
/// there, or no depth is left and the position is not [extended](Game::extends).
#[inline(always)]
fn entered<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    ply: u32,
    counters: &mut Counters,
) -> Option<i32> {
    let decided = game.decided(position, ply);
    let ends = || depth == 0 && !game.extends(position);
    let value = decided.or_else(|| ends().then(|| game.evaluate(position)))?;
    count(counters, true);
    Some(value)
}

/// Returns the value of a position without moves. Counts the position. `below` searches the position after a pass.
#[inline(always)]
fn stuck<G: Game>(
    game: &G,
    position: &G::Position,
    ply: u32,
    counters: &mut Counters,
    below: impl FnOnce(&G::Position, &mut Counters) -> i32,
) -> i32 {
    match game.stuck(position, ply) {
        Stuck::Pass(child) => {
            count(counters, false);
            -below(&child, counters)
        }
        Stuck::Over(value) => {
            count(counters, true);
            value
        }
    }
}

/// Returns a principal-variation node's moves in search order: [`Game::first`], then the others in the game's order.
fn principal_order<G: Game>(
    game: &G,
    position: &G::Position,
) -> impl Iterator<Item = G::Move> + use<G> {
    let moves = game.moves(position);
    let first = game.first(position, &moves);
    first
        .into_iter()
        .chain(moves.filter(move |mv| Some(*mv) != first))
}

#[cfg(test)]
mod move_sets_tests;
#[cfg(test)]
mod tests;
