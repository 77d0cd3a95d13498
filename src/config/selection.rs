//! The part of an experiment that a command asks for.

use std::collections::HashSet;

use anyhow::{anyhow, bail};
use regex_lite::Regex;

use super::cases::values_of;
use super::error::allowed;
use super::techniques::opponents;
use super::{Experiment, Quantity, TableSpec, TechniqueChoice};
use crate::words::{Case, Selection, Task, Value};

impl Selection {
    /// The selected part of an experiment. `--technique` keeps the baselines, and in a match the selected techniques'
    /// opponents. Filtered techniques leave the tables and charts. Fails for a filter that matches nothing, an unknown
    /// axis or value, and a bad regular expression, with one line that has the option, the value and the allowed ones.
    pub fn of(&self, whole: &Experiment) -> anyhow::Result<Experiment> {
        let mut part = whole.clone();
        if let Some(pattern) = &self.technique {
            part.keep_techniques(pattern)?;
        }
        if !self.cases.is_empty() {
            part.keep_cases(&self.cases)?;
        }
        if let Some(shard) = self.shard {
            let option = format!("--shard {shard}");
            let kept = part.keep_shard(shard);
            kept.map_err(|why| anyhow!("{option}: {why}"))?;
            part.drop_what_has_no_case(&option)?;
        }
        part.prune_views();
        Ok(part)
    }
}

impl Experiment {
    fn keep_techniques(&mut self, pattern: &str) -> anyhow::Result<()> {
        let regex = technique_pattern(pattern)?;
        let is_kept = |it: &&TechniqueChoice| it.measured && regex.is_match(&it.label);
        let kept = self.techniques.iter().filter(is_kept);
        let mut kept: HashSet<String> = kept.map(|choice| choice.label.clone()).collect();
        if kept.is_empty() {
            let labels: Vec<&str> = self.techniques.iter().map(|it| it.label.as_str()).collect();
            bail!(
                "--technique: {pattern:?} matches no technique of {}; {}",
                self.name,
                allowed(pattern, &labels)
            );
        }
        if self.task == Task::Match {
            // The others are opponents only.
            let others = self.techniques.iter_mut();
            for choice in others.filter(|choice| !kept.contains(&choice.label)) {
                choice.measured = false;
                choice.opponent = None;
            }
            self.drop_idle_opponents();
        } else {
            kept.extend(self.baselines().into_iter().map(str::to_owned));
            self.techniques
                .retain(|choice| kept.contains(&choice.label));
        }
        Ok(())
    }

    fn drop_idle_opponents(&mut self) {
        let played = opponents(self.techniques.iter());
        self.techniques
            .retain(|choice| choice.measured || played.contains(&choice.label));
    }

    fn keep_cases(&mut self, filters: &[String]) -> anyhow::Result<()> {
        let mut wanted: Vec<(&str, Value)> = Vec::new();
        let (name, axes) = (&self.name, &self.axes);
        for filter in filters {
            let Some((axis, value)) = filter.split_once('=') else {
                let allowed = allowed(filter, axes);
                bail!("--case: {filter:?} must be AXIS=VALUE; {allowed}");
            };
            if !axes.iter().any(|own| own == axis) {
                let allowed = allowed(axis, axes);
                bail!("--case: {name} has no axis {axis:?}; {allowed}");
            }
            let values = values_of(&self.cases, axis);
            let wanted_value = Value::parse(value);
            if !values.contains(&&wanted_value) {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                let allowed = allowed(value, &values);
                bail!("--case: no case of {name} has {axis}={value}; {allowed}");
            }
            wanted.push((axis, wanted_value));
        }
        self.cases.retain(|case| {
            let has = |axis: &str| {
                let mut own = wanted.iter().filter(|(other, _)| *other == axis);
                own.any(|(_, value)| case.get(axis) == Some(value))
            };
            wanted.iter().all(|(axis, _)| has(axis))
        });
        if self.cases.is_empty() {
            let filters = filters.join(" ");
            bail!(
                "--case: no case of {name} has all of {filters}; bench run --dry-run lists what there is"
            );
        }
        self.drop_what_has_no_case("--case")
    }

    /// Drops the techniques that are restricted to removed cases.
    fn drop_what_has_no_case(&mut self, option: &str) -> anyhow::Result<()> {
        let cases = &self.cases;
        let there = |choice: &TechniqueChoice| {
            !choice.measured || cases.iter().any(|case| choice.takes(case))
        };
        for choice in self.techniques.iter().filter(|choice| there(choice)) {
            let opponent = choice.opponent.as_deref().unwrap_or_default();
            if self.choice(opponent).is_some_and(|it| !there(it)) {
                let label = &choice.label;
                bail!("{option}: {label} plays {opponent}, which is not measured on these cases");
            }
        }
        self.techniques.retain(there);
        self.drop_idle_opponents();
        let cases = &self.cases;
        let choices = self.techniques.iter_mut();
        for (axis, values) in choices.flat_map(|choice| &mut choice.only.0) {
            if let Value::List(values) = values {
                values.retain(|value| cases.iter().any(|case| case.get(axis) == Some(value)));
            }
        }
        Ok(())
    }

    pub(super) fn prune_views(&mut self) {
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
}

/// The regular expression of `--technique`.
pub fn technique_pattern(pattern: &str) -> anyhow::Result<Regex> {
    Regex::new(pattern)
        .map_err(|error| anyhow!("--technique: {pattern:?} is no regular expression: {error}"))
}
