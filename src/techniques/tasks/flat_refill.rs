//! Random games on a device, of any [`RandomGame`]: one launch plays those of all first moves, and a work-item whose
//! game has ended takes the next one (`cl/common/flat_refill.clh`).

use std::ops::Range;

use super::random_games::Rooted;
use super::sums::{FIRST, add_sums, in_launches, with_same_high};
use super::{Play, RandomPlayer};
use crate::games::random_games::{Playouts, RandomGame};
use crate::opencl::{
    Access, Buffer, BuildNeeds, Defines, Device, DeviceKind, LaunchBudget, Quirks, Runner,
    WorkGroup,
};
use crate::random::DRAW_ROUNDS;
use crate::techniques::Setup;
use crate::words::{Fault, ParamEntry, Params, Tally, Telemetry, Value, resource};

/// Work-items of a group.
pub const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`auto`: 4 times the device's preferred multiple, on a processor 1, or 16 where its driver needs whole vectors; \
         or the number of work-items, from 1 to 1024",
    default: "auto",
    check: |value| read_group(value).map(drop),
};

/// Games in step in a work-item.
pub const LANES: ParamEntry = ParamEntry {
    name: "lanes",
    allowed: "`auto`: 1, on a processor 16 if they fit its local memory; or 1, 8 or 16: games that a work-item plays in step",
    default: "auto",
    check: |value| read_lanes(value).map(drop),
};

/// Work-items of a launch.
pub const ITEMS: ParamEntry = ParamEntry {
    name: "items",
    allowed: "`auto`: 4096 for each compute unit, 8 on a processor; or the number of work-items of a \
     launch, from 1 to 16777216, in whole groups",
    default: "auto",
    check: |value| read_items(value).map(drop),
};

/// Random words that each game uses between two checks for games that have ended.
pub const WORDS: ParamEntry = ParamEntry {
    name: "words",
    allowed: "a number from 1 to 64: random words of every game between two turns of the games that have ended",
    default: "2; in gomoku 16",
    check: |value| read_words(value).map(drop),
};

/// The value of [`GROUP`]; `None` for `auto`. Fails with one line that names the key, the value and what is allowed.
pub fn read_group(value: &Value) -> Result<Option<usize>, String> {
    GROUP.whole_or_auto(value, 1..=1024)
}

/// The value of [`LANES`]; `None` for `auto`. Fails with one line that names the key, the value and what is allowed.
pub fn read_lanes(value: &Value) -> Result<Option<usize>, String> {
    let lanes = LANES.whole_or_auto(value, 1..=16)?;
    match lanes {
        None | Some(1 | 8 | 16) => Ok(lanes),
        Some(_) => Err(LANES.refused(value)),
    }
}

/// The value of [`ITEMS`]; `None` for `auto`. Fails with one line that names the key, the value and what is allowed.
pub fn read_items(value: &Value) -> Result<Option<usize>, String> {
    ITEMS.whole_or_auto(value, 1..=0x100_0000)
}

fn read_words(value: &Value) -> Result<usize, String> {
    WORDS.whole(value, 1..=64)
}

/// A random game that has a kernel.
pub trait OnDevice<P: Play>: Rooted<P> {
    /// The kernel file, which includes `common/flat_refill.clh`.
    const PATH: &'static str;
    /// Words between two turns of the games that have ended, where the experiment does not say.
    const USUAL_WORDS: usize = 2;

    /// First moves of a position, at most.
    fn most_moves(&self) -> usize;

    /// 64-bit words of a first move (`CHILD_WORDS` in the kernel file).
    fn child_words(&self) -> usize;

    /// Bytes of local memory of a game.
    fn room_bytes(&self) -> usize {
        0
    }

    /// The board after a first move, as the kernel wants it.
    fn pack(&self, board: &Self::Board, words: &mut Vec<u64>);

    /// The constants that the kernel file shares with the rules.
    fn defines(&self) -> Defines {
        Defines::new()
    }
}

/// A launch's sums after the tally.
const SUMS: usize = 4;

/// Playouts with which a technique warms up and its efficiency is counted, at most: 10 ms on a GPU.
const WARM_UP: u64 = 1 << 22;

/// The same on a processor.
const PROCESSOR_WARM_UP: u64 = 1 << 16;

