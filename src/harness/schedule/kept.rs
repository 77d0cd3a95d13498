//! Decides which cells with complete rows are measured again together with new cells.

use super::*;

impl Scheduler<'_> {
    /// Removes from `cells` the complete cells that no new cell in the case needs as a reference or for comparison.
    pub(super) fn choose_kept(&mut self, cells: &mut Vec<CellState<'_>>) -> Result {
        let new: Vec<usize> = (0..cells.len()).filter(|&at| !cells[at].kept).collect();
        let mut needed: HashSet<usize> = HashSet::new();
        if !new.is_empty() && self.machine.experiment.task != Task::Match {
            needed.extend(new.iter().filter_map(|&at| reference_of(cells, at)));
            needed.extend(self.compared_with(cells));
        }
        for (at, cell) in std::mem::take(cells).into_iter().enumerate() {
            let row = self.earlier.kept.get(&cell.names.key);
            match row.filter(|_| !needed.contains(&at)) {
                None => cells.push(cell),
                Some(row) => {
                    self.complete_facts(cell.cell, row)?;
                    self.keep(row);
                }
            }
        }
        Ok(())
    }

    /// Returns the complete cells with which new cells of the case are compared. These are the named baselines on the
    /// host or on a device with new cells, and the host's fastest cells with one thread and overall. If a baseline is
    /// new, the cells that are compared with it are added.
    fn compared_with(&self, cells: &[CellState<'_>]) -> HashSet<usize> {
        let row = |at: usize| {
            let row = self.earlier.kept.get(&cells[at].names.key);
            row.filter(|row| row.status == Status::Ok)
        };
        let kept = || (0..cells.len()).filter(|&at| row(at).is_some());
        let new = || cells.iter().filter(|it| !it.kept).map(|it| it.cell);
        let named = self.machine.experiment.baselines();
        let is_named = |cell: &Cell| named.contains(cell.choice.label.as_str());
        let new_on: HashSet<Processor> = new().map(|cell| cell.on).collect();
        // A baseline that was added or interrupted shares no pass with the older samples of other cells.
        let without: HashSet<Processor> = new().filter(|it| is_named(it)).map(|it| it.on).collect();
        let is_needed = |&at: &usize| {
            let (cell, host) = (cells[at].cell, Processor::Host);
            let is_near = cell.on == host || new_on.contains(&cell.on);
            is_near && is_named(cell) || without.contains(&host) || without.contains(&cell.on)
        };
        let mut found: HashSet<usize> = kept().filter(is_needed).collect();
        let cost = |at: &usize| row(*at).and_then(cost_of_row);
        let of_host = || kept().filter(|&at| cells[at].cell.on == Processor::Host);
        let one_core = of_host().filter(|&at| cells[at].cell.entry.kind == Kind::Serial);
        found.extend(one_core.min_by_key(cost));
        found.extend(of_host().min_by_key(cost));
        found
    }

    /// Prepares a complete cell again if the folder lacks facts that its preparation reports.
    fn complete_facts(&mut self, cell: &Cell, row: &MeasurementRow) -> Result {
        let own = cell.case.to_string();
        let is_own = |axis: &str| own.split(' ').any(|it| it == axis);
        let is_about_it = |case: &str| case.split(' ').all(is_own);
        let facts = &self.state.facts;
        let facts = facts.iter().filter(|(case, _)| is_about_it(case));
        let is_told = |name: &str| facts.clone().any(|(_, known)| known == name);
        if row.status == Status::Ok && !row.facts.split_whitespace().all(is_told) {
            self.progress.working(cell);
            let machine = &mut self.machine;
            let (spec, deadline) = (machine.spec(cell, None), machine.deadline());
            // Keep the row even if the cell cannot be prepared now.
            if let Ok(prepared) = machine.call(cell.on, |it| it.prepare(&spec, deadline))? {
                self.write_facts(&prepared)?;
                let _ = self.machine.forget(cell)?;
            }
        }
        Ok(())
    }
}

/// Returns a row's cost in fs: per playout if the case has a time limit, otherwise per position.
fn cost_of_row(row: &MeasurementRow) -> Option<u64> {
    let is_clocked = Case::parse(&row.cell.case).is_some_and(|case| case.is_clocked());
    let count = if is_clocked { row.playouts? } else { row.units };
    cost_fs(row.median_ns?, count)
}
