//! Runs perft on a device. The host plays the first plies.

use std::time::{Duration, Instant};

use super::{Loads, Play, Searcher, built_up_to};
use crate::opencl::PLANNED;
use crate::search::children;
use crate::techniques::prelude::*;

/// Minimum number of plies that the device counts.
const LEAST_LEFT: u32 = 3;

/// Chooses how many plies a launch counts, so that it ends within the device's time limit for launches. Fewer positions
/// would not shorten a launch, because each work-item walks below one position.
#[derive(Clone, Debug)]
struct PlyLimit {
    /// Maximum time of a launch, or `None` for no limit.
    limit: Option<Duration>,
    /// Number of plies in the deepest launch so far, and the longest time of a launch with this number of plies.
    deepest: Option<(u32, Duration)>,
    /// Number of children per position.
    growth: f64,
}

impl PlyLimit {
    fn new(device: &Device) -> PlyLimit {
        PlyLimit {
            limit: device.launch_limit(),
            deepest: None,
            growth: 4.0,
        }
    }

    /// Returns whether a launch may count this number of plies.
    fn allows(&self, plies: u32) -> bool {
        let Some(limit) = self.limit.filter(|_| plies > LEAST_LEFT) else {
            return true;
        };
        self.deepest.is_some_and(|(known, took)| {
            let steps = plies as i32 - known as i32;
            took.as_secs_f64() * self.growth.powi(steps) <= limit.as_secs_f64() * PLANNED
        })
    }

    /// Returns how many positions with `left` plies left to expand together, so that their descendants fill a batch.
    fn parents(&self, left: u32, batch: usize) -> usize {
        let allowed = (LEAST_LEFT..left).rev().find(|plies| self.allows(*plies));
        let levels = left - allowed.unwrap_or(LEAST_LEFT);
        ((batch as f64 / self.growth.powi(levels as i32)) as usize).max(1)
    }

    /// Learns from the time of a launch.
    fn learn(&mut self, plies: u32, took: Duration) {
        self.deepest = match self.deepest {
            Some((known, longest)) if known >= plies => {
                let more = if known == plies { took } else { longest };
                Some((known, longest.max(more)))
            }
            _ => Some((plies, took)),
        };
    }

    fn grow(&mut self, parents: usize, children: usize) {
        self.growth = (children as f64 / parents.max(1) as f64).max(2.0);
    }
}

/// A function that counts the move sequences below positions in one launch, given the number of remaining plies.
type Below<'a, T> = dyn FnMut(&[T], u32) -> Result<Counters, Fault> + 'a;

/// Counts the move sequences below positions, at most `batch` per launch. The host expands positions that are too deep.
fn count_below<T: Clone>(
    positions: &[T],
    left: u32,
    (batch, plies): (usize, &mut PlyLimit),
    children: &dyn Fn(&T) -> Vec<T>,
    below: &mut Below<'_, T>,
) -> Result<Counters, Fault> {
    let mut counters = Counters::default();
    let mut rest = positions;
    while !rest.is_empty() {
        let is_allowed = plies.allows(left);
        let most = match is_allowed {
            true => batch,
            false => plies.parents(left, batch),
        };
        let (some, after) = rest.split_at(rest.len().min(most));
        rest = after;
        if is_allowed {
            let start = Instant::now();
            counters += below(some, left)?;
            plies.learn(left, start.elapsed());
        } else {
            let expanded: Vec<T> = some.iter().flat_map(children).collect();
            counters.nodes += some.len() as u64;
            plies.grow(some.len(), expanded.len());
            counters += count_below(&expanded, left - 1, (batch, &mut *plies), children, below)?;
        }
    }
    Ok(counters)
}

/// Counts the move sequences of exactly `depth` plies from a position as leaves, and the positions entered as nodes,
/// like [`perft`](crate::search::perft). The host expands the root to `wanted` positions. `below` counts their
/// descendants, at most `batch` at a time. `plies` limits the remaining depth, which is at least 3 if `depth` is at
/// least 3.
fn perft_from_front<T: Clone>(
    position: T,
    depth: u32,
    (wanted, batch, plies): (usize, usize, &mut PlyLimit),
    children: impl Fn(&T) -> Vec<T>,
    mut below: impl FnMut(&[T], u32) -> Result<Counters, Fault>,
) -> Result<Counters, Fault> {
    let mut counters = Counters::default();
    let (mut front, mut left) = (vec![position], depth);
    // With fewer plies, the kernel would have little to do, so a perft to a small depth would hardly test it.
    while left > LEAST_LEFT && front.len() < wanted && !front.is_empty() {
        counters.nodes += front.len() as u64;
        front = front.iter().flat_map(&children).collect();
        left -= 1;
    }
    if left == 0 {
        // A perft to depth 0 has only the root.
        return Ok(Counters::of_leaves(front.len()));
    }
    counters += count_below(&front, left, (batch, plies), &children, &mut below)?;
    Ok(counters)
}

