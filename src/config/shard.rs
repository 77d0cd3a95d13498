use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use super::{Experiment, Sampling};
use crate::words::{Case, Task};

/// Most shards of an experiment: no more than Slurm's largest array by default has tasks.
const MOST: usize = 100_000;

/// One of the parts into which an experiment is divided: `2/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    /// The number of parts.
    pub of: usize,
    /// Its own number, from 1.
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
    /// Whether the family of this index, from 0, is its own: families are dealt out in turn.
    fn has(self, family: usize) -> bool {
        family % self.of == self.number - 1
    }

    /// How many of the first `count` are its own, where single ones are dealt out in turn.
    fn share(self, count: usize) -> usize {
        (count + self.of - self.number) / self.of
    }

    /// The index, from 0, of its own one of this number, likewise dealt out.
    pub fn index(self, own: u64) -> u64 {
        (self.number - 1) as u64 + self.of as u64 * own
    }
}

impl Experiment {
    /// What is not divided among shards: cases that differ in the last axis of several whole numbers alone,
    /// such as the depths of a board, because the cost of one is predicted from the others. Without such an
    /// axis each case is a family.
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

    /// Leaves the families of one shard; of a match its share of each cell's pairs of games, which are
    /// independent of each other.
    ///
    /// # Errors
    /// Where none falls to it.
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
