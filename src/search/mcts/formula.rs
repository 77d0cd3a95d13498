//! UCT's formula, and the child that it ranks first.

/// Visit counts whose roots and logarithms are tabulated.
const LOOKED_UP: usize = 4096;

/// Scores that [`Formula::best`] computes side by side.
pub(super) const LANES: usize = 8;

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

/// The children of one node, while several descents are dealt to them.
#[derive(Default)]
pub(super) struct Table {
    /// Visits, those of this batch included.
    visits: Vec<u32>,
    points: Vec<f64>,
    /// points / √visits, filled up to whole vectors with what is never the best.
    sums: Vec<f64>,
    /// 1 / √visits.
    roots: Vec<f64>,
    /// Arrivals of this batch, then where the next one stands.
    pub taken: Vec<u32>,
}

impl Table {
    /// Reads the visits and points of all children.
    pub fn load(&mut self, formula: &Formula, children: impl Iterator<Item = (u32, u64)>) {
        self.clear();
        for (visits, points) in children {
            let (root, points) = (formula.inverse_root(visits), points as f64);
            self.visits.push(visits);
            self.points.push(points);
            self.roots.push(root);
            self.sums.push(points * root);
        }
        self.taken.resize(self.visits.len(), 0);
        let whole = self.visits.len().next_multiple_of(LANES);
        self.sums.resize(whole, f64::NEG_INFINITY);
        self.roots.resize(whole, 1.0);
    }

    fn clear(&mut self) {
        self.visits.clear();
        self.points.clear();
        self.sums.clear();
        self.roots.clear();
        self.taken.clear();
    }

    /// The number `before` of the children without a visit, counted from 0.
    pub fn untried(&self, before: u32) -> usize {
        let places = 0..self.visits.len();
        let mut untried = places.filter(|place| self.visits[*place] == 0);
        untried.nth(before as usize).unwrap_or(0)
    }

    /// The child with the largest score, the first among equals. All have been tried.
    #[inline(always)]
    pub fn best(&self, weight: f64) -> usize {
        let sums = self.sums.chunks_exact(LANES);
        let chunks = || sums.clone().zip(self.roots.chunks_exact(LANES));
        let mut most = [f64::NEG_INFINITY; LANES];
        for (sums, roots) in chunks() {
            for lane in 0..LANES {
                let value = score(sums[lane], roots[lane], weight);
                most[lane] = if value > most[lane] {
                    value
                } else {
                    most[lane]
                };
            }
        }
        let most = most.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let mut first = 0;
        for (sums, roots) in chunks() {
            let mut equal = 0_u32;
            for lane in 0..LANES {
                let is_most = score(sums[lane], roots[lane], weight) == most;
                equal |= u32::from(is_most) << lane;
            }
            if equal != 0 {
                return first + equal.trailing_zeros() as usize;
            }
            first += LANES;
        }
        0
    }

    /// Counts an arrival at a child. Its points are still those before the batch: until its games have ended they count
    /// as lost.
    #[inline(always)]
    pub fn take(&mut self, formula: &Formula, place: usize) {
        self.taken[place] += 1;
        self.visits[place] += 1;
        let root = formula.inverse_root(self.visits[place]);
        put(&mut self.roots, place, root);
        put(&mut self.sums, place, self.points[place] * root);
    }
}

/// Writes one value as a whole vector, because a processor waits where it reads a vector of which it has just written a
/// part.
#[inline(always)]
fn put(values: &mut [f64], place: usize, value: f64) {
    let chunk = &mut values[place / LANES * LANES..][..LANES];
    let old: [f64; LANES] = std::array::from_fn(|lane| chunk[lane]);
    let is_place = |lane| lane == place % LANES;
    let new: [f64; LANES] =
        std::array::from_fn(|lane| if is_place(lane) { value } else { old[lane] });
    chunk.copy_from_slice(&new);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_child_is_the_first_of_those_with_the_largest_score() {
        let formula = Formula::new(1.4, 3);
        let mut table = Table::default();
        for count in [1, 2, 7, 8, 9, 16, 30, 225] {
            for shift in 0..40_u32 {
                let child = |place: u32| {
                    let mixed = (place + shift).wrapping_mul(2_654_435_761) >> 28;
                    let visits = 1 + mixed % 5;
                    (visits, u64::from(mixed % 3 * visits))
                };
                table.load(&formula, (0..count).map(child));
                let weight = formula.weight(40 + shift);
                let value = |place: u32| {
                    let (visits, points) = child(place);
                    let root = formula.inverse_root(visits);
                    (points as f64 * root + weight) * root
                };
                let best = (0..count).reduce(|best, place| match value(place) > value(best) {
                    true => place,
                    false => best,
                });
                assert_eq!(
                    table.best(weight),
                    best.unwrap() as usize,
                    "{count} {shift}"
                );
            }
        }
    }
}
