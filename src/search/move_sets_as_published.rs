//! Evaluates move sets exactly as the Connect Four paper's pseudocode does ("Algorithm Description").

use super::{Found, MoveSetSums, largest_sum};
use crate::games::Game;
use crate::games::connect_four::{Bits, Board, COLUMNS, Column};
use crate::words::Counters;

/// The results of a root's move sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedSets {
    /// For each first move, the sum of its sets' utilities, for the side to move at the root.
    pub sums: MoveSetSums,
    /// The move that takes precedence over all sums: a winning move, otherwise a block of the opponent's win.
    pub assigned: Option<Column>,
    /// Counters of the positions that the walk entered.
    pub counters: Counters,
    /// Counters of the positions that separate replays of all sets enter. A replay stops at a full column.
    pub replayed: Counters,
}

/// Evaluates all move sets of `depth` plies in one walk of their tree.
///
/// The utility of a set is the sum of the values after each move that does not make four in a row, for the side to move
/// at the root. A move that makes four adds nothing, and the set continues, because the pseudocode neither evaluates
/// there nor leaves its loop. A set that plays in a full column does not count. A full board ends a set.
pub fn move_sets_as_published(game: &Bits, board: &Board, depth: u32) -> PublishedSets {
    let mut walk = Walk {
        game,
        entered: 0,
        replayed: 0,
    };
    let mut sums = [0; COLUMNS];
    if depth > 0 {
        for (column, child, wins) in game.played_on(board) {
            sums[column.index()] = walk.after(&child, wins, depth).total;
        }
    }
    let counters = |entered| Counters::of_search(1 + entered, entered);
    PublishedSets {
        sums,
        assigned: assigned(game, board, depth),
        counters: counters(walk.entered),
        replayed: counters(walk.replayed),
    }
}

impl PublishedSets {
    /// Returns the assigned move if there is one, otherwise the first move with the largest sum. The value is its sum.
    pub fn choice(&self, game: &Bits, board: &Board, counters: Counters) -> Found<Column> {
        let mut found = largest_sum(game, board, 1, &self.sums, counters);
        if let Some(column) = self.assigned {
            found.best = Some(column);
            found.value = self.sums[column.index()];
        }
        found
    }
}

/// Returns the lowest column in which the mover wins, otherwise the lowest in which the opponent threatens to win.
fn assigned(game: &Bits, board: &Board, depth: u32) -> Option<Column> {
    let legal = Column::all().filter(|column| board.has_room(*column));
    let blocks = depth > 1 && legal.count() > 1;
    let block = || blocks.then(|| game.winning_column(&board.turned()))?;
    match depth {
        0 => None,
        _ => game.winning_column(board).or_else(block),
    }
}

struct Walk<'a> {
    game: &'a Bits,
    entered: u64,
    replayed: u64,
}

/// Results of the sets through a position: the sum of later utilities, and the number of sets that avoid full columns.
struct Sets {
    total: i64,
    count: i64,
}

