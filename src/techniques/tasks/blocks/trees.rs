//! `mcts-block`: one tree per work-group, with trees and playouts on the device.

use std::time::{Duration, Instant};

use super::{BlockGame, GROUPS, MOST_MOVES, NODES, most_moves, read_groups, read_nodes, tree_key};
use crate::opencl::{LAUNCH_LIMIT, Quirks};
use crate::random::{MOST_PLAYOUTS, draw_key};
use crate::search::explore;
use crate::techniques::prelude::*;
use crate::techniques::tasks::choose::first_largest;
use crate::techniques::tasks::device_leaves::GamesLayout;
use crate::techniques::tasks::flat_refill::{GROUP, LANES};
use crate::techniques::tasks::mcts::C;
use crate::techniques::tasks::tree_search::prepare_tree;
use crate::techniques::tasks::{At, Cased, Choice, Chooser, Effort, Play, Turn};

/// Creates the technique, in which each work-group has a tree in its own part of global memory. Rocki and Suda call
/// this "block parallelism", but keep the trees on the host ("Large-Scale Parallel Monte Carlo Tree Search on GPU",
/// 2011). The first work-item selects a leaf by UCT. Each work-item plays a random game from the leaf (or one per
/// lane), and the first work-item backs up the points. At the end, the visits are summed. Groups are independent, and
/// the host only launches rounds until the time is up.
///
/// An iteration selects one leaf. Iterations are distributed evenly over the groups, and the first groups get the
/// remainder. The answer depends on the number of groups and of games per leaf. The reference
/// [`mcts-block-rayon`](super::host::technique) grows the same trees in the chosen [shape](Telemetry::shape). The
/// comparable baseline is `mcts-rayon` with equal playouts per leaf. A full tree stops growing, and games start from
/// its existing leaves. The time per leaf is the time of the group's longest game plus the selection.
pub const fn technique<G: BlockGame>() -> Technique {
    Technique {
        entry: TechniqueEntry {
            name: "mcts-block",
            summary: "UCT with one tree per work-group and one playout per work-item",
            paper: "ours; block parallelism of Rocki and Suda (2011), with the trees on the device",
            needs: G::NEEDS,
            like: "mcts-rayon",
            reference: "mcts-block-rayon",
            counts: Counts::As("mcts-block-rayon"),
            tasks: &[Task::Choose, Task::Match],
            params: G::PARAMS,
            check: |case, _| G::Play::takes_random_games(case),
            splits: true,
            ..TechniqueEntry::DEVICE
        },
        trials: G::TRIALS,
        prepare: |setup| prepare_tree(setup, |_, game: G| Ok(Box::new(Trees::new(setup, game)?))),
    }
}

/// Number of groups per compute unit on a GPU. While work-item 0 of one group selects, others play games.
const GROUPS_A_UNIT: usize = 4;

/// Number of words in a group's state before the visits to the root's moves, and each word's index, as in the kernel.
const STATE_WORDS: usize = 7;
const STATE_USED: usize = 0;
const STATE_MADE: usize = 1;
const STATE_DEPTH: usize = 2;
const STATE_LEAVES: usize = 3;
const STATE_PLIES: usize = 4;
const STATE_OVER: usize = 6;

/// Number of words in a node's statistics.
const NODE_WORDS: usize = 4;

/// Default limits: bytes in each of the two buffers, and nodes per group.
const MOST_BYTES: u64 = 2 << 30;
const MOST_NODES: u64 = 1 << 22;

/// Minimum number of nodes per group.
const LEAST_NODES: u64 = 64;

/// The trees on a device, and the kernel that grows them.
struct Trees<G> {
    game: G,
    run: Runner,
    root: Buffer<u32>,
    states: Buffer<u32>,
    /// The root's position and the game's tables.
    packed: Vec<u32>,
    read: Vec<u32>,
    groups: usize,
    limit: Duration,
    quirks: Quirks,
    /// Maximum number of nodes per group.
    room: u32,
    /// Number of games per leaf.
    playouts: u64,
    layout: GamesLayout,
}

