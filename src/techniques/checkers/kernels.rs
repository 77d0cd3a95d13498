//! Positions for kernels that experiments bring.

use super::Asked;
use super::device_games::{defines, down, words};
use super::device_perft::children;
use super::hard;
use super::tasks::{self, Draughts};
use crate::games::checkers::{Playouts, Position};
use crate::opencl::Defines;
use crate::techniques::hard::Trial;
use crate::techniques::own_kernel::{OwnPerft, OwnPlayouts, PERFT, PLAYOUTS, Packing, technique};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::Fault;

const PLAYED: &[Trial] = &[Trial::new("", hard::PLAYOUTS)];
const COUNTED: &[Trial] = &[Trial::new("", hard::PERFT)];

/// Kernels of users, by contract.
pub static KERNELS: &[Technique] = &[
    technique("checkers", PLAYOUTS, PLAYED, playouts),
    technique("checkers", PERFT, COUNTED, perft),
];

/// Five words: the mover's pieces, the other side's, kings, all ones if the mover's men go down, plies since a capture.
fn packing(asked: &Asked) -> Packing<Draughts> {
    let mut constants: Defines = defines(asked.game.rules());
    constants.push(("LANES", "1".to_owned()));
    Packing {
        pack: Box::new(|position: &Position| {
            let mut packed = words(position).to_vec();
            packed.extend([down(position), position.quiet]);
            packed
        }),
        words: 5,
        constants,
    }
}

fn playouts(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_flat(setup, 1..2, |play| {
        let (rules, seed) = (*play.asked.game.rules(), setup.seed);
        let host = move |position: &Position| Playouts::new(rules, position, seed);
        let player = OwnPlayouts::new(
            setup,
            packing(&play.asked),
            Some(&play.asked.position),
            move |position, playouts| {
                let host = host(position);
                match host.first_moves() {
                    0 => Err(host.tally(playouts)),
                    moves => Ok(u64::from(moves)),
                }
            },
        )?;
        Ok(Box::new(player))
    })
}

fn perft(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_perft(setup, |asked| {
        let game = asked.game;
        let children = move |position: &Position| children(&game, position);
        let start = Position::start();
        let counting = OwnPerft::new(setup, packing(asked), &start, asked.depth, children)?;
        Ok(Box::new(counting))
    })
}
