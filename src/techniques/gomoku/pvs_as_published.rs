//! `pvs-as-published`: the paper's third program on the device, with the paper's data.
//!
//! Section 5.3: "The leftmost branch is searched on the CPU, then the remaining child nodes will be searched on the GPU",
//! "one block for each child node", 768 threads a block (section 7.5), by Algorithm 4. The host's part is that of
//! `serial-as-published`; all siblings are the device's at every depth, leaves too, so that a search to depth 1 takes a
//! launch as well.
//!
//! # What the text leaves open
//!
//! - What the 768 threads of a block share. The section follows Strnad and Guid [8], whose blocks have one board and a thread a
//!   square; 768 threads are enough for the largest board's 576 squares. So all work-items look at the board together, each at
//!   the runs that begin on its squares, and add up what they find; the first one alone goes through Algorithm 4, which has
//!   nothing else to do at the same time. Section 3 says that the program "will build off" a partition in
//!   depth [2], a move a thread; that would take a board for each thread, and no bound could cut among the
//!   moves of a node.
//! - Where the board is: in local memory, an int a square; the stack too, as OpenCL has no recursion.
//! - The blocks' window: that of the principal-variation node after its first child, the same for all, as
//!   they run side by side.
//! - How work-items add up: by atomic operations on two words of local memory. The order does not matter to
//!   integers.
//! - A device whose groups are smaller than 768 gets its largest, each work-item takes several squares then, and the
//!   notes say so.
//!
//! # What is mended of Algorithm 4
//!
//! The recursive calls neither turn the sign nor negate the bounds, of which the first call has the upper one first
//! (`PVS(nodes[0], β, α, …)`) and the others the lower; here every call is `-PVS(child, -upper, -lower)`. The null
//! window is printed as (α − 1, α) where the text has (α, α + 1), which is meant. `nodes[j]` is `nodes[i]`. A five
//! ends the search at that node; the algorithm tests for nodes without children alone. The second search below
//! depth 3 is left out as printed: the children's moves are leaves there, all of which a null window that fails high has
//! tried, so that its value is exact, for scores are not cut to the window (METHODOLOGY.md).
//!
//! Nothing in the program is a race: blocks share nothing, and a block's threads meet twice a node.
//!
//! # What bounds it
//!
//! Two barriers and the first work-item's walk for every node of the largest subtree, one after another; 767 work-items wait
//! meanwhile. On pocl 3.1 with two cores, both busy with other work, the kernels take 13.3 ms for the 673 nodes of 15x15 at
//! depth 2, 20 µs a node, and 457 ms for the 21,321 of 12x12 at depth 3: each barrier there is a pass over 768 work-items, of
//! which 225 and 144 have a square. On an H200 15x15 takes 175 µs at depth 2, 21 of them the kernels', 31 ns a node, and
//! 872 µs at depth 3, 654 of them the kernels' for 51,267 nodes.

use super::Asked;
use super::device_cells::{BLOCK, BLOCK_GROUP, CellsPlan, int_of, int_of_square, pack_parent};
use super::device_items::Group;
use super::hard::{SEARCH, SMALL};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{Position, Representation, Visit, as_published};
use crate::opencl::{Access, Buffer, Outcomes, Runner, SEARCHED_WORDS};
use crate::search::{Sibling, Siblings, Window};
use crate::techniques::hard::Trial;
use crate::techniques::tasks::{Splits, Splitting, built_up_to};
use crate::techniques::{Setup, Technique};
use crate::words::{Counters, Counts, Fault, Task, TechniqueEntry, Telemetry};

/// Principal variation search with a block of 768 a sibling (Kawakami and Wang, section 5.3).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "pvs-as-published",
        summary: "the paper's program: the leftmost branch on the host, a work-group of 768 a sibling, a board of ints in \
                  local memory",
        paper: "Kawakami and Wang, section 5.3 and Algorithm 4, after Strnad and Guid",
        needs: "local memory for a board of ints: on 24x24, 2.3 KB",
        like: "rayon-as-published",
        counts: Counts::Own,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[BLOCK_GROUP],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SMALL),
        Trial::new("group=1", SEARCH),
        Trial::new("group=5", SMALL),
    ],
    prepare: |setup| {
        tasks::prepare(setup, |asked| {
            let siblings = Blocks::new(asked, setup)?;
            let depth = asked.depth;
            as_published(&asked.evaluation, Split { siblings, depth })
        })
    },
};

