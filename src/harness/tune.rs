//! Searches for a technique's best launch parameters on one device.
//!
//! Measurements are those of a run: by the [`Scheduler`], checked against the reference's answer, with the
//! values of a parameter interleaved with each other and with the current best. The search is coordinate
//! descent from the defaults: one parameter after another, until none improves or the technique's budget
//! ends. A value wins only if its interval lies entirely below the old one's. The result counts only if it
//! beats the defaults by the same rule in a final comparison of the two, because the best of many noisy
//! values is often just lucky.

use std::cell::Cell as Shared;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::clock::Clock;
use super::executor::{Executor, Lost};
use super::host::{HostWatch, ProcWatch, WallClock};
use super::plan::{Cell, CellNames, Plan, Target};
use super::protocol::{Opened, Reply, Request};
use super::schedule::{Ended, Progress, Scheduler, Sink};
use super::workers::Workers;
use crate::config::{Experiment, Sampling, TechniqueChoice, Timing, Tried, TunedTechnique};
use crate::results::{FactRow, MeasurementRow, ResourceRow, SampleRow};
use crate::words::{Case, Catalogue, Params, Status, Task, TechniqueEntry, Value};

/// With fewer samples a value is not judged: the interval of their median covers it in less than 95 % of
/// cases, however narrow it is.
const FEWEST_TO_JUDGE: usize = 6;
/// Samples per value that the choice of the case aims for.
const SAMPLES_HOPED_FOR: u64 = 8;
/// Maximum of samples of a value in one comparison.
const MOST_SAMPLES: usize = 200;
/// Relative half-width of a median's interval at which sampling ends.
const TARGET: f64 = 0.01;
/// Divisor: the choice of the case takes at most 1/4 of a technique's budget.
const CHOOSING: u32 = 4;
/// Time limit for preparing a variant, however little is left of the budget, which does not include it: a
/// busy host compiles for many seconds.
const PREPARE_PATIENCE: Duration = Duration::from_secs(120);
/// Preparation time of up to this many budgets is free and any excess is charged, so that a technique whose
/// builds take minutes ends as well. In the choice of the case, one budget is free.
const SET_UPS: u32 = 5;
/// Limit of the searches of one parameter.
const MOST_SWEEPS: usize = 3;

