use std::collections::{HashMap, HashSet};

use super::error::{allowed, shown_plain};
use super::raw::{RawExperiment, each, one_of, will_not_do, wrong};
use super::source::{At, Checked, fault, only};
use crate::words::{Case, GameEntry, Params, Task, Value};

const MOST_CASES: usize = 10_000;

/// The value of `order` that keeps the file's order.
pub(super) const AS_WRITTEN: &str = "as-written";

/// The axis whose value is a list: the plies of the line of play that one case searches.
const PLIES: &str = "plies";

/// Reads `[[cases]]` and `order`: the axes in the game's order, and the cases in measuring order.
pub(super) fn read_cases(
    raw: &RawExperiment,
    game: &GameEntry,
    task: Task,
    options: &Params,
) -> Checked<(Vec<String>, Vec<Case>)> {
    let missing = || fault("missing").at("cases");
    let blocks = raw.cases.as_ref().map_or_else(missing, Ok)?;
    let Some(first) = blocks.first() else {
        return fault("there must be one at least").at("cases");
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
    let mut cases = Vec::new();
    let mut seen = HashSet::new();
    for (place, block) in blocks.iter().enumerate() {
        let read = || {
            only(block.keys(), &names)?;
            let is_even = |axis: &&&str| block.contains_key(**axis) == axes.contains(axis);
            if let Some(axis) = names.iter().find(|axis| !is_even(axis)) {
                return fault("must be in every [[cases]], or in none").at(*axis);
            }
            if axes.is_empty() {
                return fault(format!("no axis; {}", allowed("", &names)));
            }
            product(block, &axes, game)
        };
        let mut add = |case: Case| {
            let shown = shown_plain(&case.to_string());
            if let Err(problem) = (game.check)(&case, options) {
                return fault(format!("{shown} will not do: {problem}"));
            }
            if !seen.insert(case.clone()) {
                return fault(format!("{shown} is there twice"));
            }
            if seen.len() > MOST_CASES {
                return fault(format!("more than {MOST_CASES} cases"));
            }
            cases.push(case);
            Ok(())
        };
        let added = read().and_then(|block| block.into_iter().try_for_each(&mut add));
        added.at(place).at("cases")?;
    }
    sort(&mut cases, &axes, raw.order.as_ref()).at("order")?;
    Ok((axes.into_iter().map(str::to_owned).collect(), cases))
}

fn product(block: &Params, axes: &[&str], game: &GameEntry) -> Checked<Vec<Case>> {
    let mut cases = vec![Case::default()];
    for axis in axes.iter().copied() {
        let Some(value) = block.get(axis) else {
            continue;
        };
        // A list of plies is one value, a word with commas.
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
        let values = each(value, "give one value at least", |it| {
            axis_value(it, axis, game)
        });
        let values = values.at(axis)?;
        let with = |case: &Case, value: &Value| {
            let mut case = case.clone();
            case.0.push((axis.to_owned(), value.clone()));
            case
        };
        let all = cases.iter();
        let all = all.flat_map(|case| values.iter().map(move |value| with(case, value)));
        cases = all.collect();
    }
    Ok(cases)
}

/// The values of an axis, each once, in the order of the cases.
pub(super) fn values_of<'c>(cases: &'c [Case], axis: &str) -> Vec<&'c Value> {
    unique(cases.iter().filter_map(|case| case.get(axis)))
}

/// Each once, in their order.
pub(super) fn unique<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut each = Vec::new();
    for one in all {
        if !each.contains(&one) {
            each.push(one);
        }
    }
    each
}

fn axis_value(value: &Value, axis: &str, game: &GameEntry) -> Checked<Value> {
    // Rows name their case as `axis=value` words, and are read back.
    let text = value.to_string();
    if text.is_empty() || text.contains(char::is_whitespace) || Value::parse(&text) != *value {
        let problem = "must be a whole number or one word that is not a number";
        return will_not_do(value, axis, problem);
    }
    let checked = (game.check_axis)(axis, value).map(|()| value.clone());
    checked.or_else(|problem| will_not_do(value, axis, &problem))
}

/// The first axis of `order` changes slowest; values keep the file's order. By default cheap cases come first.
fn sort(cases: &mut [Case], axes: &[&str], order: Option<&Value>) -> Checked<()> {
    let mut loops: Vec<String> = axes.iter().rev().map(|axis| (*axis).to_owned()).collect();
    if let Some(value) = order {
        let every = format!("must name every axis once: {}", axes.join(", "));
        match value {
            Value::Text(word) if word == AS_WRITTEN => return Ok(()),
            Value::List(items) => {
                let items = items.iter().enumerate();
                let named = items.map(|(place, axis)| one_of(axis, axes).at(place));
                loops = named.collect::<Checked<_>>()?;
            }
            _ => return wrong(value, &format!("a list of axes, or \"{AS_WRITTEN}\"")),
        }
        let is_in = |axis: &&str| loops.iter().any(|own| own == axis);
        if loops.len() != axes.len() || !axes.iter().all(is_in) {
            return fault(every);
        }
    }
    let mut ranks: HashMap<(&str, Value), usize> = HashMap::new();
    for case in cases.iter() {
        for (axis, (_, value)) in axes.iter().zip(&case.0) {
            let next = ranks.len();
            ranks.entry((axis, value.clone())).or_insert(next);
        }
    }
    cases.sort_by_cached_key(|case| {
        let rank = |axis: &String| {
            let value = case.get(axis)?.clone();
            ranks.get(&(axis.as_str(), value)).copied()
        };
        loops.iter().filter_map(rank).collect::<Vec<usize>>()
    });
    Ok(())
}
