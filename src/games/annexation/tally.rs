/// A request for random playouts on a board. With the same seed, playout k always names the same colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playouts {
    /// Seed of the colours.
    pub seed: u64,
    /// Number of the first playout.
    pub first: u64,
    /// Number of playouts. `first + count` must fit in 64 bits.
    pub count: u64,
    /// Number of turns per playout, by both players together.
    pub turns: u32,
}

impl Playouts {
    /// Returns one more than the number of the last playout.
    pub fn end(&self) -> u64 {
        self.first + self.count
    }
}
