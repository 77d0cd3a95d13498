//! Which cells of its experiment a run was asked for: a folder may hold less than the whole.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::config::{Experiment, Overrides, Shard};
use crate::results::Given;

/// The cells that the commands of a folder chose, by case and technique.
pub(crate) struct Asked(Option<HashSet<(String, String)>>);

impl Asked {
    /// Reads the filters of every command; one without any, or with one that chooses nothing now,
    /// asks for the whole experiment, and so does a folder that holds no command.
    pub(crate) fn new(experiment: &Experiment, commands: &[Given]) -> Self {
        let mut chosen = HashSet::new();
        for filters in filters(commands) {
            let mut part = experiment.clone();
            if filters == Overrides::default() || part.apply(&filters).is_err() {
                return Asked(None);
            }
            for case in &part.cases {
                for choice in part.techniques.iter().filter(|choice| choice.takes(case)) {
                    chosen.insert((case.to_string(), choice.label.clone()));
                }
            }
        }
        Asked((!commands.is_empty()).then_some(chosen))
    }

    /// Whether a command chose the cell.
    pub(crate) fn has(&self, case: &str, technique: &str) -> bool {
        match &self.0 {
            Some(chosen) => chosen.contains(&(case.to_owned(), technique.to_owned())),
            None => true,
        }
    }
}

/// The filters of commands, each once. Those of all shards of a run are those of the run.
fn filters(commands: &[Given]) -> Vec<Overrides> {
    // By technique and cases.
    type Chosen = (Option<String>, Vec<String>);
    let mut shards: HashMap<Chosen, BTreeSet<Option<Shard>>> = HashMap::new();
    for command in commands {
        let technique = command.values("technique").last().map(str::to_owned);
        let cases = command.values("case").map(str::to_owned).collect();
        let shard = command.values("shard").last();
        let own = shards.entry((technique, cases)).or_default();
        own.insert(shard.and_then(|shard| shard.parse().ok()));
    }
    let mut filters = Vec::new();
    for ((technique, cases), shards) in shards {
        let is_all = |of: usize| shards.iter().flatten().filter(|it| it.of == of).count() == of;
        let mut all = shards.iter();
        let parts = match all.any(|it| it.is_none_or(|shard| is_all(shard.of))) {
            true => BTreeSet::from([None]),
            false => shards,
        };
        filters.extend(parts.into_iter().map(|shard| Overrides {
            technique: technique.clone(),
            cases: cases.clone(),
            shard,
            ..Overrides::default()
        }));
    }
    filters
}
