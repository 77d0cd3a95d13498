//! `lists-16`: lists of the paper's moves of sixteen bytes.

use super::device_games::{GROUP, ROOM};
use super::hard::PLAYOUTS;
use super::{flat, lists};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{Task, TechniqueEntry};

/// The paper's longer move ("Ruch"): every square that the piece touches, their number, and the pieces
/// taken.
///
/// It is `lists-8` but for the move. A list takes 1,024 bytes of private memory a work-item, but a move of
/// a step writes only 7 bytes, one more than in `lists-8`, and a pick reads 7; the whole sixteen are never
/// touched. So what the longer move costs is room in caches.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "lists-16",
        summary: "as lists-8 with moves of sixteen bytes",
        paper: "\"Plansza\", \"Ruch\"",
        needs: "four bytes a game, 1,024 private bytes a work-item",
        tasks: &[Task::Playouts],
        params: &[GROUP, ROOM],
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", PLAYOUTS)],
    prepare: |setup| flat::prepare_with(setup, &lists::ROTATED_16),
};
