//! Monte Carlo tree search: the tree is on the host, and a [`LeafPlayouts`] plays the random games.
//!
//! UCT (Kocsis and Szepesvári, "Bandit Based Monte-Carlo Planning", 2006) as in the checkers paper ("Monte
//! Carlo Tree Search"). Selection takes the child with the largest w / n + c √(ln N / n), where n and N count
//! random games and a draw is half a win. At a node with untried moves, expansion adds one of them, drawn at
//! random, as a new node: the leaf. Random games start from the leaf, and their points are added to every
//! node on its path.
//!
//! Leaves are selected in batches, because a device plays many games as fast as one. Until a batch's games
//! have ended, every node on a leaf's path counts them as lost (the virtual loss of Chaslot, Winands and van den
//! Herik, "Parallel Monte-Carlo Tree Search", 2008), so that the next leaf of the batch differs. A descent that ends
//! at a finished game is credited with its batch. While a batch is played, the next one is selected.
//!
//! The tree does not depend on the player, its speed or the number of threads: draws depend only on the seed and a
//! descent's number, a leaf's games only on the leaf's number, and points are whole numbers.
//!
//! # What a leaf costs
//!
//! A batch is selected from the root down: all its descents are dealt to the root's children, in their order, then
//! those that a child got to that child's children, and so on. The leaves are those of one descent after another, because
//! points change only between batches. A node's children are read once a batch, subtrees are independent, and levels of
//! several subtrees are dealt together, so that their reads of memory overlap. A batch is credited by sums: descents have
//! slots in the order of the tree, a node's are adjacent, and its points are the difference of two prefix sums.
//!
//! One thread, without the games, batches of 4,096 up to 1,000,000 leaves, on a core of an EPYC (Zen 5) that other work
//! shares, medians of samples of its clock: checkers 0.9 µs a leaf, 1.2 µs one descent after another; Connect Four 0.56 and
//! 0.77 µs. A third of it are picks, an eighth is making nodes, a tenth crediting. A batch of one leaf needs none of this (`lone`):
//! five pairs of whole searches with one game a leaf took 28 % less than by dealing at annexation's hex7, 9 % at Connect Four, 4 % at
//! checkers and hex200, and as long at reversi and gomoku, whose games are long.
//!
//! The picks at a node wait for each other, and its children wait for them. That chain took 0.26, 0.35 and 0.53 ms of a
//! batch in checkers' trees of 0.3, 1 and 2 million leaves, and 0.75 ms in Connect Four, where nearly all descents take the
//! main line; a third of it were logarithms, which are tabulated since. Slots, positions and leaves take another
//! 0.03 ms on one thread (gomoku 0.06 ms). So the bound with many threads was about 60 to 180 ns a leaf, and a device that
//! plays a leaf's games in less waits.
//!
//! Sixteen threads beside an H200 took 540 ns a leaf, far above that bound: what is left is threads that wait for each
//! other. So the thread that deals a spot with more than half of the descents at hand goes on with it and leaves the others,
//! where the chain went to whoever woke; hands keep their memory from batch to batch; and fewer than 128 descents are one
//! thread's. Counted on two cores of an EPYC (Zen 3), checkers, 16 threads: 7 waits in the kernel a batch where there were
//! 27, and 17 % less processor time; how long 16 cores take was not measured there. There a leaf takes 2,710 instructions on
//! one thread, without its games (100,000 leaves, batches of 4,096), of 3,390 before: 720 fewer where a node has several
//! arrivals, by arrays that are filled without a check of capacity for each number and no logarithm but the root's, and
//! some 40 more elsewhere. One thread takes 10 % less processor time.
//!
//! A batch of one leaf takes the numbers of the formula from the same table. Instructions of a whole search with one game a
//! leaf, there, against the search that knew no batches: annexation's hex7 84 % and hex200 89 %, checkers 99.6 %, where the
//! games are 95 % of the work. Processor time in pairs: 81, 102 and 99 %, of which only the first is more than chance.
//!
//! What was tried for a pick among eight children, with points that differ from run to run: 14 to 21 ns by vectors, with the
//! place of the largest in a second pass; 12 to 19 ns by a tournament of scores and places; 17 to 21 ns by conditional
//! moves; 7 to 12 ns by branches, whose outcome a processor guesses before the comparisons have ended. With more than 16
//! children vectors serve. Where a child had been taken twice in a row, its next eight scores were compared at once with the
//! others' largest: 5 % more instructions in Connect Four's first 60,000 leaves, and seldom of use in checkers.

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
pub use tree::Uct;

