//! Chooses moves by Monte Carlo tree search ([`Mcts`]), with one tree or with one tree per thread.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::choose::{Choice, Chooser, Effort};
use super::{At, Play, Turn};
use crate::games::TreeRules;
use crate::random::{BLOCK_ROUNDS, block_key, philox4x32};
use crate::search::{Grown, LeafPlayouts, MOST_LEAVES, MOST_NODES, Mcts, Progress, Uct};
use crate::techniques::pool_of;
use crate::techniques::prelude::*;

/// Extends [`LeafPlayouts`] with telemetry.
pub trait LeafPlayer<P>: LeafPlayouts<P, Fault = Fault> {
    /// Returns the telemetry since the last call.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry::default()
    }
}

/// A boxed player of any kind, so that a tree's code is compiled once per game.
type AnyPlayer<P> = Box<dyn LeafPlayer<P> + Send>;

impl<P> LeafPlayouts<P> for AnyPlayer<P> {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        (**self).playouts()
    }

    fn begin(&mut self, first: u64, leaves: &[P]) -> Result<(), Fault> {
        (**self).begin(first, leaves)
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        (**self).finish(points)
    }
}

/// Maximum number of leaves in each of the first batches.
const FIRST: u64 = 16;

/// Sets the batch sizes for a choice.
///
/// A batch has at most [`FIRST`] leaves or, if that is more, a quarter as many leaves as all earlier batches together.
/// Larger batches at the beginning would be guided only by virtual losses, and would spread evenly over good and bad
/// moves. If the effort is a time, batches shrink towards the end to meet the time limit.
struct Pace {
    effort: Effort,
    leaves: u64,
    started: Instant,
}

impl Pace {
    fn next(&self, progress: Progress) -> u64 {
        self.next_after(self.started.elapsed(), progress)
    }

    fn next_after(&self, spent: Duration, progress: Progress) -> u64 {
        let Progress { selected, credited } = progress;
        let most = (selected / 4).max(FIRST).min(self.leaves);
        match self.effort {
            Effort::Iterations(all) => most.min(all - selected),
            Effort::Time(_) if credited == 0 => most,
            Effort::Time(time) => {
                let left = time.saturating_sub(spent).as_nanos();
                // Leaves that are not credited yet need part of the remaining time.
                let fits = left * u128::from(credited) / spent.as_nanos().max(1);
                most.min((fits as u64).saturating_sub(selected - credited))
            }
        }
    }
}

fn check_effort(effort: Effort) -> Result<(), Fault> {
    match effort {
        Effort::Iterations(all) if all > MOST_LEAVES => Err(Fault::Unsupported(format!(
            "effort: {all} iterations; a tree counts at most {MOST_LEAVES}"
        ))),
        _ => Ok(()),
    }
}

/// Returns the choice from one tree, or from several merged trees.
pub fn choice<M: Copy>(moves: &[M], grown: Grown) -> Choice<M> {
    let Some(best) = grown.best() else {
        return Choice::none();
    };
    Choice {
        best: Some(moves[best]),
        counters: Counters {
            nodes: grown.nodes,
            leaves: grown.visits.iter().sum(),
            playouts: grown.playouts,
            plies: grown.plies,
        },
        visits: grown.visits,
        tree_nodes: grown.nodes,
        tree_depth: grown.depth,
        ..Choice::none()
    }
}

/// Rules for a tree whose root comes from a position in [`Play`].
pub trait Roots<P: Play>: TreeRules {
    /// Converts a position to a root.
    fn root(&self, position: &P::Position) -> Self::Position;
}

/// Chooses moves with one tree. An iteration selects one leaf.
pub struct OneTree<G: TreeRules> {
    mcts: Mcts<G, AnyPlayer<G::Position>>,
    leaves: u64,
    /// Number of threads that select and credit leaves in the tree.
    threads: usize,
}

impl<G: TreeRules + Send> OneTree<G> {
    /// Creates a tree for this game. `player` plays the playouts. `settings` gives the number of playouts per leaf.
    pub fn new(
        game: G,
        player: impl LeafPlayer<G::Position> + Send + 'static,
        settings: Settings,
        seed: u64,
    ) -> OneTree<G> {
        OneTree {
            mcts: Mcts::new(game, Box::new(player), settings.uct(seed)),
            leaves: settings.leaves.into(),
            threads: 1,
        }
    }

