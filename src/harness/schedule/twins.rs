//! Answers from outside the plan: a reference's in the shape chosen for a device, a technique's by iterations
//! if the clock decides in its cells, and the expected counters of a search.

use super::checking::{are_asked_the_same, has_reference, reference_of};
use super::state::{Place, Proof, Refused, Scheduler, State, Stop};
use crate::config::TechniqueChoice;
use crate::harness::executor::Lost;
use crate::harness::live::{Live, Purpose};
use crate::harness::plan::{Cell, Processor};
use crate::harness::protocol::{CellSpec, Prepared};
use crate::harness::verify::{self, Verdict};
use crate::techniques::registry;
use crate::words::{
    Answer, Case, Counters, Counts, Fault, Kind, Params, Reason, Status, Task, Value, is_brought,
};

/// Cell numbers outside any plan: of the technique examined (the next number for the second program, as in
/// [`versus`](crate::harness::versus)), and of its reference, which runs in the first program.
const OWN: usize = usize::MAX - 3;
const REFERENCE: usize = usize::MAX - 1;

/// Iterations of a proof, per tree for techniques with many: enough for points to decide where the next leaf
/// is.
const ITERATIONS: i64 = 1_000;
const ITERATIONS_A_TREE: i64 = 64;

/// Depths at which a search technique is proved; the first one that its parameters allow.
const DEPTHS: [i64; 5] = [3, 4, 2, 5, 6];

/// Twins outside the run are asked for searches of at most this many nodes: a second or two.
const MOST_NODES: u64 = 20_000_000;

/// Allowed relative difference of the mean playout length from that of the proof's playouts of the same
/// position.
const LENGTH_TOLERANCE: f64 = 0.25;
/// With fewer playouts the mean length is too uncertain for the comparison.
const FEWEST_PLAYOUTS: u64 = 500;

/// An answer outside all samples.
struct Told {
    answer: Answer,
    counters: Counters,
}

