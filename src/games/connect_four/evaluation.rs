use super::{COLUMNS, Player, Position, ROWS};
use crate::games::options::{OptionError, read_lists, read_number};
use crate::words::{Params, Value};

/// Number of lines of four through each square, row by row from the bottom. The paper gives "higher value to squares in
/// the center of the board", because of "making connections", but does not give numbers.
const SQUARES: [[i32; COLUMNS]; ROWS] = [
    [3, 4, 5, 7, 5, 4, 3],
    [4, 6, 8, 10, 8, 6, 4],
    [5, 8, 11, 13, 11, 8, 5],
    [5, 8, 11, 13, 11, 8, 5],
    [4, 6, 8, 10, 8, 6, 4],
    [3, 4, 5, 7, 5, 4, 3],
];

const TWO: i32 = 10;

const THREE: i32 = 50;

/// Allowed values. With 21 stones and at most 131 twos and 98 threes, every value stays below that of a win.
const WORTHS: std::ops::RangeInclusive<i64> = 0..=1000;

/// Allowed values of the option `squares`, for error messages.
pub const SQUARES_ALLOWED: &str = "6 lists of 7 whole numbers from 0 to 1000: the value of a stone on each square, by rows from the bottom";

/// Allowed values of the options `two` and `three`, for error messages.
pub const WORTH_ALLOWED: &str = "a whole number from 0 to 1000";

/// The static evaluation for the side to move, in integers.
///
/// Each stone has the value of its square. Two adjacent stones of a player add `two`, and a row of three adds `three`.
/// A row of three therefore counts as two twos and a three. The opponent's sum is subtracted, as in the paper ("Project
/// Description" and "Algorithm Description"), which does not give numbers. A stone changes the value only through
/// neighbours at distances one and two, so searches never evaluate a whole board.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Evaluation {
    /// The value of each square, by rows from the bottom.
    pub squares: [[i32; COLUMNS]; ROWS],
    /// The value of two adjacent stones.
    pub two: i32,
    /// The value of a row of three, in addition to that of its two twos.
    pub three: i32,
}

impl Evaluation {
    /// Reads the options `squares`, `two` and `three`. Ignores other keys. Fails if a value is invalid.
    pub fn new(options: &Params) -> Result<Evaluation, OptionError> {
        let worth = |key, default| {
            options
                .get(key)
                .map_or(Ok(default), |value| read_worth(key, value))
        };
        Ok(Evaluation {
            squares: options.get("squares").map_or(Ok(SQUARES), read_squares)?,
            two: worth("two", TWO)?,
            three: worth("three", THREE)?,
        })
    }

    /// Returns true if a position always has the same value as its mirror image.
    pub fn mirrors(&self) -> bool {
        self.squares
            .iter()
            .all(|row| row.iter().eq(row.iter().rev()))
    }

    /// Returns a position's value for the side to move, computed from scratch as a reference for faster versions.
    pub fn value(&self, position: &Position) -> i32 {
        let mover = position.mover();
        self.sum(position, mover) - self.sum(position, mover.other())
    }

    fn sum(&self, position: &Position, player: Player) -> i32 {
        let mut sum = self.two * position.windows(player, 2);
        sum += self.three * position.windows(player, 3);
        for (row, worths) in self.squares.iter().enumerate() {
            for (column, worth) in worths.iter().enumerate() {
                if position.at(column, row) == Some(player) {
                    sum += worth;
                }
            }
        }
        sum
    }
}

impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation {
            squares: SQUARES,
            two: TWO,
            three: THREE,
        }
    }
}

/// Checks the option `squares`. Fails if the value is invalid.
pub fn read_squares(value: &Value) -> Result<[[i32; COLUMNS]; ROWS], OptionError> {
    read_lists("squares", ("the table", value), WORTHS, SQUARES_ALLOWED)
}

/// Checks the option `two` or `three`. Fails if the value is invalid.
pub fn read_worth(key: &str, value: &Value) -> Result<i32, OptionError> {
    read_number(key, value, WORTHS, WORTH_ALLOWED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> i32 {
        Evaluation::default().value(&Position::parse(text).unwrap())
    }

    #[test]
    fn values_are_those_counted_by_hand() {
        assert_eq!(value(""), 0);
        // One stone in the middle of the bottom row, from the opponent's point of view.
        assert_eq!(value("4"), -7);
        // The first player has d1 (7), c1 (5) and a two. The second has d2 (10), e1 (5) and a two on the falling
        // diagonal.
        assert_eq!(value("4435"), 7 + 5 + 10 - (10 + 5 + 10));
        // The first player has a1, a2, a3 (3+4+5), two twos and a three. The second player has b1, b2 (4+6) and a two.
        assert_eq!(value("12121"), (4 + 6 + 10) - (3 + 4 + 5 + 20 + 50));
    }

    #[test]
    fn options_replace_the_table_and_are_checked() {
        let row = Value::List((0..7).map(Value::Int).collect());
        let options = Params::from([
            ("squares".to_owned(), Value::List(vec![row.clone(); 6])),
            ("two".to_owned(), Value::Int(1)),
            ("three".to_owned(), Value::Int(1000)),
        ]);
        let evaluation = Evaluation::new(&options).unwrap();
        assert_eq!(evaluation.squares[5], [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!((evaluation.two, evaluation.three), (1, 1000));
        let found = Evaluation::new(&Params::new()).unwrap();
        assert_eq!(found, Evaluation::default());

        let refused = |key: &str, value: Value| {
            let options = Params::from([(key.to_owned(), value)]);
            Evaluation::new(&options).unwrap_err().to_string()
        };
        let expected = "two: `-1`; allowed is a whole number from 0 to 1000";
        assert_eq!(refused("two", Value::Int(-1)), expected);
        assert!(refused("three", Value::Int(1001)).starts_with("three: `1001`; allowed"));
        assert!(refused("squares", Value::Int(3)).contains("the table is `3`"));
        assert!(refused("squares", Value::List(vec![row.clone(); 7])).contains("has 7 entries"));
        let mut rows = vec![row; 6];
        rows[2] = Value::List(vec![Value::Text("x".into()); 7]);
        assert!(refused("squares", Value::List(rows)).contains("row 3, entry 1 is `x`"));
    }

    /// The value of a board must stay below a win for every allowed table (see [`WORTHS`]).
    #[test]
    fn values_stay_below_a_win() {
        let worth = *WORTHS.end();
        let (twos, threes) = (36 + 35 + 30 + 30, 30 + 28 + 20 + 20);
        assert!(worth * (21 + twos + threes) < i64::from(super::super::WIN) - 42);
    }
}
