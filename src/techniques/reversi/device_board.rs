//! What reversi's kernels have in common on the host: positions in words of 32 squares, the
//! work-group size, the constants, and how much local memory all of it takes.

use std::path::Path;

use crate::games::reversi::{Evaluation, Representation, Size, WIN};
use crate::opencl::{Defines, Device, DeviceKind, KernelPlan, Runner, WorkGroup};
use crate::words::{Fault, Params, Value};

/// The parameter `group`: work-items in a work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// As in the paper on GPUs. On a processor the best size: there the paper's takes 3 to 30 times as long,
    /// which says nothing of the technique.
    Usual,
    /// As in the paper (section 5): the board's size, and on its three largest boards, those of
    /// 1024 squares and more, the best size.
    Board,
    /// The best size on every board.
    Auto,
    /// This number.
    Items(usize),
}

/// What `group` may be, for messages.
pub const GROUPS_ALLOWED: &str = "`board`: a work-item a square, but the best size on boards of \
                                  1024 squares and more, as in the paper; `auto`: the best size; \
                                  or the number of work-items, from 1 to 4096";

/// Boards of at least this number of squares get the best size under [`Group::Board`] too.
const LARGE: usize = 1024;

impl Group {
    /// Reads the parameter; [`Group::Usual`] where it is not given.
    ///
    /// # Errors
    /// One line that names the key, the value and what is allowed.
    pub fn read(params: &Params) -> Result<Group, String> {
        params.get("group").map_or(Ok(Group::Usual), Group::parse)
    }

    /// Reads one value of the parameter.
    ///
    /// # Errors
    /// As [`Group::read`].
    pub fn parse(value: &Value) -> Result<Group, String> {
        match (value.as_text(), value.as_int()) {
            (Some("board"), _) => Ok(Group::Board),
            (Some("auto"), _) => Ok(Group::Auto),
            (_, Some(items @ 1..=4096)) => Ok(Group::Items(items as usize)),
            _ => Err(format!("group: `{value}`; allowed is {GROUPS_ALLOWED}")),
        }
    }

    /// Work-items for a board.
    fn on(self, size: Size, kind: DeviceKind) -> WorkGroup {
        WorkGroup::UpTo(match self {
            Group::Items(items) => return WorkGroup::Exactly(items),
            Group::Usual if kind == DeviceKind::Cpu => best(size, kind),
            Group::Usual | Group::Board if size.squares() < LARGE => size.squares(),
            Group::Usual | Group::Board | Group::Auto => best(size, kind),
        })
    }
}

/// The best work-group size, as measured; `pv_split.rs` has the figures.
fn best(size: Size, kind: DeviceKind) -> usize {
    match kind {
        // A processor runs work-items one after another, and a barrier costs it a pass over all.
        DeviceKind::Cpu => 1,
        // A work-item a word: whatever a work-item does, it does to a whole word at a time.
        _ => size.height() * words_per_rank(size),
    }
}

/// Words of up to 32 squares that make a rank.
pub fn words_per_rank(size: Size) -> usize {
    size.width().div_ceil(32)
}

/// Numbers that one position takes in a device's buffer: the two sides of every word.
pub fn packed_len(size: Size) -> usize {
    2 * size.height() * words_per_rank(size)
}

/// Adds a position to what goes to a device: rank by rank, word by word, the mover's discs and
/// then the opponent's, bit x of word h being file 32 h + x.
pub fn pack<R: Representation>(game: &R, position: &R::Position, packed: &mut Vec<u32>) {
    let size = game.size();
    for rank in 0..size.height() {
        let (own, other) = game.rank(position, rank);
        for word in 0..words_per_rank(size) {
            packed.extend([own, other].map(|side| (side >> (32 * word)) as u32));
        }
    }
}

/// Bytes of a board in local memory, with its two empty ranks.
pub fn board_bytes(size: Size) -> usize {
    (size.height() + 2) * words_per_rank(size) * 8
}

/// What a kernel keeps in local memory, in bytes, of which some is there once a level of its
/// stack, some once a work-item.
#[derive(Clone, Copy, Debug)]
pub struct LocalNeed {
    /// Boards, with their two empty ranks.
    pub boards: usize,
    /// Sets of legal moves.
    pub moves: usize,
    /// Bytes a work-item.
    pub per_item: usize,
    /// All the rest.
    pub other: usize,
}

impl LocalNeed {
    fn bytes(self, size: Size, items: usize) -> usize {
        let moves = size.height() * words_per_rank(size) * 4;
        let boards = self.boards * board_bytes(size);
        boards + self.moves * moves + items * self.per_item + self.other
    }
}

