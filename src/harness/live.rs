//! A cell while it is being measured.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::begun::{Begun, Taken};
use super::plan::{Cell, CellNames};
use super::protocol::{Prepared, Sampled};
use crate::config::Sampling;
use crate::stats::Summary;
use crate::stats::passes::FEWEST_PASSES;
use crate::words::{Answer, Counters, Limit, MatchScore, Reason, Status, Warning, cost_fs};

/// Fewer samples than this have no interval: a cell that cannot take them within its budget is
/// skipped.
pub const FEWEST_SAMPLES: usize = 2;

/// A batch of samples is asked for so many nanoseconds, so that the protocol costs nothing.
pub const BATCH_NS: u64 = 20_000_000;
/// Turns that a cell of short samples has at least in a pass, unless its budget ends: four rounds of A B B A. A processor has
/// states that last for milliseconds; with two turns a pass, the ratio of a program to itself varied two
/// to three times as much from pass to pass as its samples explain.
pub const TURNS: u64 = 8;

/// How a cell ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// Its status.
    pub status: Status,
    /// Why; for `ok`, what was not met.
    pub reason: Reason,
}

/// What a cell of a case under way is measured for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It has no row yet.
    Measure,
    /// It has a row, and is timed again beside the case's new cells, which are compared with it.
    TimeAgain,
    /// It has a row, and only its answers are wanted.
    AnswersOnly,
}

/// A cell while it is being measured.
pub struct Live<'p> {
    /// The cell.
    pub cell: &'p Cell,
    /// By what the rows know it.
    pub names: CellNames,
    /// Whether it has a row already, and what it is here for then.
    pub purpose: Purpose,
    /// A cell that an earlier invocation began and did not finish: what it costs, its samples tell.
    pub goes_on: bool,
    /// Samples that the folder has already.
    pub stored: usize,
    /// Passes of this run that it takes part in, chosen when its cost is known.
    pub passes: Vec<u64>,
    /// It has enough samples of the pass under way.
    pub rests: bool,
    /// What was wrong with the host in its passes.
    pub warnings: Vec<Warning>,
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
    /// The samples.
    pub samples: Vec<Taken>,
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
    /// The answer of a reference that was asked for this cell alone, in the shape that its device chose.
    pub expected: Option<Answer>,
    /// What a sample counts, by its units.
    pub counted: BTreeMap<u64, Counters>,
    /// What a technique outside the run counts that is to count the same, by units.
    pub twin: BTreeMap<u64, Counters>,
    /// What was counted by iterations before the clock decided.
    pub proof: Option<Counters>,
    /// What is wrong with a sample's counts.
    pub miscounted: Option<String>,
    /// Best moves other than the reference's that were found as good: `(position, move)`.
    pub approved: HashSet<(usize, String)>,
    /// How it ended; `None` while it is measured.
    pub ending: Option<Ending>,
}

impl<'p> Live<'p> {
    /// A cell to be measured.
    pub fn new(cell: &'p Cell, names: CellNames) -> Self {
        Self {
            cell,
            names,
            purpose: Purpose::Measure,
            goes_on: false,
            stored: 0,
            passes: Vec::new(),
            rests: false,
            warnings: Vec::new(),
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
            expected: None,
            counted: BTreeMap::new(),
            twin: BTreeMap::new(),
            proof: None,
            miscounted: None,
            approved: HashSet::new(),
            ending: None,
        }
    }

    /// A cell that was cut off, with what was sampled of it. A match's next game is from the opening after
    /// those.
    pub fn going_on(cell: &'p Cell, names: CellNames, begun: Begun) -> Self {
        Self {
            goes_on: true,
            ..Self::with(cell, names, begun)
        }
    }

    /// A cell with samples of earlier invocations.
    fn with(cell: &'p Cell, names: CellNames, begun: Begun) -> Self {
        Self {
            asked: begun.games.len() as u64,
            games: begun.games,
            stored: begun.samples.len(),
            samples: begun.samples,
            ..Self::new(cell, names)
        }
    }

