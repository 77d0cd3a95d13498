//! Implements the rules a second time, slowly and on 64 characters. It shares no code with the implementation that it
//! tests. Squares are (row, column) pairs, counted from the top left.

use super::{Capture, Colour, Position, Square};

type Place = (usize, usize);

/// A position. Men are `w` and `b`, kings are `W` and `B`, and empty squares are `.`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Naive {
    cells: [[char; 8]; 8],
    white_to_move: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct NaiveMove {
    pub path: Vec<u32>,
    pub captures: usize,
    pub after: Naive,
    legs: Vec<(bool, bool)>,
}

fn number((row, column): Place) -> u32 {
    (row * 4 + column / 2 + 1) as u32
}

fn place(number: u32) -> Place {
    let row = (number as usize - 1) / 4;
    let column = 2 * ((number as usize - 1) % 4) + usize::from(row.is_multiple_of(2));
    (row, column)
}

impl Naive {
    pub fn of(position: &Position) -> Naive {
        let mut cells = [['.'; 8]; 8];
        for square in Square::all() {
            let (row, column) = place(square.number());
            cells[row][column] = match position.at(square) {
                Some((Colour::White, false)) => 'w',
                Some((Colour::White, true)) => 'W',
                Some((Colour::Black, false)) => 'b',
                Some((Colour::Black, true)) => 'B',
                None => '.',
            };
        }
        Naive {
            cells,
            white_to_move: position.mover == Colour::White,
        }
    }

    fn is_own(&self, cell: char) -> bool {
        cell != '.' && cell.eq_ignore_ascii_case(&'w') == self.white_to_move
    }

    fn is_other(&self, cell: char) -> bool {
        cell != '.' && !self.is_own(cell)
    }

    fn ways(&self, (row, column): Place, piece: char, far: isize) -> Vec<(Place, (bool, bool))> {
        let mut found = Vec::new();
        for (down, right) in [(true, true), (true, false), (false, true), (false, false)] {
            let forward = down != self.white_to_move;
            if !forward && piece.is_ascii_lowercase() {
                continue;
            }
            let to_row = row as isize + if down { far } else { -far };
            let to_column = column as isize + if right { far } else { -far };
            if (0..8).contains(&to_row) && (0..8).contains(&to_column) {
                found.push(((to_row as usize, to_column as usize), (down, right)));
            }
        }
        found
    }

    fn ended(&self, at: Place) -> Naive {
        let mut after = self.clone();
        let last = if self.white_to_move { 0 } else { 7 };
        if at.0 == last {
            after.cells[at.0][at.1] = after.cells[at.0][at.1].to_ascii_uppercase();
        }
        after.white_to_move = !self.white_to_move;
        after
    }

    fn captures_from(&self, at: Place, path: &[Place], legs: &[(bool, bool)]) -> Vec<NaiveMove> {
        let piece = self.cells[at.0][at.1];
        let mut found = Vec::new();
        for (to, leg) in self.ways(at, piece, 2) {
            let over = ((at.0 + to.0) / 2, (at.1 + to.1) / 2);
            if !self.is_other(self.cells[over.0][over.1]) || self.cells[to.0][to.1] != '.' {
                continue;
            }
            let mut next = self.clone();
            next.cells[at.0][at.1] = '.';
            next.cells[over.0][over.1] = '.';
            next.cells[to.0][to.1] = piece;
            let path = [path, &[to]].concat();
            let legs = [legs, &[leg]].concat();
            let on = next.captures_from(to, &path, &legs);
            if on.is_empty() {
                found.push(NaiveMove {
                    captures: path.len() - 1,
                    path: path.iter().map(|place| number(*place)).collect(),
                    after: next.ended(to),
                    legs,
                });
            }
            found.extend(on);
        }
        found
    }

    pub fn moves(&self, capture: Capture) -> Vec<NaiveMove> {
        let (mut captures, mut steps) = (Vec::new(), Vec::new());
        for row in 0..8 {
            for column in 0..8 {
                let piece = self.cells[row][column];
                if !self.is_own(piece) {
                    continue;
                }
                let at = (row, column);
                captures.extend(self.captures_from(at, &[at], &[]));
                for (to, leg) in self.ways(at, piece, 1) {
                    if self.cells[to.0][to.1] == '.' {
                        let mut next = self.clone();
                        next.cells[row][column] = '.';
                        next.cells[to.0][to.1] = piece;
                        steps.push(NaiveMove {
                            path: vec![number(at), number(to)],
                            captures: 0,
                            after: next.ended(to),
                            legs: vec![leg],
                        });
                    }
                }
            }
        }
        let most = captures.iter().map(|mv| mv.captures).max();
        match most {
            None => steps,
            Some(most) => {
                captures.retain(|mv| capture == Capture::Any || mv.captures == most);
                captures
            }
        }
    }

    /// Returns the static evaluation for the side to move.
    pub fn evaluate(&self) -> i32 {
        let sides = [self.worth(true), self.worth(false)];
        let [own, other] = if self.white_to_move {
            sides
        } else {
            [sides[1], sides[0]]
        };
        own - other
    }

    fn worth(&self, white: bool) -> i32 {
        let side = Naive {
            white_to_move: white,
            ..self.clone()
        };
        let mut worth = 0;
        let (mut bridge, mut kings) = (0, false);
        for row in 0..8 {
            for column in 0..8 {
                let piece = self.cells[row][column];
                kings |= side.is_other(piece) && piece.is_uppercase();
                if !side.is_own(piece) {
                    continue;
                }
                let is_king = piece.is_uppercase();
                worth += if is_king { 150 } else { 100 };
                // The row, counted from the side's back row.
                let from_home = if white { 8 - row } else { row + 1 };
                worth += match from_home {
                    3 | 4 if !is_king => -4,
                    5 | 6 if !is_king => 4,
                    _ => 0,
                };
                let square = number((row, column));
                bridge += i32::from(if white { [30, 32] } else { [1, 3] }.contains(&square));
                worth += 4 * i32::from([10, 11, 14, 15, 18, 19, 22, 23].contains(&square));
                let steps = side.ways((row, column), piece, 1);
                let free = steps.iter().filter(|(to, _)| self.cells[to.0][to.1] == '.');
                worth += 2 * free.count() as i32;
            }
        }
        worth + if bridge == 2 && !kings { 12 } else { 0 }
    }

    pub fn perft(&self, capture: Capture, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.moves(capture);
        moves
            .iter()
            .map(|mv| mv.after.perft(capture, depth - 1))
            .sum()
    }
}

impl NaiveMove {
    /// Returns the sort key for move order: direction of the first leg, source, then directions of the other legs.
    pub fn key(&self) -> (u8, u32, Vec<u8>) {
        // In the order of these changes to the rotated index: -7, -1, +1, +7.
        let direction = |leg: &(bool, bool)| match leg {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        let source = PICTURE[self.path[0] as usize - 1];
        let directions: Vec<u8> = self.legs.iter().map(direction).collect();
        (directions[0], source, directions[1..].to_vec())
    }
}

/// The rotated index of each square number, as in the paper's picture.
const PICTURE: [u32; 32] = [
    11, 5, 31, 25, 10, 4, 30, 24, 3, 29, 23, 17, 2, 28, 22, 16, 27, 21, 15, 9, 26, 20, 14, 8, 19,
    13, 7, 1, 18, 12, 6, 0,
];
