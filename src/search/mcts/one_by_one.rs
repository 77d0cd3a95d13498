//! Implements the search in [`Mcts`] directly, one descent after another, for comparison.

use std::f64::consts::SQRT_2;

use super::tests::{OnCore, official, uct};
use super::*;
use crate::games::checkers::{Checkers, Position};
use crate::random::{BLOCK_ROUNDS, DRAW_ROUNDS, below, block_key, philox2x32, philox4x32};

struct Node {
    position: Position,
    moves: u32,
    over: Option<u32>,
    visits: u64,
    points: u64,
    is_open: bool,
    children: Vec<Option<usize>>,
}

/// A descent in the batch in play. It holds the path, and either the number of its leaf or its half points.
type Played = (Vec<usize>, Result<usize, u64>);

struct OneByOne {
    game: Checkers,
    each: u32,
    key: u32,
    nodes: Vec<Node>,
    selected: u32,
    allocated: usize,
    grown: Grown,
    is_full: bool,
}

impl OneByOne {
    fn grow(uct: Uct, each: u32, root: Position, sizes: &[u64]) -> Grown {
        let mut search = OneByOne {
            game: Checkers::new(official()),
            each,
            key: philox4x32([0, 0, 0, 1], block_key(uct.seed), BLOCK_ROUNDS)[0],
            nodes: Vec::new(),
            selected: 0,
            allocated: 1,
            grown: Grown::default(),
            is_full: false,
        };
        search.add(root);
        search.nodes[0].visits = 1;
        search.open(0);
        let mut player = OnCore::new(each);
        let (mut first, mut playing) = (0, (Vec::new(), Vec::new()));
        for size in sizes {
            search.is_full = search.allocated >= uct.most_nodes;
            let mut leaves = Vec::new();
            let next: Vec<Played> = (0..*size).map(|_| search.descend(&mut leaves)).collect();
            let points = search.play(&mut player, first, &leaves);
            first += leaves.len() as u64;
            let before = std::mem::replace(&mut playing, (next, points));
            search.credit(before);
            if !uct.overlap {
                search.credit(std::mem::take(&mut playing));
            }
        }
        search.credit(playing);
        let OneByOne { nodes, grown, .. } = search;
        let visits = |child: &Option<usize>| child.map_or(0, |child| nodes[child].visits);
        Grown {
            visits: nodes[0].children.iter().map(visits).collect(),
            nodes: nodes.len() as u64,
            playouts: first * u64::from(each),
            ..grown
        }
    }

    fn add(&mut self, position: Position) -> usize {
        let (moves, over) = match self.game.ahead(&position) {
            Ahead::Moves(moves) => (moves, None),
            Ahead::Over(points) => (0, Some(points)),
        };
        self.nodes.push(Node {
            position,
            moves,
            over,
            visits: 0,
            points: 0,
            is_open: true,
            children: Vec::new(),
        });
        self.nodes.len() - 1
    }

    fn open(&mut self, at: usize) {
        let node = &mut self.nodes[at];
        node.children = vec![None; node.moves as usize];
        node.is_open = false;
        self.allocated += node.moves as usize + 1;
    }

    fn descend(&mut self, leaves: &mut Vec<Position>) -> Played {
        self.selected += 1;
        let (mut at, mut path) = (0, vec![0]);
        loop {
            self.nodes[at].visits += 1;
            let node = &self.nodes[at];
            if let Some(points) = node.over {
                // This counts as if all games had this result for the side that moved there.
                let own = u64::from(2 - points) * u64::from(self.each);
                return (path, Err(own));
            }
            let is_made = path.len() > 1 && node.visits == 1;
            if is_made || node.is_open && self.is_full {
                leaves.push(node.position);
                return (path, Ok(leaves.len() - 1));
            }
            if node.is_open {
                self.open(at);
            }
            at = match self.untried(at) {
                Some(place) => {
                    let position = self.game.after(&self.nodes[at].position, place as u32);
                    let child = self.add(position);
                    self.nodes[at].children[place] = Some(child);
                    self.grown.depth = self.grown.depth.max(path.len() as u64);
                    child
                }
                None => self.best(at),
            };
            path.push(at);
        }
    }

    /// Picks an untried move at a node. The pick depends on the number of the descent.
    fn untried(&self, at: usize) -> Option<usize> {
        let children = self.nodes[at].children.iter().enumerate();
        let untried: Vec<usize> = children
            .filter(|(_, child)| child.is_none())
            .map(|(place, _)| place)
            .collect();
        let draw = philox2x32([self.selected, 0], self.key, DRAW_ROUNDS)[0];
        (!untried.is_empty()).then(|| untried[below(draw, untried.len() as u32) as usize])
    }

    /// Returns the first child with the largest value of the unscaled UCT formula.
    fn best(&self, at: usize) -> usize {
        let each = f64::from(self.each);
        let games = |visits: u64| visits as f64 * each;
        // The current visit is not counted yet.
        let all = games(self.nodes[at].visits - 1).ln();
        let value = |at: usize| {
            let Node { visits, points, .. } = self.nodes[at];
            let won = points as f64 / 2.0;
            won / games(visits) + SQRT_2 * (all / games(visits)).sqrt()
        };
        let children = self.nodes[at].children.iter().flatten().copied();
        let best = children.reduce(|best, child| match value(child) > value(best) {
            true => child,
            false => best,
        });
        best.unwrap()
    }

    fn play(&mut self, player: &mut OnCore, first: u64, leaves: &[Position]) -> Vec<u32> {
        let mut points = Vec::new();
        if !leaves.is_empty() {
            let Ok(()) = player.begin(first, leaves);
            let Ok(plies) = player.finish(&mut points);
            self.grown.plies += plies;
        }
        points
    }

    fn credit(&mut self, (played, points): (Vec<Played>, Vec<u32>)) {
        let all_won = 2 * u64::from(self.each);
        for (path, from) in played {
            let mut own = match from {
                Ok(leaf) => all_won - u64::from(points[leaf]),
                Err(own) => own,
            };
            for at in path.into_iter().rev() {
                self.nodes[at].points += own;
                own = all_won - own;
            }
        }
    }
}

/// Runs a search with batches of these sizes.
fn search(threads: usize, each: u32, uct: Uct, root: &Position, sizes: &[u64]) -> Grown {
    let mut mcts = Mcts::new(Checkers::new(official()), OnCore::new(each), uct);
    if threads > 1 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        mcts = mcts.on_threads(pool.build().unwrap());
    }
    let mut grow = || {
        let mut next = sizes.iter();
        let Ok(grown) = mcts.search(root, |_| next.next().copied().unwrap_or(0));
        grown
    };
    let grown = grow();
    assert_eq!(grow(), grown, "nothing is left of the search before");
    grown
}

#[test]
fn a_batch_is_that_of_one_descent_after_another_on_any_number_of_threads() {
    for root in ["start", "B:W21,22,K30:B1,2,K5", "B:W32,31:BK22,K18"] {
        let game = Checkers::new(official());
        let position = game.parse(root).unwrap_or_else(|_| Position::start());
        let sizes = [1, 3, 2, 16, 40, 100, 300, 1, 700, 7];
        for overlap in [false, true] {
            for most_nodes in [MOST_NODES, 900, 0] {
                let uct = Uct {
                    most_nodes,
                    ..uct(overlap)
                };
                let expected = OneByOne::grow(uct, 2, position, &sizes);
                for threads in [1, 2, 4] {
                    let found = search(threads, 2, uct, &position, &sizes);
                    assert_eq!(found, expected, "{root}, {uct:?}, {threads} threads");
                }
            }
        }
    }
}
