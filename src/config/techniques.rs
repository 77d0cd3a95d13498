use std::collections::HashSet;

use super::brought;
use super::error::{ConfigError, allowed};
use super::reader::{Item, Table, read_params};
use super::{BASELINES, TechniqueChoice};
use crate::words::{Case, Catalogue, GameEntry, Kind, Params, Task, TechniqueEntry, Value};

/// Keys of a `[[technique]]` that are no parameters.
const KEYS: [&str; 5] = ["name", "label", "opponent", "only", "sweep"];

/// All pairs of techniques are compared.
const MOST_TECHNIQUES: usize = 2_000;

const OPPONENT: &str = "serial";

/// The opponent of techniques that only serve as opponents.
pub(super) const NOBODY: &str = "none";

/// A technique whose opponent is not resolved yet.
struct Named<'t> {
    choice: TechniqueChoice,
    kind: Kind,
    opponent: Option<Item<'t>>,
    /// Its place in the file; `None` for an added baseline.
    place: Option<Item<'t>>,
}

/// Reads the techniques. In a match an added baseline is only an opponent: games cost minutes.
pub(super) fn read_techniques(
    root: &Table<'_>,
    game: &GameEntry,
    task: Task,
    catalogue: &Catalogue,
    cases: &[Case],
) -> Result<Vec<TechniqueChoice>, ConfigError> {
    let tables = root
        .get("technique")
        .map_or(Ok(Vec::new()), |item| item.tables())?;
    if tables.len() > MOST_TECHNIQUES {
        let number = tables.len();
        return Err(root.error_at_key(
            "technique",
            format!("{number} techniques; allowed are at most {MOST_TECHNIQUES}"),
        ));
    }
    let mut others: Vec<Named<'_>> = Vec::new();
    for table in tables {
        let next = read_technique(&table, game, task, catalogue, cases)?;
        let label = &next.choice.label;
        if others.iter().any(|other| other.choice.label == *label) {
            let own = ["label", "name", "command", "kernel"].map(|key| table.get(key));
            let place = own.into_iter().flatten().next();
            let place = place.map_or_else(|| table.need("name"), Ok)?;
            return Err(place.error(format!("{label:?} is there twice; give each its own label")));
        }
        others.push(next);
    }
    if let Some(item) = root.get("techniques") {
        others = with_registry(&item, others, game, task, catalogue, cases)?;
    }
    let mut all = Vec::new();
    for name in BASELINES {
        if let Some(place) = others.iter().position(|other| other.choice.label == name) {
            all.push(others.remove(place));
        } else if let Some(entry) = catalogue
            .technique(game.name, name)
            .filter(|entry| entry.tasks.contains(&task))
        {
            all.push(Named::with_defaults(entry, task != Task::Match, None));
        }
    }
    all.append(&mut others);
    if task == Task::Match {
        for place in 0..all.len() {
            if all[place].choice.measured {
                let opponent = find_opponent(&all[place], &all, root)?;
                all[place].choice.opponent = Some(opponent);
            }
        }
        if !all.iter().any(|named| named.choice.measured) {
            let problem = "no technique plays; give one an opponent";
            let none = all.iter().find_map(|named| named.opponent.as_ref());
            return Err(match none {
                Some(item) => item.error(problem),
                None => root.error_at_key("technique", problem),
            });
        }
    }
    if task == Task::Match {
        let played = opponents(all.iter().map(|named| &named.choice));
        all.retain(|named| named.place.is_some() || played.contains(&named.choice.label));
    }
    Ok(all.into_iter().map(|named| named.choice).collect())
}

/// Expands `techniques`: all of the game's techniques for the task, the device ones with their references, and so on.
/// They have defaults, unless the file names them.
fn with_registry<'t>(
    item: &Item<'t>,
    mut own: Vec<Named<'t>>,
    game: &GameEntry,
    task: Task,
    catalogue: &Catalogue,
    cases: &[Case],
) -> Result<Vec<Named<'t>>, ConfigError> {
    let is_all = item.one_of(&["all", "device"])? == "all";
    let entries = catalogue.of_game(game.name);
    let able: Vec<&TechniqueEntry> = entries.filter(|it| it.tasks.contains(&task)).collect();
    let asked = able.iter().filter(|it| is_all || it.kind == Kind::Device);
    let mut names: HashSet<&str> = asked.map(|it| it.name).collect();
    // A reference may have a reference.
    let mut without: Vec<&str> = names.iter().copied().collect();
    while let Some(name) = without.pop() {
        let entry = able.iter().find(|it| it.name == name);
        without.extend(entry.map(|it| it.reference).filter(|it| names.insert(it)));
    }
    let mut all: Vec<Named<'_>> = Vec::new();
    for entry in able.into_iter().filter(|it| names.contains(it.name)) {
        let is_entry = |it: &Named<'_>| [&it.choice.technique, &it.choice.label] == [entry.name; 2];
        if let Some(place) = own.iter().position(is_entry) {
            all.push(own.remove(place));
            continue;
        }
        let named = Named::with_defaults(entry, true, Some(item.clone()));
        if let Some(problem) = refusal(entry, &named.choice, cases) {
            let name = entry.name;
            return Err(item.error(format!(
                "{name}: {problem}; give it a [[technique]] of its own"
            )));
        }
        if own.iter().any(|it| it.choice.label == entry.name) {
            let label = entry.name;
            return Err(item.error(format!("{label:?} is there twice; give each its own label")));
        }
        all.push(named);
    }
    all.append(&mut own);
    Ok(all)
}

