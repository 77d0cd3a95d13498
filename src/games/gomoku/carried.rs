//! Implements gomoku with incrementally updated gains. A gain is the change in balance if a stone is put on a square.

use super::lines::{BoardOfLines, Line, Lines, MovesOfLines};
use super::windows::{Change, REACH};
use super::{Colour, Evaluation, MOST, MoveRule, Position, Representation, Size, Square, lost};
use crate::games::{Game, INFINITY, OrderedGame, Stuck, TwoPlies, mixed};

/// The gain on an occupied square. It is lower than any real gain, but adding two of them does not overflow.
const TAKEN: i32 = i32::MIN / 4;

/// Maximum number of squares whose gains one stone changes: the nearest empty square in each of eight directions.
const AFFECTED: usize = 8;

/// Adds to [`Lines`] the incrementally updated gains of both sides on each of up to `S` squares, in move order.
///
/// A single gain gives the value of a leaf or the priority of a move. Placing a stone copies the gains and makes at
/// most eight updates. The last two plies take two passes over the gains, plus work for moves that are not refuted.
#[derive(Clone, Debug)]
pub struct Carried<T: Line, const L: usize, const W: usize, const S: usize> {
    lines: Lines<T, L, W>,
    steps: [isize; 4],
    keys: Vec<[u64; 2]>,
}

/// A position together with its gains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardAndGains<T, const L: usize, const W: usize, const S: usize> {
    board: BoardOfLines<T, L, W>,
    /// Gains for Black and for White, in move order (see [`Change`]).
    gains: [[i32; S]; 2],
}

/// The threats in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threats {
    wins: bool,
    /// The first square on which the other side can make a five, and the number of such squares.
    threat: Option<Square>,
    threats: usize,
}

/// An empty square whose gains a stone changes. `order` is the square's index in move order. `before` and `after`
/// contain the gain of each colour along the line through both squares, before and after the stone is placed.
struct Affected {
    order: usize,
    before: [i32; 2],
    after: [i32; 2],
}

impl<T: Line, const L: usize, const W: usize, const S: usize> Carried<T, L, W, S> {
    /// Creates the game with this evaluation. Panics as [`Lines::new`] does, or if the board has more than `S` squares.
    pub fn new(evaluation: &Evaluation) -> Carried<T, L, W, S> {
        let size = evaluation.size();
        assert!(size.squares() <= S, "{size} does not fit");
        let side = size.side() as isize;
        let key = |square: usize| [1, 2].map(|colour| mixed(colour, square as u64 + 1));
        Carried {
            lines: Lines::new(evaluation),
            // In the order of `Place::lines`: row, column, falling, rising.
            steps: [1, side, 1 + side, 1 - side],
            keys: (0..size.squares()).map(key).collect(),
        }
    }

    /// Calls `each` for every square whose gains change when a stone of `colour` is placed on an empty square.
    #[inline(always)]
    fn each_affected(
        &self,
        board: &BoardOfLines<T, L, W>,
        square: Square,
        colour: usize,
        mut each: impl FnMut(Affected),
    ) {
        let Lines {
            windows, places, ..
        } = &self.lines;
        let lines = places[square.index()].lines();
        for (direction, (line, shift)) in lines.into_iter().enumerate() {
            let before = board.lines[line];
            let mut after = before;
            after |= T::square(
                [super::windows::BLACK, super::windows::WHITE][colour],
                usize::from(shift) / 2 + REACH,
            );
            // The low bit of each square is set if the square is occupied or a wall.
            let window = before.window(shift);
            let taken = window | window >> 1;
            for side in [1, -1] {
                let Some(distance) = (1..=REACH).find(|distance| {
                    let at = (REACH as isize + side * *distance as isize) as usize;
                    taken >> (2 * at) & 1 == 0
                }) else {
                    continue;
                };
                let passed = side * distance as isize;
                // A wall counts as occupied, so an empty square is on the board.
                let at = square
                    .index()
                    .wrapping_add_signed(passed * self.steps[direction]);
                let place = places[at];
                let (_, shift) = place.lines()[direction];
                let change =
                    |line: T| [0, 1].map(|colour| windows.change(colour, line.window(shift)));
                each(Affected {
                    order: usize::from(place.order),
                    before: change(before),
                    after: change(after),
                });
            }
        }
    }

