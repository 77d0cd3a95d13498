//! Common host parts of kernels with the paper's layout of move sets (`cl/connect_four/move_sets.clh`).

use super::device_board::{FULL, defines, upload_table, words};
use super::hard::{SEARCH, SHORT, SMALL};
use super::strategy;
use super::tasks::{ConnectFour, Searcher};
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, Order, Position};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, Kernel, Program, Queue};
use crate::search::Found;
use crate::techniques::Setup;
use crate::techniques::hard::Trial;
use crate::techniques::list::choices;
use crate::techniques::tasks::built_for;
use crate::words::{Counters, Fault, Params, Telemetry};

choices! {
    /// The parameter `group`: the paper's "block size", as the moves that a work-item's place in it encodes.
    pub GROUP, group_digits -> u32: "group", {"7x7" => 2, "49x7" => 3}, "7x7",
        "`7x7` (as published) or `49x7` work-items";

    /// The parameter `grid`: the paper's "grid size", as the most moves that a group's place encodes per dimension.
    pub GRID, grid_digits -> u32: "grid", {"343x343" => 3, "2401x2401" => 4}, "343x343",
        "`343x343` (as published) or `2401x2401` work-groups at the most; sets that they have no place for are \
              gone through by each work-item";
}

/// Trials of techniques with these parameters.
pub const TRIALS: &[Trial] = &[
    Trial::new("", SEARCH),
    Trial::new("group=49x7 grid=2401x2401", SMALL),
    Trial::new("", SHORT),
    Trial::new("group=49x7", SHORT),
];

/// Where a work-item's place has the moves of its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Work-items of a group in the first dimension. The second has seven.
    pub group_x: usize,
    /// Moves that the group's place encodes, per dimension.
    pub grid: [u32; 2],
    /// Moves over which each work-item loops.
    pub looped: u32,
}

impl Layout {
    /// The layout by [`GROUP`], with at most `most` moves per dimension of the grid.
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

/// Numbers in a group's score (`SCORES` in the kernel): one per first move, and the positions entered.
const SCORES: usize = COLUMNS + 1;

/// A kernel with the paper's layout of move sets.
pub struct SetsPlan {
    /// The kernel file.
    pub path: &'static str,
    /// Bytes of local memory per work-item beside utility and counter, by number of plies.
    pub local_bytes: fn(u32) -> usize,
    /// True if the best set counts instead of the sum.
    pub optimistic: bool,
}

impl SetsPlan {
    /// Builds the searcher.
    pub fn searcher(
        &self,
        setup: &Setup<'_>,
        asked: &ConnectFour,
    ) -> Result<Box<dyn Searcher<ConnectFour>>, Fault> {
        let most = GRID.given(setup.params, 3, grid_digits)?;
        let layout = Layout::new(asked.depth, most, setup.params).map_err(Fault::Input)?;
        Ok(Box::new(DeviceSets::new(self, layout, asked, setup)?))
    }
}

/// Two kernels: `play` writes a score per group, `sum_grid` sums them and ends with the launch's mark.
pub(super) struct TwoStages {
    pub play: Kernel,
    pub sum: Kernel,
    pub queue: Queue,
    /// Results of the second kernel.
    result: Buffer<i64>,
    /// The argument of the second kernel that takes the mark.
    stamp_at: u32,
    /// Mark of the next launch.
    stamp: u64,
    /// Work-items of a group, and groups of the first kernel.
    group: [usize; 2],
    groups: [usize; 2],
    pub build_ns: u64,
    pub notes: String,
}

impl TwoStages {
    /// Refuses a group that the device does not allow, and binds the results of `numbers` numbers and a mark to the
    /// argument after `stamp_at`.
    pub fn new(
        device: &Device,
        program: &Program,
        play: &str,
        (stamp_at, numbers): (u32, usize),
        [group, groups]: [[usize; 2]; 2],
    ) -> Result<TwoStages, Fault> {
        let (play, mut sum) = (program.kernel(play)?, program.kernel("sum_grid")?);
        play.check_group(group[0] * group[1])?;
        sum.check_group(group[0] * group[1])?;
        let result = device.buffer::<i64>(numbers + 1, Access::Write)?;
        sum.set_buffer(stamp_at + 1, &result)?;
        Ok(TwoStages {
            play,
            sum,
            queue: device.queue()?,
            result,
            stamp_at,
            stamp: 1,
            group,
            groups,
            build_ns: program.build_ns(),
            notes: String::new(),
        })
    }

