//! Grows the same trees as the independent work-groups of a device (Rocki and Suda 2011, "block parallelism"), to check
//! the kernels. The algorithm is [`Mcts`](super::Mcts) with one leaf at a time, in single precision and only with
//! operations that every device rounds correctly. The number of the round determines the numbers of a leaf's games.

use std::mem::swap;

use super::{Grown, LeafPlayouts};
use crate::games::{Ahead, TreeRules};
use crate::random::{below, playout_draw};

/// Maximum depth of a node, in plies (`MOST_DEPTH` in the kernel).
const MOST_DEPTH: usize = 127;

/// Parameters of a work-group's tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The exploration weight, from [`explore`].
    pub explore: f32,
    /// Capacity of the tree in nodes, including untried moves.
    pub room: usize,
    /// Key of the random draws that order untried moves.
    pub key: u32,
    /// Index of the work-group.
    pub number: u32,
    /// Number of work-groups.
    pub of: u32,
}

/// Returns the kernel's exploration weight: 2 c √p, for UCT's c and p games per leaf.
pub fn explore(c: f64, playouts: u32) -> f32 {
    (2.0 * c * f64::from(playouts).sqrt()) as f32
}

struct Node<P> {
    position: P,
    moves: u32,
    visits: u32,
    points: u64,
    /// Index of the first child, or 0 if there are no children.
    children: usize,
}

impl<P> Node<P> {
    fn new<G: TreeRules<Position = P>>(game: &G, position: P) -> Node<P> {
        let moves = match game.ahead(&position) {
            Ahead::Moves(moves) => moves,
            Ahead::Over(_) => 0,
        };
        Node {
            position,
            moves,
            visits: 0,
            points: 0,
            children: 0,
        }
    }
}

/// Grows a work-group's tree by `leaves` leaves, starting at `root`. Fails if `player` fails.
pub fn grow_block<G: TreeRules, L: LeafPlayouts<G::Position>>(
    game: &G,
    player: &mut L,
    block: &Block,
    root: &G::Position,
    leaves: u64,
) -> Result<Grown, L::Fault> {
    let playouts = player.playouts();
    let all_won = 2 * u64::from(playouts);
    let mut nodes = vec![Node::new(game, root.clone())];
    nodes[0].visits = 1;
    let mut grown = Grown {
        nodes: 1,
        ..Grown::default()
    };
    let (mut path, mut points) = (Vec::new(), Vec::new());
    for round in 0..leaves {
        let draw = playout_draw(block.key, grown.nodes, block.number);
        let made = select(game, &mut nodes, block, playouts, draw, &mut path);
        grown.nodes += u64::from(made);
        grown.depth = grown.depth.max(path.len() as u64 - 1);
        let leaf = &nodes[path[path.len() - 1]].position;
        let mut other = match game.ahead(leaf) {
            Ahead::Over(points) => u64::from(points * playouts),
            Ahead::Moves(_) => {
                let number = round * u64::from(block.of) + u64::from(block.number);
                player.begin(number, std::slice::from_ref(leaf))?;
                grown.plies += player.finish(&mut points)?;
                grown.playouts += u64::from(playouts);
                u64::from(points[0])
            }
        };
        let mut own = all_won - other;
        for at in path.iter().rev() {
            nodes[*at].visits += 1;
            nodes[*at].points += own;
            swap(&mut own, &mut other);
        }
    }
    let first = nodes[0].children;
    grown.visits = (0..nodes[0].moves as usize)
        .map(|index| match first {
            0 => 0,
            first => nodes[first + index].visits.into(),
        })
        .collect();
    Ok(grown)
}

