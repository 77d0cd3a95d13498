use super::Position;
use crate::games::played::{Ending, Played};
use crate::games::random_games::{LANES, Lanes, PlayoutLanes, Root, all_ones, side_by_side, zeros};
use crate::random::digit;

/// Plays reversi on 8x8 with random moves until neither side can move. A side without moves passes and uses no digit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomSquares;

/// A board after a random ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomBoard {
    /// The mover's discs. Bit `rank * 8 + file` stands for a square.
    pub own: u64,
    /// The other side's discs.
    pub other: u64,
    plies: u64,
    /// All ones while the game continues, otherwise 0.
    pub live: u64,
    passed: u64,
}

side_by_side!(RandomBoards of RandomBoard: own, other, plies, live, passed);

/// Squares that can be inside a run along a rank: all squares except the edge files.
const INNER_FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;

const FIRST_FILE: u64 = 0x0101_0101_0101_0101;

/// Returns the discs of `inner` (at most six) in the unbroken runs that start next to `from`, in steps of `step` bits.
#[inline(always)]
fn run_up(from: u64, inner: u64, step: u32) -> u64 {
    if step == 1 {
        // A carry passes through the run and stops at its end.
        return inner & !inner.wrapping_add(from << 1 & inner);
    }
    let pairs = inner & inner << step;
    let mut run = inner & from << step;
    run |= inner & run << step;
    run |= pairs & run << (2 * step);
    run | pairs & run << (2 * step)
}

#[inline(always)]
fn run_down(from: u64, inner: u64, step: u32) -> u64 {
    let pairs = inner & inner >> step;
    let mut run = inner & from >> step;
    run |= inner & run >> step;
    run |= pairs & run >> (2 * step);
    run | pairs & run >> (2 * step)
}

/// Returns, for each axis, the step between squares in bits and the opponent's discs that can be inside a run.
#[inline(always)]
fn steps(other: u64) -> [(u32, u64); 4] {
    let inner = other & INNER_FILES;
    [(1, inner), (8, other), (7, inner), (9, inner)]
}

/// Runs of the other side's discs along the four axes of [`steps`].
pub(super) type Runs = [u64; 4];

/// Returns the moves of the side with the discs `own`, and the runs that start next to its discs, upward and downward.
#[inline(always)]
pub(super) fn legal_moves(own: u64, other: u64) -> (u64, Runs, Runs) {
    let (mut ends, mut ups, mut downs) = (0, [0; 4], [0; 4]);
    for (axis, (step, inner)) in steps(other).into_iter().enumerate() {
        (ups[axis], downs[axis]) = (run_up(own, inner, step), run_down(own, inner, step));
        ends |= ups[axis] << step | downs[axis] >> step;
    }
    (ends & !(own | other), ups, downs)
}

/// Returns the discs that a move flips: those in a run from the square and in an opposite run from the mover's discs.
#[inline(always)]
pub(super) fn turned_by(square: u64, other: u64, ups: &Runs, downs: &Runs) -> u64 {
    let mut turned = 0;
    for (axis, (step, inner)) in steps(other).into_iter().enumerate() {
        turned |= run_up(square, inner, step) & downs[axis];
        turned |= run_down(square, inner, step) & ups[axis];
    }
    turned
}

/// Returns a random move, drawn with a digit of the word. If there is no move, returns 0 and uses no digit.
#[inline(always)]
fn random_square(moves: u64, word: &mut u32) -> u64 {
    let mut counts = moves - (moves >> 1 & 0x5555_5555_5555_5555);
    counts = (counts & 0x3333_3333_3333_3333) + (counts >> 2 & 0x3333_3333_3333_3333);
    counts = (counts + (counts >> 4)) & (FIRST_FILE * 15);
    // After these additions, the byte of each rank contains the number of moves up to the end of the rank.
    counts += counts << 8;
    counts += counts << 16;
    counts += counts << 32;
    let count = (counts >> 56) as u32;
    let index = u64::from(digit(word, if count == 0 { 1 } else { count }));
    // Adding 127 - index to each byte sets its top bit if its count is above the index.
    let mut above = 127 - index;
    above |= above << 8;
    above |= above << 16;
    above |= above << 32;
    let past = (counts.wrapping_add(above)) & (FIRST_FILE << 7);
    let rank = past & past.wrapping_neg();
    let files = (rank << 1).wrapping_sub(rank >> 7);
    let mut before = counts << 8 & files;
    before |= before >> 32;
    before |= before >> 16;
    before |= before >> 8;
    let left = index.wrapping_sub(before & 0xff);
    let mut bits = moves & files;
    for cleared in 0..7 {
        bits &= bits.wrapping_sub(1) | !all_ones(left > cleared);
    }
    bits & bits.wrapping_neg()
}

impl RandomBoard {
    /// Returns the board one ply after the root with these discs. The game must not be over.
    pub(super) fn going_on(own: u64, other: u64) -> RandomBoard {
        RandomBoard {
            own,
            other,
            plies: 1,
            live: u64::MAX,
            passed: 0,
        }
    }

