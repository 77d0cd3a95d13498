//! Groups and orders of things.

use crate::words::Value;

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
