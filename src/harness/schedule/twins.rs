//! Answers from outside the plan: a reference's in the shape chosen for a device, and the expected counters of a
//! search.

use super::checking::{are_asked_the_same, has_reference, reference_of};
use super::state::{Refused, Scheduler, State, Stop};
use crate::config::TechniqueChoice;
use crate::harness::executor::Lost;
use crate::harness::live::Live;
use crate::harness::plan::{Cell, Processor};
use crate::harness::protocol::{CellSpec, Prepared};
use crate::harness::verify;
use crate::techniques::registry;
use crate::words::{Answer, Counters, Counts, Fault, Params, Reason, Status, Task};

/// Cell number outside any plan, of a reference, which runs in the first program.
pub(super) const REFERENCE: usize = usize::MAX - 1;

/// Twins outside the run are asked for searches of at most this many nodes: a second or two.
const MOST_NODES: u64 = 20_000_000;

/// Allowed relative difference of the mean playout length from that of the proof's playouts of the same position.
const LENGTH_TOLERANCE: f64 = 0.25;
/// With fewer playouts the mean length is too uncertain for the comparison.
const FEWEST_PLAYOUTS: u64 = 500;

/// An answer outside all samples.
pub(super) struct Told {
    pub(super) answer: Answer,
    pub(super) counters: Counters,
}