use super::threads::in_pool;
use crate::games::{Ahead, RandomGame};

/// Limit of leaves in one search: the capacity of a node's counter.
pub const MOST_LEAVES: u64 = u32::MAX as u64 - 1;

/// Limit of the leaves in a batch.
pub const MOST_IN_A_BATCH: u64 = 1 << 16;

/// The progress of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Leaves selected.
    pub selected: u64,
    /// Leaves whose points are in the tree.
    pub credited: u64,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grown {
    /// Leaves selected below each move of the root, in the game's order; empty if the game is over.
    pub visits: Vec<u64>,
    /// Positions in the tree, the root included.
    pub nodes: u64,
    /// Plies from the root to the deepest of them.
    pub depth: u64,
    /// Random games played.
    pub playouts: u64,
    /// Plies of those games.
    pub plies: u64,
}

impl Grown {
    /// The index of the most visited move, the lowest among equals; `None` without moves.
    pub fn best(&self) -> Option<usize> {
        let places = 0..self.visits.len();
        places.reduce(|best, place| match self.visits[place] > self.visits[best] {
            true => place,
            false => best,
        })
    }
}

/// Grows trees of one game with one player. Its memory is reused from search to search.
pub struct Mcts<G: RandomGame, L> {
    game: G,
    player: L,
    overlap: bool,
    pool: Option<ThreadPool>,
    tree: Tree<G::Position>,
    /// The batch being selected, and the batch being played.
    next: Batch<G::Position>,
    playing: Batch<G::Position>,
    points: Vec<u32>,
}

impl<G, L> Mcts<G, L>
where
    G: RandomGame + Send,
    L: LeafPlayouts<G::Position, Fault: Send> + Send,
{
    /// A search of that game with playouts by `player`. The tree is grown on the calling thread.
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

    /// The same search, its tree grown on the threads of a pool: the same tree. The pool also calls the player.
    pub fn on_threads(mut self, pool: ThreadPool) -> Mcts<G, L> {
        self.tree.in_pool = true;
        self.pool = Some(pool);
        self
    }

    /// Grows a tree from `root` in batches of `pace` leaves, [`MOST_IN_A_BATCH`] at the most, until `pace` is 0 or
    /// [`MOST_LEAVES`] are selected.
    ///
    /// # Errors
    /// Any error of the player.
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
        let mut grown = Grown::default();
        loop {
            let left = MOST_LEAVES - progress.selected;
            let size = pace(progress).min(left).min(MOST_IN_A_BATCH);
            if size == 0 {
                break;
            }
            progress.selected += size;
            if size == 1 && !self.overlap && !self.tree.in_pool {
                grown.plies += self.grow_one()?;
                progress.credited += 1;
                continue;
            }
            self.tree.select(&self.game, size as u32, &mut self.next);
            grown.plies += self.turn_over(&mut progress)?;
            if !self.overlap {
                grown.plies += self.turn_over(&mut progress)?;
            }
        }
        grown.plies += self.turn_over(&mut progress)?;
        grown.visits = self.tree.root_visits();
        grown.nodes = self.tree.made();
        grown.depth = self.tree.depth();
        grown.playouts = self.next.first * u64::from(self.player.playouts());
        Ok(grown)
    }

    /// Selects one leaf, plays its games and credits them: what a batch of one comes to, where no other is being played.
    /// Returns the plies of the games.
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

    /// Waits for the batch being played, starts the selected one, and then credits the first, in this order
    /// to keep the player's idle time short. Returns the plies of the games that ended.
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

    /// The rules.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The player of the games.
    pub fn player(&self) -> &L {
        &self.player
    }

    /// The player of the games.
    pub fn player_mut(&mut self) -> &mut L {
        &mut self.player
    }
}