/// Number of words per position that a counting kernel writes: sequences (low, high), nodes (low, high), stamp.
const OUTCOME_WORDS: usize = 5;

/// The unit of execution that counts the move sequences below one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// One work-item.
    Item,
    /// One work-group.
    Group,
    /// One work-item, with the contract `perft` of docs/KERNELS.md.
    Contract,
}

/// A kernel that counts the move sequences below each position of a batch.
pub struct Counting {
    run: Runner,
    counter: Counter,
    positions: Buffer<u32>,
    results: Results,
    plies: PlyLimit,
    /// Number of positions that the host generates, and maximum number in a launch.
    wanted: usize,
    batch: usize,
    deepest: u32,
    packed: Vec<u32>,
}

enum Results {
    Stamped(Outcomes),
    /// The numbers of sequences and nodes per position, without a stamp.
    Pairs(Buffer<u64>),
}

/// Content of [`Results::Pairs`] before a launch.
const UNSET: u64 = u64::MAX;

impl Counting {
    /// Allocates the buffers. The host generates `wanted` positions of `words` words. A launch gets at most `batch`.
    pub fn new(
        mut run: Runner,
        device: &Device,
        words: usize,
        deepest: u32,
        (wanted, batch): (usize, usize),
        counter: Counter,
    ) -> Result<Counting, Fault> {
        let (positions, results) = if counter == Counter::Contract {
            let positions = device.buffer(batch * words, Access::Read)?;
            (
                positions,
                Results::Pairs(device.buffer(2 * batch, Access::Write)?),
            )
        } else {
            let positions = run.buffer("positions", batch * words, Access::Read)?;
            let outcomes = run.outcomes("position", batch, OUTCOME_WORDS)?;
            (positions, Results::Stamped(outcomes))
        };
        Ok(Counting {
            run,
            counter,
            positions,
            results,
            plies: PlyLimit::new(device),
            wanted,
            batch,
            deepest,
            packed: Vec::new(),
        })
    }

    /// Counts the sequences of `depth` plies like [`perft_from_front`].
    pub fn count<G: Game>(
        &mut self,
        game: &G,
        position: &G::Position,
        depth: u32,
        pack: Pack<G>,
    ) -> Result<Counters, Fault> {
        built_up_to(self.deepest, depth, "")?;
        let mut plies = self.plies.clone();
        let sizes = (self.wanted, self.batch, &mut plies);
        let children = |position: &_| children(game, position, 0).unwrap_or_default();
        let below = |some: &[_], left| self.below(game, some, left, pack);
        let counters = perft_from_front(position.clone(), depth, sizes, children, below);
        self.plies = plies;
        counters
    }

    /// Counts the sequences below some positions in one launch.
    fn below<G: Game>(
        &mut self,
        game: &G,
        positions: &[G::Position],
        depth: u32,
        pack: Pack<G>,
    ) -> Result<Counters, Fault> {
        let count = positions.len();
        self.packed.clear();
        for position in positions {
            pack(game, position, &mut self.packed);
        }
        let run = &mut self.run;
        run.queue.write(&self.positions, &self.packed)?;
        let (number, plies) = (count as u32, depth as i32);
        match &mut self.results {
            Results::Stamped(outcomes) => {
                run.set(&[("depth", &plies)])?;
                run.stamp(outcomes, count)?;
            }
            Results::Pairs(pairs) => {
                run.queue.fill(pairs, UNSET)?;
                run.kernel
                    .set_from(0, &[&self.positions, &number, &plies, pairs])?;
            }
        }
        if self.counter == Counter::Item {
            run.set(&[("count", &number)])?;
        }
        match self.counter {
            Counter::Group => run.launch_groups(count)?,
            _ => run.launch_items(count)?,
        }
        let mut counters = Counters::default();
        match &mut self.results {
            Results::Stamped(outcomes) => outcomes.read(&mut run.queue, |outcome| {
                counters += Counters::of_search(outcome.wide(2), outcome.wide(0));
            })?,
            Results::Pairs(pairs) => {
                let mut read = vec![0; 2 * count];
                run.queue.read(pairs, &mut read)?;
                for (place, &[leaves, nodes]) in read.as_chunks().0.iter().enumerate() {
                    if leaves == UNSET {
                        let why = format!("position {place} of {count} was not counted");
                        return Err(Fault::Wrong(format!("kernel `perft`: {why}")));
                    }
                    let nodes = if nodes == UNSET { 0 } else { nodes };
                    counters += Counters::of_search(nodes, leaves);
                }
            }
        }
        Ok(counters)
    }

