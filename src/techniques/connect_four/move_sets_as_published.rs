//! `move-sets-as-published`: the paper's device program, following its pseudocode.

use super::hard::{SEARCH, SHORT, SMALL};
use super::host_sets::over;
use super::move_sets::{GROUP, Layout, TwoStages};
use super::tasks::{self, ConnectFour, Searcher};
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, Order, Position, ROWS};
use crate::techniques::prelude::*;
use crate::techniques::tasks::built_for;

/// The paper's program, with one work-item per move set. It follows the pseudocode in "Algorithm Description" and the
/// layouts in "Results". docs/papers/connect-four.md lists corrections and open points in the text.
///
/// Each work-item has a board of 42 integers. Its local memory holds one byte per move after the first, and seven
/// eight-byte numbers. It evaluates the whole board after each move that does not make four. A move that makes four
/// adds nothing. The sums per first move are computed over the group, then over shares of the grid, then over the grid.
/// The last two sums run in a separate launch, because the paper's version has a data race. Wins take precedence over
/// blocks, and the lowest column breaks ties. Each work-item also counts the positions in its valid set.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "move-sets-as-published",
        summary: "the paper's pseudocode, with one work-item per move set and evaluation of the whole board",
        paper: "Connect Four AI, \"Algorithm Description\" and \"Results\"",
        needs: "local memory: at depth 8, 3.0 KB for 7x7 work-items, 21.1 KB for 49x7",
        like: "move-sets-as-published-serial",
        reference: "move-sets-as-published-serial",
        counts: Counts::Model,
        params: &[GROUP],
        check: spells_every_move,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("", SHORT),
        Trial::new("group=49x7", SMALL),
        Trial::new("group=49x7", SHORT),
    ],
    prepare: |setup| {
        tasks::prepare_search::<ConnectFour>(setup, |asked| {
            let layout = layout_of(asked.amount.depth, setup.params).map_err(Fault::Input)?;
            Ok(Box::new(PublishedSets::new(layout, asked, setup)?))
        })
    },
};

/// Number of words per group in global memory (`SCORES` in the kernel).
const SCORES: usize = COLUMNS + 1;
/// Indices in the second kernel's results (`MOVE` and `STAMP` in the kernel).
const MOVE: usize = 8;
const STAMP: usize = 9;
/// Number of moves that the largest grid (2401 = 7^4) encodes per dimension.
const GRID_DIGITS: u32 = 4;

/// Returns the layout that encodes every move. If there are too many moves, the error is one line.
fn layout_of(depth: u32, params: &Params) -> Result<Layout, String> {
    let layout = Layout::new(depth, GRID_DIGITS, params)?;
    match layout.looped {
        0 => Ok(layout),
        more => Err(format!(
            "depth: `{depth}`; groups and the largest grid, 2401x2401, spell at most {} moves",
            depth - more
        )),
    }
}

/// Returns the bytes of local memory per group: for each work-item, seven numbers and all moves but the first.
fn local_bytes(layout: Layout, depth: u32) -> usize {
    layout.items() * (8 * COLUMNS + depth.max(2) as usize - 1)
}

fn spells_every_move(case: &Case, params: &Params) -> Result<(), String> {
    let depth = case
        .int("depth")
        .and_then(|depth| u32::try_from(depth).ok());
    depth.map_or(Ok(()), |depth| layout_of(depth, params).map(drop))
}

struct PublishedSets {
    game: Bits,
    depth: u32,
    stages: TwoStages,
    root: Buffer<i32>,
    boards: Vec<Board>,
}

