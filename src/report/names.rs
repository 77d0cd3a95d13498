//! Readable names of cases.

use super::number::Unit;
use crate::words::{Case, Value};

const POSITION: usize = 14;

/// The axis that names the plies of a case's positions.
pub(crate) const PLIES: &str = "plies";

/// `8x8, depth 10`; `every case` for the case without axes.
pub(crate) fn case(case: &Case) -> String {
    let axes = case.0.iter();
    let named = axes.filter_map(|(axis, value)| of_axis(axis, value));
    match named.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "every case".to_owned(),
        named => named,
    }
}

/// A value, with its axis if the value alone is unclear; `None` for the usual value.
fn of_axis(axis: &str, value: &Value) -> Option<String> {
    let shown = value.to_string();
    let playouts = |count: i64| format!("{} playouts", Unit::Count.show(count as f64));
    Some(match (axis, value) {
        ("board", _) => shown,
        ("position", _) if shown == "start" => "from the start".to_owned(),
        ("position", _) if shown.chars().count() > POSITION => {
            let start: String = shown.chars().take(POSITION).collect();
            format!("position {}…", start.trim_end_matches([':', ',']))
        }
        ("turns", _) if shown == "auto" => return None,
        ("turns", _) => format!("{shown} turns"),
        ("stage", _) => format!("{shown} move"),
        ("playouts", Value::Int(count)) => playouts(*count),
        ("effort", Value::Int(count)) => format!("{} a move", playouts(*count)),
        ("effort", _) => match shown.split_once("ms") {
            Some((count, "")) => format!("{count} ms a move"),
            _ => format!("{} s a move", shown.trim_end_matches('s')),
        },
        _ => format!("{} {shown}", axis.replace('-', " ")),
    })
}

/// The text with a first capital letter.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next();
    let first = first.map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// `a, b and c`, or `a, x; b, y and c`; beyond `most` only the count.
pub(crate) fn list(names: &[String], most: usize) -> String {
    let is_cut = names.len() > most + 1;
    let more = format!("{} more", names.len().saturating_sub(most));
    let kept = if is_cut { &names[..most] } else { names };
    let mut shown: Vec<&str> = kept.iter().map(String::as_str).collect();
    shown.extend(is_cut.then_some(more.as_str()));
    let has_comma = names.iter().any(|name| name.contains(','));
    let between = if has_comma { "; " } else { ", " };
    match shown.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} and {last}", before.join(between)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names =
            |count: usize| -> Vec<String> { (1..=count).map(|at| at.to_string()).collect() };
        assert_eq!(list(&names(1), 3), "1");
        assert_eq!(list(&names(3), 3), "1, 2 and 3");
        assert_eq!(list(&names(4), 3), "1, 2, 3 and 4");
        assert_eq!(list(&names(6), 3), "1, 2, 3 and 3 more");
        assert_eq!(list(&[], 3), "");
        let of_two = ["a, 1", "a, 2", "b"].map(str::to_owned);
        assert_eq!(list(&of_two, 3), "a, 1; a, 2 and b");
    }
}
