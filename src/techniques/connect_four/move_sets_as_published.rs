//! `move-sets-as-published`: the paper's device program as its pseudocode has it.

use super::device_sets::{GROUP, TwoStages, group_digits};
use super::hard::{SEARCH, SHORT, SMALL};
use super::tasks::{self, ConnectFour, Searcher};
use super::{Asked, strategy};
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, Order, Position, ROWS};
use crate::opencl::{Access, Buffer, BuildNeeds};
use crate::search::Found;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::built_for;
use crate::techniques::{Setup, Technique};
use crate::words::{Case, Counters, Counts, Fault, Params, Task, TechniqueEntry, Telemetry};

/// The paper's program: one work-item per move set, by the pseudocode of "Algorithm Description" and the layouts of
/// "Results".
///
/// As published are
///
/// - the layout: groups of 7x7 work-items (49x7 is its "ideal"), whose places encode the first two moves (three). A
///   grid of 7^a x 7^b groups encodes all others: 343x343 for eight moves, 2401x2401 for ten;
/// - the memory: per work-item a board of 42 integers, 168 bytes; in local memory a byte per move after the first and
///   seven numbers of eight bytes, 3,087 bytes per group at eight moves; in global memory seven such numbers per group,
///   6.28 MiB;
/// - the utility: after each move that makes no four, the whole board is evaluated from scratch and added. A move that
///   makes four adds nothing. A set continues after a four and after a move to a full column;
/// - the three sums by first move: in the group, by one work-item; in shares of the grid; over the grid. The last sum
///   names the move. Nothing ends early, even for a forced move.
///
/// Corrected, because the pseudocode would fail:
///
/// - the second sum is a race with other groups' writes. Here it is a separate launch;
/// - `changePlayer` stands in the branch of a winner. By the text, it follows each valid move;
/// - later moves add to the score of an invalid set, and the group sums it. Here it is left out, as "ignored later on"
///   says, and a full column's empty total is no candidate for the best;
/// - near the end of a game no set of eight moves would be valid. A set that fills the board counts without the
///   remaining moves;
/// - "bestOverallMove" would overwrite the move of `blockOrWin`. The move stands, by the text "even if there are moves
///   that technically have higher utilities";
/// - minimax's pseudocode neither lowers the depth nor minimises; `serial-minimax` does both.
///
/// Open in the text:
///
/// | open | here |
/// | --- | --- |
/// | `blockOrWin` | A set whose first move wins names that column. A set whose second move, the opponent's, wins in another column names the column to block. A win precedes a block; the lowest column decides. A deeper four names nothing: it is "their next turn". |
/// | which digit is which move | The work-item's place has the first two (three), so that a group has a sum per first move. |
/// | the evaluation's numbers | as in every technique of the game |
/// | more moves than 7^4 x 7^4 groups encode | refused |
///
/// Each work-item also counts the positions of its valid set. The groups' sums therefore take 7.2 MiB.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "move-sets-as-published",
        summary: "the paper's pseudocode: a work-item a move set, whole boards evaluated, a winning move adds nothing",
        paper: "Connect Four AI, \"Algorithm Description\" and \"Results\"",
        needs: "local memory: at depth 8, 3.0 KB for 7x7 work-items, 21.1 KB for 49x7",
        like: "move-sets-as-published-serial",
        reference: "move-sets-as-published-serial",
        counts: Counts::Model,
        tasks: &[Task::Search, Task::Game, Task::Match],
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
        tasks::prepare(setup, |asked| {
            let layout = Layout::new(asked.depth, setup.params).map_err(Fault::Input)?;
            Ok(Box::new(PublishedSets::new(layout, asked, setup)?))
        })
    },
};

/// Numbers per group in global memory (`SCORES` in the kernel).
const SCORES: usize = COLUMNS + 1;
/// Places in the second kernel's results (`MOVE` and `STAMP` in the kernel).
const MOVE: usize = 8;
const STAMP: usize = 9;
/// Moves that the largest grid encodes per dimension: 2401 = 7^4.
const GRID_DIGITS: u32 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    /// Work-items of a group in the first dimension. The second has seven.
    group_x: usize,
    /// Moves that the group's place encodes, per dimension.
    grid: [u32; 2],
}

