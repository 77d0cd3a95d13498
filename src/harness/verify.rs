//! Implements `bench verify`: compares a device with the host on hard cases, in worker processes and without timing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::executor::{Executor, Lost};
use super::machine;
use super::plan::Target;
use super::protocol::CellSpec;
use super::reference::{Host, Question, Wrong, answers};
use super::workers::Workers;
use crate::results::Conformed;
use crate::techniques::Technique;
use crate::techniques::hard::{self, START};
use crate::words::{Case, Kind, Params, Reason, Status, Task};

/// Number of lost workers and failed builds after which a technique is abandoned. Each may take the whole deadline.
const MOST_LOSSES: u32 = 2;
/// Extra time after the budget ends, for the answer of a case that is in progress.
const GRACE: Duration = Duration::from_secs(20);

#[derive(Clone)]
pub struct VerifyRequest<'a> {
    pub target: &'a Target,
    pub workers: Workers,
    /// Time limit for the preparation of a case, and also for its answer.
    pub deadline: Duration,
    /// Time after which no more cases of a technique are started. A case that is in progress gets [`GRACE`].
    pub budget: Option<Duration>,
    /// True if verification ends at the first failure.
    pub first: bool,
    pub stop: &'a AtomicBool,
}

/// The techniques to verify.
#[derive(Default)]
pub struct Subject {
    pub techniques: Vec<&'static Technique>,
    /// Parameters to add to every trial, for a user's kernel or program.
    pub params: Params,
    /// The task to verify, or `None` for all tasks.
    pub task: Option<Task>,
    /// The label of a user-supplied kernel or program.
    pub label: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct VerifyResult {
    /// The numbers of cases by result, and the times.
    pub counts: Conformed,
    /// The limit and the prediction for the first case that was left out because its launch would take too long.
    pub too_long: Option<Reason>,
    /// The first failed case, its status and its reason.
    pub failing: Option<(CellSpec, Status, String)>,
    /// Status and reason of the first case that the device does not support.
    pub lacks: Option<(Status, String)>,
}

impl VerifyResult {
    /// Returns the technique's row, except for its command.
    pub fn row(&self, technique: &Technique) -> Conformed {
        Conformed {
            game: technique.entry.game.to_owned(),
            technique: technique.entry.name.to_owned(),
            status: self.status(),
            reason: self.reason(),
            ..self.counts.clone()
        }
    }

    /// Returns `ok` if cases ran and none failed, `skipped` if no case ran, otherwise the status of a failing case.
    pub fn status(&self) -> Status {
        match (&self.failing, &self.lacks) {
            (Some((_, status, _)), _) if self.counts.wrong == 0 => *status,
            (Some(_), _) => Status::Mismatch,
            (None, Some((status, _))) if self.counts.right == 0 => *status,
            _ if self.counts.right == 0 => Status::Skipped,
            _ => Status::Ok,
        }
    }

