use std::collections::{HashMap, HashSet};

use super::error::allowed;
use super::raw::{Item, Keys, RawExperiment, only, shown_plain};
use super::source::Fault;
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
) -> Result<(Vec<String>, Vec<Case>), Fault> {
    let blocks = raw.cases.get_ref();
    let Some(first) = blocks.first() else {
        return Err(Fault::new(raw.cases.span(), "there must be one at least"));
    };
    let own = || game.axes.iter().filter(|axis| axis.belongs_to(task));
    let names: Vec<&str> = own().map(|axis| axis.name).collect();
    let mut axes = names.clone();
    axes.retain(|axis| first.contains_key(*axis));
    let needed = own().find(|axis| {
        axis.tasks.contains(&task) && axis.default.is_none() && !axes.contains(&axis.name)
    });
    if let Some(axis) = needed {
        let problem = format!("missing; the task {task} needs it: {}", axis.allowed);
        return Err(first.error_at(axis.name, problem));
    }
    let mut cases = Vec::new();
    let mut seen = HashSet::new();
    for block in blocks {
        let error = |problem: String| block.error(problem);
        only(block, &names)?;
        for axis in &names {
            if block.contains_key(*axis) != axes.contains(axis) {
                let problem = "must be in every [[cases]], or in none";
                return Err(block.error_at(axis, problem));
            }
        }
        if axes.is_empty() {
            return Err(error(format!("no axis; {}", allowed("", &names))));
        }
        for case in product(block, &axes, game)? {
            let shown = shown_plain(&case.to_string());
            if let Err(problem) = (game.check)(&case, options) {
                return Err(error(format!("{shown} will not do: {problem}")));
            }
            if !seen.insert(case.clone()) {
                return Err(error(format!("{shown} is there twice")));
            }
            cases.push(case);
            if cases.len() > MOST_CASES {
                return Err(error(format!("more than {MOST_CASES} cases")));
            }
        }
    }
    sort(&mut cases, &axes, raw.order.as_ref())?;
    Ok((axes.into_iter().map(str::to_owned).collect(), cases))
}

fn product(block: &Keys, axes: &[&str], game: &GameEntry) -> Result<Vec<Case>, Fault> {
    let mut cases = vec![Case::default()];
    for (axis, item) in axes
        .iter()
        .filter_map(|axis| Some((*axis, block.get(*axis)?)))
    {
        let values = if axis == PLIES {
            vec![plies(item, game)?]
        } else {
            let items = item.some("give one value at least")?;
            if items.len().saturating_mul(cases.len()) > MOST_CASES {
                return Err(item.error(format!("more than {MOST_CASES} cases")));
            }
            let values = items.iter().map(|item| axis_value(item, axis, game));
            values.collect::<Result<_, _>>()?
        };
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
    let mut values = Vec::new();
    for value in cases.iter().filter_map(|case| case.get(axis)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// The value of the axis [`PLIES`]: a list is one value, a word with commas.
fn plies(item: &Item, game: &GameEntry) -> Result<Value, Fault> {
    let value = match item.value()? {
        Value::List(plies) => {
            let words: Vec<String> = plies.iter().map(Value::to_string).collect();
            Value::parse(&words.join(","))
        }
        one => Value::parse(&one.to_string()),
    };
    (game.check_axis)(PLIES, &value).map_err(|problem| item.will_not_do(PLIES, &problem))?;
    Ok(value)
}

fn axis_value(item: &Item, axis: &str, game: &GameEntry) -> Result<Value, Fault> {
    let value = item.value()?;
    // Rows name their case as `axis=value` words, and are read back.
    let text = value.to_string();
    let checked =
        if text.is_empty() || text.contains(char::is_whitespace) || Value::parse(&text) != value {
            Err("must be a whole number or one word that is not a number".to_owned())
        } else {
            (game.check_axis)(axis, &value)
        };
    checked.map_err(|problem| item.will_not_do(axis, &problem))?;
    Ok(value)
}

/// The first axis of `order` changes slowest; values keep the file's order. By default cheap cases come first.
fn sort(cases: &mut [Case], axes: &[&str], order: Option<&Item>) -> Result<(), Fault> {
    let mut loops: Vec<&str> = axes.iter().rev().copied().collect();
    if let Some(item) = order {
        if item.is(AS_WRITTEN) {
            return Ok(());
        }
        let must = format!("a list of axes, or \"{AS_WRITTEN}\"");
        let listed = item.list().map_err(|_| item.wrong(&must))?;
        let named = listed.iter().map(|item| item.one_of(axes));
        loops = named.collect::<Result<_, _>>()?;
        let is_in = |axis: &&str| loops.contains(axis);
        if loops.len() != axes.len() || !axes.iter().all(is_in) {
            return Err(item.error(format!("must name every axis once: {}", axes.join(", "))));
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
        let rank = |axis: &&str| ranks.get(&(*axis, case.get(axis)?.clone())).copied();
        loops.iter().filter_map(rank).collect::<Vec<usize>>()
    });
    Ok(())
}
