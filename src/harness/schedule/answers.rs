//! The answers of a run's cells: their references, and the check of every answer.

use std::collections::BTreeSet;

use super::state::Scheduler;
use crate::harness::answer_check::{self, Verdict};
use crate::harness::cell::{CellState, State};
use crate::harness::machine::{Failure, Machine, Stop, Wrong};
use crate::harness::plan::{Cell, Processor};
use crate::harness::protocol::Sampled;
use crate::words::{Answer, Case, Fault, ParamEntry, Reason, Status, Task, Value, is_brought};

impl CellState<'_> {
    /// Takes note of a sample's answer and counters.
    pub fn heard(&mut self, sampled: &Sampled, task: Task) {
        if let Some(answer) = &sampled.answer {
            self.answers.unchecked.push(answer.clone());
            self.answers.last = Some(answer.clone());
            if let Answer::Match(score) = answer {
                self.games.insert(score.opening, score.clone());
            }
        }
        self.count(task, sampled.sample.counters());
    }

    fn is_usable(&self) -> bool {
        self.running() || self.answers.reference.is_some()
    }
}

impl Scheduler<'_> {
    /// Gets the reference answers, by an untimed sample of each reference.
    pub(super) fn references(&mut self, cells: &mut [CellState<'_>]) -> Result<(), Stop> {
        self.references_outside(cells)?;
        let task = self.machine.experiment.task;
        let is_compared =
            |state: &CellState<'_>| state.running() && has_reference(task, &state.cell.case);
        // A reference may have a reference itself: a strong search is compared with `serial`, and deeper searches with
        // the strong one.
        let compared = (0..cells.len()).filter(|&at| is_compared(&cells[at]));
        let asked: BTreeSet<usize> = compared.filter_map(|at| reference_of(cells, at)).collect();
        for at in asked {
            if !is_compared(&cells[at]) {
                continue;
            }
            if self.machine.left().is_zero() {
                return self.end_of_budget(cells);
            }
            if let Some(samples) = self.take(&mut cells[at], 1)? {
                let answer = samples.into_iter().find_map(|sample| sample.answer);
                let answers = &mut cells[at].answers;
                answers.reference = answer.or_else(|| answers.last.clone());
                if reference_of(cells, at) != Some(at) && !self.check(cells, at)? {
                    cells[at].answers.reference = None;
                }
            }
        }
        for at in 0..cells.len() {
            let reference = reference_of(cells, at).map(|at| &cells[at]);
            let is_known = cells[at].answers.expected.is_some()
                || reference.is_some_and(|it| it.answers.reference.is_some());
            if is_compared(&cells[at]) && !is_known {
                let ended = match reference.map(|it| &it.state) {
                    Some(State::Done(status, reason)) => Some((*status, reason)),
                    _ => None,
                };
                let reason = Reason::no_reference(cells[at].cell.entry.reference, ended);
                self.end(&mut cells[at], Status::Skipped, reason)?;
            }
        }
        Ok(())
    }

    /// Gets the answers of references outside the plan: those that need the shape chosen by one technique for one
    /// device, those whose cells in the plan have other parameters, and those of the host's techniques that the plan
    /// lacks.
    fn references_outside(&mut self, cells: &mut [CellState<'_>]) -> Result<(), Stop> {
        let task = self.machine.experiment.task;
        for at in 0..cells.len() {
            let on_host = |state: &CellState<'_>| state.cell.on == Processor::Host;
            let named = cells[at].cell.entry.reference;
            let is_named = |it: &CellState<'_>| on_host(it) && it.cell.entry.name == named;
            let differs = reference_of(cells, at).is_none()
                && (on_host(&cells[at]) || cells.iter().any(is_named));
            let state = &mut cells[at];
            let shape = state.prepared.shape.clone();
            let is_outside = differs || !shape.is_empty();
            if !is_outside || !state.running() || !has_reference(task, &state.cell.case) {
                continue;
            }
            let told = match self.machine.counterpart(state.cell, named, &shape) {
                Some(other) => {
                    let told = self.machine.ask_host(&other, task, Some(state.units))?;
                    told.map_err(|failure| failure.ends())
                }
                None => Err((Status::Skipped, format!("there is no technique {named}"))),
            };
            match told {
                Ok(told) => {
                    state
                        .answers
                        .counted
                        .expected
                        .insert(state.units, told.counters);
                    state.answers.expected = Some(told.answer);
                }
                Err((status, why)) => {
                    let reason = format!("no answer of {named} to compare with: {why}");
                    self.end(state, status, Reason::Told(reason))?;
                }
            }
        }
        Ok(())
    }

    /// Compares every unchecked answer with the reference's, including answers from before the reference's own, and
    /// checks the counters. Returns false if the cell has ended, by a mismatch or without a usable reference.
    pub(super) fn check(&mut self, cells: &mut [CellState<'_>], at: usize) -> Result<bool, Stop> {
        let unchecked = std::mem::take(&mut cells[at].answers.unchecked);
        let mut wrong = None;
        let reference = reference_of(cells, at);
        let its = |reference: usize| cells[reference].answers.reference.clone();
        let expected = cells[at].answers.expected.clone();
        let expected = expected.or_else(|| reference.and_then(its));
        if let Some(expected) = expected
            && has_reference(self.machine.experiment.task, &cells[at].cell.case)
        {
            let params = &cells[at].cell.choice.params;
            for answer in unchecked {
                wrong = match answer_check::compare_as(params, &expected, &answer) {
                    Verdict::Agrees => None,
                    Verdict::Differs(how) => Some((Status::Mismatch, how)),
                    Verdict::OtherMoves(moves) => match reference {
                        Some(reference) => self.other_moves(cells, (at, reference), moves)?,
                        None => None,
                    },
                };
                if wrong.is_some() {
                    break;
                }
            }
        }
        if wrong.is_none() {
            let miscounted = self.machine.miscounted(cells, at)?;
            wrong = miscounted.map(|how| (Status::Mismatch, how));
        }
        match wrong {
            None => Ok(true),
            Some((status, how)) => {
                self.end(&mut cells[at], status, Reason::Told(how))?;
                Ok(false)
            }
        }
    }

    /// Asks the reference for the value of best moves that differ from its own. A move that was found as good is not
    /// asked for again.
    fn other_moves(
        &mut self,
        cells: &mut [CellState<'_>],
        (at, reference): (usize, usize),
        mut moves: Vec<OtherMove>,
    ) -> Result<Option<Wrong>, Stop> {
        moves.retain(|(unit, best, _)| {
            let approved = &cells[at].answers.approved;
            !approved.contains(&(*unit, best.clone()))
        });
        for one in moves {
            if !self.ensure(&mut cells[reference])? {
                let lost = "the reference could not be made ready again";
                return Ok(Some((Status::Crashed, unchecked_move(&one, &lost))));
            }
            let wrong = self.machine.wrong_move(cells[reference].cell, &one)?;
            if wrong.is_some() {
                return Ok(wrong);
            }
            cells[at].answers.approved.insert((one.0, one.1));
        }
        Ok(None)
    }
}

/// A best move other than the reference's: position, move, value of the root.
pub type OtherMove = (usize, String, i64);

fn unchecked_move((unit, best, _): &OtherMove, why: &dyn std::fmt::Display) -> String {
    let unit = unit + 1;
    format!("position {unit}: best move {best} could not be checked: {why}")
}

impl Machine<'_> {
    /// Why a move is not a best one, by its full-window value, for which it asks a prepared reference. If the reference
    /// fails, the status is that of the failure, not a mismatch.
    pub fn wrong_move(&mut self, reference: &Cell, one: &OtherMove) -> Result<Option<Wrong>, Stop> {
        let deadline = self.deadline();
        let (unit, best, root) = one;
        let value = self.call(reference, |worker| {
            worker.value_of(reference.index, *unit, best, deadline)
        })?;
        let place = format!("position {}: best move {best}", unit + 1);
        let (status, how) = match value {
            Ok(value) if value == *root => return Ok(None),
            Ok(value) => {
                let how = format!("{place} is worth {value}, the root {root}");
                (Status::Mismatch, how)
            }
            // The move is illegal at that position.
            Err(Failure::Fault(fault @ Fault::Input(_))) => {
                (Status::Mismatch, format!("{place}: {fault}"))
            }
            Err(failure) => (failure.status(), unchecked_move(one, &failure)),
        };
        Ok(Some((status, how)))
    }
}

/// Whether a case's answers are compared with another technique's. A match depends on both players' moves, and a choice
/// within a time depends on the clock.
fn has_reference(task: Task, case: &Case) -> bool {
    task != Task::Match && !case.is_clocked()
}

/// The index of the cell's reference: the host technique named by its entry or, if that could not run, another host
/// technique with the same reference. `None` if the named one answers another question in this case, or if there is no
/// reference but the cell itself.
pub(super) fn reference_of(cells: &[CellState<'_>], at: usize) -> Option<usize> {
    let cell = cells[at].cell;
    let wanted = cell.entry.reference;
    let on_host = |state: &CellState<'_>| state.cell.on == Processor::Host;
    let is_wanted = |state: &CellState<'_>| on_host(state) && state.cell.entry.name == wanted;
    let fits = |state: &CellState<'_>| on_host(state) && are_asked_the_same(cell, state.cell);
    let named = cells.iter().position(|it| is_wanted(it) && fits(it));
    match named {
        Some(at) if cells[at].is_usable() => return named,
        None if cells.iter().any(is_wanted) => return None,
        _ => {}
    }
    let other = cells.iter().position(|it| {
        fits(it)
            && it.is_usable()
            && (named.is_some() || it.cell.index != cell.index)
            && !is_brought(it.cell.entry.name)
            && it.cell.entry.reference == wanted
    });
    other.or(named)
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
