//! `root-split`: the paper's first attempt on the device, minimax with a work-item a subtree.

use super::Asked;
use super::device_board::{defines, device, upload_table, words};
use super::group::{GROUP, Group};
use super::hard::{SEARCH, SMALL};
use super::takes_move_sets;
use super::tasks::{self, ConnectFour, Searcher};
use crate::games::Game;
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, Order, Position};
use crate::opencl::{Access, Buffer, BuildNeeds, DeviceKind, Kernel, Queue};
use crate::search::Found;
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{
    Case, Counters, Counts, Fault, Kind, ParamEntry, Params, Parts, Resource, Task, TechniqueEntry,
    Value,
};

/// Minimax on the host down to some ply, and below it on the device, each subtree a work-item's
/// (Connect Four AI, "Algorithm Description").
///
/// The paper's recursion, made of templates, went no deeper than three plies; here a work-item keeps
/// the nodes that wait for it in an array of its own.
///
/// On a processor the bound is the cores, among which subtrees go as work-groups: depth 8 from the empty
/// board takes 14 ms on two (pocl 3.1, the best of six, other work beside it) with 3, 4 or 5 plies on
/// the host, where `serial-minimax` takes 25 ms on one. With 1 ply it takes 28 ms, as there are seven
/// subtrees to share; with 6 it takes 22 ms, as the host plays 118,000 positions twice. Groups of one
/// work-item and of eight are as fast. On a GPU nothing was measured; there the array lies in
/// private memory that registers cannot hold.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "root-split",
        kind: Kind::Device,
        summary: "minimax on the host for some plies; each position there is one work-item's, with a stack of its own",
        paper: "Connect Four AI, \"Algorithm Description\" (the simplest approach)",
        needs: "",
        like: "serial-minimax",
        reference: "serial",
        counts: Counts::As("serial-minimax"),
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[
            GROUP,
            ParamEntry {
                name: SPLIT,
                allowed: SPLITS_ALLOWED,
                default: "4, on a GPU 5, or depth - 1",
                check: |value| read_split(value).map(drop),
            },
        ],
        check,
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("split=1 group=5", SMALL),
        Trial::new("split=3", SMALL),
    ],
    prepare,
};

const SPLIT: &str = "split";
const SPLITS: std::ops::RangeInclusive<i64> = 1..=6;
const SPLITS_ALLOWED: &str =
    "a whole number from 1 to 6, less than depth: plies that the host plays";
/// Plies that the host plays where nobody says: 2401 work-items at the most on a processor, and on a GPU,
/// whose lanes are thousands, 16,807.
fn usual_split(kind: DeviceKind) -> u32 {
    if kind == DeviceKind::Gpu { 5 } else { 4 }
}

fn read_split(value: &Value) -> Result<u32, String> {
    let split = value.as_int().filter(|split| SPLITS.contains(split));
    split
        .map(|split| split as u32)
        .ok_or_else(|| format!("{SPLIT}: `{value}`; allowed is {SPLITS_ALLOWED}"))
}

/// The split at a depth, where nobody says `usual`.
fn split(depth: u32, usual: u32, params: &Params) -> Result<u32, String> {
    if depth < 2 {
        return Err(format!(
            "depth: `{depth}`; root-split plays a ply on the host and one on the device: allowed is 2 or more"
        ));
    }
    match params.get(SPLIT) {
        None => Ok(usual.min(depth - 1)),
        Some(value) => match read_split(value)? {
            split if split < depth => Ok(split),
            split => Err(format!(
                "{SPLIT}: `{split}` at depth {depth}; allowed is a whole number from 1 to {}",
                depth - 1
            )),
        },
    }
}

fn check(case: &Case, params: &Params) -> Result<(), String> {
    takes_move_sets(case, params)?;
    let depth = case.int("depth").unwrap_or_default();
    split(depth as u32, usual_split(DeviceKind::Cpu), params).map(drop)
}

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| Ok(Box::new(RootSplit::new(asked, setup)?)))
}

/// Words that a work-item writes (`OUTCOME_WORDS` in the kernel): value, nodes (low word, high word),
/// leaves (low, high), stamp.
const OUTCOME_WORDS: usize = 6;

