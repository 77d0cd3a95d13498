//! Searches for a technique's best launch parameters on one device.
//!
//! Measurements are those of a run: by the [`Scheduler`](super::schedule::Scheduler), checked against the answer of
//! the reference, with the values of a parameter interleaved with each other and with the current best. The search is
//! coordinate descent from the defaults: one parameter after another, until none improves or the technique's budget
//! ends. A value wins only if its interval lies entirely below the old one's. The result counts only if it beats the
//! defaults by the same rule in a final comparison of the two, because the best of many noisy values is often just
//! lucky.

mod apart;
mod begin;
mod compare;

use std::cell::Cell as Shared;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::begun::Earlier;
use super::clock::Clock;
use super::executor::Executor;
use super::host::{HostWatch, ProcWatch, WallClock};
use super::plan::Target;
use super::schedule::Progress;
use super::workers::Workers;
use crate::config::{Experiment, TechniqueChoice, Timing, Tried, TunedTechnique};
use crate::results::MeasurementRow;
use crate::words::{Case, Catalogue, Params, Status, TechniqueEntry, Value};

/// With fewer samples a value is not judged: the interval of their median covers it in less than 95 % of
/// cases, however narrow it is.
const FEWEST_TO_JUDGE: usize = 6;
/// Limit of the searches of one parameter.
const MOST_SWEEPS: usize = 3;

/// The parameters of a tuning command.
pub struct TuneRequest<'a> {
    /// All games and techniques.
    pub catalogue: &'a Catalogue,
    /// The device.
    pub target: &'a Target,
    /// Set when the user requests a stop after the current request.
    pub stop: &'a AtomicBool,
    /// Threads of the parallel baselines.
    pub threads: usize,
    /// Hash of the kernels, for the record.
    pub kernel_hash: &'a str,
    /// Time of each technique, preparations excluded.
    pub budget: Duration,
}

/// Tunes one technique after another, with the same budget each; `found` receives each outcome.
///
/// # Errors
///
/// Any error of `found`.
pub fn tune(
    request: &TuneRequest<'_>,
    workers: &Workers<'_>,
    jobs: &[TuneJob<'_>],
    progress: &mut dyn Progress,
    found: &mut dyn FnMut(&TuneJob<'_>, TuneOutcome) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut tuner = Tuner {
        request,
        host: &mut workers.host(),
        device: &mut workers.device(request.target),
        progress,
        clock: &WallClock::start(),
        watch: &mut ProcWatch::default(),
    };
    for job in jobs {
        let outcome = tuner.tune(job)?;
        let over = outcome == TuneOutcome::Interrupted;
        found(job, outcome)?;
        if over {
            break;
        }
    }
    Ok(())
}

/// One technique to tune.
pub struct TuneJob<'a> {
    /// Its experiment.
    pub experiment: &'a Experiment,
    /// The technique, without launch parameters.
    pub choice: &'a TechniqueChoice,
    /// Its launch parameters and the values to try.
    pub launch: Vec<(&'static str, Vec<Value>)>,
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum TuneOutcome {
    /// It was searched; the defaults may be the best.
    Found(Box<TunedTechnique>),
    /// It could not be searched: how the defaults ended, and why.
    Not(Status, String),
    /// The user stopped it.
    Interrupted,
}

/// The tools of a search.
pub struct Tuner<'a> {
    /// What is asked.
    pub request: &'a TuneRequest<'a>,
    /// Executes the references.
    pub host: &'a mut dyn Executor,
    /// Executes the technique.
    pub device: &'a mut dyn Executor,
    /// Receives the progress.
    pub progress: &'a mut dyn Progress,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// Watches the host.
    pub watch: &'a mut dyn HostWatch,
}

impl Tuner<'_> {
    /// Tunes one technique.
    ///
    /// # Errors
    ///
    /// None of its own: the rows stay in memory.
    pub fn tune(&mut self, job: &TuneJob<'_>) -> anyhow::Result<TuneOutcome> {
        let mut search = match Search::begin(self, job)? {
            Ok(search) => search,
            Err(outcome) => return Ok(outcome),
        };
        let (count, mut unchanged) = (job.launch.len(), 0);
        for turn in 0..count * MOST_SWEEPS {
            if unchanged >= count {
                break;
            }
            let share = search.left() / (count - unchanged + 1) as u32;
            match search.parameter(&job.launch[turn % count], share)? {
                Step::Interrupted => return Ok(TuneOutcome::Interrupted),
                Step::Better => unchanged = 1,
                Step::Same => unchanged += 1,
            }
        }
        search.last_comparison()
    }
}

/// The outcome of one parameter's search.
enum Step {
    Better,
    Same,
    Interrupted,
}

/// The search of one technique.
struct Search<'s, 'a> {
    tuner: &'s mut Tuner<'a>,
    job: &'s TuneJob<'s>,
    entry: TechniqueEntry,
    began: Duration,
    /// Preparation time since then.
    set_up: Shared<Duration>,
    case: Case,
    /// The reference, on the host, where the experiment has one.
    reference: Option<TechniqueChoice>,
    /// The reference's row, by its key: in each comparison it answers again and is not timed again.
    earlier: Earlier,
    /// The best parameters so far, and the time with the defaults.
    best: Params,
    default: Timing,
    tried: Vec<Tried>,
}

