//! Evaluates the move sets of the Connect Four paper ("Algorithm Description"). A set is a sequence of d columns,
//! played from the root. A first move is rated by the results of all sets that start with it.

use super::{Found, count};
use crate::games::Game;
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, WIN};
use crate::words::Counters;

/// Maximum length of sets whose sums fit in 64 bits. A set adds less than 250,000 per ply, and at most one win.
pub const LONGEST_MOVE_SETS: u32 = 14;

/// For each first move (column), the sum of its sets' utilities for the mover at the root. 0 for a full column.
pub type MoveSetSums = [i64; COLUMNS];

/// For each first move (column), the best utility of its sets for the mover at the root. `None` for a full column.
pub type MoveSetBests = [Option<i32>; COLUMNS];

/// A root position in which the move does not depend on the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    /// The mover wins at once by playing this column.
    Win(Column),
    /// The opponent threatens to win in this column with the next move.
    Block(Column),
    /// All other columns are full.
    Only(Column),
}

impl Forced {
    /// Applies the rules at the root that take precedence over any sum: win, otherwise block, otherwise play the only
    /// move, always in the lowest column. `None` if no rule applies, or if the game is over.
    pub fn at(game: &Bits, board: &Board) -> Option<Forced> {
        if game.decided(board, 0).is_some() {
            return None;
        }
        let win = game.winning_column(board).map(Forced::Win);
        let block = || game.winning_column(&board.turned()).map(Forced::Block);
        let only = || {
            let mut moves = game.moves(board);
            let first = moves.next()?;
            moves.next().is_none().then_some(Forced::Only(first))
        };
        win.or_else(block).or_else(only)
    }

    /// Returns the move without a search. An immediate win has its usual value. Any other forced move has the value 0.
    pub fn choice(self) -> Found<Column> {
        let (value, column) = match self {
            Forced::Win(column) => (i64::from(WIN) - 1, column),
            Forced::Block(column) | Forced::Only(column) => (0, column),
        };
        let mut counters = Counters::default();
        count(&mut counters, false);
        Found {
            value,
            best: Some(column),
            by_move: Vec::new(),
            counters,
        }
    }
}

/// Returns the first move with the largest sum (the lowest column in a tie), and the sum of every legal move.
pub fn largest_sum(
    game: &Bits,
    board: &Board,
    depth: u32,
    sums: &MoveSetSums,
    counters: Counters,
) -> Found<Column> {
    let legal = Column::all().filter(|column| board.has_room(*column));
    let by_move = legal.map(|column| sums[column.index()]).collect();
    let legal = legal_at(game, board, depth);
    choose(
        legal.map(|column| (column, sums[column.index()])),
        by_move,
        counters,
    )
}

/// Returns the first move of the best set (the lowest column in a tie), and the best utility for every legal move.
pub fn best_set(
    game: &Bits,
    board: &Board,
    depth: u32,
    bests: &MoveSetBests,
    counters: Counters,
) -> Found<Column> {
    let by_move = bests
        .iter()
        .flatten()
        .map(|best| i64::from(*best))
        .collect();
    let best = |column: Column| Some((column, i64::from(bests[column.index()]?)));
    choose(
        legal_at(game, board, depth).filter_map(best),
        by_move,
        counters,
    )
}

/// Returns the counters of a search that replays each set from its first move until the game ends or a move is illegal.
pub fn replays(game: &Bits, board: &Board, depth: u32) -> Counters {
    fn entered(game: &Bits, board: &Board, left: u32, ply: u32) -> u64 {
        let columns = Column::all().filter(|column| board.has_room(*column));
        let of_column = |column: Column| {
            let child = game.play(board, column);
            let sets = (COLUMNS as u64).pow(left - 1);
            match left > 1 && game.decided(&child, ply).is_none() {
                true => sets + entered(game, &child, left - 1, ply + 1),
                false => sets,
            }
        };
        columns.map(of_column).sum()
    }
    let entered = match depth {
        0 => 0,
        _ => entered(game, board, depth, 1),
    };
    Counters::of_search(1 + entered, entered)
}

/// Returns the playable columns from left to right. There are none at depth 0, or if the game is over.
fn legal_at(game: &Bits, board: &Board, depth: u32) -> impl Iterator<Item = Column> + use<> {
    let open = depth > 0 && game.decided(board, 0).is_none();
    let board = *board;
    Column::all().filter(move |column| open && board.has_room(*column))
}

fn choose(
    values: impl Iterator<Item = (Column, i64)>,
    by_move: Vec<i64>,
    counters: Counters,
) -> Found<Column> {
    let better =
        |best: (Column, i64), next: (Column, i64)| if next.1 > best.1 { next } else { best };
    let best = values.reduce(better);
    Found {
        value: best.map_or(0, |(_, value)| value),
        best: best.map(|(column, _)| column),
        by_move,
        counters,
    }
}

