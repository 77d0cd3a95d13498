//! Verifies the techniques of cells with a time limit, whose answers cannot be compared. Such a cell counts only if its
//! technique was verified in this run, with fixed iterations or by a search to a small depth.

use std::iter::once;

use super::*;
use crate::harness::reference::{Host, Question, answers, no_answer};
use crate::techniques::registry;

/// Cell number for the examined technique, outside any plan. The second program uses the next number.
const EXAMINED: usize = usize::MAX - 3;

/// Number of iterations in total, or [`ITERATIONS_PER_TREE`] per tree if that is more. Scores then affect selection.
const ITERATIONS: i64 = 1_000;
const ITERATIONS_PER_TREE: i64 = 64;

/// Depths for verifying a search technique. The first depth that its parameters allow is used.
const DEPTHS: [i64; 5] = [3, 4, 2, 5, 6];

/// Program, technique, device, and the case without its effort. `None` means all cases with an effort in iterations.
type Subject = (usize, String, String, Option<Case>);

/// Maps a subject to its error, to the counters of its correct answer, or to `None` if nothing can be compared.
pub(super) type Verified = HashMap<Subject, Result<Option<Counters>, Wrong>>;

fn subject(cell: &Cell, case: Option<Case>) -> Subject {
    let (label, device) = (&cell.choice.label, &cell.device_label);
    (cell.program, label.clone(), device.clone(), case)
}

impl Scheduler<'_> {
    /// Verifies the techniques in cells with a time limit, and both players in matches with an `effort`.
    pub(super) fn verify_clocked(&mut self, cells: &mut [CellState<'_>]) -> Result {
        let is_match = self.machine.experiment.task == Task::Match;
        for state in cells {
            let cell = state.cell;
            let decides = cell.case.is_clocked() || is_match && cell.case.get("effort").is_some();
            let has_turn =
                self.machine.executor(cell.on).is_some() && !self.machine.left_for(cell).is_zero();
            if !decides || !has_turn || state.kept {
                continue;
            }
            self.machine.check_stop()?;
            for player in once(cell.clone()).chain(self.opponent_of(cell)) {
                let label = &player.choice.label;
                let is_own = *label == cell.choice.label;
                match self.verified(&player)? {
                    Ok(counters) if is_own => state.answers.counted.by_iterations = counters,
                    Ok(_) => {}
                    Err((status, mut reason)) => {
                        if !is_own {
                            reason = format!("its opponent {label}: {reason}");
                        }
                        self.end(state, status, Reason::Told(reason))?;
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the opponent in a match as a separate cell.
    fn opponent_of(&self, cell: &Cell) -> Option<Cell> {
        let experiment = self.machine.experiment;
        let choice = experiment.choice(cell.choice.opponent.as_ref()?)?;
        let entry = registry::find(&experiment.game, &choice.technique)?.entry;
        Some(Cell {
            choice: choice.clone(),
            entry,
            on: if entry.kind == Kind::Device {
                cell.on
            } else {
                Processor::Host
            },
            ..cell.clone()
        })
    }

    /// Notes that a technique was wrong with an effort in iterations. It then counts as wrong under time limits, too.
    pub(super) fn note_wrong(&mut self, cell: &Cell, reason: &Reason) {
        if cell.case.int("effort").is_some() {
            let reason = format!("its answers by iterations are wrong in this run: {reason}");
            let own = self.state.verified.entry(subject(cell, None));
            own.or_insert(Err((Status::Mismatch, reason)));
        }
    }

    /// Returns the error, if any, of a cell's technique in cells with an effort in iterations.
    pub(super) fn wrong_by_iterations(&self, cell: &Cell) -> Option<Wrong> {
        self.state.verified.get(&subject(cell, None))?.clone().err()
    }

    /// Returns the result of verifying a technique. Each technique is verified once per run and case.
    fn verified(&mut self, player: &Cell) -> Result<Result<Option<Counters>, Wrong>> {
        if let Some(wrong) = self.wrong_by_iterations(player) {
            return Ok(Err(wrong));
        }
        let key = subject(player, Some(player.case.without("effort")));
        if let Some(known) = self.state.verified.get(&key) {
            return Ok(known.clone());
        }
        let found = self.examine(player)?;
        self.state.verified.insert(key, found.clone());
        Ok(found)
    }

    /// Verifies a technique by comparing one of its answers with the reference.
    fn examine(&mut self, player: &Cell) -> Result<Result<Option<Counters>, Wrong>> {
        // A user's program is only checked for legal moves.
        if player.is_reference() || is_brought(player.entry.name) {
            return Ok(Ok(None));
        }
        let machine = &mut self.machine;
        let (by, deadline) = (machine.ready_by(player), machine.deadline());
        let mut iterations = ITERATIONS;
        let (task, spec, found) = loop {
            let Some((task, case)) = examination(player, iterations) else {
                return Ok(Ok(None));
            };
            let examined = Cell {
                index: EXAMINED + player.program,
                case,
                ..player.clone()
            };
            let spec = machine.spec_outside(&examined, task, None);
            let found = machine.call(player.on, |worker| {
                answers(worker, &spec, 1, [by, deadline])
            })?;
            let shape = found.as_ref().ok().map(|(shape, ..)| shape);
            let trees = shape.and_then(|shape| shape.get("groups")?.as_int());
            let wanted = trees.unwrap_or(0) * ITERATIONS_PER_TREE;
            if task != Task::Choose || iterations != ITERATIONS || wanted <= iterations {
                break (task, spec, found);
            }
            iterations = wanted;
        };
        let (named, at) = (player.entry.reference, format!("at {}", spec.case));
        let found = match found {
            Ok((shape, (answer, counters), _)) => {
                let question = Question {
                    spec,
                    reference: named,
                    counted_as: player.entry.twin_in(task).filter(|it| *it == named),
                };
                let judged = machine.call(Processor::Host, |host| {
                    let told = (Some(&answer), &counters);
                    Ok(Host::new(host, deadline).judge(&question, &shape, told)?)
                })?;
                let wrong = judged.unwrap_or_else(|lost| Some(no_answer(named, &lost)));
                wrong.map_or(Ok(Some(counters)), Err)
            }
            Err(failure) => Err(match machine.not_ready(&failure, by) {
                Some(why) => (Status::Skipped, why),
                None => (failure.status(), self.reason_of(player, &failure)?),
            }),
        };
        Ok(found.map_err(|(status, why)| (status, format!("{at}: {why}"))))
    }
}

/// Returns the task and case for verifying a technique with fixed iterations or at a small depth, if supported.
fn examination(cell: &Cell, iterations: i64) -> Option<(Task, Case)> {
    let entry = &cell.entry;
    let catalogue = registry::catalogue();
    let game = catalogue.game(entry.game)?;
    let with = |task: Task, axis: &str, value: i64| {
        let mut case = cell.case.without("effort").without(axis);
        let belongs = |name: &str| {
            let mut axes = game.axes.iter();
            axes.any(|axis| axis.name == name && axis.belongs_to(task))
        };
        case.0.retain(|(name, _)| belongs(name));
        case.0.push((axis.to_owned(), Value::Int(value)));
        (task, case)
    };
    if entry.tasks.contains(&Task::Search) {
        let cases = DEPTHS.map(|depth| with(Task::Search, "depth", depth));
        let mut cases = cases.into_iter();
        return cases.find(|(_, case)| (entry.check)(case, &cell.choice.params).is_ok());
    }
    let chooses = entry.tasks.contains(&Task::Choose);
    chooses.then(|| with(Task::Choose, "effort", iterations))
}