/// Makes the searcher for a board's array.
struct Split {
    siblings: Blocks,
    depth: u32,
}

impl Visit for Split {
    type Output = Result<Box<dyn Searcher<Gomoku>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let first = Representation::load(&game, &Position::first_stone(game.size()));
        let splitting =
            Splitting::warmed(game, Box::new(self.siblings), &first, self.depth.min(1))?;
        Ok(Box::new(splitting))
    }
}

/// Siblings on a device, a work-group each.
struct Blocks {
    run: Runner,
    /// The largest remaining depth of a sibling.
    deepest: u32,
    parent: Buffer<i32>,
    moves: Buffer<i32>,
    outcomes: Outcomes,
    packed: Vec<i32>,
}

/// Words of a call that waits (`frame_t`).
const FRAME_WORDS: usize = 6;

impl Blocks {
    fn new(asked: &Asked, setup: &Setup<'_>) -> Result<Blocks, Fault> {
        let device = setup.on_device()?;
        let squares = asked.size().squares();
        let deepest = asked.depth.saturating_sub(1);
        // The parent's call and one for every ply below a sibling but the leaves'.
        let frames = deepest as usize + 1;
        let plan = CellsPlan {
            path: "gomoku/pvs_as_published.cl",
            kernel: "pvs_as_published",
            evaluation: &asked.evaluation,
            block: BLOCK,
            group: Group::read(setup.params, &BLOCK_GROUP)?,
            constants: vec![("FRAMES", frames.to_string())],
            local: 4 * (squares + FRAME_WORDS * frames + 3),
            barriers_in_loops: true,
        };
        let mut run = plan.build(device, setup)?;
        let parent = device.buffer::<i32>(squares, Access::Read)?;
        let moves = device.buffer::<i32>(squares, Access::Read)?;
        let mut outcomes = Outcomes::new(device, "sibling", squares, SEARCHED_WORDS)?;
        run.kernel.set_buffer(1, &parent)?;
        run.kernel.set_buffer(2, &moves)?;
        outcomes.bind(&mut run.kernel, 10)?;
        Ok(Blocks {
            run,
            deepest,
            parent,
            moves,
            outcomes,
            packed: Vec::with_capacity(squares),
        })
    }
}

impl<R: Representation> Siblings<R> for Blocks {
    type Fault = Fault;

    fn search(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        depth: u32,
        ply: u32,
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        built_up_to(self.deepest, depth, " below a sibling")?;
        let run = &mut self.run;
        self.packed.clear();
        // The parent is any sibling without its last stone.
        let Sibling { mv, position } = &siblings[0];
        let (mover, empty) = pack_parent(game, position, *mv, &mut self.packed);
        run.queue.write(&self.parent, &self.packed)?;
        self.packed.clear();
        let squares = siblings.iter().map(|sibling| int_of_square(sibling.mv));
        self.packed.extend(squares);
        run.queue.write(&self.moves, &self.packed)?;
        run.kernel.set_scalar(3, window.alpha)?;
        run.kernel.set_scalar(4, window.beta)?;
        run.kernel.set_scalar(5, int_of(mover))?;
        run.kernel.set_scalar(6, empty as i32)?;
        run.kernel.set_scalar(7, depth as i32)?;
        run.kernel.set_scalar(8, ply as i32)?;
        run.kernel
            .set_scalar(9, self.outcomes.mark(siblings.len()))?;
        run.launch_groups(siblings.len())?;
        let mut counters = Counters::default();
        self.outcomes.read(&mut run.queue, |outcome| {
            let (value, searched) = outcome.searched();
            scores.push(value);
            counters += searched;
        })?;
        Ok(counters)
    }
}

impl<R: Representation> Splits<R> for Blocks {
    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}
