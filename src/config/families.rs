//! The units of sharding: families of cases, or the pairs of games of a match.

use std::collections::{HashMap, HashSet};

use super::Experiment;
use crate::words::{Case, Shard, Task};

impl Experiment {
    /// Cases that differ only in the last axis of several integers, such as the depth, form a family: costs are
    /// predicted from one to the next. Without such an axis each case is a family.
    pub fn families(&self) -> Vec<Vec<Case>> {
        let differs = |axis: &&String| {
            let mut values = self.cases.iter().map(|case| case.int(axis));
            values
                .next()
                .flatten()
                .is_some_and(|first| values.any(|value| value.is_some_and(|it| it != first)))
        };
        let line = self.axes.iter().rev().find(differs);
        let mut known: HashMap<Case, usize> = HashMap::new();
        let mut families: Vec<Vec<Case>> = Vec::new();
        for case in &self.cases {
            let family = line.map_or_else(|| case.clone(), |axis| case.without(axis));
            let at = *known.entry(family).or_insert(families.len());
            if at == families.len() {
                families.push(Vec::new());
            }
            families[at].push(case.clone());
        }
        families
    }

    /// Keeps the families of one shard, or its share of a match's pairs of games. Fails if nothing is left.
    pub(super) fn keep_shard(&mut self, shard: Shard) -> Result<(), String> {
        let (parts, what) = match self.task {
            Task::Match => (self.sampling.max_samples, "pairs of games"),
            _ => (self.families().len(), "families of cases"),
        };
        if shard.number > parts {
            return Err(format!(
                "{} has {parts} {what}, and none is left for this shard; allowed are at most {parts} shards",
                self.name
            ));
        }
        if self.task == Task::Match {
            let share = |count: usize| (count + shard.of - shard.number) / shard.of;
            let sampling = &mut self.sampling;
            sampling.min_samples = share(sampling.min_samples).max(1);
            sampling.max_samples = share(sampling.max_samples);
            sampling.shard = Some(shard);
        } else {
            // Families are dealt round-robin.
            let families = self.families().into_iter();
            let own = families.skip(shard.number - 1).step_by(shard.of);
            let kept: HashSet<Case> = own.flatten().collect();
            self.cases.retain(|case| kept.contains(case));
        }
        Ok(())
    }
}