/// The searcher.
struct RootSplit {
    game: Bits,
    depth: u32,
    split: u32,
    kernel: Kernel,
    queue: Queue,
    boards: Buffer<u64>,
    values: Buffer<i32>,
    outcomes: Buffer<i32>,
    items: usize,
    /// What the next launch marks its first outcome with.
    stamp: u32,
    positions: Vec<Board>,
    upper: Upper,
    read: Vec<i32>,
    build_ns: u64,
    notes: String,
}

/// The subtrees of a root, as they go to the device, in the order in which they are met.
#[derive(Default)]
struct Upper {
    boards: Vec<u64>,
    values: Vec<i32>,
}

impl Upper {
    /// Plays down to the split; lines that end before it have no subtree.
    fn collect(&mut self, game: &Bits, board: &Board, ply: u32, split: u32) {
        if game.decided(board, ply).is_some() {
            return;
        }
        if ply == split {
            let (own, stones, value) = words(game, board);
            self.boards.extend([own, stones]);
            self.values.push(value);
            return;
        }
        for column in game.moves(board) {
            self.collect(game, &game.play(board, column), ply + 1, split);
        }
    }
}

/// Goes through the same plies again, and takes the subtrees' values as it meets them.
struct Fold<'a> {
    game: &'a Bits,
    split: u32,
    outcomes: std::slice::ChunksExact<'a, i32>,
    counters: Counters,
}

impl Fold<'_> {
    /// A position's value, for its mover, and the first of its moves that has it.
    fn value(&mut self, board: &Board, ply: u32) -> (i32, Option<Column>) {
        if let Some(value) = self.game.decided(board, ply) {
            self.counters.nodes += 1;
            self.counters.leaves += 1;
            return (value, None);
        }
        if ply == self.split {
            let words = self.outcomes.next().unwrap_or(&[0; OUTCOME_WORDS]);
            let wide =
                |at: usize| u64::from(words[at + 1] as u32) << 32 | u64::from(words[at] as u32);
            self.counters.nodes += wide(1);
            self.counters.leaves += wide(3);
            return (words[0], None);
        }
        self.counters.nodes += 1;
        let mut best = None;
        for column in self.game.moves(board) {
            let score = -self.value(&self.game.play(board, column), ply + 1).0;
            if best.is_none_or(|(value, _)| score > value) {
                best = Some((score, column));
            }
        }
        // Only a full board has no moves, and that is decided.
        best.map_or((0, None), |(value, column)| (value, Some(column)))
    }
}

impl RootSplit {
    /// Builds the program, makes the buffers, writes the table, and launches once without a
    /// subtree: some drivers compile for a work-group size when they first see it.
    fn new(asked: &Asked, setup: &Setup<'_>) -> Result<RootSplit, Fault> {
        let device = device(setup)?;
        let usual = usual_split(device.info().kind);
        let split = split(asked.depth, usual, setup.params).map_err(Fault::Input)?;
        let group = Group::read(setup.params).map_err(Fault::Input)?;
        let items = group.items(device)?;
        let mut defines = defines();
        defines.extend([
            ("PREFIX", split.to_string()),
            ("PLIES", (asked.depth - split).to_string()),
            ("GROUP", items.to_string()),
        ]);
        let path = "connect_four/root_split.cl";
        let program = device.build(path, &defines, setup.kernels, BuildNeeds::default())?;
        let mut kernel = program.kernel("root_split")?;
        let most = kernel.max_group();
        if items > most {
            return Err(Fault::Unsupported(format!(
                "group: {items} work-items; the compiled kernel takes at most {most}"
            )));
        }
        let subtrees = COLUMNS.pow(split);
        let boards = device.buffer::<u64>(2 * subtrees, Access::Read)?;
        let values = device.buffer::<i32>(subtrees, Access::Read)?;
        let outcomes = device.buffer::<i32>(subtrees * OUTCOME_WORDS, Access::Write)?;
        let mut queue = device.queue()?;
        let table = upload_table(&asked.evaluation, device, &mut queue)?;
        kernel.set_buffer(0, &table)?;
        kernel.set_buffer(1, &boards)?;
        kernel.set_buffer(2, &values)?;
        kernel.set_scalar(3, 0i32)?;
        kernel.set_scalar(4, 0u32)?;
        kernel.set_buffer(5, &outcomes)?;
        queue.launch(&kernel, [items], Some([items]))?;
        queue.finish()?;
        queue.take_parts();
        Ok(RootSplit {
            game: Bits::new(&asked.evaluation, Order::CentreFirst),
            depth: asked.depth,
            split,
            notes: format!(
                "split {split}, group {items}, private {} bytes, built with {}",
                kernel.private_bytes(),
                program.options()
            ),
            kernel,
            queue,
            boards,
            values,
            outcomes,
            items,
            stamp: 1,
            positions: Vec::new(),
            upper: Upper::default(),
            read: Vec::with_capacity(subtrees * OUTCOME_WORDS),
            build_ns: program.build_ns(),
        })
    }

