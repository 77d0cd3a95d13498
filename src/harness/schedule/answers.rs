//! Gets the reference answers for the cells in a run, and checks every answer and its counters.

use super::*;
use crate::words::ParamEntry;

/// Maximum number of nodes in a check of counters outside the plan, which takes 1 to 2 s. A playout counts as 20 nodes.
const MOST_NODES: u64 = 20_000_000;

/// Maximum relative difference between the mean playout length with a time limit and that with fixed iterations.
const LENGTH_TOLERANCE: f64 = 0.25;
/// Minimum number of playouts for a comparison of mean lengths.
const FEWEST_PLAYOUTS: u64 = 500;

impl CellState<'_> {
    /// Records a sample's answer and counters.
    pub fn heard(&mut self, sampled: &Sampled, task: Task) {
        if let Some(answer) = &sampled.answer {
            self.answers.unchecked.push(answer.clone());
            self.answers.last = Some(answer.clone());
            if let Answer::Match(score) = answer {
                self.games.insert(score.opening, score.clone());
            }
        }
        let (counted, counters) = (&mut self.answers.counted, sampled.sample.counters());
        if counted.wrong.is_some() || task == Task::Match {
        } else if self.cell.case.is_clocked() {
            let expected = counted.by_iterations;
            let last = self.answers.last.as_ref();
            counted.wrong = expected.and_then(|expected| cut_short(expected, counters, last));
        } else if self.cell.entry.counts_in(task) != Counts::Vary {
            let first = counted.found.entry(self.units).or_insert(counters);
            counted.wrong = answer_check::miscounted(&counters, "an earlier sample", first);
        }
    }

    fn is_usable(&self) -> bool {
        self.running() || self.answers.reference.is_some()
    }
}

