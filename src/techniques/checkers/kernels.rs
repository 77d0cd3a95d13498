//! Defines the techniques for user-supplied kernels, and packs positions for them.

use super::device_games;
use super::device_perft::{POSITION_WORDS, pack};
use super::hard;
use super::tasks::{self, Draughts};
use crate::games::checkers::{Playouts, Position};
use crate::techniques::own_kernel::{PERFT, PLAYOUTS, Packing, counting, playing, technique};
use crate::techniques::prelude::*;

const PLAYED: &[Trial] = &[Trial::new("", hard::PLAYOUTS)];
const COUNTED: &[Trial] = &[Trial::new("", hard::PERFT)];

/// One technique per contract for user-supplied kernels.
pub static KERNELS: &[Technique] = &[
    technique("checkers", PLAYOUTS, PLAYED, |setup| {
        tasks::prepare_flat(setup, 1..2, |play| {
            let (game, seed) = (play.game, setup.seed);
            let packing = Packing {
                pack: Box::new(move |position, packed| pack(&game, position, packed)),
                words: POSITION_WORDS,
                constants: defines(play),
                host: Some(Box::new(move |position, numbers| {
                    Playouts::new(*game.rules(), position, seed).tally(numbers)
                })),
            };
            playing(setup, packing)
        })
    }),
    technique("checkers", PERFT, COUNTED, |setup| {
        prepare_search(setup, |play: &Draughts| {
            let packing = (pack as _, defines(play));
            counting(
                setup,
                play.game,
                packing,
                &Position::start(),
                play.amount.depth,
            )
        })
    }),
];

fn defines(play: &Draughts) -> Defines {
    let mut defines = device_games::defines(play.game.rules());
    defines.push(("LANES", "1".to_owned()));
    defines
}
