//! Gets reference answers from the host, and compares answers with them. `bench verify` uses this for hard cases. A run
//! uses it for references outside its plan.

use std::collections::HashMap;
use std::time::Duration;

use super::answer_check::{self, OtherMove, Verdict};
use super::executor::{Executor, Failure, Lost};
use super::protocol::{CellSpec, Sampled};
use crate::techniques::registry;
use crate::words::{Answer, Counters, Fault, Params, Status};

/// Describes a wrong answer, as the status and the reason of its cell.
pub type Wrong = (Status, String);

/// Cell number of a reference outside the plan. The number is even, so that the first program runs the reference.
const REFERENCE: usize = usize::MAX - 1;

pub type Told = (Answer, Counters);

/// Prepares a cell, samples it and frees it. Returns the technique's shape, the first answer and all samples.
pub fn answers(
    executor: &mut dyn Executor,
    spec: &CellSpec,
    samples: u64,
    [ready_by, answer_by]: [Duration; 2],
) -> Result<(Params, Told, Vec<Sampled>), Failure> {
    let prepared = executor.prepare(spec, ready_by)?;
    let samples = executor.sample(spec.cell, (0, samples), answer_by, answer_by);
    executor.forget(spec.cell, answer_by)?;
    let samples = samples?;
    let first = samples.first();
    let first = first.and_then(|it| Some((it.answer.clone()?, it.sample.counters())));
    let first = first.ok_or_else(|| Lost::Crashed("it sent no answer".into()))?;
    Ok((prepared.shape, first, samples))
}

/// Returns the same request to another technique on the host, with the parameters that both have and the shape.
fn counterpart(spec: &CellSpec, name: &str, shape: &Params) -> CellSpec {
    let known = registry::find(&spec.game, name);
    let params = known.map(|known| known.entry.params_of(&spec.params, shape));
    CellSpec {
        cell: REFERENCE,
        technique: name.to_owned(),
        params: params.unwrap_or_default(),
        ..spec.clone()
    }
}

/// Describes the error, if any, in a best move other than the reference's. The prepared reference searches the move.
pub fn wrong_move(
    executor: &mut dyn Executor,
    cell: usize,
    (unit, best, root): &OtherMove,
    deadline: Duration,
) -> Result<Option<String>, Failure> {
    let place = format!("position {}: best move {best}", unit + 1);
    match executor.value_of(cell, *unit, best, deadline) {
        Ok(value) if value == *root => Ok(None),
        Ok(value) => Ok(Some(format!("{place} has value {value}, the root {root}"))),
        // The move is illegal in that position.
        Err(Failure::Fault(fault @ Fault::Input(_))) => Ok(Some(format!("{place}: {fault}"))),
        Err(failure) => Err(failure),
    }
}

/// A request to a technique, and the names of the techniques that check its answer and its counters.
pub struct Question {
    pub spec: CellSpec,
    pub reference: &'static str,
    pub counted_as: Option<&'static str>,
}

/// Computes reference answers with the host's worker.
pub struct Host<'e> {
    executor: &'e mut dyn Executor,
    /// Time limit for each request.
    deadline: Duration,
    /// Earlier answers by request. They are kept because several techniques need the same answers.
    known: HashMap<String, Told>,
}

impl<'e> Host<'e> {
    pub fn new(executor: &'e mut dyn Executor, deadline: Duration) -> Self {
        Self {
            executor,
            deadline,
            known: HashMap::new(),
        }
    }

    /// Describes the error in a technique's answer or counters, if any. The answer in `told` is `None` if it equals the
    /// previous answer, because a worker does not send the same answer again.
    pub fn judge(
        &mut self,
        question: &Question,
        shape: &Params,
        told: (Option<&Answer>, &Counters),
    ) -> Result<Option<Wrong>, Lost> {
        match self.mismatch(question, shape, told) {
            Ok(how) => Ok(how.map(|how| (Status::Mismatch, how))),
            Err((_, Failure::Lost(lost))) => Err(lost),
            Err((named, fault)) => Ok(Some(no_answer(named, &fault))),
        }
    }

    /// Describes how an answer or its counters are wrong. If a reference does not answer, fails with its name.
    fn mismatch(
        &mut self,
        question: &Question,
        shape: &Params,
        (answer, found): (Option<&Answer>, &Counters),
    ) -> Result<Option<String>, (&'static str, Failure)> {
        let (spec, reference) = (&question.spec, question.reference);
        let by = |named| move |failure| (named, failure);
        if let Some(answer) = answer.filter(|_| reference != spec.technique) {
            let expected = self.ask(reference, spec, shape).map_err(by(reference))?;
            let how = match answer_check::compare(&spec.params, &expected.0, answer) {
                Verdict::Agrees => None,
                Verdict::Differs(how) => Some(how),
                Verdict::OtherMoves(moves) => {
                    let wrong = self.first_wrong(question, shape, &moves);
                    wrong.map_err(by(reference))?
                }
            };
            if how.is_some() {
                return Ok(how);
            }
        }
        let Some(named) = question.counted_as else {
            return Ok(None);
        };
        let (_, expected) = self.ask(named, spec, shape).map_err(by(named))?;
        Ok(answer_check::miscounted(found, named, &expected))
    }

    /// Returns the answer of the technique `name` to the request `spec`.
    pub fn ask(&mut self, name: &str, spec: &CellSpec, shape: &Params) -> Result<Told, Failure> {
        let spec = counterpart(spec, name, shape);
        let key = format!("{spec:?}");
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let (_, told, _) = answers(self.executor, &spec, 1, [self.deadline; 2])?;
        self.known.insert(key, told.clone());
        Ok(told)
    }

    /// Describes the error in the first wrong move, if any.
    fn first_wrong(
        &mut self,
        question: &Question,
        shape: &Params,
        moves: &[OtherMove],
    ) -> Result<Option<String>, Failure> {
        let spec = counterpart(&question.spec, question.reference, shape);
        self.executor.prepare(&spec, self.deadline)?;
        let wrong = |one| wrong_move(self.executor, spec.cell, one, self.deadline).transpose();
        let found = moves.iter().find_map(wrong);
        self.executor.forget(spec.cell, self.deadline)?;
        found.transpose()
    }
}

/// Returns the status and reason of a cell whose reference has no answer.
pub fn no_answer(name: &str, why: &dyn std::fmt::Display) -> Wrong {
    let why = format!("no answer from {name} to compare with: {why}");
    (Status::Skipped, why)
}
