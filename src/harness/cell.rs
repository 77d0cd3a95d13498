//! The state of a cell during a run.

use std::collections::{BTreeMap, HashSet};

use super::plan::{Cell, CellNames};
use super::protocol::{Opened, Prepared, Sampled};
use super::resume::ResumedCell;
use super::stop_rule::{self, Games, InPass};
use crate::results::Sample;
use crate::words::{Answer, Counters, Reason, Status, Warning};

pub enum State {
    /// Its trial has not started.
    Waiting,
    /// Its cost is known: the units of its trial, and the sample.
    Trial(u64, Box<Sampled>),
    /// It takes samples in these passes of the run.
    Sampling(Vec<u64>),
    /// It has ended, with this status and reason; for `ok`, the condition that was not met.
    Done(Status, Reason),
}

/// Facts from a cell's samples in this run, beside times and counters.
#[derive(Default)]
pub struct Launches {
    /// True if a sample lacks the times of its parts.
    pub untrusted: bool,
    pub longest_ns: u64,
    /// Maximum of idle workers that left a launch.
    pub workers_left: u64,
    /// The samples that report who answered, and the positions of host and device in them.
    pub answered: (usize, [u64; 2]),
}

#[derive(Default)]
pub struct Answers {
    /// Its answer, if it is a reference.
    pub reference: Option<Answer>,
    /// The last answer that its worker sent in full.
    pub last: Option<Answer>,
    /// Answers not yet compared with the reference's. A worker sends an answer only if it differs from the last one.
    pub unchecked: Vec<Answer>,
    /// The answer of a reference that was asked for this cell alone, with the shape chosen for its device.
    pub expected: Option<Answer>,
    /// Best moves other than the reference's that are as good: `(position, move)`.
    pub approved: HashSet<(usize, String)>,
    pub counted: Counted,
}

/// The counters of a cell, by units.
#[derive(Default)]
pub struct Counted {
    pub found: BTreeMap<u64, Counters>,
    /// The counters of a reference outside the run.
    pub expected: BTreeMap<u64, Counters>,
    /// The counters of an answer by iterations, for a cell in which the clock decides.
    pub by_iterations: Option<Counters>,
    /// The error in a sample's counters.
    pub wrong: Option<String>,
}

pub struct CellState<'p> {
    pub cell: &'p Cell,
    pub names: CellNames,
    pub state: State,
    /// True if its row stays and it is timed again, so that new cells can be compared with it.
    pub kept: bool,
    /// True if an earlier invocation started it without finishing. Its samples then give its cost.
    pub resumed: bool,
    pub in_pass: InPass,
    /// Warnings about the host in its passes.
    pub warnings: Vec<Warning>,
    /// The result of its first preparation; its `units` are the maximum of units in a sample.
    pub prepared: Prepared,
    /// The worker that holds it, by its generation, and its report.
    pub worker: Option<u64>,
    pub opened: Opened,
    pub units: u64,
    /// Cost of a unit by the trial, ns.
    pub ns_per_unit: f64,
    /// Cost of a sample predicted before the trial, ns.
    pub predicted_ns: Option<u64>,
    /// Samples taken by workers, untimed ones included.
    pub asked: u64,
    /// In a match, the games played so far, also in untimed samples. A repeated pair adds nothing.
    pub games: Games,
    /// Its samples. The first `earlier` are from earlier invocations, the first `stored` are in the folder.
    pub samples: Vec<Sample>,
    pub earlier: usize,
    pub stored: usize,
    pub launches: Launches,
    pub answers: Answers,
}

impl<'p> CellState<'p> {
    /// A cell with the samples of earlier invocations.
    pub fn new(cell: &'p Cell, names: CellNames, kept: bool, earlier: Option<ResumedCell>) -> Self {
        let resumed = !kept && earlier.is_some();
        let earlier = earlier.unwrap_or_default();
        Self {
            cell,
            names,
            state: State::Waiting,
            kept,
            resumed,
            in_pass: InPass::default(),
            warnings: Vec::new(),
            prepared: Prepared::default(),
            worker: None,
            opened: Opened::default(),
            units: earlier.units.max(1),
            ns_per_unit: 0.0,
            predicted_ns: None,
            asked: earlier.games.len() as u64,
            games: earlier.games,
            earlier: earlier.samples.len(),
            stored: earlier.samples.len(),
            samples: earlier.samples,
            launches: Launches {
                untrusted: earlier.untrusted,
                ..Launches::default()
            },
            answers: Answers::default(),
        }
    }

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

    /// Number of passes in which it has samples, over all invocations.
    pub fn passes_taken(&self) -> usize {
        let passes: HashSet<_> = self.samples.iter().map(Sample::pass).collect();
        passes.len()
    }

    /// True if it is still measured, in this pass or a later one.
    pub fn running(&self) -> bool {
        !matches!(self.state, State::Done(..))
    }

    /// True if it ended with samples.
    pub fn ended_well(&self) -> bool {
        matches!(self.state, State::Done(Status::Ok, _))
    }

    /// The passes of this run that it takes part in.
    pub fn passes(&self) -> &[u64] {
        match &self.state {
            State::Sampling(passes) => passes,
            _ => &[],
        }
    }

    /// True if it still needs samples in a pass.
    pub fn lacks(&self, pass: u64) -> bool {
        !self.in_pass.rests && self.passes().contains(&pass)
    }

    /// `units`, limited to the units of the whole cell.
    pub fn fit(&self, units: u64) -> u64 {
        units.min(self.prepared.units).max(1)
    }

    /// The time of a sample by the trial, ns.
    pub fn sample_ns(&self) -> f64 {
        self.ns_per_unit * self.units as f64
    }

    /// The quantity of a sample whose interval counts.
    pub fn cost(&self, sample: &Sample) -> u64 {
        stop_rule::cost(&self.cell.case, sample)
    }

    /// True if a sample took less than one clock step: then all are meaningless. In a match a player may be so fast.
    pub fn measured_nothing(&self) -> bool {
        let mut samples = self.samples.iter();
        self.games.is_empty() && samples.any(|sample| sample.total_ns == 0)
    }
}
