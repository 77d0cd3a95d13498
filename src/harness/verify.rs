//! `bench verify`: compares the answers of a device's techniques in hard cases with the host's, in worker processes,
//! untimed.

pub(super) mod host;
mod launches;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use self::host::{Host, Limit, Question, answers};
use self::launches::WholeLaunches;
use super::executor::{Executor, Lost};
use super::plan::Target;
use super::protocol::CellSpec;
use super::workers::Workers;
use crate::techniques::Technique;
use crate::techniques::hard::{self, START};
use crate::words::{Case, Fault, Kind, Params, Reason, Status, Task};

/// Lost workers and failed builds after which a technique is given up: each may cost a whole deadline.
const MOST_LOSSES: u32 = 2;
/// Time that a case has beyond the end of the budget: one that is under way then may still answer.
const GRACE: Duration = Duration::from_secs(20);

/// The parameters of a verification.
#[derive(Clone)]
pub struct VerifyRequest<'a> {
    /// The device.
    pub target: &'a Target,
    /// How workers start.
    pub workers: Workers<'a>,
    /// Time limit for the preparation of a case, and again for its answer; a few seconds after the budget's end at the
    /// latest.
    pub deadline: Duration,
    /// Time after which a technique starts no further case, and a case under way has [`GRACE`]; `None`: no limit.
    pub budget: Option<Duration>,
    /// Whether the first failure ends the verification.
    pub first: bool,
    /// Set when the user requests a stop.
    pub stop: &'a AtomicBool,
    /// Parameters beside those of each trial: what a kernel or a program is that an experiment brings.
    pub params: Params,
    /// Only cases of this task; `None`: of all.
    pub task: Option<Task>,
}

/// The result of one technique.
#[derive(Clone, Debug, Default)]
pub struct VerifyResult {
    /// Cases asked.
    pub cases: u64,
    /// Cases with a correct answer.
    pub right: u64,
    /// Cases with a wrong answer.
    pub wrong: u64,
    /// Cases that need a feature that the device lacks.
    pub unsupported: u64,
    /// Cases without an answer for another reason.
    pub failed: u64,
    /// Cases left out or cut off, because the budget was spent or the technique given up.
    pub skipped: u64,
    /// Cases left out, because a launch would pass the limit and cannot be split.
    pub left_out: u64,
    /// The limit and the prediction for the first of them.
    pub too_long: Option<Reason>,
    /// The first failed case, its status and its reason.
    pub failing: Option<(CellSpec, Status, String)>,
    /// Status and reason of the first case that the device does not support.
    pub lacks: Option<(Status, String)>,
    /// The longest launch, ns.
    pub longest_launch_ns: u64,
    /// The time it took.
    pub time: Duration,
}

impl VerifyResult {
    /// `ok` if every supported case that was asked is correct and there is at least one; `skipped` if no case was
    /// asked.
    pub fn status(&self) -> Status {
        match (&self.failing, &self.lacks) {
            (Some((_, status, _)), _) if self.wrong == 0 => *status,
            (Some(_), _) => Status::Mismatch,
            (None, Some((status, _))) if self.right == 0 => *status,
            _ if self.right == 0 => Status::Skipped,
            _ => Status::Ok,
        }
    }

    /// The reason of the first case that was not correct, or why one or all were not asked.
    pub fn reason(&self) -> String {
        match (&self.failing, &self.lacks) {
            (Some((_, _, reason)), _) | (None, Some((_, reason))) => reason.clone(),
            (None, None) if self.right > 0 => self
                .too_long
                .as_ref()
                .map_or_else(String::new, Reason::to_string),
            (None, None) if self.skipped == 0 => "it has no hard cases of this task".to_owned(),
            (None, None) => format!(
                "its budget ended before the first of {} cases was answered",
                self.skipped
            ),
        }
    }
}

