//! `pv-split-as-published`: the paper's device program, following its text.

use super::hard::{SEARCH, SMALL};
use super::tasks::{DeviceSplit, Reversi, Split};
use crate::games::reversi::{Evaluation, Representation, Size, WIN, as_published};
use crate::techniques::prelude::*;
use crate::techniques::tasks::{built_up_to, read_scores};

/// The paper's PV-split, with one work-item and one byte per square (Strnad and Guid, sections 3 to 5).
///
/// Each sibling has a two-dimensional work-group as large as the board. In smaller groups, each work-item handles
/// consecutive squares (Figure 3). Boards and the stack of nodes are in local memory. Each work-item checks whether its
/// square is a valid move and whether its disc is flipped, and evaluates its square. A parallel reduction sums the
/// values. One work-item runs an iterative alpha-beta search. docs/papers/reversi.md lists what the paper leaves open.
/// Here, a work-item walks from its square, one direction at a time. A node contains the moves of both sides, and a
/// pass is a node with the same board. If a group needs too much local memory, its size is halved. CPUs serialise
/// work-items at barriers, so times on CPUs do not measure the search.
///
/// `cargo run --example picture` draws the two levels and the mapping of squares.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "pv-split-as-published",
        summary: "PV-split on boards of bytes with one work-item per square, like a program from 2011",
        paper: "Strnad and Guid, sections 3 to 5",
        needs: "local memory for two boards of bytes per ply: on 64x64, 8 KiB",
        like: "serial-as-published",
        counts: Counts::As("rayon"),
        params: &[GROUP],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        // Tests several squares per work-item, fewer for the last work-item, and sums over an odd number of work-items.
        Trial::new("group=5", SMALL),
        Trial::new("group=24", SMALL),
        Trial::new("group=1", SMALL),
    ],
    prepare: |setup| {
        prepare_search(setup, |asked: &Reversi| {
            let (evaluation, depth) = (&asked.evaluation, asked.amount.depth);
            let group = GROUP.given(setup.params, None, read_group)?;
            let siblings = Siblings::new(evaluation, group, depth.saturating_sub(1), setup)?;
            as_published(evaluation, Split { siblings, depth })
        })
    },
};

/// The parameter `group`, the paper's "size of the thread blocks".
const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`paper` (one work-item per square, or 512 on boards of 1024 squares and more) or the number of work-items per group, from 1 to 1024",
    default: "paper",
    check: |value| read_group(value).map(drop),
};

/// Minimum number of squares on the paper's "largest three" boards.
const LARGE: usize = 1024;
/// Number of work-items per group on large boards.
const ON_LARGE: usize = 512;

/// Reads the parameter. Returns `None` for the paper's rule.
fn read_group(value: &Value) -> Result<Option<usize>, String> {
    match value.as_text() {
        Some("paper") => Ok(None),
        _ => GROUP.whole(value, 1..=1024).map(Some),
    }
}

fn group_on(size: Size, asked: Option<usize>) -> WorkGroup {
    match asked {
        Some(items) => WorkGroup::Exactly(items),
        None if size.squares() < LARGE => WorkGroup::UpTo(size.squares()),
        None => WorkGroup::UpTo(ON_LARGE),
    }
}

/// Returns the two dimensions of a group. A group that consists of whole ranks has the board's width.
fn shape(size: Size, items: usize) -> [usize; 2] {
    match items.is_multiple_of(size.width()) {
        true => [size.width(), items / size.width()],
        false => [items, 1],
    }
}

/// Returns the paper's two-dimensional group size, and the number of consecutive squares per work-item (Figure 3).
pub fn mapping(size: Size) -> ([usize; 2], usize) {
    let (WorkGroup::UpTo(items) | WorkGroup::Exactly(items)) = group_on(size, None);
    (shape(size, items), size.squares().div_ceil(items))
}

/// Returns the number of bytes of local memory per group: boards and marks, the stack, the sums and the job.
fn local_bytes(size: Size, levels: usize, items: usize) -> usize {
    let inner = levels.max(1);
    (levels + 1 + inner) * size.squares() + 16 * inner + 4 * items + 8
}

/// Searches siblings on the device, with one upload, launch and download per node.
struct Siblings {
    run: Runner,
    shape: [usize; 2],
    positions: Buffer<u8>,
    outcomes: Outcomes,
    deepest: u32,
    bytes: Vec<u8>,
}

