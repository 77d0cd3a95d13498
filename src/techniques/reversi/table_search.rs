//! `table-search`: [`table_search`] for reversi 8x8.
//!
//! Chains of dependent steps limit the speed. Each expected cut node takes several steps in sequence, and each step
//! takes a few round trips to memory. Idle workers therefore try a second child (docs/measurements.md).

use super::tasks::Reversi;
use super::{hard, read_board};
use crate::games::reversi::{Bits8, Evaluation, Position, Size, Square, WIN};
use crate::techniques::prelude::*;
use crate::techniques::tasks::table_search::game::{ENTRY, Shape, takes_both};
use crate::techniques::tasks::table_search::{Root, TableGame, scheduler_bytes, table_search};
use crate::techniques::tasks::{Play, prepare_timed};

/// The technique for this game (see [`ENTRY`]).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        needs: "8x8; 76 bytes of global memory per record, and the table",
        check: |case, params| match case.get("board").map(read_board) {
            Some(Ok(size)) => takes(size).and_then(|()| takes_both(params)),
            _ => takes_both(params),
        },
        ..ENTRY
    },
    trials: &[
        Trial::new("", hard::TABLE),
        Trial::new("group=5 table=1", hard::TABLE),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Prepared {
    prepare_timed(setup, |play: &Reversi| {
        let evaluation = &play.evaluation;
        takes(evaluation.size()).map_err(Fault::Unsupported)?;
        table_search(setup, TableBoards(evaluation.clone()), &play.start())
    })
}

fn takes(size: Size) -> Result<(), String> {
    match size {
        Size::STANDARD => Ok(()),
        size => Err(format!("board: `{size}`; its kernel is written for 8x8")),
    }
}

/// Number of squares on which moves count as good, and number of squares on which moves count as good or fair.
const GOOD_SQUARES: [usize; 2] = [12, 32];

struct TableBoards(Evaluation);

impl TableGame for TableBoards {
    type Play = Reversi;
    type Host = Bits8;
    type Worth = i16;

    const KERNEL: &'static str = "reversi/table_search.cl";
    const ON_GPUS: Shape = Shape {
        group: 128,
        workers: 8,
        thresholds: 4,
        table_mib: 256,
        records: 32,
    };
    const FIRST_DEPTH: u32 = 6;
    const CLOSE_ENOUGH: i32 = 60;
    /// Distance between thresholds, in hundredths of a disc.
    const STRIDE: i32 = 15;

    fn defines(&self) -> Defines {
        vec![
            ("MOBILITY", self.0.mobility.to_string()),
            ("WIN", WIN.to_string()),
        ]
    }

    fn local_bytes(&self, group: usize) -> usize {
        // The kernel calls these MOST_MOVES, MOST_BELOW and MOST_LEAVES.
        let (moves, below, leaves) = match group {
            0..=32 => (64, 128, 256),
            _ => (64, 256, 512),
        };
        let places = moves + below;
        let alone = 5 * places + below + 13 * moves + 2 * leaves + 40;
        scheduler_bytes(moves, places) + alone
    }

    fn worths(&self) -> Vec<i16> {
        sums_of(&self.0)
    }

    fn words(&self) -> Vec<u64> {
        GOOD_SQUARES
            .map(|count| best_squares(&self.0, count))
            .into()
    }

    fn host(&self) -> Bits8 {
        Bits8::new(&self.0)
    }

    fn root(&self, position: &Position) -> Root {
        let bits = |colour| {
            let rows = position.rows(colour).iter().rev();
            rows.fold(0, |board, row| board << 8 | (row & 0xff))
        };
        let mover = position.mover;
        let moves = position.legal_moves();
        Root {
            own: bits(mover),
            other: bits(mover.other()),
            moves: moves
                .iter()
                .fold(0, |set, square| set | 1 << square.index()),
            weight: self.0.pieces(position),
            value: self.0.value(position),
            first: moves.first().map(|square| square.index() as u32),
            rows: [0; 16],
        }
    }

    fn mv(number: u32) -> Option<Square> {
        Some(Square(number as u16))
    }
}

/// Returns the `count` squares with the highest weights.
fn best_squares(evaluation: &Evaluation, count: usize) -> u64 {
    let mut squares: Vec<usize> = (0..evaluation.weights.len()).collect();
    squares.sort_by_key(|at| -evaluation.weights[*at]);
    squares.iter().take(count).fold(0, |set, at| set | 1 << at)
}

/// Returns the sum of the weights for every set of squares in each rank, at index `rank * 256 + set`.
fn sums_of(evaluation: &Evaluation) -> Vec<i16> {
    let weights = evaluation.weights.chunks_exact(8);
    let of_rank = |weights: &[i32]| -> Vec<i16> {
        let weights = weights.to_vec();
        let sum = |set: usize| {
            (0..8)
                .filter(|at| set >> at & 1 != 0)
                .map(|at| weights[at])
                .sum()
        };
        (0..256)
            .map(|set| {
                let sum: i32 = sum(set);
                sum as i16
            })
            .collect()
    };
    weights.flat_map(of_rank).collect()
}
