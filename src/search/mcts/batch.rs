use super::slots::Spot;

/// Plays random games from the leaves of a tree.
///
/// Leaf number l of a search has the random games l × p to (l + 1) × p - 1, with p =
/// [`LeafPlayouts::playouts`]. So no game is played twice in a search, whatever the batch sizes.
pub trait LeafPlayouts<P> {
    /// The error of a failed batch.
    type Fault;

    /// Random games per leaf, at least 1.
    fn playouts(&self) -> u32;

    /// Starts the games of these leaves, numbered from `first`. May return before they end. There is at least
    /// one leaf, and no other batch is in progress.
    ///
    /// # Errors
    /// If a device fails.
    fn begin(&mut self, first: u64, leaves: &[P]) -> Result<(), Self::Fault>;

    /// Waits for the games to end. Replaces the contents of `points` by each leaf's half points: 2 for each
    /// game that the side to move at the leaf wins, 1 for each draw. Returns the plies of all games together.
    ///
    /// # Errors
    /// If a device fails.
    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Self::Fault>;
}

/// Descents that are credited together, those that end at a leaf with games to play and those that do not.
pub(super) struct Batch<P> {
    /// Number of its first leaf in the search.
    pub first: u64,
    /// The leaves to play from, in the order of their descents.
    pub leaves: Vec<P>,
    /// What each slot's descent brings.
    pub due: Vec<Due>,
    /// The nodes that they passed, each with its slots; no node is there twice.
    pub seen: Vec<Vec<Spot>>,
}

/// Where the half points of a descent come from.
#[derive(Clone, Copy)]
pub(super) struct Due {
    pub from: From,
    /// Whether the leaf's depth is odd.
    pub odd: bool,
}

#[derive(Clone, Copy)]
pub(super) enum From {
    /// The games of this leaf of the batch.
    Leaf(u32),
    /// A finished game, with the half points of the side that moved there, as if all games of the leaf had ended so.
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
    /// Empties the batch; the next leaf has the number `first`.
    pub fn clear(&mut self, first: u64) {
        self.first = first;
        self.leaves.clear();
        self.due.clear();
        self.seen.iter_mut().for_each(Vec::clear);
    }

    /// The number of the leaf after its last one.
    pub fn after(&self) -> u64 {
        self.first + self.leaves.len() as u64
    }
}
