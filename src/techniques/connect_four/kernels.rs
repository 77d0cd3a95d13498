//! Positions for kernels that experiments bring.

use super::device_board::{defines, table};
use super::hard;
use super::tasks::{self, ConnectFour};
use crate::games::connect_four::{Bits, Order, Position, RandomColumns};
use crate::games::random_games::Playouts;
use crate::techniques::hard::Trial;
use crate::techniques::own_kernel::{
    EVALUATE, OwnPerft, OwnPlayouts, PERFT, PLAYOUTS, Packing, SUBTREES, SearchPacking, searching,
    technique,
};
use crate::techniques::tasks::prepare_random;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::Fault;

const PLAYED: &[Trial] = &[Trial::new("", hard::PLAYOUTS)];
const COUNTED: &[Trial] = &[Trial::new("", hard::PERFT)];
const SEARCHED: &[Trial] = &[Trial::new("", hard::SEARCH)];

/// Kernels of users, by contract.
pub static KERNELS: &[Technique] = &[
    technique("connect-four", PLAYOUTS, PLAYED, playouts),
    technique("connect-four", PERFT, COUNTED, perft),
    technique("connect-four", SUBTREES, SEARCHED, |it| {
        search(it, "subtrees")
    }),
    technique("connect-four", EVALUATE, SEARCHED, |it| {
        search(it, "evaluate")
    }),
];

/// Four words: the mover's stones (low word, high word), all stones (low, high); bit `7 * column + row`.
fn packing() -> Packing<ConnectFour> {
    Packing {
        pack: Box::new(|position| {
            let stones = RandomColumns.stones(position);
            halves([stones.own, stones.all]).collect()
        }),
        words: 4,
        constants: Vec::new(),
    }
}

fn halves(words: [u64; 2]) -> impl Iterator<Item = u32> {
    let halves = |word| [word as u32, (word >> 32) as u32];
    words.into_iter().flat_map(halves)
}

fn search(setup: &Setup<'_>, contract: &'static str) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let mut constants = defines();
        constants.push(("TWO", asked.evaluation.two.to_string()));
        constants.push(("THREE", asked.evaluation.three.to_string()));
        let packing = SearchPacking {
            pack: |_: &Bits, board, packed| {
                let (own, other) = board.stones();
                packed.extend(halves([own, own | other]));
            },
            worths: table(&asked.evaluation),
            constants,
        };
        let game = Bits::new(&asked.evaluation, Order::CentreFirst);
        let start = Position::start();
        searching(setup, game, packing, &start, (contract, asked.depth))
    })
}

fn perft(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let children = |position: &Position| {
            let moves = position.legal_moves().into_iter();
            moves.filter_map(|column| position.play(column)).collect()
        };
        let start = Position::start();
        let counting = OwnPerft::new(setup, packing(), &start, asked.depth, children)?;
        Ok(Box::new(counting))
    })
}

fn playouts(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let seed = setup.seed;
    prepare_random(setup, |start: &Position, _| {
        let player =
            OwnPlayouts::new(
                setup,
                packing(),
                Some(start),
                move |position, playouts| match position.is_over() {
                    true => {
                        let root = RandomColumns.root(position);
                        Err(Playouts::new(RandomColumns, root, seed).tally(playouts))
                    }
                    false => Ok(position.legal_moves().len() as u64),
                },
            )?;
        Ok(Box::new(player))
    })
}
