//! `flat`: random games as published, with a launch for each first move.

use std::ops::Range;

use super::device_games::{self, GROUP, LANES, Layout, Root, STEPS, Steps};
use super::hard::{FEW_PLAYOUTS, FLAT, PLAYOUTS};
use super::tasks::{self, Draughts, RandomPlayer, Wanted};
use crate::games::checkers::{Position, Rules};
use crate::opencl::{Access, Buffer, BuildNeeds, Defines, Device, DeviceKind, Mark, Runner};
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{DEVICES, Fault, Params, Tally, Task, TechniqueEntry, Telemetry, resource};

/// The paper's device program ("Flat" Monte Carlo): a kernel launch for each root move, a thread per game,
/// results counted by the host.
///
/// It plays the same playouts as `serial`: for each move, those whose number modulo the number of moves is
/// the move's. Its step is `flat-refill`'s, so the two differ only in the distribution of games and the
/// transfer of results. It has two bounds that `flat-refill` has not: a warp takes as long as its longest
/// game, and the host reads and counts four bytes a game. Meanwhile the device plays the next move's games,
/// with another buffer.
///
/// An H200 played 1,000,000 games from the start (any capture, draw after 80) in 2.2 ms of kernel time. When
/// each launch waited until the previous one was read and counted, a game at a time, the total was 4.6 ms,
/// 2.2 of them on the host, and a choice of 1 s played 321 million games a second; in this form it plays 524
/// million (`reports/nvidia-h200/checkers-choose`).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "flat",
        summary: "random games as published: a launch for each first move, a work-item a game, counted on the host",
        paper: "\"Flat\" Monte Carlo",
        needs: "four bytes a game",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[GROUP, LANES, STEPS, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("", FLAT),
        Trial::new("lanes=1 group=24", FEW_PLAYOUTS),
    ],
    prepare: |setup| prepare_with(setup, &PROGRAM),
};

/// Limit of the games in a launch: 16 MiB of results, and about 10 ms on a GPU.
pub(super) const MOST: u64 = 1 << 22;

/// On a processor, playouts of a choice's first batch, and the limit of a batch.
const PROCESSOR_BATCHES: Range<u64> = 2_000..1_000_000;

/// The same for other devices.
const BATCHES: Range<u64> = 100_000..1 << 26;

/// A kernel that plays one game a lane from one first move; it has the arguments and the results of `flat` in
/// `flat.cl`.
pub(super) struct Program {
    /// Path of the file below `cl`.
    pub path: &'static str,
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Constants in addition to those of [`Layout::defines`].
    pub defines: fn(&Rules, &Params) -> Result<Defines, Fault>,
    /// Games per work-item; `None` if the parameter decides.
    pub lanes: Option<usize>,
    /// The first moves in the kernel's form.
    pub root: fn(Rules, &Position, u64) -> Root,
}

/// The program of `flat`.
const PROGRAM: Program = Program {
    path: "checkers/flat.cl",
    kernel: "flat",
    defines: |rules, _| Ok(device_games::defines(rules)),
    lanes: None,
    root: Root::new,
};

/// The program of `flat-xorshift`: the paper's generator, seeded in each work-item with its number in the
/// launch.
pub(super) const XORSHIFT_PROGRAM: Program = Program {
    defines: |rules, _| {
        let mut defines = device_games::defines(rules);
        defines.push(("XORSHIFT", "1".to_owned()));
        Ok(defines)
    },
    ..PROGRAM
};

/// Prepares a technique that distributes games as `flat` does.
///
/// # Errors
/// As [`Technique::prepare`].
pub(super) fn prepare_with(
    setup: &Setup<'_>,
    program: &'static Program,
) -> Result<Box<dyn Sampler>, Fault> {
    let device = setup.on_device()?;
    let processor = device.info().kind == DeviceKind::Cpu;
    let batches = if processor {
        PROCESSOR_BATCHES
    } else {
        BATCHES
    };
    tasks::prepare_flat(setup, batches, |wanted| {
        Ok(Box::new(Flat::new(wanted, setup, device, program)?))
    })
}

/// Codes of a game's result (`WON`, `DRAWN`, `LOST` and `FULL` in the kernels).
const WON: u32 = 0;
const DRAWN: u32 = 1;
/// The game did not end, because a list had no space for its moves.
const FULL: u32 = 3;

/// The player.
struct Flat {
    program: &'static Program,
    rules: Rules,
    seed: u64,
    run: Runner,
    /// Results of two launches: one is written while the other is counted.
    results: [Buffer<u32>; 2],
    /// Steps of each work-item in a launch.
    steps: Buffer<u32>,
    layout: Layout,
    roots: Vec<Root>,
    read: Vec<u32>,
    efficiency_ppm: u64,
}

/// A launch that is running, or whose games are not counted yet.
struct Launched {
    mark: Mark,
    /// Index of its results buffer.
    buffer: usize,
    /// Index of its first move.
    mv: usize,
    count: usize,
}

