use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::kinds::{
    check_params, each, is_name, name as checked_name, one_of, pick, text, will_not_do, wrong,
};
use super::parse::RawExperiment;
use super::source::{At, Checked, allowed, fault, only};
use super::{BASELINES, TechniqueChoice};
use crate::words::{Case, Catalogue, GameEntry, Kind, Params, Task, TechniqueEntry, Value};
use crate::words::{KERNELS, PROGRAM};

/// All pairs of techniques are compared.
const MOST_TECHNIQUES: usize = 2_000;

const OPPONENT: &str = "serial";

/// The opponent of techniques that only serve as opponents.
pub(super) const NOBODY: &str = "none";

/// A `[[technique]]`: its own keys, and parameters that the catalogue lists.
#[derive(Default)]
pub(super) struct RawTechnique {
    pub(super) name: Option<String>,
    pub(super) label: Option<String>,
    opponent: Option<String>,
    only: Option<Params>,
    pub(super) sweep: Option<Params>,
    params: Params,
}

impl RawTechnique {
    const KEYS: [&str; 5] = ["name", "label", "opponent", "only", "sweep"];
}

impl<'de> Deserialize<'de> for RawTechnique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys)
    }
}

/// By hand, because a flattened struct loses the places of its values.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = RawTechnique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawTechnique, A::Error> {
        let mut raw = RawTechnique::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "name" => raw.name = Some(map.next_value()?),
                "label" => raw.label = Some(map.next_value()?),
                "opponent" => raw.opponent = Some(map.next_value()?),
                "only" => raw.only = Some(map.next_value()?),
                "sweep" => raw.sweep = Some(map.next_value()?),
                _ => drop(raw.params.insert(key, map.next_value()?)),
            }
        }
        Ok(raw)
    }
}

/// A technique whose opponent is not checked yet.
struct Named {
    choice: TechniqueChoice,
    kind: Kind,
    /// The number of its `[[technique]]`.
    table: Option<usize>,
}

struct Reader<'a> {
    task: Task,
    cases: &'a [Case],
    catalogue: &'a Catalogue,
    game: &'a GameEntry,
}

/// Reads the techniques. In a match an added baseline is only an opponent: games cost minutes.
pub(super) fn read_techniques(
    raw: &RawExperiment,
    game: &GameEntry,
    task: Task,
    catalogue: &Catalogue,
    cases: &[Case],
) -> Checked<Vec<TechniqueChoice>> {
    let reader = Reader {
        task,
        cases,
        catalogue,
        game,
    };
    let mut others = reader.tables(&raw.technique).at("technique")?;
    if let Some(which) = &raw.techniques {
        others = reader.with_registry(which, others).at("techniques")?;
    }
    let mut all = Vec::new();
    for name in BASELINES {
        if let Some(place) = others.iter().position(|other| other.choice.label == name) {
            all.push(others.remove(place));
        } else if let Some(entry) = reader.able().find(|entry| entry.name == name) {
            all.push(Named::with_defaults(entry, task != Task::Match));
        }
    }
    all.append(&mut others);
    if task == Task::Match {
        for place in 0..all.len() {
            if all[place].choice.measured {
                let opponent = opponent(&all[place], &all);
                let opponent = at_opponent(all[place].table, opponent)?;
                all[place].choice.opponent = Some(opponent);
            }
        }
        if !all.iter().any(|named| named.choice.measured) {
            let given = raw.technique.iter().position(|it| it.opponent.is_some());
            return at_opponent(given, fault("no technique plays; give one an opponent"));
        }
        let played = opponents(all.iter().map(|named| &named.choice));
        let is_asked = |it: &Named| it.table.is_some() || it.choice.measured;
        all.retain(|it| is_asked(it) || played.contains(&it.choice.label));
    }
    Ok(all.into_iter().map(|named| named.choice).collect())
}

pub(super) fn opponents<'c>(choices: impl Iterator<Item = &'c TechniqueChoice>) -> HashSet<String> {
    choices
        .filter_map(|choice| choice.opponent.clone())
        .collect()
}

