//! Positions for kernels that experiments bring.

use super::device_board::{pack, packed_len};
use super::tasks::{self, Reversi, Searcher};
use super::{Asked, hard};
use crate::games::reversi::{Position, Representation, Visit, WIN, fastest};
use crate::techniques::hard::Trial;
use crate::techniques::own_kernel::{self, SearchPacking};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::Fault;

/// A kernel of the contract `subtrees`.
pub const SUBTREES: Technique = own_kernel::technique(
    "reversi",
    own_kernel::SUBTREES,
    &[Trial::new("", hard::OWN)],
    |setup| prepare(setup, "subtrees"),
);

/// A kernel of the contract `evaluate`.
pub const EVALUATE: Technique = own_kernel::technique(
    "reversi",
    own_kernel::EVALUATE,
    &[Trial::new("", hard::OWN)],
    |setup| prepare(setup, "evaluate"),
);

fn prepare(setup: &Setup<'_>, contract: &'static str) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let search = Search {
            setup,
            asked,
            contract,
        };
        fastest(&asked.evaluation, search)
    })
}

struct Search<'a> {
    setup: &'a Setup<'a>,
    asked: &'a Asked,
    contract: &'static str,
}

impl Visit for Search<'_> {
    type Output = Result<Box<dyn Searcher<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let Asked {
            evaluation, depth, ..
        } = self.asked;
        let size = evaluation.size();
        let packing = SearchPacking {
            pack: pack::<R>,
            words: packed_len(size),
            worths: evaluation.weights().to_vec(),
            constants: vec![
                ("WIDTH", size.width().to_string()),
                ("HEIGHT", size.height().to_string()),
                ("MOBILITY", evaluation.mobility().to_string()),
                ("WIN", WIN.to_string()),
            ],
        };
        let start = Position::start(size);
        own_kernel::searching(self.setup, game, packing, &start, (self.contract, *depth))
    }
}