impl<G: BlockGame> Trees<G> {
    /// Builds the program and launches its kernel once, because some drivers compile for each work-group size at first use.
    fn new(setup: &Setup<'_>, game: G) -> Result<Trees<G>, Fault> {
        let device = setup.on_device()?;
        let (layout, notes) = game.layout(setup.params, device)?;
        let groups = groups(setup, device)?;
        let room = room(setup, device, groups, G::WORDS)?;
        let playouts = layout.group * layout.lanes;
        let mut run = build::<G>(setup, device, &layout)?;
        run.notes = format!(
            "{notes}, {groups} groups of {room} nodes, private {} bytes, built with {}",
            run.kernel.private_bytes(),
            run.options
        );
        let nodes = groups * room as usize;
        let mut packed = vec![0; G::WORDS];
        game.tables(&mut packed);
        let root = run.buffer("root", packed.len(), Access::Read)?;
        run.buffer::<u32>("all_positions", nodes * G::WORDS, Access::ReadWrite)?;
        run.buffer::<u32>("all_nodes", nodes * NODE_WORDS, Access::ReadWrite)?;
        let words = groups * (STATE_WORDS + MOST_MOVES);
        let states = run.buffer("states", words, Access::ReadWrite)?;
        run.set(&[
            ("key", &draw_key(setup.seed)),
            ("tree_key", &tree_key(setup.seed)),
            ("explore", &explore(C, playouts as u32)),
            ("most_nodes", &room),
        ])?;
        let mut trees = Trees {
            game,
            limit: device.launch_limit().unwrap_or(LAUNCH_LIMIT),
            quirks: device.quirks().clone(),
            run,
            root,
            states,
            packed,
            read: Vec::new(),
            groups,
            room,
            playouts: playouts as u64,
            layout,
        };
        // This root is an empty board, on which the game is over.
        trees.plant(0)?;
        trees.grow(0, Rounds { count: 1, groups })?;
        trees.run.telemetry();
        Ok(trees)
    }

    /// Sets the root of the trees in the next launches. The root is the packed position, which has `moves` moves.
    fn plant(&mut self, moves: usize) -> Result<(), Fault> {
        most_moves(moves, self.room as usize)?;
        self.read.clear();
        self.read.resize(self.groups * (STATE_WORDS + moves), 0);
        self.run.queue.write(&self.root, &self.packed)?;
        self.run.set(&[("moves", &(moves as u32))])
    }

    /// Launches rounds and waits for them.
    fn grow(&mut self, before: u64, rounds: Rounds) -> Result<(), Fault> {
        self.run.set(&[
            ("first", &(before as u32)),
            ("rounds", &(rounds.count as u32)),
            ("active", &(rounds.groups as u32)),
        ])?;
        self.run.launch_groups(self.groups)?;
        self.run.queue.finish()
    }

    /// Returns the combined result of all trees after `leaves` selected leaves.
    fn harvest<M: Copy>(&mut self, moves: &[M], leaves: u64) -> Result<Choice<M>, Fault> {
        self.run.queue.read(&self.states, &mut self.read)?;
        let mut visits = vec![0_u64; moves.len()];
        let (mut nodes, mut depth, mut over) = (0, 0, 0);
        let mut counters = Counters::default();
        for state in self.read.chunks_exact(STATE_WORDS + moves.len()) {
            nodes += u64::from(state[STATE_MADE]);
            depth = depth.max(u64::from(state[STATE_DEPTH]));
            counters.leaves += u64::from(state[STATE_LEAVES]);
            over += u64::from(state[STATE_OVER]);
            counters.plies +=
                u64::from(state[STATE_PLIES]) | u64::from(state[STATE_PLIES + 1]) << 32;
            for (sum, more) in visits.iter_mut().zip(&state[STATE_WORDS..]) {
                *sum += u64::from(*more);
            }
        }
        let counted = visits.iter().sum::<u64>();
        if counters.leaves != leaves || counted != leaves {
            return Err(self.quirks.unfinished(format!(
                "kernel `mcts_block` did not finish: {leaves} leaves asked for, {} selected, {counted} \
                 counted",
                counters.leaves
            )));
        }
        counters.nodes = nodes;
        // As on the host, leaves in finished games have no playouts.
        counters.playouts = leaves.saturating_sub(over) * self.playouts;
        Ok(Choice {
            best: first_largest(&visits).map(|place| moves[place]),
            visits,
            tree_nodes: nodes,
            tree_depth: depth,
            counters,
            ..Choice::none()
        })
    }

