use super::{Position, Size, Square};
use crate::games::played::{Ending, Played};
use crate::games::random_games::{LANES, Lanes, PlayoutLanes, Root};
use crate::random::digit;

/// Maximum side length of a board for random games. It is limited because two lines of stones share a 32-bit word.
pub const LONGEST_RANDOM: usize = 16;

const SQUARES: usize = LONGEST_RANDOM * LONGEST_RANDOM;
const DIAGONALS: usize = 2 * LONGEST_RANDOM - 1;
const COLUMNS_AT: usize = LONGEST_RANDOM;
const FALLING_AT: usize = 2 * LONGEST_RANDOM;
const RISING_AT: usize = FALLING_AT + DIAGONALS;
const LINES: usize = RISING_AT + DIAGONALS;

/// Plays gomoku on boards up to 16x16, with random moves on empty squares until there is a five or the board is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomStones;

/// A board after random plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomBoard {
    /// The empty squares, as `y * 16 + x`. Entries from index `left` are undefined.
    list: [u8; SQUARES],
    /// Rows, columns, falling and rising diagonals of each side. Side 0 is the side to move at the root.
    lines: [[u16; LINES]; 2],
    left: u32,
    plies: u32,
    live: bool,
    won: bool,
}

/// Number of 32-bit words in [`RandomBoard::words`].
pub const RANDOM_BOARD_WORDS: usize = SQUARES / 4 + LINES + 2;

impl Default for RandomBoard {
    fn default() -> RandomBoard {
        RandomBoard {
            list: [0; SQUARES],
            lines: [[0; LINES]; 2],
            left: 0,
            plies: 0,
            live: false,
            won: false,
        }
    }
}

/// Boards for [`LANES`] games.
#[derive(Clone, Debug)]
pub struct RandomBoards(Vec<RandomBoard>);

impl Default for RandomBoards {
    fn default() -> RandomBoards {
        RandomBoards(vec![RandomBoard::default(); LANES])
    }
}

/// Returns the places at which five in a row begins. `lines` contains two lines.
#[inline(always)]
fn fives(lines: u32) -> u32 {
    // A run must not begin in the first line and end in the second.
    let pairs = lines & lines >> 1 & 0x7fff_7fff;
    pairs & pairs >> 2 & lines >> 4 & 0x0fff_0fff
}

impl RandomBoard {
    /// Returns the board one ply after the root with these empty squares and stones. The game must not be over.
    pub(super) fn going_on(empty: impl Iterator<Item = u8>, stones: &Stones) -> RandomBoard {
        let mut board = RandomBoard {
            plies: 1,
            live: true,
            ..RandomBoard::default()
        };
        for (place, square) in board.list.iter_mut().zip(empty) {
            *place = square;
            board.left += 1;
        }
        for (side, rows) in [stones.other, stones.own].iter().enumerate() {
            for (y, row) in rows.iter().enumerate() {
                let mut stones = *row;
                while stones != 0 {
                    board.put(
                        (y * LONGEST_RANDOM) as u8 + stones.trailing_zeros() as u8,
                        side as u32,
                    );
                    stones &= stones - 1;
                }
            }
        }
        board
    }

    fn of(position: &Position) -> RandomBoard {
        let size = position.size();
        let empty = position.legal_moves().into_iter();
        let empty = empty.map(|square| code(size, square));
        RandomBoard {
            live: !position.is_over(),
            won: position.has_five(),
            ..RandomBoard::going_on(empty, &Stones::of(position))
        }
    }

    /// Places a stone of the root's side to move (0) or of the other side (1). Returns true if it makes five in a row.
    #[inline(always)]
    fn put(&mut self, square: u8, side: u32) -> bool {
        let (x, y) = (usize::from(square & 15), usize::from(square >> 4));
        let own = &mut self.lines[side as usize & 1];
        let mut with = |line: usize, place: usize| {
            own[line] |= 1 << place;
            u32::from(own[line])
        };
        let straight = with(y, x) | with(COLUMNS_AT + x, y) << LONGEST_RANDOM;
        let falling = with(FALLING_AT + LONGEST_RANDOM - 1 + x - y, x);
        let diagonals = falling | with(RISING_AT + x + y, x) << LONGEST_RANDOM;
        fives(straight) | fives(diagonals) != 0
    }

    #[inline(always)]
    fn play(&mut self, word: &mut u32) {
        if !self.live {
            return;
        }
        let place = digit(word, self.left) as usize & (SQUARES - 1);
        let square = self.list[place];
        self.left -= 1;
        self.list[place] = self.list[self.left as usize & (SQUARES - 1)];
        self.won = self.put(square, self.plies & 1);
        self.plies += 1;
        self.live = !self.won && self.left > 0;
    }

