//! The workers of a run and its budget: requests with deadlines, and the time that is left.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::clock::Clock;
use super::executor::{Executor, Lost, Outcome};
use super::plan::{Cell, Processor};
use super::protocol::{CellSpec, Prepared, Share};
use crate::config::Experiment;
use crate::words::{Answer, Counters, Fault, Reason, Status, Task};

/// Time that a preparation has beyond the end of the run's budget: one that is under way may still end.
const GRACE: Duration = Duration::from_secs(20);

/// Why a run stops.
pub enum Stop {
    /// The user asked for it.
    Interrupted,
    /// A row could not be written.
    Broken(anyhow::Error),
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Stop::Broken(error)
    }
}

/// What is wrong with an answer: the status and the reason of its cell.
pub type Wrong = (Status, String);

/// Why a request has no answer: the technique's fault, or a lost worker.
pub enum Failure {
    Fault(Fault),
    Lost(Lost),
}

impl Failure {
    /// The status of a cell that ends with it.
    pub fn status(&self) -> Status {
        match self {
            Failure::Fault(fault) => fault.status(),
            Failure::Lost(Lost::Timeout(_)) => Status::Timeout,
            Failure::Lost(_) => Status::Crashed,
        }
    }

    /// The status and the reason of a cell that ends with it.
    pub fn ends(&self) -> (Status, String) {
        (self.status(), self.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Fault(fault) => fault.fmt(f),
            Failure::Lost(lost) => lost.fmt(f),
        }
    }
}

/// An answer or its failure, unless the run stops.
pub type Asked<T> = Result<Result<T, Failure>, Stop>;

/// An answer outside all samples.
pub struct Told {
    pub prepared: Prepared,
    pub answer: Answer,
    pub counters: Counters,
}

/// The workers of a run.
pub struct Machine<'a> {
    pub experiment: &'a Experiment,
    /// Executes the CPU techniques.
    pub host: &'a mut dyn Executor,
    /// Execute the device techniques, in the order of the run's targets.
    pub devices: Vec<&'a mut dyn Executor>,
    pub clock: &'a dyn Clock,
    /// Set when the user requests a stop after the current request.
    pub stop: &'a AtomicBool,
    /// Time of workers that did not answer, by device (`None`: the host). It is not charged to other devices or the
    /// host.
    pub hung: BTreeMap<Option<usize>, Duration>,
}