/// The parameters of a tuning command.
pub struct TuneRequest<'a> {
    /// All games and techniques.
    pub catalogue: &'a Catalogue,
    /// The device.
    pub target: &'a Target,
    /// How its worker and the references' start.
    pub workers: Workers<'a>,
    /// Set when the user requests a stop after the current request.
    pub stop: &'a AtomicBool,
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
    jobs: &[TuneJob<'_>],
    progress: &mut dyn Progress,
    found: &mut dyn FnMut(&TuneJob<'_>, TuneOutcome) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut tuner = Tuner {
        catalogue: request.catalogue,
        target: request.target,
        host: &mut request.workers.host(),
        device: &mut request.workers.device(request.target),
        progress,
        clock: &WallClock::start(),
        watch: &mut ProcWatch::default(),
        stop: request.stop,
        threads: request.workers.threads,
        kernel_hash: request.kernel_hash,
        budget: request.budget,
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
    /// All games and techniques.
    pub catalogue: &'a Catalogue,
    /// The device.
    pub target: &'a Target,
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
    /// Set when the user requests a stop.
    pub stop: &'a AtomicBool,
    /// Threads of the parallel baselines.
    pub threads: usize,
    /// Hash of the kernels, for the record.
    pub kernel_hash: &'a str,
    /// Time of one technique, preparations excluded.
    pub budget: Duration,
}

impl Tuner<'_> {
    /// Tunes one technique.
    ///
    /// # Errors
    ///
    /// None of its own: the rows stay in memory.
    pub fn tune(&mut self, job: &TuneJob<'_>) -> anyhow::Result<TuneOutcome> {
        let mut search = match Search::begin(self, job)? {
            Begun::Ready(search) => search,
            Begun::Ended(outcome) => return Ok(outcome),
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

enum Begun<'s, 'a> {
    Ready(Box<Search<'s, 'a>>),
    Ended(TuneOutcome),
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
    kept: HashMap<String, MeasurementRow>,
    /// The best parameters so far, and the time with the defaults.
    best: Params,
    default: Timing,
    tried: Vec<Tried>,
}

impl<'s, 'a> Search<'s, 'a> {
    /// Chooses the case: the most expensive one for which the budget allows enough samples of every value,
    /// because in cheap cases latency hides the effect of launch parameters.
    fn begin(tuner: &'s mut Tuner<'a>, job: &'s TuneJob<'s>) -> anyhow::Result<Begun<'s, 'a>> {
        let not = |why: &str| {
            let why = why.to_owned();
            Ok(Begun::Ended(TuneOutcome::Not(Status::Skipped, why)))
        };
        let name = &job.choice.technique;
        let Some(entry) = tuner.catalogue.technique(&job.experiment.game, name) else {
            return not("not in the catalogue");
        };
        let cases: Vec<Case> = job
            .experiment
            .cases
            .iter()
            .filter(|case| judges(job, case))
            .cloned()
            .collect();
        if cases.is_empty() {
            return not("the clock decides how long it takes: no parameter can make it shorter");
        }
        let began = tuner.clock.now();
        let mut search = Search {
            entry: *entry,
            began,
            set_up: Shared::default(),
            case: Case::default(),
            reference: reference(job.experiment, entry, tuner.catalogue),
            kept: HashMap::new(),
            best: Params::new(),
            default: Timing {
                median_ns: 0,
                low_ns: 0,
                high_ns: 0,
                samples: 0,
            },
            tried: Vec::new(),
            tuner,
            job,
        };
        let look = Sampling {
            min_samples: 3,
            max_samples: 5,
            ..job.experiment.sampling.clone()
        };
        let total = search.tuner.budget / CHOOSING;
        let Some(rows) = search.measure(&cases, &[Params::new()], &look, (total / 2, total))?
        else {
            return Ok(Begun::Ended(TuneOutcome::Interrupted));
        };
        let label = label(job.choice, &Params::new());
        let of = |case: &Case, label: &str| {
            let case = case.to_string();
            let mut own = rows.iter().filter(|row| row.case == case);
            own.find(|row| row.technique == label)
        };
        let reference = search.reference.as_ref().map(|it| it.label.clone());
        // Each value once, the current best beside each parameter's values, and both finalists.
        let values: usize = job.launch.iter().map(|(_, values)| values.len() + 1).sum();
        let comparisons = job.launch.len() as u64 + 1;
        let left = search.left().as_nanos() as u64;
        let mut affordable: Vec<(bool, u64, &Case)> = Vec::new();
        for case in &cases {
            let Some(own) = of(case, &label).and_then(|row| row.median_ns) else {
                continue;
            };
            let its = match &reference {
                None => 0,
                Some(label) => match of(case, label).and_then(|row| row.median_ns) {
                    Some(ns) => ns,
                    None => continue,
                },
            };
            let needed = own
                .saturating_mul(SAMPLES_HOPED_FOR * (values as u64 + 2))
                .saturating_add(its.saturating_mul(comparisons));
            affordable.push((needed <= left / 2, own, case));
        }
        let dearest = affordable
            .iter()
            .filter(|(fits, ..)| *fits)
            .max_by_key(|(_, ns, _)| *ns);
        let cheapest = || affordable.iter().min_by_key(|(_, ns, _)| *ns);
        let Some((_, _, case)) = dearest.or_else(cheapest) else {
            let why = rows.iter().rev().find(|row| row.technique == label);
            let (status, why) = why.map_or(
                (Status::Skipped, "no case was measured".to_owned()),
                |row| (row.status, row.reason.clone()),
            );
            return Ok(Begun::Ended(TuneOutcome::Not(status, why)));
        };
        search.case = (*case).clone();
        if let Some(row) = reference.and_then(|label| of(case, &label)) {
            search.kept.insert(row.key.clone(), row.clone());
        }
        if let Some(timing) = of(case, &label).and_then(timing) {
            search.default = timing;
        }
        Ok(Begun::Ready(Box::new(search)))
    }

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
            let share = self.left().max(self.tuner.budget / 10);
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
            kernel_hash: self.tuner.kernel_hash.to_owned(),
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
        self.tuner.budget.saturating_sub(spent)
    }

    /// Rows of the variants in their order, on the chosen case. `None` if interrupted.
    fn compare(
        &mut self,
        variants: &[Params],
        total: Duration,
    ) -> anyhow::Result<Option<Vec<Option<MeasurementRow>>>> {
        let sampling = Sampling {
            min_samples: FEWEST_TO_JUDGE,
            max_samples: MOST_SAMPLES,
            target: TARGET,
            warmup: 1,
            ..self.job.experiment.sampling.clone()
        };
        let cases = [self.case.clone()];
        // A slow value may use time that others do not need, but not all of it.
        let cell = total * 2 / variants.len() as u32;
        let Some(rows) = self.measure(&cases, variants, &sampling, (cell, total))? else {
            return Ok(None);
        };
        let found: Vec<Option<MeasurementRow>> = variants
            .iter()
            .map(|params| {
                let label = label(self.job.choice, params);
                rows.iter().find(|row| row.technique == label).cloned()
            })
            .collect();
        for (params, row) in variants.iter().zip(&found) {
            if let Some(row) = row {
                self.tried.push(Tried {
                    params: params.clone(),
                    status: row.status,
                    reason: row.reason.clone(),
                    timing: timing(row),
                });
            }
        }
        Ok(Some(found))
    }

    /// Rows of the variants, and of the reference if it has none yet, on these cases, within the times of `(a
    /// cell, the whole)`. `None` if interrupted.
    fn measure(
        &mut self,
        cases: &[Case],
        variants: &[Params],
        sampling: &Sampling,
        (cell, total): (Duration, Duration),
    ) -> anyhow::Result<Option<Vec<MeasurementRow>>> {
        let mut experiment = self.job.experiment.clone();
        experiment.cases = cases.to_vec();
        experiment.techniques = self.reference.iter().cloned().collect();
        experiment.techniques.extend(variants.iter().map(|params| {
            let mut choice = self.job.choice.clone();
            choice.label = label(self.job.choice, params);
            choice.params.extend(params.clone());
            choice
        }));
        experiment.tables.clear();
        experiment.charts.clear();
        experiment.sampling = sampling.clone();
        // One interleaved pass: the comparison only serves a choice and is not published.
        experiment.sampling.passes = 1;
        experiment.budget.cell = cell;
        experiment.budget.total = total;
        let choosing = self.case == Case::default();
        let allowed = self.tuner.budget * if choosing { 1 } else { SET_UPS };
        let targets = std::slice::from_ref(self.tuner.target);
        let plan = Plan::new(&experiment, targets, self.tuner.catalogue);
        let mut rows = Rows::default();
        let ended = Scheduler {
            experiment: &experiment,
            host: &mut SetUpApart {
                executor: &mut *self.tuner.host,
                clock: self.tuner.clock,
                spent: &self.set_up,
                allowed,
            },
            devices: vec![&mut SetUpApart {
                executor: &mut *self.tuner.device,
                clock: self.tuner.clock,
                spent: &self.set_up,
                allowed,
            }],
            sink: &mut rows,
            begun: &HashMap::new(),
            progress: &mut *self.tuner.progress,
            clock: &Since {
                clock: self.tuner.clock,
                began: self.tuner.clock.now().saturating_sub(self.set_up.get()),
                set_up: &self.set_up,
            },
            watch: &mut *self.tuner.watch,
            stop: self.tuner.stop,
            kept: &self.kept,
            compares: false,
            names: &names,
            invocation: "",
            first_order: 0,
            facts: &[],
            hung: BTreeMap::new(),
            threads: self.tuner.threads,
        }
        .run(&plan)?;
        Ok((ended == Ended::Complete).then_some(rows.0))
    }
}

/// Whether a case's time depends on the parameters: under a clock every value takes the same time, and a
/// match's time depends on its games.
fn judges(job: &TuneJob<'_>, case: &Case) -> bool {
    job.choice.takes(case)
        && match job.experiment.task {
            Task::Match => false,
            Task::Choose => case.int("effort").is_some(),
            Task::Search | Task::Game | Task::Playouts | Task::Perft => true,
        }
}

/// The technique that answers are compared with: the one named by the entry, or another host technique with
/// the same reference.
fn reference(
    experiment: &Experiment,
    entry: &TechniqueEntry,
    catalogue: &Catalogue,
) -> Option<TechniqueChoice> {
    let on_host = |choice: &&TechniqueChoice| {
        let own = catalogue.technique(&experiment.game, &choice.technique);
        own.is_some_and(|own| own.kind != entry.kind && own.reference == entry.reference)
    };
    let named = |choice: &&TechniqueChoice| choice.technique == entry.reference;
    let mut choices = experiment.techniques.iter().filter(on_host);
    let found = choices.clone().find(named).or_else(|| choices.next());
    found.cloned()
}

/// A variant's label in its rows.
fn label(choice: &TechniqueChoice, params: &Params) -> String {
    let words = params.iter().map(|(key, value)| format!(" {key}={value}"));
    std::iter::once(choice.label.clone()).chain(words).collect()
}

fn names(cell: &Cell) -> CellNames {
    let (case, label, device) = (&cell.case, &cell.choice.label, &cell.device_label);
    CellNames {
        key: format!("{case}, {label}, {device}"),
        ..CellNames::default()
    }
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

/// Time since the start of a comparison, preparations excluded.
struct Since<'a> {
    clock: &'a dyn Clock,
    began: Duration,
    set_up: &'a Shared<Duration>,
}

impl Clock for Since<'_> {
    fn now(&self) -> Duration {
        let now = self.clock.now().saturating_sub(self.set_up.get());
        now.saturating_sub(self.began)
    }
}

/// An executor that counts preparation time separately, up to its limit, so that it does not use up the
/// budget.
struct SetUpApart<'a> {
    executor: &'a mut dyn Executor,
    clock: &'a dyn Clock,
    spent: &'a Shared<Duration>,
    allowed: Duration,
}

