use crate::games::options::{OptionError, whole};
use crate::words::Value;

/// The value of each shape for its owner (Kawakami and Wang, section 2.1, which gives no values). A shape is a maximal
/// run of stones of one colour. It is live if both ends are open, and dead if one is. Runs with gaps are not shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shapes {
    /// Indexed by `[length - 2][open ends - 1]`.
    worth: [[i32; 2]; 3],
}

/// Default values: live four, dead four, live three, dead three, live two, dead two.
const DEFAULT_SHAPES: [i32; 6] = [10_000, 1_000, 1_000, 100, 100, 10];

/// Allowed values. All sums stay within 32 bits, and the sums in a window stay below the number that marks a five.
const WORTH: std::ops::RangeInclusive<i64> = 0..=100_000;

impl Default for Shapes {
    fn default() -> Shapes {
        Shapes::new(DEFAULT_SHAPES)
    }
}

impl Shapes {
    fn new([four, dead_four, three, dead_three, two, dead_two]: [i32; 6]) -> Shapes {
        Shapes {
            worth: [[dead_two, two], [dead_three, three], [dead_four, four]],
        }
    }

    /// Returns the values in this order: live four, dead four, live three, dead three, live two, dead two.
    pub fn table(&self) -> [i32; 6] {
        let [[dead_two, two], [dead_three, three], [dead_four, four]] = self.worth;
        [four, dead_four, three, dead_three, two, dead_two]
    }

    /// Returns the value of a run of `length` stones with `open` open ends, or 0 if the run is a five or not a shape.
    #[inline]
    pub fn worth(&self, length: usize, open: usize) -> i32 {
        match (length, open) {
            (2..=4, 1..=2) => self.worth[length - 2][open - 1],
            _ => 0,
        }
    }
}

/// Checks the option `shapes`. Fails if it is not a list of six whole numbers in range.
pub fn read_shapes(value: &Value) -> Result<Shapes, OptionError> {
    let wrong = |wrong: String| {
        OptionError(format!(
            "shapes: {wrong}; allowed are 6 whole numbers from 0 to 100000: the values of a live four, dead four, live three, dead three, live two, dead two"
        ))
    };
    let items = match value {
        Value::List(items) if items.len() == 6 => items,
        Value::List(items) => return Err(wrong(format!("the list has {} entries", items.len()))),
        other => return Err(wrong(format!("`{other}` is no list"))),
    };
    let mut table = [0; 6];
    for (place, item) in items.iter().enumerate() {
        table[place] =
            whole(item, &WORTH).ok_or_else(|| wrong(format!("entry {} is `{item}`", place + 1)))?;
    }
    Ok(Shapes::new(table))
}

/// Selects the empty squares that a search tries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MoveRule {
    /// All empty squares.
    #[default]
    All,
    /// Empty squares next to a stone, also diagonally (Kawakami and Wang, section 2.3). On an empty board, all squares.
    Adjacent,
}

/// Checks the option `moves`. Fails if it is neither `all` nor `adjacent`.
pub fn read_moves(value: &Value) -> Result<MoveRule, OptionError> {
    match value.as_text() {
        Some("all") => Ok(MoveRule::All),
        Some("adjacent") => Ok(MoveRule::Adjacent),
        _ => Err(OptionError(format!(
            "moves: `{value}`; allowed is all (every empty square) or adjacent (squares next to a stone)"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_checked() {
        let list = |numbers: &[i64]| Value::List(numbers.iter().copied().map(Value::Int).collect());
        let table = read_shapes(&list(&[6, 5, 4, 3, 2, 1])).unwrap();
        assert_eq!(table.table(), [6, 5, 4, 3, 2, 1]);
        assert_eq!((table.worth(4, 2), table.worth(2, 1)), (6, 1));
        let refused = |value: &Value| read_shapes(value).unwrap_err().to_string();
        assert!(refused(&Value::Int(3)).starts_with("shapes: `3` is no list; allowed are 6"));
        assert!(refused(&list(&[1, 2])).contains("the list has 2 entries"));
        assert!(refused(&list(&[1, -1, 1, 1, 1, 1])).contains("entry 2 is `-1`"));
        assert!(refused(&list(&[1, 1, 1, 1, 1, 100_001])).contains("entry 6 is `100001`"));

        assert_eq!(read_moves(&Value::Text("all".into())), Ok(MoveRule::All));
        let expected = Ok(MoveRule::Adjacent);
        assert_eq!(read_moves(&Value::Text("adjacent".into())), expected);
        let wrong = read_moves(&Value::Text("near".into())).unwrap_err();
        assert!(wrong.to_string().starts_with("moves: `near`; allowed is"));
    }
}
