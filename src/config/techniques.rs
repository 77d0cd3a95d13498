use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use super::error::allowed;
use super::raw::{Item, Keys, Name, Open, RawExperiment, Table, is_name, only, params};
use super::source::Fault;
use super::{BASELINES, TechniqueChoice};
use crate::words::{
    Case, Catalogue, GameEntry, KERNELS, Kind, PROGRAM, Params, Task, TechniqueEntry, Value,
};

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
    opponent: Option<&'t Item>,
    /// Its place in the file; `None` for an added baseline.
    place: Option<Range<usize>>,
}

struct Reader<'a, 't> {
    raw: &'t Table<RawExperiment>,
    task: Task,
    cases: &'a [Case],
    catalogue: &'a Catalogue,
    game: &'a GameEntry,
}

/// Reads the techniques. In a match an added baseline is only an opponent: games cost minutes.
pub(super) fn read_techniques(
    raw: &Table<RawExperiment>,
    game: &GameEntry,
    task: Task,
    catalogue: &Catalogue,
    cases: &[Case],
) -> Result<Vec<TechniqueChoice>, Fault> {
    let reader = Reader {
        raw,
        task,
        cases,
        catalogue,
        game,
    };
    let mut others = reader.tables()?;
    if let Some(item) = &raw.techniques {
        others = reader.with_registry(item, others)?;
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
            let none = all.iter().find_map(|named| named.opponent);
            let none = none.map(|item| item.span.clone());
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
    fn error(&self, place: Option<Range<usize>>, problem: impl Into<String>) -> Fault {
        match place {
            Some(span) => Fault::new(span, problem),
            None => self.raw.error_at("technique", problem),
        }
    }

    fn tables(&self) -> Result<Vec<Named<'t>>, Fault> {
        let number = self.raw.technique.len();
        if number > MOST_TECHNIQUES {
            let problem = format!("{number} techniques; allowed are at most {MOST_TECHNIQUES}");
            return Err(self.error(None, problem));
        }
        let mut all: Vec<Named<'_>> = Vec::new();
        for table in &self.raw.technique {
            let next = self.technique(table)?;
            let label = &next.choice.label;
            if all.iter().any(|other| other.choice.label == *label) {
                let mut keys = ["label", "name", "command", "kernel"].into_iter();
                let place = keys.find_map(|key| table.get(key));
                let place = place.map_or_else(|| table.span.clone(), |item| item.span.clone());
                return Err(twice(place, label));
            }
            all.push(next);
        }
        Ok(all)
    }

    /// Expands `techniques`: all of the game's techniques for the task, the device ones with their references, and so
    /// on. They have defaults, unless the file names them.
    fn with_registry(&self, item: &Item, mut own: Vec<Named<'t>>) -> Result<Vec<Named<'t>>, Fault> {
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
            let named = Named::with_defaults(entry, true, Some(item.span.clone()));
            if let Some(problem) = self.refusal(entry, &named.choice) {
                let remedy = "give it a [[technique]] of its own";
                return Err(item.error(format!("{name}: {problem}; {remedy}")));
            }
            if own.iter().any(|it| it.choice.label == name) {
                return Err(twice(item.span.clone(), name));
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

    fn technique(&self, table: &'t Open) -> Result<Named<'t>, Fault> {
        let task = self.task;
        let (item, entry, own_label) = self.entry(table)?;
        let name = entry.name;
        if !entry.tasks.contains(&task) {
            let able: Vec<&str> = self.able().map(|entry| entry.name).collect();
            let able = allowed("", &able);
            return Err(item.error(format!("{name} does not do the task {task}; {able}")));
        }
        let params = params(table, &KEYS, entry.params)?;
        let label = match table.get("label") {
            Some(item) => Some(item.read::<Name>()?.0),
            None => own_label,
        };
        let label = label.ok_or_else(|| item.error("has no name of its own; give it a label"))?;
        if BASELINES.contains(&label.as_str()) && label != name {
            let problem = format!("{label:?} is the label of the baseline of that name");
            return Err(table.get("label").unwrap_or(item).error(problem));
        }
        let opponent = table.get("opponent");
        if let Some(item) = opponent.filter(|_| task != Task::Match) {
            let problem = format!("only the task match has opponents, not {task}");
            return Err(item.error(problem));
        }
        let choice = TechniqueChoice {
            technique: name.to_owned(),
            params,
            opponent: None,
            measured: opponent.is_none_or(|item| !item.is(NOBODY)),
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
            place: Some(item.span.clone()),
        })
    }

    /// A technique's place, its entry, and its default label: `name`, or a brought one's file.
    fn entry(
        &self,
        table: &'t Open,
    ) -> Result<(&'t Item, &'a TechniqueEntry, Option<String>), Fault> {
        let need = |key| table.get(key).ok_or_else(|| table.missing(key));
        let (item, brought, file) = match (table.get("command"), table.get("kernel")) {
            (Some(item), Some(_)) => {
                return Err(item.error("a technique has a command or a kernel, not both"));
            }
            (Some(item), None) => {
                let mut words = item.list()?.iter().rev();
                let file = words.find_map(|word| word.text().ok().and_then(stem));
                (item, PROGRAM, file)
            }
            (None, Some(item)) => (item, need("contract")?.pick(KERNELS)?, stem(item.text()?)),
            (None, None) => {
                let item = need("name")?;
                let names = self.catalogue.of_game(self.game.name);
                let entry = item.pick(names.map(|entry| (entry.name, entry)))?;
                return Ok((item, entry, Some(entry.name.to_owned())));
            }
        };
        let entry = self.catalogue.technique(self.game.name, brought);
        let entry = entry.ok_or_else(|| item.error("not in the catalogue"))?;
        let label = match table.get("name") {
            // A run folder has the catalogue's name and a label.
            Some(name) if !name.is(brought) => Some(name.read::<Name>()?.0),
            _ => file,
        };
        Ok((item, entry, label))
    }

    /// Reads `only`: per axis the values that the technique is measured at.
    fn only(&self, table: &Keys, label: &str) -> Result<Case, Fault> {
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
        only(restricted, &axes)?;
        let mut only = Case::default();
        for (axis, item) in axes
            .iter()
            .filter_map(|axis| Some((*axis, restricted.get(*axis)?)))
        {
            let mut values = Vec::new();
            for item in item.some("give one value at least")? {
                let value = item.value()?;
                if !self.cases.iter().any(|case| case.get(axis) == Some(&value)) {
                    let problem = format!("no case of this experiment has this {axis}");
                    return Err(item.will_not_do(axis, &problem));
                }
                values.push(value);
            }
            only.0.push((axis.to_owned(), Value::List(values)));
        }
        Ok(only)
    }

    /// The label of a technique's opponent, which plays in the same process: it may need a device only if the technique
    /// does.
    fn opponent(&self, named: &Named<'_>, all: &[Named<'_>]) -> Result<String, Fault> {
        let labels: Vec<&str> = all.iter().map(|it| it.choice.label.as_str()).collect();
        let given = named.opponent;
        let label = given.map_or(Ok(OPPONENT), |item| item.one_of(&labels))?;
        let place = given.map(|item| item.span.clone()).or(named.place.clone());
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

/// The file stem, if it may be a label: `flat` of `my/flat.cl`.
fn stem(word: &str) -> Option<String> {
    let stem = Path::new(word).file_stem()?.to_str()?;
    is_name(stem).then(|| stem.to_owned())
}

fn twice(place: Range<usize>, label: &str) -> Fault {
    Fault::new(
        place,
        format!("{label:?} is there twice; give each its own label"),
    )
}

impl Named<'_> {
    /// A technique without parameters.
    fn with_defaults(entry: &TechniqueEntry, measured: bool, place: Option<Range<usize>>) -> Self {
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
