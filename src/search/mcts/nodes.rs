//! The search tree.
//!
//! All nodes are in one array, 16 bytes each. The children of a node are adjacent, in the game's order of
//! moves, after a header; so a selection among eight children reads three cache lines. They are allocated
//! together when the first of them is made. Positions are in a separate array, in the order in which nodes
//! are made, because selection does not read the position of a node whose moves have all been tried.

use super::batch::Batch;
use crate::games::{Ahead, RandomGame};
use crate::random::{BLOCK_ROUNDS, DRAW_ROUNDS, below, block_key, philox2x32, philox4x32};

/// Default capacity of a tree in nodes, untried moves included: 1 GiB, and half as much again for positions
/// of 24 bytes.
pub const MOST_NODES: usize = 1 << 26;

/// Parameters of a tree search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uct {
    /// The exploration constant c of UCT.
    pub c: f64,
    /// Whether a batch is selected while the previous one is played. Otherwise each batch is credited before
    /// the next is selected.
    pub overlap: bool,
    /// Capacity of the tree in nodes; a full tree stops growing, and games start from its existing leaves.
    pub most_nodes: usize,
    /// Seeds the order of untried moves.
    pub seed: u64,
}

/// A node, from the side that moved to it.
///
/// The node before a block of children is their header, whose `visits` are the number of children.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Half points of that side in finished games.
    points: u64,
    /// Leaves selected at or below it, those in play included; 0 if untried.
    visits: u32,
    link: u32,
}

/// The target of [`Node::link`]: a kind in the two highest bits, a number in the others.
#[derive(Clone, Copy)]
enum Link {
    /// A position; the node has no children yet.
    Open(u32),
    /// The header of its children. The header's own link is `Open`.
    Block(u32),
    /// None: the game is over, with these half points.
    Over(u32),
}

const LINK_BITS: u32 = 30;
const LINK_NUMBER: u32 = (1 << LINK_BITS) - 1;
const _: () = assert!(MOST_NODES <= LINK_NUMBER as usize);

impl Link {
    #[inline(always)]
    fn pack(self) -> u32 {
        match self {
            Link::Open(place) => place,
            Link::Block(place) => 1 << LINK_BITS | place,
            Link::Over(points) => 2 << LINK_BITS | points,
        }
    }

    #[inline(always)]
    fn of(packed: u32) -> Link {
        let number = packed & LINK_NUMBER;
        match packed >> LINK_BITS {
            0 => Link::Open(number),
            1 => Link::Block(number),
            _ => Link::Over(number),
        }
    }
}

/// A position whose children may be made.
struct Open<P> {
    position: P,
    moves: u32,
}

/// Visit counts whose roots and logarithms are tabulated.
const LOOKED_UP: usize = 4096;

/// UCT's formula, scaled by factors common to all children of a node. With n leaves of p games each below a
/// child, its half points s are at most 2 p n, and s / n + k / √n ranks children as w / n + c √(ln N / n)
/// does, for k = 2 c √(p ln (p N)).
struct Formula {
    /// 1 / √n, by n.
    inverse_roots: Vec<f64>,
    /// k, by the parent's visits.
    weights: Vec<f64>,
    c: f64,
    playouts: f64,
}

impl Formula {
    fn new(c: f64, playouts: u32) -> Formula {
        let playouts = f64::from(playouts);
        let numbers = || (0..LOOKED_UP as u32).map(f64::from);
        Formula {
            inverse_roots: numbers().map(|n| 1.0 / n.sqrt()).collect(),
            weights: numbers().map(|n| weight(c, playouts, n)).collect(),
            c,
            playouts,
        }
    }

    #[inline(always)]
    fn inverse_root(&self, visits: u32) -> f64 {
        match self.inverse_roots.get(visits as usize) {
            Some(root) => *root,
            None => 1.0 / f64::from(visits).sqrt(),
        }
    }

    #[inline(always)]
    fn weight(&self, visits: u32) -> f64 {
        match self.weights.get(visits as usize) {
            Some(weight) => *weight,
            None => weight(self.c, self.playouts, f64::from(visits)),
        }
    }
}

fn weight(c: f64, playouts: f64, visits: f64) -> f64 {
    2.0 * c * (playouts * (playouts * visits).ln()).sqrt()
}

/// A growing tree.
pub(super) struct Tree<P> {
    nodes: Vec<Node>,
    open: Vec<Open<P>>,
    formula: Formula,
    /// Half points of a leaf if all its games are won.
    all_won: u64,
    most_nodes: usize,
    key: u32,
    /// Nodes made, the root included.
    made: u32,
    depth: usize,
}

impl<P: Clone> Tree<P> {
    pub fn new(uct: &Uct, playouts: u32) -> Tree<P> {
        Tree {
            nodes: Vec::new(),
            open: Vec::new(),
            formula: Formula::new(uct.c, playouts),
            all_won: 2 * u64::from(playouts),
            most_nodes: uct.most_nodes.min(MOST_NODES),
            // The counter differs from that of the games' key.
            key: philox4x32([0, 0, 0, 1], block_key(uct.seed), BLOCK_ROUNDS)[0],
            made: 0,
            depth: 0,
        }
    }

    /// Starts a new tree with a root that has `moves` moves. The root counts as visited once, because every
    /// other node is visited by the leaf that it was made for.
    pub fn plant(&mut self, root: &P, moves: u32) {
        self.nodes.clear();
        self.open.clear();
        (self.made, self.depth) = (1, 0);
        let position = root.clone();
        self.open.push(Open { position, moves });
        self.nodes.push(Node {
            points: 0,
            visits: 1,
            link: Link::Open(0).pack(),
        });
        self.add_block(0, 0);
    }

