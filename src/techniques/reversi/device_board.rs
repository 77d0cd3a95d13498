//! Common host code for reversi's kernels: packed positions, work-group size, constants and local memory.

use std::path::Path;

use crate::games::reversi::{Evaluation, Representation, Size, WIN};
use crate::techniques::prelude::*;

/// The parameter `group`, the number of work-items in a work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The paper's size on GPUs, and the best size on CPUs, where the paper's size is many times slower.
    Usual,
    /// The paper's size (section 5): the number of squares, or the best size on boards of 1024 squares and more.
    Board,
    /// The best size on every board.
    Auto,
    /// The given number of work-items.
    Items(usize),
}

/// Allowed values of `group`, for messages.
pub const GROUPS_ALLOWED: &str = "`board` (one work-item per square, or the best size on boards of 1024 squares and \
                                  more, as in the paper), `auto` (the best size) or the number of work-items per \
                                  group, from 1 to 4096";

/// Minimum number of squares at which [`Group::Board`] uses the best size.
const LARGE: usize = 1024;

impl Group {
    /// Reads the parameter. The default is [`Group::Usual`]. The error is one line with key, value and allowed values.
    pub fn read(params: &Params) -> Result<Group, String> {
        params.get("group").map_or(Ok(Group::Usual), Group::parse)
    }

    /// Reads one value of the parameter. Fails like [`Group::read`].
    pub fn parse(value: &Value) -> Result<Group, String> {
        match (value.as_text(), value.as_int()) {
            (Some("board"), _) => Ok(Group::Board),
            (Some("auto"), _) => Ok(Group::Auto),
            (_, Some(items @ 1..=4096)) => Ok(Group::Items(items as usize)),
            _ => Err(format!("group: `{value}`; allowed is {GROUPS_ALLOWED}")),
        }
    }

    /// Returns the work-group size on a board.
    pub fn on(self, size: Size, kind: DeviceKind) -> WorkGroup {
        WorkGroup::UpTo(match self {
            Group::Items(items) => return WorkGroup::Exactly(items),
            Group::Usual if kind == DeviceKind::Cpu => best(size, kind),
            Group::Usual | Group::Board if size.squares() < LARGE => size.squares(),
            Group::Usual | Group::Board | Group::Auto => best(size, kind),
        })
    }
}

/// Returns the best work-group size according to measurements (docs/measurements.md, `pv_split.rs`).
fn best(size: Size, kind: DeviceKind) -> usize {
    match kind {
        // On a CPU, each barrier costs an additional loop over all work-items.
        DeviceKind::Cpu => 1,
        // One work-item per word, because a work-item handles a whole word at a time.
        _ => size.height() * words_per_rank(size),
    }
}

/// Returns the number of words of up to 32 squares per rank.
pub fn words_per_rank(size: Size) -> usize {
    size.width().div_ceil(32)
}

/// Returns the number of words per position in a device's buffer: one per side for each word of squares.
pub fn packed_len(size: Size) -> usize {
    2 * size.height() * words_per_rank(size)
}

/// Appends a position rank by rank and word by word, the mover's word first. Bit x of word h is file 32 h + x.
pub fn pack<R: Representation>(game: &R, position: &R::Position, packed: &mut Vec<u32>) {
    let size = game.size();
    for rank in 0..size.height() {
        let (own, other) = game.rank(position, rank);
        for word in 0..words_per_rank(size) {
            packed.extend([own, other].map(|side| (side >> (32 * word)) as u32));
        }
    }
}

/// Returns the number of bytes for a board in local memory, including two empty ranks.
pub fn board_bytes(size: Size) -> usize {
    (size.height() + 2) * words_per_rank(size) * 8
}

/// Packs all siblings, in order.
pub fn pack_siblings<R: Representation>(node: &SplitNode<'_, R>) -> Vec<u32> {
    let game = node.game;
    let mut packed = Vec::with_capacity(node.siblings.len() * packed_len(game.size()));
    for sibling in node.siblings {
        pack(game, &sibling.position, &mut packed);
    }
    packed
}