    fn all_gains(&self, board: &BoardOfLines<T, L, W>) -> [[i32; S]; 2] {
        let mut gains = [[TAKEN; S]; 2];
        for square in self.lines.evaluation.size().all() {
            if self.lines.stone(board, square).is_some() {
                continue;
            }
            let place = self.lines.places[square.index()];
            for (colour, gains) in gains.iter_mut().enumerate() {
                let mut board = board.clone();
                board.mover = colour as u8;
                gains[usize::from(place.order)] = self.lines.change(&board, place).0;
            }
        }
        gains
    }

    /// Returns true if a stone on one square cannot change the gain on the other.
    #[inline(always)]
    fn is_far(&self, square: Square, other: Square) -> bool {
        let size = self.lines.evaluation.size();
        let (x, y) = (
            size.x(square).abs_diff(size.x(other)),
            size.y(square).abs_diff(size.y(other)),
        );
        x.max(y) > REACH || !(x == 0 || y == 0 || x == y)
    }

    /// Returns the largest gain of a reply after the stone, among the replies whose gains the stone changes.
    #[inline]
    fn best_new_reply(&self, position: &BoardAndGains<T, L, W, S>, mv: Square) -> i32 {
        let (own, other) = sides(&position.board);
        let mut best = TAKEN;
        self.each_affected(&position.board, mv, own, |square| {
            let change = square.after[other] - square.before[other];
            best = best.max(position.gains[other][square.order] + change);
        });
        best
    }

    /// Returns the gain of the best reply to a stone. `tops` contains the other side's best replies before the stone.
    #[inline]
    fn best_reply(
        &self,
        position: &BoardAndGains<T, L, W, S>,
        mv: Square,
        tops: &[(usize, i32); TOPS],
    ) -> i32 {
        let (own, other) = sides(&position.board);
        let mut changed = [usize::from(self.lines.places[mv.index()].order); AFFECTED + 1];
        let (mut count, mut best) = (1, TAKEN);
        self.each_affected(&position.board, mv, own, |square| {
            let change = square.after[other] - square.before[other];
            best = best.max(position.gains[other][square.order] + change);
            changed[count] = square.order;
            count += 1;
        });
        let changed = &changed[..count];
        let stays = tops.iter().find(|(order, _)| !changed.contains(order));
        let stays = stays.map(|(_, reply)| *reply).unwrap_or_else(|| {
            let replies = position.gains[other].iter().enumerate();
            let others = replies.filter(|(order, _)| !changed.contains(order));
            others.map(|(_, reply)| *reply).fold(TAKEN, i32::max)
        });
        best.max(stays)
    }
}

const TOPS: usize = 6;

/// Returns the [`TOPS`] largest gains, in descending order, with their indices.
#[inline]
fn tops<const S: usize>(gains: &[i32; S]) -> [(usize, i32); TOPS] {
    // Each pass computes a plain maximum of gains that are combined with their indices. If gains are equal, the first
    // counts as larger. Indices beyond the board come last.
    let mut below = i64::MAX;
    std::array::from_fn(|_| {
        let mut most = i64::MIN;
        for (order, gain) in gains.iter().enumerate() {
            let both = i64::from(*gain) << 16 | (0xffff - order as i64);
            most = most.max(if both < below { both } else { i64::MIN });
        }
        below = most;
        (0xffff - (most & 0xffff) as usize, (most >> 16) as i32)
    })
}

#[inline(always)]
fn sides<T, const L: usize, const W: usize>(board: &BoardOfLines<T, L, W>) -> (usize, usize) {
    let own = usize::from(board.mover & 1);
    (own, own ^ 1)
}

impl<T: Line, const L: usize, const W: usize, const S: usize> Game for Carried<T, L, W, S> {
    type Position = BoardAndGains<T, L, W, S>;
    type Move = Square;
    type Moves = MovesOfLines<W>;

    #[inline(always)]
    fn decided(&self, position: &Self::Position, ply: u32) -> Option<i32> {
        self.lines.decided(&position.board, ply)
    }

    #[inline(always)]
    fn moves(&self, position: &Self::Position) -> MovesOfLines<W> {
        self.lines.moves(&position.board)
    }

