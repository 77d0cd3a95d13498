//! What a bit-sliced turn reads of a board.

use std::collections::VecDeque;

use crate::games::annexation::Board;

/// What stands before the neighbours in a row: the cell and its colour.
pub(super) const HEAD: usize = 2;

/// Rows of one length, each the cell, its colour and its neighbours, one after another.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// Numbers in a row.
    pub(super) length: usize,
    /// Whether a neighbour has the colour of its cell. Such cells must not be changed before all
    /// others have been looked at; all others may, because what changes in a neighbour of another
    /// colour are playouts that do not name the cell's.
    pub(super) touching: bool,
    /// The rows, those nearest to the player's start first.
    pub(super) rows: Vec<u16>,
    /// How many moves of the player it takes to reach each row's cell.
    pub(super) moves: Vec<u32>,
}

/// The cells that a player can reach, in groups of rows that one loop can go through.
pub(super) fn rows_of(board: &Board, start: usize) -> Vec<Rows> {
    let moves = moves_to(board, start);
    let mut cells: Vec<usize> = (0..board.cells())
        .filter(|cell| !board.starts().contains(cell) && moves[*cell].is_some())
        .collect();
    let alike = |cell: usize| {
        let colour = board.colour(cell);
        let mut neighbours = board.neighbours(cell).iter();
        let touching = neighbours.any(|other| board.colour(usize::from(*other)) == colour);
        (touching, board.neighbours(cell).len())
    };
    cells.sort_by_key(|cell| (alike(*cell), moves[*cell]));
    let mut groups: Vec<Rows> = Vec::new();
    for cell in cells {
        let (touching, neighbours) = alike(cell);
        let length = HEAD + neighbours;
        let fits = |group: &&mut Rows| group.touching == touching && group.length == length;
        if groups.last_mut().filter(fits).is_none() {
            groups.push(Rows {
                length,
                touching,
                rows: Vec::new(),
                moves: Vec::new(),
            });
        }
        if let Some(group) = groups.last_mut() {
            group.rows.extend([cell as u16, board.colour(cell) as u16]);
            group.rows.extend(board.neighbours(cell));
            group.moves.extend(moves[cell]);
        }
    }
    groups
}

/// The fewest moves in which a player can own each cell, the start's none; `None` where no path
/// leads to it.
fn moves_to(board: &Board, start: usize) -> Vec<Option<u32>> {
    let mut moves = vec![None; board.cells()];
    moves[start] = Some(0);
    let mut reached = VecDeque::from([(start, 0)]);
    while let Some((cell, so_far)) = reached.pop_front() {
        for other in board.neighbours(cell).iter().map(|other| usize::from(*other)) {
            if moves[other].is_none() {
                moves[other] = Some(so_far + 1);
                reached.push_back((other, so_far + 1));
            }
        }
    }
    moves
}
