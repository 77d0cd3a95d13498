//! Positions for kernels that experiments bring.

use super::device_board::{defines, table};
use super::hard;
use super::tasks::{self, ConnectFour};
use crate::games::connect_four::{Bits, COLUMNS, Order, Position, ROWS, RandomColumns};
use crate::games::random_games::Playouts;
use crate::techniques::hard::Trial;
use crate::techniques::own_kernel::{self, OwnPerft, OwnPlayouts, Packing, SearchPacking};
use crate::techniques::tasks::prepare_random;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::Fault;

/// A kernel of the contract `perft`.
pub const PERFT: Technique = own_kernel::technique(
    "connect-four",
    own_kernel::PERFT,
    &[Trial::new("", hard::PERFT)],
    prepare_perft,
);

/// A kernel of the contract `playouts`.
pub const PLAYOUTS: Technique = own_kernel::technique(
    "connect-four",
    own_kernel::PLAYOUTS,
    &[Trial::new("", hard::PLAYOUTS)],
    prepare_playouts,
);

/// A kernel of the contract `subtrees`.
pub const SUBTREES: Technique = own_kernel::technique(
    "connect-four",
    own_kernel::SUBTREES,
    &[Trial::new("", hard::SEARCH)],
    |setup| prepare_search(setup, "subtrees"),
);

/// A kernel of the contract `evaluate`.
pub const EVALUATE: Technique = own_kernel::technique(
    "connect-four",
    own_kernel::EVALUATE,
    &[Trial::new("", hard::SEARCH)],
    |setup| prepare_search(setup, "evaluate"),
);

/// Four words: the mover's stones (low word, high word), all stones (low, high); bit `7 * column + row`.
fn pack(position: &Position) -> Vec<u32> {
    let (mut own, mut stones) = (0_u64, 0_u64);
    for column in 0..COLUMNS {
        for row in 0..ROWS {
            let bit = 1 << (STRIDE * column + row);
            match position.at(column, row) {
                Some(player) if player == position.mover() => {
                    (own, stones) = (own | bit, stones | bit)
                }
                Some(_) => stones |= bit,
                None => {}
            }
        }
    }
    halves([own, stones]).collect()
}

fn halves(words: [u64; 2]) -> impl Iterator<Item = u32> {
    let halves = |word| [word as u32, (word >> 32) as u32];
    words.into_iter().flat_map(halves)
}

/// Bits per column, one of them always empty.
const STRIDE: usize = ROWS + 1;

fn prepare_search(setup: &Setup<'_>, contract: &'static str) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let mut constants = defines();
        constants.push(("TWO", asked.evaluation.two().to_string()));
        constants.push(("THREE", asked.evaluation.three().to_string()));
        let packing = SearchPacking {
            pack: |_: &Bits, board, packed| {
                let (own, other) = board.stones();
                packed.extend(halves([own, own | other]));
            },
            words: 4,
            worths: table(&asked.evaluation),
            constants,
        };
        let game = Bits::new(&asked.evaluation, Order::CentreFirst);
        let start = Position::start();
        own_kernel::searching(setup, game, packing, &start, (contract, asked.depth))
    })
}

fn prepare_perft(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let packing: Packing<ConnectFour> = Packing {
            pack: Box::new(pack),
            words: 4,
            constants: Vec::new(),
        };
        let children = |position: &Position| {
            let moves = position.legal_moves().into_iter();
            moves.filter_map(|column| position.play(column)).collect()
        };
        let start = Position::start();
        let counting = OwnPerft::new(setup, packing, &start, asked.depth, children)?;
        Ok(Box::new(counting))
    })
}

fn prepare_playouts(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let seed = setup.seed;
    prepare_random(setup, |start: &Position, _| {
        let packing: Packing<ConnectFour> = Packing {
            pack: Box::new(pack),
            words: 4,
            constants: Vec::new(),
        };
        let player = OwnPlayouts::new(
            setup,
            packing,
            Some(start),
            |position| position.legal_moves().len() as u64,
            move |position, playouts| {
                let root = RandomColumns.root(position);
                let host = || Playouts::new(RandomColumns, root, seed).tally(playouts);
                position.is_over().then(host)
            },
        )?;
        Ok(Box::new(player))
    })
}
