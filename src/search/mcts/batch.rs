use super::slots::Spot;

/// Plays random games from leaves. Leaf l has the games from l × p on, with p = [`LeafPlayouts::playouts`].
pub trait LeafPlayouts<P> {
    /// The error of a failed batch.
    type Fault;

    /// Random games per leaf, at least 1.
    fn playouts(&self) -> u32;

    /// Starts the games from one or more leaves, numbered from `first`. May return before they end.
    fn begin(&mut self, first: u64, leaves: &[P]) -> Result<(), Self::Fault>;

    /// Waits for the games. Sets `points` to the half points for the side to move at each leaf. Returns the plies.
    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Self::Fault>;
}

/// Descents that are credited together, with or without games still to play.
pub(super) struct Batch<P> {
    /// The number of its first leaf in the search.
    pub first: u64,
    /// The leaves to play from, in the order of their descents.
    pub leaves: Vec<P>,
    /// The source of the points for each slot.
    pub due: Vec<Due>,
    /// The nodes that the descents passed, each once, with its slots.
    pub seen: Vec<Vec<Spot>>,
}

/// The source of the half points for a descent.
#[derive(Clone, Copy)]
pub(super) struct Due {
    pub from: From,
    pub odd: bool,
}

#[derive(Clone, Copy)]
pub(super) enum From {
    Leaf(u32),
    /// A finished game, with the half points for the side that made the last move.
    Over(u32),
}

impl<P> Default for Batch<P> {
    fn default() -> Batch<P> {
        Batch {
            first: 0,
            leaves: Vec::new(),
            due: Vec::new(),
            seen: Vec::new(),
        }
    }
}

impl<P> Batch<P> {
    /// Clears the batch. The next leaf has the number `first`.
    pub fn clear(&mut self, first: u64) {
        self.first = first;
        self.leaves.clear();
        self.due.clear();
        self.seen.iter_mut().for_each(Vec::clear);
    }

    pub fn after(&self) -> u64 {
        self.first + self.leaves.len() as u64
    }
}
