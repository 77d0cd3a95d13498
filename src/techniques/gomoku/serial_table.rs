//! `serial-table`: alpha-beta with a table of positions and an order of moves, on one core.

use super::tasks;
use crate::techniques::tasks::remembering::PARAMS;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The strong baseline on one core: iterative deepening with null windows, a transposition table, and
/// moves ordered by the table's move and then by what they promise
/// ([`Remembering`](crate::search::Remembering)), on gains that are carried along
/// ([`Carried`](crate::games::gomoku::Carried)).
///
/// The first stone and three positions of the line on 15x15, one core of an AMD EPYC (Zen 5) built for it:
/// 8 times as fast as `serial` to depth 4 (2.6 ms), and 6 to 7 times to depth 5. Most of it comes from the last
/// two plies. Without the order 1.2 and 1.5 to 1.8 times the time; the table gives a twentieth at these
/// depths.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "serial-table",
        summary: "the strong search on one core: deepening, null windows, a table of positions, moves in order",
        paper: "ours; principal variation search: Marsland and Campbell 1982",
        like: "serial-table",
        tasks: &[Task::Search, Task::Game, Task::Choose, Task::Match],
        params: PARAMS,
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_table(setup, None)
}