impl PublishedSets {
    fn new(layout: Layout, asked: &ConnectFour, setup: &Setup<'_>) -> Result<PublishedSets, Fault> {
        let device = setup.on_device()?;
        let items = layout.items();
        let local_bytes = local_bytes(layout, asked.amount.depth);
        // In local memory, the second kernel has one more number per work-item, but no moves.
        let most_local = local_bytes.max(8 * SCORES * items) as u64;
        let whose = format_args!("{items} work-items need");
        device.info().check_local(most_local, whose)?;
        let evaluation = &asked.evaluation;
        let [grid_x, grid_y] = layout.grid;
        let defines = [
            ("PLIES", asked.amount.depth.to_string()),
            ("GROUP_X", layout.group_x.to_string()),
            ("GRID_X_DIGITS", grid_x.to_string()),
            ("GRID_Y_DIGITS", grid_y.to_string()),
            ("TWO", evaluation.two.to_string()),
            ("THREE", evaluation.three.to_string()),
        ];
        // The only barrier of each kernel is outside all loops.
        let needs = BuildNeeds::default();
        let path = "connect_four/move_sets_as_published.cl";
        let program = device.build(path, &defines, setup.kernels, needs)?;
        let [groups_x, groups_y] = layout.groups();
        let shape = [[layout.group_x, COLUMNS], layout.groups()];
        let results = ("result", STAMP);
        let mut stages = TwoStages::new(device, &program, "play_sets", results, shape)?;
        let TwoStages { play, sum, .. } = &mut stages;
        let squares = by_column(|column, row| evaluation.squares[row][column]);
        play.upload("squares", &squares)?;
        let root = play.buffer("root", COLUMNS * ROWS, Access::Read)?;
        let seen = play.buffer::<u32>("seen_at_root", 1, Access::ReadWrite)?;
        sum.set(&[("root", &root), ("seen_at_root", &seen)])?;
        play.notes = format!(
            "group {}x7, grid {groups_x}x{groups_y}, local {local_bytes} bytes, private {} bytes, built with {}",
            layout.group_x,
            play.kernel.private_bytes(),
            play.options
        );
        let mut sets = PublishedSets {
            game: Bits::new(evaluation, Order::FromTheLeft),
            depth: asked.amount.depth,
            stages,
            root,
            boards: Vec::new(),
        };
        // Some drivers compile at first use. A full board needs the least work.
        sets.launch(&[1; COLUMNS * ROWS])?;
        sets.stages.play.telemetry();
        Ok(sets)
    }

    fn launch(&mut self, root: &[i32]) -> Result<[i64; STAMP + 1], Fault> {
        self.stages.play.queue.write(&self.root, root)?;
        let mut result = [0; STAMP + 1];
        self.stages.launch(&mut result)?;
        Ok(result)
    }
}

/// Returns one number per square, column by column from the bottom, as in the kernel.
fn by_column(number: impl Fn(usize, usize) -> i32) -> [i32; COLUMNS * ROWS] {
    std::array::from_fn(|square| number(square / ROWS, square % ROWS))
}

/// Returns the stones of a board: 1 for the mover, 2 for the opponent.
fn stones(board: &Board) -> [i32; COLUMNS * ROWS] {
    let (own, other) = board.stones();
    by_column(|column, row| {
        let bit = |side: u64| (side >> (column * (ROWS + 1) + row) & 1) as i32;
        bit(own) + 2 * bit(other)
    })
}

impl Searcher<ConnectFour> for PublishedSets {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let loaded = positions.iter().map(|position| self.game.load(position));
        self.boards = loaded.collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Column>, Fault> {
        built_for(self.depth, depth)?;
        let board = self.boards[index];
        if let Some(over) = over(&self.game, &board) {
            return Ok(over);
        }
        let result = self.launch(&stones(&board))?;
        let best = usize::try_from(result[MOVE]).ok().and_then(Column::new);
        let entered = result[COLUMNS] as u64;
        let legal = Column::all().filter(|column| board.has_room(*column));
        Ok(Found {
            value: best.map_or(0, |column| result[column.index()]),
            best,
            by_move: legal.map(|column| result[column.index()]).collect(),
            counters: Counters::of_search(1 + entered, entered),
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.stages.play.telemetry_and_resources()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Value;

    fn layout(depth: u32, group: &str) -> Result<Layout, String> {
        let value = Value::Text(group.to_owned());
        layout_of(depth, &Params::from([(GROUP.name.to_owned(), value)]))
    }

    #[test]
    fn the_published_layouts_are_those_of_the_paper() {
        let of = |depth, group| {
            let layout = layout(depth, group).unwrap();
            (layout.items(), layout.groups(), local_bytes(layout, depth))
        };
        let expected = (49, [343, 343], 3087);
        assert_eq!(of(8, "7x7"), expected, "bytes of shared memory per block");
        assert_eq!(of(10, "7x7").1, [2401, 2401]);
        assert_eq!(of(8, "49x7"), (343, [343, 49], 7 * 3087));
        assert_eq!(of(1, "49x7").1, [1, 1]);
        assert_eq!(
            layout(11, "7x7").unwrap_err(),
            "depth: `11`; groups and the largest grid, 2401x2401, spell at most 10 moves"
        );
        assert!(layout(11, "49x7").is_ok());
    }
}