/// Descends to a leaf and, if there is room, creates its children. Returns true if the leaf is a new node.
fn select<G: TreeRules>(
    game: &G,
    nodes: &mut Vec<Node<G::Position>>,
    block: &Block,
    playouts: u32,
    draw: u32,
    path: &mut Vec<usize>,
) -> bool {
    let mut at = 0;
    path.clear();
    path.push(0);
    loop {
        let Node { moves, visits, .. } = nodes[at];
        if moves == 0 || path.len() > MOST_DEPTH {
            return false;
        }
        if nodes[at].children == 0 {
            if moves as usize > block.room - nodes.len() {
                return false;
            }
            nodes[at].children = nodes.len();
            for index in 0..moves {
                let position = game.after(&nodes[at].position, index);
                nodes.push(Node::new(game, position));
            }
        }
        let first = nodes[at].children;
        let children = &nodes[first..first + moves as usize];
        // One of the visits created the node itself.
        if visits <= moves {
            let before = below(draw, moves + 1 - visits) as usize;
            let mut untried = (first..).zip(children).filter(|(_, it)| it.visits == 0);
            path.push(untried.nth(before).map_or(first, |(place, _)| place));
            return true;
        }
        let weight = weight(block.explore, playouts, visits);
        let (mut best, mut most) = (0, -1.0);
        for (place, child) in children.iter().enumerate() {
            let value = value(child.visits, child.points, weight);
            if value > most {
                (best, most) = (place, value);
            }
        }
        at = first + best;
        path.push(at);
    }
}

/// Computes the kernel's `weight_of()`.
fn weight(explore: f32, playouts: u32, visits: u32) -> f32 {
    let log = logarithm(playouts as f32 * visits as f32);
    explore * (log * inverse_root(log))
}

/// Computes the kernel's `value_of()`.
fn value(visits: u32, points: u64, weight: f32) -> f32 {
    let root = inverse_root(visits as f32);
    let points = (points as u32) as f32 + (points >> 32) as f32 * 4_294_967_296.0;
    points.mul_add(root, weight) * root
}

/// Computes 1 / √x as the kernel does.
fn inverse_root(x: f32) -> f32 {
    let half = 0.5 * x;
    let mut root = f32::from_bits(0x5f37_5a86 - (x.to_bits() >> 1));
    for _ in 0..3 {
        root *= (-(half * root)).mul_add(root, 1.5);
    }
    root
}

/// Computes ln x for x ≥ 1 as the kernel does.
#[expect(
    clippy::excessive_precision,
    reason = "the kernel and the original library write these digits"
)]
fn logarithm(x: f32) -> f32 {
    let exponent = x.to_bits().wrapping_sub(0x3f35_04f3) as i32 >> 23;
    let part = f32::from_bits(x.to_bits().wrapping_sub((exponent as u32) << 23)) - 1.0;
    let square = part * part;
    let mut sum = 7.037_683_629_2e-2;
    for term in [
        -1.151_461_031_0e-1,
        1.167_699_874_0e-1,
        -1.242_014_084_6e-1,
        1.424_932_278_7e-1,
        -1.666_805_766_5e-1,
        2.000_071_476_5e-1,
        -2.499_999_399_3e-1,
        3.333_333_117_4e-1,
    ] {
        sum = f32::mul_add(sum, part, term);
    }
    let exponent = exponent as f32;
    sum = (sum * part).mul_add(square, exponent * -2.121_944_40e-4);
    sum = square.mul_add(-0.5, sum);
    exponent.mul_add(0.693_359_375, part + sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_and_logarithms_are_close_to_the_true_ones() {
        let numbers = (0..120).map(|n| 1.0 + 1.2_f32.powi(n)).chain([1.0, 2.0]);
        for x in numbers {
            let root = 1.0 / f64::from(x).sqrt();
            let error = f64::from(inverse_root(x)) / root - 1.0;
            assert!(error.abs() < 3e-7, "1 / root of {x}: {error}");
            let error = f64::from(logarithm(x)) - f64::from(x).ln();
            let holds = error.abs() < 2e-7 * f64::from(x).ln().max(1.0);
            assert!(holds, "ln {x}: {error}");
        }
    }
}
