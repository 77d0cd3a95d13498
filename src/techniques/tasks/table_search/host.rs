//! The host's part of `table-search`.

use std::time::{Duration, Instant};

use rayon::ThreadPool;

use super::costs::{Costs, MOST_LEFT, Stage};
use super::params::hybrid;
use crate::games::Keyed;
use crate::search::{Found, Remembering};
use crate::techniques::Setup;
use crate::techniques::tasks::remembering::{TABLE_DEFAULT, effort_of};
use crate::techniques::tasks::{Loads, Play, random_positions};
use crate::words::Fault;

/// Positions of random games that are searched in the preparation, and their seed: another than that of cases.
const PRACTISED: usize = 8;
const SEED: u64 = 5;
/// How long the preparation searches to learn what host and device need; it looks at the clock between positions.
pub(super) const TO_PRACTISE: Duration = Duration::from_secs(2);
/// How many times as long as a search one that is two plies deeper may take.
pub(super) const DEEPER: u32 = 8;

/// What a technique searches in its preparation.
pub struct Practice<P: Play> {
    /// The game's first position, and with `hybrid` some of random games.
    pub(super) positions: Vec<P::Position>,
    /// The depth of the case.
    pub(super) depth: u32,
    pub(super) is_hybrid: bool,
}

impl<P: Play> Practice<P> {
    /// Draws the positions.
    ///
    /// # Errors
    /// For an invalid parameter, and where `hybrid` is to choose under a clock.
    pub fn new(setup: &Setup<'_>, play: &P) -> Result<Practice<P>, Fault> {
        let is_hybrid = hybrid(setup.params)?;
        if is_hybrid && let Some(effort) = effort_of(setup.case).map_err(Fault::Input)? {
            return Err(Fault::Unsupported(format!(
                "hybrid: `on`, effort: `{effort}`; it predicts the time of a depth"
            )));
        }
        let mut positions = vec![play.start()];
        // A small board may have fewer positions.
        if is_hybrid && let Ok(drawn) = random_positions(play, PRACTISED, SEED) {
            positions.extend(drawn.positions);
        }
        Ok(Practice {
            positions,
            depth: play.depth(),
            is_hybrid,
        })
    }
}

/// `rayon-table`, which gives up positions that the device is predicted to answer sooner.
pub(super) struct Host<G: Keyed> {
    game: G,
    table: Remembering,
    pool: ThreadPool,
    /// The positions of a sample.
    positions: Vec<G::Position>,
    /// The depth that `costs` is of.
    depth: u32,
    costs: Costs,
    /// Positions answered by the host and by the device since this was told last.
    pub(super) answered: [u64; 2],
}

/// What the host did of a position.
pub(super) struct Part<M> {
    /// Its result; if it gave up, the result of its last iteration.
    pub(super) found: Found<M>,
    /// Whether it gave up.
    pub(super) is_open: bool,
    pub(super) took: Duration,
    depth: u32,
    stages: Vec<(Stage, Duration)>,
}

impl<G: Keyed> Host<G> {
    pub(super) fn new(setup: &Setup<'_>, game: G, depth: u32) -> Result<Self, Fault> {
        let threads = setup.threads.max(1);
        Ok(Host {
            game,
            table: Remembering::new((TABLE_DEFAULT as usize) << 20, threads, None),
            pool: setup.pool()?,
            positions: Vec::new(),
            depth,
            costs: Costs::default(),
            answered: [0; 2],
        })
    }

    pub(super) fn load<P: Play>(&mut self, positions: &[P::Position])
    where
        G: Loads<P>,
    {
        let load = |position| self.game.load(position);
        self.positions = positions.iter().map(load).collect();
    }

    /// Searches positions one after another, as `rayon-table` does: the threads stay awake. Before each of the last
    /// iterations `goes_on` says whether to, or to leave the position to the device.
    fn search_while(
        &mut self,
        indices: &[usize],
        depth: u32,
        goes_on: fn(&Costs, Stage, Duration) -> bool,
    ) -> Vec<Part<G::Move>> {
        let is_known = depth == self.depth;
        let (positions, costs) = (&self.positions, &mut self.costs);
        let (game, table) = (&self.game, &mut self.table);
        self.pool.install(|| {
            table.lead(game, |leader| {
                let each = indices.iter().map(|index| {
                    let start = Instant::now();
                    let mut stages = Vec::new();
                    let (found, reached) =
                        leader.search((&positions[*index], 0), depth, &mut |reached, nodes| {
                            let left = depth - reached;
                            if left > MOST_LEFT || !is_known {
                                return true;
                            }
                            let (stage, at) = (Stage { left, nodes }, start.elapsed());
                            stages.push((stage, at));
                            goes_on(costs, stage, at)
                        });
                    let (took, is_open) = (start.elapsed(), reached < depth);
                    if !is_open {
                        for (stage, at) in &stages {
                            costs.host_took(*stage, took - *at);
                        }
                    }
                    Part {
                        found,
                        is_open,
                        took,
                        depth,
                        stages,
                    }
                });
                each.collect()
            })
        })
    }

    /// Searches positions one after another, but for those that it gives up.
    pub(super) fn search(&mut self, indices: &[usize], depth: u32) -> Vec<Part<G::Move>> {
        let parts = self.search_while(indices, depth, |costs, stage, _| costs.host_goes_on(stage));
        let open = parts.iter().filter(|part| part.is_open).count() as u64;
        self.answered[0] += indices.len() as u64 - open;
        self.answered[1] += open;
        parts
    }

    /// Searches a position to learn, but for a last iteration that may take longer than there is time.
    pub(super) fn practise(&mut self, index: usize) -> Part<G::Move> {
        let mut parts = self.search_while(&[index], self.depth, |_, stage, at| {
            stage.left > 2 || at * DEEPER < TO_PRACTISE
        });
        parts.swap_remove(0)
    }

    /// Answers a position that it gave up and for whose nodes the device has no room, and asks the device no more.
    pub(super) fn take_back(&mut self, index: usize, part: Part<G::Move>) -> Part<G::Move> {
        self.costs.device_has_no_room();
        self.answered[0] += 1;
        self.answered[1] -= 1;
        let mut whole = self
            .search_while(&[index], part.depth, |_, _, _| true)
            .swap_remove(0);
        whole.found.counters += part.found.counters;
        whole.took += part.took;
        whole
    }

    /// Learns what the device needed for a position.
    pub(super) fn device_took(&mut self, part: &Part<G::Move>, took: Duration) {
        for (stage, _) in &part.stages {
            self.costs.device_took(*stage, took);
        }
    }

    /// What it knows, for people.
    pub(super) fn note(&self) -> &'static str {
        match self.costs.knows_device() {
            true => ", host as rayon-table",
            false => {
                ", host as rayon-table, which answers all: what the device needs to this depth is not known"
            }
        }
    }
}
