//! Implements Monte Carlo tree search. The tree is on the host, and a [`LeafPlayouts`] plays the random games.
//!
//! The algorithm is UCT (Kocsis and Szepesvári, "Bandit Based Monte-Carlo Planning", 2006) as in the checkers paper
//! ("Monte Carlo Tree Search"). Selection takes the child with the largest w / n + c √(ln N / n), where n and N count
//! random games, and a draw is half a win. At a node with untried moves, expansion adds a random one, which becomes the
//! leaf. Random games start at the leaf, and their points are added to every node on the path.
//!
//! Leaves are selected in batches, because a device plays many games almost as fast as one. Until a batch's games have
//! ended, they count as lost at every node on their paths. This is the virtual loss of Chaslot, Winands and van den
//! Herik ("Parallel Monte-Carlo Tree Search", 2008). While a batch is played, the next batch is selected.
//!
//! The tree does not depend on the player, its speed or the number of threads. Random draws depend only on the seed and
//! the number of the descent, games depend only on the number of the leaf, and points are integers.
//!
//! A batch is credited by prefix sums. Descents have slots in the order of the tree, so the points of a node are the
//! difference of two prefix sums. Each pick at a node depends on the previous pick there, and the picks at its children
//! depend on all of its picks. With many threads, this dependency chain limits the speed.

mod batch;
mod block;
mod deal;
mod formula;
mod lone;
mod nodes;
#[cfg(test)]
mod one_by_one;
mod slots;
mod table;
#[cfg(test)]
mod tests;
mod tree;

pub use batch::LeafPlayouts;
use batch::{Batch, From};
pub use block::{Block, explore, grow_block};
pub use nodes::MOST_NODES;
use rayon::ThreadPool;
use tree::Tree;
pub use tree::{Grown, Uct};

use super::threads::in_pool;
use crate::games::{Ahead, TreeRules};

/// Maximum number of leaves in a search. The counter in a node limits it.
pub const MOST_LEAVES: u64 = u32::MAX as u64 - 1;

/// Maximum number of leaves in a batch.
pub const MOST_IN_A_BATCH: u64 = 1 << 16;

/// The progress of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of leaves selected.
    pub selected: u64,
    /// Number of leaves whose points are in the tree.
    pub credited: u64,
}

/// Grows trees for a game. `L` plays the random games. Later searches reuse the memory.
pub struct Mcts<G: TreeRules, L> {
    /// The rules.
    pub game: G,
    /// Plays the random games.
    pub player: L,
    overlap: bool,
    pool: Option<ThreadPool>,
    tree: Tree<G::Position>,
    /// The batch being selected (`next`) and the batch being played (`playing`).
    next: Batch<G::Position>,
    playing: Batch<G::Position>,
    points: Vec<u32>,
}

impl<G, L> Mcts<G, L>
where
    G: TreeRules + Send,
    L: LeafPlayouts<G::Position, Fault: Send> + Send,
{
    /// Creates a search for this game on the calling thread. `player` plays the random games.
    pub fn new(game: G, player: L, uct: Uct) -> Mcts<G, L> {
        Mcts {
            game,
            overlap: uct.overlap,
            tree: Tree::new(&uct, player.playouts()),
            pool: None,
            player,
            next: Batch::default(),
            playing: Batch::default(),
            points: Vec::new(),
        }
    }

    /// Moves the search to the threads of a pool, which also call the player. The resulting tree is the same.
    pub fn on_threads(mut self, pool: ThreadPool) -> Mcts<G, L> {
        self.tree.in_pool = true;
        self.pool = Some(pool);
        self
    }

    /// Grows a tree from `root`. `pace` returns the size of each batch. Stops at size 0 or at [`MOST_LEAVES`] leaves.
    pub fn search(
        &mut self,
        root: &G::Position,
        pace: impl FnMut(Progress) -> u64 + Send,
    ) -> Result<Grown, L::Fault> {
        match self.pool.take() {
            None => self.grow(root, pace),
            Some(pool) => {
                let grown = in_pool(Some(&pool), || self.grow(root, pace));
                self.pool = Some(pool);
                grown
            }
        }
    }

    fn grow(
        &mut self,
        root: &G::Position,
        mut pace: impl FnMut(Progress) -> u64,
    ) -> Result<Grown, L::Fault> {
        let Ahead::Moves(moves) = self.game.ahead(root) else {
            return Ok(Grown::default());
        };
        self.tree.plant(root, moves);
        self.next.clear(0);
        self.playing.clear(0);
        let mut progress = Progress::default();
        let mut plies = 0;
        loop {
            let left = MOST_LEAVES - progress.selected;
            let size = pace(progress).min(left).min(MOST_IN_A_BATCH);
            if size == 0 {
                break;
            }
            progress.selected += size;
            if size == 1 && !self.overlap && !self.tree.in_pool {
                plies += self.grow_one()?;
                progress.credited += 1;
                continue;
            }
            self.tree.select(&self.game, size as u32, &mut self.next);
            plies += self.turn_over(&mut progress)?;
            if !self.overlap {
                plies += self.turn_over(&mut progress)?;
            }
        }
        plies += self.turn_over(&mut progress)?;
        Ok(Grown {
            playouts: self.next.first * u64::from(self.player.playouts()),
            plies,
            ..self.tree.grown()
        })
    }

    /// Selects one leaf, plays its games and credits them. Returns the number of plies in the games.
    fn grow_one(&mut self) -> Result<u64, L::Fault> {
        let mut plies = 0;
        let from = match self.tree.select_one(&self.game) {
            Err(over) => From::Over(over),
            Ok(leaf) => {
                self.player
                    .begin(self.next.first, std::slice::from_ref(leaf))?;
                plies = self.player.finish(&mut self.points)?;
                self.next.first += 1;
                From::Leaf(0)
            }
        };
        self.tree.credit_one(from, &self.points);
        Ok(plies)
    }

    /// Waits for the batch in play, and starts to play the selected batch. Credits the finished batch only afterwards,
    /// so that the player idles as little as possible. Returns the number of plies in the finished games.
    fn turn_over(&mut self, progress: &mut Progress) -> Result<u64, L::Fault> {
        let mut plies = 0;
        if !self.playing.leaves.is_empty() {
            plies = self.player.finish(&mut self.points)?;
        }
        if !self.next.leaves.is_empty() {
            self.player.begin(self.next.first, &self.next.leaves)?;
        }
        self.tree.credit(&self.playing, &self.points);
        progress.credited += self.playing.due.len() as u64;
        let after = self.next.after();
        std::mem::swap(&mut self.next, &mut self.playing);
        self.next.clear(after);
        Ok(plies)
    }
}
