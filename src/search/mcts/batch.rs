use super::slots::Spot;

/// Plays random games from leaves. Leaf l gets p = [`LeafPlayouts::playouts`] games, starting with number l × p.
pub trait LeafPlayouts<P> {
    /// The error from a failed batch.
    type Fault;

    /// Number of random games per leaf, at least 1.
    fn playouts(&self) -> u32;

    /// Starts the games from one or more leaves, which are numbered from `first`. May return before the games end.
    fn begin(&mut self, first: u64, leaves: &[P]) -> Result<(), Self::Fault>;

    /// Waits for the games, and sets `points` to the half points of each leaf's side to move. Returns the plies played.
    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Self::Fault>;
}

/// A batch of descents that are credited together. Some of them need no games.
pub(super) struct Batch<P> {
    /// The number of the batch's first leaf, counted from the start of the search.
    pub first: u64,
    /// The leaves from which games are played, in the order of their descents.
    pub leaves: Vec<P>,
    /// For each slot, the source of its points.
    pub due: Vec<Due>,
    /// The nodes through which the descents passed, with the slots of these descents. Each node is listed once.
    pub seen: Vec<Vec<Spot>>,
}

/// The source of a descent's half points.
#[derive(Clone, Copy)]
pub(super) struct Due {
    pub from: From,
    pub odd: bool,
}

#[derive(Clone, Copy)]
pub(super) enum From {
    Leaf(u32),
    /// A finished game. Holds the half points of the side that made the last move.
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
    /// Clears the batch. Its next leaf gets the number `first`.
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
