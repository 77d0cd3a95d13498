//! Every ratio of a run, by what it is of and what it is over.

use std::collections::HashMap;

use super::known::{Known, Missing};
use crate::results::MeasurementRow;

/// The role of the fastest technique of the host with one thread that answers the same question.
pub(crate) const BEST_ONE_CORE: &str = "best one core";
/// The role of the fastest technique of the host with any number of threads that answers the same question.
pub(crate) const BEST_CPU: &str = "best CPU";
/// Both roles, in the order of the ladder.
pub(crate) const ROLES: [&str; 2] = [BEST_ONE_CORE, BEST_CPU];

/// Whether a ratio over it is over whichever technique is the fastest, and not over one of that label.
pub(crate) fn is_role(over: &str) -> bool {
    ROLES.contains(&over)
}

/// The status of a ratio whose sides were not sampled together.
pub(super) const APART: &str = "not measured together";

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
    pub result: Result<Known, Missing>,
}

impl Ratio {
    /// A cell, named by case, technique and device, that has no ratio over a technique or a role.
    pub(super) fn without(cell: [String; 3], over: &str, why: Missing) -> Ratio {
        let [case, technique, device] = cell;
        Ratio {
            case,
            technique,
            device,
            over: over.to_owned(),
            baseline: String::new(),
            threads: 0,
            invocation: String::new(),
            passes: 0,
            samples: [0; 2],
            result: Err(why),
        }
    }

    /// The technique that it is over, in a reader's words: `rayon-shared on 16 threads`. `None` where a role
    /// has none.
    pub(crate) fn named(&self) -> Option<String> {
        match (self.baseline.as_str(), self.threads) {
            ("", _) => None,
            (label, 0 | 1) => Some(label.to_owned()),
            (label, threads) => Some(format!("{label} on {threads} threads")),
        }
    }

    /// What it is over as tables have it: `over`, `baseline`, `threads`.
    pub(crate) fn columns(&self) -> [String; 3] {
        let threads = match self.threads {
            0 => String::new(),
            threads => threads.to_string(),
        };
        [self.over.clone(), self.baseline.clone(), threads]
    }
}

/// The columns of a ratio over a role in tables that have a line a cell: `over_best_cpu`, its interval, its
/// status, and in `best_cpu` which technique it is over.
pub(crate) fn names(role: &str) -> [String; 5] {
    let name = role.to_lowercase().replace(' ', "_");
    let [ratio, low, high, status] =
        ["", "_low", "_high", "_status"].map(|end| format!("over_{name}{end}"));
    [ratio, low, high, status, name]
}

/// The ratios of a run.
#[derive(Default)]
pub(crate) struct Ratios {
    pub(super) all: Vec<Ratio>,
    places: HashMap<[String; 4], usize>,
}

/// How many ratios a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// With a value.
    pub shown: usize,
    /// Without one because their sides were not measured together.
    pub apart: usize,
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

    /// How many there are.
    pub(crate) fn count(&self) -> Count {
        let is_apart = |ratio: &&Ratio| matches!(&ratio.result, Err(why) if why.status == APART);
        Count {
            shown: self.all.iter().filter(|ratio| ratio.result.is_ok()).count(),
            apart: self.all.iter().filter(is_apart).count(),
        }
    }
}
