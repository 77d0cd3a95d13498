//! The units of sharding: families of cases, or the pairs of games of a match.

use std::collections::{HashMap, HashSet};

use super::{Experiment, Sampling, Shard};
use crate::words::{Case, Task};

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
        let (families, what) = if self.task == Task::Match {
            let Sampling {
                min_samples,
                max_samples,
                ..
            } = self.sampling;
            if shard.share(max_samples) > 0 {
                self.sampling.min_samples = shard.share(min_samples).max(1);
                self.sampling.max_samples = shard.share(max_samples);
                self.sampling.shard = Some(shard);
                return Ok(());
            }
            (max_samples, "pairs of games")
        } else {
            let families = self.families();
            let count = families.len();
            let kept = families.into_iter().enumerate();
            let kept = kept.filter(|(family, _)| shard.has(*family));
            let kept: HashSet<Case> = kept.flat_map(|(_, cases)| cases).collect();
            if !kept.is_empty() {
                self.cases.retain(|case| kept.contains(case));
                return Ok(());
            }
            (count, "families of cases")
        };
        Err(format!(
            "{} has {families} {what}, and none is left for this shard; allowed are at most {families} shards",
            self.name
        ))
    }
}
