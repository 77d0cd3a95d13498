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

pub(crate) fn values<'a>(cases: impl IntoIterator<Item = &'a Case>, axis: &str) -> Vec<Value> {
    in_order(cases.into_iter().filter_map(|case| case.get(axis).cloned()))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn case(text: &str) -> Case {
        Case::parse(text).unwrap()
    }

    #[test]
    fn numbers_rise_and_words_come_as_named() {
        let cases = ["b=16x16 d=10", "b=8x8 d=2", "b=16x16 d=1"].map(case);
        let shown =
            |axis| -> Vec<String> { values(&cases, axis).iter().map(Value::to_string).collect() };
        assert_eq!(shown("b"), ["16x16", "8x8"]);
        assert_eq!(shown("d"), ["1", "2", "10"]);
        assert!(shown("x").is_empty());
    }

    #[test]
    fn a_row_differs_along_one_axis() {
        let cases = ["b=x d=10", "b=y d=10", "b=x d=2"].map(case);
        let order = values(&cases, "d");
        let rows = rows(cases.to_vec(), |case| case, "d", &order);
        let shown: Vec<(String, Vec<String>)> = rows
            .iter()
            .map(|(common, row)| {
                let row = row.iter().map(Case::to_string).collect();
                (common.to_string(), row)
            })
            .collect();
        let strings = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let expected: Vec<(String, Vec<String>)> = vec![
            ("b=x".into(), strings(&["b=x d=2", "b=x d=10"])),
            ("b=y".into(), strings(&["b=y d=10"])),
        ];
        assert_eq!(shown, expected);
    }
}
