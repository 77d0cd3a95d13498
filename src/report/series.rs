//! Groups and orders of things.

use crate::words::{Case, Value};

pub(crate) fn grouped<K: PartialEq, T>(
    things: impl IntoIterator<Item = (K, T)>,
) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, thing) in things {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, own)) => own.push(thing),
            None => groups.push((key, vec![thing])),
        }
    }
    groups
}

pub(crate) fn distinct<T: PartialEq>(things: impl IntoIterator<Item = T>) -> Vec<T> {
    let groups = grouped(things.into_iter().map(|thing| (thing, ())));
    groups.into_iter().map(|(thing, _)| thing).collect()
}

/// The values of an axis, each once: numbers rise; words keep their first order.
pub(crate) fn in_order(all: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut values = distinct(all);
    if values.iter().all(|value| value.as_int().is_some()) {
        values.sort();
    }
    values
}

/// Rows of things along an axis with this order of values: the common case of a row, and the row.
pub(crate) fn rows<T>(
    things: Vec<T>,
    case: impl Fn(&T) -> &Case,
    axis: &str,
    order: &[Value],
) -> Vec<(Case, Vec<T>)> {
    let things = things.into_iter();
    let mut rows = grouped(things.map(|thing| (case(&thing).without(axis), thing)));
    let place = |thing: &T| {
        let value = case(thing).get(axis);
        order.iter().position(|known| Some(known) == value)
    };
    for (_, row) in &mut rows {
        row.sort_by_key(|thing| place(thing));
    }
    rows
}
