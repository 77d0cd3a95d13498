//! Common host parts of kernels that search with a whole work-group (`cl/gomoku/group_search.clh`): group size, turns,
//! build, and boards.

use std::path::Path;

use super::device_board::{REACH, defines, lines, order_words, pack, packed_len, tables};
use crate::games::gomoku::{Colour, Evaluation, MoveRule, Position, Representation, Size, Square};
use crate::opencl::{Access, Device, DeviceKind, KernelPlan, Runner};
use crate::search::Window;
pub use crate::techniques::group::Group;
use crate::techniques::lanes::Lanes;
use crate::techniques::tasks::built_up_to;
use crate::words::{Fault, ParamEntry};

/// Work-items of the largest group under [`Group::Auto`]. Most turns would not occupy more: cuts come among the first
/// moves.
const MOST_ITEMS: usize = 256;

/// The parameter `group`.
pub const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`auto`: 1 on a processor, else one a square up to 256; or the number \
              of work-items, from 1 to 1024",
    default: "auto",
    check: |value| Group::parse(value, &GROUP).map(drop),
};

/// Default work-items per group: one on a processor, where barriers are expensive; elsewhere enough for the squares, up
/// to [`MOST_ITEMS`], in multiples of the device's preferred size.
fn usual_items(size: Size, device: &Device) -> usize {
    let info = device.info();
    if info.kind == DeviceKind::Cpu {
        return 1;
    }
    size.squares()
        .min(MOST_ITEMS)
        .next_multiple_of(device.preferred_multiple().max(1))
        .min(info.max_work_group)
}

/// Division of a group's work into turns (`cl/gomoku/group_search.clh`): arguments of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    /// Moves at remaining depth 2 that are played before the other moves are probed.
    pub alone: usize,
    /// Replies of a move that the first probe tries.
    pub tries: usize,
    /// Leaves per turn.
    pub chunk: usize,
}

const TRIES: usize = 12;

impl Turns {
    /// Turns for siblings at a remaining depth.
    ///
    /// Most siblings fail low: one reply cuts, and all moves after it must be searched. At odd remaining depths, nodes
    /// at 2 are therefore those that search all moves, and all are probed at once. At even depths their first move
    /// probably cuts, or narrows an open window, and goes alone. Leaves are taken in one turn, except at a sibling's
    /// remaining depth 1, where the first leaf may cut.
    ///
    /// A group of one has no parallelism: it probes to the end, which is plain alpha-beta, in the fewest turns.
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

/// Inputs of a build.
pub struct GroupPlan<'a> {
    /// The kernel file.
    pub path: &'a str,
    /// The kernel in it.
    pub kernel: &'a str,
    /// The board, its shapes and its moves.
    pub evaluation: &'a Evaluation,
    /// The requested work-group size.
    pub group: Group,
    /// The largest remaining depth of a sibling.
    pub deepest: u32,
    /// Lanes that share instructions, if the kernel counts full lanes.
    pub width: Option<usize>,
}

/// A kernel for one board, with its queue. The first two arguments, tables and order of moves, are set.
pub struct GroupKernel {
    /// The kernel and its queue.
    pub run: Runner,
    /// The board's size.
    pub size: Size,
    deepest: u32,
    /// The empty board in the kernels' form.
    walls: Vec<u32>,
    /// Share of full lanes since the last query, if counted.
    pub lanes: Option<Lanes>,
}

/// A packed board's mover and empty squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// 0 for black, 1 for white.
    pub colour: usize,
    /// Empty squares.
    pub empty: usize,
}

impl GroupPlan<'_> {
    /// Builds the kernel and uploads the tables. Halves an automatic `group` until the kernel allows it. Fails as
    /// [`KernelPlan::build`].
    pub fn build(&self, device: &Device, kernels: Option<&Path>) -> Result<GroupKernel, Fault> {
        let size = self.evaluation.size();
        let plan = KernelPlan {
            path: self.path,
            kernel: self.kernel,
            group: self.group.or(usual_items(size, device)),
            local: &|items| self.local(items),
            defines: &|items| {
                let adjacent = self.evaluation.moves() == MoveRule::Adjacent;
                let mut defines = defines(self.evaluation);
                defines.extend([
                    ("GROUP", items.to_string()),
                    ("LEVELS", self.levels().to_string()),
                    ("ADJACENT", u32::from(adjacent).to_string()),
                    ("LANES", self.width.unwrap_or(0).to_string()),
                ]);
                defines
            },
            barriers_in_loops: true,
        };
        let mut run = plan.build(device, kernels)?;
        run.notes = format!(
            "group {}, local {} bytes, built with {}",
            run.items, run.local_bytes, run.options
        );
        let table_words = tables(self.evaluation.shapes());
        let table_buffer = device.buffer::<i32>(table_words.len(), Access::Read)?;
        run.queue.write(&table_buffer, &table_words)?;
        let order_buffer = device.buffer::<u32>(size.squares(), Access::Read)?;
        run.queue.write(&order_buffer, &order_words(size))?;
        run.kernel.set_buffer(0, &table_buffer)?;
        run.kernel.set_buffer(1, &order_buffer)?;
        let lanes = self.width.map(|width| Lanes::of(run.items, width));
        let mut walls = Vec::with_capacity(packed_len(size));
        pack(&Position::empty(size), &mut walls);
        Ok(GroupKernel {
            run,
            size,
            deepest: self.deepest,
            walls,
            lanes,
        })
    }

    fn local(&self, items: usize) -> (usize, String) {
        let size = self.evaluation.size();
        let board = 4 * packed_len(size);
        // A node of four numbers and a stone per level; two counters per work-item; a bit per square; the turn's eleven
        // numbers and bound; a counter per bundle of lanes.
        let bundles = self.width.map_or(0, |width| items.div_ceil(width));
        let bits = 4 * size.squares().div_ceil(32);
        let bytes = board + 20 * self.levels() + 8 * items + bits + 48 + 4 * bundles;
        let lines = lines(size);
        let whose = format!("a board of {lines} lines and {items} work-items need");
        (bytes, whose)
    }

    fn levels(&self) -> usize {
        self.deepest.max(1) as usize
    }
}

impl GroupKernel {
    /// Appends a position without the stone on `left_out`. Returns its mover and empty squares.
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

    /// Sets the window of a launch and the turns: arguments 3, 4 and 9 to 11. Fails if the driver refuses.
    pub fn set_window(&mut self, depth: u32, window: Window) -> Result<(), Fault> {
        let Runner { kernel, items, .. } = &mut self.run;
        let null_window = window.beta - window.alpha == 1;
        let turns = Turns::new(self.size, *items, depth, null_window);
        kernel.set_scalar(3, window.alpha)?;
        kernel.set_scalar(4, window.beta)?;
        kernel.set_scalar(9, turns.alone as i32)?;
        kernel.set_scalar(10, turns.tries as i32)?;
        kernel.set_scalar(11, turns.chunk as i32)
    }

    /// Sets the siblings' parent, remaining depth and ply: arguments 5 to 8. Fails with [`Fault::Input`] if the stack
    /// is too small for the depth.
    pub fn set_parent(&mut self, parent: Packed, depth: u32, ply: u32) -> Result<(), Fault> {
        built_up_to(self.deepest, depth, " below a sibling")?;
        let kernel = &mut self.run.kernel;
        kernel.set_scalar(5, parent.colour as i32)?;
        kernel.set_scalar(6, parent.empty as i32)?;
        kernel.set_scalar(7, depth as i32)?;
        kernel.set_scalar(8, ply as i32)
    }
}
