//! Records the launches of PV-split, for Figure 2.

use std::convert::Infallible;

use plybench::games::Game;
use plybench::games::reversi::{
    Bits8, Evaluation, OptionError, Position, Representation, Size, Square,
};
use plybench::search::{FixedWindow, Siblings, SplitNode, pv_split};
use plybench::words::{Counters, Params};

/// The launches of a search, in order: the ply of the siblings, and the moves to them.
#[derive(Default)]
struct Launches(Vec<(u32, Vec<Square>)>);

impl<G: Game<Move = Square>> Siblings<G> for Launches {
    type Fault = Infallible;

    fn search(
        &mut self,
        node: &SplitNode<'_, G>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Infallible> {
        self.0
            .push((node.ply, node.siblings.iter().map(|own| own.mv).collect()));
        FixedWindow.search(node, scores)
    }
}

/// Returns the launches of a search from the start of the standard game, in order: the ply of the siblings, and the
/// moves to them.
///
/// # Errors
/// If the board has no evaluation.
pub fn launches(depth: u32) -> Result<Vec<(u32, Vec<Square>)>, OptionError> {
    let evaluation = Evaluation::new(Size::STANDARD, &Params::new())?;
    let game = Bits8::new(&evaluation);
    let start = game.load(&Position::start(Size::STANDARD));
    let mut launches = Launches::default();
    let Ok(_) = pv_split(&game, &start, depth, &mut launches);
    Ok(launches.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_launch_has_all_moves_of_its_node_but_the_first() {
        let mut position = Position::start(Size::STANDARD);
        let launches = launches(3).unwrap();
        assert_eq!(launches.len(), 3);
        for (ply, moves) in launches.iter().rev() {
            let legal = position.legal_moves();
            assert!(moves.iter().all(|own| legal.contains(own)), "ply {ply}");
            let others: Vec<_> = legal.iter().filter(|own| !moves.contains(own)).collect();
            let [first] = others[..] else {
                panic!("ply {ply}: {others:?}");
            };
            position = position.play(*first).unwrap();
        }
    }
}
