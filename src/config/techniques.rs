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
use super::{BASELINES, Lists, Swept, TechniqueChoice, sweep};
use crate::words::{Case, Catalogue, GameEntry, Kind, Params, Task, TechniqueEntry, Value};
use crate::words::{KERNELS, PROGRAM};

/// Value of `opponent` for a technique that is itself only an opponent.
pub(super) const NOBODY: &str = "none";

/// A `[[technique]]` table: its fixed keys, and the parameters listed in the catalogue.
#[derive(Default)]
pub(super) struct RawTechnique {
    name: Option<String>,
    label: Option<String>,
    opponent: Option<String>,
    only: Params,
    sweep: Option<Params>,
    params: Params,
}

/// The fixed keys.
const KEYS: [&str; 5] = ["name", "label", "opponent", "only", "sweep"];

impl<'de> Deserialize<'de> for RawTechnique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawTechnique::default())
    }
}

/// Fills in a table's keys. It is written by hand because a flattened struct loses the locations of values.
impl<'de> Visitor<'de> for RawTechnique {
    type Value = RawTechnique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<RawTechnique, A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "name" => self.name = Some(map.next_value()?),
                "label" => self.label = Some(map.next_value()?),
                "opponent" => self.opponent = Some(map.next_value()?),
                "only" => self.only = map.next_value()?,
                "sweep" => self.sweep = Some(map.next_value()?),
                _ => drop(self.params.insert(key, map.next_value()?)),
            }
        }
        Ok(self)
    }
}

pub(super) struct Reader<'a> {
    pub(super) raw: &'a RawExperiment,
    pub(super) game: &'a GameEntry,
    pub(super) task: Task,
    pub(super) catalogue: &'a Catalogue,
    pub(super) cases: &'a [Case],
}

pub(super) fn opponents(all: &[TechniqueChoice]) -> HashSet<String> {
    all.iter().filter_map(|it| it.opponent.clone()).collect()
}

pub(super) fn find(all: &[TechniqueChoice], label: &str) -> Option<usize> {
    all.iter().position(|choice| choice.label == label)
}

impl<'a> Reader<'a> {
    /// Reads the techniques, including swept ones. In a match, an added baseline serves only as an opponent, because
    /// games take minutes.
    pub(super) fn techniques(&self) -> Checked<(Vec<TechniqueChoice>, Vec<Swept>)> {
        let is_match = self.task == Task::Match;
        let tables = self.tables().at("technique")?;
        let listed = match &self.raw.techniques {
            Some(which) => self.with_registry(which, tables.clone()).at("techniques")?,
            None => tables.clone(),
        };
        let baselines = BASELINES.into_iter();
        let baselines = baselines.filter(|name| self.able().any(|entry| entry.name == *name));
        let mut all = self.completed(baselines, listed, !is_match)?;
        if is_match {
            for place in 0..all.len() {
                if !all[place].measured {
                    continue;
                }
                let opponent = self.opponent(&all[place], &all);
                all[place].opponent = Some(match find(&tables, &all[place].label) {
                    Some(table) => opponent.at("opponent").at(table).at("technique")?,
                    None => opponent.at("technique")?,
                });
            }
            if all.iter().all(|choice| !choice.measured) {
                return fault("no technique plays; give one an opponent").at("technique");
            }
            let played = opponents(&all);
            all.retain(|it| {
                it.measured || find(&tables, &it.label).is_some() || played.contains(&it.label)
            });
        }
        let mut swept = Vec::new();
        for (place, raw) in self.raw.technique.iter().enumerate() {
            let at = find(&all, &tables[place].label);
            if let (Some(sweep), Some(at)) = (&raw.sweep, at) {
                let (choice, (_, entry, _)) = (all[at].clone(), self.entry(raw)?);
                let own = sweep::read(sweep, &mut all, &choice, entry, self.cases);
                swept.push(own.at("sweep").at(place).at("technique")?);
            }
        }
        Ok((all, swept))
    }