    /// Returns the reason of the first incorrect case, or why some or all cases did not run.
    pub fn reason(&self) -> String {
        let (skipped, too_long) = (self.counts.skipped, self.too_long.as_ref());
        match (&self.failing, &self.lacks) {
            (Some((_, _, reason)), _) | (None, Some((_, reason))) => reason.clone(),
            _ if self.counts.right > 0 => too_long.map_or(String::new(), Reason::to_string),
            _ if skipped == 0 => "it has no hard cases for this task".to_owned(),
            _ => format!("its budget ended before the first of {skipped} cases was answered"),
        }
    }
}

/// Compares the device's answers on the hard cases with the host's. Calls `during` before each case, with its number
/// and the number of cases. Calls `after` with each technique's result.
pub fn verify(
    request: &VerifyRequest<'_>,
    subject: &Subject,
    during: &mut dyn FnMut(&Technique, (usize, usize)),
    after: &mut dyn FnMut(&'static Technique, VerifyResult),
) -> Result<(), Lost> {
    let techniques = &subject.techniques;
    let mut kinds = techniques.iter().map(|technique| technique.entry.kind);
    let needs_device = kinds.any(|kind| kind == Kind::Device);
    let target = needs_device.then_some(request.target);
    let mut device = request.workers.worker(target);
    let mut on_host = request.workers.worker(None);
    // References get the whole deadline, because a late reference would end the whole verification.
    let mut host = Host::new(&mut on_host, request.deadline);
    let limit = request.workers.whole_launch(request.target);
    for technique in techniques {
        let begun = Instant::now();
        let mut questions = questions(technique, &subject.params)
            .map_err(|problem| Lost::Crashed(format!("hard cases: {problem}")))?;
        questions.retain(|it| subject.task.is_none_or(|task| it.1.spec.task == task));
        let mut held = VerifyResult::default();
        let mut losses = 0;
        let is_stopped = || request.stop.load(Ordering::Relaxed);
        let spent = || begun.elapsed();
        let is_spent = || request.budget.is_some_and(|budget| spent() >= budget);
        let mut launches = Launches::default();
        if let Some(limit) = limit.filter(|_| technique.entry.kind == Kind::Device) {
            launches.limit_ns = limit.as_nanos() as u64;
            // Sort the cases by work, so that each case predicts the launches of the next.
            for (work, question) in &mut questions {
                let (spec, reference) = (&question.spec, question.reference);
                if !technique.entry.splits_in(spec.task)
                    && !is_spent()
                    && !is_stopped()
                    && let Ok((_, counters)) = host.ask(reference, spec, &Params::new())
                {
                    *work = counters.nodes + counters.plies;
                }
            }
            questions.sort_by_key(|(work, _)| *work);
        }
        for (number, (work, question)) in questions.iter().enumerate() {
            let rest = (questions.len() - number) as u64;
            if is_stopped() {
                return Err(Lost::Interrupted);
            }
            if is_spent() {
                held.counts.skipped += rest;
                break;
            }
            if let Some(reason) = launches.too_long(*work) {
                held.too_long.get_or_insert(reason);
                held.counts.left_out += 1;
                continue;
            }
            during(technique, (number, questions.len()));
            let end = request.budget.map(|budget| budget + GRACE);
            let left = end.map_or(request.deadline, |end| end.saturating_sub(spent()));
            let left = left.min(request.deadline);
            let mut launch_ns = 0;
            // The first case of a technique takes two samples, to detect state that the first sample leaves behind.
            let samples = if number == 0 { 2 } else { 1 };
            let workers = (&mut device as &mut dyn Executor, &mut host);
            let wrong = ask(workers, question, (samples, left), &mut launch_ns)?;
            use Status::{BuildFailed, Crashed, Memory, Mismatch, Timeout, Unsupported};
            // Such losses are counted, because every further one may take the same amount of time.
            let is_lost = matches!(wrong, Some((Timeout | Crashed | BuildFailed, _)));
            held.counts.longest_launch_ns = held.counts.longest_launch_ns.max(launch_ns);
            launches.learn(*work, launch_ns, is_lost);
            match wrong {
                None => held.counts.right += 1,
                Some((Timeout, _)) if end.is_some_and(|end| spent() >= end) => {
                    held.counts.skipped += rest;
                    break;
                }
                Some(lacks @ (Unsupported | Memory, _)) => {
                    held.counts.unsupported += 1;
                    held.lacks.get_or_insert(lacks);
                }
                Some((status, why)) => {
                    held.counts.wrong += u64::from(status == Mismatch);
                    held.counts.failed += u64::from(status != Mismatch);
                    losses += u32::from(is_lost);
                    // A wrong answer takes precedence over a missing one.
                    if held.failing.is_none() || status == Mismatch && held.counts.wrong == 1 {
                        held.failing = Some((question.spec.clone(), status, why));
                    }
                    if request.first || losses >= MOST_LOSSES {
                        held.counts.skipped += rest - 1;
                        break;
                    }
                }
            }
        }
        let counts = &mut held.counts;
        counts.cases = counts.right + counts.wrong + counts.unsupported + counts.failed;
        counts.skipped += counts.left_out;
        counts.ns = u64::try_from(spent().as_nanos()).unwrap_or(u64::MAX);
        let ends = request.first && held.failing.is_some();
        after(technique, held);
        if ends {
            break;
        }
    }
    Ok(())
}

/// Lists the hard cases of a technique, trial by trial. Their work is still unknown, so it is set to 0.
fn questions(technique: &Technique, more: &Params) -> Result<Vec<(u64, Question)>, String> {
    let entry = &technique.entry;
    let mut questions = Vec::new();
    for trial in technique.trials {
        let mut params = hard::read(trial.params)?;
        params.extend(more.clone());
        for hard in trial.hard {
            let case = Case::parse(hard.case).ok_or_else(|| format!("case `{}`", hard.case))?;
            let options = hard::read(hard.options)?;
            for (number, position) in (hard.positions)(&case).into_iter().enumerate() {
                let seed = hard.seeds[number % hard.seeds.len().max(1)];
                let both = [options.clone(), params.clone()];
                let question = Question {
                    spec: CellSpec {
                        position: (position != START).then_some(position),
                        ..CellSpec::of(entry, hard.task, case.clone(), both, seed)
                    },
                    reference: entry.reference,
                    counted_as: entry.twin_in(hard.task).filter(|_| !case.is_clocked()),
                };
                questions.push((0, question));
            }
        }
    }
    Ok(questions)
}

/// Describes the error, if any, in the answers to a question. `left` is the time limit for each request.
fn ask(
    (device, host): (&mut dyn Executor, &mut Host<'_>),
    question: &Question,
    (samples, left): (u64, Duration),
    longest_launch_ns: &mut u64,
) -> Result<Option<Wrong>, Lost> {
    let asked = machine::request(device, |device| {
        answers(device, &question.spec, samples, [left; 2])
    })?;
    let (shape, _, samples) = match asked {
        Ok(found) => found,
        Err(failure) => return Ok(Some((failure.status(), failure.to_string()))),
    };
    for sample in samples {
        *longest_launch_ns = sample.longest_launch_ns.max(*longest_launch_ns);
        let found = (sample.answer.as_ref(), &sample.sample.counters());
        let wrong = host.judge(question, &shape, found)?;
        if wrong.is_some() {
            return Ok(wrong);
        }
    }
    Ok(None)
}

/// Predicts launch times on a device with a launch limit, for techniques that cannot split a launch (papers' programs).
#[derive(Default)]
struct Launches {
    /// Launch limit in ns, or 0 if there is none.
    limit_ns: u64,
    /// Work of the last case, and its longest launch, ns.
    last: (u64, u64),
}

impl Launches {
    /// Returns the reason to leave out a case with this much `work` if its launch is predicted to be too long.
    fn too_long(&self, work: u64) -> Option<Reason> {
        let (before, ns) = self.last;
        let predicted_ns = u128::from(ns) * u128::from(work) / u128::from(before.max(1));
        (predicted_ns > self.limit_ns.into()).then_some(Reason::LaunchOverLimit {
            limit_ns: self.limit_ns,
            predicted_ns: u64::try_from(predicted_ns).unwrap_or(u64::MAX),
        })
    }

    /// Records the longest launch of a case. If the launch killed the worker, its time is assumed to be the limit.
    fn learn(&mut self, work: u64, launch_ns: u64, is_lost: bool) {
        match (work, launch_ns, is_lost) {
            (0, ..) | (_, 0, false) => {}
            (_, 0, true) => self.last = (work, self.limit_ns),
            _ => self.last = (work, launch_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::techniques::registry;

    #[test]
    fn what_was_asked_nothing_is_not_right() {
        let ended = VerifyResult {
            counts: Conformed {
                skipped: 24,
                ..Conformed::default()
            },
            ..VerifyResult::default()
        };
        assert_eq!(ended.status(), Status::Skipped);
        let expected = "its budget ended before the first of 24 cases was answered";
        assert_eq!(ended.reason(), expected);
        let none = VerifyResult::default();
        assert_eq!(none.status(), Status::Skipped);
        assert_eq!(none.reason(), "it has no hard cases for this task");
        let mut right = ended;
        right.counts.right = 1;
        assert_eq!((right.status(), right.reason().as_str()), (Status::Ok, ""));
    }

    #[test]
    fn a_launch_is_predicted_from_the_case_before() {
        let mut launches = Launches {
            limit_ns: 50_000_000,
            ..Launches::default()
        };
        // Launches that were split must not predict other launches.
        launches.learn(0, 49_000_000, false);
        assert_eq!(launches.too_long(10), None);
        launches.learn(10, 20_000, false);
        assert_eq!(launches.too_long(10_000), None);
        launches.learn(10_000, 800_000, false);
        // A case without a launch is ignored.
        launches.learn(10_000, 0, false);
        let reason = Reason::LaunchOverLimit {
            limit_ns: 50_000_000,
            predicted_ns: 80_000_000,
        };
        assert_eq!(launches.too_long(1_000_000), Some(reason));
        launches.last = (10_000, 1);
        launches.learn(10_000, 0, true);
        let holds = launches.too_long(1_000_000).is_some();
        assert!(holds, "the worker was lost");
        assert_eq!(Launches::default().too_long(0), None);
    }

    /// Every registered technique with kernels needs hard cases.
    #[test]
    fn every_device_technique_has_hard_cases_for_each_of_its_tasks() {
        let catalogue = registry::catalogue();
        for entry in &catalogue.techniques {
            let technique = registry::find(entry.game, entry.name).unwrap();
            let name = format!("{} {}", entry.game, entry.name);
            if entry.kind != Kind::Device {
                assert!(technique.trials.is_empty(), "{name} has no kernel");
                continue;
            }
            let questions = questions(technique, &Params::new()).unwrap();
            assert!(questions.len() >= 5, "{name}: {} cases", questions.len());
            for task in entry.tasks {
                // Games and matches consist of other tasks: searches, choices or playouts.
                if matches!(task, Task::Game | Task::Match) {
                    continue;
                }
                let asked = questions
                    .iter()
                    .any(|question| question.1.spec.task == *task);
                assert!(asked, "{name} has no case of {task}");
            }
            let game = catalogue.game(entry.game).unwrap();
            for (_, Question { spec, .. }) in &questions {
                (game.check)(&spec.case, &spec.options).unwrap();
                (entry.check)(&spec.case, &spec.params).unwrap();
                for (key, value) in &spec.params {
                    let known = entry.params.iter().find(|known| known.name == key).unwrap();
                    (known.check)(value).unwrap();
                }
            }
        }
    }
}