impl Machine<'_> {
    /// The worker of a cell; `None` without a device.
    pub fn executor(&mut self, cell: &Cell) -> Option<&mut dyn Executor> {
        match cell.on {
            Processor::Host => Some(&mut *self.host),
            Processor::Device(place) => Some(&mut **self.devices.get_mut(place)?),
            Processor::NoDevice => None,
        }
    }

    /// Sends a request to a cell's worker. A worker that refuses every further command is replaced, and the time of one
    /// that did not answer is noted.
    pub fn call<T>(
        &mut self,
        cell: &Cell,
        request: impl FnOnce(&mut dyn Executor) -> Outcome<T>,
    ) -> Asked<T> {
        let Some(executor) = self.executor(cell) else {
            let none = Fault::Unsupported("there is no device".to_owned());
            return Ok(Err(Failure::Fault(none)));
        };
        Ok(Err(match request(executor) {
            Ok(Ok(answer)) => return Ok(Ok(answer)),
            Ok(Err(fault)) => {
                if let Fault::Device(_) = fault {
                    executor.retire();
                }
                Failure::Fault(fault)
            }
            Err(Lost::Interrupted) => return Err(Stop::Interrupted),
            Err(lost) => {
                if let Lost::Timeout(time) = lost {
                    *self.hung.entry(cell.on.place()).or_default() += time;
                }
                Failure::Lost(lost)
            }
        }))
    }

    /// Time limit of a cell's preparation.
    pub fn ready_by(&self, cell: &Cell) -> Duration {
        // A program or a driver may compile for minutes.
        self.deadline().min(self.left_for(cell) + GRACE)
    }

    /// The reason of a cell that is not ready because the run's budget ended; `None` if that is not why it failed.
    pub fn not_ready(&self, failure: &Failure, by: Duration) -> Option<String> {
        match failure {
            Failure::Lost(lost @ Lost::Timeout(time)) if *time == by && by < self.deadline() => {
                Some(format!(
                    "the run's budget ended before it was ready: {lost}"
                ))
            }
            _ => None,
        }
    }

    /// Prepares a cell outside the plan and takes an answer. The cell stays prepared. `by`: the limit of its preparation.
    pub fn ask(
        &mut self,
        cell: &Cell,
        task: Task,
        positions: Option<u64>,
        by: Duration,
    ) -> Asked<Told> {
        let spec = self.spec_outside(cell, task, positions);
        let deadline = self.deadline();
        self.call(cell, |worker| {
            let prepared = match worker.prepare(&spec, by)? {
                Ok(prepared) => prepared,
                Err(fault) => return Ok(Err(fault)),
            };
            let samples = match worker.sample(cell.index, (0, 1), deadline, deadline)? {
                Ok(samples) => samples,
                Err(fault) => return Ok(Err(fault)),
            };
            let told = samples
                .into_iter()
                .find_map(|sampled| Some((sampled.answer?, sampled.sample.counters())));
            match told {
                Some((answer, counters)) => Ok(Ok(Told {
                    prepared,
                    answer,
                    counters,
                })),
                None => Err(Lost::Crashed("it sent no answer".to_owned())),
            }
        })
    }

    /// Frees what the worker holds of a cell.
    pub fn forget(&mut self, cell: &Cell) -> Asked<()> {
        let deadline = self.deadline();
        match cell.on {
            Processor::NoDevice => Ok(Ok(())),
            _ => self.call(cell, |worker| worker.forget(cell.index, deadline).map(Ok)),
        }
    }

    /// Ends all workers. The next requests start others.
    pub fn new_workers(&mut self) {
        self.host.retire();
        self.devices.iter_mut().for_each(|device| device.retire());
    }

    /// Fails if the user requests a stop.
    pub fn check_stop(&self) -> Result<(), Stop> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(Stop::Interrupted),
            false => Ok(()),
        }
    }

    /// Total time of workers that did not answer.
    pub fn time_hung(&self) -> Duration {
        self.hung.values().sum()
    }

    /// Time left in the run's budget. The time of hanging workers is added back, up to the whole budget, so that the
    /// baselines are still measured; a run ends within twice its budget.
    pub fn left(&self) -> Duration {
        self.left_with(self.time_hung())
    }

    /// Time left for a cell to start; its own device's hanging is not added back.
    pub fn left_for(&self, cell: &Cell) -> Duration {
        let own = self.hung.get(&cell.on.place()).copied().unwrap_or_default();
        self.left_with(self.time_hung() - own)
    }

    fn left_with(&self, given_back: Duration) -> Duration {
        let total = self.experiment.budget.total;
        (total + given_back.min(total)).saturating_sub(self.clock.now())
    }

    /// The reason of cells whose turn comes after the end of the run's budget.
    pub fn budget_spent(&self) -> Reason {
        Reason::BudgetSpent {
            budget_ns: self.experiment.budget.total.as_nanos() as u64,
            hung_ns: self.time_hung().as_nanos() as u64,
        }
    }

    /// Deadline of a request, independent of the run's budget: without an answer by then the worker counts as hanging.
    /// A run exceeds its budget by at most one request.
    pub fn deadline(&self) -> Duration {
        self.experiment.budget.request()
    }

    /// A cell outside the plan as a request.
    pub fn spec_outside(&self, cell: &Cell, task: Task, positions: Option<u64>) -> CellSpec {
        CellSpec {
            task,
            opponent: None,
            share: None,
            ..self.spec(cell, positions)
        }
    }

    /// A cell as a request. `positions`: the most in a sample; `None` for the experiment's.
    pub fn spec(&self, cell: &Cell, positions: Option<u64>) -> CellSpec {
        let experiment = self.experiment;
        let opponent = cell.choice.opponent.as_ref();
        let opponent = opponent.and_then(|label| experiment.choice(label));
        let sampling = &experiment.sampling;
        CellSpec {
            cell: cell.index,
            game: experiment.game.clone(),
            technique: cell.choice.technique.clone(),
            task: experiment.task,
            case: cell.case.clone(),
            options: experiment.options.clone(),
            params: cell.choice.params.clone(),
            seed: experiment.seed,
            position: None,
            positions: positions.map(|units| units as usize).or(sampling.positions),
            opponent: opponent.map(|it| (it.technique.clone(), it.params.clone())),
            share: sampling.shard.map(|shard| Share {
                first: shard.index(0),
                step: shard.of as u64,
                count: sampling.max_samples as u64,
            }),
        }
    }
}