    /// Returns the board in the format for devices: list, lines, number of empty squares, and state. The low halves of
    /// the lines belong to the side to move at the root. The state is 1 if the game continues, and 2 if it is won.
    pub fn words(&self) -> [u32; RANDOM_BOARD_WORDS] {
        let mut words = [0; RANDOM_BOARD_WORDS];
        for (word, squares) in words.iter_mut().zip(self.list.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*squares);
        }
        let lines = self.lines[0].iter().zip(&self.lines[1]);
        for (word, (own, other)) in words[SQUARES / 4..].iter_mut().zip(lines) {
            *word = u32::from(*own) | u32::from(*other) << LONGEST_RANDOM;
        }
        words[RANDOM_BOARD_WORDS - 2] = self.left;
        words[RANDOM_BOARD_WORDS - 1] = u32::from(self.live) | u32::from(self.won) << 1;
        words
    }
}

/// A position in a tree, on a board of up to 16x16. Each side has one word per row, in which bit x stands for column x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stones {
    /// The stones of the side to move.
    pub own: [u16; LONGEST_RANDOM],
    /// The stones of the other side, which moved last.
    pub other: [u16; LONGEST_RANDOM],
}

impl Stones {
    /// Converts a position.
    pub fn of(position: &Position) -> Stones {
        let size = position.size();
        let mut stones = Stones::default();
        for square in size.all() {
            let (x, y) = (size.x(square), size.y(square));
            match position.at(square) {
                Some(colour) if colour == position.mover() => stones.own[y] |= 1 << x,
                Some(_) => stones.other[y] |= 1 << x,
                None => {}
            }
        }
        stones
    }
}

/// Returns a square's number in lists of squares.
pub(super) fn code(size: Size, square: Square) -> u8 {
    (size.y(square) * LONGEST_RANDOM + size.x(square)) as u8
}

impl RandomStones {
    /// Returns the root of random games from a position on at most 16x16. First moves are in search order.
    pub fn root(&self, position: &Position) -> Root<RandomBoard> {
        if position.is_over() {
            return Root::Over(Ending::of(position.has_five(), 0));
        }
        let children = position.legal_moves().into_iter();
        let children = children.filter_map(|square| position.play(square));
        Root::Children(children.map(|child| RandomBoard::of(&child)).collect())
    }
}

impl PlayoutLanes for RandomStones {
    type Board = RandomBoard;
    type Boards = RandomBoards;

    /// The bias is at most 256 / 2^32, or 0.06 in a million. With two plies per word, it would be 15 in a million.
    const PLIES_PER_WORD: u32 = 1;

    fn put(&self, boards: &mut RandomBoards, lane: usize, board: &RandomBoard) {
        boards.0[lane] = *board;
    }

    fn advance(&self, boards: &mut RandomBoards, words: &mut Lanes) {
        for (board, word) in boards.0.iter_mut().zip(words) {
            board.play(word);
        }
    }

    fn ended(&self, boards: &RandomBoards) -> u32 {
        let boards = boards.0.iter().enumerate();
        boards.fold(0, |bits, (lane, board)| {
            bits | u32::from(!board.live) << lane
        })
    }

    fn played(&self, boards: &RandomBoards, lane: usize) -> Played {
        let board = &boards.0[lane];
        Played {
            ending: Ending::of(board.won, board.plies),
            plies: board.plies,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::random_games::Playouts;
    use crate::games::random_games::tests::equal_a_plain_loop;

    /// A position, and its empty squares in the order of the random games' list.
    #[derive(Clone)]
    struct Listed(Position, Option<Vec<Square>>);

    /// Returns the position after each entry of the list. The first ply creates a new list.
    fn children(Listed(position, list): &Listed) -> Vec<Listed> {
        if position.is_over() {
            return Vec::new();
        }
        let list = list.clone();
        let squares = list.clone().unwrap_or_else(|| position.legal_moves());
        let child = |(place, square): (usize, &Square)| {
            let next = position.play(*square).unwrap();
            let mut left = match &list {
                None => next.legal_moves(),
                Some(list) => list.clone(),
            };
            if list.is_some() {
                left.swap_remove(place);
            }
            Listed(next, Some(left))
        };
        squares.iter().enumerate().map(child).collect()
    }

    fn check(position: &Position, seed: u64, numbers: std::ops::Range<u64>) {
        let playouts = Playouts::new(RandomStones, RandomStones.root(position), seed);
        let mover = position.mover();
        let score = |end: &Listed| match (end.0.has_five(), end.0.mover() == mover) {
            (false, _) => 0,
            (true, true) => -1,
            (true, false) => 1,
        };
        let root = Listed(position.clone(), None);
        equal_a_plain_loop(&playouts, (&root, seed), numbers, children, score);
    }

    #[test]
    fn random_games_are_those_of_the_rules() {
        for (side, seed, count) in [(5, 1, 300), (9, 77, 60), (15, 3, 12), (16, 4, 6)] {
            let size = Size::new(side).unwrap();
            check(&Position::empty(size), seed, 0..count);
            check(
                &Position::first_stone(size),
                seed,
                (1 << 32) - 2..(1 << 32) + 3,
            );
        }
        // Covers a full 5x5 board, and games that end with one of the next stones.
        let mut position = Position::empty(Size::new(5).unwrap());
        while let Some(square) = position.legal_moves().get(position.moves().len() * 7 % 3) {
            position = position.play(*square).unwrap();
            check(&position, 5, 0..25);
            if position.legal_moves().len() < 3 {
                break;
            }
        }
    }
}