/// Why a technique does not take one of its cases.
fn refusal(entry: &TechniqueEntry, choice: &TechniqueChoice, cases: &[Case]) -> Option<String> {
    let mut own = cases.iter().filter(|case| choice.takes(case));
    own.find_map(|case| {
        let problem = (entry.check)(case, &choice.params).err()?;
        Some(format!("{problem}, at the case {case}"))
    })
}

pub(super) fn opponents<'c>(choices: impl Iterator<Item = &'c TechniqueChoice>) -> HashSet<String> {
    choices
        .filter_map(|choice| choice.opponent.clone())
        .collect()
}

fn read_technique<'t>(
    table: &Table<'t>,
    game: &GameEntry,
    task: Task,
    catalogue: &Catalogue,
    cases: &[Case],
) -> Result<Named<'t>, ConfigError> {
    let (item, name, own_label) = match brought::named(table)? {
        Some(found) => found,
        None => {
            let item = table.need("name")?;
            let names = catalogue.of_game(game.name).map(|entry| entry.name);
            let name = item.one_of(&names.collect::<Vec<_>>())?;
            (item, name, Some(name.to_owned()))
        }
    };
    let Some(entry) = catalogue.technique(game.name, name) else {
        return Err(item.error("not in the catalogue"));
    };
    if !entry.tasks.contains(&task) {
        let able: Vec<&str> = catalogue
            .of_game(game.name)
            .filter(|entry| entry.tasks.contains(&task))
            .map(|entry| entry.name)
            .collect();
        let able = allowed("", &able);
        return Err(item.error(format!("{name} does not do the task {task}; {able}")));
    }
    let params = read_params(table, &KEYS, entry.params)?;
    let label = match (table.get("label"), own_label) {
        (Some(item), _) => item.name()?.to_owned(),
        (None, Some(label)) => label,
        (None, None) => return Err(item.error("has no name of its own; give it a label")),
    };
    if BASELINES.contains(&label.as_str()) && label != name {
        let place = table.get("label").unwrap_or_else(|| item.clone());
        return Err(place.error(format!(
            "{label:?} is the label of the baseline of that name"
        )));
    }
    let opponent = table.get("opponent");
    if let Some(item) = opponent.as_ref().filter(|_| task != Task::Match) {
        return Err(item.error(format!("only the task match has opponents, not {task}")));
    }
    let measured = match &opponent {
        Some(item) => item.text()? != NOBODY,
        None => true,
    };
    let choice = TechniqueChoice {
        technique: name.to_owned(),
        params,
        opponent: None,
        measured,
        only: read_only(table, &label, cases)?,
        label,
    };
    if let Some(problem) = refusal(entry, &choice, cases) {
        return Err(table.error(format!(
            "{problem}; `only` restricts a technique to some cases"
        )));
    }
    Ok(Named {
        choice,
        kind: entry.kind,
        opponent,
        place: Some(item),
    })
}

/// Reads `only`: per axis the values that the technique is measured at.
fn read_only(table: &Table<'_>, label: &str, cases: &[Case]) -> Result<Case, ConfigError> {
    let Some(item) = table.get("only") else {
        return Ok(Case::default());
    };
    if BASELINES.contains(&label) {
        return Err(item.error(format!("{label} is a baseline, which every case has")));
    }
    let restricted = item.table()?;
    // Every case has the same axes.
    let axes: Vec<&str> = cases
        .first()
        .map(|case| case.0.iter().map(|(axis, _)| axis.as_str()).collect())
        .unwrap_or_default();
    restricted.only(&axes)?;
    let mut only = Case::default();
    for axis in axes {
        let Some(item) = restricted.get(axis) else {
            continue;
        };
        let mut values = Vec::new();
        let listed = item.list_or_one()?;
        if listed.is_empty() {
            return Err(item.error("empty; give one value at least"));
        }
        for item in listed {
            let value = item.value()?;
            if !cases.iter().any(|case| case.get(axis) == Some(&value)) {
                return Err(
                    item.will_not_do(&format!("no case of this experiment has this {axis}"))
                );
            }
            values.push(value);
        }
        only.0.push((axis.to_owned(), Value::List(values)));
    }
    Ok(only)
}

/// The label of a technique's opponent, which plays in the same process: it may need a device only if the technique
/// does.
fn find_opponent(
    named: &Named<'_>,
    all: &[Named<'_>],
    root: &Table<'_>,
) -> Result<String, ConfigError> {
    let labels: Vec<&str> = all
        .iter()
        .map(|other| other.choice.label.as_str())
        .collect();
    let label = named
        .opponent
        .as_ref()
        .map_or(Ok(OPPONENT), |item| item.one_of(&labels))?;
    let error = |problem: String| match named.opponent.as_ref().or(named.place.as_ref()) {
        Some(item) => item.error(problem),
        None => root.error_at_key("technique", problem),
    };
    let own = &named.choice.label;
    let Some(opponent) = all.iter().find(|other| other.choice.label == label) else {
        return Err(error(format!(
            "{own} has no opponent; {}",
            allowed("", &labels)
        )));
    };
    if opponent.kind == Kind::Device && named.kind != Kind::Device {
        return Err(error(format!(
            "{own} runs on the host and its opponent {label} on a device; let {label} have {own} \
             as its opponent"
        )));
    }
    Ok(label.to_owned())
}

impl<'t> Named<'t> {
    /// A technique without parameters.
    fn with_defaults(entry: &TechniqueEntry, measured: bool, place: Option<Item<'t>>) -> Self {
        Named {
            choice: TechniqueChoice {
                technique: entry.name.to_owned(),
                label: entry.name.to_owned(),
                params: Params::new(),
                opponent: None,
                measured,
                only: Case::default(),
            },
            kind: entry.kind,
            opponent: None,
            place,
        }
    }
}
