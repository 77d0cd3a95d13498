//! `flat-refill`: random games from all moves in one launch, several games per work-item in succession.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::tasks::ConnectFour;
use crate::games::connect_four::{COLUMNS, RandomBoard, RandomColumns};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::flat_refill::{self, OnDevice, technique};
use crate::words::TechniqueEntry;

/// Random games on the device; a work-item replaces its finished game.
pub const TECHNIQUE: Technique = technique::<ConnectFour, RandomColumns>();

impl OnDevice<ConnectFour> for RandomColumns {
    const RULES: RandomColumns = RandomColumns;
    const ENTRY: TechniqueEntry = TechniqueEntry {
        game: "connect-four",
        needs: "local memory for three words a first move",
        ..flat_refill::ENTRY
    };
    const TRIALS: &'static [Trial] = &[
        Trial::new("", PLAYOUTS),
        Trial::new("lanes=1 group=48 words=2", FEW_PLAYOUTS),
        Trial::new("lanes=8 words=3 items=4", FEW_PLAYOUTS),
        Trial::new("lanes=16 words=2 group=16", FEW_PLAYOUTS),
    ];
    const PATH: &'static str = "connect_four/flat_refill.cl";

    fn most_moves(&self) -> usize {
        COLUMNS
    }

    fn child_words(&self) -> usize {
        4
    }

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        words.extend([board.own, board.stones, board.live, board.won]);
    }
}
