//! Rules alone: positions, moves, outcomes and the static evaluation.
//!
//! Nothing here knows a search, a device or a clock. Every search works on the [`Game`] trait, so
//! that two techniques which differ in time differ in the search or in the representation of
//! positions, never in the rules.

pub mod annexation;
pub mod checkers;
pub mod connect_four;
pub mod gomoku;
mod played;
pub mod random_games;
pub mod reversi;
mod squares;

use std::fmt::Debug;

/// What happens to a side that has no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stuck<P> {
    /// It passes, which costs a ply; the position with the other side to move.
    Pass(P),
    /// The game is over, with this value from the side to move.
    Over(i32),
}

/// The last two plies of a minimax search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoPlies {
    /// The value, from the side to move above them.
    pub value: i32,
    /// Positions below that one.
    pub nodes: u64,
    /// Those of them whose value was used.
    pub leaves: u64,
}

/// The rules and the static evaluation of a two-player game, over one representation of its
/// positions.
///
/// Values are whole numbers from the side to move, the same to the bit in every representation
/// and on every device. They lie strictly between `-`[`INFINITY`] and [`INFINITY`].
pub trait Game: Sync {
    /// A position, with the side to move.
    type Position: Clone + Send + Sync;
    /// A move other than a pass.
    type Move: Copy + Eq + Send + Sync + Debug;
    /// The legal moves, in the game's order.
    type Moves: Clone + Iterator<Item = Self::Move>;

    /// Whether [`Game::replay`] costs less than [`Game::play`].
    const REPLAYS: bool = false;

    /// The value of a position that is won, lost or drawn as soon as it is entered, whatever
    /// depth remains; `None` for all others. `ply` counts from the root.
    ///
    /// Games that end only where nobody can move keep the default: never.
    #[inline(always)]
    fn decided(&self, _position: &Self::Position, _ply: u32) -> Option<i32> {
        None
    }

    /// The legal moves, in the game's order.
    fn moves(&self, position: &Self::Position) -> Self::Moves;

    /// The move that a principal-variation node searches first. `moves` holds at least one move;
    /// with none left, `None`.
    fn first(&self, position: &Self::Position, moves: &Self::Moves) -> Option<Self::Move>;

    /// The position after a legal move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// Turns `child`, the position after the legal move `last`, into the one after `mv`, another
    /// legal move of the same `position`.
    ///
    /// Where a position is large and a move changes little of it, this saves copying the rest; a
    /// game for which it does says so in [`Game::REPLAYS`].
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

    /// The heuristic value, from the side to move, with no test for the end of the game.
    fn evaluate(&self, position: &Self::Position) -> i32;

    /// The value of the position after a legal move, from the side to move there, if nothing is
    /// searched below it: decided or else heuristic. `ply` is that position's.
    ///
    /// Most nodes of a search are such leaves: where their value can be told without making the
    /// position, this is the place.
    #[inline(always)]
    fn value_after(&self, position: &Self::Position, mv: Self::Move, ply: u32) -> i32 {
        let child = self.play(position, mv);
        self.decided(&child, ply)
            .unwrap_or_else(|| self.evaluate(&child))
    }

    /// The minimax value of a position with two plies left, where the game has a faster way to it than to
    /// go through them; `None`, as by default, where it has not. The position is not decided and
    /// has a move; `ply` is its own.
    #[inline(always)]
    fn two_plies(&self, _position: &Self::Position, _ply: u32) -> Option<TwoPlies> {
        None
    }

    /// What happens where [`Game::moves`] is empty. `ply` counts from the root.
    fn stuck(&self, position: &Self::Position, ply: u32) -> Stuck<Self::Position>;
}

/// What a search that remembers positions asks of a game besides its rules.
///
/// In one search a position must have one value for each remaining depth, however it was reached, and
/// the same moves. Where a value tells the ply at which a game was won, this holds because the ply can
/// be told from the position: every move adds a stone.
pub trait Keyed: Game {
    /// The remaining depth from which it pays to order moves and to remember positions. At least 2.
    const ORDERED_FROM: u32;

    /// Whether a node's children are made once, for their order, and kept until they are searched. It
    /// pays where a position is a few words.
    const KEEPS_CHILDREN: bool;

    /// A number that tells positions apart, the side to move included: different ones share it with a
    /// chance of 2⁻⁶⁴, or where all their values are the same.
    fn key(&self, position: &Self::Position) -> u64;

    /// The key of `child`, the position after the legal move `mv` of the one with the key `key`.
    #[inline(always)]
    fn key_after(&self, _key: u64, _mv: Self::Move, child: &Self::Position) -> u64 {
        self.key(child)
    }

    /// What is looked up once for all moves of a position.
    type Look;

    /// Looks at a position.
    fn look(&self, position: &Self::Position) -> Self::Look;

    /// The value of a position with two plies left or more, where a look tells it. `ply` is its own.
    #[inline(always)]
    fn at_a_look(&self, _look: &Self::Look, _ply: u32) -> Option<i32> {
        None
    }

    /// Whether a legal move has to be searched, where two plies are left or more and a look does not tell
    /// the value: none that is not is better than all that are.
    #[inline(always)]
    fn is_serious(&self, _look: &Self::Look, _mv: Self::Move) -> bool {
        true
    }

    /// [`Game::play`] after a look.
    #[inline(always)]
    fn play_after(
        &self,
        position: &Self::Position,
        _look: &Self::Look,
        mv: Self::Move,
    ) -> Self::Position {
        self.play(position, mv)
    }

    /// How good a legal move seems without a search, to the side that makes it: the one that promises
    /// most is tried first. `child` is the position after it where [`Keyed::KEEPS_CHILDREN`], and `ply`
    /// is that position's.
    fn promise(
        &self,
        position: &Self::Position,
        look: &Self::Look,
        mv: Self::Move,
        child: Option<&Self::Position>,
        ply: u32,
    ) -> i32;

    /// The value of a position with two plies left, exact inside the window `alpha` to `beta` and a bound
    /// on the right side of it outside, where the game has a faster way to it than to go through them;
    /// `None` where it has not. The position is not decided and has a move; `ply` is its own.
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

/// Two words as one, each bit of which depends on all bits of both.
#[inline(always)]
fn mixed(first: u64, second: u64) -> u64 {
    // Odd numbers without a pattern: digits of the golden ratio and of square roots.
    let fold = |product: u128| product as u64 ^ (product >> 64) as u64;
    let first = u128::from(first ^ 0x9e37_79b9_7f4a_7c15) * 0x6a09_e667_f3bc_c909;
    let both = u128::from(fold(first) ^ second.rotate_left(32)) * 0x9e37_79b9_7f4a_7c15;
    fold(both ^ (u128::from(second) * 0xbb67_ae85_84ca_a73b))
}

/// What lies before the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// So many legal moves, at least one.
    Moves(u32),
    /// Nothing: the game is over, and the side to move has so many half points of it: 2 for a win, 1
    /// for a draw, 0 for a loss.
    Over(u32),
}

/// The rules of a two-player game as a search by random games asks for them: moves by their number in
/// the game's order, and no value but that of the end.
///
/// The sides move in turn; where one may have to pass, a pass is a move.
pub trait RandomGame: Sync {
    /// A position, with the side to move.
    type Position: Clone + Send + Sync;

    /// How many moves there are, or how the game ended.
    fn ahead(&self, position: &Self::Position) -> Ahead;

    /// The position after legal move number `index`, from 0.
    fn after(&self, position: &Self::Position, index: u32) -> Self::Position;
}

/// Above every value of every game.
pub const INFINITY: i32 = 1 << 30;
