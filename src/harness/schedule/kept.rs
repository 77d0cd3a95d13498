//! Which cells that the folder has already are needed beside new ones.

use std::collections::HashSet;

use super::checking::reference_of;
use super::state::{Scheduler, State, Stop};
use crate::harness::live::{Live, Purpose};
use crate::harness::plan::{Cell, Processor};
use crate::results::MeasurementRow;
use crate::words::{Case, Kind, Status, Task, Value, cost_fs};

impl Scheduler<'_> {
    /// Keeps only those kept cells of a case that its new cells need: references, and cells that the new ones are
    /// compared with. Without new cells, none.
    pub(super) fn choose_kept(
        &mut self,
        lives: &mut Vec<Live<'_>>,
        state: &mut State,
    ) -> Result<(), Stop> {
        let is_new = |live: &Live<'_>| live.purpose == Purpose::Measure;
        let new: Vec<usize> = (0..lives.len()).filter(|&at| is_new(&lives[at])).collect();
        let mut needed: HashSet<usize> = HashSet::new();
        if !new.is_empty() {
            needed.extend(new.iter().filter_map(|&at| reference_of(lives, at)));
            needed.extend(self.compared_with(lives));
        }
        let mut left = Vec::new();
        for (at, mut live) in std::mem::take(lives).into_iter().enumerate() {
            if !is_new(&live) {
                if needed.contains(&at) {
                    if self.experiment.task != Task::Match {
                        live.purpose = Purpose::TimeAgain;
                    }
                } else {
                    self.complete_facts(&mut live, state)?;
                }
                if live.purpose != Purpose::TimeAgain {
                    if let Some(row) = self.earlier.kept.get(&live.names.key) {
                        self.progress.ended(row, true);
                    }
                    state.left = state.left.saturating_sub(1);
                }
                if !needed.contains(&at) {
                    continue;
                }
            }
            left.push(live);
        }
        *lives = left;
        Ok(())
    }

    /// The kept cells of a case that its new ones are compared with: named baselines, on the host or on a device with
    /// new cells, and the host's fastest with one thread and with any number; and the cells that are compared with a
    /// new baseline.
    fn compared_with(&self, lives: &[Live<'_>]) -> HashSet<usize> {
        let kept = |at: usize| {
            let live = &lives[at];
            let row = self.earlier.kept.get(&live.names.key)?;
            (live.purpose != Purpose::Measure && row.status == Status::Ok).then_some(row)
        };
        let all = || (0..lives.len()).filter(|&at| kept(at).is_some());
        let new = || {
            let new = lives.iter().filter(|it| it.purpose == Purpose::Measure);
            new.map(|live| live.cell)
        };
        let new_places: HashSet<Processor> = new().map(|cell| cell.on).collect();
        let named = self.experiment.baselines();
        let is_named = |cell: &Cell| named.contains(cell.choice.label.as_str());
        let mut found: HashSet<usize> = all()
            .filter(|&at| {
                let cell = lives[at].cell;
                let is_near = cell.on == Processor::Host || new_places.contains(&cell.on);
                is_near && is_named(cell)
            })
            .collect();
        // Earlier samples, taken without a baseline that is new or was interrupted, share no pass with it.
        let new_baselines = new().filter(|cell| is_named(cell));
        let new_baselines: HashSet<Processor> = new_baselines.map(|cell| cell.on).collect();
        let is_without =
            |on| new_baselines.contains(&Processor::Host) || new_baselines.contains(&on);
        found.extend(all().filter(|&at| is_without(lives[at].cell.on)));
        let cost = |at: &usize| kept(*at).and_then(cost_of_row);
        let of_host = || all().filter(|&at| lives[at].cell.on == Processor::Host);
        let one_core = of_host().filter(|&at| lives[at].cell.entry.kind == Kind::Serial);
        found.extend(one_core.min_by_key(cost));
        found.extend(of_host().min_by_key(cost));
        found
    }

    /// Prepares a kept cell again if the folder lacks facts that its preparation reported.
    fn complete_facts(&mut self, live: &mut Live<'_>, state: &mut State) -> Result<(), Stop> {
        let Some(row) = self.earlier.kept.get(&live.names.key) else {
            return Ok(());
        };
        let is_told = |name: &str| {
            let known = state.facts.iter().filter(|(_, known)| known == name);
            let mut about = known.filter_map(|(case, _)| Case::parse(case));
            let is_own = |(axis, value): &(String, Value)| {
                let own = live.cell.case.get(axis);
                own.is_some_and(|own| own.to_string() == value.to_string())
            };
            about.any(|about| about.0.iter().all(is_own))
        };
        if row.status != Status::Ok || row.facts.split_whitespace().all(is_told) {
            return Ok(());
        }
        self.progress.working(live.cell);
        // If it cannot be prepared, its own row says so.
        if self.make_ready(live, None, state)? {
            // The facts are reported; losing the worker while freeing the cell has no other cost.
            let _ = self.forget(live.cell);
        }
        Ok(())
    }
}

/// Cost of a position by a row or, if the clock decides, of a playout, fs.
fn cost_of_row(row: &MeasurementRow) -> Option<u64> {
    let is_clocked = Case::parse(&row.cell.case).is_some_and(|case| case.is_clocked());
    let count = if is_clocked { row.playouts? } else { row.units };
    cost_fs(row.median_ns?, count)
}
