//! Picks a child for each arrival at a node.

use std::hint::black_box;
use std::mem::take;
use std::ops::Range;

use super::formula::{Formula, score};

const LANES: usize = 8;

#[inline(always)]
fn larger(one: f64, other: f64) -> f64 {
    if other > one { other } else { one }
}

#[inline(always)]
fn largest(mut values: [f64; LANES]) -> f64 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            values[lane] = larger(values[lane], values[lane + half]);
        }
        half /= 2;
    }
    values[0]
}

/// Maximum number of children whose scores are compared one by one.
const FEW: usize = 16;

/// The children of one node, while several descents are dealt to them.
#[derive(Default)]
pub(super) struct Table {
    visits: Vec<u32>,
    points: Vec<f64>,
    /// points / √visits for each child. The values that pad the last vector are never the best.
    sums: Vec<f64>,
    roots: Vec<f64>,
    /// The exploration weight of the parent at each arrival, if the formula does not tabulate it.
    weights: Vec<f64>,
    /// Number of this batch's arrivals at each child. While arrivals are sorted, the index of the child's next arrival.
    pub taken: Vec<u32>,
}

impl Table {
    /// Reads the visits and points of all children.
    pub fn load(&mut self, formula: &Formula, children: impl Iterator<Item = (u32, f64)> + Clone) {
        self.clear();
        self.visits
            .extend(children.clone().map(|(visits, _)| visits));
        self.points.extend(children.map(|(_, points)| points));
        let roots = self.visits.iter().map(|it| formula.inverse_root(*it));
        self.roots.extend(roots);
        let sums = self.points.iter().zip(&self.roots);
        self.sums.extend(sums.map(|(points, root)| points * root));
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

    /// Returns the untried child that follows `before` other untried children.
    pub fn untried(&self, before: u32) -> usize {
        let places = 0..self.visits.len();
        let mut untried = places.filter(|place| self.visits[*place] == 0);
        untried.nth(before as usize).unwrap_or(0)
    }

    /// Returns the first child with the largest score. All children must have been tried.
    #[inline(always)]
    pub fn best(&self, weight: f64) -> usize {
        let vectors = self.sums.chunks_exact(LANES);
        let vectors = vectors.zip(self.roots.chunks_exact(LANES));
        let mut most = [f64::NEG_INFINITY; LANES];
        let mut first = [0_u64; LANES];
        for (vector, (sums, roots)) in (0..).zip(vectors) {
            for lane in 0..LANES {
                let value = score(sums[lane], roots[lane], weight);
                let is_more = value > most[lane];
                most[lane] = if is_more { value } else { most[lane] };
                first[lane] = if is_more { vector } else { first[lane] };
            }
        }
        let largest = largest(most);
        let places = (0..LANES).map(|lane| match most[lane] == largest {
            true => first[lane] as usize * LANES + lane,
            false => usize::MAX,
        });
        places.fold(usize::MAX, usize::min)
    }

    /// Does the same as [`Table::best`] for few children, with a branch that processors predict well.
    #[inline(always)]
    fn best_of_few(&self, weight: f64) -> usize {
        let count = self.visits.len();
        let (sums, roots) = (&self.sums[..count], &self.roots[..count]);
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for place in 0..count {
            let value = score(sums[place], roots[place], weight);
            if value > most {
                // Without `black_box`, compilers would use conditional moves.
                (best, most) = (black_box(place), value);
            }
        }
        best
    }

    /// Picks a child for each of several consecutive arrivals. `visits` is the node's visit count before each arrival.
    #[inline(always)]
    pub fn pick_all(&mut self, formula: &Formula, visits: Range<u32>, picks: &mut [u32]) {
        let mut room = take(&mut self.weights);
        let weights = formula.weights(visits, &mut room);
        let are_few = self.visits.len() <= FEW;
        for (weight, place) in weights.iter().zip(picks) {
            let pick = match are_few {
                true => self.best_of_few(*weight),
                false => self.best(*weight),
            };
            self.take(formula, pick);
            *place = pick as u32;
        }
        self.weights = room;
    }

    /// Counts an arrival at a child. The child's points do not change, because games in play count as lost.
    #[inline(always)]
    pub fn take(&mut self, formula: &Formula, place: usize) {
        self.taken[place] += 1;
        self.visits[place] += 1;
        let root = formula.inverse_root(self.visits[place]);
        let sum = self.points[place] * root;
        if self.visits.len() <= FEW {
            (self.roots[place], self.sums[place]) = (root, sum);
        } else {
            put(&mut self.roots, place, root);
            put(&mut self.sums, place, sum);
        }
    }
}

/// Writes one value by storing its whole vector. Processors stall when they load a vector just after a partial write.
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
    fn many_picks_are_those_of_one_after_another() {
        let mut table = Table::default();
        for (count, arrivals) in [(1, 70), (7, 5), (8, 3_000), (16, 63), (17, 64), (40, 250)] {
            let child = |n: u32| (n * 700, f64::from(n * 900));
            let children: Vec<(u32, f64)> = (1..=count).map(child).collect();
            let before: u32 = children.iter().map(|(visits, _)| visits).sum();
            let mut visited = children.clone();
            let mut expected = Vec::new();
            for all in before..before + arrivals {
                let weight = Formula::new(1.4, 3).weight(all);
                let value = |(visits, points): (u32, f64)| {
                    let root = 1.0 / f64::from(visits).sqrt();
                    (points * root + weight) * root
                };
                let best = (0..visited.len()).reduce(|best, place| {
                    match value(visited[place]) > value(visited[best]) {
                        true => place,
                        false => best,
                    }
                });
                visited[best.unwrap()].0 += 1;
                expected.push(best.unwrap() as u32);
            }
            for tabulated in [1, before, before + arrivals] {
                let mut formula = Formula::new(1.4, 3);
                formula.cover(tabulated);
                let mut picks = vec![0; arrivals as usize];
                table.load(&formula, children.iter().copied());
                let visits = before..before + arrivals;
                table.pick_all(&formula, visits, &mut picks);
                assert_eq!(picks, expected, "{count} children, {arrivals} arrivals");
                assert_eq!(table.taken.iter().sum::<u32>(), arrivals);
            }
        }
    }
}