    /// Returns the maximum number of rounds that overflow neither a counter nor the playout numbers.
    fn most_rounds(&self) -> u64 {
        MOST_ROUNDS.min(MOST_PLAYOUTS / (self.playouts * self.groups as u64))
    }
}

impl<G: BlockGame> Chooser<G::Play> for Trees<G> {
    fn choose(
        &mut self,
        at: &At<'_, G::Play>,
        effort: Effort,
    ) -> Result<Choice<<G::Play as Play>::Move>, Fault> {
        let At { play, position } = *at;
        let started = Instant::now();
        let groups = self.groups as u64;
        let most = self.most_rounds();
        if let Effort::Iterations(all) = effort
            && all.div_ceil(groups) > most
        {
            return Err(Fault::Unsupported(format!(
                "effort: {all} iterations; {groups} trees count at most {}",
                most * groups
            )));
        }
        if !matches!(play.turn(position), Turn::Move) {
            return Ok(Choice::none());
        }
        let moves = play.moves(position);
        self.packed.clear();
        self.game.pack(&self.game.root(position), &mut self.packed);
        self.game.tables(&mut self.packed);
        self.plant(moves.len())?;
        let pace = Pace {
            effort,
            groups: self.groups,
            most,
            limit: self.limit,
        };
        let (mut done, mut leaves) = (0, 0);
        while let Some(rounds) = pace.next(done, leaves, started.elapsed()) {
            self.grow(done, rounds)?;
            done += rounds.count;
            leaves += rounds.count * rounds.groups as u64;
        }
        self.harvest(&moves, leaves)
    }

    fn telemetry(&mut self) -> Telemetry {
        let shape = [
            (GROUPS.name, self.groups as i64),
            (GROUP.name, self.layout.group as i64),
            (LANES.name, self.layout.lanes as i64),
            (NODES.name, self.room.into()),
        ];
        let of = |(name, number): (&str, i64)| (name.to_owned(), Value::Int(number));
        Telemetry {
            resources: self.run.resources(),
            shape: shape.map(of).into(),
            ..self.run.telemetry()
        }
    }
}

/// Builds the kernel with the constants that describe a group's state.
fn build<G: BlockGame>(
    setup: &Setup<'_>,
    device: &Device,
    layout: &GamesLayout,
) -> Result<Runner, Fault> {
    let state = [
        ("STATE_WORDS", STATE_WORDS),
        ("STATE_USED", STATE_USED),
        ("STATE_MADE", STATE_MADE),
        ("STATE_DEPTH", STATE_DEPTH),
        ("STATE_LEAVES", STATE_LEAVES),
        ("STATE_PLIES", STATE_PLIES),
        ("STATE_OVER", STATE_OVER),
    ];
    let mut defines = layout.defines.clone();
    defines.extend(state.map(|(name, value)| (name, value.to_string())));
    // In a group of one work-item, barriers have no effect.
    let needs = BuildNeeds {
        barriers_in_loops: layout.group > 1,
        ..BuildNeeds::default()
    };
    let program = device.build(G::KERNEL, &defines, setup.kernels, needs)?;
    Runner::new(
        device,
        &program,
        program.kernel("mcts_block")?,
        layout.group,
    )
}

/// Returns the number of work-groups, each with a tree.
fn groups(setup: &Setup<'_>, device: &Device) -> Result<usize, Fault> {
    let units = (device.info().compute_units as usize).max(1);
    let usual = match device.info().kind {
        DeviceKind::Cpu => units,
        _ => units * GROUPS_A_UNIT,
    };
    Ok(GROUPS
        .given(setup.params, None, read_groups)?
        .unwrap_or(usual))
}

