//! The paper's device search, `move-sets`, with a variant for the first strategy and a variant with bitboards.

use super::device_board::{FULL, defines, table, words};
use super::hard::{SEARCH, SHORT, SMALL};
use super::host_sets::{by_bests, by_sums, certain, forced};
use super::takes_move_sets;
use super::tasks::{self, ConnectFour, Searcher};
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, Order, Position};
use crate::opencl::{Kernel, Program};
use crate::techniques::prelude::*;
use crate::techniques::tasks::built_for;

/// Each work-item replays a whole move set on a board of bytes in local memory. The utilities are summed over the
/// group, then over shares of the grid, then over the grid (Connect Four AI, "Algorithm Description").
///
/// As published, a group has 7x7 work-items, and at depth 8 the grid has 343x343 groups. Board and moves are in local
/// memory. Each group has one score per first move. Here, it also has a counter, so scores take 7.2 MiB instead of the
/// paper's "6.28 megabytes of global memory". We made two changes. In the paper, the first group sums scores that other
/// groups may not have written yet. Here, a separate launch runs the later stages. The paper evaluates the whole board
/// after each ply. Here, each stone updates the value.
pub const MOVE_SETS: Technique = Technique {
    entry: TechniqueEntry {
        name: "move-sets",
        summary: "one work-item per move set, on bytes in local memory, with sums per group, sub-grid and grid",
        paper: "Connect Four AI, \"Algorithm Description\" and \"Results\"",
        needs: "local memory: at depth 8, 3.0 KB for 7x7 work-items, 21.3 KB for 49x7",
        like: "move-sets-serial",
        reference: "move-sets-serial",
        counts: Counts::Model,
        params: &[GROUP, GRID],
        check: takes_move_sets,
        ..TechniqueEntry::DEVICE
    },
    trials: TRIALS,
    prepare: |setup| {
        tasks::prepare_search::<ConnectFour>(setup, |asked| PLAN.searcher(setup, asked))
    },
};

const PLAN: SetsPlan = SetsPlan {
    path: "connect_four/move_sets.cl",
    // Local memory holds one byte per square of the board and one byte per move of the set.
    local_bytes: |depth| 42 + depth as usize,
    optimistic: false,
};

/// `move-sets` with the paper's "first general strategy": the set with the best final position determines the move, and
/// no move is forced.
pub const OPTIMISTIC: Technique = Technique {
    entry: TechniqueEntry {
        name: "move-sets-optimistic",
        summary: "move-sets, but the best move set decides, as if the opponent helped",
        paper: "Connect Four AI, \"Algorithm Description\" (the first strategy)",
        like: "move-sets-optimistic-serial",
        reference: "move-sets-optimistic-serial",
        ..MOVE_SETS.entry
    },
    prepare: |setup| {
        tasks::prepare_search::<ConnectFour>(setup, |asked| OPTIMISTIC_PLAN.searcher(setup, asked))
    },
    ..MOVE_SETS
};

const OPTIMISTIC_PLAN: SetsPlan = SetsPlan {
    optimistic: true,
    ..PLAN
};

/// `move-sets` with bitboards in registers, the first improvement that the paper's conclusion suggests.
pub const BITBOARD: Technique = Technique {
    entry: TechniqueEntry {
        name: "move-sets-bitboard",
        summary: "move-sets on bitboards in registers",
        paper: "Connect Four AI, \"Conclusion\" (bitboards)",
        needs: "",
        ..MOVE_SETS.entry
    },
    prepare: |setup| {
        tasks::prepare_search::<ConnectFour>(setup, |asked| BITBOARD_PLAN.searcher(setup, asked))
    },
    ..MOVE_SETS
};

const BITBOARD_PLAN: SetsPlan = SetsPlan {
    path: "connect_four/move_sets_bitboard.cl",
    local_bytes: |_| 0,
    ..PLAN
};

choices! {
    /// The parameter `group`, the paper's "block size". It sets how many moves a work-item's local index encodes.
    pub GROUP, group_digits -> u32: "group", {"7x7" => 2, "49x7" => 3}, "7x7",
        "`7x7` (as published) or `49x7` work-items";

    /// The parameter `grid`, the paper's "grid size". It limits how many moves per dimension a group's index encodes.
    pub GRID, grid_digits -> u32: "grid", {"343x343" => 3, "2401x2401" => 4}, "343x343",
        "`343x343` (as published) or `2401x2401`: maximum number of work-groups; if there are more sets, each \
              work-item loops over several";
}

/// Hard cases for techniques with these parameters.
pub const TRIALS: &[Trial] = &[
    Trial::new("", SEARCH),
    Trial::new("group=49x7 grid=2401x2401", SMALL),
    Trial::new("", SHORT),
    Trial::new("group=49x7", SHORT),
];

/// Describes how the indices of a work-item and its group encode the moves of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Number of work-items in the first dimension of a group. There are seven in the second dimension.
    pub group_x: usize,
    /// Number of moves that the group's index encodes, per dimension.
    pub grid: [u32; 2],
    /// Number of moves over which each work-item loops.
    pub looped: u32,
}

