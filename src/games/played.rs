use crate::words::Tally;

/// How a random game ended, from the point of view of the side to move at its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The side has won. In checkers, the opponent cannot move.
    Won,
    /// The game is drawn. In checkers, too many plies passed without a capture.
    Drawn,
    /// The side has lost. In checkers, it cannot move.
    Lost,
}

impl Ending {
    /// Returns the ending after `plies` plies: the side to move has lost if `lost` is set, otherwise the game is drawn.
    #[inline(always)]
    pub(super) fn of(lost: bool, plies: u32) -> Ending {
        match (lost, plies % 2) {
            (false, _) => Ending::Drawn,
            (true, 0) => Ending::Lost,
            (true, _) => Ending::Won,
        }
    }

    /// Returns the half points of the side to move at the root.
    #[inline(always)]
    pub fn half_points(self) -> u32 {
        match self {
            Ending::Won => 2,
            Ending::Drawn => 1,
            Ending::Lost => 0,
        }
    }
}

/// The result of one random game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The ending of the game.
    pub ending: Ending,
    /// Number of moves by both sides.
    pub plies: u32,
}

impl Played {
    /// Adds the game to a tally, under its first move.
    #[inline(always)]
    pub fn count(self, first: usize, tally: &mut Tally) {
        tally.plies += u64::from(self.plies);
        let (wins, draws, losses) = &mut tally.by_first_move[first];
        match self.ending {
            Ending::Won => *wins += 1,
            Ending::Drawn => *draws += 1,
            Ending::Lost => *losses += 1,
        }
    }
}
