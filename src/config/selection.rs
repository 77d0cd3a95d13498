//! Selects part of an experiment and changes its settings, as the command line requests.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use anyhow::{anyhow, bail};
use clap::builder::RangedU64ValueParser;
use regex_lite::Regex;

use super::cases::values_of;
use super::kinds::{MOST_PASSES, MOST_SAMPLES, parse_duration, parse_percentage};
use super::source::allowed;
use super::techniques::{find, opponents};
use super::{Budget, Experiment, Quantity, TableSpec, TechniqueChoice};
use crate::words::{Case, Selection, Shard, Task, Value};

impl Selection {
    /// Returns the selected part of an experiment. `--technique` also keeps the baselines or, in a match, the selected
    /// techniques' opponents. Tables and charts no longer show removed techniques. Fails if a filter matches nothing,
    /// has an unknown axis or value, or is an invalid regular expression. The one-line error names the option, the
    /// value and the allowed values. A shard may have no cases.
    pub fn of(&self, whole: &Experiment) -> anyhow::Result<Experiment> {
        let mut part = whole.clone();
        if let Some(pattern) = &self.technique {
            part.keep_techniques(pattern)?;
        }
        if !self.cases.is_empty() {
            part.check_cases(&self.cases)?;
            part.cases.retain(|case| self.takes(case));
            if part.cases.is_empty() {
                let (name, filters) = (&part.name, self.cases.join(" "));
                let remedy = "run --dry-run lists the cases";
                bail!("--case: no case of {name} has all of {filters}; {remedy}");
            }
            part.drop_what_has_no_case("--case")?;
        }
        if let Some(shard) = self.shard {
            part.keep_shard(shard)?;
        }
        part.prune_views();
        Ok(part)
    }

    /// Returns true if, on each axis that `--case` names, the case has one of the requested values.
    pub fn takes(&self, case: &Case) -> bool {
        let wanted = self.cases.iter().filter_map(|it| it.split_once('='));
        let has = |(axis, value): &(&str, &str)| case.get(axis) == Some(&Value::parse(value));
        let met: HashSet<&str> = wanted.clone().filter(has).map(|(axis, _)| axis).collect();
        wanted.map(|(axis, _)| axis).all(|axis| met.contains(axis))
    }
}

impl Experiment {
    fn keep_techniques(&mut self, pattern: &str) -> anyhow::Result<()> {
        let regex = technique_pattern(Some(pattern))?;
        let is_kept = |it: &TechniqueChoice| it.measured && regex.is_match(&it.label);
        if !self.techniques.iter().any(is_kept) {
            let labels = self.techniques.iter().map(|it| &it.label);
            let (name, allowed) = (&self.name, allowed(pattern, labels));
            bail!("--technique: {pattern:?} matches no technique of {name}; {allowed}");
        }
        if self.task == Task::Match {
            // The other techniques remain only as opponents.
            for choice in self.techniques.iter_mut().filter(|it| !is_kept(it)) {
                choice.measured = false;
                choice.opponent = None;
            }
            self.drop_idle_opponents();
        } else {
            let baselines = self.baselines().into_iter().map(str::to_owned);
            let baselines: HashSet<String> = baselines.collect();
            let is_left = |it: &TechniqueChoice| is_kept(it) || baselines.contains(&it.label);
            self.techniques.retain(is_left);
        }
        Ok(())
    }

    fn drop_idle_opponents(&mut self) {
        let played = opponents(&self.techniques);
        self.techniques
            .retain(|choice| choice.measured || played.contains(&choice.label));
    }

