//! Keeps the state of each cell during a run.

use std::collections::{BTreeMap, HashSet};

use super::plan::{Cell, CellNames};
use super::protocol::{Opened, Prepared, Sampled};
use super::resume::ResumedCell;
use super::stop_rule::{self, Games, InPass};
use crate::results::Sample;
use crate::words::{Answer, Counters, Reason, Status, Warning};

pub enum State {
    /// The trial has not started.
    Waiting,
    /// The trial has measured the cost. Contains the number of units in the trial and the trial's sample.
    Trial(u64, Box<Sampled>),
    /// The cell takes samples in these passes of the run.
    Sampling(Vec<u64>),
    /// The cell has ended with this status and reason. For `ok`, the reason is the sampling condition that was not met.
    Done(Status, Reason),
}

/// Summarises the samples that the cell took in this run, except for their times and counters.
#[derive(Default)]
pub struct Launches {
    /// True if at least one sample has no trusted times for its parts.
    pub untrusted: bool,
    pub longest_ns: u64,
    /// Number of idle workers that left a launch early (maximum over the launches).
    pub workers_left: u64,
    /// Number of samples that report who answered, and the numbers of positions that host and device answered in them.
    pub answered: (usize, [u64; 2]),
}

#[derive(Default)]
pub struct Answers {
    /// The cell's own answer, if the cell is a reference.
    pub reference: Option<Answer>,
    /// The last answer that the worker sent in full.
    pub last: Option<Answer>,
    /// Answers not yet compared with the reference. A worker sends an answer only if it has changed.
    pub unchecked: Vec<Answer>,
    /// A reference answer computed only for this cell, for example because its device chose the shape.
    pub expected: Option<Answer>,
    /// Best moves that differ from the reference's but are equally good: `(position, move)`.
    pub approved: HashSet<(usize, String)>,
    pub counted: Counted,
}

/// A cell's counters, by the number of units per sample.
#[derive(Default)]
pub struct Counted {
    pub found: BTreeMap<u64, Counters>,
    /// Counters from a reference outside the run.
    pub expected: BTreeMap<u64, Counters>,
    /// Counters from a search with a fixed number of iterations. Used for a cell with a time limit.
    pub by_iterations: Option<Counters>,
    /// The error in a sample's counters, if any.
    pub wrong: Option<String>,
}

pub struct CellState<'p> {
    pub cell: &'p Cell,
    pub names: CellNames,
    pub state: State,
    /// True if the folder has the cell's complete row. The cell is timed again only for comparison with new cells.
    pub kept: bool,
    /// True if an earlier invocation started the cell but did not finish it. Its samples determine the cell's cost.
    pub resumed: bool,
    pub in_pass: InPass,
    /// Warnings about the host during the cell's passes.
    pub warnings: Vec<Warning>,
    /// The result of the first preparation. Its `units` are the maximum number of units in a sample.
    pub prepared: Prepared,
    /// Generation of the worker that prepared the cell. `opened` is this worker's report after opening its device.
    pub worker: Option<u64>,
    pub opened: Opened,
    pub units: u64,
    /// Cost per unit in the trial, ns.
    pub ns_per_unit: f64,
    /// Cost of a sample as predicted before the trial, ns.
    pub predicted_ns: Option<u64>,
    /// Number of samples taken by workers, including untimed ones.
    pub asked: u64,
    /// In a match, all games so far, including games in untimed samples. A pair that is played again is counted once.
    pub games: Games,
    /// All samples. The first `earlier` are from earlier invocations, and the first `stored` are already in the folder.
    pub samples: Vec<Sample>,
    pub earlier: usize,
    pub stored: usize,
    pub launches: Launches,
    pub answers: Answers,
}

impl<'p> CellState<'p> {
    /// Creates a cell with its samples from earlier invocations.
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

    /// Returns the number of passes in which the cell has samples, over all invocations.
    pub fn passes_taken(&self) -> usize {
        let passes: HashSet<_> = self.samples.iter().map(Sample::pass).collect();
        passes.len()
    }

    /// True if the cell is still being measured, in this pass or a later one.
    pub fn running(&self) -> bool {
        !matches!(self.state, State::Done(..))
    }

    /// True if the cell ended with the status `ok`.
    pub fn ended_well(&self) -> bool {
        matches!(self.state, State::Done(Status::Ok, _))
    }

    /// Returns the passes of this run in which the cell takes samples.
    pub fn passes(&self) -> &[u64] {
        match &self.state {
            State::Sampling(passes) => passes,
            _ => &[],
        }
    }

    /// True if the cell still needs samples in a pass.
    pub fn lacks(&self, pass: u64) -> bool {
        !self.in_pass.rests && self.passes().contains(&pass)
    }

    /// Limits `units` to the number of units in the whole cell.
    pub fn fit(&self, units: u64) -> u64 {
        units.min(self.prepared.units).max(1)
    }

    /// Returns the time per sample according to the trial, in ns.
    pub fn sample_ns(&self) -> f64 {
        self.ns_per_unit * self.units as f64
    }

    /// Returns the cost of a sample, as used by the stop rule and the interval.
    pub fn cost(&self, sample: &Sample) -> u64 {
        stop_rule::cost(&self.cell.case, sample)
    }

    /// True if a sample took no measurable time, except in a match, in which a player may be that fast.
    pub fn measured_nothing(&self) -> bool {
        let mut samples = self.samples.iter();
        self.games.is_empty() && samples.any(|sample| sample.total_ns == 0)
    }
}
