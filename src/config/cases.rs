use std::collections::{HashMap, HashSet};

use super::error::{ConfigError, allowed};
use super::reader::{Item, Table, shown_plain};
use crate::words::{Case, GameEntry, Params, Task, Value};

const MOST_CASES: usize = 10_000;

/// The value of `order` that keeps the file's order.
pub(super) const AS_WRITTEN: &str = "as-written";

/// The axis whose value is a list: the plies of the line of play that one case searches.
const PLIES: &str = "plies";

/// Reads `[[cases]]` and `order`: the axes in the game's order, and the cases in measuring order.
pub(super) fn read_cases(
    root: &Table<'_>,
    game: &GameEntry,
    task: Task,
    options: &Params,
) -> Result<(Vec<String>, Vec<Case>), ConfigError> {
    let blocks = root.need("cases")?.tables()?;
    let Some(first) = blocks.first() else {
        return Err(root.need("cases")?.error("there must be one at least"));
    };
    let of_task = game.axes.iter().filter(|axis| axis.belongs_to(task));
    let names: Vec<&str> = of_task.map(|axis| axis.name).collect();
    let mut axes: Vec<&str> = names.clone();
    axes.retain(|axis| first.get(axis).is_some());
    let needed = game.axes.iter().find(|axis| {
        let own = axis.tasks.contains(&task) && axis.default.is_none();
        own && !axes.contains(&axis.name)
    });
    if let Some(axis) = needed {
        let problem = format!("missing; the task {task} needs it: {}", axis.allowed);
        return Err(first.error_at_key(axis.name, problem));
    }
    let mut cases = Vec::new();
    for block in &blocks {
        block.only(&names)?;
        for axis in &names {
            if block.get(axis).is_some() != axes.contains(axis) {
                return Err(block.error_at_key(axis, "must be in every [[cases]], or in none"));
            }
        }
        if axes.is_empty() {
            return Err(block.error(format!("no axis; {}", allowed("", &names))));
        }
        for case in product(block, &axes, game)? {
            if let Err(problem) = (game.check)(&case, options) {
                let shown = shown_plain(&case.to_string());
                return Err(block.error(format!("{shown} will not do: {problem}")));
            }
            cases.push((case, block));
            if cases.len() > MOST_CASES {
                return Err(block.error(format!("more than {MOST_CASES} cases")));
            }
        }
    }
    let mut seen = HashSet::new();
    for (case, block) in &cases {
        if !seen.insert(case) {
            return Err(block.error(format!("{case} is there twice")));
        }
    }
    let mut cases: Vec<Case> = cases.into_iter().map(|(case, _)| case).collect();
    sort(&mut cases, &axes, root.get("order"))?;
    Ok((axes.into_iter().map(str::to_owned).collect(), cases))
}

fn product(block: &Table<'_>, axes: &[&str], game: &GameEntry) -> Result<Vec<Case>, ConfigError> {
    let mut cases = vec![Case::default()];
    for axis in axes {
        let item = block.need(axis)?;
        let values = if *axis == PLIES {
            vec![plies(&item, game)?]
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
            case.0.push(((*axis).to_owned(), value.clone()));
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
fn plies(item: &Item<'_>, game: &GameEntry) -> Result<Value, ConfigError> {
    let listed = item.list_or_one()?;
    let words = listed.iter().map(|ply| Ok(ply.value()?.to_string()));
    let words = words.collect::<Result<Vec<String>, ConfigError>>()?;
    let value = Value::parse(&words.join(","));
    (game.check_axis)(PLIES, &value).map_err(|problem| item.will_not_do(&problem))?;
    Ok(value)
}

fn axis_value(item: &Item<'_>, axis: &str, game: &GameEntry) -> Result<Value, ConfigError> {
    let value = item.value()?;
    // Rows name their case as `axis=value` words, and are read back.
    let text = value.to_string();
    if text.is_empty() || text.contains(char::is_whitespace) || Value::parse(&text) != value {
        return Err(item.will_not_do("must be a whole number or one word that is not a number"));
    }
    (game.check_axis)(axis, &value).map_err(|problem| item.will_not_do(&problem))?;
    Ok(value)
}

/// The first axis of `order` changes slowest; values keep the file's order. By default cheap cases come first.
fn sort(cases: &mut [Case], axes: &[&str], order: Option<Item<'_>>) -> Result<(), ConfigError> {
    let mut loops: Vec<&str> = axes.iter().rev().copied().collect();
    if let Some(item) = order {
        if item.text() == Ok(AS_WRITTEN) {
            return Ok(());
        }
        let must = format!("a list of axes, or \"{AS_WRITTEN}\"");
        let listed = item.list().map_err(|_| item.wrong(&must))?;
        let named = listed.iter().map(|item| item.one_of(axes));
        loops = named.collect::<Result<_, _>>()?;
        let mut sorted = loops.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() != loops.len() || loops.len() != axes.len() {
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