impl Layout {
    /// Returns the layout given by [`GROUP`], with at most `most` moves per dimension of the grid.
    pub fn new(depth: u32, most: u32, params: &Params) -> Result<Layout, String> {
        let in_group = params.get(GROUP.name).map_or(Ok(2), group_digits)?;
        let after = depth.saturating_sub(in_group);
        let x = after.div_ceil(2).min(most);
        let y = (after - x).min(most);
        Ok(Layout {
            group_x: COLUMNS.pow(in_group - 1),
            grid: [x, y],
            looped: after - x - y,
        })
    }

    pub fn items(self) -> usize {
        self.group_x * COLUMNS
    }

    pub fn groups(self) -> [usize; 2] {
        self.grid.map(|digits| COLUMNS.pow(digits))
    }
}

/// Number of words in a group's score (`SCORES` in the kernel): one per first move, plus one for the positions entered.
const SCORES: usize = COLUMNS + 1;

/// Describes a kernel with the paper's layout of move sets.
pub struct SetsPlan {
    pub path: &'static str,
    /// Returns the bytes of local memory per work-item for a number of plies, excluding the utility and the counter.
    pub local_bytes: fn(u32) -> usize,
    /// Whether the best set decides, instead of the sum over all sets.
    pub optimistic: bool,
}

impl SetsPlan {
    /// Builds the searcher.
    pub fn searcher(&self, setup: &Setup<'_>, asked: &ConnectFour) -> Searching<ConnectFour> {
        let most = GRID.given(setup.params, 3, grid_digits)?;
        let layout = Layout::new(asked.amount.depth, most, setup.params).map_err(Fault::Input)?;
        Ok(Box::new(DeviceSets::new(self, layout, asked, setup)?))
    }
}

/// A pair of kernels. `play` writes a score per group. `sum_grid` sums the scores and then writes a stamp.
pub(super) struct TwoStages {
    pub play: Runner,
    pub sum: Kernel,
    result: Buffer<i64>,
    stamp: u64,
    /// Number of work-items per group, and number of groups in the first kernel.
    group: [usize; 2],
    groups: [usize; 2],
}

impl TwoStages {
    /// Creates the kernels. Binds the scores, and binds the results (`numbers` numbers and a stamp) to the argument
    /// `sums`. Refuses a group size that the device does not allow.
    pub fn new(
        device: &Device,
        program: &Program,
        play: &str,
        (sums, numbers): (&str, usize),
        [group, groups]: [[usize; 2]; 2],
    ) -> Result<TwoStages, Fault> {
        let (play, mut sum) = (program.kernel(play)?, program.kernel("sum_grid")?);
        let mut play = Runner::new(device, program, play, group[0] * group[1])?;
        sum.check_group(play.items)?;
        let count = groups[0] * groups[1];
        let scores = play.buffer::<i64>("scores", count * SCORES, Access::ReadWrite)?;
        let result = device.buffer::<i64>(numbers + 1, Access::Write)?;
        sum.set(&[
            ("scores", &scores),
            ("groups", &(count as i32)),
            (sums, &result),
        ])?;
        Ok(TwoStages {
            play,
            sum,
            result,
            stamp: 1,
            group,
            groups,
        })
    }

    /// Launches both kernels, and reads the results. The last result is the stamp. Fails if the device fails.
    pub fn launch(&mut self, result: &mut [i64]) -> Result<(), Fault> {
        let (stamp, group) = (self.stamp, self.group);
        self.stamp += 1;
        self.sum.set(&[("stamp", &stamp)])?;
        let global = [group[0] * self.groups[0], group[1] * self.groups[1]];
        let queue = &mut self.play.queue;
        queue.launch(&self.play.kernel, global, Some(group))?;
        queue.launch(&self.sum, group, Some(group))?;
        queue.read(&self.result, result)?;
        match result.last() {
            Some(last) if *last as u64 == stamp => Ok(()),
            _ => Err(Fault::Device("kernel `sum_grid` did not finish".into())),
        }
    }
}

struct DeviceSets {
    game: Bits,
    depth: u32,
    optimistic: bool,
    stages: TwoStages,
    positions: Vec<Board>,
}

