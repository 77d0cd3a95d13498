//! Common host code for Connect Four's kernels: constants, and the table of values (`cl/connect_four/evaluate.clh`).

use crate::games::connect_four::{Bits, Board, COLUMNS, Evaluation, ROWS, WIN};
use crate::techniques::prelude::*;

/// Number of bits per column in kernels (`STRIDE`).
const STRIDE: usize = ROWS + 1;
/// Index in the table at which the values of twos and threes start (`RUNS_AT`).
const RUNS_AT: usize = 64;

/// A full board, on which no set has a valid first move.
pub const FULL: u64 = {
    let (mut bits, mut column) = (0, 0);
    while column < COLUMNS {
        bits |= ((1 << ROWS) - 1) << (column * (ROWS + 1));
        column += 1;
    }
    bits
};

/// Returns the constants for all kernels.
pub fn defines() -> Defines {
    vec![("WIN", WIN.to_string())]
}

/// Returns a table with the values of squares (by bit), then of twos and threes (by their counts, three bits each).
pub fn table(evaluation: &Evaluation) -> Vec<i32> {
    let mut table = vec![0; 2 * RUNS_AT];
    for (row, worths) in evaluation.squares.iter().enumerate() {
        for column in 0..COLUMNS {
            table[column * STRIDE + row] = worths[column];
        }
    }
    for (field, worth) in table[RUNS_AT..].iter_mut().enumerate() {
        let (twos, threes) = (field as i32 & 7, field as i32 >> 3);
        *worth = twos * evaluation.two + threes * evaluation.three;
    }
    table
}

/// Returns a board in the kernels' form: the mover's stones, all stones, and the value for the mover.
pub fn words(game: &Bits, board: &Board) -> (u64, u64, i32) {
    let (own, other) = board.stones();
    (own, own | other, game.evaluate(board))
}

whole_numbers! {
    /// The parameter `group` for techniques whose work-items work independently.
    pub auto GROUP, read_group: "group", 1..=1024, "auto",
        "`auto` (4 times the device's preferred multiple, or that multiple on a CPU) or the number of work-items per \
     group, from 1 to 1024";
}

/// Returns the number of work-items per group. Fails if the value is invalid or if the device refuses the size.
pub fn items(params: &Params, device: &Device) -> Result<usize, Fault> {
    let multiple = device.preferred_multiple().max(1);
    let auto = match device.info().kind {
        DeviceKind::Cpu => multiple,
        _ => 4 * multiple,
    };
    let items = GROUP.given(params, None, read_group)?;
    WorkGroup::given(items, auto).on(device.info())
}
