//! The order of cases by size.

use crate::words::{Case, Value};

const SQUARES: &str = "squares";

/// Whether the cost of `large` is extrapolated from that of `small`.
pub fn is_step_to(small: &Case, large: &Case) -> bool {
    (0..large.0.len()).any(|axis| down_along(axis, small, large).is_some())
}

/// If `small` equals `large` except for a smaller number or a shorter time on this axis: both, times in ns.
pub fn down_along(axis: usize, small: &Case, large: &Case) -> Option<(i64, i64)> {
    let (name, is) = large.0.get(axis)?;
    let (unit, was, is) = in_order(small.get(name)?, is)?;
    (unit != SQUARES && small.without(name) == large.without(name)).then_some((was, is))
}

/// Whether `small` is smaller than `large` on some axes and equal on the others.
pub fn is_below(small: &Case, large: &Case) -> bool {
    let mut axes = small.0.iter().zip(&large.0);
    small != large
        && small.0.len() == large.0.len()
        && axes.all(|(one, other)| {
            one == other || one.0 == other.0 && in_order(&one.1, &other.1).is_some()
        })
}

/// If a value is smaller than another one in the same unit: the unit and both.
fn in_order(was: &Value, is: &Value) -> Option<(&'static str, i64, i64)> {
    let ((unit, was), (other, is)) = (size(was)?, size(is)?);
    (unit == other && was < is).then_some((unit, was, is))
}

/// The size of a value, if it has one, and its unit: of a number itself, of a board `WxH` the squares, of a time the ns.
fn size(value: &Value) -> Option<(&'static str, i64)> {
    if let Some(number) = value.as_int() {
        return Some(("", number));
    }
    let text = value.as_text()?;
    let Some((width, height)) = text.split_once('x') else {
        let time = humantime::parse_duration(text).ok()?;
        return Some(("ns", i64::try_from(time.as_nanos()).ok()?));
    };
    let squares = width.parse::<i64>().ok()?.checked_mul(height.parse().ok()?);
    Some((SQUARES, squares?))
}