    fn able(&self) -> impl Iterator<Item = &'a TechniqueEntry> {
        let entries = self.catalogue.of_game(self.game.name);
        entries.filter(|entry| entry.tasks.contains(&self.task))
    }

    fn tables(&self) -> Checked<Vec<TechniqueChoice>> {
        let mut all = Vec::new();
        for (place, table) in self.raw.technique.iter().enumerate() {
            let next = self.technique(table).at(place)?;
            if find(&all, &next.label).is_some() {
                let problem = format!("{:?} occurs twice; labels must be unique", next.label);
                return fault(problem).at("label").at(place);
            }
            all.push(next);
        }
        Ok(all)
    }

    /// Expands `techniques` to all of the game's techniques for the task, or to device techniques and, recursively,
    /// their references. They have default parameters, unless the file has a table with the technique's label.
    fn with_registry(
        &self,
        which: &str,
        own: Vec<TechniqueChoice>,
    ) -> Checked<Vec<TechniqueChoice>> {
        let is_all = one_of(which, &["all", "device"])? == "all";
        let asked = self.able().filter(|it| is_all || it.kind == Kind::Device);
        let mut names: HashSet<&str> = asked.map(|it| it.name).collect();
        // A reference may itself have a reference.
        let mut without: Vec<&str> = names.iter().copied().collect();
        while let Some(name) = without.pop() {
            let entry = self.able().find(|it| it.name == name);
            without.extend(entry.map(|it| it.reference).filter(|it| names.insert(it)));
        }
        let able = self.able().map(|it| it.name);
        self.completed(able.filter(|name| names.contains(name)), own, true)
    }

    /// Returns the techniques in `first`, then the rest of `own`. Adds missing techniques with default parameters.
    fn completed(
        &self,
        first: impl Iterator<Item = &'a str>,
        mut own: Vec<TechniqueChoice>,
        measured: bool,
    ) -> Checked<Vec<TechniqueChoice>> {
        let mut all = Vec::new();
        for name in first {
            let named = RawTechnique {
                name: Some(name.to_owned()),
                ..RawTechnique::default()
            };
            all.push(match find(&own, name) {
                Some(place) => own.remove(place),
                None => TechniqueChoice {
                    measured,
                    ..self.technique(&named).at(name)?
                },
            });
        }
        all.append(&mut own);
        Ok(all)
    }

    fn technique(&self, raw: &RawTechnique) -> Checked<TechniqueChoice> {
        let task = self.task;
        let (key, entry, own_label) = self.entry(raw)?;
        let name = entry.name;
        if !entry.tasks.contains(&task) {
            let able = allowed("", self.able().map(|entry| entry.name));
            return fault(format!("{name} does not support the task {task}; {able}")).at(key);
        }
        check_params(&raw.params, &KEYS, entry.params)?;
        let label = match (&raw.label, own_label) {
            (Some(label), _) => checked_name(label).at("label")?,
            (None, Some(label)) => label,
            (None, None) => return fault("the file name is no valid label; set label").at(key),
        };
        if BASELINES.contains(&label.as_str()) && label != name {
            let problem = format!("{label:?} is reserved for the baseline with that name");
            return fault(problem).at("label");
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
            only: self.only(&raw.only, &label).at("only")?,
            label,
        };
        if choice.measured && !self.cases.iter().any(|case| choice.takes(case)) {
            return fault("no case of this experiment has all of these values").at("only");
        }
        for case in self.cases.iter().filter(|case| choice.takes(case)) {
            if let Err(problem) = (entry.check)(case, &choice.params) {
                let remedy = "`only` restricts a technique to some cases";
                return fault(format!("{problem}, in the case {case}; {remedy}"));
            }
        }
        Ok(choice)
    }

    /// Returns a technique's identifying key, entry, and default label (`name`, or the stem of the user's file).
    fn entry(
        &self,
        raw: &RawTechnique,
    ) -> Checked<(&'static str, &'a TechniqueEntry, Option<String>)> {
        let (key, brought, file) = match (raw.params.get("command"), raw.params.get("kernel")) {
            (Some(_), Some(_)) => {
                return fault("a technique has a command or a kernel, not both").at("command");
            }
            (Some(Value::List(words)), None) => {
                let file = words.iter().rev().find_map(|it| stem(it.as_text()?));
                ("command", PROGRAM, file)
            }
            (Some(value), None) => return wrong(value, "a list").at("command"),
            (None, Some(file)) => {
                let contract = raw.params.get("contract");
                let contract = contract.map_or_else(|| fault("missing"), text);
                let brought = contract.and_then(|it| pick(it, KERNELS)).at("contract")?;
                ("kernel", brought, stem(text(file).at("kernel")?))
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
            // A run folder stores both the catalogue's name and a label.
            Some(name) if name != brought => Some(checked_name(name).at("name")?),
            _ => file,
        };
        Ok((key, entry, label))
    }

    /// Reads `only`, which lists the values on each axis at which the technique is measured.
    fn only(&self, restricted: &Params, label: &str) -> Checked<Lists> {
        if BASELINES.contains(&label) && !restricted.is_empty() {
            return fault(format!("{label} is a baseline and must run in every case"));
        }
        // All cases have the same axes.
        let axes = self.cases.iter().take(1).flat_map(|case| &case.0);
        let axes: Vec<&str> = axes.map(|(axis, _)| axis.as_str()).collect();
        only(restricted.keys(), &axes)?;
        let mut own = Lists::new();
        for (axis, value) in restricted {
            let is_there = |it: &Value| self.cases.iter().any(|case| case.get(axis) == Some(it));
            let none = format!("no case of this experiment has this {axis}");
            let values = each(value, |it| match is_there(it) {
                true => Ok(()),
                false => will_not_do(it, axis, &none),
            });
            own.insert(axis.clone(), values.at(axis)?);
        }
        Ok(own)
    }

    /// Returns the label of a technique's opponent. Both play in the same process, so the opponent may need a device
    /// only if the technique does.
    fn opponent(&self, own: &TechniqueChoice, all: &[TechniqueChoice]) -> Checked<String> {
        let labels: Vec<&str> = all.iter().map(|it| it.label.as_str()).collect();
        let name = own.opponent.as_deref();
        let name = name.map_or(Ok(BASELINES[0].to_owned()), |name| one_of(name, &labels))?;
        let label = &own.label;
        let Some(other) = find(all, &name) else {
            return fault(format!("{label} has no opponent; {}", allowed("", &labels)));
        };
        let on_device = |it: &TechniqueChoice| {
            let entry = self.catalogue.technique(self.game.name, &it.technique);
            entry.is_some_and(|entry| entry.kind == Kind::Device)
        };
        match on_device(&all[other]) && !on_device(own) {
            true => fault(format!(
                "{label} runs on the host, but its opponent {name} on a device; make {label} the opponent of {name}"
            )),
            false => Ok(name),
        }
    }
}

/// Returns the file stem, if it is a valid label: `flat` for `my/flat.cl`.
fn stem(word: &str) -> Option<String> {
    let stem = Path::new(word).file_stem()?.to_str()?;
    is_name(stem).then(|| stem.to_owned())
}
