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

struct Reader<'a, 't> {
    root: &'a Table<'t>,
    task: Task,
    cases: &'a [Case],
    catalogue: &'a Catalogue,
    game: &'a GameEntry,
}

/// Reads the techniques. In a match an added baseline is only an opponent: games cost minutes.
pub(super) fn read_techniques(
    root: &Table<'_>,
    game: &GameEntry,
    task: Task,
    catalogue: &Catalogue,
    cases: &[Case],
) -> Result<Vec<TechniqueChoice>, ConfigError> {
    let reader = Reader {
        root,
        task,
        cases,
        catalogue,
        game,
    };
    let mut others = reader.tables()?;
    if let Some(item) = root.get("techniques") {
        others = reader.with_registry(&item, others)?;
    }
    let mut all = Vec::new();
    for name in BASELINES {
        if let Some(place) = others.iter().position(|other| other.choice.label == name) {
            all.push(others.remove(place));
        } else if let Some(entry) = reader.able().find(|entry| entry.name == name) {
            all.push(Named::with_defaults(entry, task != Task::Match, None));
        }
    }
    all.append(&mut others);
    if task == Task::Match {
        for place in 0..all.len() {
            if all[place].choice.measured {
                let opponent = reader.opponent(&all[place], &all)?;
                all[place].choice.opponent = Some(opponent);
            }
        }
        if !all.iter().any(|named| named.choice.measured) {
            let none = all.iter().find_map(|named| named.opponent.as_ref());
            return Err(reader.error(none, "no technique plays; give one an opponent"));
        }
        let played = opponents(all.iter().map(|named| &named.choice));
        all.retain(|named| named.place.is_some() || played.contains(&named.choice.label));
    }
    Ok(all.into_iter().map(|named| named.choice).collect())
}

pub(super) fn opponents<'c>(choices: impl Iterator<Item = &'c TechniqueChoice>) -> HashSet<String> {
    choices
        .filter_map(|choice| choice.opponent.clone())
        .collect()
}

