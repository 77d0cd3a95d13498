/// The result of a random game, from the side to move at its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The opponent has no move.
    Won,
    /// Too many plies without a capture.
    Drawn,
    /// The side has no move.
    Lost,
}

impl Ending {
    /// The result of a game that ends after `plies` plies, either because the side to move has no move or by
    /// a draw.
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
    /// Its result.
    pub ending: Ending,
    /// Plies of both sides.
    pub plies: u32,
}
