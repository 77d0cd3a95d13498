//! Parts of an experiment, and the units of sharding: families of cases, or the pairs of games of a match.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use super::Experiment;
use crate::words::{Case, Task};

/// As many as Slurm's largest default array has tasks.
const MOST: usize = 100_000;

/// A part of an experiment: `2/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    /// The number of parts.
    pub of: usize,
    /// Its number, from 1.
    pub number: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) && of <= MOST => {
                Ok(Self { of, number })
            }
            _ => Err(format!("must be I/N, as 2/3: 1 <= I <= N <= {MOST}")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Shard {
    /// The index, from 0, of its `own`-th one.
    pub fn index(self, own: u64) -> u64 {
        (self.number - 1) as u64 + self.of as u64 * own
    }
}

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