impl<'s, 'a> Search<'s, 'a> {
    /// Measures the values of one parameter beside the current best.
    fn parameter(
        &mut self,
        (name, values): &(&'static str, Vec<Value>),
        share: Duration,
    ) -> anyhow::Result<Step> {
        let mut variants = vec![self.best.clone()];
        for value in values {
            let variant = self.with(name, value);
            if !variants.contains(&variant) && self.fits(&variant) {
                variants.push(variant);
            }
        }
        if variants.len() == 1 || share.is_zero() {
            return Ok(Step::Same);
        }
        let Some(rows) = self.compare(&variants, share)? else {
            return Ok(Step::Interrupted);
        };
        let winner = (1..variants.len())
            .filter(|&at| beats(rows[at].as_ref(), rows[0].as_ref()))
            .min_by_key(|&at| rows[at].as_ref().and_then(|row| row.median_ns));
        if let Some(timing) = rows[0]
            .as_ref()
            .filter(|_| self.best.is_empty())
            .and_then(timing)
        {
            self.default = timing;
        }
        match winner {
            None => Ok(Step::Same),
            Some(at) => {
                self.best = variants.swap_remove(at);
                Ok(Step::Better)
            }
        }
    }

    /// Measures the result beside the defaults alone.
    fn last_comparison(mut self) -> anyhow::Result<TuneOutcome> {
        let mut tuned = None;
        if !self.best.is_empty() {
            let variants = [Params::new(), self.best.clone()];
            // Each gets its minimum of samples, however little time is left.
            let share = self.left().max(self.tuner.request.budget / 10);
            let Some(rows) = self.compare(&variants, share)? else {
                return Ok(TuneOutcome::Interrupted);
            };
            let [default, best] = [0, 1].map(|at| rows[at].as_ref());
            if let Some(timing) = default.and_then(timing) {
                self.default = timing;
            }
            if beats(best, default) {
                tuned = best.and_then(timing);
            }
        }
        let mut timed = self.tried.iter().filter(|it| !it.params.is_empty());
        if timed.all(|it| it.timing.is_none()) {
            let why = self.tried.iter().find(|it| it.status != Status::Ok);
            let (status, why) = why.map_or(
                (Status::Skipped, "its cases take no other value".to_owned()),
                |it| {
                    (
                        it.status,
                        format!("none but the defaults was measured: {}", it.reason),
                    )
                },
            );
            return Ok(TuneOutcome::Not(status, why));
        }
        let experiment = self.job.experiment;
        Ok(TuneOutcome::Found(Box::new(TunedTechnique {
            game: experiment.game.clone(),
            task: experiment.task,
            name: self.job.choice.technique.clone(),
            kernel: self.job.choice.kernel().map(str::to_owned),
            params: if tuned.is_some() {
                self.best
            } else {
                Params::new()
            },
            experiment: experiment.name.clone(),
            case: self.case.to_string(),
            kernel_hash: self.tuner.request.kernel_hash.to_owned(),
            default: self.default,
            tuned,
            tried: self.tried,
        })))
    }

    /// The best parameters with one changed; a parameter at its default is left out.
    fn with(&self, name: &str, value: &Value) -> Params {
        let mut params = self.best.clone();
        let entry = self.entry.params.iter().find(|it| it.name == name);
        if entry.is_some_and(|it| it.default == value.to_string()) {
            params.remove(name);
        } else {
            params.insert(name.to_owned(), value.clone());
        }
        params
    }

    /// Whether every case of the experiment accepts the parameters, because a run uses them in all.
    fn fits(&self, params: &Params) -> bool {
        let mut whole = self.job.choice.params.clone();
        whole.extend(params.clone());
        let cases = self.job.experiment.cases.iter();
        cases
            .filter(|case| self.job.choice.takes(case))
            .all(|case| (self.entry.check)(case, &whole).is_ok())
    }

    fn left(&self) -> Duration {
        let spent = self.tuner.clock.now().saturating_sub(self.began);
        let spent = spent.saturating_sub(self.set_up.get());
        self.tuner.request.budget.saturating_sub(spent)
    }
}

/// A variant's label in its rows.
fn label(choice: &TechniqueChoice, params: &Params) -> String {
    let words = params.iter().map(|(key, value)| format!(" {key}={value}"));
    std::iter::once(choice.label.clone()).chain(words).collect()
}

fn timing(row: &MeasurementRow) -> Option<Timing> {
    Some(Timing {
        median_ns: row.median_ns?,
        low_ns: row.low_ns?,
        high_ns: row.high_ns?,
        samples: row.samples,
    })
}

/// Whether one row's interval lies entirely below another's, both with enough samples.
fn beats(new: Option<&MeasurementRow>, old: Option<&MeasurementRow>) -> bool {
    let judged = |row: Option<&MeasurementRow>| {
        let row = row.filter(|row| row.status == Status::Ok)?;
        timing(row).filter(|timing| timing.samples >= FEWEST_TO_JUDGE as u64)
    };
    match (judged(new), judged(old)) {
        (Some(new), Some(old)) => new.high_ns < old.low_ns,
        _ => false,
    }
}
