//! Every ratio of a run, by what it is of and what it is over.

use std::collections::HashMap;

use super::known::{Figure, Missing};
use crate::results::MeasurementRow;

/// The role of the fastest technique of the host with one thread that answers the same question.
pub(crate) const BEST_ONE_CORE: &str = "best one core";
/// The role of the fastest technique of the host with any number of threads that answers the same question.
pub(crate) const BEST_CPU: &str = "best CPU";
/// Both roles, in the order of the ladder.
pub(crate) const ROLES: [&str; 2] = [BEST_ONE_CORE, BEST_CPU];

/// One ratio: how many times as fast a cell is as a baseline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ratio {
    pub case: String,
    pub technique: String,
    pub device: String,
    /// What it is over: a technique's label, or a role of [`ROLES`].
    pub over: String,
    /// The label of the technique that it is over; empty where a role has none.
    pub baseline: String,
    /// How many threads of the host that technique used.
    pub threads: u64,
    /// The last invocation that took both sides; empty in folders of format 1, and where there is no ratio.
    pub invocation: String,
    /// Passes that both sides were sampled in.
    pub passes: usize,
    /// Samples of the baseline and of the technique in them.
    pub samples: [usize; 2],
    pub result: Figure,
}

impl Ratio {
    /// That of a cell over a technique or a role, until it is made.
    pub(super) fn new(row: &MeasurementRow, over: &str) -> Ratio {
        Ratio {
            case: row.case.clone(),
            technique: row.technique.clone(),
            device: row.device.clone(),
            over: over.to_owned(),
            baseline: String::new(),
            threads: 0,
            invocation: String::new(),
            passes: 0,
            samples: [0; 2],
            result: Err(Missing::IS_BASELINE),
        }
    }

    /// Over a role: the technique that has it, as `rayon-shared on 16 threads`.
    pub(super) fn holder(&self) -> Option<String> {
        let is_role = ROLES.contains(&self.over.as_str()) && !self.baseline.is_empty();
        is_role.then(|| match self.threads {
            0 | 1 => self.baseline.clone(),
            threads => format!("{} on {threads} threads", self.baseline),
        })
    }
}

/// The ratios of a run.
#[derive(Default)]
pub(crate) struct Ratios {
    pub(super) all: Vec<Ratio>,
    places: HashMap<[String; 4], usize>,
}

impl Ratios {
    pub(super) fn add(&mut self, ratio: Ratio) {
        let place = [&ratio.case, &ratio.technique, &ratio.device, &ratio.over];
        self.places.insert(place.map(Clone::clone), self.all.len());
        self.all.push(ratio);
    }

    /// The ratio of a cell over a technique or a role.
    pub(crate) fn of(&self, row: &MeasurementRow, over: &str) -> Option<&Ratio> {
        let [case, technique, device] = [&row.case, &row.technique, &row.device].map(Clone::clone);
        let place = [case, technique, device, over.to_owned()];
        self.places.get(&place).map(|at| &self.all[*at])
    }
}