impl Walk<'_> {
    /// Sums the sets through this position. `left` counts the remaining plies plus the move into this position.
    fn after(&mut self, board: &Board, wins: bool, left: u32) -> Sets {
        self.entered += 1;
        self.replayed += (COLUMNS as u64).pow(left - 1);
        let mut sets = Sets { total: 0, count: 0 };
        let game = self.game;
        if left == 1 || board.is_full() {
            sets.count = (COLUMNS as i64).pow(left - 1);
        } else if left == 2 {
            // Most positions are the last in their sets and need no walk.
            for (_, child, wins) in game.played_on(board) {
                sets.total += if wins {
                    0
                } else {
                    i64::from(game.evaluate(&child))
                };
                sets.count += 1;
            }
            self.entered += sets.count as u64;
            self.replayed += sets.count as u64;
        } else {
            for (_, child, wins) in game.played_on(board) {
                let below = self.after(&child, wins, left - 1);
                sets.total -= below.total;
                sets.count += below.count;
            }
        }
        if !wins {
            sets.total -= i64::from(game.evaluate(board)) * sets.count;
        }
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::tests::{DRAWN, random_position};
    use crate::games::connect_four::{Evaluation, Order, Player, Position, ROWS};

    /// The plain board of the pseudocode, on which a won game continues.
    struct Plain {
        stones: [Vec<i32>; COLUMNS],
    }

    impl Plain {
        fn new(position: &Position) -> Plain {
            let owner = |player: Player| if player == position.mover() { 1 } else { -1 };
            let column = |column| {
                let stone = |row| position.at(column, row).map(owner);
                (0..ROWS).map_while(stone).collect()
            };
            Plain {
                stones: std::array::from_fn(column),
            }
        }

        fn at(&self, column: i32, row: i32) -> i32 {
            let column = usize::try_from(column).ok();
            let stack = column.and_then(|column| self.stones.get(column));
            let stone = stack.and_then(|stack| stack.get(usize::try_from(row).ok()?));
            stone.copied().unwrap_or(0)
        }

        /// Returns the number of the root player's runs of this length minus the opponent's. With `on`, counts only
        /// runs through that square.
        fn runs(&self, length: i32, on: Option<(i32, i32)>) -> i32 {
            let mut sum = 0;
            for (x, y) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                for (column, row) in (0..7).flat_map(|column| (0..6).map(move |row| (column, row)))
                {
                    let squares = (0..length).map(|step| (column + step * x, row + step * y));
                    let owner = self.at(column, row);
                    let mut owners = squares.clone().map(|(column, row)| self.at(column, row));
                    let within = on.is_none_or(|on| squares.clone().any(|square| square == on));
                    if owner != 0 && within && owners.all(|other| other == owner) {
                        sum += owner;
                    }
                }
            }
            sum
        }

        fn value(&self, evaluation: &Evaluation) -> i32 {
            let mut value =
                evaluation.two * self.runs(2, None) + evaluation.three * self.runs(3, None);
            for (row, worths) in evaluation.squares.iter().enumerate() {
                for (column, worth) in worths.iter().enumerate() {
                    value += worth * self.at(column as i32, row as i32);
                }
            }
            value
        }
    }

    /// Returns the utility of a set (`None` if it plays in a full column), and the number of moves before that point.
    fn replay(root: &Position, set: &[usize], evaluation: &Evaluation) -> (Option<i64>, u64) {
        let mut plain = Plain::new(root);
        let (mut sum, mut player, mut entered) = (0, 1, 0);
        for column in set {
            if plain.stones.iter().all(|stack| stack.len() == ROWS) {
                break;
            }
            if plain.stones[*column].len() == ROWS {
                return (None, entered);
            }
            plain.stones[*column].push(player);
            entered += 1;
            let stone = (*column as i32, plain.stones[*column].len() as i32 - 1);
            if plain.runs(4, Some(stone)) == 0 {
                sum += i64::from(plain.value(evaluation));
            }
            player = -player;
        }
        (Some(sum), entered)
    }

    fn by_the_definition(
        root: &Position,
        depth: u32,
        evaluation: &Evaluation,
    ) -> (MoveSetSums, u64) {
        let (mut sums, mut replayed) = ([0; COLUMNS], 0);
        for number in 0..COLUMNS.pow(depth) {
            let digit = |place: u32| number / COLUMNS.pow(place) % COLUMNS;
            let set: Vec<_> = (0..depth).rev().map(digit).collect();
            let (sum, entered) = replay(root, &set, evaluation);
            sums[set[0]] += sum.unwrap_or(0);
            replayed += entered;
        }
        (sums, replayed)
    }

    #[test]
    fn walking_the_tree_gives_what_replaying_every_set_does() {
        let evaluation = Evaluation::default();
        let game = Bits::new(&evaluation, Order::FromTheLeft);
        let mut roots = vec![(Position::start(), 4)];
        // Tests wins within the sets, full columns, and boards that fill up before a set ends.
        for seed in 0..40 {
            roots.push((random_position(seed as usize, seed), 1 + seed as u32 % 4));
        }
        roots.extend((34..42).map(|played| (Position::parse(&DRAWN[..played]).unwrap(), 3)));
        roots.push((Position::parse("717171").unwrap(), 4));
        for (root, depth) in roots.iter().filter(|(root, _)| !root.is_over()) {
            let found = move_sets_as_published(&game, &game.load(root), *depth);
            let (sums, replayed) = by_the_definition(root, *depth, &evaluation);
            assert_eq!(found.sums, sums, "{root} {depth}");
            assert_eq!(found.replayed.leaves, replayed, "{root} {depth}");
        }
    }

    #[test]
    fn a_win_or_a_block_is_assigned_with_its_sum() {
        let evaluation = Evaluation::default();
        let game = Bits::new(&evaluation, Order::FromTheLeft);
        let assigned = |text: &str, depth| {
            let board = game.load(&Position::parse(text).unwrap());
            let found = move_sets_as_published(&game, &board, depth);
            let choice = found.choice(&game, &board, found.counters);
            let best = choice.best.unwrap();
            assert_eq!(choice.value, found.sums[best.index()], "{text}");
            assert!(found.assigned.is_none_or(|column| column == best));
            found.assigned.map(|column| column.index() + 1)
        };
        assert_eq!(assigned("717171", 4), Some(7), "the win, not the block");
        assert_eq!(assigned("71717", 4), Some(7), "the block");
        assert_eq!(assigned("71717", 1), None, "one ply shows no threat");
        assert_eq!(assigned("47375", 2), Some(2), "the lowest of two");
        assert_eq!(assigned("4435", 4), None);
        let actual = assigned(&DRAWN[..41], 8);
        assert_eq!(actual, None, "the only move needs no rule");
    }
}
