//! The counters of a run's cells: equal in all their samples, and equal to those of the technique that determines them.

use super::answers::are_asked_the_same;
use crate::config::TechniqueChoice;
use crate::harness::answer_check;
use crate::harness::cell::CellState;
use crate::harness::machine::{Asked, Machine, Stop, Told};
use crate::harness::plan::{Cell, Processor};
use crate::techniques::registry;
use crate::words::{Answer, Counters, Counts, Params, Task};

/// Cell number outside any plan, of a reference, which runs in the first program.
pub(super) const REFERENCE: usize = usize::MAX - 1;

/// Counter references outside the run are asked for searches of at most this many nodes: a second or two.
const MOST_NODES: u64 = 20_000_000;

/// Allowed relative difference of the mean playout length from that by iterations from the same position.
const LENGTH_TOLERANCE: f64 = 0.25;
/// With fewer playouts the mean length is too uncertain for the comparison.
const FEWEST_PLAYOUTS: u64 = 500;

impl CellState<'_> {
    /// Records a sample's counters, and checks that they equal those of earlier samples.
    pub(super) fn count(&mut self, task: Task, counters: Counters) {
        let counted = &mut self.answers.counted;
        if counted.wrong.is_some() || task == Task::Match {
        } else if self.cell.case.is_clocked() {
            let last = self.answers.last.as_ref();
            let expected = counted.by_iterations;
            counted.wrong = expected.and_then(|expected| cut_short(expected, counters, last));
        } else if self.cell.entry.counts_in(task) != Counts::Vary {
            let first = *counted.found.entry(self.units).or_insert(counters);
            if first != counters {
                let how = answer_check::miscounted(&counters, "a sample before it", &first);
                counted.wrong = Some(how);
            }
        }
    }
}

impl Machine<'_> {
    /// Another host technique in the place of a cell: with the parameters that both have, and with the shape. `None` if
    /// there is none of this name.
    pub fn counterpart(&self, cell: &Cell, name: &str, shape: &Params) -> Option<Cell> {
        let entry = registry::find(&self.experiment.game, name)?.entry;
        Some(Cell {
            index: REFERENCE,
            choice: TechniqueChoice {
                technique: name.to_owned(),
                label: name.to_owned(),
                params: entry.params_of(&cell.choice.params, shape),
                opponent: None,
                ..cell.choice.clone()
            },
            entry,
            on: Processor::Host,
            ..cell.clone()
        })
    }

    /// Asks a [counterpart](Machine::counterpart), and frees it.
    pub fn ask_host(&mut self, other: &Cell, task: Task, positions: Option<u64>) -> Asked<Told> {
        let told = self.ask(other, task, positions, self.deadline())?;
        // A lost worker has freed it too.
        let _ = self.forget(other)?;
        Ok(told)
    }

    /// The error in a cell's counters, if there is one.
    pub fn miscounted(
        &mut self,
        cells: &mut [CellState<'_>],
        at: usize,
    ) -> Result<Option<String>, Stop> {
        let state = &cells[at];
        let (cell, counted, units) = (state.cell, &state.answers.counted, state.units);
        if counted.wrong.is_some() {
            return Ok(counted.wrong.clone());
        }
        let task = self.experiment.task;
        let Some(named) = cell.entry.twin_in(task) else {
            return Ok(None);
        };
        let Some(found) = counted.found.get(&units).copied() else {
            return Ok(None);
        };
        let shape = &state.prepared.shape;
        let mut expected = counted.expected.get(&units).copied();
        let is_named = |it: &Cell| it.on == Processor::Host && it.entry.name == named;
        let mut others = cells.iter().filter(|it| is_named(it.cell));
        if expected.is_none()
            && shape.is_empty()
            && let Some(other) = others.find(|it| are_asked_the_same(cell, it.cell))
        {
            expected = other.answers.counted.found.get(&units).copied();
            if expected.is_none() && other.running() {
                // Its own turn is still to come.
                return Ok(None);
            }
        }
        if expected.is_none()
            && found.nodes <= MOST_NODES
            && let Some(other) = self.counterpart(cell, named, shape)
        {
            let told = self.ask_host(&other, task, Some(units))?;
            // One that does not answer in time says nothing about this cell.
            let counters = told.map_or(found, |told| told.counters);
            cells[at].answers.counted.expected.insert(units, counters);
            expected = Some(counters);
        }
        let wrong = expected.filter(|expected| *expected != found);
        let whose = answer_check::whose(cell.entry.name, named);
        Ok(wrong.map(|expected| answer_check::miscounted(&found, whose, &expected)))
    }
}

/// Whether the mean playout length under the clock differs from that by iterations. Applies without a tree, where all
/// playouts start at the same position.
fn cut_short(expected: Counters, found: Counters, answer: Option<&Answer>) -> Option<String> {
    let is_flat = match answer {
        Some(Answer::Chosen(chosen)) => chosen.iter().all(|it| it.tree_nodes == 0),
        _ => false,
    };
    if !is_flat || expected.playouts.min(found.playouts) < FEWEST_PLAYOUTS {
        return None;
    }
    let mean = |counters: Counters| counters.plies as f64 / counters.playouts as f64;
    let (expected, found) = (mean(expected), mean(found));
    ((found - expected).abs() > expected * LENGTH_TOLERANCE).then(|| {
        format!("its playouts have {found:.1} plies in the mean, by iterations {expected:.1}")
    })
}
