//! What the kernels as published have in common on the host (`cl/gomoku/cells.clh`): boards of ints, the constants, the
//! order of moves, and how full a group of work-items is.

use super::device_items::Group;
use crate::games::gomoku::{
    Colour, Evaluation, MOST, MoveRule, Position, Representation, Size, Square, WIN,
};
use crate::opencl::{Access, Buffer, Defines, Device, DeviceKind, Kernel, WorkGroup};
use crate::opencl::{KernelPlan, Runner};
use crate::techniques::Setup;
use crate::words::{Fault, ParamEntry, Value};

/// Work-items of a block in the paper's sections 7.4 to 7.6.
pub const BLOCK: usize = 768;

/// What a square holds (`NO_STONE`, `BLACK`, `WHITE`).
const NO_STONE: i32 = 0;

/// A colour as the kernels have it.
pub fn int_of(colour: Colour) -> i32 {
    match colour {
        Colour::Black => 1,
        Colour::White => 2,
    }
}

/// What stands on a square, as the kernels have it.
pub fn cell(stone: Option<Colour>) -> i32 {
    stone.map_or(NO_STONE, int_of)
}

/// Adds a position's board.
pub fn pack_cells(position: &Position, packed: &mut Vec<i32>) {
    packed.extend(position.cells().iter().map(|stone| cell(*stone)));
}

/// A square as the kernels have it: its place in the board's array.
pub fn int_of_square(square: Square) -> i32 {
    square.index() as i32
}

/// Empty squares of a position.
pub fn empty(position: &Position) -> usize {
    position.size().squares() - position.moves().len()
}

/// The parameter `group` of techniques whose paper says 768.
pub const BLOCK_GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`auto`: 768, as published, or the most that the device takes where that is less; or the number of \
              work-items in a work-group, from 1 to 1024",
    default: "auto",
    check: |value| Group::parse(value, &BLOCK_GROUP).map(drop),
};

/// The constants that every kernel of a board is built with.
fn defines(evaluation: &Evaluation) -> Defines {
    let [four, dead_four, three, dead_three, two, dead_two] = evaluation.shapes().table();
    let adjacent = evaluation.moves() == MoveRule::Adjacent;
    vec![
        ("SIDE", evaluation.size().side().to_string()),
        ("WIN", WIN.to_string()),
        ("MOST", MOST.to_string()),
        ("ADJACENT", u32::from(adjacent).to_string()),
        ("LIVE_FOUR", four.to_string()),
        ("DEAD_FOUR", dead_four.to_string()),
        ("LIVE_THREE", three.to_string()),
        ("DEAD_THREE", dead_three.to_string()),
        ("LIVE_TWO", two.to_string()),
        ("DEAD_TWO", dead_two.to_string()),
    ]
}

/// What a kernel is built from.
pub struct CellsPlan<'a> {
    /// The kernel file.
    pub path: &'a str,
    /// The kernel in it, whose first argument is the order of moves.
    pub kernel: &'a str,
    /// The board, its shapes and its moves.
    pub evaluation: &'a Evaluation,
    /// Work-items of a group in the paper.
    pub block: usize,
    /// What is asked for instead.
    pub group: Group,
    /// The file's own constants.
    pub constants: Defines,
    /// Bytes of local memory of a group.
    pub local: usize,
    /// Whether it has barriers in loops that depend on data.
    pub barriers_in_loops: bool,
}

impl CellsPlan<'_> {
    /// Builds the kernel, makes its queue, and gives it the order of moves. The group is the paper's, or the
    /// most that the device takes where that is less; the notes say so.
    ///
    /// # Errors
    /// As [`KernelPlan::build`].
    pub fn build(&self, device: &Device, setup: &Setup<'_>) -> Result<Runner, Fault> {
        let size = self.evaluation.size();
        let most = device.info().max_work_group.max(1);
        let plan = KernelPlan {
            path: self.path,
            kernel: self.kernel,
            group: match self.group {
                Group::Auto => WorkGroup::UpTo(self.block.min(most)),
                Group::Items(items) => WorkGroup::Exactly(items),
            },
            local: &|_| (self.local, format!("a board of {size} as ints needs")),
            defines: &|items| {
                let mut defines = defines(self.evaluation);
                defines.extend(self.constants.iter().cloned());
                defines.push(("GROUP", items.to_string()));
                defines
            },
            barriers_in_loops: self.barriers_in_loops,
        };
        let mut run = plan.build(device, setup.kernels)?;
        if run.items < self.block && self.group == Group::Auto {
            run.notes = format!("{} of {} work-items, {}", run.items, self.block, run.notes);
        }
        let order: Vec<i32> = size.order().iter().copied().map(int_of_square).collect();
        let buffer = upload(device, &mut run, &order)?;
        run.kernel.set_buffer(0, &buffer)?;
        Ok(run)
    }
}

/// A buffer that holds these numbers.
fn upload(device: &Device, run: &mut Runner, numbers: &[i32]) -> Result<Buffer<i32>, Fault> {
    let buffer = device.buffer::<i32>(numbers.len(), Access::Read)?;
    run.queue.write(&buffer, numbers)?;
    Ok(buffer)
}

/// Launches a kernel once for nothing: some drivers compile for a work-group size when they first see it.
///
/// # Errors
/// What the driver refuses.
pub fn launch_for_nothing(run: &mut Runner) -> Result<(), Fault> {
    run.launch_groups(1)?;
    run.queue.finish()?;
    run.telemetry();
    Ok(())
}

