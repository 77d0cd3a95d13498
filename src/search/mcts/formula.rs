//! Computes UCT's formula.

use std::ops::Range;

/// Number of visit counts by which the tables grow. The first leaves of a search need only one such step.
const AT_ONCE: usize = 4096;

/// Maximum number of table entries, which use 64 MiB.
const MOST_LOOKED_UP: usize = 1 << 22;

/// The UCT formula, scaled by factors that all children of a node share. A child with n leaves of p games each has
/// s ≤ 2 p n half points. With k = 2 c √(p ln (p N)), s / n + k / √n ranks children as w / n + c √(ln N / n) does.
/// Tables hold 1 / √n and k, so a leaf costs one logarithm and one root.
pub(super) struct Formula {
    inverse_roots: Vec<f64>,
    /// k, indexed by the number of visits to the parent.
    weights: Vec<f64>,
    c: f64,
    playouts: f64,
}

/// Values to append to the tables.
pub(super) struct Tabulated {
    inverse_roots: Vec<f64>,
    weights: Vec<f64>,
}

impl Formula {
    pub fn new(c: f64, playouts: u32) -> Formula {
        let mut formula = Formula {
            inverse_roots: Vec::new(),
            weights: Vec::new(),
            c,
            playouts: f64::from(playouts),
        };
        formula.cover(1);
        formula
    }

    /// Extends the tables to `visits`, up to their maximum size.
    #[inline(always)]
    pub fn cover(&mut self, visits: u32) {
        if visits as usize >= self.weights.len() {
            self.extend(visits);
        }
    }

    #[cold]
    fn extend(&mut self, visits: u32) {
        let ahead = self.ahead(visits);
        self.append(ahead);
    }

    /// Computes the values that [`cover`](Formula::cover) would append. This can run alongside other work.
    pub fn ahead(&self, visits: u32) -> Tabulated {
        let needed = (visits as usize + 1).next_multiple_of(AT_ONCE);
        let added = self.weights.len() as u32..needed.min(MOST_LOOKED_UP) as u32;
        let numbers = || added.clone().map(f64::from);
        Tabulated {
            inverse_roots: numbers().map(inverse_root).collect(),
            weights: numbers()
                .map(|n| weight(self.c, self.playouts, n))
                .collect(),
        }
    }

    pub fn append(&mut self, mut ahead: Tabulated) {
        self.inverse_roots.append(&mut ahead.inverse_roots);
        self.weights.append(&mut ahead.weights);
    }

    /// Returns the weights for these visit counts. If they are not tabulated, computes them in `room`.
    #[inline(always)]
    pub fn weights<'a>(&'a self, visits: Range<u32>, room: &'a mut Vec<f64>) -> &'a [f64] {
        match self.weights.get(visits.start as usize..visits.end as usize) {
            Some(weights) => weights,
            None => {
                room.clear();
                room.extend(visits.map(|visits| self.weight(visits)));
                room
            }
        }
    }

    #[inline(always)]
    pub fn inverse_root(&self, visits: u32) -> f64 {
        match self.inverse_roots.get(visits as usize) {
            Some(root) => *root,
            None => inverse_root(f64::from(visits)),
        }
    }

    /// Returns the exploration weight k at a node with this many visits.
    #[inline(always)]
    pub fn weight(&self, visits: u32) -> f64 {
        match self.weights.get(visits as usize) {
            Some(weight) => *weight,
            None => weight(self.c, self.playouts, f64::from(visits)),
        }
    }
}

fn inverse_root(visits: f64) -> f64 {
    1.0 / visits.sqrt()
}

fn weight(c: f64, playouts: f64, visits: f64) -> f64 {
    2.0 * c * (playouts * (playouts * visits).ln()).sqrt()
}

/// Computes a child's score from points / √visits, 1 / √visits and the exploration weight.
#[inline(always)]
pub(super) fn score(sum: f64, root: f64, weight: f64) -> f64 {
    (sum + weight) * root
}
