use std::ops::AddAssign;

/// A request for random playouts on a board. Playout k of a seed names the same colours in every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playouts {
    /// Seed of the colours.
    pub seed: u64,
    /// The number of the first playout.
    pub first: u64,
    /// The number of playouts; `first + count` fits 64 bits.
    pub count: u64,
    /// Turns per playout, of both players together.
    pub turns: u32,
}

impl Playouts {
    /// The number after the last playout's.
    pub fn end(&self) -> u64 {
        self.first + self.count
    }
}

/// Results of playouts for player 1, who moves first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Player 1 had more cells.
    pub wins: u64,
    /// Both had equally many.
    pub draws: u64,
    /// Player 2 had more cells.
    pub losses: u64,
}

impl Tally {
    /// Counts one playout, by the players' cells.
    pub fn count(&mut self, first: u32, second: u32) {
        match first.cmp(&second) {
            std::cmp::Ordering::Greater => self.wins += 1,
            std::cmp::Ordering::Equal => self.draws += 1,
            std::cmp::Ordering::Less => self.losses += 1,
        }
    }

    /// The number of playouts.
    pub fn playouts(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// Cells without an owner at the end of playouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unowned {
    /// Playouts with at least one such cell.
    pub playouts: u64,
    /// Such cells, over all playouts.
    pub cells: u64,
    /// Playouts without a certain winner: no player has more than half of the cells, nor do both have half.
    pub undecided: u64,
}

impl AddAssign for Unowned {
    fn add_assign(&mut self, other: Unowned) {
        self.playouts += other.playouts;
        self.cells += other.cells;
        self.undecided += other.undecided;
    }
}