    /// Makes `threads` threads select and credit leaves in the tree. Fails if the system refuses the threads.
    pub fn on_threads(self, threads: usize) -> Result<OneTree<G>, Fault> {
        if threads < 2 {
            return Ok(self);
        }
        let mcts = self.mcts.on_threads(pool_of(threads)?);
        Ok(OneTree {
            mcts,
            threads,
            ..self
        })
    }

    fn grow(&mut self, root: &G::Position, pace: &Pace) -> Result<Grown, Fault> {
        self.mcts.search(root, |progress| pace.next(progress))
    }
}

impl<P: Play, G: Roots<P> + Send> Chooser<P> for OneTree<G> {
    fn choose(&mut self, at: &At<'_, P>, effort: Effort) -> Result<Choice<P::Move>, Fault> {
        let At { play, position } = *at;
        let pace = Pace {
            effort,
            leaves: self.leaves,
            started: Instant::now(),
        };
        check_effort(effort)?;
        if !matches!(play.turn(position), Turn::Move) {
            return Ok(Choice::none());
        }
        let root = self.mcts.game.root(position);
        let grown = self.grow(&root, &pace)?;
        Ok(choice(&play.moves(position), grown))
    }

    /// Returns the player's telemetry. A device's row lists one thread, so the notes give the tree's number of threads.
    fn telemetry(&mut self) -> Telemetry {
        let own = self.mcts.player.telemetry();
        match self.threads {
            1 => own,
            threads => Telemetry {
                notes: joined([format!("tree on {threads} threads"), own.notes]),
                ..own
            },
        }
    }
}

/// Returns the seed for one of several trees.
pub fn tree_seed(seed: u64, tree: u32) -> u64 {
    let words = philox4x32([tree, 0, 0, 2], block_key(seed), BLOCK_ROUNDS);
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// Chooses moves with one tree per thread, each with its own seed, and adds up the visits. Chaslot, Winands and van den
/// Herik (2008) call this "root parallelization" and consider it the strongest of their methods.
///
/// Threads do not wait for each other. Iterations are distributed evenly. With the same number of threads and
/// iterations, the visits are always the same.
pub struct RootParallel<G: TreeRules> {
    trees: Vec<OneTree<G>>,
    pool: ThreadPool,
}

impl<G: TreeRules + Send> RootParallel<G> {
    /// Creates one tree per thread. `tree` gets the tree's seed. Fails if the system refuses the threads.
    pub fn new(
        threads: usize,
        seed: u64,
        tree: impl FnMut(u64) -> OneTree<G>,
    ) -> Result<RootParallel<G>, Fault> {
        let seeds = (0..threads as u32).map(|number| tree_seed(seed, number));
        Ok(RootParallel {
            trees: seeds.map(tree).collect(),
            pool: pool_of(threads)?,
        })
    }
}

/// Grows `trees` trees and returns the results. Each thread of a pool grows one tree after another.
pub(super) fn grown_in(
    pool: &ThreadPool,
    trees: usize,
    grow: &(dyn Fn(usize) -> Result<Grown, Fault> + Sync),
) -> Result<Vec<Grown>, Fault> {
    let each = (0..trees).into_par_iter().with_max_len(1);
    pool.install(|| each.map(grow).collect())
}

impl<P: Play, G: Roots<P> + Send> Chooser<P> for RootParallel<G> {
    fn choose(&mut self, at: &At<'_, P>, effort: Effort) -> Result<Choice<P::Move>, Fault> {
        let At { play, position } = *at;
        let started = Instant::now();
        if !matches!(play.turn(position), Turn::Move) {
            return Ok(Choice::none());
        }
        let trees = self.trees.len() as u64;
        let share = |place: u64| match effort {
            Effort::Iterations(all) => {
                Effort::Iterations(all / trees + u64::from(place < all % trees))
            }
            time => time,
        };
        check_effort(share(0))?;
        let Some(root) = self.trees.first().map(|tree| tree.mcts.game.root(position)) else {
            return Ok(Choice::none());
        };
        let trees: Vec<_> = self.trees.iter_mut().map(Mutex::new).collect();
        let grow = |place: usize| {
            // Each tree is locked only once, so no thread ever waits.
            let mut tree = trees[place].lock().unwrap_or_else(PoisonError::into_inner);
            let pace = Pace {
                effort: share(place as u64),
                leaves: tree.leaves,
                started,
            };
            tree.grow(&root, &pace)
        };
        let grown = grown_in(&self.pool, trees.len(), &grow)?;
        let merged = grown.into_iter().reduce(merge).unwrap_or_default();
        Ok(choice(&play.moves(position), merged))
    }

    fn telemetry(&mut self) -> Telemetry {
        let count = self.trees.len();
        Telemetry::noted(match count {
            1 => "1 trees".to_owned(),
            _ => format!("{count} trees on {count} threads"),
        })
    }
}

fn joined(notes: [String; 2]) -> String {
    let said = notes.into_iter().filter(|note| !note.is_empty());
    said.collect::<Vec<_>>().join(", ")
}

/// Merges the results of two trees with the same root.
pub fn merge(mut one: Grown, other: Grown) -> Grown {
    for (own, more) in one.visits.iter_mut().zip(&other.visits) {
        *own += more;
    }
    Grown {
        visits: one.visits,
        nodes: one.nodes + other.nodes,
        depth: one.depth.max(other.depth),
        playouts: one.playouts + other.playouts,
        plies: one.plies + other.plies,
    }
}

/// Maximum number of playouts per leaf.
pub const MOST_PLAYOUTS: u32 = 1_024;
whole_numbers! {
    /// The parameter `leaves`.
    pub number LEAVES, read_leaves: "leaves", 1..=65_536, "4096",
        "a whole number from 1 to 65536: maximum number of leaves in a batch";

    /// The parameter `playouts`. The default is 32, as in the paper.
    pub number PLAYOUTS, read_playouts: "playouts", 1..=MOST_PLAYOUTS.into(), "32",
        "a whole number from 1 to 1024: number of playouts per leaf";
}

/// The parameter `playouts` for a search with one leaf at a time. The default is 1, as in UCT.
pub const PLAYOUTS_OF_ONE: ParamEntry = ParamEntry {
    default: "1",
    ..PLAYOUTS
};

/// UCT's exploration constant.
#[expect(clippy::approx_constant, reason = "the trees depend on it")]
pub const C: f64 = 1.414_213_56;

fn value(params: &Params, entry: &ParamEntry) -> Value {
    let given = params.get(entry.name).cloned();
    given.unwrap_or_else(|| Value::parse(entry.default))
}

/// The parameters of a tree search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Maximum number of leaves in a batch.
    pub leaves: u32,
    /// Number of playouts per leaf.
    pub playouts: u32,
    /// Maximum number of nodes in the tree. Games with large positions reduce it.
    pub most_nodes: usize,
}

