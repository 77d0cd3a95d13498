//! Defines the techniques for user-supplied kernels, and packs positions for them.

use super::device_board::{defines, table};
use super::hard;
use super::tasks::{self, ConnectFour};
use crate::games::connect_four::{Bits, Board, Order, Position, RandomColumns};
use crate::games::random_games::Playouts;
use crate::techniques::own_kernel::{
    EVALUATE, PERFT, PLAYOUTS, Packing, SUBTREES, SearchPacking, counting, playing, searching,
    technique,
};
use crate::techniques::prelude::*;
use crate::techniques::tasks::blocks::halves;
use crate::techniques::tasks::prepare_random;

const PLAYED: &[Trial] = &[Trial::new("", hard::PLAYOUTS)];
const COUNTED: &[Trial] = &[Trial::new("", hard::PERFT)];
const SEARCHED: &[Trial] = &[Trial::new("", hard::SEARCH)];

/// One technique per contract for user-supplied kernels.
pub static KERNELS: &[Technique] = &[
    technique("connect-four", PLAYOUTS, PLAYED, |setup| {
        prepare_random(setup, |_, _| playing(setup, packing(setup.seed)))
    }),
    technique("connect-four", PERFT, COUNTED, |setup| {
        tasks::prepare_search::<ConnectFour>(setup, |asked| {
            let game = Bits::new(&asked.evaluation, Order::CentreFirst);
            let packing = (pack as _, Vec::new());
            counting(setup, game, packing, &Position::start(), asked.amount.depth)
        })
    }),
    technique("connect-four", SUBTREES, SEARCHED, |it| {
        search(it, "subtrees")
    }),
    technique("connect-four", EVALUATE, SEARCHED, |it| {
        search(it, "evaluate")
    }),
];

/// Appends four words: the mover's stones (low, high) and all stones (low, high). A square is bit `7 * column + row`.
fn pack(_: &Bits, board: &Board, packed: &mut Vec<u32>) {
    let (own, other) = board.stones();
    packed.extend(halves([own, own | other]));
}

fn packing(seed: u64) -> Packing<ConnectFour> {
    Packing {
        pack: Box::new(|position, packed| {
            packed.extend(halves(position.words()));
        }),
        words: 4,
        constants: Vec::new(),
        host: Some(Box::new(move |position, numbers| {
            let root = RandomColumns.root(position);
            Playouts::new(RandomColumns, root, seed).tally(numbers)
        })),
    }
}

fn search(setup: &Setup<'_>, contract: &'static str) -> Prepared {
    tasks::prepare_search::<ConnectFour>(setup, |asked| {
        let mut constants = defines();
        constants.push(("TWO", asked.evaluation.two.to_string()));
        constants.push(("THREE", asked.evaluation.three.to_string()));
        let packing = SearchPacking {
            pack,
            worths: table(&asked.evaluation),
            constants,
        };
        let game = Bits::new(&asked.evaluation, Order::CentreFirst);
        let start = Position::start();
        searching(setup, game, packing, &start, (contract, asked.amount.depth))
    })
}
