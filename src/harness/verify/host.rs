//! The host's answers to hard cases, and the check of a device's answers against them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::harness::answer_check::{self, Verdict};
use crate::harness::executor::{Executor, Lost};
use crate::harness::protocol::{CellSpec, Sampled};
use crate::techniques::registry;
use crate::words::{Answer, Counters, Fault, Params};

/// One case of a technique, as a request.
pub(super) struct Question {
    pub(super) spec: CellSpec,
    pub(super) reference: &'static str,
    pub(super) counted_as: Option<&'static str>,
    pub(super) samples: u64,
}

/// When a case is given up.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    /// The time of one request.
    pub(super) deadline: Duration,
    /// No request goes on after this.
    pub(super) end: Option<Instant>,
}

impl Limit {
    /// Whether it is the budget that has ended.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// The time that a request has which starts now.
    pub(super) fn now(&self) -> Duration {
        let left = self
            .end
            .map(|end| end.saturating_duration_since(Instant::now()));
        left.map_or(self.deadline, |left| left.min(self.deadline))
    }
}

/// Prepares a cell, samples it and frees it. Returns the shape that the technique chose, and the samples.
pub(super) fn answers(
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
pub(super) struct Host {
    pub(super) executor: Box<dyn Executor>,
    pub(super) deadline: Duration,
    /// Earlier answers, by everything that they depend on: several techniques ask for the same ones.
    pub(super) answers: HashMap<String, (Answer, Counters)>,
}

impl Host {
    /// Why the sample is wrong; `None` if answer and counters are correct.
    pub(super) fn judge(
        &mut self,
        question: &Question,
        shape: &Params,
        sample: &Sampled,
    ) -> Result<Option<String>, Lost> {
        // A worker does not repeat an answer equal to the previous one.
        if let Some(answer) = &sample.answer
            && question.reference != question.spec.technique
        {
            let expected = match self.answer(question.reference, question, shape)? {
                Ok((expected, _)) => expected,
                Err(fault) => return Ok(Some(format!("{}: {fault}", question.reference))),
            };
            let wrong = match answer_check::compare_as(&question.spec.params, &expected, answer) {
                Verdict::Agrees => None,
                Verdict::Differs(how) => Some(how),
                Verdict::OtherMoves(moves) => self.other_moves(question, shape, moves)?,
            };
            if wrong.is_some() {
                return Ok(wrong);
            }
        }
        let found = &sample.sample.counters();
        let Some(twin) = question.counted_as else {
            return Ok(None);
        };
        let expected = match self.answer(twin, question, shape)? {
            Ok((_, expected)) => expected,
            Err(fault) => return Ok(Some(format!("{twin}: {fault}"))),
        };
        let whose = answer_check::whose(&question.spec.technique, twin);
        Ok((expected != *found).then(|| answer_check::miscounted(found, whose, &expected)))
    }

    /// Nodes and plies of the reference's answer; 0 if it has none.
    pub(super) fn work(&mut self, question: &Question) -> u64 {
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

    /// The first best move that is not one, if any.
    fn other_moves(
        &mut self,
        question: &Question,
        shape: &Params,
        moves: Vec<(usize, String, i64)>,
    ) -> Result<Option<String>, Lost> {
        let spec = self.spec(question.reference, question, shape);
        if let Err(fault) = self.executor.prepare(&spec, self.deadline)? {
            return Ok(Some(fault.to_string()));
        }
        let mut wrong = None;
        for (unit, best, root) in moves {
            let value = self
                .executor
                .value_of(spec.cell, unit, &best, self.deadline)?;
            wrong = match value {
                Ok(value) if value == root => continue,
                Ok(value) => Some(format!(
                    "best move {best} is worth {value}, the root {root}"
                )),
                Err(fault) => Some(format!("best move {best}: {fault}")),
            };
            break;
        }
        self.executor.forget(spec.cell, self.deadline)?;
        Ok(wrong)
    }
}
