//! Programs that experiments bring.

use super::{GAME, tasks};
use crate::techniques::{Technique, program};
use crate::words::TechniqueEntry;

/// A program in any language.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        tasks: GAME.tasks,
        ..program::ENTRY
    },
    trials: &[],
    prepare: tasks::prepare_program,
};