    /// A cell that has a row.
    pub fn kept(cell: &'p Cell, names: CellNames, begun: Option<Begun>) -> Self {
        Self {
            purpose: Purpose::AnswersOnly,
            ..Self::with(cell, names, begun.unwrap_or_default())
        }
    }

    /// Whether it takes part in a pass of this run.
    pub fn is_in(&self, pass: u64) -> bool {
        self.passes.contains(&pass)
    }

    /// The last pass that it takes part in.
    pub fn last_pass(&self) -> u64 {
        self.passes.iter().max().copied().unwrap_or(1)
    }

    /// Passes, of whatever invocation, that it has samples of.
    pub fn passes_taken(&self) -> usize {
        let passes = self.samples.iter();
        let passes: HashSet<_> = passes.map(|it| (it.invocation.as_str(), it.pass)).collect();
        passes.len()
    }

    /// Its samples of a pass of an invocation.
    pub fn of_pass<'t>(
        &'t self,
        invocation: &'t str,
        pass: u64,
    ) -> impl Iterator<Item = &'t Sampled> {
        let own = move |taken: &&Taken| taken.pass == pass && taken.invocation == invocation;
        self.samples.iter().filter(own).map(|taken| &taken.sampled)
    }

    /// Readies it for the next pass.
    pub fn begin_pass(&mut self) {
        self.rests = false;
        self.turns = 0;
        self.spent = Duration::ZERO;
        self.spent_trial = Duration::ZERO;
        self.spent_sampling = Duration::ZERO;
    }

    /// Whether it gets timed samples.
    pub fn is_timed(&self) -> bool {
        self.purpose != Purpose::AnswersOnly
    }

    /// Whether it is still measured, in this pass or a later one.
    pub fn running(&self) -> bool {
        self.ending.is_none()
    }

    /// As many units as asked, but no more than there are.
    pub fn fit(&self, units: u64) -> u64 {
        units.min(self.most_units).max(1)
    }

    /// What of a sample is to be known closely enough: its time, or where the clock decides how much is
    /// done, what a playout cost.
    pub fn cost(&self, sample: &Sampled) -> u64 {
        let by_playout = self.cell.case.is_clocked();
        let playouts = if by_playout {
            sample.counters.playouts
        } else {
            0
        };
        cost_fs(sample.total_ns, playouts).unwrap_or(sample.total_ns)
    }

    /// Whether a sample took less than a step of the clock: what the others took is not known either. In a
    /// match a player may think for no time at all.
    pub fn measured_nothing(&self) -> bool {
        let mut samples = self.samples.iter();
        self.games.is_empty() && samples.any(|taken| taken.sampled.total_ns == 0)
    }

    /// What its samples of a pass cost, each.
    pub fn costs_of(&self, invocation: &str, pass: u64) -> Vec<u64> {
        self.of_pass(invocation, pass)
            .map(|it| self.cost(it))
            .collect()
    }

    /// Whether it has enough samples of the pass under way; then whether its condition was met.
    pub fn enough(&self, rule: &PassRule<'_>) -> Option<Reason> {
        if self.measured_nothing() {
            return Some(Reason::Met);
        }
        let times = match rule.is_match {
            true => self
                .samples
                .iter()
                .map(|taken| self.cost(&taken.sampled))
                .collect(),
            false => self.costs_of(rule.invocation, rule.pass),
        };
        let (taken, target) = (times.len(), rule.sampling.target);
        let spent = self.spent_trial + self.spent_sampling;
        if taken >= rule.fewest() {
            let width = Summary::of(&times, rule.seed).and_then(|s| s.relative_half_width());
            if self.turns >= rule.turns(spent / self.turns.max(1) as u32)
                && width.is_some_and(|width| width <= target)
            {
                return Some(Reason::Met);
            }
            let limit = if taken >= rule.most() {
                Limit::Samples
            } else if spent >= rule.share {
                Limit::Share
            } else {
                return None;
            };
            return Some(Reason::Wide {
                half_width: width,
                target,
                limit,
            });
        }
        // A cell that long gets no more where its budget would break; nor is a trial that promised
        // too much followed for ever.
        let each = self
            .spent_sampling
            .checked_div(taken as u32)
            .unwrap_or_default();
        let ends = taken >= rule.least() && spent + each > rule.budget;
        (ends || taken > 0 && self.spent > rule.budget * 2).then_some(Reason::FewSamples(taken))
    }
}

