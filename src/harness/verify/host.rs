//! The host's answers to hard cases, and the check of a device's answers against them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::harness::answer_check::{self, Verdict};
use crate::harness::executor::{Executor, Lost};
use crate::harness::machine::Wrong;
use crate::harness::protocol::{CellSpec, Sampled};
use crate::techniques::registry;
use crate::words::{Answer, Counters, Fault, Params, Status};

/// One case of a technique, as a request.
pub struct Question {
    pub spec: CellSpec,
    pub reference: &'static str,
    pub counted_as: Option<&'static str>,
    pub samples: u64,
}

/// When a case is given up.
#[derive(Clone, Copy)]
pub struct Limit {
    /// The time of one request.
    pub deadline: Duration,
    /// No request goes on after this.
    pub end: Option<Instant>,
}

impl Limit {
    /// Whether it is the budget that has ended.
    pub fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// The time that a request has which starts now.
    pub fn now(&self) -> Duration {
        let left = self
            .end
            .map(|end| end.saturating_duration_since(Instant::now()));
        left.map_or(self.deadline, |left| left.min(self.deadline))
    }
}

/// Prepares a cell, samples it and frees it. Returns the shape that the technique chose, and the samples.
pub fn answers(
    executor: &mut dyn Executor,
    spec: &CellSpec,
    samples: u64,
    limit: Limit,
) -> Result<Result<(Params, Vec<Sampled>), Fault>, Lost> {
    let prepared = match executor.prepare(spec, limit.now())? {
        Ok(prepared) => prepared,
        Err(fault) => return Ok(Err(fault)),
    };
    let left = limit.now();
    let sampled = executor.sample(spec.cell, (0, samples), left, left)?;
    executor.forget(spec.cell, limit.deadline)?;
    Ok(sampled.map(|sampled| (prepared.shape, sampled)))
}

/// The host's worker, which has the reference answers.
pub struct Host<'e> {
    executor: &'e mut dyn Executor,
    deadline: Duration,
    /// Earlier answers, by everything that they depend on: several techniques ask for the same ones.
    answers: HashMap<String, (Answer, Counters)>,
}

impl<'e> Host<'e> {
    /// `deadline`: of each request.
    pub fn new(executor: &'e mut dyn Executor, deadline: Duration) -> Self {
        Self {
            executor,
            deadline,
            answers: HashMap::new(),
        }
    }

    /// What is wrong with a technique's answer or its counters. `answer`: `None` if it equals the previous one, as a
    /// worker does not repeat it.
    pub fn judge(
        &mut self,
        question: &Question,
        shape: &Params,
        (answer, found): (Option<&Answer>, &Counters),
    ) -> Result<Option<Wrong>, Lost> {
        let none = |name: &str, fault: &Fault| {
            let why = format!("no answer of {name} to compare with: {fault}");
            Ok(Some((Status::Skipped, why)))
        };
        let wrong = |how| Ok(Some((Status::Mismatch, how)));
        if let Some(answer) = answer
            && question.reference != question.spec.technique
        {
            let expected = match self.answer(question.reference, question, shape)? {
                Ok((expected, _)) => expected,
                Err(fault) => return none(question.reference, &fault),
            };
            let how = match answer_check::compare_as(&question.spec.params, &expected, answer) {
                Verdict::Agrees => None,
                Verdict::Differs(how) => Some(how),
                Verdict::OtherMoves(moves) => match self.other_moves(question, shape, moves)? {
                    None => None,
                    wrong => return Ok(wrong),
                },
            };
            if let Some(how) = how {
                return wrong(how);
            }
        }
        let Some(named) = question.counted_as else {
            return Ok(None);
        };
        let expected = match self.answer(named, question, shape)? {
            Ok((_, expected)) => expected,
            Err(fault) => return none(named, &fault),
        };
        if expected == *found {
            return Ok(None);
        }
        let whose = answer_check::whose(&question.spec.technique, named);
        wrong(answer_check::miscounted(found, whose, &expected))
    }

    /// Nodes and plies of the reference's answer; 0 if it has none.
    pub fn work(&mut self, question: &Question) -> u64 {
        match self.answer(question.reference, question, &Params::new()) {
            Ok(Ok((_, counters))) => counters.nodes + counters.plies,
            _ => 0,
        }
    }

    fn spec(&self, technique: &str, question: &Question, shape: &Params) -> CellSpec {
        let known = registry::find(&question.spec.game, technique);
        let params = known.map(|known| known.entry.params_of(&question.spec.params, shape));
        CellSpec {
            technique: technique.to_owned(),
            params: params.unwrap_or_default(),
            ..question.spec.clone()
        }
    }

    fn answer(
        &mut self,
        technique: &str,
        question: &Question,
        shape: &Params,
    ) -> Result<Result<(Answer, Counters), Fault>, Lost> {
        let spec = self.spec(technique, question, shape);
        let CellSpec {
            game,
            task,
            case,
            options,
            params,
            seed,
            position,
            ..
        } = &spec;
        let key =
            format!("{game} {technique} {task} {case} {options:?} {params:?} {seed} {position:?}");
        if let Some(known) = self.answers.get(&key) {
            return Ok(Ok(known.clone()));
        }
        // A reference that is late would end the whole verification: it has its whole deadline.
        let limit = Limit {
            deadline: self.deadline,
            end: None,
        };
        let samples = match answers(&mut *self.executor, &spec, 1, limit)? {
            Ok((_, samples)) => samples,
            Err(fault) => return Ok(Err(fault)),
        };
        let found = samples
            .into_iter()
            .find_map(|sample| Some((sample.answer?, sample.sample.counters())));
        let Some(found) = found else {
            return Err(Lost::Crashed("the host's worker answered nothing".into()));
        };
        self.answers.insert(key, found.clone());
        Ok(Ok(found))
    }

    /// The first best move that is not one, if any; or the reference's fault if it cannot tell.
    fn other_moves(
        &mut self,
        question: &Question,
        shape: &Params,
        moves: Vec<(usize, String, i64)>,
    ) -> Result<Option<Wrong>, Lost> {
        let failed = |fault: &Fault, why: String| match fault {
            // The move is not legal.
            Fault::Input(_) => (Status::Mismatch, why),
            fault => (fault.status(), why),
        };
        let spec = self.spec(question.reference, question, shape);
        if let Err(fault) = self.executor.prepare(&spec, self.deadline)? {
            return Ok(Some(failed(&fault, fault.to_string())));
        }
        let mut wrong = None;
        for (unit, best, root) in moves {
            let value = self
                .executor
                .value_of(spec.cell, unit, &best, self.deadline)?;
            wrong = match value {
                Ok(value) if value == root => continue,
                Ok(value) => {
                    let why = format!("best move {best} is worth {value}, the root {root}");
                    Some((Status::Mismatch, why))
                }
                Err(fault) => Some(failed(&fault, format!("best move {best}: {fault}"))),
            };
            break;
        }
        self.executor.forget(spec.cell, self.deadline)?;
        Ok(wrong)
    }
}
