//! Common host parts of kernels with the paper's layout of move sets (`cl/connect_four/move_sets.clh`).

use super::device_board::{FULL, defines, upload_table, words};
use super::hard::{SEARCH, SHORT, SMALL};
use super::tasks::{ConnectFour, Searcher};
use super::{Asked, strategy};
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, Order, Position};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, Kernel, Queue};
use crate::search::Found;
use crate::techniques::Setup;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::built_for;
use crate::words::{Counters, Fault, ParamEntry, Params, Telemetry, Value};

/// The parameter `group`: the paper's "block size".
pub const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`7x7` (as published) or `49x7` work-items",
    default: "7x7",
    check: |value| group_digits(value).map(drop),
};

/// The parameter `grid`: the paper's "grid size".
pub const GRID: ParamEntry = ParamEntry {
    name: "grid",
    allowed: "`343x343` (as published) or `2401x2401` work-groups at the most; sets that they have no place for are \
              gone through by each work-item",
    default: "343x343",
    check: |value| grid_digits(value).map(drop),
};

/// Trials of techniques with these parameters.
pub const TRIALS: &[Trial] = &[
    Trial::new("", SEARCH),
    Trial::new("group=49x7 grid=2401x2401", SMALL),
    Trial::new("", SHORT),
    Trial::new("group=49x7", SHORT),
];

/// Moves that the place of a work-item in its group encodes.
pub(super) fn group_digits(value: &Value) -> Result<u32, String> {
    match value.as_text() {
        Some("7x7") => Ok(2),
        Some("49x7") => Ok(3),
        _ => Err(GROUP.refused(value)),
    }
}

