//! `flat`: plays random games as published, with one launch per first move.

use std::ops::Range;
use std::time::Instant;

use super::device_games::{self, GROUP, LANES, Layout, Root};
use super::hard::{self, FEW_PLAYOUTS, PLAYOUTS};
use super::tasks::{self, Draughts, RandomPlayer};
use crate::games::checkers::{Position, Rules};
use crate::opencl::Mark;
use crate::techniques::lanes::Lanes;
use crate::techniques::prelude::*;
use crate::techniques::tasks::flat_refill::warm_up;
use crate::techniques::tasks::random_games::{FIRST, Steps, with_efficiency};
use crate::techniques::tasks::runner;

/// The paper's device program ("Flat" Monte Carlo), with one launch per root move and one thread per game. The host
/// counts a move's results while the device plays the games of the next move. A warp takes as long as its longest game.
pub const FLAT: Technique = Technique {
    entry: TechniqueEntry {
        name: "flat",
        summary: "random games as published, with one launch per first move and one work-item per game",
        paper: "\"Flat\" Monte Carlo",
        needs: "four bytes per game",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[GROUP, LANES, DEVICES],
        splits: true,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("", hard::FLAT),
        Trial::new("lanes=1 group=24", FEW_PLAYOUTS),
    ],
    prepare: |setup| prepare_with(setup, &PROGRAM),
};

/// Maximum number of games per launch: 16 MiB of results, about 10 ms on a GPU.
pub(super) const MOST: u64 = 1 << 22;

/// Returns the range of batch sizes in a choice, from the first batch to the largest (about 0.1 s).
pub(super) fn batches(device: &Device) -> Range<u64> {
    match device.info().kind {
        DeviceKind::Cpu => 2_000..1_000_000,
        _ => 100_000..1 << 26,
    }
}

/// A kernel that plays one game per lane from one first move. It has the same arguments and results as `flat`.
pub(super) struct Program {
    /// The kernel file, and the kernel's name.
    pub kernel: (&'static str, &'static str),
    pub defines: fn(&Rules) -> Defines,
    /// Number of games per work-item, or `None` to use the parameter `lanes`.
    pub lanes: Option<usize>,
    pub root: fn(Rules, &Position, u64) -> Root,
    /// Whether a game is seeded by its thread number in launches of [`MOST`] games, instead of by key and playout.
    pub by_thread: bool,
}

const PROGRAM: Program = Program {
    kernel: ("checkers/flat.cl", "flat"),
    defines: device_games::defines,
    lanes: None,
    root: Root::new,
    by_thread: false,
};

/// The variant with the paper's generator. Each work-item seeds the generator with its number in the launch.
pub(super) const XORSHIFT_PROGRAM: Program = Program {
    defines: |rules| {
        let mut defines = device_games::defines(rules);
        defines.push(("XORSHIFT", "1".to_owned()));
        defines
    },
    by_thread: true,
    ..PROGRAM
};

/// Prepares a technique that distributes games like `flat`. Fails like [`Technique::prepare`].
pub(super) fn prepare_with(setup: &Setup<'_>, program: &'static Program) -> Prepared {
    let device = setup.on_device()?;
    tasks::prepare_flat(setup, batches(device), |play| {
        Ok(Box::new(Flat::new(play, setup, device, program)?))
    })
}

/// Result codes (`WON`, `DRAWN`, `LOST` and `FULL` in the kernels).
const WON: u32 = 0;
const DRAWN: u32 = 1;
/// The game stopped because its move list was full.
const FULL: u32 = 3;

struct Flat {
    program: &'static Program,
    rules: Rules,
    seed: u64,
    run: Runner,
    /// The results of two launches. The host counts one launch while the device runs the other.
    results: [Buffer<u32>; 2],
    steps: Buffer<u32>,
    layout: Layout,
    budget: LaunchBudget,
    roots: Vec<Root>,
    read: Vec<u32>,
    efficiency_ppm: u64,
}

