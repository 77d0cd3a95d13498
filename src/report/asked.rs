//! Which cells of its experiment a run was asked for: a folder may hold less than the whole.

use std::collections::HashSet;

use crate::config::{Experiment, Overrides};
use crate::results::Given;

/// The cells that the commands of a folder chose, by case and technique.
pub(crate) struct Asked(Option<HashSet<(String, String)>>);

impl Asked {
    /// Reads the filters of every command; one without any, or with one that chooses nothing now,
    /// asks for the whole experiment, and so does a folder that holds no command.
    pub(crate) fn new(experiment: &Experiment, commands: &[Given]) -> Self {
        let mut chosen = HashSet::new();
        for command in commands {
            let filters = Overrides {
                technique: command.values("technique").last().map(str::to_owned),
                cases: command.values("case").map(str::to_owned).collect(),
                ..Overrides::default()
            };
            let mut part = experiment.clone();
            if (filters.technique.is_none() && filters.cases.is_empty())
                || part.apply(&filters).is_err()
            {
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