/// Returns the number of nodes per group, given `words` words per position.
fn room(setup: &Setup<'_>, device: &Device, groups: usize, words: usize) -> Result<u32, Fault> {
    let info = device.info();
    let bytes = MOST_BYTES
        .min(info.global_memory_bytes / 16)
        .min(info.max_allocation_bytes);
    let usual = bytes / (4 * words.max(NODE_WORDS) * groups) as u64;
    let given = NODES.given(setup.params, None, read_nodes)?;
    Ok(given.map_or(usual.clamp(LEAST_NODES, MOST_NODES), |nodes| nodes as u64) as u32)
}

/// Maximum number of rounds from one root, so that the counter in a node does not overflow.
const MOST_ROUNDS: u64 = u32::MAX as u64 - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rounds {
    /// Number of leaves per active group.
    count: u64,
    groups: usize,
}

/// Computes the sizes of the launches for a choice.
struct Pace {
    effort: Effort,
    groups: usize,
    /// Maximum number of rounds over all launches.
    most: u64,
    /// Maximum predicted time of a launch.
    limit: Duration,
}

impl Pace {
    /// Returns the next launch after `done` rounds and `leaves` leaves in `spent`, or `None` at the end. Launch sizes
    /// double up to the limit. If the effort is a time, a launch has half of the rounds that are predicted to fit.
    fn next(&self, done: u64, leaves: u64, spent: Duration) -> Option<Rounds> {
        let within = |time: Duration| {
            let rounds = time.as_nanos() * u128::from(done) / spent.as_nanos().max(1);
            u64::try_from(rounds).unwrap_or(u64::MAX)
        };
        let longest = done.min(within(self.limit)).max(1);
        let (left, groups) = match self.effort {
            Effort::Iterations(all) => {
                let whole = all / self.groups as u64 - leaves / self.groups as u64;
                match whole {
                    0 => (u64::from(all > leaves), (all - leaves) as usize),
                    _ => (whole, self.groups),
                }
            }
            Effort::Time(_) if done == 0 => (1, self.groups),
            Effort::Time(time) => {
                let fits = within(time.saturating_sub(spent)).min(self.most - done);
                (fits.div_ceil(2), self.groups)
            }
        };
        let count = left.min(longest);
        (count > 0).then_some(Rounds { count, groups })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a choice in which each round takes `round`. Returns all launches, and the number of leaves.
    fn launches(effort: Effort, groups: usize, round: Duration) -> (Vec<Rounds>, u64) {
        let pace = Pace {
            effort,
            groups,
            most: MOST_ROUNDS,
            limit: Duration::from_millis(50),
        };
        let (mut all, mut done, mut leaves) = (Vec::new(), 0, 0);
        while let Some(rounds) = pace.next(done, leaves, round * done as u32) {
            done += rounds.count;
            leaves += rounds.count * rounds.groups as u64;
            all.push(rounds);
        }
        (all, leaves)
    }

    #[test]
    fn launches_come_to_the_number_of_iterations() {
        for (iterations, groups) in [(1, 4), (4, 4), (7, 4), (1_000, 7), (1_001, 1), (98, 99)] {
            let effort = Effort::Iterations(iterations);
            let (all, leaves) = launches(effort, groups, Duration::from_micros(100));
            assert_eq!(leaves, iterations, "{iterations} over {groups}");
            let partial = all.iter().filter(|rounds| rounds.groups < groups);
            let expected = u64::from(iterations % groups as u64 > 0);
            assert_eq!(partial.count() as u64, expected, "{all:?}");
        }
    }

    #[test]
    fn launches_double_stay_short_and_end_in_time() {
        let round = Duration::from_micros(100);
        let time = Duration::from_secs(1);
        let (all, leaves) = launches(Effort::Time(time), 1, round);
        let counts: Vec<u64> = all.iter().map(|rounds| rounds.count).collect();
        assert_eq!(counts[..5], [1, 1, 2, 4, 8]);
        assert_eq!(counts.iter().max(), Some(&500), "50 ms");
        assert_eq!(counts.last(), Some(&1));
        assert_eq!(leaves, 10_000, "all that fits");
        assert!(all.len() < 60, "{}", all.len());
    }

    #[test]
    fn a_time_shorter_than_a_round_has_one() {
        let long = Duration::from_millis(3);
        let effort = Effort::Time(Duration::from_millis(1));
        assert_eq!(launches(effort, 9, long).1, 9);
    }
}
