//! Implements the contracts `subtrees` and `evaluate`. The host runs PV-split, and a kernel searches the siblings.

use super::{PLIES, build, read_plies};
use crate::games::INFINITY;
use crate::search::children;
use crate::techniques::prelude::*;
use crate::techniques::tasks::{Loads, Pack, Play, Splits, Splitting};

/// Packs a game's positions and evaluation for the kernel.
pub struct SearchPacking<G: Game> {
    /// Appends the words of a position. All positions have the same number of words.
    pub pack: Pack<G>,
    /// Numeric parameters of the evaluation.
    pub worths: Vec<i32>,
    /// Constants for the game's kernel files.
    pub constants: Defines,
}

/// Maximum number of positions per launch.
const LAUNCHED: usize = 1 << 16;
/// Maximum number of positions that the host collects before it launches.
const COLLECTED: usize = 1 << 22;
/// Marks a value that no work-item has written.
const UNSET: i32 = i32::MIN;

/// Prepares a kernel with either contract, for searches to `depth`. Fails if the device cannot build or run it.
pub fn searching<P: Play, G: Loads<P>>(
    setup: &Setup<'_>,
    game: G,
    mut packing: SearchPacking<G>,
    start: &P::Position,
    (contract, depth): (&'static str, u32),
) -> Searching<P> {
    let device = setup.on_device()?;
    let is_search = contract == "subtrees";
    let usual = if is_search { 1 } else { 3 };
    let plies = PLIES.given(setup.params, usual, read_plies)? as u32;
    if is_search {
        let levels = depth.saturating_sub(1 + plies).max(1);
        packing.constants.push(("LEVELS", levels.to_string()));
    }
    let (mut run, most) = build(setup, contract, packing.constants, LAUNCHED)?;
    run.notes.push_str(&format!(", plies {plies}"));
    let (start, mut words) = (game.load(start), Vec::new());
    (packing.pack)(&game, &start, &mut words);
    let worths = device.buffer(packing.worths.len(), Access::Read)?;
    run.queue.write(&worths, &packing.worths)?;
    let search = || -> Result<_, Fault> {
        let windows = device.buffer(2 * most, Access::Read)?;
        Ok((windows, device.buffer(most, Access::Write)?))
    };
    let siblings = OwnSiblings {
        pack: packing.pack,
        // `evaluate` is `subtrees` with depth 0. The host plays all plies, and batches the positions of the last plies.
        played: if is_search { plies } else { u32::MAX },
        pruned_from: if is_search { u32::MAX } else { plies },
        kernel: SearchKernel {
            run,
            most,
            words: words.len(),
            positions: device.buffer(most * words.len(), Access::Read)?,
            worths,
            values: device.buffer(most, Access::Write)?,
            search: is_search.then(search).transpose()?,
            depth: 0,
            counters: Counters::default(),
        },
    };
    let splitting = Splitting::warmed(game, Box::new(siblings), &start, depth.min(1))?;
    Ok(Box::new(splitting))
}

/// Searches the siblings of a principal-variation node. The host plays further plies, then launches the kernel.
struct OwnSiblings<G: Game> {
    pack: Pack<G>,
    /// Maximum number of plies that the host plays. The kernel searches the remaining plies.
    played: u32,
    /// With at least this number of plies left, the host prunes by alpha-beta. With fewer, it plays all moves.
    pruned_from: u32,
    kernel: SearchKernel,
}

/// The kernel with its buffers. This type is not generic, so its code is compiled once for all games.
struct SearchKernel {
    run: Runner,
    /// Maximum number of positions per launch.
    most: usize,
    /// Number of words per position.
    words: usize,
    positions: Buffer<u32>,
    worths: Buffer<i32>,
    values: Buffer<i32>,
    /// For `subtrees`: a window per position, and the number of nodes that the kernel entered for it.
    search: Option<(Buffer<i32>, Buffer<u64>)>,
    /// Depth to which the kernel searches.
    depth: u32,
    /// Work done for the current siblings.
    counters: Counters,
}

impl SearchKernel {
    /// Returns the value of each packed position for its mover.
    fn launch(&mut self, packed: &[u32], ply: u32, window: Window) -> Result<Vec<i32>, Fault> {
        let (run, mut all) = (&mut self.run, Vec::new());
        for packed in packed.chunks(self.most * self.words) {
            let count = packed.len() / self.words;
            let (mut values, mut nodes) = (vec![UNSET; count], vec![0; count]);
            let (positions, worths, number) = (&self.positions, &self.worths, count as u32);
            run.queue.write(positions, packed)?;
            run.queue.write(&self.values, &values)?;
            if let Some((windows, entered)) = &self.search {
                let each = [window.alpha, window.beta].repeat(count);
                run.queue.write(windows, &each)?;
                run.queue.write(entered, &nodes)?;
                let [depth, ply] = [self.depth, ply].map(|plies| plies as i32);
                run.kernel
                    .set_from(0, &[positions, windows, &number, &depth, &ply])?;
                run.kernel.set_from(5, &[worths, &self.values, entered])?;
            } else {
                run.kernel
                    .set_from(0, &[positions, &number, worths, &self.values])?;
            }
            run.launch_items(count)?;
            run.queue.read(&self.values, &mut values)?;
            self.counters += match &self.search {
                None => Counters::of_leaves(count),
                Some((_, entered)) => {
                    run.queue.read(entered, &mut nodes)?;
                    Counters::of_search(nodes.iter().sum(), 0)
                }
            };
            let is_wrong = |value: &i32| value.saturating_abs() >= INFINITY;
            if let Some(place) = values.iter().position(is_wrong) {
                let why = match values[place] {
                    UNSET => "has no value".to_owned(),
                    value => format!("is worth {value}, which no position is"),
                };
                let kernel = run.kernel.name();
                let why = format!("kernel `{kernel}`: position {place} of {count} {why}");
                return Err(Fault::Wrong(why));
            }
            all.extend(values);
        }
        Ok(all)
    }
}

impl<G: Game> OwnSiblings<G> {
    /// Returns the values of positions for their movers. Values outside the window are bounds. The host plays `left`
    /// more plies, and the root is `ply` plies above. After a cutoff, the remaining values are missing.
    fn values(
        &mut self,
        game: &G,
        positions: &[G::Position],
        (left, ply): (u32, u32),
        mut window: Window,
    ) -> Result<Vec<i32>, Fault> {
        let is_pruned = left >= self.pruned_from;
        let together = if is_pruned { 1 } else { positions.len().max(1) };
        let mut values = Vec::with_capacity(positions.len());
        for positions in positions.chunks(together) {
            let (mut packed, mut below) = (Vec::new(), Vec::new());
            // For each position, the number of values found below it, or its value if the game is over.
            let mut ends: Vec<Result<usize, i32>> = Vec::with_capacity(positions.len());
            for position in positions {
                ends.push(if left > 0 {
                    let made = children(game, position, ply);
                    self.kernel.counters += Counters::of_search(1, u64::from(made.is_err()));
                    let count = made.as_ref().map(Vec::len).map_err(|value| *value);
                    below.extend(made.into_iter().flatten());
                    count
                } else if let Some(value) = game.decided(position, ply) {
                    self.kernel.counters += Counters::of_leaves(1);
                    Err(value)
                } else {
                    (self.pack)(game, position, &mut packed);
                    Ok(1)
                });
                if below.len() > COLLECTED {
                    let why = format!("plies: more than {COLLECTED} positions to launch");
                    return Err(Fault::Memory(why));
                }
            }
            let (found, sign) = match left {
                0 => (self.kernel.launch(&packed, ply, window)?, 1),
                _ => (
                    self.values(game, &below, (left - 1, ply + 1), window.turned())?,
                    -1,
                ),
            };
            let mut found = found.into_iter().map(|value| sign * value);
            values.extend(ends.into_iter().map(|end| match end {
                Ok(count) => found.by_ref().take(count).max().unwrap_or(-INFINITY),
                Err(value) => value,
            }));
            window.beta = values.iter().copied().fold(window.beta, i32::min);
            if window.alpha >= window.beta {
                break;
            }
        }
        Ok(values)
    }
}

impl<G: Game> Siblings<G> for OwnSiblings<G> {
    type Fault = Fault;

    fn search(
        &mut self,
        node: &SplitNode<'_, G>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let &SplitNode {
            game,
            siblings,
            depth,
            ply,
            window,
        } = node;
        let left = depth.min(self.played);
        self.kernel.depth = depth - left;
        let siblings: Vec<_> = siblings.iter().map(|it| it.position.clone()).collect();
        let values = self.values(game, &siblings, (left, ply), window.turned())?;
        scores.extend(values.into_iter().map(|value| -value));
        Ok(std::mem::take(&mut self.kernel.counters))
    }
}

impl<G: Game + 'static> Splits<G> for OwnSiblings<G> {
    fn telemetry(&mut self) -> Telemetry {
        self.kernel.run.telemetry_and_resources()
    }
}
