//! What a bit-sliced turn reads of a board.

use std::collections::VecDeque;

use crate::games::annexation::Board;

/// What stands before the neighbours in a row: the cell and its colour.
pub const HEAD: usize = 2;

/// Cells of which the first is so many moves nearer to a player's start than the last.
const BAND: u32 = 4;

/// Moves of a player between two looks at which cells are still to be had.
pub const MOVES_A_LOOK: u32 = 2 * BAND;

/// Bands beyond the last one with a cell that the player owns, to which it can come before the next
/// look.
pub const BANDS_A_LOOK: u32 = MOVES_A_LOOK / BAND;

/// Rows of one length, each the cell, its colour and its neighbours, one after another.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Whether what the cells gain is kept apart until all other cells were looked at.
    pub waits: bool,
    /// Numbers in a row. Rows are filled up with neighbours that they have already, so that there
    /// are few lengths.
    pub length: usize,
    /// The rows, band by band.
    pub rows: Vec<u16>,
    /// In which band about the player's start each row's cell is: 1 for the nearest.
    pub bands: Vec<u32>,
}

impl Rows {
    /// The cell of a row.
    #[inline(always)]
    pub(super) fn cell(&self, row: usize) -> usize {
        usize::from(self.rows[row * self.length])
    }
}

/// The cells that a player can reach, in groups of rows that one loop can go through: first those
/// that wait.
///
/// A turn changes cells in place, though each must see its neighbours as they were before it. In a
/// neighbour of another colour the turn changes only playouts that name that colour, which the cell
/// does not look at. Of two neighbours of one colour, one waits.
///
/// In a band cells of one colour follow each other, so that hardly a row loads what the row before
/// it has stored.
pub fn rows_of(board: &Board, start: usize) -> Vec<Rows> {
    let moves = moves_to(board, start);
    let waits = waiting(board);
    let mut cells: Vec<_> = (0..board.cells())
        .filter(|cell| !board.starts().contains(cell))
        .filter_map(|cell| {
            let length = HEAD + filled_up(board.neighbours(cell).len());
            let band = moves[cell]?.div_ceil(BAND);
            Some(((!waits[cell], length), band, board.colour(cell), cell))
        })
        .collect();
    cells.sort_unstable();
    let groups = cells.chunk_by(|a, b| a.0 == b.0).map(|cells| {
        let (at_once, length) = cells[0].0;
        let mut rows = Vec::with_capacity(cells.len() * length);
        for (.., colour, cell) in cells {
            let neighbours = board.neighbours(*cell).iter().cycle();
            rows.extend([*cell as u16, *colour as u16]);
            rows.extend(neighbours.take(length - HEAD));
        }
        Rows {
            waits: !at_once,
            length,
            rows,
            bands: cells.iter().map(|(_, band, ..)| *band).collect(),
        }
    });
    groups.collect()
}

/// To how many neighbours a row is filled up: each length costs a loop's beginning and end every
/// turn, each number in vain a word's load.
fn filled_up(neighbours: usize) -> usize {
    match neighbours {
        ..=6 => 6,
        7..=8 => 8,
        _ => neighbours.next_multiple_of(4),
    }
}

/// For each cell whether it waits for its neighbours of the same colour: of two such neighbours one
/// does at least, and few others.
fn waiting(board: &Board) -> Vec<bool> {
    let mut waits = vec![false; board.cells()];
    for cell in 0..board.cells() {
        let mut neighbours = board
            .neighbours(cell)
            .iter()
            .map(|other| usize::from(*other));
        let colour = board.colour(cell);
        // Of the cells before it: those after it will see that this one does not wait.
        waits[cell] =
            neighbours.any(|other| other < cell && board.colour(other) == colour && !waits[other]);
    }
    waits
}

/// The fewest moves in which a player can own each cell, the start's none; `None` where no path
/// leads to it.
pub fn moves_to(board: &Board, start: usize) -> Vec<Option<u32>> {
    let mut moves = vec![None; board.cells()];
    moves[start] = Some(0);
    let mut reached = VecDeque::from([(start, 0)]);
    while let Some((cell, so_far)) = reached.pop_front() {
        for other in board
            .neighbours(cell)
            .iter()
            .map(|other| usize::from(*other))
        {
            if moves[other].is_none() {
                moves[other] = Some(so_far + 1);
                reached.push_back((other, so_far + 1));
            }
        }
    }
    moves
}