/// A player on the cell's device. `warm_up`: the position to warm up from, and the playouts of the case; 0 playouts if
/// the case does not give them. Fails with [`Fault::Input`] for an invalid parameter, [`Fault::Unsupported`] if the
/// device does not allow the group, and any error of the build.
pub fn on_device<P: Play, G: OnDevice<P>>(
    game: G,
    setup: &Setup<'_>,
    warm_up: (&P::Position, u64),
) -> Result<Box<dyn RandomPlayer<P>>, Fault> {
    let mut player = FlatRefill::new::<P>(game, setup)?;
    let (position, playouts) = warm_up;
    // Some drivers compile for a work-group size when they first see it. This also counts the efficiency.
    let most = if player.processor {
        PROCESSOR_WARM_UP
    } else {
        WARM_UP
    };
    RandomPlayer::<P>::load(&mut player, std::slice::from_ref(position))?;
    let games = player.games();
    let playouts = if playouts == 0 { games } else { playouts }.min(most);
    if player.budget.next().is_some() {
        // The efficiency is not to depend on a first launch that is short because the rate is not known.
        RandomPlayer::<P>::play(&mut player, 0, 0..FIRST.min(playouts))?;
    }
    RandomPlayer::<P>::play(&mut player, 0, 0..playouts)?;
    player.efficiency_ppm = player.plies * 1_000_000 / player.steps.max(1);
    RandomPlayer::<P>::telemetry(&mut player);
    Ok(Box::new(player))
}

/// A position to play from: the host's playouts, which it plays itself where the game is over, and the first moves as
/// the kernel wants them.
struct Loaded<G: RandomGame> {
    host: Playouts<G>,
    children: Vec<u64>,
}

/// The player.
struct FlatRefill<G: RandomGame> {
    game: G,
    seed: u64,
    run: Runner,
    quirks: Quirks,
    children: Buffer<u64>,
    sums: Buffer<u32>,
    budget: LaunchBudget,
    processor: bool,
    /// Games in step in a work-item.
    lanes: usize,
    /// Work-items that probably share their instructions.
    width: usize,
    /// Work-groups of a launch, at most.
    groups: u64,
    loaded: Vec<Loaded<G>>,
    read: Vec<u32>,
    /// Plies on the device in the last call of `play`, and steps that its lanes would have had time for.
    plies: u64,
    steps: u64,
    efficiency_ppm: u64,
}