/// When a cell has enough samples of a pass.
pub struct PassRule<'a> {
    /// The rules of the whole run.
    pub sampling: &'a Sampling,
    /// Id of the invocation under way.
    pub invocation: &'a str,
    /// Its pass.
    pub pass: u64,
    /// How many passes it makes.
    pub passes: u64,
    /// A match that was stopped counts the games of before.
    pub is_match: bool,
    /// Bounds the time for the fewest samples, beside the trial's.
    pub budget: Duration,
    /// Bounds the time for a narrower interval, likewise.
    pub share: Duration,
    /// Seeds the bootstrap.
    pub seed: u64,
}

impl PassRule<'_> {
    /// Samples that a pass has at the fewest.
    pub fn fewest(&self) -> usize {
        self.sampling.min_samples.div_ceil(self.passes as usize)
    }

    /// Samples that a pass has at the most.
    pub fn most(&self) -> usize {
        let share = self.sampling.max_samples.div_ceil(self.passes as usize);
        share.max(self.fewest())
    }

    /// Turns that a cell has at least in a pass, by what each takes. A long one sees several of the
    /// processor's states by itself.
    fn turns(&self, each: Duration) -> u64 {
        match each.as_nanos() {
            nanos if nanos <= u128::from(BATCH_NS) => TURNS,
            _ if self.passes == 1 => TURNS / 2,
            _ => TURNS / 4,
        }
    }

    /// Samples without which a pass says nothing of a cell, however long they take.
    fn least(&self) -> usize {
        if self.passes == 1 { FEWEST_SAMPLES } else { 1 }
    }
}

/// Samples that a cell must have time for in a run of so many passes.
pub fn fewest_samples(passes: u64) -> usize {
    match passes as usize {
        FEWEST_PASSES.. => FEWEST_PASSES,
        _ => FEWEST_SAMPLES,
    }
}

/// Which passes of a run a cell takes part in that has time for some of them alone: the first, the last,
/// and those that halve the widest gaps, so that the passes of a cell are among those of every cell with
/// more.
pub fn chosen_passes(count: u64, passes: u64) -> Vec<u64> {
    let mut chosen = vec![1];
    if passes > 1 && count > 1 {
        chosen.push(passes);
    }
    while (chosen.len() as u64) < count.min(passes) {
        let mut sorted = chosen.clone();
        sorted.sort_unstable();
        let widest = sorted.windows(2).rev().max_by_key(|pair| pair[1] - pair[0]);
        match widest {
            Some(pair) if pair[1] - pair[0] > 1 => chosen.push(pair[0].midpoint(pair[1])),
            _ => break,
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passes_of_a_long_cell_are_among_those_of_a_shorter_one() {
        for passes in 1..12 {
            let mut before: Vec<u64> = Vec::new();
            for count in 1..=passes {
                let mut chosen = chosen_passes(count, passes);
                assert_eq!(chosen.len() as u64, count, "{count} of {passes}");
                assert!(before.iter().all(|pass| chosen.contains(pass)));
                assert!(chosen.iter().all(|pass| (1..=passes).contains(pass)));
                chosen.sort_unstable();
                chosen.dedup();
                assert_eq!(chosen.len() as u64, count);
                before = chosen;
            }
        }
        assert_eq!(chosen_passes(3, 5), [1, 5, 3]);
    }
}