impl<'a, 't> Reader<'a, 't> {
    /// The techniques that do the task.
    fn able(&self) -> impl Iterator<Item = &'a TechniqueEntry> {
        let entries = self.catalogue.of_game(self.game.name);
        entries.filter(|entry| entry.tasks.contains(&self.task))
    }

    /// An error at a place, or at the techniques.
    fn error(&self, place: Option<&Item<'_>>, problem: impl Into<String>) -> ConfigError {
        match place {
            Some(item) => item.error(problem),
            None => self.root.error_at_key("technique", problem),
        }
    }

    fn tables(&self) -> Result<Vec<Named<'t>>, ConfigError> {
        let tables = self.root.tables("technique")?;
        let number = tables.len();
        if number > MOST_TECHNIQUES {
            let problem = format!("{number} techniques; allowed are at most {MOST_TECHNIQUES}");
            return Err(self.error(None, problem));
        }
        let mut all: Vec<Named<'_>> = Vec::new();
        for table in tables {
            let next = self.technique(&table)?;
            let label = &next.choice.label;
            if all.iter().any(|other| other.choice.label == *label) {
                let mut keys = ["label", "name", "command", "kernel"].into_iter();
                let place = keys.find_map(|key| table.get(key));
                return Err(twice(&place.map_or_else(|| table.need("name"), Ok)?, label));
            }
            all.push(next);
        }
        Ok(all)
    }

    /// Expands `techniques`: all of the game's techniques for the task, the device ones with their references, and so
    /// on. They have defaults, unless the file names them.
    fn with_registry(
        &self,
        item: &Item<'t>,
        mut own: Vec<Named<'t>>,
    ) -> Result<Vec<Named<'t>>, ConfigError> {
        let is_all = item.one_of(&["all", "device"])? == "all";
        let asked = self.able().filter(|it| is_all || it.kind == Kind::Device);
        let mut names: HashSet<&str> = asked.map(|it| it.name).collect();
        // A reference may have a reference.
        let mut without: Vec<&str> = names.iter().copied().collect();
        while let Some(name) = without.pop() {
            let entry = self.able().find(|it| it.name == name);
            without.extend(entry.map(|it| it.reference).filter(|it| names.insert(it)));
        }
        let mut all: Vec<Named<'_>> = Vec::new();
        for entry in self.able().filter(|it| names.contains(it.name)) {
            let name = entry.name;
            let is_entry = |it: &Named<'_>| [&it.choice.technique, &it.choice.label] == [name; 2];
            if let Some(place) = own.iter().position(is_entry) {
                all.push(own.remove(place));
                continue;
            }
            let named = Named::with_defaults(entry, true, Some(item.clone()));
            if let Some(problem) = self.refusal(entry, &named.choice) {
                let remedy = "give it a [[technique]] of its own";
                return Err(item.error(format!("{name}: {problem}; {remedy}")));
            }
            if own.iter().any(|it| it.choice.label == name) {
                return Err(twice(item, name));
            }
            all.push(named);
        }
        all.append(&mut own);
        Ok(all)
    }

    /// Why a technique does not take one of its cases.
    fn refusal(&self, entry: &TechniqueEntry, choice: &TechniqueChoice) -> Option<String> {
        let mut own = self.cases.iter().filter(|case| choice.takes(case));
        own.find_map(|case| {
            let problem = (entry.check)(case, &choice.params).err()?;
            Some(format!("{problem}, at the case {case}"))
        })
    }

    fn technique(&self, table: &Table<'t>) -> Result<Named<'t>, ConfigError> {
        let task = self.task;
        let (item, name, own_label) = match brought::named(table)? {
            Some(found) => found,
            None => {
                let item = table.need("name")?;
                let names = self.catalogue.of_game(self.game.name);
                let name = item.one_of(&names.map(|entry| entry.name).collect::<Vec<_>>())?;
                (item, name, Some(name.to_owned()))
            }
        };
        let Some(entry) = self.catalogue.technique(self.game.name, name) else {
            return Err(item.error("not in the catalogue"));
        };
        if !entry.tasks.contains(&task) {
            let able: Vec<&str> = self.able().map(|entry| entry.name).collect();
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
            let problem = format!("{label:?} is the label of the baseline of that name");
            return Err(place.error(problem));
        }
        let opponent = table.get("opponent");
        let measured = match &opponent {
            Some(item) if task != Task::Match => {
                let problem = format!("only the task match has opponents, not {task}");
                return Err(item.error(problem));
            }
            Some(item) => item.text()? != NOBODY,
            None => true,
        };
        let choice = TechniqueChoice {
            technique: name.to_owned(),
            params,
            opponent: None,
            measured,
            only: self.only(table, &label)?,
            label,
        };
        if let Some(problem) = self.refusal(entry, &choice) {
            let remedy = "`only` restricts a technique to some cases";
            return Err(table.error(format!("{problem}; {remedy}")));
        }
        Ok(Named {
            choice,
            kind: entry.kind,
            opponent,
            place: Some(item),
        })
    }

    /// Reads `only`: per axis the values that the technique is measured at.
    fn only(&self, table: &Table<'_>, label: &str) -> Result<Case, ConfigError> {
        let Some(item) = table.get("only") else {
            return Ok(Case::default());
        };
        if BASELINES.contains(&label) {
            return Err(item.error(format!("{label} is a baseline, which every case has")));
        }
        let restricted = item.table()?;
        // Every case has the same axes.
        let axes = self.cases.iter().take(1).flat_map(|case| &case.0);
        let axes: Vec<&str> = axes.map(|(axis, _)| axis.as_str()).collect();
        restricted.only(&axes)?;
        let mut only = Case::default();
        for axis in axes {
            let Some(item) = restricted.get(axis) else {
                continue;
            };
            let mut values = Vec::new();
            for item in item.some("give one value at least")? {
                let value = item.value()?;
                if !self.cases.iter().any(|case| case.get(axis) == Some(&value)) {
                    let problem = format!("no case of this experiment has this {axis}");
                    return Err(item.will_not_do(&problem));
                }
                values.push(value);
            }
            only.0.push((axis.to_owned(), Value::List(values)));
        }
        Ok(only)
    }

    /// The label of a technique's opponent, which plays in the same process: it may need a device only if the technique
    /// does.
    fn opponent(&self, named: &Named<'_>, all: &[Named<'_>]) -> Result<String, ConfigError> {
        let labels: Vec<&str> = all.iter().map(|it| it.choice.label.as_str()).collect();
        let given = named.opponent.as_ref();
        let label = given.map_or(Ok(OPPONENT), |item| item.one_of(&labels))?;
        let place = given.or(named.place.as_ref());
        let own = &named.choice.label;
        let Some(opponent) = all.iter().find(|other| other.choice.label == label) else {
            let problem = format!("{own} has no opponent; {}", allowed("", &labels));
            return Err(self.error(place, problem));
        };
        if opponent.kind == Kind::Device && named.kind != Kind::Device {
            let problem = format!(
                "{own} runs on the host and its opponent {label} on a device; let {label} have {own} as its opponent"
            );
            return Err(self.error(place, problem));
        }
        Ok(label.to_owned())
    }
}

fn twice(place: &Item<'_>, label: &str) -> ConfigError {
    place.error(format!("{label:?} is there twice; give each its own label"))
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
