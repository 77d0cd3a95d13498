use std::collections::HashSet;
use std::time::Duration;

use regex_lite::Regex;

use super::error::allowed;
use super::techniques::opponents;
use super::{Budget, Experiment, Quantity, Shard, TableSpec, TechniqueChoice};
use crate::words::{Case, Task, Value};

/// The command line's changes to an experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--technique`: a regular expression that matches part of a technique's label.
    pub technique: Option<String>,
    /// `--case`: `axis=value`: any of an axis's values, and all axes.
    pub cases: Vec<String>,
    /// `--shard`: a part of the families that the two above leave.
    pub shard: Option<Shard>,
    /// `--budget`: of the whole run; a cell gets no more.
    pub budget: Option<Duration>,
    /// `--cell-budget`: of each cell.
    pub cell_budget: Option<Duration>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--passes`.
    pub passes: Option<usize>,
    /// `--quick`: fewer samples, three passes, and a fifth of each budget. Rows stay comparable; intervals are wider.
    pub quick: bool,
}

/// A refused override: one line with the option, the value and the allowed ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OverrideError(String);

impl Experiment {
    /// Applies the command line. `--technique` keeps the baselines, and in a match the selected techniques' opponents.
    /// Filtered techniques leave the tables and charts. Fails for a filter that matches nothing, an unknown axis or
    /// value, and a bad regular expression; the experiment may then be half changed.
    pub fn apply(&mut self, overrides: &Overrides) -> Result<(), OverrideError> {
        if let Some(pattern) = &overrides.technique {
            self.keep_techniques(pattern)?;
        }
        if !overrides.cases.is_empty() {
            self.keep_cases(&overrides.cases)?;
        }
        if let Some(shard) = overrides.shard {
            let option = format!("--shard {shard}");
            self.keep_shard(shard)
                .map_err(|why| OverrideError(format!("{option}: {why}")))?;
            self.drop_what_has_no_case(&option)?;
        }
        self.prune_views();
        if let Some(seed) = overrides.seed {
            self.seed = seed;
        }
        if overrides.quick {
            self.hurry();
        }
        if let Some(passes) = overrides.passes {
            self.sampling.passes = passes;
        }
        if let Some(cell) = overrides.cell_budget {
            self.budget.cell = cell;
            self.budget.deadline = self.budget.deadline.max(cell * 3);
        }
        if let Some(total) = overrides.budget {
            self.budget.total = total;
            self.budget.cell = self.budget.cell.min(total);
        }
        Ok(())
    }

    fn keep_techniques(&mut self, pattern: &str) -> Result<(), OverrideError> {
        let regex = Regex::new(pattern).map_err(|error| {
            OverrideError(format!(
                "--technique: {pattern:?} is no regular expression: {error}"
            ))
        })?;
        let mut kept: Vec<&str> = self
            .techniques
            .iter()
            .filter(|choice| choice.measured && regex.is_match(&choice.label))
            .map(|choice| choice.label.as_str())
            .collect();
        if kept.is_empty() {
            let labels: Vec<&str> = self
                .techniques
                .iter()
                .map(|choice| choice.label.as_str())
                .collect();
            return Err(OverrideError(format!(
                "--technique: {pattern:?} matches no technique of {}; {}",
                self.name,
                allowed(pattern, &labels)
            )));
        }
        if self.task == Task::Match {
            let kept: Vec<String> = kept.into_iter().map(str::to_owned).collect();
            self.keep_players(&kept);
            return Ok(());
        }
        kept.extend(self.baselines());
        let wanted: HashSet<String> = kept.into_iter().map(str::to_owned).collect();
        self.techniques
            .retain(|choice| wanted.contains(&choice.label));
        Ok(())
    }

    /// In a match, makes all but these labels opponents only, or drops them.
    fn keep_players(&mut self, asked: &[String]) {
        for choice in &mut self.techniques {
            if !asked.contains(&choice.label) {
                choice.measured = false;
                choice.opponent = None;
            }
        }
        self.drop_idle_opponents();
    }

    fn drop_idle_opponents(&mut self) {
        let played = opponents(self.techniques.iter());
        self.techniques
            .retain(|choice| choice.measured || played.contains(&choice.label));
    }

    fn keep_cases(&mut self, filters: &[String]) -> Result<(), OverrideError> {
        let mut wanted: Vec<(&str, Value)> = Vec::new();
        let axes: Vec<&str> = self.axes.iter().map(String::as_str).collect();
        for filter in filters {
            let Some((axis, value)) = filter.split_once('=') else {
                return Err(OverrideError(format!(
                    "--case: {filter:?} must be AXIS=VALUE; {}",
                    allowed(filter, &axes)
                )));
            };
            if !axes.contains(&axis) {
                return Err(OverrideError(format!(
                    "--case: {} has no axis {axis:?}; {}",
                    self.name,
                    allowed(axis, &axes)
                )));
            }
            let wanted_value = Value::parse(value);
            if !self
                .cases
                .iter()
                .any(|case| case.get(axis) == Some(&wanted_value))
            {
                let mut values: Vec<String> = Vec::new();
                for there in self.cases.iter().filter_map(|case| case.get(axis)) {
                    let there = there.to_string();
                    if !values.contains(&there) {
                        values.push(there);
                    }
                }
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                return Err(OverrideError(format!(
                    "--case: no case of {} has {axis}={value}; {}",
                    self.name,
                    allowed(value, &values)
                )));
            }
            wanted.push((axis, wanted_value));
        }
        self.cases.retain(|case| {
            wanted.iter().all(|(axis, _)| {
                wanted
                    .iter()
                    .any(|(other, value)| other == axis && case.get(axis) == Some(value))
            })
        });
        if self.cases.is_empty() {
            return Err(OverrideError(format!(
                "--case: no case of {} has all of {}; bench run --dry-run lists what there is",
                self.name,
                filters.join(" ")
            )));
        }
        self.drop_what_has_no_case("--case")
    }

    /// Drops the techniques that are restricted to removed cases.
    fn drop_what_has_no_case(&mut self, option: &str) -> Result<(), OverrideError> {
        let cases = &self.cases;
        let there = |choice: &TechniqueChoice| {
            !choice.measured || cases.iter().any(|case| choice.takes(case))
        };
        let lost: Vec<&str> = self
            .techniques
            .iter()
            .filter(|choice| !there(choice))
            .map(|choice| choice.label.as_str())
            .collect();
        let needed = |choice: &&TechniqueChoice| {
            there(choice)
                && choice
                    .opponent
                    .as_deref()
                    .is_some_and(|it| lost.contains(&it))
        };
        if let Some(choice) = self.techniques.iter().find(needed) {
            let opponent = choice.opponent.as_deref().unwrap_or_default();
            return Err(OverrideError(format!(
                "{option}: {} plays {opponent}, which is not measured on these cases",
                choice.label
            )));
        }
        self.techniques.retain(there);
        self.drop_idle_opponents();
        let cases = &self.cases;
        for (axis, values) in self
            .techniques
            .iter_mut()
            .flat_map(|choice| &mut choice.only.0)
        {
            if let Value::List(values) = values {
                values.retain(|value| cases.iter().any(|case| case.get(axis) == Some(value)));
            }
        }
        Ok(())
    }

    fn prune_views(&mut self) {
        let choices = self.techniques.iter();
        let labels: HashSet<String> = choices.map(|choice| choice.label.clone()).collect();
        for view in self.views_mut() {
            view.techniques.retain(|label| labels.contains(label));
            view.baselines.retain(|label| labels.contains(label));
        }
        let cases = &self.cases;
        let is_left = |view: &TableSpec| {
            let has = |(axis, value): &(String, Value), case: &Case| case.get(axis) == Some(value);
            let shows = |case: &Case| view.fixed.0.iter().all(|own| has(own, case));
            let has_baseline = !view.baselines.is_empty();
            let mut quantities = view.quantities.iter();
            let is_fact = quantities.clone().any(Quantity::is_fact);
            cases.iter().any(shows)
                && quantities.any(|one| !one.needs_baseline() || has_baseline)
                && (is_fact || !view.techniques.is_empty())
        };
        self.tables.retain(is_left);
        self.charts.retain(is_left);
    }

    fn hurry(&mut self) {
        let sampling = &mut self.sampling;
        sampling.min_samples = sampling.min_samples.min(3);
        sampling.max_samples = sampling.max_samples.min(10);
        sampling.warmup = sampling.warmup.min(1);
        sampling.passes = sampling.passes.min(3);
        let Budget { cell, total, .. } = &mut self.budget;
        *cell = (*cell / 5).max(Duration::from_millis(1));
        *total = (*total / 5).max(Duration::from_millis(1));
    }
}