/// A launch that is still running, or whose games have not been counted yet.
struct Launched {
    mark: Mark,
    buffer: usize,
    mv: usize,
    count: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counted {
    wins: u32,
    draws: u32,
    /// Number of games that stopped because a move list was full.
    full: u32,
    plies: u64,
}

/// Counts results without branches, so that the compiler can vectorise the loop.
fn count(games: &[u32]) -> Counted {
    let mut counted = Counted::default();
    for game in games {
        counted.wins += u32::from(game & 3 == WON);
        counted.draws += u32::from(game & 3 == DRAWN);
        counted.full += u32::from(game & 3 == FULL);
        counted.plies += u64::from(game >> 2);
    }
    counted
}

/// Sums the steps of all lanes. Each bundle of `width` work-items in a group takes as long as its slowest work-item.
fn steps_of(items: &[u32], layout: &Layout) -> u64 {
    let items: Vec<u64> = items.iter().map(|steps| u64::from(*steps)).collect();
    let mut lanes = Lanes::of(layout.group, layout.width);
    lanes.add(&items);
    lanes.counted().1 * layout.lanes as u64
}

impl Flat {
    /// Builds the program and warms it up, because some drivers compile at first use. Also measures the efficiency.
    fn new(
        play: &Draughts,
        setup: &Setup<'_>,
        device: &Device,
        program: &'static Program,
    ) -> Result<Flat, Fault> {
        let rules = *play.game.rules();
        let mut layout = Layout::read(setup.params, device)?;
        layout.lanes = program.lanes.unwrap_or(layout.lanes);
        let mut defines = (program.defines)(&rules);
        layout.define(&mut defines);
        let run = runner(
            setup,
            program.kernel,
            &defines,
            layout.group,
            &layout.notes(),
        )?;
        let games = (MOST as usize).next_multiple_of(layout.games() as usize);
        let results = || device.buffer(games, Access::Write);
        let mut player = Flat {
            program,
            rules,
            seed: setup.seed,
            run,
            results: [results()?, results()?],
            steps: device.buffer(games / layout.lanes, Access::Write)?,
            roots: Vec::new(),
            read: Vec::new(),
            efficiency_ppm: 0,
            budget: LaunchBudget::new(device, FIRST),
            layout,
        };
        player.load(&[play.position])?;
        let playouts = warm_up(play.amount.playouts, layout.games(), device);
        if player.budget.next().is_some() {
            player.play_all(0, 0..FIRST.min(playouts), None)?;
        }
        let mut steps = Steps::default();
        player.play_all(0, 0..playouts, Some(&mut steps))?;
        player.efficiency_ppm = steps.efficiency_ppm();
        player.telemetry();
        Ok(player)
    }

    /// Launches at most [`MOST`] games from one move. The first game has the number `from` and the thread `thread`.
    fn launch(
        &mut self,
        index: usize,
        from: u64,
        thread: u64,
        count: u64,
        buffer: usize,
    ) -> Result<Launched, Fault> {
        let root = &self.roots[index];
        let key = match self.program.by_thread {
            true => thread as u32,
            false => root.key,
        };
        let mv = (from % u64::from(root.moves)) as usize;
        let words = &root.children[mv * device_games::CHILD_WORDS..][..device_games::CHILD_WORDS];
        let shared = [root.down, root.moves, key];
        let names = ["own", "other", "kings", "quiet", "down", "moves", "key"];
        for (name, argument) in names.into_iter().zip(words.iter().chain(&shared)) {
            self.run.set(&[(name, argument)])?;
        }
        self.run.set(&[
            ("low", &(from as u32)),
            ("high", &((from >> 32) as u32)),
            ("count", &(count as u32)),
            ("results", &self.results[buffer]),
            ("steps", &self.steps),
        ])?;
        let count = count as usize;
        self.run.launch_groups(self.groups(count))?;
        let mark = self.run.queue.mark()?;
        self.run.queue.flush()?;
        Ok(Launched {
            mark,
            buffer,
            mv,
            count,
        })
    }

    fn groups(&self, games: usize) -> usize {
        games.div_ceil(self.layout.games() as usize)
    }

    /// Waits for a launch, and adds its results to a tally.
    fn count(&mut self, games: &Launched, tally: &mut Tally) -> Result<(), Fault> {
        self.read.resize(games.count, 0);
        let results = &self.results[games.buffer];
        self.run
            .queue
            .read_after(&games.mark, results, &mut self.read)?;
        let counted = count(&self.read);
        if counted.full > 0 {
            return Err(Fault::Device(format!(
                "kernel `{}`: a position has more moves than its list has room for",
                self.program.kernel.1
            )));
        }
        let (wins, draws) = (u64::from(counted.wins), u64::from(counted.draws));
        let of_move = &mut tally.by_first_move[games.mv];
        of_move.0 += wins;
        of_move.1 += draws;
        of_move.2 += games.count as u64 - wins - draws;
        tally.plies += counted.plies;
        Ok(())
    }