    /// Launches both, and reads the results; the last is the mark. Fails if the device fails.
    pub fn launch(&mut self, result: &mut [i64]) -> Result<(), Fault> {
        let (stamp, group) = (self.stamp, self.group);
        self.stamp += 1;
        self.sum.set_scalar(self.stamp_at, stamp)?;
        let global = [group[0] * self.groups[0], group[1] * self.groups[1]];
        self.queue.launch(&self.play, global, Some(group))?;
        self.queue.launch(&self.sum, group, Some(group))?;
        self.queue.read(&self.result, result)?;
        match result.last() {
            Some(last) if *last as u64 == stamp => Ok(()),
            _ => Err(Fault::Device("kernel `sum_grid` did not finish".into())),
        }
    }

    pub fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            parts: self.queue.take_parts(),
            build_ns: self.build_ns,
            notes: self.notes.clone(),
            resources: self.play.resources(self.group[0] * self.group[1]),
            ..Telemetry::default()
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
        let local_bytes = check_local(plan, layout, asked.depth, device)?;
        let mut defines = defines();
        defines.extend([
            ("PLIES", asked.depth.to_string()),
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
        let count = groups[0] * groups[1];
        let shape = [[layout.group_x, COLUMNS], groups];
        let mut stages = TwoStages::new(device, &program, "move_sets", (2, SCORES), shape)?;
        let TwoStages {
            play, sum, queue, ..
        } = &mut stages;
        let most = play.max_group().min(sum.max_group());
        let table = upload_table(&asked.evaluation, device, queue)?;
        let scores = device.buffer::<i64>(count * SCORES, Access::ReadWrite)?;
        play.set_buffer(0, &table)?;
        play.set_buffer(4, &scores)?;
        sum.set_from(0, &[&scores, &(count as i32)])?;
        stages.notes = format!(
            "group {}x7, grid {}x{}, local {local_bytes} bytes, private {} bytes, preferred multiple {}, \
             at most {most} in a group, built with {}",
            layout.group_x,
            groups[0],
            groups[1],
            play.private_bytes(),
            play.preferred_multiple(),
            program.options()
        );
        let mut sets = DeviceSets {
            game: Bits::new(&asked.evaluation, Order::FromTheLeft),
            depth: asked.depth,
            optimistic: plan.optimistic,
            stages,
            positions: Vec::new(),
        };
        // Some drivers compile at first use. With every column full nothing is left to do.
        sets.launch(0, FULL, 0)?;
        sets.stages.queue.take_parts();
        Ok(sets)
    }

    /// Sums or bests of a board's sets by first move, and the positions entered.
    fn launch(&mut self, own: u64, stones: u64, value: i32) -> Result<[i64; SCORES + 1], Fault> {
        let play = &mut self.stages.play;
        play.set_from(1, &[&own, &stones, &value])?;
        let mut sums = [0; SCORES + 1];
        self.stages.launch(&mut sums)?;
        Ok(sums)
    }
}

/// Above the limit of local memory, drivers abort or return nonsense.
fn check_local(plan: &SetsPlan, layout: Layout, depth: u32, device: &Device) -> Result<u64, Fault> {
    let info = device.info();
    // A utility and a counter; a group's sums in the second kernel.
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

    /// A forced move needs no launch. The paper "was unable to get it to exit the kernel early".
    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Column>, Fault> {
        built_for(self.depth, depth)?;
        let board = self.positions[index];
        let early = if self.optimistic {
            strategy::certain(&self.game, &board)
        } else {
            strategy::forced(&self.game, &board)
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
            strategy::by_bests(&self.game, &board, depth, &bests, counters)
        } else {
            strategy::by_sums(&self.game, &board, depth, &by_column, counters)
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.stages.telemetry()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Value;

    #[test]
    fn every_move_is_spelled_in_the_group_in_the_grid_or_in_a_loop() {
        for (group, in_group) in [("7x7", 2), ("49x7", 3)] {
            let params = Params::from([(GROUP.name.to_owned(), Value::Text(group.to_owned()))]);
            for (most, depth) in [3, 4]
                .into_iter()
                .flat_map(|most| (1..=14).map(move |it| (most, it)))
            {
                let layout = Layout::new(depth, most, &params).unwrap();
                let in_grid = layout.grid[0] + layout.grid[1];
                let found = (in_group + in_grid + layout.looped).max(depth);
                assert_eq!(found, in_group.max(depth));
                assert!(in_grid == 2 * most || in_grid < 2 * most && layout.looped == 0);
            }
        }
        let wrong = grid_digits(&Value::Text("49x49".into())).unwrap_err();
        assert!(wrong.starts_with("grid: `49x49`"), "{wrong}");
    }
}