    fn check_cases(&self, filters: &[String]) -> anyhow::Result<()> {
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
            if !values.contains(&&Value::parse(value)) {
                let allowed = allowed(value, values);
                bail!("--case: no case of {name} has {axis}={value}; {allowed}");
            }
        }
        Ok(())
    }

    /// Drops techniques that are restricted to removed cases.
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
        for (axis, values) in choices.flat_map(|choice| &mut choice.only) {
            values.retain(|value| cases.iter().any(|case| case.get(axis) == Some(value)));
        }
        Ok(())
    }

    pub(super) fn prune_views(&mut self) {
        let is_there = |label: &String| find(&self.techniques, label).is_some();
        for view in self.tables.iter_mut().chain(&mut self.charts) {
            view.techniques.retain(is_there);
            view.baselines.retain(is_there);
        }
        let cases = &self.cases;
        let is_left = |view: &TableSpec| {
            let fixed = &view.fixed;
            let shows = |case: &Case| fixed.iter().all(|(axis, value)| case.has(axis, value));
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

/// Compiles the regular expression from `--technique`. Without the option, it matches every label.
pub fn technique_pattern(pattern: Option<&str>) -> anyhow::Result<Regex> {
    let pattern = pattern.unwrap_or_default();
    Regex::new(pattern)
        .map_err(|error| anyhow!("--technique: {pattern:?} is not a valid regex: {error}"))
}

/// Changes that the command line makes to an experiment. The run folder stores the changed experiment.
#[derive(clap::Args, Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Limit the time of each experiment, for example 5m
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration)]
    pub budget: Option<Duration>,
    /// Limit the time of each cell, for example 30s
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub cell_budget: Option<Duration>,
    /// Stop sampling a cell when its 95 % interval is within this distance of the median, for example 2%
    #[arg(long, value_name = "PERCENT", value_parser = parse_percentage)]
    pub target: Option<f64>,
    /// Take at least N samples per cell, unless its budget runs out
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_SAMPLES))]
    pub min_samples: Option<usize>,
    /// Take at most N samples per cell
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_SAMPLES))]
    pub max_samples: Option<usize>,
    /// Go through the cases N times, each time with new processes and in a different order
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_PASSES))]
    pub passes: Option<usize>,
    /// Seed for the sampling order, the intervals and the playouts
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Take fewer samples in less time, for a first look
    #[arg(long)]
    pub quick: bool,
}

impl Experiment {
    /// Applies the command line's changes. Fails if the maximum number of samples is below the minimum.
    pub fn apply(&mut self, overrides: &Overrides) -> anyhow::Result<()> {
        self.prune_views();
        if let Some(seed) = overrides.seed {
            self.seed = seed;
        }
        if overrides.quick {
            self.hurry();
        }
        let sampling = &mut self.sampling;
        sampling.target = overrides.target.unwrap_or(sampling.target);
        sampling.passes = overrides.passes.unwrap_or(sampling.passes);
        let least = overrides.min_samples.unwrap_or(sampling.min_samples);
        let most = overrides.max_samples;
        let most = most.unwrap_or(sampling.max_samples.max(least));
        if overrides.min_samples.is_some_and(|least| most < least) {
            bail!("--max-samples: {most} is less than --min-samples ({least})")
        }
        (sampling.min_samples, sampling.max_samples) = (least.min(most), most);
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

    /// Returns the index of each case's family. Cases that differ only in the last axis with several integers, such as
    /// the depth, form a family. Within a family, each case predicts the cost of the next one. Without such an axis,
    /// each case is a separate family.
    fn families(&self) -> Vec<usize> {
        let differs = |axis: &&String| {
            let numbers = values_of(&self.cases, axis).into_iter().map(Value::as_int);
            let numbers: Vec<Option<i64>> = numbers.collect();
            numbers.iter().flatten().count() > 1 && numbers[0].is_some()
        };
        let line = self.axes.iter().rev().find(differs);
        let mut numbers = HashMap::new();
        let number = |case: &Case| {
            let family = line.map_or_else(|| case.clone(), |axis| case.without(axis));
            let next = numbers.len();
            *numbers.entry(family).or_insert(next)
        };
        self.cases.iter().map(number).collect()
    }

    /// Keeps one shard's families, or its share of a match's pairs of games. If there are fewer families than shards,
    /// distributes single cases instead. A shard may end up without cases.
    fn keep_shard(&mut self, shard: Shard) -> anyhow::Result<()> {
        if self.task == Task::Match {
            let share = |count: usize| (count + shard.of - shard.number) / shard.of;
            let sampling = &mut self.sampling;
            sampling.min_samples = share(sampling.min_samples).max(1);
            if sampling.max_samples < shard.number {
                self.cases.clear();
            }
            sampling.max_samples = share(sampling.max_samples).max(1);
            sampling.shard = Some(shard);
        } else {
            let mut parts = self.families();
            if parts.iter().all(|part| part + 1 < shard.of) {
                parts = (0..self.cases.len()).collect();
            }
            // Distribute round-robin.
            let mut is_own = parts.iter().map(|part| part % shard.of + 1 == shard.number);
            self.cases.retain(|_| is_own.next().unwrap_or_default());
        }
        if self.cases.is_empty() {
            return Ok(());
        }
        self.drop_what_has_no_case(&format!("--shard {shard}"))
    }
}
