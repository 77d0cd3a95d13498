//! Checks answers against the references'.

use std::collections::BTreeSet;
use std::fmt::Display;

use super::state::{Scheduler, State, Stop};
use crate::harness::executor::Lost;
use crate::harness::live::Live;
use crate::harness::plan::{Cell, Processor};
use crate::harness::verify::{self, Verdict};
use crate::words::{Case, Fault, ParamEntry, Reason, Status, Task, Value, is_brought};

impl Scheduler<'_> {
    /// Gets the reference answers, by an untimed sample of each reference.
    pub(super) fn references(
        &mut self,
        lives: &mut [Live<'_>],
        state: &mut State,
    ) -> Result<(), Stop> {
        self.shaped_references(lives, state)?;
        let task = self.experiment.task;
        let is_compared = |live: &Live<'_>| live.running() && has_reference(task, &live.cell.case);
        // A reference may have a reference itself: a strong search is compared with `serial`, and deeper searches with
        // the strong one.
        let asked: BTreeSet<usize> = (0..lives.len())
            .filter(|&at| is_compared(&lives[at]))
            .filter_map(|at| reference_of(lives, at))
            .collect();
        for at in asked {
            if !is_compared(&lives[at]) {
                continue;
            }
            if self.left().is_zero() {
                return self.end_all(lives, state);
            }
            if let Some(samples) = self.take(&mut lives[at], 1, state)? {
                lives[at].answer = samples
                    .into_iter()
                    .find_map(|sample| sample.answer)
                    .or_else(|| lives[at].last_answer.clone());
                if reference_of(lives, at) != Some(at) && !self.check(lives, at, state)? {
                    lives[at].answer = None;
                }
            }
        }
        for at in 0..lives.len() {
            if !is_compared(&lives[at]) {
                continue;
            }
            let has_answer = reference_of(lives, at).is_some_and(|r| lives[r].answer.is_some());
            if !has_answer && lives[at].expected.is_none() {
                let ended = reference_of(lives, at).and_then(|r| lives[r].ending.as_ref());
                let ended = ended.map(|(status, reason)| (*status, reason));
                let reason = Reason::no_reference(lives[at].cell.entry.reference, ended);
                self.end(&mut lives[at], Status::Skipped, reason, state)?;
            }
        }
        Ok(())
    }

    /// Compares every unchecked answer with the reference's, including answers from before the reference's own, and
    /// checks the counters. Returns false if the cell has ended, by a mismatch or without a usable reference.
    pub(super) fn check(
        &mut self,
        lives: &mut [Live<'_>],
        at: usize,
        state: &mut State,
    ) -> Result<bool, Stop> {
        let unchecked = std::mem::take(&mut lives[at].unchecked);
        let mut wrong = None;
        let reference = reference_of(lives, at);
        let its = |reference: usize| lives[reference].answer.clone();
        let expected = lives[at]
            .expected
            .clone()
            .or_else(|| reference.and_then(its));
        if let Some(expected) = expected
            && has_reference(self.experiment.task, &lives[at].cell.case)
        {
            for answer in unchecked {
                match verify::compare_as(&lives[at].cell.choice.params, &expected, &answer) {
                    Verdict::Agrees => {}
                    Verdict::Differs(how) => wrong = Some((Status::Mismatch, how)),
                    Verdict::OtherMoves(moves) => {
                        if let Some(reference) = reference {
                            wrong = self.other_moves(lives, at, reference, moves, state)?;
                        }
                    }
                }
                if wrong.is_some() {
                    break;
                }
            }
        }
        if wrong.is_none() {
            let miscounted = self.miscounted(lives, at)?;
            wrong = miscounted.map(|how| (Status::Mismatch, how));
        }
        match wrong {
            None => Ok(true),
            Some((status, how)) => {
                self.end(&mut lives[at], status, Reason::Told(how), state)?;
                Ok(false)
            }
        }
    }

    /// Asks the reference for the full-window value of best moves that differ from its own, and returns an error for a
    /// move that is not a best one. If the reference fails, the cell gets the status of that failure, not a mismatch.
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
            let unsaid = |why: &dyn Display| format!("could not be checked: {why}");
            let cell = lives[reference].cell;
            let deadline = self.deadline();
            let is_ready = self.ensure(&mut lives[reference], state)?;
            let (status, how) = match self.executor(cell) {
                _ if !is_ready => {
                    let why = "the reference could not be made ready again";
                    (Status::Crashed, unsaid(&why))
                }
                None => return Ok(None),
                Some(executor) => match executor.value_of(cell.index, unit, &best, deadline) {
                    Ok(Ok(value)) if value == root => {
                        lives[at].approved.insert((unit, best));
                        continue;
                    }
                    Ok(Ok(value)) => {
                        let how = format!("is worth {value}, the root {root}");
                        (Status::Mismatch, how)
                    }
                    // The move is illegal at that position.
                    Ok(Err(fault @ Fault::Input(_))) => {
                        let how = format!("position {}: best move {best}: {fault}", unit + 1);
                        return Ok(Some((Status::Mismatch, how)));
                    }
                    Ok(Err(fault)) => (fault.status(), unsaid(&fault)),
                    Err(Lost::Interrupted) => return Err(Stop::Interrupted),
                    Err(lost @ Lost::Timeout(time)) => {
                        self.note_hung(cell, time, state);
                        (Status::Timeout, unsaid(&lost))
                    }
                    Err(lost) => (Status::Crashed, unsaid(&lost)),
                },
            };
            let how = format!("position {}: best move {best} {how}", unit + 1);
            return Ok(Some((status, how)));
        }
        Ok(None)
    }
}

