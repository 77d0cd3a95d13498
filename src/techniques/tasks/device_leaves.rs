//! Plays random games from a tree's leaves on a device, with a kernel `leaf_playouts`.

use std::time::Instant;

use rayon::prelude::*;

use super::mcts::{LeafPlayer, Settings};
use super::random_games::FIRST;
use super::runner;
use crate::opencl::Quirks;
use crate::random::draw_key;
use crate::search::LeafPlayouts;
use crate::techniques::prelude::*;

/// Indices of the kernel's sums (`SUM_PLIES`, `SUM_GAMES` and `SUM_POINTS`).
const SUM_PLIES: usize = 0;
const SUM_GAMES: usize = 2;
const SUM_POINTS: usize = 4;

/// Number of groups per core on a CPU. With several small groups, the last one delays the others less.
const GROUPS_A_CORE: usize = 4;

/// Number of work-items per compute unit on a GPU. If there are more games, a work-item plays several.
const ITEMS_A_UNIT: usize = 1024;

/// Minimum number of games per lane on a CPU. With fewer games, lanes are empty most of the time.
const LEAST_ON_A_PROCESSOR: usize = 4;

/// Number of leaves that a thread packs at a time.
const PACKED_AT_ONCE: usize = 128;

/// A kernel `leaf_playouts` and its layout.
pub struct LeafKernel {
    /// The kernel file.
    pub path: &'static str,
    /// Layout of the games. Its constants exclude the indices of the sums.
    pub layout: GamesLayout,
    /// Number of words per leaf.
    pub leaf_words: usize,
    /// Readable description of the layout.
    pub notes: String,
}

/// The layout of games on work-items, and the kernel's constants for rules and layout.
pub struct GamesLayout {
    /// Number of work-items per group.
    pub group: usize,
    /// Number of games that a work-item plays in lockstep.
    pub lanes: usize,
    /// Constants for rules and layout.
    pub defines: Defines,
}

/// Plays random games from batches of leaves on a device. `pack` appends the words of a leaf.
pub struct DeviceLeaves<W: OclPrm, F> {
    run: Runner,
    quirks: Quirks,
    pack: F,
    leaves: Buffer<W>,
    sums: Buffer<u32>,
    playouts: u32,
    /// Maximum number of groups in a batch.
    groups: usize,
    /// Minimum number of games per group.
    least: usize,
    packed: Vec<W>,
    read: Vec<u32>,
    /// Number of leaves in the batch in progress, and the time of its launch.
    playing: usize,
    started: Instant,
    budget: LaunchBudget,
}

/// Packs all shares on the current pool and returns the words. This function is compiled once for all games.
fn packed_in_pool<W: OclPrm>(shares: usize, pack: &(dyn Fn(usize, &mut Vec<W>) + Sync)) -> Vec<W> {
    let each = (0..shares).into_par_iter().map(|share| {
        let mut words = Vec::new();
        pack(share, &mut words);
        words
    });
    each.collect::<Vec<_>>().concat()
}

impl<W: OclPrm, F> DeviceLeaves<W, F> {
    /// Builds the program and launches it once with the leaf `start`, because some drivers compile at first use.
    pub fn new<P>(
        setup: &Setup<'_>,
        device: &Device,
        kernel: &LeafKernel,
        settings: Settings,
        (start, pack): (P, F),
    ) -> Result<DeviceLeaves<W, F>, Fault>
    where
        P: Sync,
        F: Fn(&P, &mut Vec<W>) + Sync,
    {
        let LeafKernel {
            path,
            layout,
            leaf_words,
            notes,
        } = kernel;
        let (group, lanes) = (layout.group, layout.lanes);
        let mut defines = layout.defines.clone();
        let processor = device.info().kind == DeviceKind::Cpu;
        let units = (device.info().compute_units as usize).max(1);
        let (groups, least) = if processor {
            (units * GROUPS_A_CORE, LEAST_ON_A_PROCESSOR)
        } else {
            ((units * ITEMS_A_UNIT).div_ceil(group), 1)
        };
        defines.extend([
            ("SUM_PLIES", SUM_PLIES.to_string()),
            ("SUM_GAMES", SUM_GAMES.to_string()),
            ("SUM_POINTS", SUM_POINTS.to_string()),
        ]);
        let layout = format!("group {group}, lanes {lanes}, at most {groups} groups, {notes}");
        let mut run = runner(setup, (path, "leaf_playouts"), &defines, group, &layout)?;
        let most = settings.leaves as usize;
        let leaves = run.buffer("leaves", most * leaf_words, Access::Read)?;
        let sums = run.buffer("sums", SUM_POINTS + most, Access::ReadWrite)?;
        run.set(&[("each", &settings.playouts), ("key", &draw_key(setup.seed))])?;
        let mut player = DeviceLeaves {
            run,
            quirks: device.quirks().clone(),
            pack,
            leaves,
            sums,
            playouts: settings.playouts,
            groups,
            least: least * group * lanes,
            packed: Vec::with_capacity(most * leaf_words),
            read: vec![0; SUM_POINTS + most],
            playing: 0,
            started: Instant::now(),
            budget: LaunchBudget::new(device, FIRST),
        };
        player.begin(0, &[start])?;
        player.finish(&mut Vec::new())?;
        player.run.telemetry();
        Ok(player)
    }