/// Sums all move sets of `depth` plies, by first move. Panics if `depth` exceeds [`LONGEST_MOVE_SETS`].
///
/// The utility of a set is the sum of the values after each ply, for the side to move at the root. A win adds its value
/// and ends the set, and a full board adds 0. A set that ends early counts once for each of the 7^(plies left) sets
/// that begin with it. A set that plays in a full column has utility 0.
pub fn move_set_sums(game: &Bits, board: &Board, depth: u32) -> (MoveSetSums, Counters) {
    assert!(
        depth <= LONGEST_MOVE_SETS,
        "move sets of {depth} plies: allowed are at most {LONGEST_MOVE_SETS}"
    );
    let mut sums = [0; COLUMNS];
    let mut counters = Counters::default();
    count(&mut counters, false);
    for column in legal_at(game, board, depth) {
        let walk = &mut Sum::default();
        walk.add(game, board, column, depth, 1, &mut counters);
        sums[column.index()] = walk.total;
    }
    (sums, counters)
}

#[derive(Default)]
struct Sum {
    /// Sum of the sets' utilities below the node, for the side to move there.
    total: i64,
    /// Number of sets that never play in a full column.
    sets: i64,
}

impl Sum {
    /// Adds the sets that continue with `column`. `left` counts all plies from this move. `ply` is the child's ply.
    #[inline(always)]
    fn add(
        &mut self,
        game: &Bits,
        board: &Board,
        column: Column,
        left: u32,
        ply: u32,
        counters: &mut Counters,
    ) {
        count(counters, true);
        let child = game.play(board, column);
        let (value, below) = match game.decided(&child, ply) {
            Some(value) => {
                let sets = (COLUMNS as i64).pow(left - 1);
                (value, Sum { total: 0, sets })
            }
            None => (
                game.evaluate(&child),
                Sum::of(game, &child, left - 1, ply, counters),
            ),
        };
        self.total -= i64::from(value) * below.sets + below.total;
        self.sets += below.sets;
    }

    /// Sums the sets below a position with `left` plies left. The game must not be over.
    fn of(game: &Bits, board: &Board, left: u32, ply: u32, counters: &mut Counters) -> Sum {
        let mut sum = Sum { total: 0, sets: 1 };
        if left == 0 {
            return sum;
        }
        sum.sets = 0;
        if left == 1 {
            // The sum of seven values fits in 32 bits.
            let mut total = 0;
            for column in game.moves(board) {
                total -= game.value_after(board, column, ply + 1);
                sum.sets += 1;
            }
            sum.total = i64::from(total);
            counters.nodes += sum.sets as u64;
            counters.leaves += sum.sets as u64;
            return sum;
        }
        if left == 2
            && let Some(two) = game.last_two(board, ply)
        {
            counters.nodes += u64::from(two.ends + two.inner + two.last);
            // Here, a node is a leaf if its value counts for every set through it.
            counters.leaves += u64::from(two.ends + two.inner + two.last);
            return Sum {
                total: i64::from(two.sum),
                sets: i64::from(two.sets),
            };
        }
        for column in game.moves(board) {
            sum.add(game, board, column, left, ply + 1, counters);
        }
        sum
    }
}

/// Returns, for each first move, the best utility of all move sets with `depth` plies. The utility of a set is the
/// value of its last position. Sets that play in a full column are excluded.
pub fn move_set_bests(game: &Bits, board: &Board, depth: u32) -> (MoveSetBests, Counters) {
    let mut bests = [None; COLUMNS];
    let mut counters = Counters::default();
    count(&mut counters, false);
    for column in legal_at(game, board, depth) {
        let child = game.play(board, column);
        let best = best_end(game, &child, depth - 1, 1, &mut counters);
        bests[column.index()] = Some(best);
    }
    (bests, counters)
}

fn best_end(game: &Bits, board: &Board, left: u32, ply: u32, counters: &mut Counters) -> i32 {
    let own = |value: i32, ply: u32| if ply.is_multiple_of(2) { value } else { -value };
    let end = game.decided(board, ply);
    if let Some(value) = end.or((left == 0).then(|| game.evaluate(board))) {
        count(counters, true);
        return own(value, ply);
    }
    count(counters, false);
    let mut best = i32::MIN;
    for column in game.moves(board) {
        let value = if left == 1 {
            count(counters, true);
            own(game.value_after(board, column, ply + 1), ply + 1)
        } else {
            let child = game.play(board, column);
            best_end(game, &child, left - 1, ply + 1, counters)
        };
        best = best.max(value);
    }
    best
}
