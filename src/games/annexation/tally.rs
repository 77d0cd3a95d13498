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