impl<G: RandomGame> FlatRefill<G> {
    /// Builds the program and makes the buffers.
    fn new<P: Play>(game: G, setup: &Setup<'_>) -> Result<FlatRefill<G>, Fault>
    where
        G: OnDevice<P>,
    {
        let (device, params) = (setup.on_device()?, setup.params);
        let info = device.info();
        let processor = info.kind == DeviceKind::Cpu;
        let most_moves = game.most_moves();
        let (group, lanes) = group_and_lanes(params, device, game.room_bytes(), &|items| {
            12 * most_moves + own_local_bytes(items)
        })?;
        let words = WORDS.given(params, G::USUAL_WORDS, read_words)?;
        let units = info.compute_units.max(1) as usize;
        let items = ITEMS.given(params, None, read_items)?;
        let items = items.unwrap_or(units * if processor { 8 } else { 4096 });
        let multiple = device.preferred_multiple().max(1);
        let width = if processor { 1 } else { multiple.min(group) };
        let mut defines = game.defines();
        defines.extend([
            ("GROUP", group.to_string()),
            ("LANES", lanes.to_string()),
            ("WORDS", words.to_string()),
            ("WIDTH", width.to_string()),
            ("PLIES_PER_WORD", G::PLIES_PER_WORD.to_string()),
            ("DRAW_ROUNDS", DRAW_ROUNDS.to_string()),
        ]);
        // Its two barriers stand outside all loops.
        let program = device.build(G::PATH, &defines, setup.kernels, BuildNeeds::default())?;
        let kernel = program.kernel("flat_refill")?;
        let private = kernel.private_bytes();
        let mut run = Runner::new(device, &program, kernel, group)?;
        run.notes = format!(
            "group {group}, lanes {lanes}, items at most {items}, words {words}, private {private} bytes, built with {}",
            run.options
        );
        Ok(FlatRefill {
            seed: setup.seed,
            run,
            quirks: device.quirks().clone(),
            children: device.buffer(most_moves * game.child_words(), Access::Read)?,
            sums: device.buffer(3 * most_moves + SUMS, Access::ReadWrite)?,
            budget: LaunchBudget::new(device, FIRST),
            game,
            processor,
            lanes,
            width,
            groups: items.div_ceil(group) as u64,
            loaded: Vec::new(),
            read: Vec::new(),
            plies: 0,
            steps: 0,
            efficiency_ppm: 0,
        })
    }

    /// Games that a group plays in step.
    fn games(&self) -> u64 {
        (self.run.items * self.lanes) as u64
    }

    /// Plays playouts whose numbers share their high word, at most [`MOST`](super::sums::MOST), and adds them up.
    fn launch(
        &mut self,
        index: usize,
        playouts: Range<u64>,
        tally: &mut Tally,
    ) -> Result<(), Fault> {
        let (from, count) = (playouts.start, playouts.end - playouts.start);
        let moves = tally.by_first_move.len();
        let least = if self.processor { G::SERIES } else { 1 };
        let groups = self.groups.min(count.div_ceil(self.games() * least)).max(1);
        let loaded = &self.loaded[index];
        let Runner { kernel, queue, .. } = &mut self.run;
        kernel.set_buffer(0, &self.children)?;
        kernel.set_scalar(1, moves as u32)?;
        kernel.set_scalar(2, loaded.host.key())?;
        kernel.set_scalar(3, from as u32)?;
        kernel.set_scalar(4, ((from >> 32) as u32) << 16)?;
        kernel.set_scalar(5, (from % moves as u64) as u32)?;
        kernel.set_scalar(6, count as u32)?;
        kernel.set_scalar(7, count.div_ceil(groups) as u32)?;
        kernel.set_buffer(8, &self.sums)?;
        kernel.set_local::<u32>(9, 3 * moves)?;
        self.read.clear();
        self.read.resize(3 * moves + SUMS, 0);
        queue.write(&self.children, &loaded.children)?;
        queue.write(&self.sums, &self.read)?;
        self.run.launch_groups(groups as usize)?;
        self.run.queue.read(&self.sums, &mut self.read)?;
        let (plies, longest) = add_sums(&self.read, count, &self.quirks, tally)?;
        // The first ply of each is the host's.
        self.plies += plies - count;
        self.steps += longest * (self.width * self.lanes) as u64;
        Ok(())
    }
}

/// The kernel's own local variables (`next`, `longest`, `group_plies`) in a group of this size, bytes; a block of
/// `longest` has at least one work-item.
fn own_local_bytes(items: usize) -> usize {
    4 * items + 12
}

/// The number of work-items in a group, and of games in step in each, by [`GROUP`] and [`LANES`]. `room`: bytes of
/// local memory per game; `fixed`: further bytes of a group of a size. Fails if a parameter is refused, or local memory
/// is too small.
pub fn group_and_lanes(
    params: &Params,
    device: &Device,
    room: usize,
    fixed: &dyn Fn(usize) -> usize,
) -> Result<(usize, usize), Fault> {
    let info = device.info();
    let asked = GROUP.given(params, None, read_group)?;
    let lanes = LANES.given(params, None, read_lanes)?;
    // On a processor sixteen, where local memory has room for those of its smallest group.
    let vector = device.quirks().whole_vectors();
    let whole = vector * 16 * room + fixed(vector);
    let side_by_side = info.kind == DeviceKind::Cpu && whole as u64 <= info.local_memory_bytes;
    let lanes = lanes.unwrap_or(if side_by_side { 16 } else { 1 });
    let group = group_of(asked, device, |items| items * lanes * room + fixed(items))?;
    Ok((group, lanes))
}

/// The number of work-items in a group: the requested one, or one that suits the device and its local memory. `bytes`
/// gives the local memory of a group with this many work-items. Work-items take work from a counter, so some drivers
/// need groups of whole vectors. Fails with [`Fault::Unsupported`] if the device has no such group or less local
/// memory, or its driver would lose work.
fn group_of(
    asked: Option<usize>,
    device: &Device,
    bytes: impl Fn(usize) -> usize,
) -> Result<usize, Fault> {
    let vector = device.quirks().whole_vectors();
    let info = device.info();
    let most = info.max_work_group.max(1);
    let group = match asked {
        Some(group) => WorkGroup::Exactly(group).on(info)?,
        None if info.kind == DeviceKind::Cpu => vector.min(most),
        None => {
            let mut group = (4 * device.preferred_multiple().max(1)).min(most);
            while group > 1 && bytes(group) as u64 > info.local_memory_bytes {
                group /= 2;
            }
            group
        }
    };
    let whose = format!("{group} games need");
    info.check_local(bytes(group) as u64, whose)?;
    if group.is_multiple_of(vector) {
        return Ok(group);
    }
    Err(Fault::Unsupported(format!(
        "group: {group}; this driver loses playouts where it is no multiple of {vector}"
    )))
}

impl<P: Play, G: OnDevice<P>> RandomPlayer<P> for FlatRefill<G> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.loaded.clear();
        for position in positions {
            let root = self.game.root(position);
            let host = Playouts::new(self.game.clone(), root, self.seed);
            let (moves, most) = (host.children().len(), self.game.most_moves());
            if moves > most {
                return Err(Fault::Unsupported(format!(
                    "{moves} moves at a position; the kernel counts at most {most}"
                )));
            }
            let mut children = Vec::new();
            for child in host.children() {
                self.game.pack(child, &mut children);
            }
            self.loaded.push(Loaded { host, children });
        }
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        (self.plies, self.steps) = (0, 0);
        let host = &self.loaded[index].host;
        let moves = host.children().len();
        if moves == 0 || playouts.is_empty() {
            return Ok(host.tally(playouts));
        }
        let mut tally = Tally::of_first_moves(moves);
        let launch = |player: &mut Self, part| player.launch(index, part, &mut tally);
        in_launches(self, |it| &mut it.budget, playouts, with_same_high, launch)?;
        tally.add_up();
        Ok(tally)
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
