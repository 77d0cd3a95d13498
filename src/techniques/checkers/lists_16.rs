//! `lists-16`: lists of the paper's moves of sixteen bytes.

use super::device_games::{GROUP, ROOM};
use super::hard::PLAYOUTS;
use super::{flat, lists};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{DEVICES, Task, TechniqueEntry};

/// The paper's longer move ("Ruch"): every square on the piece's path, their number, and the captured pieces.
///
/// It differs from `lists-8` only in the move. A list takes 1,024 bytes of private memory per work-item, but
/// a step writes only 7 bytes of its move, one more than in `lists-8`, and a selection reads 7; all sixteen
/// are never used. So the cost of the longer move is cache space.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "lists-16",
        summary: "as lists-8 with moves of sixteen bytes",
        paper: "\"Plansza\", \"Ruch\"",
        needs: "four bytes a game, 1,024 private bytes a work-item",
        tasks: &[Task::Playouts],
        params: &[GROUP, ROOM, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", PLAYOUTS)],
    prepare: |setup| flat::prepare_with(setup, &lists::ROTATED_16),
};
