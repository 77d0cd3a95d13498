use super::deal::{Slot, Spot};

/// Plays random games from the leaves of a tree. Leaf l has the games l × p to (l + 1) × p - 1, with p =
/// [`LeafPlayouts::playouts`], so a search plays no game twice.
pub trait LeafPlayouts<P> {
    /// The error of a failed batch.
    type Fault;

    /// Random games per leaf, at least 1.
    fn playouts(&self) -> u32;

    /// Starts the games of one or more leaves, numbered from `first`. May return before they end. Fails if a device
    /// fails.
    fn begin(&mut self, first: u64, leaves: &[P]) -> Result<(), Self::Fault>;

    /// Waits for the games to end. Replaces `points` by each leaf's half points for its side to move: 2 for a win, 1
    /// for a draw. Returns the plies of all games. Fails if a device fails.
    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Self::Fault>;
}

/// Descents that are credited together, with or without games to play.
pub(super) struct Batch<P> {
    /// Number of its first leaf in the search.
    pub first: u64,
    /// The leaves to play from, in the order of their descents.
    pub leaves: Vec<P>,
    /// The descents' ends, in the order of the tree.
    pub slots: Vec<Slot<P>>,
    /// The nodes that they passed, each once with its slots.
    pub seen: Vec<Vec<Spot>>,
}

impl<P> Batch<P> {
    /// An empty batch whose first leaf has the number `first`.
    pub fn new(first: u64) -> Batch<P> {
        Batch {
            first,
            leaves: Vec::new(),
            slots: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// Empties the batch; the next leaf has the number `first`.
    pub fn clear(&mut self, first: u64) {
        self.first = first;
        self.leaves.clear();
        self.slots.clear();
        self.seen.iter_mut().for_each(Vec::clear);
    }
}