/// Most moves that the place of a group encodes, per dimension of the grid.
fn grid_digits(value: &Value) -> Result<u32, String> {
    match value.as_text() {
        Some("343x343") => Ok(3),
        Some("2401x2401") => Ok(4),
        _ => Err(GRID.refused(value)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    /// Work-items of a group in the first dimension. The second has seven.
    group_x: usize,
    /// Moves that the group's place encodes, per dimension.
    grid_x: u32,
    grid_y: u32,
    /// Moves over which each work-item loops.
    looped: u32,
}

impl Layout {
    fn new(depth: u32, params: &Params) -> Result<Layout, String> {
        let in_group = params.get(GROUP.name).map_or(Ok(2), group_digits)?;
        let most = params.get(GRID.name).map_or(Ok(3), grid_digits)?;
        let after = depth.saturating_sub(in_group);
        let grid_x = after.div_ceil(2).min(most);
        let grid_y = (after - grid_x).min(most);
        Ok(Layout {
            group_x: COLUMNS.pow(in_group - 1),
            grid_x,
            grid_y,
            looped: after - grid_x - grid_y,
        })
    }

    fn items(&self) -> usize {
        self.group_x * COLUMNS
    }

    fn groups(&self) -> usize {
        COLUMNS.pow(self.grid_x + self.grid_y)
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
    /// Builds the searcher. Fails with [`Fault::Input`] for an invalid parameter, [`Fault::Memory`] if local memory is
    /// too small, [`Fault::Unsupported`] if the device refuses the group, or a build error.
    pub fn searcher(
        &self,
        setup: &Setup<'_>,
        asked: &Asked,
    ) -> Result<Box<dyn Searcher<ConnectFour>>, Fault> {
        let layout = Layout::new(asked.depth, setup.params).map_err(Fault::Input)?;
        Ok(Box::new(DeviceSets::new(self, layout, asked, setup)?))
    }
}

struct DeviceSets {
    game: Bits,
    depth: u32,
    optimistic: bool,
    layout: Layout,
    play: Kernel,
    sum: Kernel,
    queue: Queue,
    sums: Buffer<i64>,
    /// Mark of the next search.
    stamp: u64,
    positions: Vec<Board>,
    build_ns: u64,
    notes: String,
}

impl DeviceSets {
    fn new(
        plan: &SetsPlan,
        layout: Layout,
        asked: &Asked,
        setup: &Setup<'_>,
    ) -> Result<DeviceSets, Fault> {
        let device = setup.on_device()?;
        let local_bytes = check_local(plan, layout, asked.depth, device)?;
        let mut defines = defines();
        defines.extend([
            ("PLIES", asked.depth.to_string()),
            ("GROUP_X", layout.group_x.to_string()),
            ("GRID_X_DIGITS", layout.grid_x.to_string()),
            ("GRID_Y_DIGITS", layout.grid_y.to_string()),
            ("LOOP_DIGITS", layout.looped.to_string()),
            ("LOOP_SETS", COLUMNS.pow(layout.looped).to_string()),
            ("OPTIMISTIC", u8::from(plan.optimistic).to_string()),
        ]);
        // The only barrier is outside all loops.
        let needs = BuildNeeds::default();
        let program = device.build(plan.path, &defines, setup.kernels, needs)?;
        let (mut play, mut sum) = (program.kernel("move_sets")?, program.kernel("sum_grid")?);
        let most = play.max_group().min(sum.max_group());
        play.check_group(layout.items())?;
        sum.check_group(layout.items())?;
        let mut queue = device.queue()?;
        let table = upload_table(&asked.evaluation, device, &mut queue)?;
        let scores = device.buffer::<i64>(layout.groups() * SCORES, Access::ReadWrite)?;
        let sums = device.buffer::<i64>(SCORES + 1, Access::Write)?;
        play.set_buffer(0, &table)?;
        play.set_buffer(4, &scores)?;
        sum.set_buffer(0, &scores)?;
        sum.set_scalar(1, layout.groups() as i32)?;
        sum.set_buffer(3, &sums)?;
        let game = Bits::new(&asked.evaluation, Order::FromTheLeft);
        let mut sets = DeviceSets {
            game,
            depth: asked.depth,
            optimistic: plan.optimistic,
            layout,
            notes: format!(
                "group {}x7, grid {}x{}, local {local_bytes} bytes, private {} bytes, preferred multiple {}, \
                 at most {most} in a group, built with {}",
                layout.group_x,
                COLUMNS.pow(layout.grid_x),
                COLUMNS.pow(layout.grid_y),
                play.private_bytes(),
                play.preferred_multiple(),
                program.options()
            ),
            play,
            sum,
            queue,
            sums,
            stamp: 1,
            positions: Vec::new(),
            build_ns: program.build_ns(),
        };
        // Some drivers compile at first use. With every column full nothing is left to do.
        sets.launch(0, FULL, 0)?;
        sets.queue.take_parts();
        Ok(sets)
    }

    /// Sums or bests of a board's sets by first move, and the positions entered.
    fn launch(&mut self, own: u64, stones: u64, value: i32) -> Result<[i64; SCORES + 1], Fault> {
        let Layout {
            group_x,
            grid_x,
            grid_y,
            ..
        } = self.layout;
        let stamp = self.stamp;
        self.stamp += 1;
        self.play.set_scalar(1, own)?;
        self.play.set_scalar(2, stones)?;
        self.play.set_scalar(3, value)?;
        self.sum.set_scalar(2, stamp)?;
        let local = [group_x, COLUMNS];
        let global = [group_x * COLUMNS.pow(grid_x), COLUMNS * COLUMNS.pow(grid_y)];
        self.queue.launch(&self.play, global, Some(local))?;
        self.queue.launch(&self.sum, local, Some(local))?;
        let mut sums = [0; SCORES + 1];
        self.queue.read(&self.sums, &mut sums)?;
        if sums[SCORES] as u64 != stamp {
            return Err(Fault::Device("kernel `sum_grid` did not finish".into()));
        }
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
        self.positions.clear();
        let boards = positions.iter().map(|position| self.game.load(position));
        self.positions.extend(boards);
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
        Telemetry {
            parts: self.queue.take_parts(),
            build_ns: self.build_ns,
            notes: self.notes.clone(),
            resources: self.play.resources(self.layout.items()),
            ..Telemetry::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_spells_every_move_once() {
        let params = |group: &str, grid: &str| {
            Params::from([
                (GROUP.name.to_owned(), Value::Text(group.to_owned())),
                (GRID.name.to_owned(), Value::Text(grid.to_owned())),
            ])
        };
        let published = Layout::new(8, &Params::new()).unwrap();
        assert_eq!((published.items(), published.groups()), (49, 117_649));
        assert_eq!(published.looped, 0);
        for (group, in_group) in [("7x7", 2), ("49x7", 3)] {
            for (grid, most) in [("343x343", 6), ("2401x2401", 8)] {
                for depth in 1..=14 {
                    let layout = Layout::new(depth, &params(group, grid)).unwrap();
                    let in_grid = layout.grid_x + layout.grid_y;
                    assert!(in_grid <= most);
                    let found = (in_group + in_grid + layout.looped).max(depth);
                    assert_eq!(found, in_group.max(depth));
                    assert!(layout.looped == 0 || in_grid == most);
                }
            }
        }
        assert_eq!(
            Layout::new(8, &params("8x8", "343x343")).unwrap_err(),
            "group: `8x8`; allowed is `7x7` (as published) or `49x7` work-items"
        );
        assert!(
            Layout::new(8, &params("7x7", "49x49"))
                .unwrap_err()
                .starts_with("grid: `49x49`")
        );
    }
}