impl DeviceSets {
    fn new(
        plan: &SetsPlan,
        layout: Layout,
        asked: &ConnectFour,
        setup: &Setup<'_>,
    ) -> Result<DeviceSets, Fault> {
        let device = setup.on_device()?;
        let local_bytes = check_local(plan, layout, asked.amount.depth, device)?;
        let mut defines = defines();
        defines.extend([
            ("PLIES", asked.amount.depth.to_string()),
            ("GROUP_X", layout.group_x.to_string()),
            ("GRID_X_DIGITS", layout.grid[0].to_string()),
            ("GRID_Y_DIGITS", layout.grid[1].to_string()),
            ("LOOP_DIGITS", layout.looped.to_string()),
            ("LOOP_SETS", COLUMNS.pow(layout.looped).to_string()),
            ("OPTIMISTIC", u8::from(plan.optimistic).to_string()),
        ]);
        // The only barrier is outside all loops.
        let needs = BuildNeeds::default();
        let program = device.build(plan.path, &defines, setup.kernels, needs)?;
        let groups = layout.groups();
        let shape = [[layout.group_x, COLUMNS], groups];
        let results = ("sums", SCORES);
        let mut stages = TwoStages::new(device, &program, "move_sets", results, shape)?;
        let TwoStages { play, sum, .. } = &mut stages;
        let kernel = &play.kernel;
        let most = kernel.max_group().min(sum.max_group());
        play.notes = format!(
            "group {}x7, grid {}x{}, local {local_bytes} bytes, private {} bytes, preferred multiple {}, \
             at most {most} in a group, built with {}",
            layout.group_x,
            groups[0],
            groups[1],
            kernel.private_bytes(),
            kernel.preferred_multiple(),
            play.options
        );
        play.upload("table", &table(&asked.evaluation))?;
        let mut sets = DeviceSets {
            game: Bits::new(&asked.evaluation, Order::FromTheLeft),
            depth: asked.amount.depth,
            optimistic: plan.optimistic,
            stages,
            positions: Vec::new(),
        };
        // Some drivers compile at first use. With full columns, the kernel has no work.
        sets.launch(0, FULL, 0)?;
        sets.stages.play.telemetry();
        Ok(sets)
    }

    /// Launches the kernels. Returns the sum (or best value) of each first move's sets, then the number of positions.
    fn launch(&mut self, own: u64, stones: u64, value: i32) -> Result<[i64; SCORES + 1], Fault> {
        let play = &mut self.stages.play;
        play.set(&[("own", &own), ("stones", &stones), ("value", &value)])?;
        let mut sums = [0; SCORES + 1];
        self.stages.launch(&mut sums)?;
        Ok(sums)
    }
}

/// Refuses layouts that need too much local memory, because drivers would abort or return nonsense.
fn check_local(plan: &SetsPlan, layout: Layout, depth: u32, device: &Device) -> Result<u64, Fault> {
    let info = device.info();
    // Each work-item stores a utility and a counter. In the second kernel, it stores the sums.
    let needs = ((plan.local_bytes)(depth) + 12).max(8 * SCORES) * layout.items();
    let whose = format_args!("{} work-items need", layout.items());
    info.check_local(needs as u64, whose)?;
    Ok((((plan.local_bytes)(depth) + 12) * layout.items()) as u64)
}

impl Searcher<ConnectFour> for DeviceSets {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let boards = positions.iter().map(|position| self.game.load(position));
        self.positions = boards.collect();
        Ok(())
    }

    /// Answers forced moves without a launch. The paper "was unable to get it to exit the kernel early".
    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Column>, Fault> {
        built_for(self.depth, depth)?;
        let board = self.positions[index];
        let early = if self.optimistic {
            certain(&self.game, &board)
        } else {
            forced(&self.game, &board)
        };
        if let Some(found) = early {
            return Ok(found);
        }
        let (own, stones, value) = words(&self.game, &board);
        let sums = self.launch(own, stones, value)?;
        let entered = sums[COLUMNS] as u64;
        let counters = Counters::of_search(1 + entered, entered);
        let by_column: [i64; COLUMNS] = std::array::from_fn(|column| sums[column]);
        Ok(if self.optimistic {
            let bests = by_column.map(|best| (best != i64::MIN).then_some(best as i32));
            by_bests(&self.game, &board, depth, &bests, counters)
        } else {
            by_sums(&self.game, &board, depth, &by_column, counters)
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.stages.play.telemetry_and_resources()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Value;

    #[test]
    fn a_layout_spells_every_move_once() {
        let params =
            |group: &str| Params::from([(GROUP.name.to_owned(), Value::Text(group.to_owned()))]);
        let published = Layout::new(8, 3, &Params::new()).unwrap();
        assert_eq!((published.items(), published.groups()), (49, [343; 2]));
        assert_eq!(published.looped, 0);
        for (group, in_group) in [("7x7", 2), ("49x7", 3)] {
            for most in [3, 4] {
                for depth in 1..=14 {
                    let layout = Layout::new(depth, most, &params(group)).unwrap();
                    let in_grid = layout.grid[0] + layout.grid[1];
                    assert!(in_grid <= 2 * most);
                    let found = (in_group + in_grid + layout.looped).max(depth);
                    assert_eq!(found, in_group.max(depth));
                    assert!(layout.looped == 0 || in_grid == 2 * most);
                }
            }
        }
        assert_eq!(
            Layout::new(8, 3, &params("8x8")).unwrap_err(),
            "group: `8x8`; allowed is `7x7` (as published) or `49x7` work-items"
        );
        let wrong = grid_digits(&Value::Text("49x49".into())).unwrap_err();
        assert!(wrong.starts_with("grid: `49x49`"), "{wrong}");
    }
}
