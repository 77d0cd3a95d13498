//! `table-search`: [`table_search`](crate::techniques::tasks::table_search::table_search) for Connect Four.
//!
//! Up to depth 12, the latency of launches and of dependent steps limits the speed. At greater depths, wasted work
//! matters too. At depth 14, 1,056 workers enter four times as many nodes as 16 workers (docs/measurements.md).

use super::device_board::{FULL, defines, table};
use super::hard::TABLE as HARD;
use super::tasks::ConnectFour;
use crate::games::connect_four::{Bits, Column, Evaluation, Position, WIN};
use crate::techniques::prelude::*;
use crate::techniques::tasks::table_search::game::{ENTRY, Shape};
use crate::techniques::tasks::table_search::{Root, TableGame, scheduler_bytes, table_search};
use crate::techniques::tasks::{Play, prepare_timed};

/// The technique for this game (see [`ENTRY`]).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry { ..ENTRY },
    trials: &[
        Trial::new("", HARD),
        Trial::new("group=5 table=1 thresholds=3", HARD),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Prepared {
    prepare_timed(setup, |play: &ConnectFour| {
        let (evaluation, game) = (play.evaluation.clone(), play.game.clone());
        table_search(setup, TableBoards { evaluation, game }, &play.start())
    })
}

/// Converts boards for the kernel. A win is worth [`WIN`] minus the number of stones on the board, regardless of the
/// root.
struct TableBoards {
    evaluation: Evaluation,
    game: Bits,
}

impl TableGame for TableBoards {
    type Play = ConnectFour;
    type Host = Bits;
    type Worth = i32;

    const KERNEL: &'static str = "connect_four/table_search.cl";
    const ON_GPUS: Shape = Shape {
        group: 64,
        workers: 8,
        thresholds: 4,
        table_mib: 256,
        records: 64,
    };
    const FIRST_DEPTH: u32 = 16;
    const DEEPER: u32 = 4;
    const CLOSE_ENOUGH: i32 = 20;
    const STRIDE: i32 = 25;

    fn local_bytes(&self, group: usize) -> usize {
        // The kernel calls these MOST_MOVES, COLUMNS and TRIED_AT_ONCE.
        let (moves, columns) = (8, 7);
        let tried = if group < 2 * columns {
            1
        } else {
            group / columns
        };
        let alone = 5 * moves * columns + 7 * moves + (6 + 8 * columns) * tried + 24;
        scheduler_bytes(moves, moves) + alone
    }

    fn defines(&self) -> Defines {
        let mut all = defines();
        all.push(("MIRRORS", u8::from(self.evaluation.mirrors()).to_string()));
        all
    }

    fn worths(&self) -> Vec<i32> {
        table(&self.evaluation)
    }

    fn host(&self) -> Bits {
        self.game.clone()
    }

    fn root(&self, position: &Position) -> Root {
        let board = self.game.load(position);
        let (own, other) = board.stones();
        let stones = (own | other).count_ones() as i32;
        let ended = position.is_over().then(|| match position.winner {
            Some(_) => stones - WIN,
            None => 0,
        });
        let lowest = FULL & !(FULL << 1);
        let moves = match ended {
            Some(_) => 0,
            None => ((own | other) + lowest) & FULL,
        };
        let value = ended.unwrap_or_else(|| self.game.evaluate(&board));
        Root {
            own,
            other,
            moves,
            weight: value,
            value,
            first: position
                .legal_moves()
                .first()
                .map(|column| column.index() as u32),
            rows: [0; 16],
        }
    }

    fn mv(number: u32) -> Option<Column> {
        Column::new(number as usize)
    }

    fn value(root: &Root, value: i32) -> i32 {
        let stones = (root.own | root.other).count_ones() as i32;
        // Static values are far below the value of a win.
        match value {
            value if value > WIN / 2 => value + stones,
            value if value < -WIN / 2 => value - stones,
            value => value,
        }
    }
}
