//! `lists-8`: lists of the paper's moves of eight bytes.

use super::device_games::{GROUP, ROOM};
use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::{flat, lists};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{DEVICES, Task, TechniqueEntry};

/// The paper's shorter move ("Ruch"): a word of the squares between and the captured pieces, start and end.
///
/// Games are distributed and counted as in `flat`, and are those of `serial`; but every ply lists all moves,
/// as in the paper's structures, and selects one, while `flat` makes no list. A list has space for 64 moves:
/// 512 bytes of private memory per work-item, which GPUs keep in device memory behind their caches. A step
/// writes 6 bytes of it, a selection reads 6.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "lists-8",
        summary: "as flat, but every ply lists its moves, of eight bytes each, and picks one",
        paper: "\"Plansza\", \"Ruch\"",
        needs: "four bytes a game, 512 private bytes a work-item",
        tasks: &[Task::Playouts],
        params: &[GROUP, ROOM, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("group=24", FEW_PLAYOUTS),
    ],
    prepare: |setup| flat::prepare_with(setup, &lists::ROTATED_8),
};
