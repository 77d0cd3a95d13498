use super::random_game::{ending, root_of};
use super::word::Word;
use super::{Colour, Position, Size};
use crate::games::played::Played;
use crate::games::random_games::{LANES, Lanes, RandomGame, Root};
use crate::random::digit;

/// The most ranks of a board.
const RANKS: usize = 64;

/// Reversi on any board as it is played at random, a word of type `W` a rank and side: any legal move, a pass where
/// there is none, until neither side can move. A pass is a ply and takes no digit.
///
/// The moves of [`LANES`] games are found together, rank after rank, in loops over the lanes that the compiler makes
/// vectors of: runs up the board, down it, and along each rank by a carry and by doubled steps. A move is drawn and made
/// game by game. Of the board only ranks with discs, and those next to them, are looked at. That nobody can move shows
/// when a side has no move after a pass, which is then taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomRows<W> {
    size: Size,
    full: W,
    /// The files that a slanting run can lie on: all but the outermost two.
    inner: W,
}

/// A board after the first ply of a random game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomRowsBoard {
    /// The discs of the side to move and of the other, bit `file` of each rank.
    ranks: [[u64; 2]; RANKS],
}

/// A word of each game.
type Words<W> = [W; LANES];

/// A rank of many boards.
#[derive(Clone, Copy, Debug)]
struct Rank<W> {
    /// The discs of the side to move after the first ply, and of the other.
    discs: [Words<W>; 2],
    moves: Words<W>,
}

/// Many boards.
#[derive(Clone, Debug)]
pub struct RandomRowsBoards<W> {
    /// Empty before the first game.
    ranks: Vec<Rank<W>>,
    /// All ones where the second of the two sides is to move, else 0.
    second: Words<W>,
    plies: Lanes,
    /// Whether the last ply was a pass.
    passed: [bool; LANES],
    live: [bool; LANES],
    /// The first rank with a disc, and one past the last.
    spans: [(usize, usize); LANES],
}

impl<W: Word> Default for RandomRowsBoards<W> {
    fn default() -> Self {
        RandomRowsBoards {
            ranks: Vec::new(),
            second: [W::ZERO; LANES],
            plies: [0; LANES],
            passed: [false; LANES],
            live: [false; LANES],
            spans: [(RANKS, 0); LANES],
        }
    }
}

/// Runs that enter a rank from the one before, of all games.
struct Sweep<W> {
    /// The discs of the side to move there.
    from: Words<W>,
    /// The other side's discs there in runs towards higher files, straight on, and towards lower files.
    runs: [Words<W>; 3],
}

impl<W: Word> Sweep<W> {
    const START: Self = Sweep {
        from: [W::ZERO; LANES],
        runs: [[W::ZERO; LANES]; 3],
    };

    /// Advances to the next rank; returns where runs end there.
    #[inline(always)]
    fn step(&mut self, lane: usize, [own, other]: [W; 2], inner: W) -> W {
        let [higher, straight, lower] = self.runs.each_mut().map(|run| &mut run[lane]);
        let ends = *higher << 1 | *straight | *lower >> 1;
        let (from, slanting) = (self.from[lane], other & inner);
        *higher = (*higher | from) << 1 & slanting;
        *straight = (*straight | from) & other;
        *lower = (*lower | from) >> 1 & slanting;
        self.from[lane] = own;
        ends
    }
}

/// Where runs along a rank end.
#[inline(always)]
fn ends_along<W: Word>(own: W, other: W) -> W {
    // A carry runs up through the discs.
    let up = other.plus(own << 1 & other) & !other;
    let (mut run, mut through, mut step) = (own >> 1 & other, other, 1);
    while step < W::BITS {
        run |= through & run >> step;
        through &= through >> step;
        step *= 2;
    }
    up | run >> 1
}

impl<W: Word> Rank<W> {
    /// The discs of the side to move and of the other.
    #[inline(always)]
    fn own_and_other(&self, lane: usize, second: &Words<W>) -> [W; 2] {
        let [a, b] = [self.discs[0][lane], self.discs[1][lane]];
        let (first, second) = (!second[lane], second[lane]);
        [a & first | b & second, b & first | a & second]
    }
}

