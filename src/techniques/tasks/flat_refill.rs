//! Plays random games on a device, with one launch for all first moves. Each work-item plays several games in
//! succession.

use std::ops::Range;

use super::random_games::{
    FIRST, Rooted, Steps, add_sums, in_launches, with_efficiency, with_same_high,
};
use super::{Cased, Play, Playing, RandomPlayer, prepare_random, runner};
use crate::games::random_games::{PlayoutLanes, Playouts};
use crate::opencl::Quirks;
use crate::random::DRAW_ROUNDS;
use crate::techniques::prelude::*;

whole_numbers! {
    /// Number of work-items per group.
    pub auto GROUP, read_group: "group", 1..=1024, "auto",
        "`auto` (4 times the device's preferred multiple; on a CPU 1, or 16 if the driver needs whole vectors) or the \
         number of work-items per group, from 1 to 1024";
}

choices! {
    /// Number of games that a work-item plays in lockstep, or `None` for `auto`.
    pub LANES, read_lanes -> Option<usize>:
        "lanes", {"auto" => None, "1" => Some(1), "8" => Some(8), "16" => Some(16)}, "auto",
        "`auto` (1, or 16 on a CPU if they fit in local memory), 1, 8 or 16: games that a work-item plays in lockstep";
}

/// A random game that a kernel `flat_refill` can play.
pub trait RefillGame<P: Play>: Rooted<P> {
    /// The rules.
    const RULES: Self;
    /// The technique's entry: [`ENTRY`] with this game's requirements.
    const ENTRY: TechniqueEntry;
    /// The technique's hard cases.
    const TRIALS: &'static [Trial];
    /// The kernel file, which includes `common/flat_refill.clh`.
    const PATH: &'static str;
    /// Number of random words per game between two checks for finished games.
    const WORDS: usize = 2;

    /// Returns the maximum number of first moves of a position.
    fn most_moves(&self) -> usize;

    /// Returns the number of 64-bit words per first move (`CHILD_WORDS` in the kernel file).
    fn child_words(&self) -> usize;

    /// Returns the number of bytes of local memory per game.
    fn room_bytes(&self) -> usize {
        0
    }

    /// Appends the board after a first move, in the kernels' form.
    fn pack(&self, board: &Self::Board, words: &mut Vec<u64>);

    /// Returns the constants that the kernel file shares with the rules.
    fn defines(&self) -> Defines {
        Defines::new()
    }
}

/// The entry of `flat-refill`, without the game and its requirements.
pub const ENTRY: TechniqueEntry = TechniqueEntry {
    name: "flat-refill",
    summary: "random games from all moves in one launch, in which idle work-items take the next game",
    tasks: &[Task::Playouts],
    params: &[GROUP, LANES, DEVICES],
    splits: true,
    ..TechniqueEntry::DEVICE
};

/// Creates `flat-refill`: random games from all moves in one launch. Each work-item plays several games in succession.
pub const fn technique<P: Cased, G: RefillGame<P>>() -> Technique {
    Technique {
        entry: G::ENTRY,
        trials: G::TRIALS,
        prepare: |setup| {
            prepare_random::<P>(setup, |start, playouts| {
                on_device(G::RULES, setup, (start, playouts))
            })
        },
    }
}

/// Number of words after the tally in the sums of each launch.
const SUMS: usize = 4;

/// Returns the number of warm-up playouts. The warm-up measures the efficiency, and takes at most 10 ms on a GPU.
pub fn warm_up(playouts: u64, games: u64, device: &Device) -> u64 {
    let most = match device.info().kind {
        DeviceKind::Cpu => 1 << 16,
        _ => 1 << 22,
    };
    if playouts == 0 { games } else { playouts }.min(most)
}

/// Creates a player on the cell's device. `warm_up` is a position and the case's number of playouts, which may be 0.
pub fn on_device<P: Play, G: RefillGame<P>>(
    game: G,
    setup: &Setup<'_>,
    warm_up: (&P::Position, u64),
) -> Playing<P> {
    let (device, params) = (setup.on_device()?, setup.params);
    let processor = device.info().kind == DeviceKind::Cpu;
    let most_moves = game.most_moves();
    let (group, lanes) = group_and_lanes(params, device, game.room_bytes(), &|items| {
        12 * most_moves + own_local_bytes(items)
    })?;
    let (words, items) = (G::WORDS, items_on(device));
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
    let layout = format!("group {group}, lanes {lanes}, items at most {items}, words {words}");
    let run = runner(setup, (G::PATH, "flat_refill"), &defines, group, &layout)?;
    let layout = RefillLayout {
        lanes,
        width,
        items,
        least: if processor { G::SERIES } else { 1 },
        refills: true,
        most_moves,
        child_words: game.child_words(),
        sums: SUMS,
    };
    let seed = setup.seed;
    refilling(Boards { game, seed }, run, layout, device, warm_up)
}