impl Scheduler<'_> {
    /// Takes an untimed sample of each reference, to get the reference answers.
    pub(super) fn references(&mut self, cells: &mut [CellState<'_>]) -> Result {
        self.references_outside(cells)?;
        let task = self.machine.experiment.task;
        let is_compared =
            |state: &CellState<'_>| state.running() && has_reference(task, &state.cell.case);
        // A reference may itself have a reference.
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
                let name = cells[at].cell.entry.reference;
                let why = match reference.map(|it| &it.state) {
                    Some(State::Done(status, reason)) => format!("{name} ended {status}: {reason}"),
                    _ => format!("{name} is not part of this run"),
                };
                self.end(&mut cells[at], Status::Skipped, Reason::NoReference(why))?;
            }
        }
        Ok(())
    }

    /// Gets answers from references outside the plan. This is necessary if a device chooses the shape, if the planned
    /// reference has other parameters, or if a host technique's reference is not in the plan.
    fn references_outside(&mut self, cells: &mut [CellState<'_>]) -> Result {
        let task = self.machine.experiment.task;
        for at in 0..cells.len() {
            let on_host = |state: &CellState<'_>| state.cell.on == Processor::Host;
            let named = cells[at].cell.entry.reference;
            let is_named = |it: &CellState<'_>| on_host(it) && it.cell.entry.name == named;
            let differs = reference_of(cells, at).is_none()
                && (on_host(&cells[at]) || cells.iter().any(is_named));
            let state = &mut cells[at];
            let shape = &state.prepared.shape;
            let is_outside = differs || !shape.is_empty();
            if !is_outside || !state.running() || !has_reference(task, &state.cell.case) {
                continue;
            }
            let (cell, units) = (state.cell, state.units);
            match self.machine.ask_host(cell, named, shape, units)? {
                Ok((answer, counters)) => {
                    let expected = &mut state.answers.counted.expected;
                    expected.insert(state.units, counters);
                    state.answers.expected = Some(answer);
                }
                Err(failure) => {
                    let (_, reason) = reference::no_answer(named, &failure);
                    self.end(state, failure.status(), Reason::Told(reason))?;
                }
            }
        }
        Ok(())
    }

    /// Checks the counters, and compares every unchecked answer with the reference. The answers may be older than the
    /// reference's. Returns false if the cell has ended because of a mismatch or because no reference is usable.
    pub(super) fn check(&mut self, cells: &mut [CellState<'_>], at: usize) -> Result<bool> {
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
                wrong = match answer_check::compare(params, &expected, &answer) {
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
            let miscounted = self.miscounted(cells, at)?;
            wrong = miscounted.map(|how| (Status::Mismatch, how));
        }
        let is_right = wrong.is_none();
        if let Some((status, how)) = wrong {
            self.end(&mut cells[at], status, Reason::Told(how))?;
        }
        Ok(is_right)
    }

    /// Checks the best moves that differ from the reference's move, each move once.
    fn other_moves(
        &mut self,
        cells: &mut [CellState<'_>],
        (at, reference): (usize, usize),
        mut moves: Vec<OtherMove>,
    ) -> Result<Option<Wrong>> {
        let approved = &cells[at].answers.approved;
        moves.retain(|(unit, best, _)| !approved.contains(&(*unit, best.clone())));
        for one in moves {
            let (cell, deadline) = (cells[reference].cell, self.machine.deadline());
            let found = match self.ensure(&mut cells[reference])? {
                false => Err(Lost::Crashed("it could not be prepared again".into()).into()),
                true => self.machine.call(cell.on, |worker| {
                    reference::wrong_move(worker, cell.index, &one, deadline)
                })?,
            };
            let (unit, best, _) = one;
            match found {
                Ok(None) => cells[at].answers.approved.insert((unit, best)),
                Ok(Some(how)) => return Ok(Some((Status::Mismatch, how))),
                Err(failure) => {
                    let place = format!("position {}: best move {best}", unit + 1);
                    let how = format!("{place} could not be checked: {failure}");
                    return Ok(Some((failure.status(), how)));
                }
            };
        }
        Ok(None)
    }

    /// Describes the error in a cell's counters, if any. They must equal those of the technique that `twin_in` names.
    fn miscounted(&mut self, cells: &mut [CellState<'_>], at: usize) -> Result<Option<String>> {
        let state = &cells[at];
        let (cell, counted, units) = (state.cell, &state.answers.counted, state.units);
        let named = cell.entry.twin_in(self.machine.experiment.task);
        let found = counted.found.get(&units).copied();
        let (Some(named), Some(found), None) = (named, found, &counted.wrong) else {
            return Ok(counted.wrong.clone());
        };
        let shape = &state.prepared.shape;
        let mut expected = counted.expected.get(&units).copied();
        if expected.is_none()
            && shape.is_empty()
            && let Some(other) = cells.iter().find(|it| is_answered_by(cell, named, it.cell))
        {
            expected = other.answers.counted.found.get(&units).copied();
            let is_over_budget = matches!(other.state, State::Done(Status::Skipped, _));
            if expected.is_none() && (other.running() || is_over_budget) {
                return Ok(None);
            }
        }
        if expected.is_none() && found.nodes.max(20 * found.playouts) <= MOST_NODES {
            let told = self.machine.ask_host(cell, named, shape, units)?;
            // A reference that does not answer in time proves nothing about this cell.
            let counters = told.map_or(found, |(_, counters)| counters);
            cells[at].answers.counted.expected.insert(units, counters);
            expected = Some(counters);
        }
        Ok(expected.and_then(|expected| answer_check::miscounted(&found, named, &expected)))
    }
}

/// Compares the mean playout length with that of a search with fixed iterations, for techniques without a tree.
fn cut_short(expected: Counters, found: Counters, answer: Option<&Answer>) -> Option<String> {
    let is_flat =
        matches!(answer, Some(Answer::Chosen(all)) if all.iter().all(|it| it.tree_nodes == 0));
    if !is_flat || expected.playouts.min(found.playouts) < FEWEST_PLAYOUTS {
        return None;
    }
    let mean = |counters: Counters| counters.plies as f64 / counters.playouts as f64;
    let (expected, found) = (mean(expected), mean(found));
    ((found - expected).abs() > expected * LENGTH_TOLERANCE)
        .then(|| format!("its playouts average {found:.1} plies, but {expected:.1} by iterations"))
}

/// True if the answers of a case are compared with those of another technique.
fn has_reference(task: Task, case: &Case) -> bool {
    task != Task::Match && !case.is_clocked()
}

/// Returns the index of the cell's reference: the host technique named in its entry or, if that could not run, another
/// host technique with the same reference. Returns `None` if the named technique answers a different question in this
/// case, or if the cell would be its own reference.
pub(super) fn reference_of(cells: &[CellState<'_>], at: usize) -> Option<usize> {
    let cell = cells[at].cell;
    let wanted = cell.entry.reference;
    let place = |is: &dyn Fn(&CellState<'_>) -> bool| cells.iter().position(is);
    let named = place(&|it| is_answered_by(cell, wanted, it.cell));
    let is_wanted =
        |it: &CellState<'_>| it.cell.on == Processor::Host && it.cell.entry.name == wanted;
    match named {
        Some(at) if cells[at].is_usable() => return named,
        None if cells.iter().any(is_wanted) => return None,
        _ => {}
    }
    let other = place(&|it| {
        is_answered_by(cell, it.cell.entry.name, it.cell)
            && it.is_usable()
            && (named.is_some() || it.cell.index != cell.index)
            && !is_brought(it.cell.entry.name)
            && it.cell.entry.reference == wanted
    });
    other.or(named)
}

/// True if `other` runs the technique `name` on the host and answers the same question as `cell`.
fn is_answered_by(cell: &Cell, name: &str, other: &Cell) -> bool {
    other.on == Processor::Host && other.entry.name == name && are_asked_the_same(cell, other)
}

/// True if two cells in a case agree in every parameter on which the reference's answer depends. The value of a search
/// does not depend on parameters. The visits of a tree search depend on all parameters of the host technique.
fn are_asked_the_same(cell: &Cell, reference: &Cell) -> bool {
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
