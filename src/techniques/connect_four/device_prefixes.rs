//! Walks the tree on a device for `prefix-sharing` and `prefix-sharing-sums`, with results per first move.

use std::path::Path;
use std::time::Instant;

use crate::games::connect_four::{Bits, Board, COLUMNS, Column, Evaluation, ROWS};
use crate::search::{LONGEST_MOVE_SETS, MoveSetSums};
use crate::techniques::prelude::*;
use crate::techniques::tasks::built_up_to;

const OUTCOME_WORDS: usize = 8;

/// Number of entries per column in the table of values (`SQUARES_STRIDE` in the kernel).
const SQUARES_STRIDE: usize = 8;

/// Maximum number of plies that a work-item walks below its prefix.
const MOST_LEFT: u32 = 7;

/// Larger than every value (`INFINITE` in the kernel). Marks a prefix that plays in a full column.
const INFINITE: i32 = 1 << 30;

/// Minimum number of work-items per GPU compute unit: 16 wavefronts of 32. More work-items would replay more prefixes.
const ITEMS_PER_UNIT: u64 = 512;

/// Minimum number of work-groups per CPU core, so that the cores finish together.
const GROUPS_PER_CORE: u64 = 8;

/// Returns the length of the prefix for a search to this depth.
fn chosen(prefix: Option<usize>, device: &Device, depth: u32) -> u32 {
    let info = device.info();
    let units = u64::from(info.compute_units.max(1));
    let wanted = match info.kind {
        DeviceKind::Cpu => GROUPS_PER_CORE * 343 * units,
        _ => ITEMS_PER_UNIT * units,
    };
    let least = depth.saturating_sub(MOST_LEFT).max(FEWEST);
    let usual = || {
        (FEWEST..7)
            .find(|plies| sets(*plies) >= wanted)
            .unwrap_or(7)
    };
    prefix.map_or_else(|| usual().clamp(least, depth - 1), |plies| plies as u32)
}

/// Minimum number of plies in a prefix. Each group then has one first move, and the 49 prefixes that continue it.
const FEWEST: u32 = 3;

/// Number of work-groups in the first launch on a device whose rate is unknown.
const FIRST_GROUPS: u64 = 49;

/// Maximum depth at which a launch is not worthwhile. The host searches the 400 positions in about a microsecond.
pub const TOO_SHALLOW: u32 = 3;

fn sets(plies: u32) -> u64 {
    (COLUMNS as u64).pow(plies)
}

/// Results below a root, per first move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walked {
    /// The sums of [`move_set_sums`](crate::search::move_set_sums).
    pub sums: MoveSetSums,
    /// Minimax values of the moves for the mover. `None` for a full column.
    pub values: [Option<i32>; COLUMNS],
    /// The counters of minimax. They count every position entered, including the root.
    pub counters: Counters,
    /// Number of plies walked. It is smaller than requested if the board fills up.
    pub plies: u32,
    /// Number of move sequences with exactly `plies` plies.
    pub sequences: u64,
}

/// Walks the tree on an OpenCL device with shared prefixes (`cl/connect_four/prefix_sharing.cl`). Each work-item plays
/// its prefix and searches the tree below. A work-group combines the results of prefixes that differ only in the last
/// plies. The host combines the results of groups.
pub struct Prefixes {
    run: Runner,
    outcomes: Outcomes,
    budget: LaunchBudget,
    /// Number of plies below a prefix, or 0 if the depth is not worth a launch.
    left: u32,
    prefix: u32,
    group_plies: u32,
    folded: Vec<Folded>,
}

/// The result of a group, or the combined result of several groups.
#[derive(Clone, Copy)]
struct Folded {
    sum: i64,
    /// The value for the side to move, or [`INFINITE`] for a full column.
    value: i32,
}

impl Prefixes {
    /// Builds the program for one depth and launches it once, because some drivers compile at first use.
    pub fn new(
        evaluation: &Evaluation,
        device: &Device,
        prefix: Option<usize>,
        depth: u32,
        folder: Option<&Path>,
    ) -> Result<Prefixes, Fault> {
        // Shallower depths never launch the program.
        let deep = depth.max(TOO_SHALLOW + 1);
        if depth > LONGEST_MOVE_SETS {
            let why = format!("depth: `{depth}`; allowed is at most {LONGEST_MOVE_SETS}");
            return Err(Fault::Input(why));
        }
        let prefix = chosen(prefix, device, deep);
        let left = deep - prefix;
        let group_plies = if prefix > 3 && device.info().max_work_group >= 343 {
            3
        } else {
            2
        };
        let group = sets(group_plies) as usize;
        let defines = [
            ("LEFT", left.to_string()),
            ("GROUP_PLIES", group_plies.to_string()),
            ("TWO", evaluation.two.to_string()),
            ("THREE", evaluation.three.to_string()),
        ];
        // The only barriers in a loop are in the reduction. Its number of iterations depends only on the constants.
        let needs = BuildNeeds::default();
        let program = device.build("connect_four/prefix_sharing.cl", &defines, folder, needs)?;
        let kernel = program.kernel("prefix_sharing")?;
        let mut run = Runner::new(device, &program, kernel, group)?;
        run.notes = format!(
            "prefix {prefix}, {left} plies below it, groups of {group} (at most {}, best a multiple of {}), {} \
             bytes private, {} local, built with {}",
            run.kernel.max_group(),
            run.kernel.preferred_multiple(),
            run.kernel.private_bytes(),
            run.kernel.local_bytes(),
            run.options
        );
        let groups = sets(prefix - group_plies) as usize;
        let outcomes = run.outcomes("group", groups, OUTCOME_WORDS)?;
        run.upload("table", &table(evaluation))?;
        let mut prefixes = Prefixes {
            run,
            outcomes,
            budget: LaunchBudget::new(device, FIRST_GROUPS),
            left,
            prefix,
            group_plies,
            folded: Vec::with_capacity(groups),
        };
        // All columns of this board are full, so each work-item stops at its first column.
        let full = (0, u64::MAX, 0);
        prefixes.launch(full, 0, (group_plies + 1, 0))?;
        prefixes.telemetry();
        Ok(prefixes)
    }

