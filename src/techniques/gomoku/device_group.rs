//! What the kernels that search with a whole work-group have in common on the host
//! (`cl/gomoku/group_search.clh`): the group's size, how it takes turns, what is built, and the
//! board as it goes to the device.

use std::path::Path;

use super::device_board::{REACH, defines, lines, order_words, pack, packed_len, tables};
use crate::games::gomoku::{Colour, Evaluation, MoveRule, Position, Representation, Size, Square};
use crate::opencl::{
    Access, BuildNeeds, Device, DeviceInfo, DeviceKind, Kernel, Program, Queue, bytes_in_words,
};
use crate::words::{Fault, ParamEntry, Params, Value};

/// The parameter `group`: work-items in a work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// One on a processor, which runs them one after another and pays for barriers; elsewhere
    /// enough for the board's squares, up to [`MOST_ITEMS`], in whole multiples of what the device
    /// prefers.
    Auto,
    /// So many.
    Items(usize),
}

const GROUPS_ALLOWED: &str = "`auto`: 1 on a processor, else one a square up to 256; or the number \
                              of work-items, from 1 to 1024";

/// Work-items of the largest group that [`Group::Auto`] asks for. More would find nothing to do in
/// most turns: a node has a few hundred moves at the most where boards are large, and a cut comes
/// among the first.
const MOST_ITEMS: usize = 256;

/// The parameter, as techniques list it.
pub const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: GROUPS_ALLOWED,
    default: "auto",
    check: |value| Group::parse(value).map(drop),
};

impl Group {
    /// Reads the parameter; [`Group::Auto`] where it is not given.
    ///
    /// # Errors
    /// One line that names the key, the value and what is allowed.
    pub fn read(params: &Params) -> Result<Group, String> {
        params.get("group").map_or(Ok(Group::Auto), Group::parse)
    }

    /// Reads one value of the parameter.
    ///
    /// # Errors
    /// As [`Group::read`].
    pub fn parse(value: &Value) -> Result<Group, String> {
        match (value.as_text(), value.as_int()) {
            (Some("auto"), _) => Ok(Group::Auto),
            (_, Some(items @ 1..=1024)) => Ok(Group::Items(items as usize)),
            _ => Err(format!("group: `{value}`; allowed is {GROUPS_ALLOWED}")),
        }
    }

    /// Work-items for a board, before the compiled kernel's limit.
    fn items(self, size: Size, info: &DeviceInfo, multiple: usize) -> usize {
        match self {
            Group::Items(items) => items,
            Group::Auto if info.kind == DeviceKind::Cpu => 1,
            Group::Auto => size
                .squares()
                .min(MOST_ITEMS)
                .next_multiple_of(multiple.max(1))
                .min(info.max_work_group),
        }
    }
}

/// How a group takes turns (`cl/gomoku/group_search.clh`): arguments of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    /// Moves of a node at remaining depth 2 that are played before the others are probed.
    pub alone: usize,
    /// Replies of a move that the first probe tries.
    pub tries: usize,
    /// Leaves of a turn.
    pub chunk: usize,
}

/// Replies that the first probe tries.
const TRIES: usize = 12;

impl Turns {
    /// For siblings of a remaining depth, in a null window or not.
    ///
    /// Where a sibling fails low, as most do, one of its replies cuts; under it all moves must be
    /// searched, of which each has a reply that cuts, and so on. So at odd remaining depths the
    /// nodes at 2 are those that search all moves, and are probed at once. At even ones their first
    /// move is likely to cut, and in an open window it narrows the window for the others: it goes
    /// alone. Leaves are all taken in one turn, for they are all wanted under a move that cuts, and
    /// after a probe the first have been tried; but at remaining depth 1 of the sibling itself, the
    /// first may cut.
    ///
    /// A group of one has no side by side: it probes to the end, which is plain alpha-beta, and
    /// takes the fewest turns.
    pub fn new(size: Size, items: usize, depth: u32, null_window: bool) -> Turns {
        let all = size.squares();
        if items == 1 {
            return Turns {
                alone: 0,
                tries: all,
                chunk: all,
            };
        }
        let at_once = null_window && depth % 2 == 1;
        Turns {
            alone: usize::from(!at_once),
            tries: TRIES,
            chunk: if depth == 1 { items } else { all },
        }
    }
}

/// What a kernel is built from.
pub struct GroupPlan<'a> {
    /// The kernel file.
    pub path: &'a str,
    /// The kernel in it.
    pub kernel: &'a str,
    /// The board, its shapes and its moves.
    pub evaluation: &'a Evaluation,
    /// The work-group size asked for.
    pub group: Group,
    /// The largest remaining depth of a sibling.
    pub deepest: u32,
}

/// A kernel built for one board, with the queue that it runs in.
///
/// Its first two arguments are set: the tables, and the order of moves.
pub struct GroupKernel {
    /// The kernel.
    pub kernel: Kernel,
    /// Its queue.
    pub queue: Queue,
    /// Work-items in a work-group.
    pub items: usize,
    /// The board's size.
    pub size: Size,
    deepest: u32,
    /// The board without stones, as it goes to the device.
    walls: Vec<u32>,
    build_ns: u64,
    notes: String,
}

/// A packed board's side to move, and its empty squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// 0 for black, 1 for white.
    pub colour: usize,
    /// Empty squares.
    pub empty: usize,
}

