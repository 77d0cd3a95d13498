//! The move sets of the Connect Four paper ("Algorithm Description"): every sequence of d columns
//! is played from the root, and the first move is chosen by what comes of the sequences that begin
//! with it.

use super::count;
use crate::games::Game;
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, WIN};
use crate::words::Counters;

/// The longest move sets whose sums stay within 64 bits.
///
/// A set adds less than 250,000 in each ply, which is what the evaluation's table allows at most,
/// and a win once. 7^14 sets of (14 x 250,000 + 1,000,000) are 3.1 x 10^18, a third of the range;
/// with 15 plies they would be 2.3 x 10^19.
pub const LONGEST_MOVE_SETS: u32 = 14;

/// For each first move, by column: the sum of the utilities of its move sets, seen by the side to
/// move at the root; 0 for a full column.
pub type MoveSetSums = [i64; COLUMNS];

/// For each first move, by column: the utility of its best move set, seen by the side to move at
/// the root; `None` for a full column.
pub type MoveSetBests = [Option<i32>; COLUMNS];

/// A move chosen by its move sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What decided: the largest sum, or the best set's utility. A win at once is worth what it is
    /// in every search, and other forced moves 0, so that nobody need make sums for them.
    pub value: i64,
    /// The move, of equals the lowest column; `None` where the game is over or the depth is 0.
    pub best: Option<Column>,
    /// Positions entered, the root included; the value of each other one is used.
    pub counters: Counters,
}

/// A root where the sums do not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    /// The mover wins in this column at once.
    Win(Column),
    /// The opponent would win in this column with its next move.
    Block(Column),
    /// All other columns are full.
    Only(Column),
}

impl Forced {
    /// What the root's rules say before any sum is made: win, else block, else the only move. Of
    /// several wins or threats the lowest column counts. `None` where there is a choice, or the game
    /// is over.
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

    /// The move, without any search.
    pub fn choice(self) -> Choice {
        let (value, column) = match self {
            Forced::Win(column) => (i64::from(WIN) - 1, column),
            Forced::Block(column) | Forced::Only(column) => (0, column),
        };
        let mut counters = Counters::default();
        count(&mut counters, false);
        Choice {
            value,
            best: Some(column),
            counters,
        }
    }
}

/// The paper's second strategy: the [forced](Forced) move if there is one, else the first move whose
/// sets have the largest sum.
///
/// # Panics
/// At a depth above [`LONGEST_MOVE_SETS`].
pub fn move_sets(game: &Bits, board: &Board, depth: u32) -> Choice {
    match Forced::at(game, board).filter(|_| depth > 0) {
        Some(forced) => forced.choice(),
        None => {
            let (sums, counters) = move_set_sums(game, board, depth);
            largest_sum(game, board, depth, &sums, counters)
        }
    }
}

/// The first move with the largest sum, of equals the lowest column.
pub fn largest_sum(
    game: &Bits,
    board: &Board,
    depth: u32,
    sums: &MoveSetSums,
    counters: Counters,
) -> Choice {
    let legal = legal(game, board, depth);
    choose(legal.map(|column| (column, sums[column.index()])), counters)
}

/// The paper's first strategy: the first move of the set that ends best for the mover. Nothing is
/// forced: its wins are found by the sets themselves.
pub fn move_sets_optimistic(game: &Bits, board: &Board, depth: u32) -> Choice {
    let (bests, counters) = move_set_bests(game, board, depth);
    best_set(game, board, depth, &bests, counters)
}

/// The first move with the best set, of equals the lowest column.
pub fn best_set(
    game: &Bits,
    board: &Board,
    depth: u32,
    bests: &MoveSetBests,
    counters: Counters,
) -> Choice {
    let best = |column: Column| Some((column, i64::from(bests[column.index()]?)));
    choose(legal(game, board, depth).filter_map(best), counters)
}