    fn first(&self, position: &Self::Position, moves: &MovesOfLines<W>) -> Option<Square> {
        self.lines.first(&position.board, moves)
    }

    #[inline]
    fn play(&self, position: &Self::Position, mv: Square) -> Self::Position {
        let (own, _) = sides(&position.board);
        let mut gains = position.gains;
        for gains in &mut gains {
            gains[usize::from(self.lines.places[mv.index()].order)] = TAKEN;
        }
        self.each_affected(&position.board, mv, own, |square| {
            for (colour, gains) in gains.iter_mut().enumerate() {
                gains[square.order] += square.after[colour] - square.before[colour];
            }
        });
        let board = self.lines.play(&position.board, mv);
        debug_assert!(board.five || gains == self.all_gains(&board), "{mv:?}");
        BoardAndGains { board, gains }
    }

    #[inline(always)]
    fn evaluate(&self, position: &Self::Position) -> i32 {
        self.lines.evaluate(&position.board)
    }

    #[inline(always)]
    fn value_after(&self, position: &Self::Position, mv: Square, ply: u32) -> i32 {
        let (own, _) = sides(&position.board);
        let order = usize::from(self.lines.places[mv.index()].order);
        let change = Change(position.gains[own][order]);
        if change.is_five() {
            lost(ply)
        } else if position.board.left == 1 {
            0
        } else {
            (-(position.board.balance + change.0)).clamp(-MOST, MOST)
        }
    }

    fn stuck(&self, _: &Self::Position, _ply: u32) -> Stuck<Self::Position> {
        Stuck::Over(0)
    }
}

impl<T: Line, const L: usize, const W: usize, const S: usize> OrderedGame for Carried<T, L, W, S> {
    const ORDERED_FROM: u32 = 3;
    /// Children are not kept, because a position takes kilobytes.
    const KEEPS_CHILDREN: bool = false;

    type Analysis = Threats;

    /// Combines a random number for each stone's square and colour. The stones determine the side to move.
    fn key(&self, position: &Self::Position) -> u64 {
        let stones = self.lines.evaluation.size().all().filter_map(|square| {
            let colour = self.lines.stone(&position.board, square)?;
            Some(self.keys[square.index()][usize::from(colour == Colour::White)])
        });
        stones.fold(0, |key, stone| key ^ stone)
    }

    #[inline(always)]
    fn key_after(&self, key: u64, mv: Square, child: &Self::Position) -> u64 {
        let (_, moved) = sides(&child.board);
        key ^ self.keys[mv.index()][moved]
    }

    #[inline]
    fn analyse(&self, position: &Self::Position) -> Threats {
        let (own, other) = sides(&position.board);
        let five = |gain: &i32| Change(*gain).is_five();
        let best = |gains: &[i32; S]| gains.iter().copied().fold(TAKEN, i32::max);
        let mut found = Threats {
            wins: self.may_win(position) && five(&best(&position.gains[own])),
            threat: None,
            threats: 0,
        };
        if !found.wins && self.may_win(position) && five(&best(&position.gains[other])) {
            let threats = &position.gains[other];
            found.threats = threats.iter().filter(|gain| five(gain)).count();
            let first = threats.iter().position(five);
            found.threat = first.map(|order| self.lines.order[order]);
        }
        found
    }

    /// Returns the value if the mover can make a five at once, or if the other side can make two fives.
    #[inline(always)]
    fn known_value(&self, found: &Threats, ply: u32) -> Option<i32> {
        if found.wins {
            Some(-lost(ply + 1))
        } else if found.threats > 1 {
            Some(lost(ply + 2))
        } else {
            None
        }
    }

    /// If the other side threatens a five, skips all moves that do not stop it, because they lose at least as soon.
    #[inline(always)]
    fn may_skip(&self, found: &Threats, mv: Square) -> bool {
        found.threat.is_some_and(|threat| threat != mv)
    }

    #[inline(always)]
    fn order_score(
        &self,
        position: &Self::Position,
        _found: &Threats,
        mv: Square,
        _child: Option<&Self::Position>,
        _ply: u32,
    ) -> i32 {
        let order = usize::from(self.lines.places[mv.index()].order);
        position.gains[0][order] + position.gains[1][order]
    }