    /// Walks `depth` plies below a position. Returns `None` if the game is over or if too few plies are left for a
    /// launch. Fails if the device fails, or with [`Fault::Input`] if the program was not built for this depth.
    pub fn walk(
        &mut self,
        game: &Bits,
        board: &Board,
        depth: u32,
    ) -> Result<Option<Walked>, Fault> {
        built_up_to(self.prefix + self.left, depth, "")?;
        let (own, other) = board.stones();
        let stones = own | other;
        let empty = (COLUMNS * ROWS) as u32 - stones.count_ones();
        // The last possible ply fills the board in every set. Each set stands for its 7^(depth - plies) continuations.
        let plies = depth.min(empty);
        if game.decided(board, 0).is_some() || plies <= self.left + self.group_plies {
            return Ok(None);
        }
        let height = |column: usize| (stones >> (7 * column) & 0x7f).count_ones();
        let heights = (0..COLUMNS).fold(0, |all, column| all | height(column) << (3 * column));
        let filled = if plies == empty { 0 } else { -1 };
        let walk = (plies - self.left, filled);
        let counts = self.launch((own, stones, heights), game.evaluate(board), walk)?;
        Ok(Some(self.fold(board, counts, plies, depth)))
    }

    /// Launches the kernel from a board, given as stones and as the height of each column in three bits. `filled` is 0
    /// if the last ply fills the board, otherwise all ones. Waits, fills `folded`, and returns the counts.
    fn launch(
        &mut self,
        (own, stones, heights): (u64, u64, u32),
        value: i32,
        (prefix, filled): (u32, i32),
    ) -> Result<Counts, Fault> {
        let groups = sets(prefix - self.group_plies) as usize;
        let run = &mut self.run;
        run.set(&[
            ("own", &own),
            ("stones", &stones),
            ("heights", &heights),
            ("root_value", &value),
            ("prefix", &(prefix as i32)),
            ("filled", &filled),
            ("all_sets", &(sets(self.left) as i32)),
        ])?;
        self.folded.clear();
        let (folded, mut counts) = (&mut self.folded, Counts::default());
        let mut first = 0;
        while first < groups {
            let most = self.budget.next().unwrap_or(u64::MAX);
            let some = (groups - first).min(usize::try_from(most).unwrap_or(usize::MAX));
            let start = Instant::now();
            run.stamp(&mut self.outcomes, some)?;
            run.set(&[("first_group", &(first as u32))])?;
            run.launch_groups(some)?;
            self.outcomes.read(&mut run.queue, |outcome| {
                folded.push(Folded {
                    sum: outcome.wide(0) as i64,
                    value: outcome.int(2),
                });
                counts.inner += u64::from(outcome.word(3));
                counts.ends += u64::from(outcome.word(4));
                counts.last += u64::from(outcome.word(5));
            })?;
            self.budget.learn(some as u64, start.elapsed());
            first += some;
        }
        Ok(counts)
    }

    fn fold(&mut self, board: &Board, counts: Counts, plies: u32, depth: u32) -> Walked {
        let repeats = sets(depth - plies) as i64;
        let found = &mut self.folded;
        while found.len() > COLUMNS {
            for parent in 0..found.len() / COLUMNS {
                let children = &found[parent * COLUMNS..(parent + 1) * COLUMNS];
                found[parent] = Folded::above(children);
            }
            found.truncate(found.len() / COLUMNS);
        }
        let mut walked = Walked {
            sums: [0; COLUMNS],
            values: [None; COLUMNS],
            counters: Counters::of_search(
                1 + counts.inner + counts.ends + counts.last,
                counts.ends + counts.last,
            ),
            plies,
            sequences: counts.last,
        };
        for (column, found) in Column::all().zip(found) {
            if board.has_room(column) {
                walked.sums[column.index()] = found.sum * repeats;
                walked.values[column.index()] = Some(-found.value);
            }
        }
        walked
    }

    /// Returns the telemetry since the last call.
    pub fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}

/// Numbers of positions entered: inner positions, ends of games before the last ply, and positions at the last ply.
#[derive(Default)]
struct Counts {
    inner: u64,
    ends: u64,
    last: u64,
}

impl Folded {
    fn above(children: &[Folded]) -> Folded {
        let best = children.iter().map(|child| -child.value).max();
        let value = best.unwrap_or(-INFINITE);
        Folded {
            sum: children.iter().map(|child| child.sum).sum(),
            // If no column is playable, the prefix itself plays in a full column.
            value: if value == -INFINITE { INFINITE } else { value },
        }
    }
}

/// Returns the value of each square, column by column from the bottom.
fn table(evaluation: &Evaluation) -> Vec<i32> {
    let mut table = vec![0; COLUMNS * SQUARES_STRIDE];
    for (row, worths) in evaluation.squares.iter().enumerate() {
        for (column, worth) in worths.iter().enumerate() {
            table[column * SQUARES_STRIDE + row] = *worth;
        }
    }
    table
}
