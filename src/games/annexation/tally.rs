use std::ops::AddAssign;

/// Which random playouts of a board are asked for.
///
/// Playout k of a seed names the same colours whatever else is played beside it, so that a tally is
/// one number on every technique and device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playouts {
    /// What the colours are drawn from.
    pub seed: u64,
    /// The number of the first playout.
    pub first: u64,
    /// How many playouts; `first + count` fits 64 bits.
    pub count: u64,
    /// Turns of each of them, both players' counted.
    pub turns: u32,
}

impl Playouts {
    /// The number after that of the last playout.
    pub fn end(&self) -> u64 {
        self.first + self.count
    }
}

/// How playouts ended, for player 1, who moves first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Player 1 had more cells.
    pub wins: u64,
    /// Both had as many.
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

    /// The playouts counted.
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

/// What was open when playouts ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unowned {
    /// Playouts with at least one cell that nobody owned.
    pub playouts: u64,
    /// Such cells of all playouts together.
    pub cells: u64,
    /// Playouts whose winner could still change: no player has more than half of the cells, nor both
    /// half.
    pub undecided: u64,
}

impl AddAssign for Unowned {
    fn add_assign(&mut self, other: Unowned) {
        self.playouts += other.playouts;
        self.cells += other.cells;
        self.undecided += other.undecided;
    }
}
