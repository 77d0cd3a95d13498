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

/// Leaves that are played together, and the nodes that get their points.
pub(super) struct Batch<P> {
    /// Number of its first leaf in the search.
    first: u64,
    leaves: Vec<P>,
    /// The paths from the root to each leaf, concatenated.
    pub paths: Vec<u32>,
    /// The end of each leaf's path in `paths`.
    ends: Vec<u32>,
}

impl<P> Default for Batch<P> {
    fn default() -> Batch<P> {
        Batch {
            first: 0,
            leaves: Vec::new(),
            paths: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<P> Batch<P> {
    /// Empties the batch; the next leaf has the number `first`.
    pub fn clear(&mut self, first: u64) {
        self.first = first;
        self.leaves.clear();
        self.paths.clear();
        self.ends.clear();
    }

    pub fn first(&self) -> u64 {
        self.first
    }

    pub fn leaves(&self) -> &[P] {
        &self.leaves
    }

    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// The start of the path of the leaf that is being selected.
    #[inline(always)]
    pub fn path_start(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    /// Completes a leaf, whose path is at the end of `paths`.
    #[inline(always)]
    pub fn push(&mut self, leaf: P) {
        self.leaves.push(leaf);
        self.ends.push(self.paths.len() as u32);
    }

    /// The path from the root to each leaf.
    pub fn each_path(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let path = &self.paths[start..*end as usize];
            start = *end as usize;
            path
        })
    }
}