impl Executor for SetUpApart<'_> {
    fn ask(&mut self, request: Request, deadline: Duration) -> Result<Reply, Lost> {
        if !matches!(request, Request::Prepare(_)) {
            return self.executor.ask(request, deadline);
        }
        let began = self.clock.now();
        let outcome = self.executor.ask(request, deadline.max(PREPARE_PATIENCE));
        let took = self.clock.now().saturating_sub(began);
        let spent = self.spent.get();
        self.spent.set((spent + took).min(self.allowed.max(spent)));
        outcome
    }

    fn retire(&mut self) {
        self.executor.retire();
    }

    fn opened(&self) -> Option<&Opened> {
        self.executor.opened()
    }

    fn generation(&self) -> u64 {
        self.executor.generation()
    }
}

/// Rows in memory.
#[derive(Default)]
struct Rows(Vec<MeasurementRow>);

impl Sink for Rows {
    fn samples(&mut self, _: &[SampleRow]) -> anyhow::Result<()> {
        Ok(())
    }

    fn measurement(&mut self, row: &MeasurementRow) -> anyhow::Result<()> {
        self.0.push(row.clone());
        Ok(())
    }

    fn fact(&mut self, _: &FactRow) -> anyhow::Result<()> {
        Ok(())
    }

    fn resource(&mut self, _: &Cell, _: &ResourceRow) -> anyhow::Result<()> {
        Ok(())
    }

    fn log(&mut self, _: &Cell, _: &str) -> anyhow::Result<String> {
        Ok("a run of the experiment keeps it".to_owned())
    }
}