    /// Selects one leaf into a batch; if the path ends at a finished game, credits it at once.
    #[inline(always)]
    pub fn select<G: RandomGame<Position = P>>(&mut self, game: &G, batch: &mut Batch<P>) {
        let mut at = 0;
        loop {
            batch.paths.push(at as u32);
            let node = &mut self.nodes[at];
            node.visits += 1;
            let visits = node.visits;
            let block = match Link::of(node.link) {
                Link::Block(block) => block as usize,
                Link::Over(points) => return self.end(batch, u64::from(points)),
                Link::Open(open) => match self.add_block(at, open) {
                    Some(block) => block,
                    None => {
                        return batch.push(self.open[open as usize].position.clone());
                    }
                },
            };
            let count = self.nodes[block].visits;
            // One visit made the node, and one is the current visit.
            let untried = (count + 2).saturating_sub(visits);
            if untried > 0 {
                return self.make(game, block, untried, batch);
            }
            at = self.best_child(block, count as usize, visits - 1);
        }
    }

    /// The child with the largest score, the first among equals.
    #[inline(always)]
    fn best_child(&self, block: usize, count: usize, visits: u32) -> usize {
        let weight = self.formula.weight(visits);
        let children = &self.nodes[block + 1..=block + count];
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for (place, child) in children.iter().enumerate() {
            let root = self.formula.inverse_root(child.visits);
            let value = (child.points as f64 * root + weight) * root;
            if value > most {
                (best, most) = (place, value);
            }
        }
        block + 1 + best
    }

    /// Allocates the children of node `at`, whose position has the index `open`; `None` if the tree is full.
    fn add_block(&mut self, at: usize, open: u32) -> Option<usize> {
        let moves = self.open[open as usize].moves;
        let block = self.nodes.len();
        let end = block + 1 + moves as usize;
        // The root always has children, whatever the capacity.
        if end > self.most_nodes && at > 0 {
            return None;
        }
        self.nodes.push(Node {
            points: 0,
            visits: moves,
            link: Link::Open(open).pack(),
        });
        self.nodes.resize(end, Node::default());
        self.nodes[at].link = Link::Block(block as u32).pack();
        Some(block)
    }

    /// Tries one of a block's untried moves, drawn at random; the new node is the leaf.
    fn make<G: RandomGame<Position = P>>(
        &mut self,
        game: &G,
        block: usize,
        untried: u32,
        batch: &mut Batch<P>,
    ) {
        let header = self.nodes[block];
        let draw = philox2x32([self.made, 0], self.key, DRAW_ROUNDS)[0];
        let mut before = below(draw, untried);
        let mut index = 0;
        for (place, child) in self.nodes[block + 1..=block + header.visits as usize]
            .iter()
            .enumerate()
        {
            if child.visits == 0 {
                index = place;
                if before == 0 {
                    break;
                }
                before -= 1;
            }
        }
        let parent = &self.open[(header.link & LINK_NUMBER) as usize];
        let position = game.after(&parent.position, index as u32);
        let at = block + 1 + index;
        batch.paths.push(at as u32);
        self.made += 1;
        self.depth = self.depth.max(batch.paths.len() - batch.path_start() - 1);
        self.nodes[at].visits = 1;
        match game.ahead(&position) {
            Ahead::Moves(moves) => {
                self.nodes[at].link = Link::Open(self.open.len() as u32).pack();
                batch.push(position.clone());
                self.open.push(Open { position, moves });
            }
            Ahead::Over(points) => {
                // Converts to the side that moved there.
                let points = 2 - points;
                self.nodes[at].link = Link::Over(points).pack();
                self.end(batch, u64::from(points));
            }
        }
    }

    /// Credits the path at the end of a batch with a finished game, as if all games of the leaf had ended
    /// like it, and removes the path.
    fn end(&mut self, batch: &mut Batch<P>, points: u64) {
        let start = batch.path_start();
        let own = points * self.all_won / 2;
        credit(
            &mut self.nodes,
            &batch.paths[start..],
            own,
            self.all_won - own,
        );
        batch.paths.truncate(start);
    }

    /// Credits the paths of a batch with their leaves' half points, each from the side to move at the leaf.
    pub fn credit_all(&mut self, batch: &Batch<P>, points: &[u32]) {
        for (path, points) in batch.each_path().zip(points) {
            let other = u64::from(*points);
            credit(&mut self.nodes, path, self.all_won - other, other);
        }
    }

    /// Leaves selected below each of the root's moves.
    pub fn root_visits(&self) -> Vec<u64> {
        let count = self.nodes[1].visits as usize;
        let children = &self.nodes[2..2 + count];
        children.iter().map(|child| child.visits.into()).collect()
    }

    /// Nodes made, the root included.
    pub fn made(&self) -> u64 {
        self.made.into()
    }

    /// Plies from the root to the deepest node.
    pub fn depth(&self) -> u64 {
        self.depth as u64
    }
}

/// Adds half points to every node of a path, from its end: alternately `own` and `other`.
#[inline(always)]
fn credit(nodes: &mut [Node], path: &[u32], own: u64, other: u64) {
    let (mut own, mut other) = (own, other);
    for at in path.iter().rev() {
        nodes[*at as usize].points += own;
        std::mem::swap(&mut own, &mut other);
    }
}
