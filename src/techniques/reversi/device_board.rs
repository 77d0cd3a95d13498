//! What reversi's kernels have in common on the host: positions in words of 32 squares, the
//! work-group size, the constants, and how much local memory all of it takes.

use std::path::Path;

use crate::games::reversi::{Evaluation, Representation, Size, WIN};
use crate::opencl::{BuildNeeds, Device, DeviceInfo, DeviceKind, Program, bytes_in_words};
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
    /// So many.
    Items(usize),
}

/// What `group` may be, for messages.
pub const GROUPS_ALLOWED: &str = "`board`: a work-item a square, but the best size on boards of \
                                  1024 squares and more, as in the paper; `auto`: the best size; \
                                  or the number of work-items, from 1 to 4096";

/// Boards of so many squares get the best size under [`Group::Board`] too.
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

    /// Work-items for a board, before the device's limits.
    fn items(self, size: Size, kind: DeviceKind) -> usize {
        match self {
            Group::Items(items) => items,
            Group::Usual if kind == DeviceKind::Cpu => best(size, kind),
            Group::Usual | Group::Board if size.squares() < LARGE => size.squares(),
            Group::Usual | Group::Board | Group::Auto => best(size, kind),
        }
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
    fn bytes(self, size: Size, items: usize) -> u64 {
        let words = words_per_rank(size);
        let board = (size.height() + 2) * words * 8;
        let moves = size.height() * words * 4;
        (self.boards * board + self.moves * moves + items * self.per_item + self.other) as u64
    }
}

/// A program for one board and one work-group size.
pub struct BoardProgram {
    /// The program.
    pub program: Program,
    /// Work-items in a work-group.
    pub items: usize,
    /// Local memory of a work-group, bytes.
    pub local_bytes: u64,
}

/// What a program is built from, apart from the device.
pub struct Plan<'a> {
    /// The kernel file.
    pub path: &'a str,
    /// The kernel in it whose limit counts.
    pub kernel: &'a str,
    /// Board and evaluation.
    pub evaluation: &'a Evaluation,
    /// The work-group size asked for.
    pub group: Group,
    /// The kernel's constant `LEVELS`.
    pub levels: u32,
    /// What it keeps in local memory.
    pub need: LocalNeed,
}

impl Plan<'_> {
    /// Builds the program. Where `group` leaves the choice, and device or kernel cannot have
    /// so many work-items, half as many are taken, until they can.
    ///
    /// # Errors
    /// [`Fault::Memory`] where the stack does not fit the device's local memory,
    /// [`Fault::Unsupported`] where the device or the kernel takes no group of the size asked for,
    /// and what building fails with.
    pub fn build(&self, device: &Device, kernels: Option<&Path>) -> Result<BoardProgram, Fault> {
        let info = device.info();
        let size = self.evaluation.size();
        let mut items = self.group.items(size, info.kind);
        let asked = matches!(self.group, Group::Items(_));
        while !asked && items > info.max_work_group {
            items /= 2;
        }
        loop {
            if items > info.max_work_group {
                return Err(too_large(items, "device", info.max_work_group));
            }
            let local_bytes = self.local_bytes(items, info)?;
            let program = self.compile(device, items, kernels)?;
            let most = program.kernel(self.kernel)?.max_group();
            if items <= most {
                return Ok(BoardProgram {
                    program,
                    items,
                    local_bytes,
                });
            }
            if asked || items == 1 {
                return Err(too_large(items, "compiled kernel", most));
            }
            items = (items / 2).min(most.max(1));
        }
    }

    /// Drivers abort, or answer nonsense, where a kernel's local memory is over the limit.
    fn local_bytes(&self, items: usize, info: &DeviceInfo) -> Result<u64, Fault> {
        let size = self.evaluation.size();
        let needs = self.need.bytes(size, items);
        if needs <= info.local_memory_bytes {
            return Ok(needs);
        }
        Err(Fault::Memory(format!(
            "the stack of {} boards of {size} needs {} of local memory, device has {}",
            self.need.boards,
            bytes_in_words(needs),
            bytes_in_words(info.local_memory_bytes)
        )))
    }

    fn compile(
        &self,
        device: &Device,
        items: usize,
        kernels: Option<&Path>,
    ) -> Result<Program, Fault> {
        let size = self.evaluation.size();
        let defines = [
            ("WIDTH", size.width().to_string()),
            ("HEIGHT", size.height().to_string()),
            ("GROUP", items.to_string()),
            ("LEVELS", self.levels.to_string()),
            ("MOBILITY", self.evaluation.mobility().to_string()),
            ("WIN", WIN.to_string()),
        ];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::example;

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
        assert_eq!(plan(12).local_bytes(128, &info), Ok(12 * 1568 + 512));
        let fault = plan(40).local_bytes(128, &info).unwrap_err();
        assert_eq!(
            fault,
            Fault::Memory(
                "the stack of 40 boards of 64x64 needs 61.8 KiB of local memory, device has \
                 48.0 KiB"
                    .into()
            )
        );
    }

    #[test]
    fn small_boards_get_a_work_item_a_square_and_large_ones_the_best() {
        let items = |group: Group, board: &str, kind| group.items(board.parse().unwrap(), kind);
        assert_eq!(items(Group::Board, "8x8", DeviceKind::Gpu), 64);
        assert_eq!(items(Group::Board, "32x16", DeviceKind::Cpu), 512);
        assert_eq!(items(Group::Usual, "32x16", DeviceKind::Gpu), 512);
        assert_eq!(items(Group::Usual, "32x16", DeviceKind::Cpu), 1);
        assert_eq!(
            items(Group::Board, "64x64", DeviceKind::Gpu),
            items(Group::Auto, "64x64", DeviceKind::Gpu)
        );
        assert_eq!(items(Group::Items(48), "64x64", DeviceKind::Gpu), 48);
    }
}
