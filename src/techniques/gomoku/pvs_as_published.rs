//! `pvs-as-published`: the paper's third device program (section 5.3; docs/papers/gomoku.md). At every depth, the
//! device searches all siblings. Scores are not clamped to the window, so the value is exact.

use super::device_cells::{
    BLOCK, BLOCK_GROUP, CellsPlan, int_of, int_of_square, pack_parent, read_block_group,
};
use super::hard::{SEARCH, SMALL};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{Position, Representation, Visit, as_published};
use crate::techniques::prelude::*;
use crate::techniques::tasks::{Splits, Splitting, built_up_to, read_scores};

/// Principal variation search with a block of 768 work-items per sibling (Kawakami and Wang, section 5.3).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "pvs-as-published",
        summary: "the paper's program, with the leftmost branch on the host and a work-group of 768 per sibling",
        paper: "Kawakami and Wang, section 5.3 and Algorithm 4, after Strnad and Guid",
        needs: "local memory for a board of ints: on 24x24, 2.3 KB",
        like: "rayon-as-published",
        counts: Counts::Own,
        params: &[BLOCK_GROUP],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SMALL),
        Trial::new("group=1", SEARCH),
        Trial::new("group=5", SMALL),
    ],
    prepare: |setup| {
        tasks::prepare_search::<Gomoku>(setup, |asked| {
            let siblings = Blocks::new(asked, setup)?;
            let depth = asked.amount.depth;
            as_published(&asked.evaluation, Split { siblings, depth })
        })
    },
};

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

struct Blocks {
    run: Runner,
    /// Maximum remaining depth of a sibling.
    deepest: u32,
    parent: Buffer<i32>,
    moves: Buffer<i32>,
    outcomes: Outcomes,
    packed: Vec<i32>,
}

/// Number of words in a suspended call's frame (`frame_t`).
const FRAME_WORDS: usize = 6;

impl Blocks {
    fn new(asked: &Gomoku, setup: &Setup<'_>) -> Result<Blocks, Fault> {
        let device = setup.on_device()?;
        let squares = asked.size().squares();
        let deepest = asked.amount.depth.saturating_sub(1);
        // One frame for the parent, and one per ply below a sibling, except for the leaves.
        let frames = deepest as usize + 1;
        let plan = CellsPlan {
            path: "gomoku/pvs_as_published.cl",
            kernel: "pvs_as_published",
            evaluation: &asked.evaluation,
            block: BLOCK,
            group: BLOCK_GROUP.given(setup.params, None, read_block_group)?,
            constants: vec![("FRAMES", frames.to_string())],
            local: 4 * (squares + FRAME_WORDS * frames + 3),
            barriers_in_loops: true,
        };
        let mut run = plan.build(device, setup)?;
        Ok(Blocks {
            deepest,
            parent: run.buffer("parent", squares, Access::Read)?,
            moves: run.buffer("moves", squares, Access::Read)?,
            outcomes: run.outcomes("sibling", squares, SEARCHED_WORDS)?,
            run,
            packed: Vec::with_capacity(squares),
        })
    }
}

impl<R: Representation> Siblings<R> for Blocks {
    type Fault = Fault;

    fn search(
        &mut self,
        node: &SplitNode<'_, R>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let &SplitNode {
            game,
            siblings,
            depth,
            ply,
            window,
        } = node;
        built_up_to(self.deepest, depth, " below a sibling")?;
        let run = &mut self.run;
        self.packed.clear();
        // To get the parent, remove the last stone of any sibling.
        let Sibling { mv, position } = &siblings[0];
        let (mover, empty) = pack_parent(game, position, *mv, &mut self.packed);
        run.queue.write(&self.parent, &self.packed)?;
        self.packed.clear();
        let squares = siblings.iter().map(|sibling| int_of_square(sibling.mv));
        self.packed.extend(squares);
        run.queue.write(&self.moves, &self.packed)?;
        run.set(&[
            ("alpha", &window.alpha),
            ("beta", &window.beta),
            ("mover", &int_of(mover)),
            ("empty", &(empty as i32)),
            ("depth", &(depth as i32)),
            ("ply", &(ply as i32)),
        ])?;
        run.stamp(&mut self.outcomes, siblings.len())?;
        run.launch_groups(siblings.len())?;
        read_scores(&mut self.outcomes, &mut run.queue, scores)
    }
}

impl<R: Representation> Splits<R> for Blocks {
    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}