/// Returns the maximum number of work-items in a launch, before rounding to whole groups.
pub fn items_on(device: &Device) -> usize {
    let info = device.info();
    let units = info.compute_units.max(1) as usize;
    match info.kind {
        DeviceKind::Cpu => units * 8,
        _ => units * 4096,
    }
}

/// Converts positions for a kernel `flat_refill`.
pub trait RefillRoots<P: Play>: Send + 'static {
    /// Type of a position in the kernels' form.
    type Root: Send;
    /// Type of a word that describes a first move.
    type Word: OclPrm;

    /// Converts a position. Fails with [`Fault::Unsupported`] if it has too many moves.
    fn root(&self, position: &P::Position) -> Result<Self::Root, Fault>;

    /// Returns the words of all first moves.
    fn children(root: &Self::Root) -> &[Self::Word];

    /// Returns the key for the random numbers in the kernel.
    fn key(root: &Self::Root) -> u32;

    /// Returns a further argument of the kernel, if there is one.
    fn argument(_root: &Self::Root) -> Option<(&'static str, u32)> {
        None
    }

    /// Returns the number of first moves.
    fn moves(root: &Self::Root) -> usize;

    /// Tallies playouts on the host, for a game that is over at the root or for an empty range.
    fn tally(root: &Self::Root, playouts: Range<u64>) -> Tally;
}

/// The layout of a kernel `flat_refill`.
pub struct RefillLayout {
    /// Number of games that a work-item plays in lockstep.
    pub lanes: usize,
    /// Estimated number of work-items in lockstep (warp or SIMD width).
    pub width: usize,
    /// Maximum number of work-items in a launch.
    pub items: usize,
    /// Minimum number of playouts per lane.
    pub least: u64,
    /// Whether a work-item starts a new game as soon as one has finished.
    pub refills: bool,
    /// Maximum number of first moves of a position.
    pub most_moves: usize,
    /// Number of words per first move.
    pub child_words: usize,
    /// Number of words after the tally in the sums of each launch.
    pub sums: usize,
}

/// Creates a player for a kernel. Warms it up at a position with the case's number of playouts, which may be 0.
pub fn refilling<P: Play, R: RefillRoots<P>>(
    roots: R,
    mut run: Runner,
    layout: RefillLayout,
    device: &Device,
    (position, playouts): (&P::Position, u64),
) -> Playing<P> {
    let mut player: FlatRefill<P, R> = FlatRefill {
        roots,
        quirks: device.quirks().clone(),
        children: run.buffer(
            "children",
            layout.most_moves * layout.child_words,
            Access::Read,
        )?,
        sums: run.buffer(
            "sums",
            3 * layout.most_moves + layout.sums,
            Access::ReadWrite,
        )?,
        budget: LaunchBudget::new(device, FIRST),
        groups: layout.items.div_ceil(run.items) as u64,
        run,
        layout,
        loaded: Vec::new(),
        read: Vec::new(),
        steps: Steps::default(),
        efficiency_ppm: 0,
    };
    // Some drivers compile for each work-group size at first use. This launch also measures the efficiency.
    player.load(std::slice::from_ref(position))?;
    let playouts = warm_up(playouts, player.games(), device);
    if player.budget.next().is_some() {
        // The first launch is short because the rate is unknown. It must not affect the measured efficiency.
        player.play(0, 0..FIRST.min(playouts))?;
    }
    player.play(0, 0..playouts)?;
    player.efficiency_ppm = player.steps.efficiency_ppm();
    player.telemetry();
    Ok(Box::new(player))
}

/// A loaded position: its first moves, and its playouts on the host in case the game is over.
struct Loaded<G: PlayoutLanes> {
    host: Playouts<G>,
    children: Vec<u64>,
}

/// Converts positions to roots of random games, for one seed.
struct Boards<G> {
    game: G,
    seed: u64,
}

impl<P: Play, G: RefillGame<P>> RefillRoots<P> for Boards<G> {
    type Root = Loaded<G>;
    type Word = u64;

    fn root(&self, position: &P::Position) -> Result<Loaded<G>, Fault> {
        let root = self.game.root(position);
        let host = Playouts::new(self.game.clone(), root, self.seed);
        let (moves, most) = (host.children().len(), self.game.most_moves());
        if moves > most {
            let why = format!("{moves} moves at a position; the kernel counts at most {most}");
            return Err(Fault::Unsupported(why));
        }
        let mut children = Vec::new();
        for child in host.children() {
            self.game.pack(child, &mut children);
        }
        Ok(Loaded { host, children })
    }

    fn children(root: &Loaded<G>) -> &[u64] {
        &root.children
    }

    fn key(root: &Loaded<G>) -> u32 {
        root.host.key
    }

    fn moves(root: &Loaded<G>) -> usize {
        root.host.children().len()
    }

    fn tally(root: &Loaded<G>, playouts: Range<u64>) -> Tally {
        root.host.tally(playouts)
    }
}

