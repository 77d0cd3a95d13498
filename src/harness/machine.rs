//! Sends requests to a run's workers within the run's deadlines and time budget.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::clock::Clock;
use super::executor::{Executor, Failure, Lost};
use super::plan::{Cell, Processor};
use super::protocol::{CellSpec, Share};
use super::reference::{Host, Told};
use crate::config::Experiment;
use crate::words::{Fault, Params, Reason, Task};

/// Extra time for a preparation that is in progress when the run's budget ends.
const GRACE: Duration = Duration::from_secs(20);

pub enum Stop {
    Interrupted,
    /// A row could not be written.
    Broken(anyhow::Error),
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Stop::Broken(error)
    }
}

/// A result, or the reason why the run stops.
pub type Result<T = (), E = Stop> = std::result::Result<T, E>;

/// The answer to a request or the request's failure, or the reason why the run stops.
pub type Asked<T> = Result<Result<T, Failure>>;

pub struct Machine<'a> {
    pub experiment: &'a Experiment,
    /// Executes requests for CPU techniques.
    pub host: &'a mut dyn Executor,
    /// Executors that handle requests for device techniques, in the order of the run's targets.
    pub devices: Vec<&'a mut dyn Executor>,
    pub clock: &'a dyn Clock,
    pub stop: &'a AtomicBool,
    /// Time lost to workers that did not answer, by device index (`None` for the host).
    pub hung: BTreeMap<Option<usize>, Duration>,
}

/// Executes a request. Ends the worker after a device fault, because the driver may then refuse all its commands.
pub fn request<T>(
    executor: &mut dyn Executor,
    request: impl FnOnce(&mut dyn Executor) -> Result<T, Failure>,
) -> Result<Result<T, Failure>, Lost> {
    let answer = request(executor);
    match answer {
        Err(Failure::Lost(Lost::Interrupted)) => return Err(Lost::Interrupted),
        Err(Failure::Fault(Fault::Device(_))) => executor.retire(),
        _ => {}
    }
    Ok(answer)
}

impl Machine<'_> {
    pub fn executor(&mut self, on: Processor) -> Option<&mut dyn Executor> {
        match on {
            Processor::Host => Some(&mut *self.host),
            Processor::Device(place) => Some(&mut **self.devices.get_mut(place)?),
            Processor::NoDevice => None,
        }
    }

    /// Executes a request, and records the time lost to a worker that did not answer.
    pub fn call<T>(
        &mut self,
        on: Processor,
        request: impl FnOnce(&mut dyn Executor) -> Result<T, Failure>,
    ) -> Asked<T> {
        let Some(executor) = self.executor(on) else {
            return Ok(Err(
                Fault::Unsupported("there is no device".to_owned()).into()
            ));
        };
        let asked = self::request(executor, request).map_err(|_| Stop::Interrupted)?;
        if let Err(Failure::Lost(Lost::Timeout(time))) = asked {
            *self.hung.entry(on.place()).or_default() += time;
        }
        Ok(asked)
    }

    /// Returns the time limit for a cell's preparation.
    pub fn ready_by(&self, cell: &Cell) -> Duration {
        // A program or a driver may compile for minutes.
        self.deadline().min(self.left_for(cell) + GRACE)
    }

    /// If a cell's preparation failed only because the run's budget ended, returns this as the cell's reason.
    pub fn not_ready(&self, failure: &Failure, by: Duration) -> Option<String> {
        let is_late = matches!(failure, Failure::Lost(Lost::Timeout(time)) if *time == by);
        let is_by_budget = is_late && by < self.deadline();
        is_by_budget.then(|| format!("the run's budget ended before it was ready: {failure}"))
    }

    /// Asks another technique on the host for a cell's answer, outside the plan.
    pub fn ask_host(&mut self, cell: &Cell, name: &str, shape: &Params, units: u64) -> Asked<Told> {
        let spec = self.spec_outside(cell, self.experiment.task, Some(units));
        let deadline = self.deadline();
        self.call(Processor::Host, |worker| {
            Host::new(worker, deadline).ask(name, &spec, shape)
        })
    }

    /// Frees the worker's data for a cell.
    pub fn forget(&mut self, cell: &Cell) -> Asked<()> {
        let deadline = self.deadline();
        match cell.on {
            Processor::NoDevice => Ok(Ok(())),
            on => self.call(on, |worker| worker.forget(cell.index, deadline)),
        }
    }

    /// Ends all workers. The next requests start new ones.
    pub fn new_workers(&mut self) {
        self.host.retire();
        self.devices.iter_mut().for_each(|device| device.retire());
    }

    /// Fails if the user has requested a stop.
    pub fn check_stop(&self) -> Result {
        let stops = self.stop.load(Ordering::Relaxed);
        if stops {
            Err(Stop::Interrupted)
        } else {
            Ok(())
        }
    }

    /// Returns the total time lost to workers that did not answer.
    pub fn time_hung(&self) -> Duration {
        self.hung.values().sum()
    }

    /// Returns the time left in the run's budget. Time lost to hung workers is added back, up to the budget's size.
    pub fn left(&self) -> Duration {
        self.left_with(self.time_hung())
    }

    /// Returns the time left to start a cell. Time lost to hung workers is added back, except on the cell's own device.
    pub fn left_for(&self, cell: &Cell) -> Duration {
        let own = self.hung.get(&cell.on.place()).copied().unwrap_or_default();
        self.left_with(self.time_hung() - own)
    }

    fn left_with(&self, given_back: Duration) -> Duration {
        let total = self.experiment.budget.total;
        (total + given_back.min(total)).saturating_sub(self.clock.now())
    }

    /// Returns the reason for cells that had not started when the run's budget ended.
    pub fn budget_spent(&self) -> Reason {
        Reason::BudgetSpent {
            budget_ns: self.experiment.budget.total.as_nanos() as u64,
            hung_ns: self.time_hung().as_nanos() as u64,
        }
    }

    /// Returns the time limit for a request. A worker that has not answered by then is considered hung.
    pub fn deadline(&self) -> Duration {
        self.experiment.budget.request()
    }

    /// Converts a cell to a request outside the plan: with this `task`, and without an opponent or a share of a match.
    pub fn spec_outside(&self, cell: &Cell, task: Task, positions: Option<u64>) -> CellSpec {
        CellSpec {
            task,
            opponent: None,
            share: None,
            ..self.spec(cell, positions)
        }
    }

    /// Converts a cell to a request. `positions` limits the positions per sample. `None` means the experiment's limit.
    pub fn spec(&self, cell: &Cell, positions: Option<u64>) -> CellSpec {
        let experiment = self.experiment;
        let opponent = cell.choice.opponent.as_ref();
        let opponent = opponent.and_then(|label| experiment.choice(label));
        let sampling = &experiment.sampling;
        let both = [experiment.options.clone(), cell.choice.params.clone()];
        CellSpec {
            cell: cell.index,
            positions: positions.map(|units| units as usize).or(sampling.positions),
            opponent: opponent.map(|it| (it.technique.clone(), it.params.clone())),
            share: sampling.shard.map(|shard| Share {
                first: shard.index(0),
                step: shard.of as u64,
                count: sampling.max_samples as u64,
            }),
            ..CellSpec::of(
                &cell.entry,
                experiment.task,
                cell.case.clone(),
                both,
                experiment.seed,
            )
        }
    }
}
