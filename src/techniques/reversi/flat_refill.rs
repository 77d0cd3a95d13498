//! `flat-refill`: random games from all moves in one launch, several games per work-item in succession.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::tasks::Reversi;
use crate::games::reversi::{RandomBoard, RandomSquares};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::flat_refill::{self, OnDevice, technique};
use crate::words::TechniqueEntry;

/// Random games on the device; a work-item replaces its finished game.
pub const TECHNIQUE: Technique = technique::<Reversi, RandomSquares>();

impl OnDevice<Reversi> for RandomSquares {
    const RULES: RandomSquares = RandomSquares;
    const ENTRY: TechniqueEntry = TechniqueEntry {
        game: "reversi",
        needs: "8x8; local memory for three words per first move",
        ..flat_refill::ENTRY
    };
    const TRIALS: &'static [Trial] = &[
        Trial::new("", PLAYOUTS),
        Trial::new("lanes=1 group=48 words=2", FEW_PLAYOUTS),
        Trial::new("lanes=8 words=3 items=4", FEW_PLAYOUTS),
        Trial::new("lanes=16 words=1 group=16", FEW_PLAYOUTS),
    ];
    const PATH: &'static str = "reversi/flat_refill.cl";

    /// Above the maximum of legal positions, 33.
    fn most_moves(&self) -> usize {
        64
    }

    fn child_words(&self) -> usize {
        3
    }

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        words.extend([board.own, board.other, board.live]);
    }
}