impl GroupPlan<'_> {
    /// Builds the kernel and uploads the tables. Where `group` leaves the choice and the kernel
    /// cannot have so many work-items, half as many are taken, until it can.
    ///
    /// # Errors
    /// [`Fault::Memory`] where board and stack do not fit the device's local memory,
    /// [`Fault::Unsupported`] where the device or the kernel takes no group of the size asked for,
    /// and what building fails with.
    pub fn build(&self, device: &Device, kernels: Option<&Path>) -> Result<GroupKernel, Fault> {
        let info = device.info();
        let size = self.evaluation.size();
        let mut items = self.group.items(size, info, device.preferred_multiple());
        let (program, mut kernel, local_bytes) = loop {
            if items > info.max_work_group {
                return Err(too_large(items, "device", info.max_work_group));
            }
            let local_bytes = self.local_bytes(items, info)?;
            let program = self.compile(device, items, kernels)?;
            let kernel = program.kernel(self.kernel)?;
            let most = kernel.max_group();
            if items <= most {
                break (program, kernel, local_bytes);
            }
            if self.group != Group::Auto || items == 1 {
                return Err(too_large(items, "compiled kernel", most));
            }
            items = (items / 2).min(most.max(1));
        };
        let mut queue = device.queue()?;
        let table_words = tables(self.evaluation.shapes());
        let table_buffer = device.buffer::<i32>(table_words.len(), Access::Read)?;
        queue.write(&table_buffer, &table_words)?;
        let order_buffer = device.buffer::<u32>(size.squares(), Access::Read)?;
        queue.write(&order_buffer, &order_words(size))?;
        kernel.set_buffer(0, &table_buffer)?;
        kernel.set_buffer(1, &order_buffer)?;
        let mut walls = Vec::with_capacity(packed_len(size));
        pack(&Position::empty(size), &mut walls);
        Ok(GroupKernel {
            kernel,
            queue,
            items,
            size,
            deepest: self.deepest,
            walls,
            build_ns: program.build_ns(),
            notes: format!(
                "group {items}, local {local_bytes} bytes, built with {}",
                program.options()
            ),
        })
    }

    /// Drivers abort, or answer nonsense, where a kernel's local memory is over the limit.
    fn local_bytes(&self, items: usize, info: &DeviceInfo) -> Result<u64, Fault> {
        let size = self.evaluation.size();
        let board = 4 * packed_len(size);
        // A waiting node of four numbers and a stone a level; two counters a work-item; a bit a
        // square; the turn's eleven numbers and its
        // bound.
        let bits = 4 * size.squares().div_ceil(32);
        let needs = (board + 20 * self.levels() + 8 * items + bits + 48) as u64;
        if needs <= info.local_memory_bytes {
            return Ok(needs);
        }
        Err(Fault::Memory(format!(
            "a board of {} lines and {items} work-items need {} of local memory, device has {}",
            lines(size),
            bytes_in_words(needs),
            bytes_in_words(info.local_memory_bytes)
        )))
    }

    fn levels(&self) -> usize {
        self.deepest.max(1) as usize
    }

    fn compile(
        &self,
        device: &Device,
        items: usize,
        kernels: Option<&Path>,
    ) -> Result<Program, Fault> {
        let adjacent = self.evaluation.moves() == MoveRule::Adjacent;
        let mut defines = defines(self.evaluation);
        defines.extend([
            ("GROUP", items.to_string()),
            ("LEVELS", self.levels().to_string()),
            ("ADJACENT", u32::from(adjacent).to_string()),
        ]);
        // A group of one has nobody to wait for, so that its barriers cannot go wrong.
        let needs = BuildNeeds {
            barriers_in_loops: items > 1,
            ..BuildNeeds::default()
        };
        device.build(self.path, &defines, kernels, needs)
    }
}

fn too_large(items: usize, whose: &str, most: usize) -> Fault {
    Fault::Unsupported(format!(
        "group: {items} work-items; the {whose} takes at most {most}"
    ))
}

impl GroupKernel {
    /// Adds a position of this board to what goes to the device, without the stone on one of its
    /// squares, and says who is to move there and how many squares are empty.
    pub fn pack_without<R: Representation>(
        &self,
        game: &R,
        position: &R::Position,
        left_out: Square,
        packed: &mut Vec<u32>,
    ) -> Packed {
        let start = packed.len();
        packed.extend_from_slice(&self.walls);
        let words = &mut packed[start..];
        let side = self.size.side();
        let halves = self.walls.len() / (2 * lines(self.size));
        let mut stones = 0;
        for square in self.size.all().filter(|square| *square != left_out) {
            let colour = match game.stone(position, square) {
                None => continue,
                Some(Colour::Black) => 0,
                Some(Colour::White) => 1,
            };
            stones += 1;
            let (x, y) = (self.size.x(square), self.size.y(square));
            let through = [
                (y, x),
                (side + x, y),
                (3 * side - 1 + x - y, x),
                (4 * side - 1 + x + y, x),
            ];
            for (line, place) in through {
                let bit = place + REACH;
                words[(2 * line + colour) * halves + bit / 32] |= 1 << (bit % 32);
            }
        }
        Packed {
            colour: stones % 2,
            empty: self.size.squares() - stones,
        }
    }

    /// Checks that the stack has room for siblings of this remaining depth.
    ///
    /// # Errors
    /// [`Fault::Input`] with the depth that it was built for.
    pub fn check_depth(&self, depth: u32) -> Result<(), Fault> {
        if depth <= self.deepest {
            return Ok(());
        }
        Err(Fault::Input(format!(
            "depth: `{depth}` below a sibling; this kernel was built for {} at most",
            self.deepest
        )))
    }

    /// Program build time, ns.
    pub fn build_ns(&self) -> u64 {
        self.build_ns
    }

    /// What was chosen and used.
    pub fn notes(&self) -> &str {
        &self.notes
    }
}