    fn of(position: &Position) -> RandomBoard {
        let [own, other] = position.words();
        RandomBoard {
            live: all_ones(own | other != u64::MAX),
            ..RandomBoard::going_on(own, other)
        }
    }

    #[inline(always)]
    fn play(&mut self, word: &mut u32) {
        let (moves, ups, downs) = legal_moves(self.own, self.other);
        let none = all_ones(moves == 0);
        let square = random_square(moves, word);
        self.live &= !(none & self.passed);
        let turned = turned_by(square, self.other, &ups, &downs) | square;
        let (own, other) = (self.other & !turned, self.own | turned);
        self.own ^= (self.own ^ own) & self.live;
        self.other ^= (self.other ^ other) & self.live;
        self.plies += self.live & 1;
        self.passed ^= (self.passed ^ none) & self.live;
        self.live &= all_ones(self.own | self.other != u64::MAX);
    }
}

/// Returns the result for the side to move at the root. After `plies` plies, the side to move leads by `lead` discs.
fn ending(lead: i64, plies: u64) -> Ending {
    match (lead.signum(), plies % 2) {
        (0, _) => Ending::Drawn,
        (1, 0) | (-1, 1) => Ending::Won,
        _ => Ending::Lost,
    }
}

impl RandomSquares {
    /// Returns the root of random games from an 8x8 position. First moves are in square order. A pass counts as a move.
    pub fn root(&self, position: &Position) -> Root<RandomBoard> {
        if position.is_over() {
            let discs = |colour| i64::from(position.discs(colour));
            let (own, other) = (position.mover, position.mover.other());
            return Root::Over(ending(discs(own) - discs(other), 0));
        }
        let moves = position.legal_moves().into_iter();
        let mut children: Vec<_> = moves.filter_map(|square| position.play(square)).collect();
        if children.is_empty() {
            children.push(position.pass());
        }
        Root::Children(children.iter().map(RandomBoard::of).collect())
    }
}

impl PlayoutLanes for RandomSquares {
    type Board = RandomBoard;
    type Boards = RandomBoards;

    /// We found no position with more than 33 moves, so the bias is at most 33^2 / 2^32, or 0.25 in a million.
    const PLIES_PER_WORD: u32 = 2;

    fn put(&self, boards: &mut RandomBoards, lane: usize, board: &RandomBoard) {
        boards.put(lane, board);
    }

    fn advance(&self, boards: &mut RandomBoards, words: &mut Lanes) {
        for _ in 0..Self::PLIES_PER_WORD {
            boards.ply(words);
        }
    }

    fn ended(&self, boards: &RandomBoards) -> u32 {
        zeros(&boards.live)
    }

    fn played(&self, boards: &RandomBoards, lane: usize) -> Played {
        let discs = |bits: &[u64; LANES]| i64::from(bits[lane].count_ones());
        let plies = boards.plies[lane];
        Played {
            ending: ending(discs(&boards.own) - discs(&boards.other), plies),
            // The last pass does not count if the other side cannot move either.
            plies: (plies - (boards.passed[lane] & 1)) as u32,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::games::random_games::Playouts;
    use crate::games::random_games::tests::equal_a_plain_loop;
    use crate::games::reversi::Size;

    pub(in crate::games::reversi) fn children(position: &Position) -> Vec<Position> {
        let moves = position.legal_moves().into_iter();
        let mut children: Vec<_> = moves.filter_map(|square| position.play(square)).collect();
        if children.is_empty() && !position.is_over() {
            children.push(position.pass());
        }
        children
    }

    fn check(position: &Position, seed: u64, numbers: std::ops::Range<u64>) {
        let playouts = Playouts::new(RandomSquares, RandomSquares.root(position), seed);
        let mover = position.mover;
        let score = |end: &Position| end.discs(mover) as i32 - end.discs(mover.other()) as i32;
        equal_a_plain_loop(&playouts, (position, seed), numbers, children, score);
    }

    #[test]
    fn random_games_are_those_of_the_rules() {
        let start = Position::start(Size::new(8, 8).unwrap());
        check(&start, 1, 0..1000);
        check(&start, 77, (1 << 32) - 20..(1 << 32) + 20);
        // Tests positions from whole games, including every position with a pass and every final position.
        let mut passes = 0;
        for game in 0..24 {
            let mut position = start.clone();
            for ply in 0.. {
                let next = children(&position);
                let passes_here = position.legal_moves().is_empty() && !next.is_empty();
                passes += usize::from(passes_here);
                if passes_here || next.is_empty() || (ply + game) % 8 == 0 {
                    check(&position, game as u64, 0..20);
                }
                match next.get((ply * 7919 + game * 31) % next.len().max(1)) {
                    Some(child) => position = child.clone(),
                    None => break,
                }
            }
        }
        assert!(passes > 0);
    }
}
