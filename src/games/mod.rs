//! Defines the rules of the games: positions, moves, results and the static evaluation. Every search uses the [`Game`]
//! trait, so techniques may differ in the search or in the representation of positions, but never in the rules.

pub mod annexation;
pub mod checkers;
pub mod connect_four;
pub mod gomoku;
pub mod leaf_games;
mod options;
mod played;
pub mod random_games;
pub mod reversi;
mod sides;
mod squares;
pub mod text;

use std::cmp::Ordering;
use std::fmt::Debug;

/// What happens if the side to move has no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stuck<P> {
    /// The side passes, which counts as a ply. Contains the position with the other side to move.
    Pass(P),
    /// The game is over, with this value for the side to move.
    Over(i32),
}

/// The result of the last two plies of a minimax search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoPlies {
    /// The value, for the side to move at the upper position.
    pub value: i32,
    /// Number of positions in the two plies below the upper position.
    pub nodes: u64,
    /// Number of leaves, that is, of positions whose value was used.
    pub leaves: u64,
}

impl TwoPlies {
    #[inline(always)]
    fn new(value: i32, nodes: u64, leaves: u64) -> TwoPlies {
        TwoPlies {
            value,
            nodes,
            leaves,
        }
    }
}

/// The rules and the static evaluation of a game, for one representation of positions. Values are integers for the side
/// to move, strictly between `-`[`INFINITY`] and [`INFINITY`]. They are equal in all representations.
pub trait Game: Sync {
    /// Type of a position, including the side to move.
    type Position: Clone + Send + Sync;
    /// Type of a move other than a pass.
    type Move: Copy + Eq + Send + Sync + Debug;
    /// Iterator over legal moves, in the game's order.
    type Moves: Clone + Iterator<Item = Self::Move>;

    /// Whether [`Game::replay`] is cheaper than [`Game::play`].
    const REPLAYS: bool = false;

    /// Whether [`Game::extends`] may return true. If so, [`Game::value_after`] is not the value of a leaf.
    const EXTENDS: bool = false;

    /// Returns the value of a position that is won, lost or drawn on entry, at any remaining depth. `ply` counts from
    /// the root. Returns `None` for other positions, and in games that end only when no side can move.
    #[inline(always)]
    fn decided(&self, _position: &Self::Position, _ply: u32) -> Option<i32> {
        None
    }

    /// Returns the legal moves, in the game's order.
    fn moves(&self, position: &Self::Position) -> Self::Moves;

    /// Returns the move that a search tries first at a principal-variation node, or `None` if `moves` is empty.
    fn first(&self, position: &Self::Position, moves: &Self::Moves) -> Option<Self::Move>;

    /// Returns the position after a legal move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// Changes `child`, which is the position after the legal move `last`, to the position after `mv`. Both are legal
    /// moves in `position`. This avoids copying a large position ([`Game::REPLAYS`]).
    #[inline(always)]
    fn replay(
        &self,
        position: &Self::Position,
        child: &mut Self::Position,
        _last: Self::Move,
        mv: Self::Move,
    ) {
        *child = self.play(position, mv);
    }

    /// Returns the heuristic value for the side to move. Does not test whether the game is over.
    fn evaluate(&self, position: &Self::Position) -> i32;

    /// Returns true if a search must continue below this undecided position although no depth is left.
    #[inline(always)]
    fn extends(&self, _position: &Self::Position) -> bool {
        false
    }

    /// Returns the value of the leaf after a legal move, for the side to move there. The leaf is at this `ply`. Games
    /// can override this to evaluate leaves without creating them.
    #[inline(always)]
    fn value_after(&self, position: &Self::Position, mv: Self::Move, ply: u32) -> i32 {
        let child = self.play(position, mv);
        self.decided(&child, ply)
            .unwrap_or_else(|| self.evaluate(&child))
    }

    /// Returns the minimax value of a position at this `ply` with two plies left, if the game can compute it without
    /// visiting all positions. The position must be undecided and have a move.
    #[inline(always)]
    fn two_plies(&self, _position: &Self::Position, _ply: u32) -> Option<TwoPlies> {
        None
    }

    /// Returns what happens if [`Game::moves`] is empty. `ply` counts from the root.
    fn stuck(&self, position: &Self::Position, ply: u32) -> Stuck<Self::Position>;
}

/// The interface for searches with a transposition table. Within a search, the moves of a position must not depend on
/// the path to it, and it must have only one value per remaining depth.
pub trait OrderedGame: Game {
    /// Minimum remaining depth, at least 2, at which move ordering and the table pay off.
    const ORDERED_FROM: u32;

    /// Minimum number of plies above [`OrderedGame::ORDERED_FROM`] at which threads share nodes. The search of a
    /// smaller subtree ends before another thread could help. If this is 0 and there are several threads, the table
    /// also contains the children of the lowest ordered nodes.
    const SHARED_FROM: u32 = 1;