    /// Searches the subtrees that were collected, and leaves in `read` what the work-items wrote.
    fn launch(&mut self) -> Result<(), Fault> {
        let count = self.upper.values.len();
        self.read.clear();
        if count == 0 {
            return Ok(());
        }
        let stamp = self.stamp;
        self.stamp = stamp.wrapping_add(count as u32);
        self.kernel.set_scalar(3, count as i32)?;
        self.kernel.set_scalar(4, stamp)?;
        self.queue.write(&self.boards, &self.upper.boards)?;
        self.queue.write(&self.values, &self.upper.values)?;
        let global = [count.next_multiple_of(self.items)];
        self.queue
            .launch(&self.kernel, global, Some([self.items]))?;
        self.read.resize(count * OUTCOME_WORDS, 0);
        self.queue.read(&self.outcomes, &mut self.read)?;
        for (place, outcome) in (0..).zip(self.read.chunks_exact(OUTCOME_WORDS)) {
            if outcome[OUTCOME_WORDS - 1] as u32 != stamp.wrapping_add(place) {
                return Err(Fault::Device(format!(
                    "kernel `root_split` did not finish subtree {place} of {count}"
                )));
            }
        }
        Ok(())
    }
}

impl Searcher<ConnectFour> for RootSplit {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.positions.clear();
        let boards = positions.iter().map(|position| self.game.load(position));
        self.positions.extend(boards);
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Column>, Fault> {
        if depth != self.depth {
            return Err(Fault::Input(format!(
                "depth: `{depth}`; this kernel was built for {}",
                self.depth
            )));
        }
        let board = self.positions[index];
        self.upper.boards.clear();
        self.upper.values.clear();
        self.upper.collect(&self.game, &board, 0, self.split);
        self.launch()?;
        let mut fold = Fold {
            game: &self.game,
            split: self.split,
            outcomes: self.read.chunks_exact(OUTCOME_WORDS),
            counters: Counters::default(),
        };
        let (value, best) = fold.value(&board, 0);
        Ok(Found::new(value, best, fold.counters))
    }

    fn parts(&mut self) -> Parts {
        self.queue.take_parts()
    }

    fn build_ns(&self) -> u64 {
        self.build_ns
    }

    fn notes(&self) -> String {
        self.notes.clone()
    }

    fn resources(&self) -> Vec<Resource> {
        self.kernel.resources(self.items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_is_less_than_the_depth() {
        let given = |split: i64| Params::from([(SPLIT.to_owned(), Value::Int(split))]);
        let none = Params::new();
        assert_eq!(split(2, 4, &none), Ok(1));
        assert_eq!(split(8, 4, &none), Ok(4));
        assert_eq!(split(8, 4, &given(6)), Ok(6));
        let refused = |depth, params: &Params| split(depth, 4, params).unwrap_err();
        assert_eq!(
            refused(4, &given(4)),
            "split: `4` at depth 4; allowed is a whole number from 1 to 3"
        );
        assert!(refused(8, &given(7)).starts_with("split: `7`; allowed is"));
        assert!(refused(1, &none).starts_with("depth: `1`; root-split plays"));
        let case = |text| Case::parse(text).unwrap();
        assert!(check(&case("stage=first depth=2"), &given(2)).is_err());
        assert!(check(&case("stage=first depth=3"), &given(2)).is_ok());
    }
}
