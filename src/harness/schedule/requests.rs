//! Requests to the executors: within their deadlines and the run's budget, again where a worker was
//! lost.

use std::time::Duration;

use super::{RUN_BUDGET_ENDED, Scheduler, State, Stop, cut_off, over_budget};
use crate::harness::executor::{Lost, Outcome};
use crate::harness::live::{Live, fewest_samples};
use crate::harness::plan::Cell;
use crate::harness::protocol::{CellSpec, Sampled};
use crate::harness::record;
use crate::results::FactRow;
use crate::words::{Answer, Fault, Status};

/// Making a cell ready may take this long: some drivers compile for minutes.
const PREPARE_DEADLINE: Duration = Duration::from_secs(300);
/// A request gets at least this long, however little is left of the run's budget: less is absurd
/// for a driver that has yet to start.
const LEAST_REQUEST: Duration = Duration::from_secs(5);

impl Scheduler<'_> {
    /// Takes samples, making the cell ready again if its worker was lost meanwhile. `None`: the
    /// cell has ended.
    pub(super) fn take(
        &mut self,
        live: &mut Live<'_>,
        count: u64,
        state: &mut State,
    ) -> Result<Option<Vec<Sampled>>, Stop> {
        if !self.ensure(live, state)? {
            return Ok(None);
        }
        let limit = self.bounded(self.experiment.budget.deadline);
        let budget = self.bounded(self.experiment.budget.cell).time;
        let before = self.clock.now();
        let Some(executor) = self.executor(live.cell) else {
            return Ok(None);
        };
        let outcome = executor.sample(live.cell.index, (live.asked, count), budget, limit.time);
        live.spent += self.clock.now().saturating_sub(before);
        match self.settle(live, outcome, limit, state)? {
            None => Ok(None),
            Some(mut samples) => {
                live.asked += samples.len() as u64;
                let before = u64::try_from(before.as_nanos()).unwrap_or(u64::MAX);
                for sample in &mut samples {
                    // From the request's clock to the invocation's.
                    sample.at_ns = sample.at_ns.saturating_add(before);
                }
                for answer in samples.iter().filter_map(|s| s.answer.as_ref()) {
                    live.unchecked.push(answer.clone());
                    live.last_answer = Some(answer.clone());
                    if let Answer::Match(score) = answer {
                        live.games.insert(score.opening, score.clone());
                    }
                }
                Ok(Some(samples))
            }
        }
    }

    /// Whether the worker that it was made ready in is still there.
    pub(super) fn is_ready(&mut self, live: &Live<'_>) -> bool {
        self.executor(live.cell)
            .is_some_and(|executor| live.generation == Some(executor.generation()))
    }

    /// Makes a cell ready that a lost worker took with it. False: the cell has ended.
    pub(super) fn ensure(&mut self, live: &mut Live<'_>, state: &mut State) -> Result<bool, Stop> {
        if self.is_ready(live) {
            return Ok(true);
        }
        let units = live.units;
        Ok(self.make_ready(live, Some(units), state)? && self.limit(live, units, state)?)
    }

    pub(super) fn make_ready(
        &mut self,
        live: &mut Live<'_>,
        positions: Option<u64>,
        state: &mut State,
    ) -> Result<bool, Stop> {
        let spec = self.spec(live.cell, positions);
        let limit = self.bounded(PREPARE_DEADLINE);
        let Some(executor) = self.executor(live.cell) else {
            return Ok(false);
        };
        let outcome = executor.prepare(&spec, limit.time);
        let generation = executor.generation();
        let opened = executor.opened().cloned().unwrap_or_default();
        match self.settle(live, outcome, limit, state)? {
            None => Ok(false),
            Some(prepared) => {
                live.generation = Some(generation);
                live.timer = opened.timer;
                live.clock_step_ns = opened.clock_step_ns;
                live.units = prepared.units;
                for (case, fact, value) in &prepared.facts {
                    if state.facts.insert((case.clone(), fact.clone())) {
                        let row = FactRow {
                            case: case.clone(),
                            fact: fact.clone(),
                            value: *value,
                        };
                        self.sink.fact(&row).map_err(Stop::Broken)?;
                    }
                }
                // A second preparation, after a loss or in a later pass, is not what the set-up time means.
                if live.prepared.setup_ns == 0 {
                    for (name, value) in &prepared.resources {
                        let row = record::resource_row(live.cell, name, *value);
                        self.sink.resource(&row).map_err(Stop::Broken)?;
                    }
                    live.prepared = prepared;
                }
                Ok(true)
            }
        }
    }

    pub(super) fn limit(
        &mut self,
        live: &mut Live<'_>,
        units: u64,
        state: &mut State,
    ) -> Result<bool, Stop> {
        let Some(executor) = self.executor(live.cell) else {
            return Ok(false);
        };
        let outcome = executor.limit(live.cell.index, units as usize);
        // The executor has a short deadline of its own for it.
        let limit = self.bounded(LEAST_REQUEST);
        match self.settle(live, outcome, limit, state)? {
            None => Ok(false),
            Some(units) => {
                if units != live.units {
                    // They are of other positions than the reference's will be.
                    live.unchecked.clear();
                }
                live.units = units;
                Ok(true)
            }
        }
    }

    /// An outcome's answer; or ends the cell with what went wrong. `limit` is the request's.
    fn settle<T>(
        &mut self,
        live: &mut Live<'_>,
        outcome: Outcome<T>,
        limit: Limit,
        state: &mut State,
    ) -> Result<Option<T>, Stop> {
        let (status, reason) = match outcome {
            Ok(Ok(answer)) => return Ok(Some(answer)),
            Ok(Err(fault)) => {
                if let Fault::Device(_) = fault
                    && let Some(executor) = self.executor(live.cell)
                {
                    executor.retire();
                }
                let reason = match fault.log() {
                    Some(log) => self.store_log(live.cell, &fault, log)?,
                    None => fault.to_string(),
                };
                (fault.status(), reason)
            }
            Err(Lost::Interrupted) => return Err(Stop::Interrupted),
            // What was sampled and checked before the run's budget ended is no worse for it.
            Err(Lost::Timeout(_)) if limit.by_run && self.is_worth_a_row(live) => {
                (Status::Ok, cut_off(RUN_BUDGET_ENDED, live))
            }
            Err(lost @ Lost::Timeout(_)) => match self.doubted(live) {
                Some(prediction) => (Status::Skipped, format!("{prediction}; its trial: {lost}")),
                None => (limit.status(), limit.reason(&lost)),
            },
            Err(lost) => (Status::Crashed, lost.to_string()),
        };
        self.end(live, status, &reason, state)?;
        Ok(None)
    }

    /// Stores a build's whole log; the reason is its first lines, and where the rest is.
    fn store_log(&mut self, cell: &Cell, fault: &Fault, log: &str) -> Result<String, Stop> {
        let place = self.sink.log(cell, log).map_err(Stop::Broken)?;
        Ok(format!("{fault}\n(the whole log: {place})"))
    }

    /// Where a cell was predicted to break its budget, and got its trial only because predictions may
    /// be off by a factor: that prediction. A trial that finds no end proves it right.
    fn doubted(&self, live: &Live<'_>) -> Option<String> {
        let needed = live.predicted_ns? as f64 * fewest_samples(self.passes()) as f64;
        let budget = self.experiment.budget.cell;
        let doubted = live.trial.is_none() && needed > budget.as_nanos() as f64;
        doubted.then(|| over_budget(budget, needed))
    }

    /// What is left of the run's budget.
    pub(super) fn left(&self) -> Duration {
        let total = self.experiment.budget.total;
        total.saturating_sub(self.clock.now())
    }

    /// What a request may take: no more than is left of the run's budget, so that a run ends within
    /// that and one request.
    pub(super) fn bounded(&self, wanted: Duration) -> Limit {
        let left = self.left().max(LEAST_REQUEST);
        Limit {
            time: wanted.min(left),
            by_run: left < wanted,
        }
    }

    fn spec(&self, cell: &Cell, positions: Option<u64>) -> CellSpec {
        let opponent = cell.choice.opponent.as_ref().and_then(|label| {
            let other = self
                .experiment
                .techniques
                .iter()
                .find(|t| t.label == *label)?;
            Some((other.technique.clone(), other.params.clone()))
        });
        CellSpec {
            cell: cell.index,
            game: self.experiment.game.clone(),
            technique: cell.choice.technique.clone(),
            task: self.experiment.task,
            case: cell.case.clone(),
            options: self.experiment.options.clone(),
            params: cell.choice.params.clone(),
            seed: self.experiment.seed,
            position: None,
            positions: positions
                .map(|units| units as usize)
                .or(self.experiment.sampling.positions),
            opponent,
        }
    }
}

/// What a request may take.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    pub(super) time: Duration,
    /// It is the run's budget that ends it, not the request's own deadline.
    by_run: bool,
}

impl Limit {
    /// The status of a cell whose request passed it: nobody knows whether it hung where the run's
    /// budget ended it.
    pub(super) fn status(self) -> Status {
        if self.by_run {
            Status::Skipped
        } else {
            Status::Timeout
        }
    }

    pub(super) fn reason(self, lost: &Lost) -> String {
        if self.by_run {
            format!("{RUN_BUDGET_ENDED}: {lost}")
        } else {
            lost.to_string()
        }
    }
}
