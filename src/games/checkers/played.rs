/// How a random game ended, from the side to move at its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The opponent cannot move.
    Won,
    /// No capture for too long.
    Drawn,
    /// The side cannot move.
    Lost,
}

impl Ending {
    /// How a game ended after so many plies: the side to move cannot, or else the game is drawn.
    #[inline(always)]
    pub(super) fn of(stuck: bool, plies: u32) -> Ending {
        match (stuck, plies % 2) {
            (false, _) => Ending::Drawn,
            (true, 0) => Ending::Lost,
            (true, _) => Ending::Won,
        }
    }
}

/// One random game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// How it ended.
    pub ending: Ending,
    /// Moves of both sides.
    pub plies: u32,
}
