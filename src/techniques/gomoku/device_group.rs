//! The work-groups of kernels that search with a whole group (`cl/gomoku/group_search.clh`): size and turns.

use crate::games::gomoku::Size;
use crate::opencl::{Device, DeviceKind};
use crate::techniques::list::whole_numbers;

/// Work-items of the largest automatic group: cuts come among the first moves.
const MOST_ITEMS: usize = 256;

whole_numbers! {
    /// The parameter `group`.
    pub auto GROUP, read_group: "group", 1..=1024, "auto",
        "`auto`: 1 on a processor, else one a square up to 256; or the number \
              of work-items, from 1 to 1024";
}

/// Default work-items: one on a processor, elsewhere enough for the squares, in multiples of the preferred size.
pub(super) fn usual_items(size: Size, device: &Device) -> usize {
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
