//! Programs that experiments bring.

use super::{GAME, hard, tasks};
use crate::techniques::hard::Trial;
use crate::techniques::{Technique, program};
use crate::words::TechniqueEntry;

/// A program in any language.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        tasks: GAME.tasks,
        ..program::ENTRY
    },
    trials: &[Trial::new("", hard::SEARCH), Trial::new("", hard::PLAYOUTS)],
    prepare: tasks::prepare_program,
};