    /// Plays the batch's games from `first` to `end`, in launches that fit the budget.
    fn launch_all(&mut self, number: u64, first: u32, end: u32) -> Result<(), Fault> {
        let most = self.budget.next().unwrap_or(u64::MAX);
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let mut from = first;
        while from < end {
            let to = from.saturating_add(most).min(end);
            self.launch(number, from, to)?;
            from = to;
        }
        Ok(())
    }

    /// Launches the batch's games from `first` to `end`. The first game of the batch has the number `number`.
    fn launch(&mut self, number: u64, first: u32, end: u32) -> Result<(), Fault> {
        let count = (end - first) as usize;
        let share = count.div_ceil(self.groups).max(self.least);
        let high = ((number + u64::from(first)) >> 32) as u32;
        self.run.set(&[
            ("playout", &(number as u32)),
            ("high", &(high << 16)),
            ("first", &first),
            ("end", &end),
            ("share", &(share as u32)),
        ])?;
        self.run.launch_groups(count.div_ceil(share))
    }
}

impl<P: Sync, W: OclPrm, F: Fn(&P, &mut Vec<W>) + Sync> LeafPlayouts<P> for DeviceLeaves<W, F> {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[P]) -> Result<(), Fault> {
        self.packed.clear();
        let pack = &self.pack;
        let pack_all = |leaves: &[P], words: &mut Vec<W>| {
            leaves.iter().for_each(|leaf| pack(leaf, words));
        };
        // All threads in the caller's pool pack leaves.
        if rayon::current_thread_index().is_some() {
            let shares = leaves.len().div_ceil(PACKED_AT_ONCE);
            let packed = packed_in_pool(shares, &|share, words| {
                let from = share * PACKED_AT_ONCE;
                let end = leaves.len().min(from + PACKED_AT_ONCE);
                pack_all(&leaves[from..end], words);
            });
            self.packed.extend(packed);
        } else {
            pack_all(leaves, &mut self.packed);
        }
        self.run.queue.write(&self.leaves, &self.packed)?;
        self.run.queue.fill(&self.sums, 0)?;
        let number = first * u64::from(self.playouts);
        let count = leaves.len() as u32 * self.playouts;
        // All games of a launch share the high word of their numbers.
        let same_high = (1 << 32) - (number & u64::from(u32::MAX));
        let middle = u64::from(count).min(same_high) as u32;
        self.started = Instant::now();
        self.launch_all(number, 0, middle)?;
        self.launch_all(number, middle, count)?;
        self.playing = leaves.len();
        self.run.queue.flush()
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        let read = &mut self.read[..SUM_POINTS + self.playing];
        self.run.queue.read(&self.sums, read)?;
        let games = self.playing as u64 * u64::from(self.playouts);
        // The time includes any host work since the launch, so the measured rate is a lower bound.
        self.budget.learn(games, self.started.elapsed());
        if read[SUM_GAMES] != self.playing as u32 * self.playouts {
            return Err(self
                .quirks
                .unfinished("kernel `leaf_playouts` did not finish".into()));
        }
        points.clear();
        points.extend_from_slice(&read[SUM_POINTS..]);
        Ok(u64::from(read[SUM_PLIES]) | u64::from(read[SUM_PLIES + 1]) << 32)
    }
}

impl<P: Sync, W: OclPrm, F: Fn(&P, &mut Vec<W>) + Sync> LeafPlayer<P> for DeviceLeaves<W, F> {
    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}
