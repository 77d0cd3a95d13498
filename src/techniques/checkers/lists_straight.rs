//! `lists-straight`: lists of moves on the straight index.

use super::device_games::{GROUP, ROOM};
use super::hard::PLAYOUTS;
use super::{flat, lists};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{Counts, DEVICES, Task, TechniqueEntry};

/// The index that the paper rejects ("Plansza"): rows of four squares, where a step is ±4 one way and ±3 or
/// ±5 the other, by the row's parity.
///
/// It differs from `lists-8` only in the index. The cost of the index: sets of squares that are moved back by
/// a step, four for captures and four for steps, are moved in two ways, one for each parity, and joined; and
/// the step of a piece depends on its row. A jump crosses both parities and costs nothing more. Its moves
/// have a separate order, so its games are those of `serial-straight`.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "lists-straight",
        summary: "as lists-8 with squares counted row by row: steps of 3, 4 or 5 by the row's parity",
        paper: "\"Plansza\", \"Ruch\"",
        needs: "four bytes a game, 512 private bytes a work-item",
        like: "serial-straight",
        reference: "serial-straight",
        counts: Counts::As("serial-straight"),
        tasks: &[Task::Playouts],
        params: &[GROUP, ROOM, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", PLAYOUTS)],
    prepare: |setup| flat::prepare_with(setup, &lists::STRAIGHT_8),
};
