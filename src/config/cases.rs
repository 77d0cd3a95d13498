use std::collections::HashSet;

use super::kinds::{each, known, text, will_not_do, wrong};
use super::parse::RawExperiment;
use super::source::{At, Checked, allowed, fault, only, shown_plain};
use crate::words::{Case, GameEntry, Params, Task, Value};

const MOST_CASES: usize = 10_000;

/// The value of `order` that keeps the order of the file.
pub(super) const AS_WRITTEN: &str = "as-written";

/// Name of the axis whose value may be a list: the plies to search in a line of play.
const PLIES: &str = "plies";

/// Reads `[[cases]]` and `order`. Returns the axes in the game's order, and the cases in measuring order.
pub(super) fn read_cases(
    raw: &RawExperiment,
    game: &GameEntry,
    task: Task,
) -> Checked<(Vec<String>, Vec<Case>)> {
    let Some(blocks) = &raw.cases else {
        return fault("missing").at("cases");
    };
    let Some(first) = blocks.first() else {
        return fault("there must be at least one").at("cases");
    };
    let own = || game.axes.iter().filter(|axis| axis.belongs_to(task));
    let names: Vec<&str> = own().map(|axis| axis.name).collect();
    let mut axes = names.clone();
    axes.retain(|axis| first.contains_key(*axis));
    let mut needed = own().filter(|it| it.tasks.contains(&task) && it.default.is_none());
    if let Some(axis) = needed.find(|axis| !axes.contains(&axis.name)) {
        let problem = format!("missing; the task {task} needs it: {}", axis.allowed);
        return fault(problem).at(axis.name).at(0).at("cases");
    }
    let (mut cases, mut seen) = (Vec::new(), HashSet::new());
    let mut add = |block: &Params| {
        only(block.keys(), &names)?;
        let is_even = |axis: &&&str| block.contains_key(**axis) == axes.contains(axis);
        if let Some(axis) = names.iter().find(|axis| !is_even(axis)) {
            return fault("must be in every [[cases]], or in none").at(*axis);
        }
        if axes.is_empty() {
            return fault(format!("no axis; {}", allowed("", &names)));
        }
        for case in product(block, &axes, game)? {
            let shown = shown_plain(&case.to_string());
            if let Err(problem) = (game.check)(&case, &raw.options) {
                return fault(format!("{shown} is not allowed: {problem}"));
            }
            if !seen.insert(case.clone()) {
                return fault(format!("{shown} occurs twice"));
            }
            cases.push(case);
        }
        Ok(())
    };
    for (place, block) in blocks.iter().enumerate() {
        add(block).at(place).at("cases")?;
    }
    sort(&mut cases, &axes, raw.order.as_ref()).at("order")?;
    Ok((axes.into_iter().map(str::to_owned).collect(), cases))
}

fn product(block: &Params, axes: &[&str], game: &GameEntry) -> Checked<Vec<Case>> {
    let mut cases = vec![Case::default()];
    let given = axes.iter();
    let given = given.filter_map(|axis| Some((*axis, block.get(*axis)?)));
    for (axis, value) in given {
        // A list of plies is a single value, stored as a word with commas.
        let value = &match value {
            Value::List(plies) if axis == PLIES => {
                let words: Vec<String> = plies.iter().map(Value::to_string).collect();
                Value::parse(&words.join(","))
            }
            Value::Text(word) if axis == PLIES => Value::parse(word),
            other => other.clone(),
        };
        let count = match value {
            Value::List(values) => values.len(),
            _ => 1,
        };
        if count.saturating_mul(cases.len()) > MOST_CASES {
            return fault(format!("more than {MOST_CASES} cases")).at(axis);
        }
        let values = each(value, |it| check_axis(it, axis, game)).at(axis)?;
        cases = combined(&cases, &values, |case, value| {
            let mut case = case.clone();
            case.0.push((axis.to_owned(), value.clone()));
            case
        });
    }
    Ok(cases)
}

/// Combines each item in `all` with each of `values`.
pub(super) fn combined<T, V>(all: &[T], values: &[V], with: impl Fn(&T, &V) -> T) -> Vec<T> {
    let with = &with;
    let with_each = |one| values.iter().map(move |value| with(one, value));
    all.iter().flat_map(with_each).collect()
}

/// Returns the distinct values on an axis, in the order of the cases.
pub(super) fn values_of<'c>(cases: &'c [Case], axis: &str) -> Vec<&'c Value> {
    distinct(cases.iter().filter_map(|case| case.get(axis)))
}

/// Returns the values without repetitions, in the order in which they first occur.
pub fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut each = Vec::new();
    for one in all {
        if !each.contains(&one) {
            each.push(one);
        }
    }
    each
}

fn check_axis(value: &Value, axis: &str, game: &GameEntry) -> Checked<()> {
    // Rows store a case as `axis=value` words, so parsing must restore the value unchanged.
    let text = value.to_string();
    if text.is_empty() || text.contains(char::is_whitespace) || Value::parse(&text) != *value {
        let problem = "must be a whole number or one word that is not a number";
        return will_not_do(value, axis, problem);
    }
    (game.check_axis)(axis, value).or_else(|problem| will_not_do(value, axis, &problem))
}

/// Sorts the cases. The first axis in `order` changes slowest (default: the last axis). Values keep the file's order.
fn sort(cases: &mut [Case], axes: &[&str], order: Option<&Value>) -> Checked<()> {
    let mut loops: Vec<String> = axes.iter().rev().map(|axis| (*axis).to_owned()).collect();
    match order {
        None => {}
        Some(Value::Text(word)) if word == AS_WRITTEN => return Ok(()),
        Some(Value::List(items)) => {
            let named = |(place, axis)| text(axis).map(str::to_owned).at(place);
            let named = items.iter().enumerate().map(named);
            loops = named.collect::<Checked<_>>()?;
            known(&loops, axes)?;
            if loops.len() != axes.len() {
                return fault(format!("must name every axis once: {}", axes.join(", ")));
            }
        }
        Some(value) => return wrong(value, &format!("a list of axes, or \"{AS_WRITTEN}\"")),
    }
    // A value's rank is the index of the first case that has it.
    let written = cases.to_vec();
    cases.sort_by_cached_key(|case| {
        let rank = |axis| written.iter().position(|it| it.get(axis) == case.get(axis));
        loops.iter().map(|axis| rank(axis)).collect::<Vec<_>>()
    });
    Ok(())
}