    /// Returns the telemetry since the last call.
    pub fn telemetry(&mut self) -> Telemetry {
        match self.counter {
            Counter::Group => self.run.telemetry(),
            _ => self.run.telemetry_and_resources(),
        }
    }
}

/// Appends the words of a position.
pub type Pack<G> = fn(&G, &<G as Game>::Position, &mut Vec<u32>);

/// Implements a searcher for perft on a device, with one representation.
pub struct PerftSearcher<G: Game> {
    game: G,
    counting: Counting,
    pack: Pack<G>,
    positions: Vec<G::Position>,
}

impl<G: Game> PerftSearcher<G> {
    /// Creates the searcher, and launches once from `start`, because some drivers compile at first use.
    pub fn warmed(
        game: G,
        mut counting: Counting,
        pack: Pack<G>,
        start: G::Position,
    ) -> Result<PerftSearcher<G>, Fault> {
        counting.below(&game, &[start], 1, pack)?;
        counting.telemetry();
        Ok(PerftSearcher {
            game,
            counting,
            pack,
            positions: Vec::new(),
        })
    }
}

impl<P: Play, G: Loads<P>> Searcher<P> for PerftSearcher<G> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        let loaded = positions.iter().map(|position| self.game.load(position));
        self.positions = loaded.collect();
        Ok(())
    }

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        let position = &self.positions[index];
        self.counting.count(&self.game, position, depth, self.pack)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.counting.telemetry()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::checkers::{Checkers, Position};
    use crate::search::perft;

    /// Tests fronts of different sizes.
    #[test]
    fn a_front_of_any_size_counts_the_same() {
        let game = Checkers::default();
        let children = |position: &Position| children(&game, position, 0).unwrap_or_default();
        let count = |depth, (wanted, batch)| {
            let below = |positions: &[Position], left| {
                let mut sum = Counters::default();
                positions
                    .iter()
                    .for_each(|position| sum += perft(&game, position, left));
                Ok(sum)
            };
            // Every launch exceeds this limit, so launches get the minimum number of plies.
            let mut plies = PlyLimit {
                limit: (batch % 2 == 1).then_some(Duration::from_nanos(1)),
                deepest: None,
                growth: 4.0,
            };
            let fronts = (wanted, batch, &mut plies);
            perft_from_front(Position::start(), depth, fronts, children, below).unwrap()
        };
        for depth in [0, 1, 3, 4, 7] {
            let whole = perft(&game, &Position::start(), depth);
            assert_eq!(count(depth, (64, 50)), whole, "{depth}");
            assert_eq!(count(depth, (1, 51)), whole, "{depth}");
        }
    }

    #[test]
    fn launches_grow_deeper_until_they_reach_the_limit() {
        let limit = Duration::from_millis(50);
        let mut plies = PlyLimit {
            limit: Some(limit),
            deepest: None,
            growth: 7.0,
        };
        // A launch of one ply takes 10 µs, and each further ply multiplies the time by seven.
        let time = |plies: u32| Duration::from_micros(10) * 7_u32.pow(plies - 1);
        let mut below = |positions: &[u32], left: u32| {
            assert!(time(left) <= limit, "{left} plies");
            Ok(Counters::of_leaves(positions.len() * 7_usize.pow(left)))
        };
        assert!(plies.allows(3) && !plies.allows(4), "nothing is known");
        plies.learn(3, time(3));
        assert!(plies.allows(5) && !plies.allows(6));
        let children = |_: &u32| vec![0; 7];
        let found = count_below(&[0; 2], 7, (100, &mut plies), &children, &mut below).unwrap();
        assert_eq!(found.leaves, 2 * 7_u64.pow(7));
    }
}
