//! A cell while it is being measured.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::begun::Begun;
use super::plan::Cell;
use super::protocol::{Prepared, Sampled};
use super::schedule::TURNS;
use crate::config::Sampling;
use crate::stats::Summary;
use crate::words::{Answer, MatchScore, Status, cost_fs};

/// Fewer samples than this have no interval: a cell that cannot take them within its budget is
/// skipped.
pub const FEWEST_SAMPLES: usize = 2;

/// How a cell ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Its status.
    pub status: Status,
    /// Why; for `ok`, what was not met.
    pub reason: String,
}

/// A cell while it is being measured.
pub struct Live<'p> {
    /// The cell.
    pub cell: &'p Cell,
    /// Its key in the run folder.
    pub key: String,
    /// Here only for its answers: its row is in the folder already.
    pub shadow: bool,
    /// A match that goes on: what it needs to know of its cost, its earlier games tell.
    pub goes_on: bool,
    /// What its preparation said.
    pub prepared: Prepared,
    /// Which of its executor's workers holds it.
    pub generation: Option<u64>,
    /// Verdict on its device's timer.
    pub timer: String,
    /// The step of the clock by which its samples are timed, ns.
    pub clock_step_ns: u64,
    /// Units that a sample could hold at most.
    pub most_units: u64,
    /// Units that a sample holds.
    pub units: u64,
    /// What a unit costs, by the trial run, ns.
    pub ns_per_unit: f64,
    /// The trial run: its units and what was measured.
    pub trial: Option<(u64, Sampled)>,
    /// What a sample was predicted to cost before the trial, ns.
    pub predicted_ns: Option<u64>,
    /// Samples that workers took of it, untimed ones too.
    pub asked: u64,
    /// In a match: the games played so far, by opening. Those of untimed samples count as well, as
    /// their time does not matter here; a pair that is played again adds nothing.
    pub games: BTreeMap<u64, MatchScore>,
    /// The samples, each with its place in the run's order.
    pub samples: Vec<(u64, Sampled)>,
    /// Batches of samples that it was asked for.
    pub turns: u64,
    /// Time that its samples took: the trial's, the untimed and the timed ones'.
    pub spent: Duration,
    /// The trial's share of that.
    pub spent_trial: Duration,
    /// The timed samples' share of that.
    pub spent_sampling: Duration,
    /// The answers that the others are compared with, if it is a reference.
    pub answer: Option<Answer>,
    /// The last answer that its worker sent in full.
    pub last_answer: Option<Answer>,
    /// Answers that were not compared with the reference's yet. A worker sends an answer only where
    /// it differs from the one before, so that the trial's may be the only one that is ever sent.
    pub unchecked: Vec<Answer>,
    /// Best moves other than the reference's that were found as good: `(position, move)`.
    pub approved: HashSet<(usize, String)>,
    /// How it ended; `None` while it is measured.
    pub ending: Option<Ending>,
}

impl<'p> Live<'p> {
    /// A cell to be measured.
    pub fn new(cell: &'p Cell, key: String) -> Self {
        Self {
            cell,
            key,
            shadow: false,
            goes_on: false,
            prepared: Prepared::default(),
            generation: None,
            timer: String::new(),
            clock_step_ns: 0,
            most_units: 1,
            units: 1,
            ns_per_unit: 0.0,
            trial: None,
            predicted_ns: None,
            asked: 0,
            games: BTreeMap::new(),
            samples: Vec::new(),
            turns: 0,
            spent: Duration::ZERO,
            spent_trial: Duration::ZERO,
            spent_sampling: Duration::ZERO,
            answer: None,
            last_answer: None,
            unchecked: Vec::new(),
            approved: HashSet::new(),
            ending: None,
        }
    }

    /// A match that was cut off, with what was played of it. Its next game is from the opening after
    /// those.
    pub fn going_on(cell: &'p Cell, key: String, begun: Begun) -> Self {
        Self {
            goes_on: true,
            asked: begun.games.len() as u64,
            games: begun.games,
            samples: begun.samples,
            turns: TURNS,
            ..Self::new(cell, key)
        }
    }

    /// A cell that is here only for its answers.
    pub fn shadow(cell: &'p Cell, key: String) -> Self {
        Self {
            shadow: true,
            ..Self::new(cell, key)
        }
    }

    /// Whether it is still measured.
    pub fn running(&self) -> bool {
        self.ending.is_none()
    }

    /// As many units as asked, but no more than there are.
    pub fn fit(&self, units: u64) -> u64 {
        units.min(self.most_units).max(1)
    }

    /// What of a sample is to be known closely enough: its time, or where the clock decides how much is
    /// done, what a playout cost.
    fn cost(&self, sample: &Sampled) -> u64 {
        let by_playout = self.cell.case.is_clocked();
        let playouts = if by_playout {
            sample.counters.playouts
        } else {
            0
        };
        cost_fs(sample.total_ns, playouts).unwrap_or(sample.total_ns)
    }

    /// Whether a sample took less than a step of the clock: what the others took is not known either.
    pub fn measured_nothing(&self) -> bool {
        self.samples.iter().any(|(_, sample)| sample.total_ns == 0)
    }

    /// Whether it has enough samples; then the condition that was not met, or nothing.
    ///
    /// `share` bounds the time for a narrower interval, `budget` that for the fewest samples. Both
    /// bound the trial and the timed samples, for which the positions were chosen: what a reference
    /// answers besides, for the others, costs it no sample.
    pub fn enough(
        &self,
        sampling: &Sampling,
        budget: Duration,
        share: Duration,
        seed: u64,
    ) -> Option<String> {
        if self.measured_nothing() {
            return Some(String::new());
        }
        let taken = self.samples.len();
        let spent = self.spent_trial + self.spent_sampling;
        if taken >= sampling.min_samples {
            let times: Vec<u64> = self.samples.iter().map(|(_, s)| self.cost(s)).collect();
            let width = Summary::of(&times, seed).and_then(|s| s.relative_half_width());
            if self.turns >= TURNS && width.is_some_and(|width| width <= sampling.target) {
                return Some(String::new());
            }
            let reached = match width {
                Some(width) => format!("±{:.1} %", width * 100.0),
                None => "no interval".to_owned(),
            };
            let wanted = format!("not ±{:.1} %", sampling.target * 100.0);
            if taken >= sampling.max_samples {
                return Some(format!(
                    "{reached}, {wanted}, after the most samples allowed"
                ));
            }
            if spent >= share {
                return Some(format!(
                    "{reached}, {wanted}, when its share of the time ended"
                ));
            }
            return None;
        }
        // Two samples are the fewest that have an interval. A cell that long gets no more where
        // its budget would break; nor is a trial that promised too much followed for ever.
        let each = self
            .spent_sampling
            .checked_div(taken as u32)
            .unwrap_or_default();
        let ends = taken >= FEWEST_SAMPLES && spent + each > budget;
        (ends || taken > 0 && self.spent > budget * 2)
            .then(|| format!("only {taken} samples when its budget ended"))
    }
}