    /// Computes the value of a move as its gain minus the largest gain of any reply. If a move does not change the gain
    /// of the best reply, the best reply after the move is either the same one or one whose gain the move changes.
    /// Replies are examined only after two kinds of moves: those that change the best reply's gain, and those whose
    /// value after the best reply would still exceed the best value so far.
    #[inline]
    fn last_two(
        &self,
        position: &Self::Position,
        ply: u32,
        alpha: i32,
        beta: i32,
    ) -> Option<TwoPlies> {
        if !self.may_win(position) {
            return None;
        }
        let (own, other) = sides(&position.board);
        let gains = &position.gains[own];
        let ended = |value| Some(TwoPlies::new(value, 2, 1));
        let most = gains.iter().copied().fold(TAKEN, i32::max);
        if Change(most).is_five() {
            return ended(-lost(ply + 1));
        }
        let tops = tops(&position.gains[other]);
        if Change(tops[1].1).is_five() {
            return ended(lost(ply + 2));
        }
        let value =
            |gain: i32, reply: i32| (position.board.balance + gain - reply).clamp(-MOST, MOST);
        if Change(tops[0].1).is_five() {
            // This is the only stone that stops the five.
            let (threat, _) = tops[0];
            let reply = self.best_reply(position, self.lines.order[threat], &tops);
            return ended(value(gains[threat], reply));
        }
        let (at, reply) = tops[0];
        let mut special = [at; AFFECTED + 1];
        let mut count = 1;
        self.each_affected(&position.board, self.lines.order[at], other, |square| {
            special[count] = square.order;
            count += 1;
        });
        let special = &special[..count];
        let (mut best, mut bound, mut looked) = (-INFINITY, -INFINITY, 0);
        // These moves change the gain of the best reply. Another good reply, far from the move, refutes most of them.
        for order in special {
            let mv = self.lines.order[*order];
            let far = tops[1..]
                .iter()
                .find(|(reply, _)| self.is_far(mv, self.lines.order[*reply]));
            if let Some((_, reply)) = far {
                let most = value(gains[*order], *reply);
                if most <= best.max(alpha) {
                    bound = bound.max(most);
                    continue;
                }
            }
            best = best.max(value(gains[*order], self.best_reply(position, mv, &tops)));
            looked += 1;
        }
        // Try the other moves, if one of them may still be better than the best move so far.
        let may_be_better = |best: i32, gain: i32| {
            let floor = i64::from(best.max(alpha)) - i64::from(position.board.balance);
            i64::from(gain) > floor + i64::from(reply)
        };
        let others = if may_be_better(best, most) { S } else { 0 };
        for order in 0..others {
            let gain = gains[order];
            if !may_be_better(best, gain) || special.contains(&order) {
                continue;
            }
            if best >= beta {
                break;
            }
            let reply = reply.max(self.best_new_reply(position, self.lines.order[order]));
            best = best.max(value(gain, reply));
            looked += 1;
        }
        if best <= alpha {
            // This bounds the values of the moves that were not examined.
            best = best.max(bound).max(value(most, reply).min(alpha));
        }
        Some(TwoPlies::new(best, 2 * looked, looked))
    }
}

impl<T: Line, const L: usize, const W: usize, const S: usize> Carried<T, L, W, S> {
    /// Returns true if gains determine the next two plies: all empty squares are moves, and the board does not fill up.
    #[inline(always)]
    fn may_win(&self, position: &BoardAndGains<T, L, W, S>) -> bool {
        self.lines.evaluation.moves == MoveRule::All && position.board.left > 2
    }
}

impl<T: Line, const L: usize, const W: usize, const S: usize> Representation
    for Carried<T, L, W, S>
{
    fn size(&self) -> Size {
        self.lines.size()
    }

    fn load(&self, position: &Position) -> BoardAndGains<T, L, W, S> {
        let board = self.lines.load(position);
        let gains = self.all_gains(&board);
        BoardAndGains { board, gains }
    }

    fn stone(&self, position: &Self::Position, square: Square) -> Option<Colour> {
        self.lines.stone(&position.board, square)
    }

    fn balance(&self, position: &Self::Position) -> i32 {
        self.lines.balance(&position.board)
    }
}