    /// Plays these playouts. Counts the results of each launch while the next one runs, unless `steps` is given.
    fn play_all(
        &mut self,
        index: usize,
        playouts: Range<u64>,
        mut steps: Option<&mut Steps>,
    ) -> Result<Tally, Fault> {
        let root = &self.roots[index];
        let moves = u64::from(root.moves);
        if moves == 0 || playouts.is_empty() {
            return Ok(root.host.tally(playouts));
        }
        let mut tally = Tally::of_first_moves(root.moves as usize);
        let mut before: Option<Launched> = None;
        for first in playouts.start..playouts.end.min(playouts.start + moves) {
            let mut left = (playouts.end - first).div_ceil(moves);
            let mut from = first;
            while left > 0 {
                // Thread numbers restart after every MOST games, regardless of the launch sizes.
                let thread = (from - first) / moves % MOST;
                let most = self.budget.next().unwrap_or(MOST).min(MOST);
                let count = left.min(most).min(MOST - thread);
                let start = Instant::now();
                let other = before.as_ref().map_or(0, |before| 1 - before.buffer);
                let launched = self.launch(index, from, thread, count, other)?;
                if let Some(steps) = steps.as_deref_mut() {
                    steps.steps += self.read_steps(count as usize)?;
                }
                if let Some(before) = before.replace(launched) {
                    self.count(&before, &mut tally)?;
                }
                // A launch with fewer games than planned is short. There is no need to wait for it or to time it.
                if most < MOST && (count == most || !self.budget.knows_a_rate()) {
                    self.run.queue.finish()?;
                    self.budget.learn(count, start.elapsed());
                }
                from += count * moves;
                left -= count;
            }
        }
        if let Some(last) = before {
            self.count(&last, &mut tally)?;
        }
        self.run.queue.finish()?;
        tally.add_up();
        if let Some(steps) = steps {
            // The host plays the first ply of each game.
            steps.plies += tally.plies - tally.playouts();
        }
        Ok(tally)
    }

    /// Returns the number of steps in the last launch, which had `games` games.
    fn read_steps(&mut self, games: usize) -> Result<u64, Fault> {
        self.read.resize(self.groups(games) * self.layout.group, 0);
        self.run.queue.read(&self.steps, &mut self.read)?;
        Ok(steps_of(&self.read, &self.layout))
    }
}

impl RandomPlayer<Draughts> for Flat {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let root = |position| (self.program.root)(self.rules, position, self.seed);
        self.roots = positions.iter().map(root).collect();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        self.play_all(index, playouts, None)
    }

    fn telemetry(&mut self) -> Telemetry {
        with_efficiency(&mut self.run, self.efficiency_ppm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_those_in_step_counts_for_all() {
        let layout = |group, lanes, width| Layout {
            group,
            lanes,
            steps: 1,
            width,
        };
        let items = [10, 5, 4, 1, 8, 2];
        assert_eq!(steps_of(&items, &layout(1, 1, 1)), 30);
        assert_eq!(steps_of(&items, &layout(6, 1, 2)), 2 * (10 + 4 + 8));
        // The last bundle of a group may have idle lanes.
        let found = steps_of(&items, &layout(3, 16, 2));
        assert_eq!(found, 2 * 16 * (10 + 4 + 8 + 2));
        assert_eq!(steps_of(&[], &layout(4, 1, 4)), 0);
        let steps = Steps { plies: 3, steps: 4 };
        assert_eq!(steps.efficiency_ppm(), 750_000);
        assert_eq!(Steps::default().efficiency_ppm(), 0);
    }

    #[test]
    fn results_are_counted_by_their_two_bits() {
        let games: Vec<u32> = (0..1_000)
            .map(|game| (game % 3) | ((game + 1) << 2))
            .collect();
        let counted = count(&games);
        assert_eq!((counted.wins, counted.draws, counted.full), (334, 333, 0));
        assert_eq!(counted.plies, 1_000 * 1_001 / 2);
        assert_eq!(count(&[WON, FULL | (8 << 2), DRAWN]).full, 1);
        let most = [u32::MAX; 9];
        assert_eq!(count(&most).plies, 9 * u64::from(u32::MAX >> 2));
    }
}
