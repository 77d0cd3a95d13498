//! Right answers from the host for one question, and the check of an answer against them. `bench verify` asks hard
//! cases; a run asks for references outside its cells.

use std::collections::HashMap;
use std::time::Duration;

use super::answer_check::{self, OtherMove, Verdict};
use super::executor::{Executor, Lost, Outcome};
use super::protocol::{CellSpec, Sampled};
use crate::techniques::registry;
use crate::words::{Answer, Counters, Fault, Params, Status};

/// What is wrong with an answer: the status and the reason of its cell.
pub type Wrong = (Status, String);

/// Cell number outside any plan, of a reference, which runs in the first program.
const REFERENCE: usize = usize::MAX - 1;

/// An answer and its counters.
pub type Told = (Answer, Counters);

/// Prepares a cell, samples it and frees it. Returns the shape that the technique chose, the first answer and all samples.
pub fn answers(
    executor: &mut dyn Executor,
    spec: &CellSpec,
    samples: u64,
    [ready_by, answer_by]: [Duration; 2],
) -> Outcome<(Params, Told, Vec<Sampled>)> {
    let prepared = match executor.prepare(spec, ready_by)? {
        Ok(prepared) => prepared,
        Err(fault) => return Ok(Err(fault)),
    };
    let sampled = executor.sample(spec.cell, (0, samples), answer_by, answer_by)?;
    executor.forget(spec.cell, answer_by)?;
    let samples = match sampled {
        Ok(samples) => samples,
        Err(fault) => return Ok(Err(fault)),
    };
    let first = samples
        .first()
        .and_then(|it| Some((it.answer.clone()?, it.sample.counters())));
    let first = first.ok_or_else(|| Lost::Crashed("it sent no answer".into()))?;
    Ok(Ok((prepared.shape, first, samples)))
}

/// The same question to another technique on the host: with the parameters that both have, and with the shape.
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

/// Why a best move other than the reference's is not one, by its value in a full window, for which it asks a prepared
/// reference.
pub fn wrong_move(
    executor: &mut dyn Executor,
    cell: usize,
    (unit, best, root): &OtherMove,
    deadline: Duration,
) -> Outcome<Option<String>> {
    let place = format!("position {}: best move {best}", unit + 1);
    Ok(match executor.value_of(cell, *unit, best, deadline)? {
        Ok(value) if value == *root => Ok(None),
        Ok(value) => Ok(Some(format!("{place} is worth {value}, the root {root}"))),
        // The move is illegal at that position.
        Err(fault @ Fault::Input(_)) => Ok(Some(format!("{place}: {fault}"))),
        Err(fault) => Err(fault),
    })
}

/// One case of a technique, as a request.
pub struct Question {
    pub spec: CellSpec,
    pub reference: &'static str,
    pub counted_as: Option<&'static str>,
}

/// The host's worker, which has the reference answers.
pub struct Host<'e> {
    executor: &'e mut dyn Executor,
    /// Of each request.
    deadline: Duration,
    /// Earlier answers by their requests: several techniques ask for the same ones.
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

    /// What is wrong with a technique's answer or its counters. `answer`: `None` if it equals the previous one, as a
    /// worker does not repeat it.
    pub fn judge(
        &mut self,
        question: &Question,
        shape: &Params,
        (answer, found): (Option<&Answer>, &Counters),
    ) -> Result<Option<Wrong>, Lost> {
        let Question {
            spec, reference, ..
        } = question;
        let wrong = |how| (Status::Mismatch, how);
        if let Some(answer) = answer.filter(|_| *reference != spec.technique) {
            let wrong = match self.ask(reference, spec, shape)? {
                Err(fault) => Some(no_answer(reference, &fault)),
                Ok((expected, _)) => match answer_check::compare(&spec.params, &expected, answer) {
                    Verdict::Agrees => None,
                    Verdict::Differs(how) => Some(wrong(how)),
                    Verdict::OtherMoves(moves) => {
                        match self.first_wrong(question, shape, &moves)? {
                            Ok(how) => how.map(wrong),
                            Err(fault) => Some(no_answer(reference, &fault)),
                        }
                    }
                },
            };
            if wrong.is_some() {
                return Ok(wrong);
            }
        }
        let Some(named) = question.counted_as else {
            return Ok(None);
        };
        Ok(match self.ask(named, spec, shape)? {
            Err(fault) => Some(no_answer(named, &fault)),
            Ok((_, expected)) => answer_check::miscounted(found, named, &expected).map(wrong),
        })
    }

    /// The answer of the technique `name` to the question of `spec`.
    pub fn ask(&mut self, name: &str, spec: &CellSpec, shape: &Params) -> Outcome<Told> {
        let spec = counterpart(spec, name, shape);
        let key = format!("{spec:?}");
        if let Some(known) = self.known.get(&key) {
            return Ok(Ok(known.clone()));
        }
        let found = answers(self.executor, &spec, 1, [self.deadline; 2])?;
        Ok(found.map(|(_, told, _)| {
            self.known.insert(key, told.clone());
            told
        }))
    }

    /// Why the first best move that is wrong is not one.
    fn first_wrong(
        &mut self,
        question: &Question,
        shape: &Params,
        moves: &[OtherMove],
    ) -> Outcome<Option<String>> {
        let spec = counterpart(&question.spec, question.reference, shape);
        if let Err(fault) = self.executor.prepare(&spec, self.deadline)? {
            return Ok(Err(fault));
        }
        let mut found = Ok(None);
        for one in moves {
            found = wrong_move(self.executor, spec.cell, one, self.deadline)?;
            if !matches!(found, Ok(None)) {
                break;
            }
        }
        self.executor.forget(spec.cell, self.deadline)?;
        Ok(found)
    }
}

/// The end of a cell whose reference has no answer.
pub fn no_answer(name: &str, why: &dyn std::fmt::Display) -> Wrong {
    let why = format!("no answer of {name} to compare with: {why}");
    (Status::Skipped, why)
}