/// Returns the number of bytes of local memory for this number of boards, including empty ranks and legal moves.
pub fn stack_bytes(size: Size, boards: usize) -> usize {
    boards * (board_bytes(size) + size.height() * words_per_rank(size) * 4)
}

/// A [`KernelPlan`] for boards of any size, with constants for the board and the evaluation.
pub struct Plan<'a> {
    /// The kernel file.
    pub path: &'a str,
    /// The kernel's name.
    pub kernel: &'a str,
    /// Board and evaluation.
    pub evaluation: &'a Evaluation,
    /// The requested work-group size.
    pub group: WorkGroup,
    /// Returns the bytes of local memory for a number of work-items.
    pub local: &'a dyn Fn(usize) -> usize,
    /// Further constants.
    pub constants: Defines,
    /// Same as [`KernelPlan::barriers_in_loops`].
    pub barriers_in_loops: bool,
}

impl<'a> Plan<'a> {
    /// Plans a kernel with groups of one work-item, without local memory, barriers in loops or further constants.
    pub fn new(path: &'a str, kernel: &'a str, evaluation: &'a Evaluation) -> Plan<'a> {
        Plan {
            path,
            kernel,
            evaluation,
            group: WorkGroup::UpTo(1),
            local: &|_| 0,
            constants: Vec::new(),
            barriers_in_loops: false,
        }
    }

    /// Builds the kernel. Halves an automatic `group` until it is allowed. Fails like [`KernelPlan::build`].
    pub fn build(&self, device: &Device, kernels: Option<&Path>) -> Result<Runner, Fault> {
        let size = self.evaluation.size();
        let plan = KernelPlan {
            path: self.path,
            kernel: self.kernel,
            group: self.group,
            local: &|items| self.local_bytes(items),
            defines: &|items| {
                let mut defines = vec![
                    ("WIDTH", size.width().to_string()),
                    ("HEIGHT", size.height().to_string()),
                    ("GROUP", items.to_string()),
                    ("MOBILITY", self.evaluation.mobility.to_string()),
                    ("WIN", WIN.to_string()),
                ];
                defines.extend(self.constants.iter().cloned());
                defines
            },
            barriers_in_loops: self.barriers_in_loops,
        };
        plan.build(device, kernels)
    }

    fn local_bytes(&self, items: usize) -> (usize, String) {
        let size = self.evaluation.size();
        (
            (self.local)(items),
            format!("a group of {items} on {size} needs"),
        )
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
            let part = format!("group: `{wrong}`; allowed is");
            assert!(why.starts_with(&part), "{why}");
        }
    }

    #[test]
    fn a_stack_that_does_not_fit_is_refused_with_the_figures() {
        let evaluation = Evaluation::new("64x64".parse().unwrap(), &Params::new()).unwrap();
        let size = evaluation.size();
        let (small, large) = (
            |items| stack_bytes(size, 12) + 4 * items,
            |_| stack_bytes(size, 40),
        );
        let plan = |local| Plan {
            local,
            ..Plan::new("reversi/pv_split.cl", "pv_split", &evaluation)
        };
        let info = DeviceInfo {
            local_memory_bytes: 48 << 10,
            ..example(0, 0, "gpu")
        };
        // Each level has 66 ranks of 16 bytes and 64 ranks of 8 bytes.
        assert_eq!(plan(&small).local_bytes(128).0, 12 * 1568 + 512);
        let (bytes, whose) = plan(&large).local_bytes(128);
        assert_eq!(
            info.check_local(bytes as u64, whose),
            Err(Fault::Memory(
                "a group of 128 on 64x64 needs 61.2 KiB of local memory, device has \
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
        let found = items(Group::Board, "64x64", DeviceKind::Gpu);
        assert_eq!(found, items(Group::Auto, "64x64", DeviceKind::Gpu));
        let found = items(Group::Items(48), "64x64", DeviceKind::Gpu);
        assert_eq!(found, WorkGroup::Exactly(48));
    }
}
