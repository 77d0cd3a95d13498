//! Every ratio of a run, by its cell and baseline.

use std::collections::HashMap;

use serde::Serialize;

use super::known::{Figure, Missing};
use crate::results::{CellId, MeasurementRow};

/// The fastest technique of the host with one thread that answers the same question.
pub(crate) const BEST_ONE_CORE: &str = "best one core";
/// The fastest technique of the host with any number of threads that answers the same question.
pub(crate) const BEST_CPU: &str = "best CPU";
pub(crate) const ROLES: [&str; 2] = [BEST_ONE_CORE, BEST_CPU];

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Ratio {
    pub case: String,
    pub technique: String,
    pub device: String,
    /// A technique's label, or a role of [`ROLES`].
    pub over: String,
    /// The baseline's label; empty if a role has none.
    pub baseline: String,
    pub threads: u64,
    /// The last invocation with both sides; empty without a ratio.
    pub invocation: String,
    pub passes: usize,
    /// Samples of the baseline and of the technique in them.
    pub samples: [usize; 2],
    pub result: Figure,
}

impl Ratio {
    pub(super) fn new(row: &MeasurementRow, over: &str) -> Ratio {
        Ratio {
            case: row.cell.case.clone(),
            technique: row.cell.technique.clone(),
            device: row.cell.device.clone(),
            over: over.to_owned(),
            baseline: String::new(),
            threads: 0,
            invocation: String::new(),
            passes: 0,
            samples: [0; 2],
            result: Err(Missing::IS_BASELINE),
        }
    }

    /// The technique behind a role: `rayon-shared on 16 threads`.
    pub(super) fn holder(&self) -> Option<String> {
        let is_role = ROLES.contains(&self.over.as_str()) && !self.baseline.is_empty();
        is_role.then(|| match self.threads {
            0 | 1 => self.baseline.clone(),
            threads => format!("{} on {threads} threads", self.baseline),
        })
    }
}

/// Every ratio of a run, and the place of each by its cell and what it is over.
#[derive(Default)]
pub(crate) struct Ratios<'a> {
    pub(super) all: Vec<Ratio>,
    pub(super) places: HashMap<(&'a CellId, &'a str), usize>,
}