impl Layout {
    fn new(depth: u32, params: &Params) -> Result<Layout, String> {
        let in_group = params.get(GROUP.name).map_or(Ok(2), group_digits)?;
        let most = in_group + 2 * GRID_DIGITS;
        if depth > most {
            return Err(format!(
                "depth: `{depth}`; groups and the largest grid, 2401x2401, spell at most {most} moves"
            ));
        }
        let in_grid = depth.saturating_sub(in_group);
        let x = in_grid.div_ceil(2);
        Ok(Layout {
            group_x: COLUMNS.pow(in_group - 1),
            grid: [x, in_grid - x],
        })
    }

    fn items(self) -> usize {
        self.group_x * COLUMNS
    }

    fn groups(self) -> [usize; 2] {
        self.grid.map(|digits| COLUMNS.pow(digits))
    }

    /// Bytes of local memory per group: seven numbers and all moves but the first per work-item.
    fn local_bytes(self, depth: u32) -> usize {
        self.items() * (8 * COLUMNS + depth.max(2) as usize - 1)
    }
}

fn spells_every_move(case: &Case, params: &Params) -> Result<(), String> {
    let depth = case
        .int("depth")
        .and_then(|depth| u32::try_from(depth).ok());
    depth.map_or(Ok(()), |depth| Layout::new(depth, params).map(drop))
}

struct PublishedSets {
    game: Bits,
    depth: u32,
    stages: TwoStages,
    root: Buffer<i32>,
    boards: Vec<Board>,
}

impl PublishedSets {
    fn new(layout: Layout, asked: &Asked, setup: &Setup<'_>) -> Result<PublishedSets, Fault> {
        let device = setup.on_device()?;
        let items = layout.items();
        let local_bytes = layout.local_bytes(asked.depth);
        // The second kernel has one number more per work-item, and no moves.
        let most_local = local_bytes.max(8 * SCORES * items) as u64;
        let whose = format_args!("{items} work-items need");
        device.info().check_local(most_local, whose)?;
        let evaluation = &asked.evaluation;
        let [grid_x, grid_y] = layout.grid;
        let defines = [
            ("PLIES", asked.depth.to_string()),
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
        let mut stages = TwoStages::new(device, &program, "play_sets", (4, STAMP), shape)?;
        let TwoStages {
            play, sum, queue, ..
        } = &mut stages;
        let groups = groups_x * groups_y;
        let squares = device.buffer::<i32>(COLUMNS * ROWS, Access::Read)?;
        queue.write(
            &squares,
            &by_column(|column, row| evaluation.squares[row][column]),
        )?;
        let root = device.buffer::<i32>(COLUMNS * ROWS, Access::Read)?;
        let scores = device.buffer::<i64>(groups * SCORES, Access::ReadWrite)?;
        let seen = device.buffer::<u32>(1, Access::ReadWrite)?;
        play.set_from(0, &[&squares, &root, &scores, &seen])?;
        sum.set_from(0, &[&scores, &root, &seen, &(groups as i32)])?;
        stages.notes = format!(
            "group {}x7, grid {groups_x}x{groups_y}, local {local_bytes} bytes, private {} bytes, built with {}",
            layout.group_x,
            play.private_bytes(),
            program.options()
        );
        let mut sets = PublishedSets {
            game: Bits::new(evaluation, Order::FromTheLeft),
            depth: asked.depth,
            stages,
            root,
            boards: Vec::new(),
        };
        // Some drivers compile at first use. A full board needs the least work.
        sets.launch(&[1; COLUMNS * ROWS])?;
        sets.stages.queue.take_parts();
        Ok(sets)
    }

    /// The results of both kernels for a root.
    fn launch(&mut self, root: &[i32]) -> Result<[i64; STAMP + 1], Fault> {
        self.stages.queue.write(&self.root, root)?;
        let mut result = [0; STAMP + 1];
        self.stages.launch(&mut result)?;
        Ok(result)
    }
}

/// A number per square, by columns from the bottom, as in the kernel.
fn by_column(number: impl Fn(usize, usize) -> i32) -> [i32; COLUMNS * ROWS] {
    std::array::from_fn(|square| number(square / ROWS, square % ROWS))
}

/// The stones of a board: 1 for the mover, 2 for the opponent.
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
        if let Some(over) = strategy::over(&self.game, &board) {
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
        self.stages.telemetry()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Value;

    fn layout(depth: u32, group: &str) -> Result<Layout, String> {
        let value = Value::Text(group.to_owned());
        Layout::new(depth, &Params::from([(GROUP.name.to_owned(), value)]))
    }

    #[test]
    fn the_published_layouts_are_those_of_the_paper() {
        let of = |depth, group| {
            let layout = layout(depth, group).unwrap();
            (layout.items(), layout.groups(), layout.local_bytes(depth))
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
