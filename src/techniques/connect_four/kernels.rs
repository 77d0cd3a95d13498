//! Kernels that experiments bring: how a position goes to them.

use super::hard;
use super::tasks::{self, ConnectFour};
use crate::games::connect_four::{COLUMNS, Position, ROWS, RandomColumns};
use crate::games::random_games::Playouts;
use crate::techniques::hard::Trial;
use crate::techniques::own_kernel::{self, OwnPerft, OwnPlayouts, Packing};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// A kernel of the contract `perft`.
pub const PERFT: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "kernel-perft",
        tasks: &[Task::Perft],
        ..own_kernel::ENTRY
    },
    trials: &[Trial::new("", hard::PERFT)],
    prepare: prepare_perft,
};

/// A kernel of the contract `playouts`.
pub const PLAYOUTS: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "kernel-playouts",
        tasks: &[Task::Playouts],
        ..own_kernel::ENTRY
    },
    trials: &[Trial::new("", hard::PLAYOUTS)],
    prepare: prepare_playouts,
};

/// A position in four words: the low and the high word of the mover's stones, then those of all stones; bit
/// `7 * column + row`.
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
    [own, stones]
        .into_iter()
        .flat_map(|word| [word as u32, (word >> 32) as u32])
        .collect()
}

/// Bits of a column, one of which stays empty.
const STRIDE: usize = ROWS + 1;

fn prepare_perft(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let packing: Packing<ConnectFour> = Packing {
            pack,
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
    tasks::prepare_random(setup, |start, _| {
        let packing: Packing<ConnectFour> = Packing {
            pack,
            constants: Vec::new(),
        };
        let player = OwnPlayouts::new(
            setup,
            packing,
            start,
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
