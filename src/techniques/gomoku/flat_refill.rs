//! `flat-refill`: random games from all moves in one launch, several games per work-item in succession.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::tasks::Gomoku;
use crate::games::gomoku::{LONGEST_RANDOM, RANDOM_BOARD_WORDS, RandomBoard, RandomStones};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::flat_refill::{self, OnDevice, technique};
use crate::words::TechniqueEntry;

/// Random games on the device; a work-item replaces its finished game. Local memory holds 632 bytes per game: the empty
/// squares and the lines.
pub const TECHNIQUE: Technique = technique::<Gomoku, RandomStones>();

impl OnDevice<Gomoku> for RandomStones {
    const RULES: RandomStones = RandomStones;
    const ENTRY: TechniqueEntry = TechniqueEntry {
        game: "gomoku",
        summary: "random games from all moves in one launch, up to 16x16; a work-item whose game has ended takes the next",
        needs: "local memory for a game, 632 bytes, and three words a first move",
        ..flat_refill::ENTRY
    };
    const TRIALS: &'static [Trial] = &[
        Trial::new("", PLAYOUTS),
        Trial::new("lanes=1 group=48 words=3", FEW_PLAYOUTS),
        Trial::new("lanes=8 words=5 items=4", FEW_PLAYOUTS),
        Trial::new("group=16 words=2 items=64", FEW_PLAYOUTS),
    ];
    const PATH: &'static str = "gomoku/flat_refill.cl";
    const USUAL_WORDS: usize = 16;

    fn most_moves(&self) -> usize {
        LONGEST_RANDOM * LONGEST_RANDOM
    }

    fn child_words(&self) -> usize {
        RANDOM_BOARD_WORDS / 2
    }

    fn room_bytes(&self) -> usize {
        4 * (RANDOM_BOARD_WORDS - 2)
    }

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        let pairs = board.words();
        let pairs = pairs.as_chunks::<2>().0.iter();
        words.extend(pairs.map(|[low, high]| u64::from(*low) | u64::from(*high) << 32));
    }
}