    /// Whether an [`OrderedGame::order_score`] is the mover's value of the leaf after the move. Leaves are not ordered.
    const ORDERS_BY_VALUE: bool = false;

    /// Whether the children created for move ordering are kept for the search. This is faster if positions are small.
    const KEEPS_CHILDREN: bool;

    /// Returns a hash of the position and the side to move. Two positions have the same hash only with probability
    /// 2⁻⁶⁴, or if their values are equal.
    fn key(&self, position: &Self::Position) -> u64;

    /// Returns the key of `child`, the position after the legal move `mv` in a position with the key `_key`.
    #[inline(always)]
    fn key_after(&self, _key: u64, _mv: Self::Move, child: &Self::Position) -> u64 {
        self.key(child)
    }

    /// Type of the data that are computed once per position, for all of its moves.
    type Analysis;

    /// Computes [`OrderedGame::Analysis`] for a position.
    fn analyse(&self, position: &Self::Position) -> Self::Analysis;

    /// Returns the value of a position at this `ply` if its analysis determines it. At least two plies must be left.
    #[inline(always)]
    fn known_value(&self, _analysis: &Self::Analysis, _ply: u32) -> Option<i32> {
        None
    }

    /// Returns true if a search can skip a legal move because another move is at least as good. At least two plies must
    /// be left, and the position must not have a [known value](OrderedGame::known_value).
    #[inline(always)]
    fn may_skip(&self, _analysis: &Self::Analysis, _mv: Self::Move) -> bool {
        false
    }

    /// Plays a move like [`Game::play`], given the position's analysis.
    #[inline(always)]
    fn play_after(
        &self,
        position: &Self::Position,
        _analysis: &Self::Analysis,
        mv: Self::Move,
    ) -> Self::Position {
        self.play(position, mv)
    }

    /// Returns the priority of a legal move. Searches try the move with the highest priority first. With
    /// [`OrderedGame::KEEPS_CHILDREN`], `child` is the position after the move, at this `ply`.
    fn order_score(
        &self,
        position: &Self::Position,
        analysis: &Self::Analysis,
        mv: Self::Move,
        child: Option<&Self::Position>,
        ply: u32,
    ) -> i32;

    /// Returns the value of a position at this `ply` with two plies left. It is exact inside the window from `alpha` to
    /// `beta`. Outside, it is a bound on the same side of the window. Returns `None` if the game cannot do this faster
    /// than by visiting the positions. The position must be undecided and have a move.
    #[inline(always)]
    fn last_two(
        &self,
        _position: &Self::Position,
        _ply: u32,
        _alpha: i32,
        _beta: i32,
    ) -> Option<TwoPlies> {
        None
    }
}

/// Combines two words into one. Each bit depends on all bits of both words.
#[inline(always)]
fn mixed(first: u64, second: u64) -> u64 {
    // Use odd numbers without a pattern: digits of the golden ratio and of square roots.
    let fold = |product: u128| product as u64 ^ (product >> 64) as u64;
    let first = u128::from(first ^ 0x9e37_79b9_7f4a_7c15) * 0x6a09_e667_f3bc_c909;
    let both = u128::from(fold(first) ^ second.rotate_left(32)) * 0x9e37_79b9_7f4a_7c15;
    fold(both ^ (u128::from(second) * 0xbb67_ae85_84ca_a73b))
}

/// The number of moves in a position, or the result of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// This number of legal moves, at least 1.
    Moves(u32),
    /// The game is over. The side to move gets 2, 1 or 0 half points for a win, draw or loss.
    Over(u32),
}

/// Returns the half points of the side that has `own` of something, such as discs, when the other side has `other`.
#[inline]
pub fn half_points(own: u32, other: u32) -> u32 {
    match own.cmp(&other) {
        Ordering::Greater => 2,
        Ordering::Equal => 1,
        Ordering::Less => 0,
    }
}

/// The rules of a two-player game for random games. Moves are numbered. Only results have values. A pass is a move.
pub trait TreeRules: Sync {
    /// Type of a position, including the side to move.
    type Position: Clone + Send + Sync;

    /// Returns the number of moves, or the result of the game.
    fn ahead(&self, position: &Self::Position) -> Ahead;

    /// Returns the position after legal move number `index`, counted from 0.
    fn after(&self, position: &Self::Position, index: u32) -> Self::Position;
}

/// The value of a win at the root, which exceeds any heuristic value. The number of plies to the win is subtracted. In
/// reversi, the disc difference is added instead.
pub const WIN: i32 = 1_000_000;

/// Returns the value of a lost position for the side to move. `ply` counts from the root.
#[inline(always)]
pub fn lost(ply: u32) -> i32 {
    ply as i32 - WIN
}

/// Larger than any value of any game.
pub const INFINITY: i32 = 1 << 30;