/// What a search counts that replays each set from its first move: a position a ply, until the game is over or
/// a column full.
pub fn replays(game: &Bits, board: &Board, depth: u32) -> Counters {
    fn entered(game: &Bits, board: &Board, left: u32, ply: u32) -> u64 {
        let columns = Column::all().filter(|column| board.has_room(*column));
        let of_column = |column: Column| {
            let child = game.play(board, column);
            // So many sets begin with this move.
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
    Counters {
        nodes: 1 + entered,
        leaves: entered,
        ..Counters::default()
    }
}

/// The columns to choose from, from the left: none at depth 0, or where the game is over.
fn legal(game: &Bits, board: &Board, depth: u32) -> impl Iterator<Item = Column> + use<> {
    let open = depth > 0 && game.decided(board, 0).is_none();
    let board = *board;
    Column::all().filter(move |column| open && board.has_room(*column))
}

fn choose(values: impl Iterator<Item = (Column, i64)>, counters: Counters) -> Choice {
    let better =
        |best: (Column, i64), next: (Column, i64)| if next.1 > best.1 { next } else { best };
    let best = values.reduce(better);
    Choice {
        value: best.map_or(0, |(_, value)| value),
        best: best.map(|(column, _)| column),
        counters,
    }
}

/// The sums of all move sets of so many plies, by first move.
///
/// A set's utility is the value after each of its plies, seen by the side to move at the root, added
/// up. A win adds its worth and ends the set, a full board adds 0 and ends it; the set then counts for
/// each of the 7^(plies left) that begin like it. A set that meets a full column counts 0 in all.
///
/// Sets that begin alike share what they begin with: the tree is walked once, not 7^d sets replayed,
/// and a node's value counts for each set that passes through it and meets no full column below.
/// That is 7/6 positions a set, against d. One core of an AMD EPYC (Zen 5) takes 19 ms of processor
/// time for the 7^8 sets of the empty board and 0.92 s for 7^10, 340 M positions/s, as minimax does.
///
/// # Panics
/// At a depth above [`LONGEST_MOVE_SETS`].
pub fn move_set_sums(game: &Bits, board: &Board, depth: u32) -> (MoveSetSums, Counters) {
    assert!(
        depth <= LONGEST_MOVE_SETS,
        "move sets of {depth} plies: allowed are at most {LONGEST_MOVE_SETS}"
    );
    let mut sums = [0; COLUMNS];
    let mut counters = Counters::default();
    count(&mut counters, false);
    for column in legal(game, board, depth) {
        let walk = &mut Sum::default();
        walk.add(game, board, column, depth, 1, &mut counters);
        sums[column.index()] = walk.total;
    }
    (sums, counters)
}

/// What the move sets through one node come to.
#[derive(Default)]
struct Sum {
    /// The utilities that they gather below the node, seen by the side to move there.
    total: i64,
    /// How many of them meet no full column.
    sets: i64,
}

impl Sum {
    /// Adds the sets that go on with one move, with so many plies left and it among them. `ply` is
    /// that of the position after it.
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

    /// The sets below a position where the game is not over, with so many plies left.
    fn of(game: &Bits, board: &Board, left: u32, ply: u32, counters: &mut Counters) -> Sum {
        let mut sum = Sum { total: 0, sets: 1 };
        if left == 0 {
            return sum;
        }
        sum.sets = 0;
        if left == 1 {
            // Seven values fit into 32 bits.
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
            // A node whose value counts for each set through it is a leaf here.
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

/// The best utility of all move sets of so many plies, by first move: that of the position in which
/// a set ends, with its last ply, a win or a full board. Sets that meet a full column are left out.
pub fn move_set_bests(game: &Bits, board: &Board, depth: u32) -> (MoveSetBests, Counters) {
    let mut bests = [None; COLUMNS];
    let mut counters = Counters::default();
    count(&mut counters, false);
    for column in legal(game, board, depth) {
        let child = game.play(board, column);
        let best = best_end(game, &child, depth - 1, 1, &mut counters);
        bests[column.index()] = Some(best);
    }
    (bests, counters)
}

/// The best end of a set below a position, seen by the side that moved at the root.
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
