//! `lists-8`: lists of the paper's moves of eight bytes.

use super::device_games::{GROUP, ROOM};
use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::{flat, lists};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{Task, TechniqueEntry};

/// The paper's shorter move ("Ruch"): a word of the squares between and the pieces taken, begin and end.
///
/// Games are handed out and counted as `flat` does it, and are `serial`'s, but every ply lists all moves, as
/// the paper's structures have it, and picks one; `flat` lists none. A list has room for 64 moves: 512
/// bytes of private memory a work-item, which GPUs keep in the memory of the device behind its caches. A
/// move of a step writes 6 bytes of it, a pick reads 6.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "lists-8",
        summary: "as flat, but every ply lists its moves, of eight bytes each, and picks one",
        paper: "\"Plansza\", \"Ruch\"",
        needs: "four bytes a game, 512 private bytes a work-item",
        tasks: &[Task::Playouts],
        params: &[GROUP, ROOM],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("group=24", FEW_PLAYOUTS),
    ],
    prepare: |setup| flat::prepare_with(setup, &lists::ROTATED_8),
};
