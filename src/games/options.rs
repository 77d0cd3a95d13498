//! Reads the options of games.

use std::ops::RangeInclusive;

use crate::words::Value;

/// The error for an invalid option. It names the key, the problem and the allowed values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OptionError(pub(super) String);

/// Reads a whole number that must be in a range. `allowed` describes the range.
pub(super) fn read_number(
    key: &str,
    value: &Value,
    range: RangeInclusive<i64>,
    allowed: &str,
) -> Result<i32, OptionError> {
    whole(value, &range)
        .ok_or_else(|| OptionError(format!("{key}: `{value}`; allowed is {allowed}")))
}

/// Reads `H` lists of `W` integers in a range. `what` names the outer list. `allowed` describes the values.
pub(super) fn read_lists<const W: usize, const H: usize>(
    key: &str,
    (what, value): (&str, &Value),
    range: RangeInclusive<i64>,
    allowed: &str,
) -> Result<[[i32; W]; H], OptionError> {
    let wrong = |wrong: String| OptionError(format!("{key}: {wrong}; allowed are {allowed}"));
    let list = |value: &Value, what: &str, length: usize| match value {
        Value::List(items) if items.len() == length => Ok(items.clone()),
        Value::List(items) => Err(wrong(format!("{what} has {} entries", items.len()))),
        other => Err(wrong(format!("{what} is `{other}`"))),
    };
    let mut numbers = [[0; W]; H];
    for (y, row) in list(value, what, H)?.iter().enumerate() {
        let row = list(row, &format!("row {}", y + 1), W)?;
        for (x, entry) in row.iter().enumerate() {
            numbers[y][x] = whole(entry, &range)
                .ok_or_else(|| wrong(format!("row {}, entry {} is `{entry}`", y + 1, x + 1)))?;
        }
    }
    Ok(numbers)
}

/// Returns the value as an integer if it is a whole number in the range.
pub(super) fn whole(value: &Value, range: &RangeInclusive<i64>) -> Option<i32> {
    let number = value.as_int().filter(|number| range.contains(number));
    number.map(|number| number as i32)
}
