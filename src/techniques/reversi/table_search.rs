//! `table-search`: the search of [`table_search`] for reversi 8x8.
//!
//! # What bounds it
//!
//! On an H200 with 16 threads of its host, positions of a game one after another, ms and millions of nodes:
//!
//! | depth | positions | `serial` | `rayon-table` | `table-search` |
//! | --- | --- | --- | --- | --- |
//! | 10 | 16 | 1,714 | 36.1 (13.0) | 28.1 (53.4) |
//! | 12 | 16 | – | 139 (53.5) | 95.6 (307) |
//! | 14 | 16 | – | 1,190 (443; 2 samples) | 548 (2,053; 2 samples) |
//!
//! An H100 takes the same time: 28.1 ms to depth 10, where `serial` needs 1,720 and `rayon-table` 36.9, and 96.6 ms to depth
//! 12, where they need 21,916 (2 samples) and 141.
//!
//! A simulation of the kernel, worker by worker with a time for each access to memory and each step, makes as
//! many nodes as the device. In it fewer than a tenth of the workers are busy at depth 10 where only the first
//! child of an expected cut node is tried: chains of steps bound the time, of which several follow each other at
//! every such node, and each costs a few round trips to memory. So workers that would wait try a second child,
//! and read together what does not depend on each other. At depth 14 it makes 3.3 G children a second, of the
//! some 6 G that its integer instructions allow, and eight times the nodes of `serial-table`.
//!
//! # What was tried
//!
//! With groups of 64 but where others are named, eight a unit: ms of the four positions to depth 10 and the one to
//! depth 12. Two runs of one variant differ by some per cent at depth 10 and by a sixth at depth 12.
//!
//! | variant | depth 10 | depth 12 |
//! | --- | --- | --- |
//! | deepening from depth 4, two tries, second child where twelve sixteenths are idle | 8.0 | 10.6 |
//! | groups of 32, eight or sixteen a unit | 7.7, 8.0 | 10.2, 10.3 |
//! | groups of 64, four or twelve | 8.2, 8.4 | 11.3, 11.4 |
//! | groups of 128, four or **eight** | 7.5, **7.0** | 11.4, **9.3** |
//! | groups of 256, four | 8.0 | 9.9 |
//! | deepening from depth **6** | 7.6 | 9.9 |
//! | no second child at once; where eight, fourteen sixteenths are idle | 10.0; 8.1, 8.1 | 12.0; 11.6, 11.0 |
//! | a third child at once as well | 8.1 to 8.3 | 12.4 to 13.4 |
//! | replies tried before all: one, **three**, four | 8.0, 8.0, 8.0 | 13.1, 9.8, 10.1 |
//! | thresholds a launch: two, six, eight | 9.1, 8.2, 8.1 | 12.0, 9.6, 9.4 |
//! | thresholds closer together, further apart | 8.7, 8.4 | 12.9, 8.9 |
//! | children of an expected cut node one by one: two, five | 8.0, 7.8 | 13.7, 10.9 |
//!
//! With one position a step below three plies, and four positions to depth 12: what a search two plies shallower
//! found in the table, and then the static values of the children tell which nodes to expect to be cut: 77, and without
//! the latter 220; by turns alone it split more than 16 M nodes. A group alone from two plies left on 90, from three
//! on 77, from four on 112. Every node's first child before its others (young brothers wait): 105 for 87.

use super::tasks::{self, Reversi};
use super::{hard, read_board};
use crate::games::reversi::{Bits8, Evaluation, Position, Size, Square, WIN};
use crate::opencl::Defines;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::table_search::params::{
    BATCH, GROUP, HYBRID, PER_UNIT, RECORDS, Shape, TABLE, THRESHOLDS, takes_both,
};
use crate::techniques::tasks::table_search::{Practice, Root, TableGame, table_search};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, ParamEntry, Task, TechniqueEntry};

/// The strong search on a device: deepening, null windows, one table, moves in order.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "table-search",
        summary: "the strong search on the device: null windows, a table, moves in order; its groups share one tree",
        paper: "ours; MTD(f): Plaat and others 1996; the table: Hyatt and Mann 2002",
        needs: "8x8; 76 bytes of global memory a record, and the table",
        like: "rayon-table",
        reference: "serial-table",
        counts: Counts::Vary,
        tasks: &[Task::Search, Task::Game, Task::Choose, Task::Match],
        params: &[
            GROUP,
            PER_UNIT,
            THRESHOLDS,
            TABLE,
            ParamEntry {
                default: "32 on GPUs, or as many as an eighth of the memory holds; 1 on a processor",
                ..RECORDS
            },
            HYBRID,
            BATCH,
        ],
        check: |case, params| match case.get("board").map(read_board) {
            Some(Ok(size)) => takes(size).and_then(|()| takes_both(params)),
            _ => takes_both(params),
        },
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", hard::TABLE),
        Trial::new("group=5 table=1", hard::TABLE),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_timed(setup, |play| {
        let evaluation = &play.asked.evaluation;
        takes(evaluation.size()).map_err(Fault::Unsupported)?;
        let practice = Practice::new(setup, play)?;
        table_search(setup, OnDevice(evaluation.clone()), &practice)
    })
}

/// Refuses boards that the kernel is not written for.
fn takes(size: Size) -> Result<(), String> {
    match size {
        Size::STANDARD => Ok(()),
        size => Err(format!("board: `{size}`; its kernel is written for 8x8")),
    }
}

/// How many squares are good ones to move to, and how many are at least fair.
const GOOD_SQUARES: [usize; 2] = [12, 32];

/// Reversi as its kernel takes it.
struct OnDevice(Evaluation);

impl TableGame for OnDevice {
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
    /// Hundredths of a disc.
    const STRIDE: i32 = 15;

    fn defines(&self) -> Defines {
        vec![
            ("MOBILITY", self.0.mobility().to_string()),
            ("WIN", WIN.to_string()),
        ]
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
        let mover = position.mover();
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

/// The squares with the highest weights, this many.
fn best_squares(evaluation: &Evaluation, count: usize) -> u64 {
    let mut squares: Vec<usize> = (0..evaluation.weights().len()).collect();
    squares.sort_by_key(|at| -evaluation.weights()[*at]);
    squares.iter().take(count).fold(0, |set, at| set | 1 << at)
}

/// The weight of every set of squares of each rank: `[rank * 256 + set]`.
fn sums_of(evaluation: &Evaluation) -> Vec<i16> {
    let weights = evaluation.weights().chunks_exact(8);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Params;

    #[test]
    fn sums_are_those_of_the_squares() {
        let evaluation = Evaluation::new(Size::STANDARD, &Params::new()).unwrap();
        let sums = sums_of(&evaluation);
        assert_eq!(sums.len(), 2_048);
        assert_eq!(
            i32::from(sums[256 + 0b101]),
            evaluation.weights()[8] + evaluation.weights()[10]
        );
        let all: i32 = (0..8).map(|rank| i32::from(sums[rank * 256 + 255])).sum();
        assert_eq!(all, evaluation.weights().iter().sum::<i32>());
    }
}
