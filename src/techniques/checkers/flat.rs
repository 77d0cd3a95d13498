//! `flat`: random games as published, a launch for each first move.

use std::ops::Range;

use super::device_games::{self, GROUP, LANES, Layout, Root, STEPS};
use super::tasks::{self, Draughts, RandomPlayer, Wanted};
use crate::games::checkers::{Position, Rules};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, DeviceKind, Kernel, Queue};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{
    Fault, Kind, Params, Parts, Resource, Tally, Task, TechniqueEntry, takes_every_case,
};

/// The paper's program for a device ("Flat" Monte Carlo): a kernel for each root move, a thread a
/// game, its result counted by the host.
///
/// It plays the playouts that `serial` plays: those whose number modulo the moves is the move's. Its
/// step is `flat-refill`'s, so that the two differ in how games are handed out and results come back,
/// and in nothing else. Two things bound it that do not bound `flat-refill`: a warp is as slow as its
/// longest game, and four bytes a game go to the host, which counts them.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "flat",
        kind: Kind::Device,
        summary: "random games as published: a launch for each first move, a work-item a game, counted on the host",
        paper: "\"Flat\" Monte Carlo",
        needs: "four bytes a game",
        like: "rayon",
        reference: "serial",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[GROUP, LANES, STEPS],
        check: takes_every_case,
    },
    prepare,
};

/// Games of a launch, at most: 16 MiB of results, and on a GPU some 10 ms.
pub(super) const MOST: u64 = 1 << 22;

/// Playouts of the first batch of a choice, and the most of one, on a processor.
const PROCESSOR_BATCHES: Range<u64> = 2_000..1_000_000;

/// The same on other devices.
const BATCHES: Range<u64> = 100_000..1 << 26;

/// Playouts with which a launch warms up and its efficiency is counted, at most.
const WARM_UP: u64 = 1 << 16;

/// A kernel that plays a game a lane from one first move, as `flat` does in `flat.cl`: it takes the same
/// arguments and writes the same results.
pub(super) struct Program {
    /// The file below `cl`.
    pub path: &'static str,
    /// The kernel in it.
    pub kernel: &'static str,
    /// Constants beside those of [`Layout::defines`].
    pub defines: fn(&Rules, &Params) -> Result<Defines, Fault>,
    /// Games of a work-item, where they are not the parameter's to say.
    pub lanes: Option<usize>,
    /// The first moves as the kernel wants them.
    pub root: fn(Rules, &Position, u64) -> Root,
}

