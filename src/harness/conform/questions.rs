//! The hard cases of a technique as requests.

use crate::harness::executor::Lost;
use crate::harness::protocol::CellSpec;
use crate::techniques::Technique;
use crate::techniques::hard::{self, START, Trial};
use crate::words::{Case, Params};

/// One case of a technique.
pub(super) struct Question {
    pub(super) spec: CellSpec,
    pub(super) reference: &'static str,
    pub(super) counted_as: Option<&'static str>,
    pub(super) samples: u64,
}

/// The cases of a technique, trial by trial.
pub(super) fn questions(technique: &Technique, more: &Params) -> Result<Vec<Question>, Lost> {
    let mut questions = Vec::new();
    for trial in technique.trials {
        add_questions(technique, trial, more, &mut questions)
            .map_err(|problem| Lost::Crashed(format!("hard cases: {problem}")))?;
    }
    Ok(questions)
}

fn add_questions(
    technique: &Technique,
    trial: &Trial,
    more: &Params,
    questions: &mut Vec<Question>,
) -> Result<(), String> {
    let entry = &technique.entry;
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
    Ok(())
}