/// Compares the answers to each technique's hard cases with the host's. `after` receives each technique's result,
/// except for one that the user interrupted; `during` receives the number of each case before it is asked, and the
/// number of cases.
pub fn verify(
    request: &VerifyRequest<'_>,
    techniques: &[&'static Technique],
    during: &mut dyn FnMut(&Technique, (usize, usize)),
    after: &mut dyn FnMut(&'static Technique, VerifyResult),
) -> Result<(), Lost> {
    let on_host = |technique: &&Technique| technique.entry.kind != Kind::Device;
    let needed = (!techniques.iter().all(on_host)).then_some(request.target);
    let mut device = request.workers.worker(needed);
    let mut on_host = request.workers.worker(None);
    let mut host = Host::new(&mut on_host, request.deadline);
    let targets = std::slice::from_ref(request.target);
    let most = request.workers.whole_launches(targets)[0];
    for technique in techniques {
        let begun = Instant::now();
        let mut questions = questions(technique, &request.params)
            .map_err(|problem| Lost::Crashed(format!("hard cases: {problem}")))?;
        if let Some(task) = request.task {
            questions.retain(|question| question.spec.task == task);
        }
        let mut held = VerifyResult::default();
        let mut losses = 0;
        let mut launches = WholeLaunches::default();
        let is_spent = || request.budget.is_some_and(|it| begun.elapsed() >= it);
        let is_whole = |it: &Question| !technique.entry.splits_in(it.spec.task);
        let limit = most.filter(|_| technique.entry.kind == Kind::Device);
        if let Some(limit) = limit.filter(|_| questions.iter().any(is_whole)) {
            let is_over = || is_spent() || request.stop.load(Ordering::Relaxed);
            launches.order(limit, &mut questions, &mut host, is_whole, is_over);
        }
        for (number, question) in questions.iter().enumerate() {
            if request.stop.load(Ordering::Relaxed) {
                return Err(Lost::Interrupted);
            }
            if is_spent() {
                held.skipped += (questions.len() - number) as u64;
                break;
            }
            if let Some(reason) = launches.too_long(number) {
                held.too_long.get_or_insert(reason);
                held.left_out += 1;
                continue;
            }
            during(technique, (number, questions.len()));
            let limit = Limit {
                deadline: request.deadline,
                end: request.budget.map(|budget| begun + budget + GRACE),
            };
            let mut launch_ns = 0;
            let found = ask(&mut device, &mut host, question, limit, &mut launch_ns)?;
            held.longest_launch_ns = held.longest_launch_ns.max(launch_ns);
            let is_lost = matches!(found, Found::Failed(_, _, true));
            launches.learn(number, launch_ns, is_lost);
            match found {
                Found::CutOff => {
                    held.skipped += (questions.len() - number) as u64;
                    break;
                }
                Found::Right => held.right += 1,
                Found::Lacks(status, why) => {
                    held.unsupported += 1;
                    held.lacks.get_or_insert((status, why));
                }
                Found::Failed(status, why, lost) => {
                    match status {
                        Status::Mismatch => held.wrong += 1,
                        _ => held.failed += 1,
                    }
                    losses += u32::from(lost);
                    // A wrong answer is more important than a missing one.
                    let better = matches!(&held.failing, Some((_, other, _))
                        if *other == Status::Mismatch || status != Status::Mismatch);
                    if !better {
                        held.failing = Some((question.spec.clone(), status, why));
                    }
                    if request.first || losses >= MOST_LOSSES {
                        held.skipped += (questions.len() - number - 1) as u64;
                        break;
                    }
                }
            }
        }
        held.cases = held.right + held.wrong + held.unsupported + held.failed;
        held.time = begun.elapsed();
        let ends = request.first && held.failing.is_some();
        after(technique, held);
        if ends {
            break;
        }
    }
    Ok(())
}

/// The hard cases of a technique, trial by trial.
fn questions(technique: &Technique, more: &Params) -> Result<Vec<Question>, String> {
    let entry = &technique.entry;
    let mut questions = Vec::new();
    for trial in technique.trials {
        let mut params = hard::read(trial.params)?;
        params.extend(more.clone());
        for hard in trial.hard {
            let case = Case::parse(hard.case).ok_or_else(|| format!("case `{}`", hard.case))?;
            let options = hard::read(hard.options)?;
            for (number, position) in (hard.positions)(&case).into_iter().enumerate() {
                questions.push(Question {
                    spec: CellSpec {
                        cell: 0,
                        game: entry.game.to_owned(),
                        technique: entry.name.to_owned(),
                        task: hard.task,
                        case: case.clone(),
                        options: options.clone(),
                        params: params.clone(),
                        seed: hard.seeds[number % hard.seeds.len().max(1)],
                        position: (position != START).then_some(position),
                        positions: None,
                        opponent: None,
                        share: None,
                    },
                    reference: entry.reference,
                    counted_as: entry.twin_in(hard.task).filter(|_| !case.is_clocked()),
                    // The second sample shows whether the first one left state behind.
                    samples: if number == 0 { 2 } else { 1 },
                });
            }
        }
    }
    Ok(questions)
}

/// The result of a case; the flag of `Failed` says that the next case may waste as much time.
enum Found {
    Right,
    Lacks(Status, String),
    /// The budget ended before its answer.
    CutOff,
    Failed(Status, String, bool),
}

fn ask(
    device: &mut dyn Executor,
    host: &mut Host<'_>,
    question: &Question,
    limit: Limit,
    longest_launch_ns: &mut u64,
) -> Result<Found, Lost> {
    let (shape, samples) = match answers(device, &question.spec, question.samples, limit) {
        Ok(Ok(found)) => found,
        Ok(Err(fault)) => return Ok(of_fault(device, &fault)),
        Err(Lost::Interrupted) => return Err(Lost::Interrupted),
        Err(Lost::Timeout(_)) if limit.is_over() => return Ok(Found::CutOff),
        Err(lost @ Lost::Timeout(_)) => {
            return Ok(Found::Failed(Status::Timeout, lost.to_string(), true));
        }
        Err(lost) => return Ok(Found::Failed(Status::Crashed, lost.to_string(), true)),
    };
    for sample in samples {
        *longest_launch_ns = sample.longest_launch_ns.max(*longest_launch_ns);
        let found = (sample.answer.as_ref(), &sample.sample.counters());
        if let Some((_, why)) = host.judge(question, &shape, found)? {
            return Ok(Found::Failed(Status::Mismatch, why, false));
        }
    }
    Ok(Found::Right)
}

fn of_fault(device: &mut dyn Executor, fault: &Fault) -> Found {
    let why = fault.to_string();
    match fault {
        Fault::Unsupported(_) | Fault::Memory(_) => Found::Lacks(fault.status(), why),
        Fault::Device(_) => {
            // The driver may refuse every further call of this process.
            device.retire();
            Found::Failed(Status::Crashed, why, true)
        }
        fault => Found::Failed(fault.status(), why, matches!(fault, Fault::Build(_))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::techniques::registry;

    #[test]
    fn what_was_asked_nothing_is_not_right() {
        let ended = VerifyResult {
            skipped: 24,
            ..VerifyResult::default()
        };
        assert_eq!(ended.status(), Status::Skipped);
        let expected = "its budget ended before the first of 24 cases was answered";
        assert_eq!(ended.reason(), expected);
        let none = VerifyResult::default();
        assert_eq!(none.status(), Status::Skipped);
        assert_eq!(none.reason(), "it has no hard cases of this task");
        let right = VerifyResult { right: 1, ..ended };
        assert_eq!((right.status(), right.reason().as_str()), (Status::Ok, ""));
    }

    #[test]
    fn a_case_has_no_more_time_than_the_budget_leaves() {
        let deadline = Duration::from_secs(120);
        let of = |end| Limit { deadline, end }.now();
        assert_eq!(of(None), deadline);
        let now = Instant::now();
        assert_eq!(of(Some(now)), Duration::ZERO);
        assert!(of(Some(now + GRACE)) <= GRACE);
        assert_eq!(of(Some(now + 3 * deadline)), deadline);
    }

    /// Every registered technique with kernels must have hard cases.
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
                // Games and matches consist of searches, choices or playouts.
                if matches!(task, Task::Game | Task::Match) {
                    continue;
                }
                let asked = questions.iter().any(|question| question.spec.task == *task);
                assert!(asked, "{name} has no case of {task}");
            }
            let game = catalogue.game(entry.game).unwrap();
            for Question { spec, .. } in &questions {
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
