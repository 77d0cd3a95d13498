//! Sends requests to executors: within deadlines and the run's budget, and again after a worker was lost.

use std::time::Duration;

use super::state::{Scheduler, State, Stop};
use super::twins::note_counts;
use crate::harness::executor::{Lost, Outcome};
use crate::harness::live::Live;
use crate::harness::plan::Cell;
use crate::harness::protocol::{CellSpec, Sampled, Share};
use crate::harness::record;
use crate::results::FactRow;
use crate::words::{Answer, Fault, Reason, Status};

/// Time that a preparation has beyond the end of the run's budget: one that is under way may still end.
const GRACE: Duration = Duration::from_secs(20);

impl Scheduler<'_> {
    /// Takes samples; prepares the cell again if its worker was lost. `None` if the cell has ended.
    pub(super) fn take(
        &mut self,
        live: &mut Live<'_>,
        count: u64,
        state: &mut State,
    ) -> Result<Option<Vec<Sampled>>, Stop> {
        if !self.ensure(live, state)? {
            return Ok(None);
        }
        let deadline = self.deadline();
        let budget = self.experiment.budget.cell.min(self.left());
        let before = self.clock.now();
        let Some(executor) = self.executor(live.cell) else {
            return Ok(None);
        };
        let outcome = executor.sample(live.cell.index, (live.asked, count), budget, deadline);
        live.in_pass.spent += self.clock.now().saturating_sub(before);
        match self.settle(live, outcome, state)? {
            None => Ok(None),
            Some(mut samples) => {
                live.asked += samples.len() as u64;
                let before = u64::try_from(before.as_nanos()).unwrap_or(u64::MAX);
                for sampled in &mut samples {
                    // Converts from the request's time to the invocation's.
                    let at_ns = &mut sampled.sample.at_ns;
                    *at_ns = at_ns.saturating_add(before);
                    if let Some(answer) = &sampled.answer {
                        live.unchecked.push(answer.clone());
                        live.last_answer = Some(answer.clone());
                        if let Answer::Match(score) = answer {
                            live.games.insert(score.opening, score.clone());
                        }
                    }
                    note_counts(live, self.experiment.task, sampled.sample.counters());
                }
                Ok(Some(samples))
            }
        }
    }

    /// Whether the worker that prepared it still runs.
    pub(super) fn is_ready(&mut self, live: &Live<'_>) -> bool {
        self.executor(live.cell)
            .is_some_and(|executor| live.generation == Some(executor.generation()))
    }

    /// Prepares a cell again if it was lost with its worker. Returns false if the cell has ended.
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
        // A program or a driver may compile for minutes.
        let left = self.left_for(live.cell) + GRACE;
        let deadline = self.deadline().min(left);
        let is_cut = deadline < self.deadline();
        let Some(executor) = self.executor(live.cell) else {
            return Ok(false);
        };
        let outcome = executor.prepare(&spec, deadline);
        let generation = executor.generation();
        let opened = executor.opened().cloned().unwrap_or_default();
        if let Err(lost @ Lost::Timeout(time)) = &outcome
            && is_cut
        {
            self.note_hung(live.cell, *time, state);
            let reason = format!("the run's budget ended before it was ready: {lost}");
            self.end(live, Status::Skipped, Reason::Told(reason), state)?;
            return Ok(false);
        }
        match self.settle(live, outcome, state)? {
            None => Ok(false),
            Some(prepared) => {
                live.generation = Some(generation);
                live.opened = opened;
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
                // Only the first preparation counts as set-up time, not one after a loss or in a later pass.
                if live.prepared.setup_ns == 0 {
                    for (name, value) in &prepared.resources {
                        let row = record::resource_row(live.cell, name, *value);
                        self.sink.resource(live.cell, &row).map_err(Stop::Broken)?;
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
        let deadline = self.deadline();
        let Some(executor) = self.executor(live.cell) else {
            return Ok(false);
        };
        let outcome = executor
            .limit(live.cell.index, units as usize, deadline)
            .map(Ok);
        match self.settle(live, outcome, state)? {
            None => Ok(false),
            Some(units) => {
                if units != live.units {
                    // The reference's answers will be for other positions.
                    live.unchecked.clear();
                }
                live.units = units;
                Ok(true)
            }
        }
    }

    /// Frees what the worker holds of a cell.
    pub(super) fn forget(&mut self, cell: &Cell) -> Result<(), Lost> {
        let deadline = self.deadline();
        match self.executor(cell) {
            Some(executor) => executor.forget(cell.index, deadline),
            None => Ok(()),
        }
    }

    /// The answer of an outcome; otherwise ends the cell with the failure.
    pub(super) fn settle<T>(
        &mut self,
        live: &mut Live<'_>,
        outcome: Outcome<T>,
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
                    Some(log) => {
                        let place = self.sink.log(live.cell, log).map_err(Stop::Broken)?;
                        format!("{fault}\n(the whole log: {place})")
                    }
                    None => fault.to_string(),
                };
                (fault.status(), reason)
            }
            Err(Lost::Interrupted) => return Err(Stop::Interrupted),
            Err(lost @ Lost::Timeout(time)) => {
                self.note_hung(live.cell, time, state);
                (Status::Timeout, lost.to_string())
            }
            Err(lost) => (Status::Crashed, lost.to_string()),
        };
        self.end(live, status, Reason::Told(reason), state)?;
        Ok(None)
    }

    /// Records the time of a worker that did not answer, which is not charged to other devices or the host.
    pub(super) fn note_hung(&mut self, cell: &Cell, time: Duration, state: &mut State) {
        *self.hung.entry(cell.on.place()).or_default() += time;
        state.pass_ends += time;
    }

    /// Total time of workers that did not answer.
    pub(super) fn time_hung(&self) -> Duration {
        self.hung.values().sum()
    }

    /// Time left in the run's budget. The time of hanging workers is added back, up to the whole budget, so that the
    /// baselines are still measured; a run ends within twice its budget.
    pub(super) fn left(&self) -> Duration {
        self.left_with(self.time_hung())
    }

    /// Time left for a cell to start; its own device's hanging is not added back.
    pub(super) fn left_for(&self, cell: &Cell) -> Duration {
        let own = self.hung.get(&cell.on.place()).copied().unwrap_or_default();
        self.left_with(self.time_hung() - own)
    }

    fn left_with(&self, given_back: Duration) -> Duration {
        let total = self.experiment.budget.total;
        (total + given_back.min(total)).saturating_sub(self.clock.now())
    }

    /// Deadline of a request, independent of the run's budget: without an answer by then the worker counts as hanging.
    /// A run exceeds its budget by at most one request.
    pub(super) fn deadline(&self) -> Duration {
        self.experiment.budget.request()
    }

    pub(super) fn spec(&self, cell: &Cell, positions: Option<u64>) -> CellSpec {
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
            share: self.experiment.sampling.shard.map(|shard| Share {
                first: shard.index(0),
                step: shard.of as u64,
                count: self.experiment.sampling.max_samples as u64,
            }),
        }
    }
}