/// How full the lanes that share instructions are: of all the nodes that they had time for, as many as the
/// longest of those beside each other took, how many they entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Work-items of a group, and those among them that share instructions.
    group: usize,
    width: usize,
    entered: u64,
    room: u64,
}

impl Lanes {
    /// Of groups of a size on a device. A processor runs the work-items of these kernels one after another.
    pub fn new(device: &Device, kernel: &Kernel, group: usize) -> Lanes {
        let width = match device.info().kind {
            DeviceKind::Cpu => 1,
            _ => kernel.preferred_multiple().clamp(1, group),
        };
        Lanes::of(group, width)
    }

    fn of(group: usize, width: usize) -> Lanes {
        Lanes {
            group,
            width,
            entered: 0,
            room: 0,
        }
    }

    /// Takes a launch over: the nodes of each work-item in order.
    pub fn add(&mut self, nodes: &[u64]) {
        let groups = nodes.chunks(self.group);
        for lanes in groups.flat_map(|group| group.chunks(self.width)) {
            let longest = lanes.iter().max().copied().unwrap_or(0);
            self.entered += lanes.iter().sum::<u64>();
            self.room += longest * self.width as u64;
        }
    }

    /// The share of that room which was used, in millionths; `None` where nothing was counted.
    pub fn efficiency_ppm(&self) -> Option<u64> {
        (self.entered * 1_000_000).checked_div(self.room)
    }
}

/// The parameter `efficiency`.
pub const EFFICIENCY: ParamEntry = ParamEntry {
    name: "efficiency",
    allowed: "`true`: one more search when the technique is made ready, whose work-items tell how full the lanes \
              were that share instructions; or `false`",
    default: "false",
    check: |value| read_flag(&EFFICIENCY, value).map(drop),
};

/// Reads `true` or `false`.
///
/// # Errors
/// One line that names the key, the value and what is allowed.
pub fn read_flag(entry: &ParamEntry, value: &Value) -> Result<bool, String> {
    match value {
        Value::Flag(flag) => Ok(*flag),
        _ => Err(entry.refused(value)),
    }
}

/// The parameter `order`.
pub const ORDER: ParamEntry = ParamEntry {
    name: "order",
    allowed: "`moves`: work-items side by side take positions in the order of moves; or `children`: those with \
              the most children first",
    default: "moves",
    check: |value| read_order(value).map(drop),
};

/// Which position a work-item takes (section 8's branch reordering, after Rocki and Suda): no answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they come.
    Moves,
    /// Those with the most children first, equal ones as they come.
    Children,
}

/// Reads `order`.
///
/// # Errors
/// One line that names the key, the value and what is allowed.
pub fn read_order(value: &Value) -> Result<Order, String> {
    match value.as_text() {
        Some("moves") => Ok(Order::Moves),
        Some("children") => Ok(Order::Children),
        _ => Err(ORDER.refused(value)),
    }
}

impl Order {
    /// Which of the positions goes to each work-item, where `children` tells how many children each has.
    pub fn places(self, count: usize, children: impl Fn(usize) -> usize) -> Vec<u32> {
        let mut places: Vec<u32> = (0..count as u32).collect();
        if self == Order::Children {
            places.sort_by_cached_key(|place| std::cmp::Reverse(children(*place as usize)));
        }
        places
    }
}

/// Adds the board of a sibling's parent: the sibling's without the stone that leads there. Returns the parent's
/// side to move, and its empty squares.
pub fn pack_parent<R: Representation>(
    game: &R,
    sibling: &R::Position,
    left_out: Square,
    packed: &mut Vec<i32>,
) -> (Colour, usize) {
    let size: Size = game.size();
    let before = packed.len();
    packed.extend(size.all().map(|square| {
        let stone = game.stone(sibling, square).filter(|_| square != left_out);
        cell(stone)
    }));
    let stones = packed[before..].iter().filter(|cell| **cell != NO_STONE);
    let stones = stones.count();
    let mover = if stones.is_multiple_of(2) {
        Colour::Black
    } else {
        Colour::White
    };
    (mover, size.squares() - stones)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_those_beside_each_other_counts_for_all() {
        let mut lanes = Lanes::of(6, 4);
        assert_eq!(lanes.efficiency_ppm(), None);
        // Lanes of 4 and of 2, the latter in a row of 4; then a group that is not full.
        lanes.add(&[10, 5, 4, 1, 8, 2, 3]);
        assert_eq!((lanes.entered, lanes.room), (33, 4 * (10 + 8 + 3)));
        let mut serial = Lanes::of(6, 1);
        serial.add(&[10, 5, 4, 1, 8, 2, 3]);
        assert_eq!(serial.efficiency_ppm(), Some(1_000_000));
    }

    #[test]
    fn those_with_the_most_children_go_first() {
        let children = [3, 7, 3, 9];
        let places = |order: Order| order.places(4, |place| children[place]);
        assert_eq!(places(Order::Moves), [0, 1, 2, 3]);
        assert_eq!(places(Order::Children), [3, 1, 0, 2]);
        let refused = read_order(&Value::Text("heavy".into())).unwrap_err();
        assert!(
            refused.starts_with("order: `heavy`; allowed is `moves`"),
            "{refused}"
        );
    }
}