/// Constants of a kernel.
pub(super) type Defines = Vec<(&'static str, String)>;

/// The program of `flat`.
const PROGRAM: Program = Program {
    path: "checkers/flat.cl",
    kernel: "flat",
    defines: |rules, _| Ok(device_games::defines(rules)),
    lanes: None,
    root: Root::new,
};

/// The program of `flat-xorshift`: the paper's generator, each work-item's seeded with its number in the
/// launch.
pub(super) const XORSHIFT_PROGRAM: Program = Program {
    defines: |rules, _| {
        let mut defines = device_games::defines(rules);
        defines.push(("XORSHIFT", "1".to_owned()));
        Ok(defines)
    },
    ..PROGRAM
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    prepare_with(setup, &PROGRAM)
}

/// Makes a program that hands games out as `flat` does ready.
///
/// # Errors
/// As [`Technique::prepare`].
pub(super) fn prepare_with(
    setup: &Setup<'_>,
    program: &'static Program,
) -> Result<Box<dyn Sampler>, Fault> {
    let device = device_games::device(setup.device)?;
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

/// Words of how a game ended (`WON`, `DRAWN`, `LOST` and `FULL` in the kernels).
const WON: u32 = 0;
const DRAWN: u32 = 1;
/// It did not: there was no room for its moves.
const FULL: u32 = 3;

/// The player.
struct Flat {
    program: &'static Program,
    rules: Rules,
    seed: u64,
    kernel: Kernel,
    queue: Queue,
    results: Buffer<u32>,
    layout: Layout,
    roots: Vec<Root>,
    read: Vec<u32>,
    efficiency_ppm: u64,
    build_ns: u64,
    notes: String,
}

/// Plies of games in the order of their lanes, and those that the lanes would have had time for: games
/// that share instructions take as long as the longest.
fn efficiency_ppm(plies: &[u32], together: usize) -> u64 {
    let played: u64 = plies.iter().map(|plies| u64::from(*plies)).sum();
    let longest = |games: &[u32]| games.iter().max().copied().unwrap_or(0);
    let steps: u64 = plies
        .chunks(together)
        .map(|games| u64::from(longest(games)))
        .sum();
    played * 1_000_000 / (steps * together as u64).max(1)
}

impl Flat {
    /// Builds the program and launches from the case's own position: some drivers compile for a
    /// work-group size when they first see it. From those games the efficiency is counted.
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
        let kernel = layout.kernel(&built, program.kernel)?;
        let games = layout.games() as usize;
        let mut player = Flat {
            program,
            rules,
            seed: wanted.seed,
            queue: device.queue()?,
            results: device.buffer((MOST as usize).next_multiple_of(games), Access::Write)?,
            roots: Vec::new(),
            read: Vec::new(),
            efficiency_ppm: 0,
            build_ns: built.build_ns(),
            notes: format!(
                "{layout}, private {} bytes, built with {}",
                kernel.private_bytes(),
                built.options()
            ),
            kernel,
            layout,
        };
        player.load(&[wanted.asked.position])?;
        let asked = match wanted.asked.playouts {
            0 => layout.games(),
            playouts => playouts.min(WARM_UP),
        };
        player.play(0, 0..asked)?;
        // The last launch's. The first ply of each is the host's.
        let plies: Vec<_> = player
            .read
            .iter()
            .map(|game| (game >> 2).saturating_sub(1))
            .collect();
        player.efficiency_ppm = efficiency_ppm(&plies, layout.width * layout.lanes);
        player.parts();
        Ok(player)
    }

    /// Plays at most [`MOST`] games from one move, the first of them number `from`.
    fn launch(
        &mut self,
        index: usize,
        from: u64,
        count: u64,
        tally: &mut Tally,
    ) -> Result<(), Fault> {
        let root = &self.roots[index];
        let mv = (from % u64::from(root.moves)) as usize;
        let words = &root.children[mv * device_games::CHILD_WORDS..][..device_games::CHILD_WORDS];
        let numbers = [from as u32, (from >> 32) as u32, count as u32];
        let shared = [root.down, root.moves, root.key];
        let arguments = words.iter().chain(&shared).chain(&numbers);
        for (place, argument) in (0..).zip(arguments) {
            self.kernel.set_scalar(place, *argument)?;
        }
        self.kernel.set_buffer(10, &self.results)?;
        let groups = count.div_ceil(self.layout.games()) as usize;
        let group = self.layout.group;
        self.queue
            .launch(&self.kernel, [groups * group], Some([group]))?;
        self.read.resize(count as usize, 0);
        self.queue.read(&self.results, &mut self.read)?;
        let (mut wins, mut draws, mut plies) = (0, 0, 0);
        for game in &self.read {
            if game & 3 == FULL {
                return Err(Fault::Device(format!(
                    "kernel `{}`: a position has more moves than its list has room for",
                    self.program.kernel
                )));
            }
            wins += u64::from(game & 3 == WON);
            draws += u64::from(game & 3 == DRAWN);
            plies += u64::from(game >> 2);
        }
        let of_move = &mut tally.by_first_move[mv];
        of_move.0 += wins;
        of_move.1 += draws;
        of_move.2 += count - wins - draws;
        tally.plies += plies;
        Ok(())
    }
}

impl RandomPlayer<Draughts> for Flat {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let root = |position| (self.program.root)(self.rules, position, self.seed);
        self.roots = positions.iter().map(root).collect();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let root = &self.roots[index];
        let moves = u64::from(root.moves);
        if moves == 0 || playouts.is_empty() {
            return Ok(root
                .host
                .tally(playouts.start..playouts.end.max(playouts.start)));
        }
        let mut tally = root.empty_tally();
        for first in playouts.start..playouts.end.min(playouts.start + moves) {
            let mut left = (playouts.end - first).div_ceil(moves);
            let mut from = first;
            while left > 0 {
                let count = left.min(MOST);
                self.launch(index, from, count, &mut tally)?;
                from += count * moves;
                left -= count;
            }
        }
        device_games::add_up(&mut tally);
        Ok(tally)
    }

    fn parts(&mut self) -> Parts {
        self.queue.take_parts()
    }

    fn build_ns(&self) -> u64 {
        self.build_ns
    }

    fn notes(&self) -> String {
        self.notes.clone()
    }

    fn resources(&self) -> Vec<Resource> {
        let mut resources = self.kernel.resources(self.layout.group);
        resources.push((device_games::EFFICIENCY.to_owned(), self.efficiency_ppm));
        resources
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_game_of_those_in_step_counts_for_all() {
        assert_eq!(efficiency_ppm(&[10, 5, 4, 1], 1), 1_000_000);
        assert_eq!(efficiency_ppm(&[10, 5, 4, 1], 2), 714_285);
        assert_eq!(efficiency_ppm(&[10, 5, 4], 4), 475_000);
        assert_eq!(efficiency_ppm(&[], 4), 0);
    }
}