impl<W: Word> RandomRows<W> {
    /// The game on boards of a size.
    ///
    /// # Panics
    /// If they are wider than `W`.
    pub fn new(size: Size) -> RandomRows<W> {
        assert!(size.width() <= W::BITS as usize, "{size} does not fit");
        let full = u64::MAX >> (64 - size.width());
        RandomRows {
            size,
            full: W::from_rank(full),
            inner: W::from_rank(full & full >> 1 & !1),
        }
    }

    /// The size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// [`root_of`] a position.
    pub fn root(&self, position: &Position) -> Root<RandomRowsBoard> {
        root_of(position, RandomRowsBoard::of)
    }

    /// Finds every game's moves on these ranks, and counts them.
    #[inline(never)]
    fn find_moves(&self, boards: &mut RandomRowsBoards<W>, (low, high): (usize, usize)) -> Lanes {
        let second = boards.second;
        let mut sweep = Sweep::START;
        for rank in &mut boards.ranks[low..high] {
            for lane in 0..LANES {
                let [own, other] = rank.own_and_other(lane, &second);
                let ends = sweep.step(lane, [own, other], self.inner);
                rank.moves[lane] = ends | ends_along(own, other);
            }
        }
        let (mut sweep, mut counts) = (Sweep::START, [0; LANES]);
        for rank in boards.ranks[low..high].iter_mut().rev() {
            for lane in 0..LANES {
                let [own, other] = rank.own_and_other(lane, &second);
                let ends = sweep.step(lane, [own, other], self.inner);
                let moves = (rank.moves[lane] | ends) & self.full & !(own | other);
                rank.moves[lane] = moves;
                counts[lane] += moves.count();
            }
        }
        counts
    }

    /// Plays a ply of each game.
    fn ply(&self, boards: &mut RandomRowsBoards<W>, words: &mut Lanes) {
        let of_live = |&lane: &usize| boards.live[lane];
        let spans = (0..LANES).filter(of_live).map(|lane| boards.spans[lane]);
        let all = spans.reduce(|(a, b), (low, high)| (a.min(low), b.max(high)));
        let Some((low, high)) = all else {
            return;
        };
        // A run ends one rank further at the most.
        let span = (low.saturating_sub(1), (high + 1).min(self.size.height()));
        let counts = self.find_moves(boards, span);
        for (lane, word) in words.iter_mut().enumerate() {
            if boards.live[lane] {
                let moves = counts[lane];
                let index = (moves > 0).then(|| digit(word, moves));
                boards.play(lane, index, span.0);
            }
        }
    }
}

impl RandomRowsBoard {
    /// The board of a position.
    fn of(position: &Position) -> RandomRowsBoard {
        let rows = |colour: Colour| position.rows(colour).iter().copied();
        let (own, other) = (position.mover(), position.mover().other());
        RandomRowsBoard::of_ranks(rows(own).zip(rows(other)))
    }

    /// The board with these discs of the side to move and of the other, rank by rank.
    pub(super) fn of_ranks(discs: impl Iterator<Item = (u64, u64)>) -> RandomRowsBoard {
        let mut ranks = [[0; 2]; RANKS];
        for (rank, (own, other)) in ranks.iter_mut().zip(discs) {
            *rank = [own, other];
        }
        RandomRowsBoard { ranks }
    }

    /// The discs of the side to move and of the other, rank by rank; those past the board are empty.
    pub fn ranks(&self) -> &[[u64; 2]] {
        &self.ranks
    }
}

impl<W: Word> RandomRowsBoards<W> {
    /// Plays the move of that index, which is on rank `from` or a higher one, or a pass.
    fn play(&mut self, lane: usize, index: Option<u32>, from: usize) {
        let Some(mut left) = index else {
            // A second pass ends the game and is none.
            if self.passed[lane] {
                self.live[lane] = false;
                return;
            }
            self.end_ply(lane, true);
            return;
        };
        for rank in from..self.ranks.len() {
            let mut moves = self.ranks[rank].moves[lane];
            let count = moves.count();
            if left < count {
                for _ in 0..left {
                    moves &= moves.minus(W::ONE);
                }
                self.put(lane, rank, moves & W::ZERO.minus(moves));
                break;
            }
            left -= count;
        }
        self.end_ply(lane, false);
    }

    fn end_ply(&mut self, lane: usize, passed: bool) {
        self.passed[lane] = passed;
        self.plies[lane] += 1;
        self.second[lane] = !self.second[lane];
    }