impl Settings {
    /// Reads [`LEAVES`] and [`PLAYOUTS`], with their defaults.
    pub fn read(params: &Params) -> Result<Settings, String> {
        Ok(Settings {
            leaves: read_leaves(&value(params, &LEAVES))? as u32,
            playouts: read_playouts(&value(params, &PLAYOUTS))? as u32,
            most_nodes: MOST_NODES,
        })
    }

    /// The settings of plain UCT, with one leaf at a time and one playout per leaf.
    pub const TEXTBOOK: Settings = Settings {
        leaves: 1,
        playouts: 1,
        most_nodes: MOST_NODES,
    };

    /// Selects one leaf at a time. Reads [`PLAYOUTS_OF_ONE`]. Fails like [`Settings::read`].
    pub fn leaf_by_leaf(params: &Params) -> Result<Settings, String> {
        Ok(Settings {
            playouts: read_playouts(&value(params, &PLAYOUTS_OF_ONE))? as u32,
            ..Settings::TEXTBOOK
        })
    }

    /// Returns the parameters of a search with these settings. The next batch is selected ahead, unless batches have
    /// one leaf.
    pub fn uct(self, seed: u64) -> Uct {
        Uct {
            c: C,
            overlap: self.leaves > 1,
            most_nodes: self.most_nodes,
            seed,
        }
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod settings_tests {
    use super::*;

    #[test]
    fn parameters_that_make_no_sense_are_named() {
        let read =
            |name: &str, value: Value| Settings::read(&Params::from([(name.to_owned(), value)]));
        let defaults = Settings::read(&Params::new()).unwrap();
        assert_eq!((defaults.leaves, defaults.playouts), (4096, 32));
        for (name, value) in [
            ("leaves", Value::Int(0)),
            ("leaves", Value::Int(65_537)),
            ("playouts", Value::Text("32".into())),
            ("playouts", Value::Int(1_025)),
        ] {
            let wrong = read(name, value.clone()).unwrap_err();
            let expected = format!("{name}: `{value}`; allowed is ");
            assert!(wrong.starts_with(&expected), "{wrong}");
        }
    }
}