/// The results of some games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counted {
    wins: u32,
    draws: u32,
    /// Games that did not end.
    full: u32,
    plies: u64,
}

/// Counts results, branch-free so that the compiler vectorises it.
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

/// The steps of all lanes, given the steps of each work-item: work-items in lock step, `width` at a time in
/// each group, take as long as the longest.
fn steps_of(items: &[u32], layout: &Layout) -> u64 {
    let longest = |items: &[u32]| items.iter().max().copied().unwrap_or(0);
    let groups = items.chunks(layout.group);
    let together = groups.flat_map(|group| group.chunks(layout.width));
    let steps: u64 = together.map(|items| u64::from(longest(items))).sum();
    steps * (layout.width * layout.lanes) as u64
}

impl Flat {
    /// Builds the program and launches it from the case's position, because some drivers compile for a
    /// work-group size at its first use. These games also give the efficiency.
    fn new(
        wanted: &Wanted<'_>,
        setup: &Setup<'_>,
        device: &Device,
        program: &'static Program,
    ) -> Result<Flat, Fault> {
        let rules = *wanted.asked.game.rules();
        let mut layout = Layout::read(setup.params, device)?;
        layout.lanes = program.lanes.unwrap_or(layout.lanes);
        let mut defines = (program.defines)(&rules, setup.params)?;
        defines.extend(layout.defines());
        let needs = BuildNeeds::default();
        let built = device.build(program.path, &defines, setup.kernels, needs)?;
        let run = layout.runner(device, &built, program.kernel, "")?;
        let games = (MOST as usize).next_multiple_of(layout.games() as usize);
        let results = || device.buffer(games, Access::Write);
        let mut player = Flat {
            program,
            rules,
            seed: wanted.seed,
            run,
            results: [results()?, results()?],
            steps: device.buffer(games / layout.lanes, Access::Write)?,
            roots: Vec::new(),
            read: Vec::new(),
            efficiency_ppm: 0,
            layout,
        };
        player.load(&[wanted.asked.position])?;
        let asked = device_games::warm_up(wanted.asked.playouts, &layout, device);
        let mut steps = Steps::default();
        player.play_all(0, 0..asked, Some(&mut steps))?;
        player.efficiency_ppm = steps.efficiency_ppm();
        player.telemetry();
        Ok(player)
    }

    /// Launches at most [`MOST`] games that start with one move, numbered from `from`.
    fn launch(
        &mut self,
        index: usize,
        from: u64,
        count: u64,
        buffer: usize,
    ) -> Result<Launched, Fault> {
        let root = &self.roots[index];
        let mv = (from % u64::from(root.moves)) as usize;
        let words = &root.children[mv * device_games::CHILD_WORDS..][..device_games::CHILD_WORDS];
        let numbers = [from as u32, (from >> 32) as u32, count as u32];
        let shared = [root.down, root.moves, root.key];
        let arguments = words.iter().chain(&shared).chain(&numbers);
        for (place, argument) in (0..).zip(arguments) {
            self.run.kernel.set_scalar(place, *argument)?;
        }
        self.run.kernel.set_buffer(10, &self.results[buffer])?;
        self.run.kernel.set_buffer(11, &self.steps)?;
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

    /// Work-groups for this many games.
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
                self.program.kernel
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

    /// Plays the playouts with these numbers, and counts a launch's results while the next one runs; if steps
    /// are requested, each launch ends before the next.
    fn play_all(
        &mut self,
        index: usize,
        playouts: Range<u64>,
        mut steps: Option<&mut Steps>,
    ) -> Result<Tally, Fault> {
        let root = &self.roots[index];
        let moves = u64::from(root.moves);
        if moves == 0 || playouts.is_empty() {
            return Ok(root
                .host
                .tally(playouts.start..playouts.end.max(playouts.start)));
        }
        let mut tally = Tally::of_first_moves(root.moves as usize);
        let mut before: Option<Launched> = None;
        for first in playouts.start..playouts.end.min(playouts.start + moves) {
            let mut left = (playouts.end - first).div_ceil(moves);
            let mut from = first;
            while left > 0 {
                let count = left.min(MOST);
                let other = before.as_ref().map_or(0, |before| 1 - before.buffer);
                let launched = self.launch(index, from, count, other)?;
                if let Some(steps) = steps.as_deref_mut() {
                    steps.steps += self.read_steps(count as usize)?;
                }
                if let Some(before) = before.replace(launched) {
                    self.count(&before, &mut tally)?;
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

    /// The steps of the last launch, which had `games` games.
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
        let mut resources = self.run.resources();
        resources.push((resource::SIMT_EFFICIENCY.to_owned(), self.efficiency_ppm));
        Telemetry {
            resources,
            ..self.run.telemetry()
        }
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
        // The last work-items of a group have idle lanes beside them.
        assert_eq!(
            steps_of(&items, &layout(3, 16, 2)),
            2 * 16 * (10 + 4 + 8 + 2)
        );
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