struct FlatRefill<P: Play, R: RefillRoots<P>> {
    roots: R,
    run: Runner,
    quirks: Quirks,
    children: Buffer<R::Word>,
    sums: Buffer<u32>,
    budget: LaunchBudget,
    layout: RefillLayout,
    /// Maximum number of work-groups in a launch.
    groups: u64,
    loaded: Vec<R::Root>,
    read: Vec<u32>,
    /// Numbers of steps and plies in the last call of `play`.
    steps: Steps,
    efficiency_ppm: u64,
}

impl<P: Play, R: RefillRoots<P>> FlatRefill<P, R> {
    /// Returns the number of games that a group plays at a time.
    fn games(&self) -> u64 {
        (self.run.items * self.layout.lanes) as u64
    }

    /// Plays at most [`MOST`](super::random_games::MOST) playouts with the same high word. Adds the results to `tally`.
    fn launch(
        &mut self,
        index: usize,
        playouts: Range<u64>,
        tally: &mut Tally,
    ) -> Result<(), Fault> {
        let (from, count) = (playouts.start, playouts.end - playouts.start);
        let (moves, games, layout) = (tally.by_first_move.len(), self.games(), &self.layout);
        let (groups, share) = if layout.refills {
            let groups = self.groups.min(count.div_ceil(games * layout.least)).max(1);
            (groups, count.div_ceil(groups))
        } else {
            (count.div_ceil(games), games)
        };
        let loaded = &self.loaded[index];
        self.run.set(&[
            ("moves", &(moves as u32)),
            ("key", &R::key(loaded)),
            ("playout", &(from as u32)),
            ("high", &(((from >> 32) as u32) << 16)),
            ("first", &((from % moves as u64) as u32)),
            ("count", &(count as u32)),
            ("share", &(share as u32)),
            ("tally", &local_memory::<u32>(3 * moves)),
        ])?;
        if let Some((name, value)) = R::argument(loaded) {
            self.run.set(&[(name, &value)])?;
        }
        self.read.clear();
        self.read.resize(3 * moves + layout.sums, 0);
        let queue = &mut self.run.queue;
        queue.write(&self.children, R::children(loaded))?;
        queue.write(&self.sums, &self.read)?;
        self.run.launch_groups(groups as usize)?;
        self.run.queue.read(&self.sums, &mut self.read)?;
        let (plies, longest) = add_sums(&self.read, count, &self.quirks, tally)?;
        // The host plays the first ply of each game.
        self.steps.plies += plies - count;
        self.steps.steps += longest * (self.layout.width * self.layout.lanes) as u64;
        Ok(())
    }
}

/// Returns the bytes of the kernel's local variables in a group. `longest` takes four bytes per work-item.
fn own_local_bytes(items: usize) -> usize {
    4 * items + 12
}

/// Chooses the group size, and the number of games in lockstep per work-item, from [`GROUP`] and [`LANES`]. `room` is
/// the local memory per game, in bytes. `fixed` maps a group size to the additional bytes that the group needs.
pub fn group_and_lanes(
    params: &Params,
    device: &Device,
    room: usize,
    fixed: &dyn Fn(usize) -> usize,
) -> Result<(usize, usize), Fault> {
    let info = device.info();
    let asked = GROUP.given(params, None, read_group)?;
    let lanes = LANES.given(params, None, read_lanes)?;
    // On a CPU, a work-item plays sixteen games if the smallest group's games fit in local memory.
    let vector = device.quirks().whole_vectors();
    let whole = vector * 16 * room + fixed(vector);
    let side_by_side = info.kind == DeviceKind::Cpu && whole as u64 <= info.local_memory_bytes;
    let lanes = lanes.unwrap_or(if side_by_side { 16 } else { 1 });
    let group = group_of(asked, device, |items| items * lanes * room + fixed(items))?;
    Ok((group, lanes))
}

/// Returns the requested group size, or a size that suits the device and its local memory (`bytes` per group).
/// Work-items take work from a counter, so some drivers need groups of whole vectors.
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

impl<P: Play, R: RefillRoots<P>> RandomPlayer<P> for FlatRefill<P, R> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        let roots = positions.iter().map(|position| self.roots.root(position));
        self.loaded = roots.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        self.steps = Steps::default();
        let root = &self.loaded[index];
        let moves = R::moves(root);
        if moves == 0 || playouts.is_empty() {
            return Ok(R::tally(root, playouts));
        }
        let mut tally = Tally::of_first_moves(moves);
        let launch = |player: &mut Self, part| player.launch(index, part, &mut tally);
        in_launches(self, |it| &mut it.budget, playouts, with_same_high, launch)?;
        tally.add_up();
        Ok(tally)
    }

    fn telemetry(&mut self) -> Telemetry {
        with_efficiency(&mut self.run, self.efficiency_ppm)
    }
}