/// What a kernel is built from, apart from the device.
pub struct Plan<'a> {
    /// The kernel file.
    pub path: &'a str,
    /// The kernel in it.
    pub kernel: &'a str,
    /// Board and evaluation.
    pub evaluation: &'a Evaluation,
    /// The work-group size asked for.
    pub group: Group,
    /// The kernel's constant `LEVELS`.
    pub levels: u32,
    /// What it keeps in local memory.
    pub need: LocalNeed,
    /// Constants of its own.
    pub constants: Defines,
}

impl Plan<'_> {
    /// Builds the kernel. An automatic `group` is halved until device and kernel allow it.
    ///
    /// # Errors
    /// As [`KernelPlan::build`].
    pub fn build(&self, device: &Device, kernels: Option<&Path>) -> Result<Runner, Fault> {
        let size = self.evaluation.size();
        let plan = KernelPlan {
            path: self.path,
            kernel: self.kernel,
            group: self.group.on(size, device.info().kind),
            local: &|items| self.local(items),
            defines: &|items| {
                let shared = [
                    ("WIDTH", size.width().to_string()),
                    ("HEIGHT", size.height().to_string()),
                    ("GROUP", items.to_string()),
                    ("LEVELS", self.levels.to_string()),
                    ("MOBILITY", self.evaluation.mobility().to_string()),
                    ("WIN", WIN.to_string()),
                ];
                shared
                    .into_iter()
                    .chain(self.constants.iter().cloned())
                    .collect()
            },
            barriers_in_loops: true,
        };
        plan.build(device, kernels)
    }

    fn local(&self, items: usize) -> (usize, String) {
        let size = self.evaluation.size();
        let whose = format!("the stack of {} boards of {size} needs", self.need.boards);
        (self.need.bytes(size, items), whose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::{DeviceInfo, example};

    #[test]
    fn a_group_is_a_word_or_a_number_that_some_device_may_take() {
        let text = |word: &str| Group::parse(&Value::Text(word.to_owned()));
        assert_eq!(Group::read(&Params::new()), Ok(Group::Usual));
        assert_eq!(text("board"), Ok(Group::Board));
        assert_eq!(text("auto"), Ok(Group::Auto));
        assert_eq!(Group::parse(&Value::Int(64)), Ok(Group::Items(64)));
        for wrong in [
            Value::Int(0),
            Value::Int(4097),
            Value::Text("square".into()),
        ] {
            let why = Group::parse(&wrong).unwrap_err();
            assert!(
                why.starts_with(&format!("group: `{wrong}`; allowed is")),
                "{why}"
            );
        }
    }

    #[test]
    fn a_stack_that_does_not_fit_is_refused_with_the_figures() {
        let evaluation = Evaluation::new("64x64".parse().unwrap(), &Params::new()).unwrap();
        let plan = |boards| Plan {
            path: "reversi/pv_split.cl",
            kernel: "pv_split",
            evaluation: &evaluation,
            group: Group::Board,
            levels: 3,
            constants: Vec::new(),
            need: LocalNeed {
                boards,
                moves: boards,
                per_item: 4,
                other: 0,
            },
        };
        let info = DeviceInfo {
            local_memory_bytes: 48 << 10,
            ..example(0, 0, "gpu")
        };
        // 66 ranks of 16 bytes and 64 of 8 a level.
        assert_eq!(plan(12).local(128).0, 12 * 1568 + 512);
        let (bytes, whose) = plan(40).local(128);
        assert_eq!(
            info.check_local(bytes as u64, whose),
            Err(Fault::Memory(
                "the stack of 40 boards of 64x64 needs 61.8 KiB of local memory, device has \
                 48.0 KiB"
                    .into()
            ))
        );
    }

    #[test]
    fn small_boards_get_a_work_item_a_square_and_large_ones_the_best() {
        let items = |group: Group, board: &str, kind| group.on(board.parse().unwrap(), kind);
        let up_to = WorkGroup::UpTo;
        assert_eq!(items(Group::Board, "8x8", DeviceKind::Gpu), up_to(64));
        assert_eq!(items(Group::Board, "32x16", DeviceKind::Cpu), up_to(512));
        assert_eq!(items(Group::Usual, "32x16", DeviceKind::Gpu), up_to(512));
        assert_eq!(items(Group::Usual, "32x16", DeviceKind::Cpu), up_to(1));
        assert_eq!(
            items(Group::Board, "64x64", DeviceKind::Gpu),
            items(Group::Auto, "64x64", DeviceKind::Gpu)
        );
        assert_eq!(
            items(Group::Items(48), "64x64", DeviceKind::Gpu),
            WorkGroup::Exactly(48)
        );
    }
}
