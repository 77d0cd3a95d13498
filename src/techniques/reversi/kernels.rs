//! Defines the techniques for user-supplied kernels.

use super::device_board::pack;
use super::hard;
use super::tasks::{Reversi, Searcher};
use crate::games::reversi::{Position, Representation, Visit, WIN, fastest};
use crate::techniques::own_kernel::{EVALUATE, SUBTREES, SearchPacking, searching, technique};
use crate::techniques::prelude::*;

const TRIALS: &[Trial] = &[Trial::new("", hard::OWN)];

/// One technique per contract for user-supplied kernels.
pub static KERNELS: &[Technique] = &[
    technique("reversi", SUBTREES, TRIALS, |it| prepare(it, "subtrees")),
    technique("reversi", EVALUATE, TRIALS, |it| prepare(it, "evaluate")),
];

fn prepare(setup: &Setup<'_>, contract: &'static str) -> Prepared {
    prepare_search(setup, |play: &Reversi| {
        fastest(&play.evaluation, Search(setup, play, contract))
    })
}

struct Search<'a>(&'a Setup<'a>, &'a Reversi, &'static str);

impl Visit for Search<'_> {
    type Output = Result<Box<dyn Searcher<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let Search(setup, asked, contract) = self;
        let evaluation = &asked.evaluation;
        let size = evaluation.size();
        let packing = SearchPacking {
            pack: pack::<R>,
            worths: evaluation.weights.to_vec(),
            constants: vec![
                ("WIDTH", size.width().to_string()),
                ("HEIGHT", size.height().to_string()),
                ("MOBILITY", evaluation.mobility.to_string()),
                ("WIN", WIN.to_string()),
            ],
        };
        let start = Position::start(size);
        searching(setup, game, packing, &start, (contract, asked.amount.depth))
    }
}