impl Scheduler<'_> {
    /// Gets the answers of references outside the plan: those that need the shape chosen by one technique for one
    /// device, those whose cells in the plan have other parameters, and those of the host's techniques that the plan
    /// lacks.
    pub(super) fn shaped_references(
        &mut self,
        lives: &mut [Live<'_>],
        state: &mut State,
    ) -> Result<(), Stop> {
        for at in 0..lives.len() {
            let on_host = |live: &Live<'_>| live.cell.on == Processor::Host;
            let named = lives[at].cell.entry.reference;
            let is_named = |other: &Live<'_>| on_host(other) && other.cell.entry.name == named;
            let differs = reference_of(lives, at).is_none()
                && (on_host(&lives[at]) || lives.iter().any(is_named));
            let live = &mut lives[at];
            let compared = has_reference(self.experiment.task, &live.cell.case);
            let shape = live.prepared.shape.clone();
            let is_apart = differs || !shape.is_empty();
            if !live.running() || !is_apart || !compared {
                continue;
            }
            let told = match self.twin(live.cell, named, &shape) {
                Some(twin) => self
                    .ask(&twin, self.experiment.task, Some(live.units))?
                    .map(|(_, told)| told),
                None => Err((Status::Skipped, format!("there is no technique {named}"))),
            };
            self.forget_reference()?;
            match told {
                Ok(told) => {
                    live.twin.insert(live.units, told.counters);
                    live.expected = Some(told.answer);
                }
                Err((status, reason)) => {
                    let reason = format!("no answer of {named} to compare with: {reason}");
                    self.end(live, status, Reason::Told(reason), state)?;
                }
            }
        }
        Ok(())
    }

    /// Another host technique as a twin of a cell: with the parameters that both have, and with the shape.
    pub(super) fn twin(&self, cell: &Cell, name: &str, shape: &Params) -> Option<Cell> {
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

    /// Prepares a cell outside the plan and takes an answer. The cell stays prepared.
    pub(super) fn ask(
        &mut self,
        cell: &Cell,
        task: Task,
        positions: Option<u64>,
    ) -> Result<Result<(Prepared, Told), Refused>, Stop> {
        let spec = CellSpec {
            task,
            opponent: None,
            share: None,
            ..self.spec(cell, positions)
        };
        let deadline = self.deadline();
        let Some(executor) = self.executor(cell) else {
            return Ok(Err((Status::Unsupported, "there is no device".to_owned())));
        };
        let fault = |fault: Fault| Ok(Err((fault.status(), fault.to_string())));
        let prepared = match executor.prepare(&spec, deadline) {
            Ok(Ok(prepared)) => prepared,
            Ok(Err(refused)) => return fault(refused),
            Err(why) => return self.lost_apart(cell, why),
        };
        match executor.sample(cell.index, (0, 1), deadline, deadline) {
            Ok(Ok(samples)) => {
                let told = samples.into_iter().find_map(|sample| {
                    let counters = sample.sample.counters();
                    sample.answer.map(|answer| Told { answer, counters })
                });
                let none = || (Status::Crashed, "its worker sent no answer".to_owned());
                Ok(told.map(|told| (prepared, told)).ok_or_else(none))
            }
            Ok(Err(refused)) => {
                if let Fault::Device(_) = refused {
                    executor.retire();
                }
                fault(refused)
            }
            Err(why) => self.lost_apart(cell, why),
        }
    }

    /// The consequence of a lost worker for the cell that needs its answer.
    fn lost_apart<T>(&mut self, cell: &Cell, lost: Lost) -> Result<Result<T, Refused>, Stop> {
        match lost {
            Lost::Interrupted => Err(Stop::Interrupted),
            Lost::Timeout(time) => {
                *self.hung.entry(cell.on.place()).or_default() += time;
                Ok(Err((Status::Timeout, lost.to_string())))
            }
            lost => Ok(Err((Status::Crashed, lost.to_string()))),
        }
    }

    pub(super) fn forget_reference(&mut self) -> Result<(), Stop> {
        let deadline = self.deadline();
        forgotten(self.host.forget(REFERENCE, deadline))
    }

    /// The error in a cell's counters, if there is one.
    pub(super) fn miscounted(
        &mut self,
        lives: &mut [Live<'_>],
        at: usize,
    ) -> Result<Option<String>, Stop> {
        if lives[at].miscounted.is_some() {
            return Ok(lives[at].miscounted.clone());
        }
        let live = &lives[at];
        let Some(named) = live.cell.entry.twin_in(self.experiment.task) else {
            return Ok(None);
        };
        let units = live.units;
        let Some(found) = live.counted.get(&units).copied() else {
            return Ok(None);
        };
        let is_named = |other: &Live<'_>| {
            other.cell.on == Processor::Host
                && other.cell.entry.name == named
                && are_asked_the_same(live.cell, other.cell)
                && live.prepared.shape.is_empty()
        };
        let mut expected = live.twin.get(&units).copied();
        let mut others = lives.iter().filter(|other| is_named(other));
        if expected.is_none()
            && let Some(other) = others.next()
        {
            expected = other.counted.get(&units).copied();
            if expected.is_none() && other.running() {
                // The twin's own turn is still to come.
                return Ok(None);
            }
        }
        let is_asked = expected.is_none() && found.nodes <= MOST_NODES;
        if is_asked && let Some(twin) = self.twin(live.cell, named, &live.prepared.shape) {
            let told = self.ask(&twin, self.experiment.task, Some(units))?;
            self.forget_reference()?;
            // A twin that does not answer in time says nothing about this cell.
            let counters = told.map_or(found, |(_, told)| told.counters);
            lives[at].twin.insert(units, counters);
            expected = Some(counters);
        }
        let wrong = expected.filter(|expected| *expected != found);
        let whose = verify::whose(lives[at].cell.entry.name, named);
        Ok(wrong.map(|expected| verify::miscounted(&found, whose, &expected)))
    }
}

/// The outcome of freeing a cell outside the plan. A lost worker has freed it too.
pub(super) fn forgotten(outcome: Result<(), Lost>) -> Result<(), Stop> {
    match outcome {
        Err(Lost::Interrupted) => Err(Stop::Interrupted),
        _ => Ok(()),
    }
}

/// Records a sample's counters, and checks that they equal those of earlier samples.
pub(super) fn note_counts(live: &mut Live<'_>, task: Task, counters: Counters) {
    if live.miscounted.is_some() || task == Task::Match {
        return;
    }
    if live.cell.case.is_clocked() {
        let answer = live.last_answer.as_ref();
        let proof = live.proof;
        live.miscounted = proof.and_then(|proof| cut_short(proof, counters, answer));
        return;
    }
    if live.cell.entry.counts_in(task) == Counts::Vary {
        return;
    }
    let first = *live.counted.entry(live.units).or_insert(counters);
    if first != counters {
        live.miscounted = Some(verify::miscounted(&counters, "a sample before it", &first));
    }
}

/// Whether the mean playout length under the clock differs from that by iterations. Applies without a tree, where all
/// playouts start at the same position.
fn cut_short(proof: Counters, counters: Counters, answer: Option<&Answer>) -> Option<String> {
    let is_flat = match answer {
        Some(Answer::Chosen(chosen)) => chosen.iter().all(|it| it.tree_nodes == 0),
        _ => false,
    };
    let enough = |counters: Counters| counters.playouts >= FEWEST_PLAYOUTS;
    if !is_flat || !enough(proof) || !enough(counters) {
        return None;
    }
    let mean = |counters: Counters| counters.plies as f64 / counters.playouts as f64;
    let (expected, found) = (mean(proof), mean(counters));
    ((found - expected).abs() > expected * LENGTH_TOLERANCE).then(|| {
        format!("its playouts have {found:.1} plies in the mean, by iterations {expected:.1}")
    })
}
