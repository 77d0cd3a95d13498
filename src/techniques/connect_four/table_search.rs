//! `table-search`: the search of [`table_search`](crate::techniques::tasks::table_search::table_search) for Connect Four.
//!
//! # What bounds it
//!
//! To depth 12 latency: a launch costs 0.034 ms where it finds nothing to do, and chains of steps take about 3 µs each.
//! At greater depths also how much work is of no use: in a simulation 16 workers in place of 1,056 make a quarter of the
//! nodes to depth 14.
//!
//! Seven positions of a line of play one after another, each machine in one invocation beside 16 threads of its host, ms:
//!
//! | | depth 12 | 14 | 16 | 18 | 20 |
//! | --- | --- | --- | --- | --- | --- |
//! | `table-search`, H200 | 4.60 | 9.53 | 19.1 | 51.4 | 108 |
//! | `rayon-table` beside it | 3.70 | 9.93 | 24.7 | 57.6 | 137 |
//! | `table-search`, H100 | 4.52 | 9.58 | 19.1 | 51.6 | 107 |
//! | `rayon-table` beside it | 3.55 | 8.77 | 21.5 | 54.4 | 118 |
//!
//! Two cards with memories of unlike bandwidth take the same time. The host's vary more: half of their intervals are wider than
//! 10 %. Another invocation on the H100 had variants of the launch; where they differ from the row in bold by less than
//! 5 %, their intervals overlap:
//!
//! | variant | depth 16 | 20 |
//! | --- | --- | --- |
//! | **groups of 64, eight a unit, four thresholds** | 19.4 | 108 |
//! | two, six thresholds | 21.6, 21.9 | 101, 112 |
//! | groups of 32, sixteen a unit; of 128, eight | 21.6, 25.6 | 112, 127 |
//! | groups of 64, four, twelve, sixteen a unit | 19.9, 19.6, 24.4 | 114, 105, 121 |
//!
//! # What was tried
//!
//! This was measured where a node with four plies left was valued in one step with all below, of which most were
//! of no use. On an H200 with 16 threads of its host, seven positions of a line of play one after another, one invocation: ms, and
//! in brackets millions of nodes and launches. Groups of 64, but where others are named. The choice of then is in bold.
//!
//! | variant | depth 12 | 14 | 16 | 18 |
//! | --- | --- | --- | --- | --- |
//! | `serial-table` | 5.77 | 23.2 | 65.5 | 210 |
//! | `rayon-table` | 5.53 | 12.3 | 29.0 | 74.7 |
//! | from depth 8, four thresholds 15 apart | 7.21 (90, 54) | 14.3 (257, 67) | 27.8 (574, 76) | 71.7 (1,568, 89) |
//! | the same with eight thresholds | 6.55 | 14.4 | 30.3 | 77.1 |
//! | **from depth 12, six thresholds 25 apart** | 4.77 (89, 28) | 12.5 (260, 41) | 27.5 (619, 51) | 74.0 |
//! | groups of 32 | 5.16 | 13.6 | 30.5 | 78.1 |
//! | groups of 128 | 4.75 (67, 28) | 13.3 | 29.6 | 82.5 |
//! | groups of 256 | 5.75 | 17.3 | 38.4 | 97.7 |
//! | seven children at once, all where a sixteenth is idle | 5.69 | 16.0 | 42.2 | 112 |
//! | that, and five plies valued in one step | 7.24 | 20.3 | 51.1 | 127 |
//! | that, and one pair of ancestors looked at | 6.53 | 21.0 | 66.3 | – |
//!
//! What followed was chosen in a simulation of the kernel, worker by worker, with a time for each step and each access to
//! memory. It makes the nodes and launches of the row in bold within some per cent, and takes its times: ms. Two runs with
//! slightly different times of steps differ by some per cent. At depths 12 to 20 the devices then took 1.25 to 1.43 times
//! what the simulation had said; the order of the variants was not measured one by one.
//!
//! | variant, each with what is above it | depth 12 | 14 | 16 | 18 | 20 |
//! | --- | --- | --- | --- | --- | --- |
//! | as measured | 4.3 | 11.9 | 27.2 | 74.0 | 176 |
//! | a node with five plies left by tries of replies | 4.1 | 9.8 | 20.7 | 50.4 | 119 |
//! | four thresholds, a margin of 80 | 4.0 | 9.5 | 18.1 | 44.1 | 97 |
//! | six ancestors a round trip | 4.1 | 9.5 | 17.4 | 40.0 | 90 |
//! | a second child where half of the workers idle | 3.6 | 8.7 | 17.1 | 39.5 | – |
//! | **from depth 16, by four plies** | 3.6 | 7.4 | 13.9 | 36.0 | 80 |
//!
//! No gain in the simulation: children in the order of what the table knows of shallower searches, or of their values two plies
//! deeper; more children at once, as work that waits until workers idle; queues by depth.

use super::device_board::{FULL, defines, table};
use super::hard::TABLE as HARD;
use super::tasks::{self, ConnectFour};
use crate::games::Game;
use crate::games::connect_four::{Bits, Column, Evaluation, Position, WIN};
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
        game: "connect-four",
        name: "table-search",
        summary: "the strong search on the device: null windows, a table, moves in order; its groups share one tree",
        paper: "ours; MTD(f): Plaat and others 1996; the table: Hyatt and Mann 2002",
        needs: "76 bytes of global memory a record, and the table",
        like: "rayon-table",
        reference: "serial-table",
        counts: Counts::Vary,
        tasks: &[Task::Search, Task::Game, Task::Choose, Task::Match],
        params: &[
            ParamEntry {
                default: "64 on GPUs, 1 on a processor",
                ..GROUP
            },
            PER_UNIT,
            ParamEntry {
                default: "4 on GPUs, 1 on a processor",
                ..THRESHOLDS
            },
            TABLE,
            RECORDS,
            HYBRID,
            BATCH,
        ],
        check: |_, params| takes_both(params),
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", HARD),
        Trial::new("group=5 table=1 thresholds=3", HARD),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_timed(setup, |play| {
        let (evaluation, game) = (play.asked.evaluation.clone(), play.game.clone());
        let practice = Practice::new(setup, play)?;
        table_search(setup, OnDevice { evaluation, game }, &practice)
    })
}

/// Connect Four as its kernel takes it: a win is worth [`WIN`] less the stones on the board, not the plies from the
/// root, so that a position has one value in searches of several roots.
struct OnDevice {
    evaluation: Evaluation,
    game: Bits,
}

impl TableGame for OnDevice {
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
        let ended = position.is_over().then(|| match position.winner() {
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
        // No static value is near a win's.
        match value {
            value if value > WIN / 2 => value + stones,
            value if value < -WIN / 2 => value - stones,
            value => value,
        }
    }
}
