/// How random games are played from the leaves of a tree.
///
/// Leaf number l of a search has the random games number l × p to (l + 1) × p - 1, p being
/// [`LeafPlayouts::playouts`], so that no game is played twice in one search, whatever the batches.
pub trait LeafPlayouts<P> {
    /// Why they could not be played.
    type Fault;

    /// Random games from each leaf, at least one.
    fn playouts(&self) -> u32;

    /// Has the games from these leaves played, the first of which has the number `first`. May return
    /// before they have ended. There is at least one leaf, and no other batch is being played.
    ///
    /// # Errors
    /// Where a device fails.
    fn begin(&mut self, first: u64, leaves: &[P]) -> Result<(), Self::Fault>;

    /// Waits for the games' ends. Puts each leaf's half points in `points`, in place of what was there:
    /// 2 for each game that the side to move at the leaf wins, 1 for each drawn. Returns the plies of
    /// all games together.
    ///
    /// # Errors
    /// Where a device fails.
    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Self::Fault>;
}

/// Leaves that are played together, and where their points go.
pub(super) struct Batch<P> {
    /// The first leaf's number in the search.
    first: u64,
    leaves: Vec<P>,
    /// The nodes from the root to each leaf, one leaf after another.
    pub paths: Vec<u32>,
    /// Where in `paths` each leaf's ends.
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
    /// Empties it; the next leaf will have the number `first`.
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

    /// Where the path of the leaf that is being selected begins.
    #[inline(always)]
    pub fn path_start(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    /// Adds the leaf at the end of `paths`.
    #[inline(always)]
    pub fn push(&mut self, leaf: P) {
        self.leaves.push(leaf);
        self.ends.push(self.paths.len() as u32);
    }

    /// The nodes from the root to each leaf.
    pub fn each_path(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let path = &self.paths[start..*end as usize];
            start = *end as usize;
            path
        })
    }
}
