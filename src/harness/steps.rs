//! The order of cases by size.

use crate::words::{Case, Value};

/// Whether the cost of `large` is predicted from that of `small`.
pub fn is_step_to(small: &Case, large: &Case) -> bool {
    (0..large.0.len()).any(|axis| down_along(axis, small, large).is_some())
}

/// If `small` equals `large` except for a smaller value on this axis: both sizes.
pub fn down_along(axis: usize, small: &Case, large: &Case) -> Option<(i64, i64)> {
    let (name, is) = large.0.get(axis)?;
    let was = small.get(name)?;
    // A number of iterations tells nothing about a time.
    let are_alike = std::mem::discriminant(was) == std::mem::discriminant(is);
    let (was, is) = (size(was).filter(|_| are_alike)?, size(is)?);
    (was < is && small.without(name) == large.without(name)).then_some((was, is))
}

/// The size of a value, if it has one: a number itself, a board `WxH` its number of squares, a time its ns.
fn size(value: &Value) -> Option<i64> {
    let text = match value {
        Value::Int(number) => return Some(*number),
        value => value.as_text()?,
    };
    let Some((width, height)) = text.split_once('x') else {
        let time = humantime::parse_duration(text).ok()?;
        return i64::try_from(time.as_nanos()).ok();
    };
    width.parse::<i64>().ok()?.checked_mul(height.parse().ok()?)
}
