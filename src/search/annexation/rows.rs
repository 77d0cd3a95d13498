//! Builds the tables that bit-sliced turns on a board need.

use std::collections::VecDeque;

use crate::games::annexation::Board;

/// Number of entries that precede the neighbours in a row: the cell and its colour.
pub const HEAD: usize = 2;

/// Width of a band, in moves. Within a band, distances from the player's start differ by less than this.
const BAND: u32 = 4;

/// Number of a player's moves between two updates of the open rows.
pub const MOVES_A_LOOK: u32 = 2 * BAND;

/// Number of bands beyond the outermost band that a player can reach before the next update.
pub const BANDS_A_LOOK: u32 = MOVES_A_LOOK / BAND;

/// Rows with the same number of entries. Each row contains a cell, its colour and its neighbours.
#[derive(Clone, Debug)]
pub struct Rows {
    /// True if the gains of these cells are applied only after all other rows have been read in the turn.
    pub waits: bool,
    /// Number of entries in a row. Rows are padded with repeated neighbours, so that few different lengths occur.
    pub length: usize,
    /// The rows, band by band.
    pub rows: Vec<u16>,
    /// For each row, the number of the band around the player's start that contains its cell. The nearest band is 1.
    pub bands: Vec<u32>,
}

impl Rows {
    #[inline(always)]
    pub(super) fn cell(&self, row: usize) -> usize {
        usize::from(self.rows[row * self.length])
    }

    /// Returns the number of rows in the bands up to and including `band`.
    #[inline(always)]
    pub(super) fn rows_to(&self, band: u32) -> usize {
        self.bands.partition_point(|own| *own <= band)
    }
}

/// Creates rows for the cells that a player can reach, grouped by `waits` and `length`. Groups that wait come first.
///
/// A turn changes cells in place, but each cell must see its neighbours as they were before the turn. In each playout,
/// a turn changes only cells of the named colour, so a neighbour of another colour never changes together with the
/// cell. If two neighbours have the same colour, one of them waits. Within a band, cells are sorted by colour, so rows
/// rarely load a new colour.
pub fn rows_of(board: &Board, start: usize) -> Vec<Rows> {
    let moves = moves_to(board, start);
    let waits = waiting(board);
    let mut cells: Vec<_> = (0..board.cells())
        .filter(|cell| !board.starts().contains(cell))
        .filter_map(|cell| {
            // Each length adds the overhead of a loop, and each padding entry adds a load.
            let length = match board.neighbours(cell).len() {
                ..=6 => HEAD + 6,
                7..=8 => HEAD + 8,
                more => HEAD + more.next_multiple_of(4),
            };
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

/// Returns whether each cell waits for neighbours of the same colour. In every such pair, at least one cell waits.
fn waiting(board: &Board) -> Vec<bool> {
    let mut waits = vec![false; board.cells()];
    for cell in 0..board.cells() {
        let mut neighbours = board
            .neighbours(cell)
            .iter()
            .map(|other| usize::from(*other));
        let colour = board.colour(cell);
        // Check only earlier neighbours, because later ones check in turn whether this cell waits.
        waits[cell] =
            neighbours.any(|other| other < cell && board.colour(other) == colour && !waits[other]);
    }
    waits
}

/// Returns each cell's distance from a player's start, in moves. A distance is `None` if the cell is unreachable.
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
