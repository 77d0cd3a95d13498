//! The tree itself.
//!
//! All nodes stand in one array, 16 bytes each, the children of one node side by side in the game's
//! order of moves, after a header; so the choice among eight children reads three cache lines. A node's
//! children get their places together when the first of them is made. Positions stand apart, in the
//! order in which nodes are made: below a node whose moves have all been tried nobody asks for it any more.

use super::batch::Batch;
use crate::games::{Ahead, RandomGame};
use crate::random::{BLOCK_ROUNDS, DRAW_ROUNDS, below, block_key, philox2x32, philox4x32};

/// Nodes that a tree has room for, untried moves included, where nobody says otherwise: 1 GiB, and half
/// of that again for positions of 24 bytes.
pub const MOST_NODES: usize = 1 << 26;

/// What makes one tree search differ from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uct {
    /// The weight of what was tried seldom: c of the formula.
    pub c: f64,
    /// Whether a batch is selected while the one before it is played. Without, each batch's points
    /// are in before the next is selected.
    pub overlap: bool,
    /// Nodes that the tree has room for; with none left it stops growing, and games go on from the
    /// leaves it has.
    pub most_nodes: usize,
    /// Draws which untried move comes next.
    pub seed: u64,
}

/// A position of the tree, from the side that moved there.
///
/// The one before a block of children is their header: its `visits` are the number of children.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Half points of that side in the games that have ended.
    points: u64,
    /// Leaves selected at or below it, those still in play included. 0: a move never tried.
    visits: u32,
    link: u32,
}

/// Where a node's [`Node::link`] leads: a kind in the two highest bits, a number in the others.
#[derive(Clone, Copy)]
enum Link {
    /// To a position, as long as it has no children.
    Open(u32),
    /// To the header of its children. The header's own link is `Open`.
    Block(u32),
    /// Nowhere: the game is over, with these half points.
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

/// A position from which children may be made.
struct Open<P> {
    position: P,
    moves: u32,
}

/// Numbers of visits whose roots and logarithms are looked up.
const LOOKED_UP: usize = 4096;

/// The numbers of the formula, multiplied by what all children of a node have in common: with n leaves
/// of p games each below a child, its half points s are 2 p n at the most, and s / n + k / √n orders
/// children as w / n + c √(ln N / n) does, where k = 2 c √(p ln (p N)).
struct Formula {
    /// 1 / √n by n.
    inverse_roots: Vec<f64>,
    /// k by the parent's visits.
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

/// A tree that grows.
pub(super) struct Tree<P> {
    nodes: Vec<Node>,
    open: Vec<Open<P>>,
    formula: Formula,
    /// Half points of a leaf's games if all are won.
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
            // A counter other than that of the games' key.
            key: philox4x32([0, 0, 0, 1], block_key(uct.seed), BLOCK_ROUNDS)[0],
            made: 0,
            depth: 0,
        }
    }

    /// Begins anew with the root alone, which has so many moves. It counts as visited once, as every
    /// node is by the leaf that it was made for.
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

    /// Selects one leaf into a batch, or, where the way down ends with a finished game, credits it at
    /// once.
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
            // One visit made the node, one is this.
            let untried = (count + 2).saturating_sub(visits);
            if untried > 0 {
                return self.make(game, block, untried, batch);
            }
            at = self.best_child(block, count as usize, visits - 1);
        }
    }

    /// The first child for which the formula is largest.
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

    /// Makes room for the children of node `at`, whose position has the place `open`; `None` where
    /// the tree is full.
    fn add_block(&mut self, at: usize, open: u32) -> Option<usize> {
        let moves = self.open[open as usize].moves;
        let block = self.nodes.len();
        let end = block + 1 + moves as usize;
        // The root has its children, however little room there is.
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

    /// Tries one of a block's untried moves, drawn at random, and takes the new node as the leaf.
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
                // From the side that moved there.
                let points = 2 - points;
                self.nodes[at].link = Link::Over(points).pack();
                self.end(batch, u64::from(points));
            }
        }
    }

    /// Credits the path at the end of a batch with a finished game, as if all games from there had
    /// ended so, and takes it off.
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

    /// Credits a batch with its leaves' half points, each from the side to move at the leaf.
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

/// Adds half points to every node of a path: `own` to the last, `other` to the one before, and so on
/// in turn.
#[inline(always)]
fn credit(nodes: &mut [Node], path: &[u32], own: u64, other: u64) {
    let (mut own, mut other) = (own, other);
    for at in path.iter().rev() {
        nodes[*at as usize].points += own;
        std::mem::swap(&mut own, &mut other);
    }
}
