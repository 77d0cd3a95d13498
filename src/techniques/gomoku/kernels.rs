//! Defines the techniques for user-supplied kernels, and packs positions for them.

use super::tasks::{self, Gomoku, Searcher};
use super::{device_cells, hard};
use crate::games::gomoku::{Colour, Position, Representation, Visit, fastest};
use crate::techniques::own_kernel::{EVALUATE, SUBTREES, SearchPacking, searching, technique};
use crate::techniques::prelude::*;

const TRIALS: &[Trial] = &[Trial::new("", hard::SEARCH)];

/// One technique per contract for user-supplied kernels.
pub static KERNELS: &[Technique] = &[
    technique("gomoku", SUBTREES, TRIALS, |it| prepare(it, "subtrees")),
    technique("gomoku", EVALUATE, TRIALS, |it| prepare(it, "evaluate")),
];

fn prepare(setup: &Setup<'_>, contract: &'static str) -> Prepared {
    tasks::prepare_search::<Gomoku>(setup, |asked| {
        fastest(&asked.evaluation, Search(setup, asked, contract))
    })
}

struct Search<'a>(&'a Setup<'a>, &'a Gomoku, &'static str);

impl Visit for Search<'_> {
    type Output = Result<Box<dyn Searcher<Gomoku>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let Search(setup, asked, contract) = self;
        let evaluation = &asked.evaluation;
        let packing = SearchPacking {
            pack: pack::<R>,
            worths: evaluation.shapes.table().to_vec(),
            constants: device_cells::defines(evaluation),
        };
        let start = Position::first_stone(game.size());
        searching(setup, game, packing, &start, (contract, asked.amount.depth))
    }
}

/// Appends two words per row: the mover's stones, and the opponent's stones. Bit `x` is column `x`.
fn pack<R: Representation>(game: &R, board: &R::Position, packed: &mut Vec<u32>) {
    let (size, first) = (game.size(), packed.len());
    packed.resize(first + 2 * size.side(), 0);
    let rows = &mut packed[first..];
    let mut stones = 0_usize;
    for square in size.all() {
        let Some(colour) = game.stone(board, square) else {
            continue;
        };
        stones += 1;
        let place = 2 * size.y(square) + usize::from(colour == Colour::White);
        rows[place] |= 1 << size.x(square);
    }
    // If White is to move, its words come first.
    if !stones.is_multiple_of(2) {
        rows.as_chunks_mut::<2>()
            .0
            .iter_mut()
            .for_each(|row| row.reverse());
    }
}
