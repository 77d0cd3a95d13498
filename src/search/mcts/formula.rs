//! UCT's formula.

/// Visit counts whose roots and logarithms are tabulated.
const LOOKED_UP: usize = 4096;

/// UCT's formula, scaled by factors common to all children of a node. With n leaves of p games each below a
/// child, its half points s are at most 2 p n, and s / n + k / √n ranks children as w / n + c √(ln N / n)
/// does, for k = 2 c √(p ln (p N)).
pub(super) struct Formula {
    /// 1 / √n, by n.
    inverse_roots: Vec<f64>,
    /// k, by the parent's visits.
    weights: Vec<f64>,
    c: f64,
    playouts: f64,
}

impl Formula {
    pub fn new(c: f64, playouts: u32) -> Formula {
        let playouts = f64::from(playouts);
        let numbers = || (0..LOOKED_UP as u32).map(f64::from);
        Formula {
            inverse_roots: numbers().map(|n| 1.0 / n.sqrt()).collect(),
            weights: numbers().map(|n| weight(c, playouts, n)).collect(),
            c,
            playouts,
        }
    }

    /// 1 / √n.
    #[inline(always)]
    pub fn inverse_root(&self, visits: u32) -> f64 {
        match self.inverse_roots.get(visits as usize) {
            Some(root) => *root,
            None => 1.0 / f64::from(visits).sqrt(),
        }
    }

    /// The weight k of exploration below a node with these visits.
    #[inline(always)]
    pub fn weight(&self, visits: u32) -> f64 {
        match self.weights.get(visits as usize) {
            Some(weight) => *weight,
            None => weight(self.c, self.playouts, f64::from(visits)),
        }
    }
}

fn weight(c: f64, playouts: f64, visits: f64) -> f64 {
    2.0 * c * (playouts * (playouts * visits).ln()).sqrt()
}

/// A child's score from its points / √visits, its 1 / √visits and the weight of exploration.
#[inline(always)]
pub(super) fn score(sum: f64, root: f64, weight: f64) -> f64 {
    (sum + weight) * root
}
