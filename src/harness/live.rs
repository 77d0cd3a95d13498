//! The state of a cell during a run.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::begun::Begun;
use super::pass_rule::PassRule;
use super::plan::{Cell, CellNames};
use super::protocol::{Opened, Prepared, Sampled};
use crate::config::Experiment;
use crate::results::Sample;
use crate::stats::{Summary, share_interval};
use crate::words::{Answer, Case, Counters, Limit, MatchScore, Reason, Status, Warning, cost_fs};

/// The role of a cell in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It has no row yet and is measured.
    Measure,
    /// It has a row, and is timed again beside the case's new cells, which are compared with it.
    TimeAgain,
    /// It has a row, and only its answers are needed.
    AnswersOnly,
}

/// What a cell has of the current pass.
#[derive(Default)]
pub struct InPass {
    /// Whether it has enough samples.
    pub rests: bool,
    /// Batches of samples so far.
    pub turns: u64,
    /// Time of its samples: trial, untimed and timed.
    pub spent: Duration,
    /// The part of `spent` in the trial.
    pub spent_trial: Duration,
    /// The part of `spent` in timed samples.
    pub spent_sampling: Duration,
}

/// What a cell's samples tell beside times and counters.
#[derive(Default)]
pub struct Launches {
    /// Whether a sample has no times of its parts.
    pub untrusted: bool,
    /// The longest launch of this run's samples, ns.
    pub longest_ns: u64,
    /// The most idle workers that left a launch of this run's samples.
    pub workers_left: u64,
    /// This run's samples that tell who answered, and the positions of host and device in them.
    pub answered: (usize, [u64; 2]),
}

/// The state of a cell.
pub struct Live<'p> {
    pub cell: &'p Cell,
    pub names: CellNames,
    pub purpose: Purpose,
    /// Whether an earlier invocation started it without finishing; its samples then tell its cost.
    pub goes_on: bool,
    /// Samples already in the folder.
    pub stored: usize,
    /// Passes of this run that it takes part in, chosen when its cost is known.
    pub passes: Vec<u64>,
    pub in_pass: InPass,
    /// Warnings about the host in its passes.
    pub warnings: Vec<Warning>,
    /// The result of its first preparation; its `units` are the maximum of units in a sample.
    pub prepared: Prepared,
    /// The generation of the worker that holds it.
    pub generation: Option<u64>,
    /// The report of the worker that holds it.
    pub opened: Opened,
    /// Units in a sample.
    pub units: u64,
    /// Cost of a unit by the trial, ns.
    pub ns_per_unit: f64,
    /// The trial: its units and the measurement.
    pub trial: Option<(u64, Sampled)>,
    /// Cost of a sample predicted before the trial, ns.
    pub predicted_ns: Option<u64>,
    /// Samples taken by workers, untimed ones included.
    pub asked: u64,
    /// In a match, the games played so far, by opening. Games of untimed samples count too, because their time does not
    /// matter here; a repeated pair adds nothing.
    pub games: BTreeMap<u64, MatchScore>,
    pub samples: Vec<Sample>,
    pub launches: Launches,
    /// Its answer, if it is a reference.
    pub answer: Option<Answer>,
    /// The last answer that its worker sent in full.
    pub last_answer: Option<Answer>,
    /// Answers not yet compared with the reference's. A worker sends an answer only if it differs from the previous
    /// one, so the trial's may be the only one.
    pub unchecked: Vec<Answer>,
    /// The answer of a reference that was asked for this cell alone, with the shape chosen for its device.
    pub expected: Option<Answer>,
    /// Counters of a sample, by its units.
    pub counted: BTreeMap<u64, Counters>,
    /// Expected counters, by units, from a technique outside the run.
    pub twin: BTreeMap<u64, Counters>,
    /// Counters of the proof: an answer by iterations, for a cell in which the clock decides.
    pub proof: Option<Counters>,
    /// The error in a sample's counters.
    pub miscounted: Option<String>,
    /// Best moves other than the reference's that are as good: `(position, move)`.
    pub approved: HashSet<(usize, String)>,
    /// Its status at the end, and its reason; for `ok`, the condition that was not met. `None` while it is measured.
    pub ending: Option<(Status, Reason)>,
}

impl<'p> Live<'p> {
    /// A cell with the samples of earlier invocations. If one was interrupted, it goes on; a match with the next
    /// opening.
    pub fn new(cell: &'p Cell, names: CellNames, purpose: Purpose, begun: Option<Begun>) -> Self {
        let goes_on = purpose == Purpose::Measure && begun.is_some();
        let begun = begun.unwrap_or_default();
        Self {
            cell,
            names,
            purpose,
            goes_on,
            stored: begun.samples.len(),
            passes: Vec::new(),
            in_pass: InPass::default(),
            warnings: Vec::new(),
            prepared: Prepared::default(),
            generation: None,
            opened: Opened::default(),
            units: 1,
            ns_per_unit: 0.0,
            trial: None,
            predicted_ns: None,
            asked: begun.games.len() as u64,
            games: begun.games,
            samples: begun.samples,
            launches: Launches {
                untrusted: begun.untrusted,
                ..Launches::default()
            },
            answer: None,
            last_answer: None,
            unchecked: Vec::new(),
            expected: None,
            counted: BTreeMap::new(),
            twin: BTreeMap::new(),
            proof: None,
            miscounted: None,
            approved: HashSet::new(),
            ending: None,
        }
    }