impl<'a> Reader<'a> {
    /// The techniques that do the task.
    fn able(&self) -> impl Iterator<Item = &'a TechniqueEntry> {
        let entries = self.catalogue.of_game(self.game.name);
        entries.filter(|entry| entry.tasks.contains(&self.task))
    }

    fn tables(&self, tables: &[RawTechnique]) -> Checked<Vec<Named>> {
        let number = tables.len();
        if number > MOST_TECHNIQUES {
            let allowed = format!("allowed are at most {MOST_TECHNIQUES}");
            return fault(format!("{number} techniques; {allowed}"));
        }
        let mut all: Vec<Named> = Vec::new();
        for (place, table) in tables.iter().enumerate() {
            let (next, key) = self.technique(table, place).at(place)?;
            let label = &next.choice.label;
            if all.iter().any(|other| other.choice.label == *label) {
                return twice(label).at(key).at(place);
            }
            all.push(next);
        }
        Ok(all)
    }

    /// Expands `techniques`: all of the game's techniques for the task, the device ones with their references, and so
    /// on. They have defaults, unless the file names them.
    fn with_registry(&self, which: &str, mut own: Vec<Named>) -> Checked<Vec<Named>> {
        let is_all = one_of(which, &["all", "device"])? == "all";
        let asked = self.able().filter(|it| is_all || it.kind == Kind::Device);
        let mut names: HashSet<&str> = asked.map(|it| it.name).collect();
        // A reference may have a reference.
        let mut without: Vec<&str> = names.iter().copied().collect();
        while let Some(name) = without.pop() {
            let entry = self.able().find(|it| it.name == name);
            without.extend(entry.map(|it| it.reference).filter(|it| names.insert(it)));
        }
        let mut all = Vec::new();
        for entry in self.able().filter(|it| names.contains(it.name)) {
            let name = entry.name;
            let is_entry = |it: &Named| [&it.choice.technique, &it.choice.label] == [name; 2];
            if let Some(place) = own.iter().position(is_entry) {
                all.push(own.remove(place));
                continue;
            }
            let named = Named::with_defaults(entry, true);
            if let Some(problem) = self.refusal(entry, &named.choice) {
                let remedy = "give it a [[technique]] of its own";
                return fault(format!("{name}: {problem}; {remedy}"));
            }
            if own.iter().any(|it| it.choice.label == name) {
                return twice(name);
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

    /// A technique, and the key that has its label.
    fn technique(&self, raw: &RawTechnique, place: usize) -> Checked<(Named, &'static str)> {
        let task = self.task;
        let (key, entry, own_label) = self.entry(raw)?;
        let name = entry.name;
        if !entry.tasks.contains(&task) {
            let able: Vec<&str> = self.able().map(|entry| entry.name).collect();
            let able = allowed("", &able);
            return fault(format!("{name} does not do the task {task}; {able}")).at(key);
        }
        check_params(&raw.params, &RawTechnique::KEYS, entry.params)?;
        let (label_key, label) = match (&raw.label, own_label) {
            (Some(label), _) => ("label", checked_name(label).at("label")?),
            (None, Some(label)) if raw.name.is_some() => ("name", label),
            (None, Some(label)) => (key, label),
            (None, None) => return fault("has no name of its own; give it a label").at(key),
        };
        if BASELINES.contains(&label.as_str()) && label != name {
            let problem = format!("{label:?} is the label of the baseline of that name");
            return fault(problem).at(label_key);
        }
        if raw.opponent.is_some() && task != Task::Match {
            let problem = format!("only the task match has opponents, not {task}");
            return fault(problem).at("opponent");
        }
        let choice = TechniqueChoice {
            technique: name.to_owned(),
            params: raw.params.clone(),
            opponent: raw.opponent.clone().filter(|opponent| opponent != NOBODY),
            measured: raw.opponent.as_deref() != Some(NOBODY),
            only: self.only(raw.only.as_ref(), &label).at("only")?,
            label,
        };
        if choice.measured && !self.cases.iter().any(|case| choice.takes(case)) {
            return fault("no case of this experiment has all of these values").at("only");
        }
        if let Some(problem) = self.refusal(entry, &choice) {
            let remedy = "`only` restricts a technique to some cases";
            return fault(format!("{problem}; {remedy}"));
        }
        let (kind, table) = (entry.kind, Some(place));
        Ok((
            Named {
                choice,
                kind,
                table,
            },
            label_key,
        ))
    }

    /// The key that says what a technique is, its entry, and its default label: `name`, or a brought one's file.
    fn entry(
        &self,
        raw: &RawTechnique,
    ) -> Checked<(&'static str, &'a TechniqueEntry, Option<String>)> {
        let (key, brought, file) = match (raw.params.get("command"), raw.params.get("kernel")) {
            (Some(_), Some(_)) => {
                return fault("a technique has a command or a kernel, not both").at("command");
            }
            (Some(Value::List(words)), None) => {
                let mut words = words.iter().rev();
                let file = words.find_map(|word| stem(word.as_text()?));
                ("command", PROGRAM, file)
            }
            (Some(value), None) => return wrong(value, "a list").at("command"),
            (None, Some(file)) => {
                let Some(contract) = raw.params.get("contract") else {
                    return fault("missing").at("contract");
                };
                let brought = text(contract).and_then(|it| pick(it, KERNELS));
                let file = stem(text(file).at("kernel")?);
                ("kernel", brought.at("contract")?, file)
            }
            (None, None) => {
                let names = self.catalogue.of_game(self.game.name);
                let names = names.map(|entry| (entry.name, entry));
                let name = raw.name.as_ref().map_or_else(|| fault("missing"), Ok);
                let entry = name.and_then(|name| pick(name, names)).at("name")?;
                return Ok(("name", entry, Some(entry.name.to_owned())));
            }
        };
        let Some(entry) = self.catalogue.technique(self.game.name, brought) else {
            return fault("not in the catalogue").at(key);
        };
        let label = match &raw.name {
            // A run folder has the catalogue's name and a label.
            Some(name) if name != brought => Some(checked_name(name).at("name")?),
            _ => file,
        };
        Ok((key, entry, label))
    }

    /// Reads `only`: per axis the values that the technique is measured at.
    fn only(&self, restricted: Option<&Params>, label: &str) -> Checked<Case> {
        let mut own = Case::default();
        let Some(restricted) = restricted else {
            return Ok(own);
        };
        if BASELINES.contains(&label) {
            return fault(format!("{label} is a baseline, which every case has"));
        }
        // Every case has the same axes.
        let axes = self.cases.iter().take(1).flat_map(|case| &case.0);
        let axes: Vec<&str> = axes.map(|(axis, _)| axis.as_str()).collect();
        only(restricted.keys(), &axes)?;
        for axis in axes {
            let Some(value) = restricted.get(axis) else {
                continue;
            };
            let none = format!("no case of this experiment has this {axis}");
            let values = each(value, |value| {
                match self.cases.iter().any(|case| case.get(axis) == Some(value)) {
                    true => Ok(()),
                    false => will_not_do(value, axis, &none),
                }
            });
            own.0.push((axis.to_owned(), Value::List(values.at(axis)?)));
        }
        Ok(own)
    }
}

/// The label of a technique's opponent, which plays in the same process: it may need a device only if the technique
/// does.
fn opponent(named: &Named, all: &[Named]) -> Checked<String> {
    let labels: Vec<&str> = all.iter().map(|it| it.choice.label.as_str()).collect();
    let label = match &named.choice.opponent {
        Some(label) => one_of(label, &labels)?,
        None => OPPONENT.to_owned(),
    };
    let own = &named.choice.label;
    match all.iter().find(|other| other.choice.label == label) {
        None => fault(format!("{own} has no opponent; {}", allowed("", &labels))),
        Some(other) if other.kind == Kind::Device && named.kind != Kind::Device => fault(format!(
            "{own} runs on the host and its opponent {label} on a device; let {label} have {own} as its opponent"
        )),
        Some(_) => Ok(label),
    }
}

/// The file stem, if it may be a label: `flat` of `my/flat.cl`.
fn stem(word: &str) -> Option<String> {
    let stem = Path::new(word).file_stem()?.to_str()?;
    is_name(stem).then(|| stem.to_owned())
}

fn twice<T>(label: &str) -> Checked<T> {
    fault(format!("{label:?} is there twice; give each its own label"))
}

impl Named {
    /// A technique without parameters.
    fn with_defaults(entry: &TechniqueEntry, measured: bool) -> Self {
        let choice = TechniqueChoice {
            technique: entry.name.to_owned(),
            label: entry.name.to_owned(),
            params: Params::new(),
            opponent: None,
            measured,
            only: Case::default(),
        };
        let (kind, table) = (entry.kind, None);
        Named {
            choice,
            kind,
            table,
        }
    }
}

/// Adds the place of the opponent of a `[[technique]]` to a fault.
fn at_opponent<T>(table: Option<usize>, checked: Checked<T>) -> Checked<T> {
    match table {
        Some(place) => checked.at("opponent").at(place).at("technique"),
        None => checked.at("technique"),
    }
}
