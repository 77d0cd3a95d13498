//! The requested cells of a run: a folder may hold less than the whole experiment.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::config::{Experiment, Selection, Shard};
use crate::results::{Given, MeasurementRow};

/// The cells that a folder's commands chose, by case and technique.
pub struct Asked(Option<HashSet<(String, String)>>);

impl Asked {
    /// Without commands, or with a command whose filters are empty or choose nothing now, all cells.
    pub fn new(experiment: &Experiment, commands: &[Given]) -> Self {
        let mut chosen = HashSet::new();
        for selection in selections(commands) {
            let part = selection.of(experiment);
            let Some(part) = part.ok().filter(|_| selection != Selection::default()) else {
                return Asked(None);
            };
            for case in &part.cases {
                for choice in part.techniques.iter().filter(|choice| choice.takes(case)) {
                    chosen.insert((case.to_string(), choice.label.clone()));
                }
            }
        }
        Asked((!commands.is_empty()).then_some(chosen))
    }

    /// True if a command chose the cell.
    pub fn has(&self, case: &str, technique: &str) -> bool {
        match &self.0 {
            Some(chosen) => chosen.contains(&(case.to_owned(), technique.to_owned())),
            None => true,
        }
    }
}

/// The requested cases and techniques without a row: the run ended before.
pub fn not_measured(
    experiment: &Experiment,
    commands: &[Given],
    rows: &[MeasurementRow],
) -> Vec<(String, String)> {
    let asked = Asked::new(experiment, commands);
    let names = rows.iter().map(|row| (&*row.case, &*row.technique));
    let measured: HashSet<(&str, &str)> = names.collect();
    let mut missing = Vec::new();
    for case in &experiment.cases {
        let name = case.to_string();
        for choice in experiment.techniques.iter() {
            let is_asked = choice.takes(case) && asked.has(&name, &choice.label);
            if is_asked && !measured.contains(&(&*name, &*choice.label)) {
                missing.push((name.clone(), choice.label.clone()));
            }
        }
    }
    missing
}

/// The selections of the commands. Shards that are all there count as none.
pub fn selections(commands: &[Given]) -> Vec<Selection> {
    type Chosen = (Option<String>, Vec<String>);
    let mut shards: HashMap<Chosen, BTreeSet<Option<Shard>>> = HashMap::new();
    for command in commands {
        let technique = command.values("technique").last().map(str::to_owned);
        let cases = command.values("case").map(str::to_owned).collect();
        let shard = command.values("shard").last();
        let shard = shard.and_then(|it| it.parse().ok());
        shards.entry((technique, cases)).or_default().insert(shard);
    }
    let mut selections = Vec::new();
    for ((technique, cases), shards) in shards {
        let is_all = |of: usize| shards.iter().flatten().filter(|it| it.of == of).count() == of;
        let is_whole = |it: &Option<Shard>| it.is_none_or(|shard| is_all(shard.of));
        let parts = match shards.iter().any(is_whole) {
            true => BTreeSet::from([None]),
            false => shards,
        };
        selections.extend(parts.into_iter().map(|shard| Selection {
            technique: technique.clone(),
            cases: cases.clone(),
            shard,
        }));
    }
    selections
}
