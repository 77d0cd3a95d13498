//! Answers: those of the references, and whether the others' are as good.

use super::{Scheduler, State, Stop};
use crate::harness::executor::Lost;
use crate::harness::live::Live;
use crate::harness::verify::{self, Verdict};
use crate::words::{Fault, Status, Task};

impl Scheduler<'_> {
    /// Gets the answers that the others are compared with, by an untimed sample of each reference.
    pub(super) fn references(
        &mut self,
        lives: &mut [Live<'_>],
        state: &mut State,
    ) -> Result<(), Stop> {
        if !has_reference(self.experiment.task) {
            return Ok(());
        }
        for at in 0..lives.len() {
            if !lives[at].running() || reference_of(lives, at) != Some(at) {
                continue;
            }
            if self.left().is_zero() {
                let reason = self.total_spent();
                return self.end_all(lives, Status::Skipped, &reason, state);
            }
            if let Some(samples) = self.take(&mut lives[at], 1, state)? {
                lives[at].answer = samples
                    .into_iter()
                    .find_map(|sample| sample.answer)
                    .or_else(|| lives[at].last_answer.clone());
            }
        }
        for at in 0..lives.len() {
            if !lives[at].running() {
                continue;
            }
            let has_answer = reference_of(lives, at).is_some_and(|r| lives[r].answer.is_some());
            if !has_answer {
                let reason = match reference_of(lives, at).and_then(|r| lives[r].ending.as_ref()) {
                    Some(ending) => format!(
                        "no answer to compare with: {} ended {}: {}",
                        lives[at].cell.entry.reference, ending.status, ending.reason
                    ),
                    None => format!(
                        "no answer to compare with: {} is not part of this run",
                        lives[at].cell.entry.reference
                    ),
                };
                self.end(&mut lives[at], Status::Skipped, &reason, state)?;
            }
        }
        Ok(())
    }

    /// Compares every answer that was not compared yet with the reference's, those from before the
    /// reference had answered included. False: the cell has ended, as a mismatch or because nobody
    /// could say.
    pub(super) fn check(
        &mut self,
        lives: &mut [Live<'_>],
        at: usize,
        state: &mut State,
    ) -> Result<bool, Stop> {
        let unchecked = std::mem::take(&mut lives[at].unchecked);
        if !has_reference(self.experiment.task) {
            return Ok(true);
        }
        let Some(reference) = reference_of(lives, at) else {
            return Ok(true);
        };
        let Some(expected) = lives[reference].answer.clone() else {
            return Ok(true);
        };
        let mut wrong = None;
        for answer in unchecked {
            match verify::compare(&expected, &answer) {
                Verdict::Agrees => {}
                Verdict::Differs(how) => wrong = Some((Status::Mismatch, how)),
                Verdict::OtherMoves(moves) => {
                    wrong = self.other_moves(lives, at, reference, moves, state)?;
                }
            }
            if wrong.is_some() {
                break;
            }
        }
        match wrong {
            None => Ok(true),
            Some((status, how)) => {
                self.end(&mut lives[at], status, &how, state)?;
                Ok(false)
            }
        }
    }

    /// Asks the reference for the full-window value of best moves that are not its own; says
    /// which of them is not a best move. Where the reference cannot say, nobody was wrong, and the
    /// status is that of its failure.
    fn other_moves(
        &mut self,
        lives: &mut [Live<'_>],
        at: usize,
        reference: usize,
        moves: Vec<(usize, String, i64)>,
        state: &mut State,
    ) -> Result<Option<(Status, String)>, Stop> {
        for (unit, best, root) in moves {
            if lives[at].approved.contains(&(unit, best.clone())) {
                continue;
            }
            let unsaid = |why: &str| {
                let position = unit + 1;
                format!("position {position}: best move {best} could not be checked: {why}")
            };
            if !self.ensure(&mut lives[reference], state)? {
                let why = "the reference could not be made ready again";
                return Ok(Some((Status::Crashed, unsaid(why))));
            }
            let limit = self.bounded(self.experiment.budget.deadline);
            let cell = lives[reference].cell;
            let Some(executor) = self.executor(cell) else {
                return Ok(None);
            };
            match executor.value_of(cell.index, unit, &best, limit.time) {
                Ok(Ok(value)) if value == root => {
                    lives[at].approved.insert((unit, best));
                }
                Ok(Ok(value)) => {
                    let how = format!(
                        "position {}: best move {best} is worth {value}, the root {root}",
                        unit + 1
                    );
                    return Ok(Some((Status::Mismatch, how)));
                }
                // The move makes no sense at that position.
                Ok(Err(fault @ Fault::Input(_))) => {
                    let how = format!("position {}: best move {best}: {fault}", unit + 1);
                    return Ok(Some((Status::Mismatch, how)));
                }
                Ok(Err(fault)) => {
                    return Ok(Some((fault.status(), unsaid(&fault.to_string()))));
                }
                Err(Lost::Interrupted) => return Err(Stop::Interrupted),
                Err(lost @ Lost::Timeout(_)) => {
                    return Ok(Some((limit.status(), unsaid(&limit.reason(&lost)))));
                }
                Err(lost) => return Ok(Some((Status::Crashed, unsaid(&lost.to_string())))),
            }
        }
        Ok(None)
    }
}

/// Whether a task's answers are compared with another technique's. In a match each player's own
/// moves decide. A choice within a time depends on the clock, and its answers say so
/// ([`Chosen::visits`](crate::words::Chosen)).
fn has_reference(task: Task) -> bool {
    task != Task::Match
}

/// Where the cell's reference is: the host's technique that its entry names, or, where that one
/// could not run, another host technique with the same reference.
pub(super) fn reference_of(lives: &[Live<'_>], at: usize) -> Option<usize> {
    let wanted = lives[at].cell.entry.reference;
    let on_host = |live: &Live<'_>| live.cell.device.is_none();
    // A device technique that nothing on the host does is held against itself.
    if wanted == lives[at].cell.entry.name && !on_host(&lives[at]) {
        return Some(at);
    }
    let named = lives
        .iter()
        .position(|live| on_host(live) && live.cell.entry.name == wanted);
    match named {
        Some(at) if lives[at].ending.is_none() || lives[at].answer.is_some() => Some(at),
        _ => lives
            .iter()
            .position(|live| {
                on_host(live)
                    && live.cell.entry.reference == wanted
                    && (live.ending.is_none() || live.answer.is_some())
            })
            .or(named),
    }
}