impl Scheduler<'_> {
    /// Gets the answers of references outside the plan: those that need the shape chosen by one technique for one
    /// device, and those whose cells in the plan have other parameters.
    pub(super) fn shaped_references(
        &mut self,
        lives: &mut [Live<'_>],
        state: &mut State,
    ) -> Result<(), Stop> {
        for at in 0..lives.len() {
            let is_named = |other: &Live<'_>| {
                let Cell { entry, on, .. } = other.cell;
                *on == Processor::Host && entry.name == lives[at].cell.entry.reference
            };
            let differs = reference_of(lives, at).is_none() && lives.iter().any(is_named);
            let live = &mut lives[at];
            let compared = has_reference(self.experiment.task, &live.cell.case);
            let is_apart = differs || !live.prepared.shape.is_empty();
            if !live.running() || !is_apart || !compared {
                continue;
            }
            let shape = live.prepared.shape.clone();
            let name = live.cell.entry.reference;
            let told = match self.twin(live.cell, name, &shape) {
                Some(twin) => self
                    .ask(&twin, self.experiment.task, None)?
                    .map(|(_, told)| told),
                None => Err((Status::Skipped, format!("there is no technique {name}"))),
            };
            self.forget_reference(live.cell)?;
            match told {
                Ok(told) => {
                    live.twin.insert(live.units, told.counters);
                    live.expected = Some(told.answer);
                }
                Err((status, reason)) => {
                    let reason = format!("no answer of {name} to compare with: {reason}");
                    self.end(live, status, Reason::Told(reason), state)?;
                }
            }
        }
        Ok(())
    }

    /// Proves the techniques of cells that the clock decides, and those of matches by effort, by one answer
    /// by iterations: such a cell counts only if that answer is correct.
    pub(super) fn proofs(&mut self, lives: &mut [Live<'_>], state: &mut State) -> Result<(), Stop> {
        for live in lives.iter_mut() {
            let case = &live.cell.case;
            let is_match = self.experiment.task == Task::Match && case.get("effort").is_some();
            let asked = live.running() && live.purpose == Purpose::Measure;
            if !asked || !(case.is_clocked() || is_match) {
                continue;
            }
            let mut players = vec![live.cell.clone()];
            players.extend(self.opponent_of(live.cell));
            for player in &players {
                if let Err((status, reason)) = self.proof(player, live, state)? {
                    let label = &player.choice.label;
                    let reason = match *label == live.cell.choice.label {
                        true => reason,
                        false => format!("its opponent {label}: {reason}"),
                    };
                    self.end(live, status, Reason::Told(reason), state)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// The opponent in a match, as a cell.
    fn opponent_of(&self, cell: &Cell) -> Option<Cell> {
        let label = cell.choice.opponent.as_ref()?;
        let mut choices = self.experiment.techniques.iter();
        let choice = choices.find(|choice| choice.label == *label)?;
        let entry = registry::find(&self.experiment.game, &choice.technique)?.entry;
        Some(Cell {
            choice: choice.clone(),
            entry,
            on: match entry.kind {
                Kind::Device => cell.on,
                Kind::Serial | Kind::Threads => Processor::Host,
            },
            ..cell.clone()
        })
    }

    /// The proof of a technique; done once per run and case.
    fn proof(
        &mut self,
        player: &Cell,
        live: &mut Live<'_>,
        state: &mut State,
    ) -> Result<Result<(), Refused>, Stop> {
        if let Some(reason) = state.wrong.get(&place_of(player)) {
            return Ok(Err((Status::Mismatch, wrong_by_iterations(reason))));
        }
        let key = (place_of(player), player.case.without("effort"));
        let proof = match state.proofs.get(&key) {
            Some(proof) => proof.clone(),
            None => {
                let proof = self.prove(player)?;
                state.proofs.insert(key, proof.clone());
                proof
            }
        };
        Ok(proof.map(|counters| {
            if place_of(player) == place_of(live.cell) {
                live.proof = counters;
            }
        }))
    }

    /// Compares one answer with the reference's; `None` if there is nothing to compare with.
    fn prove(&mut self, player: &Cell) -> Result<Proof, Stop> {
        let named = player.entry.reference;
        // Of a user's own program only the moves are checked.
        if named == player.entry.name || is_brought(player.entry.name) {
            return Ok(Ok(None));
        }
        let Some((task, case)) = proof_of(player, ITERATIONS) else {
            return Ok(Ok(None));
        };
        let mut own = Cell {
            index: OWN + player.program,
            case,
            ..player.clone()
        };
        let proved = self.compare_with(&mut own, task, named);
        self.forget_apart(&own)?;
        self.forget_reference(player)?;
        let case = own.case;
        Ok(proved?.map_err(|(status, reason)| (status, format!("at {case}: {reason}"))))
    }

    fn compare_with(&mut self, own: &mut Cell, task: Task, named: &str) -> Result<Proof, Stop> {
        let (mut prepared, mut found) = match self.ask(own, task, None)? {
            Ok(told) => told,
            Err(refused) => return Ok(Err(refused)),
        };
        let trees = prepared.shape.get("groups").and_then(Value::as_int);
        let iterations = trees.unwrap_or(0) * ITERATIONS_A_TREE;
        if iterations > ITERATIONS
            && let Some((_, case)) = proof_of(own, iterations)
        {
            own.case = case;
            (prepared, found) = match self.ask(own, task, None)? {
                Ok(told) => told,
                Err(refused) => return Ok(Err(refused)),
            };
        }
        let Some(twin) = self.twin(own, named, &prepared.shape) else {
            return Ok(Ok(None));
        };
        let expected = match self.ask(&twin, task, None)? {
            Ok((_, told)) => told,
            Err((_, reason)) => {
                let reason = format!("no answer of {named} to compare with: {reason}");
                return Ok(Err((Status::Skipped, reason)));
            }
        };
        let wrong = |how| Ok(Err((Status::Mismatch, how)));
        match verify::compare(&expected.answer, &found.answer) {
            Verdict::Agrees => {}
            Verdict::Differs(how) => return wrong(how),
            Verdict::OtherMoves(moves) => {
                for (unit, best, root) in moves {
                    let deadline = self.deadline();
                    match self.host.value_of(REFERENCE, unit, &best, deadline) {
                        Ok(Ok(value)) if value == root => {}
                        Ok(Ok(value)) => {
                            let how = format!("best move {best} is worth {value}, the root {root}");
                            return wrong(how);
                        }
                        Ok(Err(Fault::Input(why))) => return wrong(why),
                        Ok(Err(fault)) => return Ok(Err((fault.status(), fault.to_string()))),
                        Err(Lost::Interrupted) => return Err(Stop::Interrupted),
                        Err(lost) => return Ok(Err((Status::Crashed, lost.to_string()))),
                    }
                }
            }
        }
        if own.entry.twin_in(task) == Some(twin.entry.name) && found.counters != expected.counters {
            return wrong(verify::miscounted(
                &found.counters,
                named,
                &expected.counters,
            ));
        }
        Ok(Ok(Some(found.counters)))
    }

    /// Another host technique as a twin of a cell: with the parameters that both have, and with the shape.
    fn twin(&self, cell: &Cell, name: &str, shape: &Params) -> Option<Cell> {
        let entry = registry::find(&self.experiment.game, name)?.entry;
        let known =
            |(name, _): &(&String, &Value)| entry.params.iter().any(|own| own.name == *name);
        let own = cell.choice.params.iter().chain(shape).filter(known);
        let params = own.map(|(name, value)| (name.clone(), value.clone()));
        Some(Cell {
            index: REFERENCE,
            choice: TechniqueChoice {
                technique: name.to_owned(),
                label: name.to_owned(),
                params: params.collect(),
                opponent: None,
                ..cell.choice.clone()
            },
            entry,
            on: Processor::Host,
            ..cell.clone()
        })
    }

    /// Prepares a cell outside the plan and takes an answer. The cell stays prepared.
    fn ask(
        &mut self,
        cell: &Cell,
        task: Task,
        positions: Option<u64>,
    ) -> Result<Result<(Prepared, Told), Refused>, Stop> {
        let spec = CellSpec {
            task,
            opponent: None,
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
                    let counters = sample.counters;
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

    fn forget_reference(&mut self, beside: &Cell) -> Result<(), Stop> {
        self.forget_apart(&Cell {
            index: REFERENCE,
            on: Processor::Host,
            ..beside.clone()
        })
    }

    /// Frees a cell outside the plan. A lost worker has freed it too.
    fn forget_apart(&mut self, cell: &Cell) -> Result<(), Stop> {
        match self.forget(cell) {
            Err(Lost::Interrupted) => Err(Stop::Interrupted),
            _ => Ok(()),
        }
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
            self.forget_reference(lives[at].cell)?;
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

/// The reason of a technique's cells under the clock if its cells by iterations are wrong.
pub(super) fn wrong_by_iterations(reason: &str) -> String {
    format!("its answers by iterations are wrong in this run: {reason}")
}

/// Records a sample's counters, and checks that they equal those of earlier samples.
pub(super) fn note_counts(
    live: &mut Live<'_>,
    task: Task,
    counters: Counters,
    answer: Option<&Answer>,
) {
    if live.miscounted.is_some() || task == Task::Match {
        return;
    }
    if live.cell.case.is_clocked() {
        live.miscounted = live
            .proof
            .and_then(|proof| cut_short(proof, counters, answer));
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

/// Whether the mean playout length under the clock differs from that by iterations. Applies without a tree,
/// where all playouts start at the same position.
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

/// The identity of a cell's technique in the run.
pub(super) fn place_of(cell: &Cell) -> Place {
    let (label, device) = (&cell.choice.label, &cell.device_label);
    (cell.program, label.clone(), device.clone())
}

/// The case in which a technique is proved: a number of iterations, or a small depth.
fn proof_of(cell: &Cell, iterations: i64) -> Option<(Task, Case)> {
    let entry = &cell.entry;
    let catalogue = registry::catalogue();
    let game = catalogue.game(entry.game)?;
    let of = |task: Task, axis: &str, value: i64| {
        let mut case = cell.case.without("effort").without(axis);
        let belongs = |name: &str| {
            let mut axes = game.axes.iter();
            axes.any(|axis| axis.name == name && axis.belongs_to(task))
        };
        case.0.retain(|(name, _)| belongs(name));
        case.0.push((axis.to_owned(), Value::Int(value)));
        case
    };
    if entry.tasks.contains(&Task::Search) {
        let cases = DEPTHS.iter().map(|depth| of(Task::Search, "depth", *depth));
        let mut taken = cases.filter(|case| (entry.check)(case, &cell.choice.params).is_ok());
        return taken.next().map(|case| (Task::Search, case));
    }
    let case = of(Task::Choose, "effort", iterations);
    let chooses = entry.tasks.contains(&Task::Choose);
    chooses.then_some((Task::Choose, case))
}