/// Whether a case's answers are compared with another technique's. A match depends on both players' moves, and a choice
/// within a time depends on the clock.
pub(super) fn has_reference(task: Task, case: &Case) -> bool {
    task != Task::Match && !case.is_clocked()
}

/// The index of the cell's reference: the host technique named by its entry or, if that could not run, another host
/// technique with the same reference. `None` if the named one answers another question in this case, or if there is no
/// reference but the cell itself.
pub(super) fn reference_of(lives: &[Live<'_>], at: usize) -> Option<usize> {
    let cell = lives[at].cell;
    let wanted = cell.entry.reference;
    let fits =
        |live: &Live<'_>| live.cell.on == Processor::Host && are_asked_the_same(cell, live.cell);
    let named = lives
        .iter()
        .position(|live| fits(live) && live.cell.entry.name == wanted);
    let is_other_question =
        |live: &Live<'_>| live.cell.on == Processor::Host && live.cell.entry.name == wanted;
    match named {
        Some(at) if lives[at].ending.is_none() || lives[at].answer.is_some() => Some(at),
        None if lives.iter().any(is_other_question) => None,
        _ => lives
            .iter()
            .position(|live| {
                fits(live)
                    && (named.is_some() || live.cell.index != cell.index)
                    && !is_brought(live.cell.entry.name)
                    && live.cell.entry.reference == wanted
                    && (live.ending.is_none() || live.answer.is_some())
            })
            .or(named),
    }
}

/// Whether two cells of a case have the same value of every parameter that the answer of the second depends on. A
/// search's value depends on none; a tree's visits depend on all parameters of a tree on the host.
pub(super) fn are_asked_the_same(cell: &Cell, reference: &Cell) -> bool {
    let value = |of: &Cell, param: &ParamEntry| {
        let own = of.entry.params.iter().find(|own| own.name == param.name);
        let default = || Value::parse(own.unwrap_or(param).default);
        let given = of.choice.params.get(param.name).cloned();
        given.unwrap_or_else(default)
    };
    let mut params = reference.entry.params.iter();
    reference.entry.tasks.contains(&Task::Search)
        || params.all(|param| value(cell, param) == value(reference, param))
}