    /// Puts a disc of the side to move, and turns others.
    fn put(&mut self, lane: usize, rank: usize, bit: W) {
        let own = usize::from(self.second[lane] != W::ZERO);
        let sides = |row: &Rank<W>| (row.discs[own][lane], row.discs[1 - own][lane]);
        let (mine, theirs) = sides(&self.ranks[rank]);
        let mut turned = bit;
        let run = theirs & !theirs.plus(bit << 1);
        if run << 1 & mine != W::ZERO {
            turned |= run;
        }
        let below = bit.minus(W::ONE);
        let stops = below & !theirs;
        if stops != W::ZERO {
            let end = W::ONE << (W::BITS - 1 - stops.past());
            if end & mine != W::ZERO {
                turned |= bit.minus(end << 1);
            }
        }
        self.turn(lane, rank, own, turned);
        for file_step in [-1, 0, 1] {
            let shift = |bit: W| match file_step {
                -1 => bit >> 1,
                0 => bit,
                _ => bit << 1,
            };
            for up in [true, false] {
                let next = |rank: usize| match up {
                    true => Some(rank + 1).filter(|rank| *rank < self.ranks.len()),
                    false => rank.checked_sub(1),
                };
                let (mut here, mut at, mut length) = (shift(bit), next(rank), 0);
                let closed = loop {
                    let Some(row) = at.map(|at| &self.ranks[at]) else {
                        break false;
                    };
                    let (mine, theirs) = sides(row);
                    if theirs & here == W::ZERO {
                        break mine & here != W::ZERO;
                    }
                    (here, at, length) = (shift(here), at.and_then(next), length + 1);
                };
                if closed {
                    let (mut here, mut at) = (bit, rank);
                    for _ in 0..length {
                        here = shift(here);
                        at = if up { at + 1 } else { at - 1 };
                        self.turn(lane, at, own, here);
                    }
                }
            }
        }
        let (low, high) = self.spans[lane];
        self.spans[lane] = (low.min(rank), high.max(rank + 1));
    }

    /// Makes discs of a rank those of side `own`.
    #[inline(always)]
    fn turn(&mut self, lane: usize, rank: usize, own: usize, discs: W) {
        let row = &mut self.ranks[rank].discs;
        row[own][lane] |= discs;
        row[1 - own][lane] &= !discs;
    }
}

impl<W: Word> RandomGame for RandomRows<W> {
    type Board = RandomRowsBoard;
    type Boards = RandomRowsBoards<W>;

    /// No board has room for more than 4,092 moves: 4092 / 2^32 is 0.95 in a million.
    const PLIES_PER_WORD: u32 = 1;

    /// Games are nearly equally long.
    const SERIES: u64 = 1;

    fn put(&self, boards: &mut RandomRowsBoards<W>, lane: usize, board: &RandomRowsBoard) {
        let none = Rank {
            discs: [[W::ZERO; LANES]; 2],
            moves: [W::ZERO; LANES],
        };
        boards.ranks.resize(self.size.height(), none);
        boards.spans[lane] = (RANKS, 0);
        for (number, (row, [own, other])) in boards.ranks.iter_mut().zip(&board.ranks).enumerate() {
            row.discs[0][lane] = W::from_rank(*own);
            row.discs[1][lane] = W::from_rank(*other);
            if own | other != 0 {
                let (low, _) = boards.spans[lane];
                boards.spans[lane] = (low.min(number), number + 1);
            }
        }
        boards.second[lane] = W::ZERO;
        boards.plies[lane] = 1;
        boards.passed[lane] = false;
        boards.live[lane] = true;
    }

    fn advance(&self, boards: &mut RandomRowsBoards<W>, words: &mut Lanes) {
        self.ply(boards, words);
    }

    fn ended(&self, boards: &RandomRowsBoards<W>) -> u32 {
        let flags = boards.live.iter().enumerate();
        flags.fold(0, |bits, (lane, live)| bits | u32::from(!live) << lane)
    }

    fn played(&self, boards: &RandomRowsBoards<W>, lane: usize) -> Played {
        let discs = |side: usize| -> i64 {
            let counts = boards.ranks.iter().map(|row| row.discs[side][lane].count());
            i64::from(counts.sum::<u32>())
        };
        Played {
            // The second side is the one to move at the root.
            ending: ending(discs(1) - discs(0), 0),
            // A pass after which the other side has no move either is none.
            plies: boards.plies[lane] - u32::from(boards.passed[lane]),
        }
    }
}

#[cfg(test)]
mod tests;
