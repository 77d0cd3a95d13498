//! Proofs of techniques in whose cells the clock decides: an answer by iterations, compared with the reference's.

use super::state::{Proof, Refused, Scheduler, State, Stop, place_of};
use super::twins::{REFERENCE, forgotten};
use crate::harness::executor::Lost;
use crate::harness::live::{Live, Purpose};
use crate::harness::plan::{Cell, Processor};
use crate::harness::verify::{self, Verdict};
use crate::techniques::registry;
use crate::words::{Case, Fault, Kind, Reason, Status, Task, Value, is_brought};

/// Cell number outside any plan, of the technique examined; the next one for the second program, as in
/// [`versus`](crate::harness::versus).
const OWN: usize = usize::MAX - 3;

/// Iterations of a proof, per tree for techniques with many: enough for points to decide where the next leaf is.
const ITERATIONS: i64 = 1_000;
const ITERATIONS_A_TREE: i64 = 64;

/// Depths at which a search technique is proved; the first one that its parameters allow.
const DEPTHS: [i64; 5] = [3, 4, 2, 5, 6];

impl Scheduler<'_> {
    /// Proves the techniques of cells that the clock decides, and those of matches by effort, by one answer by
    /// iterations: such a cell counts only if that answer is correct.
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
        forgotten(self.forget(&own))?;
        self.forget_reference()?;
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
}

/// The reason of a technique's cells under the clock if its cells by iterations are wrong.
pub(super) fn wrong_by_iterations(reason: &str) -> String {
    format!("its answers by iterations are wrong in this run: {reason}")
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
