//! Which cells of its experiment a run was asked for: a folder may hold less than the whole.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::config::{Experiment, Overrides, Shard};
use crate::words::shell_words;

/// The cells that the commands of a folder chose, by case and technique.
pub(crate) struct Asked(Option<HashSet<(String, String)>>);

impl Asked {
    /// Reads the filters of every command; one without any, or with one that chooses nothing now,
    /// asks for the whole experiment, and so does a folder that holds no command.
    pub(crate) fn new(experiment: &Experiment, commands: &[String]) -> Self {
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
fn filters(commands: &[String]) -> Vec<Overrides> {
    let mut shards: HashMap<(Option<String>, Vec<String>), BTreeSet<Option<Shard>>> =
        HashMap::new();
    for command in commands {
        let words = shell_words(command);
        let technique = values(&words, "--technique", "-t").pop();
        let cases = values(&words, "--case", "-c");
        let own = shards.entry((technique, cases)).or_default();
        own.insert(shard(&words));
    }
    let mut filters = Vec::new();
    for ((technique, cases), shards) in shards {
        let is_all = |of: usize| shards.iter().flatten().filter(|it| it.of == of).count() == of;
        let is_whole = shards
            .iter()
            .any(|it| it.is_none_or(|shard| is_all(shard.of)));
        let parts = match is_whole {
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

/// The part that a command chose; it has no short name.
fn shard(words: &[String]) -> Option<Shard> {
    values(words, "--shard", "--shard").pop()?.parse().ok()
}

/// The values of an option, in every way in which one may be given: `--case x`, `--case=x`,
/// `-c x`, `-c=x`, `-cx`.
fn values(words: &[String], long: &str, short: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == long || word == short {
            values.extend(words.next().cloned());
        } else if let Some(value) = word.strip_prefix(long) {
            values.extend(value.strip_prefix('=').map(str::to_owned));
        } else if let Some(value) = word.strip_prefix(short) {
            values.push(value.strip_prefix('=').unwrap_or(value).to_owned());
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_may_be_given_in_five_ways() {
        let words =
            shell_words("bench run x.toml --case a=1 --case=b=2 -c c=3 -c=d=4 -ce=5 --cases f=6");
        let found = values(&words, "--case", "-c");
        assert_eq!(found, ["a=1", "b=2", "c=3", "d=4", "e=5"]);
    }
}