    /// Adds a counted sample.
    pub fn add(&mut self, sampled: Sampled) {
        let launches = &mut self.launches;
        launches.untrusted |= !sampled.trusted;
        launches.longest_ns = launches.longest_ns.max(sampled.longest_launch_ns);
        launches.workers_left = launches.workers_left.max(sampled.workers_left);
        if let Some([host, device]) = sampled.answered {
            let (samples, [by_host, by_device]) = &mut launches.answered;
            *samples += 1;
            *by_host += host;
            *by_device += device;
        }
        self.samples.push(sampled.sample);
    }

    /// Number of passes, of all invocations, in which it has samples.
    pub fn passes_taken(&self) -> usize {
        let passes: HashSet<_> = self.samples.iter().map(Sample::pass).collect();
        passes.len()
    }

    /// Its samples that a rule counts: of a match all, else those of the rule's pass.
    pub fn samples_by<'t>(&'t self, rule: &'t PassRule<'_>) -> impl Iterator<Item = &'t Sample> {
        let pass = (rule.invocation, rule.pass);
        let counts = move |sample: &&Sample| rule.is_match || sample.pass() == pass;
        self.samples.iter().filter(counts)
    }

    /// Whether it takes timed samples.
    pub fn is_timed(&self) -> bool {
        self.purpose != Purpose::AnswersOnly
    }

    /// Whether it is still measured, in this pass or a later one.
    pub fn running(&self) -> bool {
        self.ending.is_none()
    }

    /// Whether it is still measured by timed samples.
    pub fn is_sampled(&self) -> bool {
        self.running() && self.is_timed()
    }

    /// `units`, limited to the units that there are.
    pub fn fit(&self, units: u64) -> u64 {
        units.min(self.prepared.units).max(1)
    }

    /// The quantity of a sample whose interval counts: its time or, if the clock decides, the cost of a playout.
    pub fn cost(&self, sample: &Sample) -> u64 {
        cost(&self.cell.case, sample.total_ns, sample.playouts)
    }

    /// Whether a sample took less than one step of the clock; then the other times are meaningless too. Not in a match,
    /// where a player may take no time at all.
    pub fn measured_nothing(&self) -> bool {
        let mut samples = self.samples.iter();
        self.games.is_empty() && samples.any(|sample| sample.total_ns == 0)
    }

    /// Whether it has enough samples in the current pass, and if so, whether its condition was met.
    pub fn enough(&self, rule: &PassRule<'_>) -> Option<Reason> {
        if self.measured_nothing() {
            return Some(Reason::Met);
        }
        let samples = self.samples_by(rule);
        let times: Vec<u64> = samples.map(|sample| self.cost(sample)).collect();
        let (taken, target) = (times.len(), rule.sampling.target);
        let InPass {
            turns,
            spent_trial,
            spent_sampling,
            ..
        } = self.in_pass;
        let spent = spent_trial + spent_sampling;
        if taken >= rule.fewest() {
            let width = Summary::of(&times, rule.seed).and_then(|s| s.relative_half_width());
            let limit = if taken >= rule.most() {
                Some(Limit::Samples)
            } else if spent >= rule.share {
                Some(Limit::Share)
            } else {
                None
            };
            // A cell that may take no more samples has had its turns.
            let turned = || turns >= rule.turns(spent / turns.max(1) as u32);
            let met = match rule.is_match {
                true => is_decided(&self.games),
                false => {
                    width.is_some_and(|width| width <= target) && (limit.is_some() || turned())
                }
            };
            if met {
                return Some(Reason::Met);
            }
            let limit = limit?;
            return Some(Reason::Wide {
                half_width: width,
                target,
                limit,
            });
        }
        // Below the minimum of samples: ends before a sample that would exceed the budget, and at twice the budget even
        // if the trial underestimated the cost.
        let each = spent_sampling.checked_div(taken as u32).unwrap_or_default();
        let ends = taken >= rule.least() && spent + each > rule.budget;
        (ends || taken > 0 && self.in_pass.spent > rule.budget * 2)
            .then_some(Reason::FewSamples(taken))
    }
}

/// What of a sample's time counts: all of it or, if the clock decides, the cost of a playout.
fn cost(case: &Case, total_ns: u64, playouts: u64) -> u64 {
    let playouts = if case.is_clocked() { playouts } else { 0 };
    cost_fs(total_ns, playouts).unwrap_or(total_ns)
}

/// The condition that a whole match of these games and samples did not meet, if it ended at this limit.
pub fn unmet_of_match(
    games: &BTreeMap<u64, MatchScore>,
    case: &Case,
    samples: &[Sample],
    (experiment, limit): (&Experiment, Limit),
) -> Reason {
    if is_decided(games) {
        return Reason::Met;
    }
    let costs = samples
        .iter()
        .map(|it| cost(case, it.total_ns, it.playouts));
    let summary = Summary::of(&costs.collect::<Vec<_>>(), experiment.seed);
    Reason::Wide {
        half_width: summary.and_then(|it| it.relative_half_width()),
        target: experiment.sampling.target,
        limit,
    }
}

/// Whether the interval of a match's share of points leaves 50 %. Thinking times would say nothing of who is ahead.
fn is_decided(games: &BTreeMap<u64, MatchScore>) -> bool {
    let points = games.values().fold((0.0, 0), |(won, played), pair| {
        (won + pair.points(), played + pair.played())
    });
    share_interval(points.0, points.1).is_some_and(|(low, high)| low > 0.5 || high < 0.5)
}
