use super::word::Word;
use super::{Evaluation, Position, RandomRows, RandomRowsBoard, Representation, Rows, Square};
use crate::games::leaf_games::LeafGame;
use crate::games::{Ahead, Game, RandomGame, Stuck};

/// Reversi for trees on boards other than 8x8: the rules of searches, [`Rows`], and the random games of
/// [`RandomRows`] from leaves.
#[derive(Clone, Debug)]
pub struct TreeRows<W: Word, const H: usize> {
    rules: Rows<W, H>,
    random: RandomRows<W>,
}

impl<W: Word, const H: usize> TreeRows<W, H> {
    /// For an evaluation's board.
    ///
    /// # Panics
    /// If it is wider than `W` or higher than `H`.
    pub fn new(evaluation: &Evaluation) -> TreeRows<W, H> {
        TreeRows {
            rules: Rows::new(evaluation),
            random: RandomRows::new(evaluation.size()),
        }
    }

    /// A position for trees.
    pub fn load(&self, position: &Position) -> <Rows<W, H> as Game>::Position {
        Representation::load(&self.rules, position)
    }
}

impl<W: Word, const H: usize> RandomGame for TreeRows<W, H> {
    type Position = <Rows<W, H> as Game>::Position;

    /// A side that cannot move has one move, the pass, unless the game is over.
    fn ahead(&self, board: &Self::Position) -> Ahead {
        match self.rules.moves(board).count() {
            0 => match self.rules.stuck(board, 0) {
                Stuck::Pass(_) => Ahead::Moves(1),
                Stuck::Over(value) => Ahead::Over((1 + value.signum()) as u32),
            },
            moves => Ahead::Moves(moves as u32),
        }
    }

    fn after(&self, board: &Self::Position, index: u32) -> Self::Position {
        let mv: Option<Square> = self.rules.moves(board).nth(index as usize);
        match mv {
            Some(mv) => self.rules.play(board, mv),
            None => match self.rules.stuck(board, 0) {
                Stuck::Pass(passed) => passed,
                Stuck::Over(_) => board.clone(),
            },
        }
    }
}

impl<W: Word, const H: usize> LeafGame for TreeRows<W, H> {
    type Random = RandomRows<W>;

    const ALONE: bool = true;

    fn random(&self) -> RandomRows<W> {
        self.random
    }

    fn board(&self, leaf: &Self::Position) -> RandomRowsBoard {
        let ranks = 0..self.random.size().height();
        RandomRowsBoard::of_ranks(ranks.map(|rank| self.rules.rank(leaf, rank)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::random_leaves::tests::trees_and_leaves_follow_the_rules;
    use crate::words::Params;

    fn check<W: Word, const H: usize>(size: &str, games: u32) {
        let evaluation = Evaluation::new(size.parse().unwrap(), &Params::new()).unwrap();
        let rows = TreeRows::<W, H>::new(&evaluation);
        trees_and_leaves_follow_the_rules(&rows, evaluation.size(), games, |position| {
            rows.load(position)
        });
    }

    #[test]
    fn trees_have_the_rules_and_leaves_their_games() {
        check::<u16, 16>("4x4", 12);
        check::<u16, 16>("6x8", 6);
        check::<u32, 32>("10x6", 4);
        check::<u64, 64>("34x4", 1);
    }
}