impl Siblings {
    /// Builds the kernel and uploads the weights. `deepest` is the maximum remaining depth of a sibling.
    fn new(
        evaluation: &Evaluation,
        group: Option<usize>,
        deepest: u32,
        setup: &Setup<'_>,
    ) -> Result<Siblings, Fault> {
        let device: &Device = setup.on_device()?;
        let size = evaluation.size();
        let plan = KernelPlan {
            path: "reversi/pv_split_as_published.cl",
            kernel: "pv_split_as_published",
            group: group_on(size, group),
            local: &|items| {
                let bytes = local_bytes(size, deepest as usize, items);
                (bytes, format!("the stack of boards of {size} needs"))
            },
            defines: &|items| {
                let [x, y] = shape(size, items);
                vec![
                    ("WIDTH", size.width().to_string()),
                    ("HEIGHT", size.height().to_string()),
                    ("GROUP_X", x.to_string()),
                    ("GROUP_Y", y.to_string()),
                    ("HALF", (items.next_power_of_two() / 2).to_string()),
                    ("LEVELS", deepest.to_string()),
                    ("MOBILITY", evaluation.mobility.to_string()),
                    ("WIN", WIN.to_string()),
                ]
            },
            barriers_in_loops: true,
        };
        let mut run = plan.build(device, setup.kernels)?;
        let most = size.squares();
        let shape = shape(size, run.items);
        run.notes = format!(
            "group {}x{}, run {}, local {} bytes, built with {}",
            shape[0],
            shape[1],
            most.div_ceil(run.items),
            run.local_bytes,
            run.options
        );
        let positions = run.buffer("positions", most * most, Access::Read)?;
        run.upload("weights", &evaluation.weights)?;
        let outcomes = run.outcomes("sibling", most, SEARCHED_WORDS)?;
        Ok(Siblings {
            run,
            shape,
            positions,
            outcomes,
            deepest,
            bytes: Vec::new(),
        })
    }
}

/// Appends one byte per square, starting at a1: 1 for the mover's discs, 2 for the opponent's discs.
fn add_bytes<R: Representation>(game: &R, position: &R::Position, bytes: &mut Vec<u8>) {
    let size = game.size();
    for rank in 0..size.height() {
        let (own, other) = game.rank(position, rank);
        bytes.extend((0..size.width()).map(|file| {
            let bit = |side: u64| (side >> file & 1) as u8;
            bit(own) + 2 * bit(other)
        }));
    }
}

impl DeviceSplit for Siblings {
    fn split<R: Representation>(
        &mut self,
        node: &SplitNode<'_, R>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let &SplitNode {
            game,
            siblings,
            depth,
            window,
            ..
        } = node;
        built_up_to(self.deepest, depth, " below a sibling")?;
        self.bytes.clear();
        for sibling in siblings {
            add_bytes(game, &sibling.position, &mut self.bytes);
        }
        let (run, [x, y]) = (&mut self.run, self.shape);
        run.set(&[
            ("parent_alpha", &window.alpha),
            ("parent_beta", &window.beta),
            ("depth", &(depth as i32)),
        ])?;
        run.stamp(&mut self.outcomes, siblings.len())?;
        run.queue.write(&self.positions, &self.bytes)?;
        let global = [siblings.len() * x, y];
        run.queue.launch(&run.kernel, global, Some([x, y]))?;
        read_scores(&mut self.outcomes, &mut run.queue, scores)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_the_board_or_whole_ranks_of_a_large_one() {
        let on = |board: &str| mapping(board.parse().unwrap());
        assert_eq!(on("8x8"), ([8, 8], 1));
        assert_eq!(on("32x16"), ([32, 16], 1));
        assert_eq!(on("32x32"), ([32, 16], 2));
        assert_eq!(on("64x32"), ([64, 8], 4));
        assert_eq!(on("64x64"), ([64, 8], 8));
        assert_eq!(shape("8x8".parse().unwrap(), 5), [5, 1]);
        assert_eq!(read_group(&Value::Int(5)), Ok(Some(5)));
        for wrong in [Value::Int(0), Value::Int(1025), Value::Text("board".into())] {
            let why = read_group(&wrong).unwrap_err();
            let part = format!("group: `{wrong}`; allowed is");
            assert!(why.starts_with(&part), "{why}");
        }
    }

    #[test]
    fn local_memory_is_two_boards_a_ply_and_what_the_group_sums() {
        let size = "64x64".parse().unwrap();
        assert_eq!(local_bytes(size, 0, 512), 2 * 4096 + 16 + 2048 + 8);
        assert_eq!(local_bytes(size, 2, 512), 5 * 4096 + 32 + 2048 + 8);
    }
}
