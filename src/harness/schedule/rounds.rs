//! Takes interleaved samples: a warm-up, then rounds of batches. Writes the rows of cells that end.

use super::*;

/// Minimum time of a trial that counts as a sample, ns. The trial must also have the final number of positions.
pub(super) const TRIAL_COUNTS_NS: u64 = 1_000_000_000;

impl Scheduler<'_> {
    /// If samples are cheap, takes untimed samples with the final number of positions.
    pub(super) fn warm_up(&mut self, cells: &mut [CellState<'_>]) -> Result {
        let pass = self.state.pass;
        for at in 0..cells.len() {
            let cell = &cells[at];
            let count = match (pass, cell.sample_ns() as u64) {
                (_, ..=BATCH_NS) => self.machine.experiment.sampling.warmup as u64,
                (1, _) | (_, TRIAL_COUNTS_NS..) => 0,
                _ => 1,
            };
            let is_measured = match pass {
                1 => cell.running() && !cell.resumed,
                _ => cell.passes().contains(&pass),
            };
            if is_measured
                && count > 0
                && !self.machine.left().is_zero()
                && self.take(&mut cells[at], count)?.is_some()
            {
                self.check(cells, at)?;
            }
        }
        Ok(())
    }

    /// Samples the cells in seeded-random, interleaved order (A B B A …) until each has enough samples.
    pub(super) fn rounds(&mut self, cells: &mut [CellState<'_>]) -> Result {
        let (pass, share) = (self.state.pass, self.share());
        loop {
            let mut turn: Vec<usize> = (0..cells.len()).collect();
            turn.retain(|&at| cells[at].lacks(pass));
            if turn.is_empty() {
                return Ok(());
            }
            turn.shuffle(&mut self.state.order);
            // Keep the cells of a pair together, at the place of the first one.
            let order = turn.clone();
            let pair = |at: usize| cells[at].cell.pair;
            turn.sort_by_key(|at| order.iter().position(|it| pair(*it) == pair(*at)));
            let back: Vec<usize> = turn.iter().rev().copied().collect();
            for at in turn.into_iter().chain(back) {
                if !cells[at].lacks(pass) {
                    continue;
                }
                let left = self.machine.left();
                let outcome = match self.machine.check_stop() {
                    Err(stop) => Err(stop),
                    Ok(()) if left.is_zero() => return self.end_of_budget(cells),
                    Ok(()) if cells[at].sample_ns() > left.as_nanos() as f64 => {
                        self.end_of_budget(&mut cells[at..=at])
                    }
                    Ok(()) => self.batch(cells, at, share),
                };
                if matches!(outcome, Err(Stop::Interrupted)) {
                    // The next run repeats the unfinished pass. A cell without a finished pass gets a row if its
                    // samples are enough for a median.
                    let is_match = self.state.rule.is_match;
                    for cell in cells.iter_mut().filter(|it| is_match || it.stored == 0) {
                        self.wind_up(cell, Reason::Interrupted)?;
                    }
                }
                outcome?;
            }
        }
    }

    /// Takes one batch of timed samples of one cell.
    fn batch(&mut self, cells: &mut [CellState<'_>], at: usize, share: Duration) -> Result {
        let cell = &mut cells[at];
        self.progress.working(cell.cell);
        let taken = self.costs_in_pass(cell).len();
        let count = self.state.rule.batch(taken, cell.sample_ns());
        cell.in_pass.turns += 1;
        // If another cell lost the worker, take an uncounted sample first, because the new worker's caches are cold.
        if !self.is_ready(cell) && self.take(cell, 1)?.is_none() {
            return Ok(());
        }
        let before = cell.in_pass.spent;
        let Some(samples) = self.take(cell, count)? else {
            return Ok(());
        };
        // Use the run's clock, because a sample of a match contains the time of only one player.
        cell.in_pass.spent_sampling += cell.in_pass.spent.saturating_sub(before);
        if !self.check(cells, at)? {
            return Ok(());
        }
        let cell = &mut cells[at];
        for sample in samples {
            self.count(cell, sample);
        }
        if cell.measured_nothing() {
            return self.rest(cell, Reason::Met);
        }
        let budget = self.machine.experiment.budget.cell / cell.passes().len().max(1) as u32;
        let costs = self.costs_in_pass(cell);
        let (so_far, times) = ((&costs[..], &cell.games), (budget, share));
        let enough = self.state.rule.enough(so_far, &cell.in_pass, times);
        enough.map_or(Ok(()), |unmet| self.rest(cell, unmet))
    }

    /// Returns the costs of the samples that count for the stop rule: all in a match, otherwise those of this pass.
    fn costs_in_pass(&self, cell: &CellState<'_>) -> Vec<u64> {
        let pass = (self.invocation, self.state.pass);
        let counts = |it: &&Sample| self.state.rule.is_match || it.pass() == pass;
        let samples = cell.samples.iter().filter(counts);
        samples.map(|sample| cell.cost(sample)).collect()
    }

    /// Ends a cell's part of this pass. In its last pass, ends the cell. Otherwise, writes a provisional row.
    fn rest(&mut self, cell: &mut CellState<'_>, unmet: Reason) -> Result {
        let passes = self.state.rule.passes;
        let last_pass = cell.passes().iter().max().copied().unwrap_or(1);
        if self.state.pass < last_pass && !cell.measured_nothing() {
            cell.in_pass.rests = true;
            let reason = Reason::Interrupted(Extent::Passes(cell.passes_taken(), passes));
            return self.write(cell, Status::Ok, &reason);
        }
        let costs = |it| (Sample::pass(it), cell.cost(it));
        let reason = match passes {
            1 => unmet,
            _ => self.state.rule.across(cell.samples.iter().map(costs)),
        };
        self.end(cell, Status::Ok, reason)
    }

    /// Adds a sample to a cell. `at_ns` must already be relative to the start of the invocation.
    pub(super) fn count(&mut self, cell: &mut CellState<'_>, mut sampled: Sampled) {
        let sample = &mut sampled.sample;
        sample.cell = cell.cell.id();
        sample.invocation = self.invocation.to_owned();
        sample.pass = self.state.pass;
        sample.sample = cell.samples.len() as u64;
        sample.order = self.state.taken;
        self.state.taken += 1;
        cell.add(sampled);
    }

    /// Ends a cell early, if it has enough new samples.
    fn wind_up(&mut self, cell: &mut CellState<'_>, why: fn(Extent) -> Reason) -> Result {
        let taken = cell.samples.len();
        let is_new = !cell.kept || taken > cell.earlier;
        if is_new && taken >= self.state.rule.fewest_in_row() {
            self.end(cell, Status::Ok, why(Extent::Samples(taken)))?;
        }
        Ok(())
    }

    /// Ends the cells of a case for which no time is left.
    pub(super) fn end_of_budget(&mut self, cells: &mut [CellState<'_>]) -> Result {
        for cell in cells {
            self.wind_up(cell, Reason::RunBudgetEnded)?;
            self.end(cell, Status::Skipped, self.machine.budget_spent())?;
        }
        Ok(())
    }

    /// Ends a cell that has not ended yet, and writes its rows. A cell that has ended keeps its rows.
    pub(super) fn end(
        &mut self,
        cell: &mut CellState<'_>,
        status: Status,
        reason: Reason,
    ) -> Result {
        match cell.running() {
            true => self.finish(cell, status, reason),
            false => Ok(()),
        }
    }

    /// Like [`Scheduler::end`], but also rewrites the rows of cells that have already ended.
    pub(super) fn finish(
        &mut self,
        cell: &mut CellState<'_>,
        mut status: Status,
        mut reason: Reason,
    ) -> Result {
        if status == Status::Ok && cell.measured_nothing() {
            reason = Reason::TooCoarse(cell.opened.clock_step_ns);
            status = Status::Skipped;
        }
        if status == Status::Mismatch {
            self.note_wrong(cell.cell, &reason);
        }
        cell.in_pass.rests = false;
        cell.state = State::Done(status, reason.clone());
        match self.earlier.kept.get(&cell.names.key) {
            // Keep the row. Only the new cells' ratios to this cell are missing.
            Some(row) if status == Status::Skipped => {
                self.keep(row);
                Ok(())
            }
            _ => self.write(cell, status, &reason),
        }
    }

    /// Ends a cell whose row stays as it is.
    pub(super) fn keep(&mut self, row: &MeasurementRow) {
        self.state.left = self.state.left.saturating_sub(1);
        self.progress.ended(row);
    }

    /// Writes a cell's new samples and its row.
    fn write(&mut self, cell: &mut CellState<'_>, status: Status, reason: &Reason) -> Result {
        self.state.left = self.state.left.saturating_sub(1);
        for warning in self.watch.warnings() {
            let is_like = |known: &Warning| known.to_string() == warning.to_string();
            if !cell.warnings.iter().any(is_like) {
                cell.warnings.push(warning);
            }
        }
        let by = (self.invocation, self.threads);
        let row = record::measurement(cell, (status, reason), self.machine.experiment, by);
        if status == Status::Ok {
            self.sink.samples(cell.cell, &cell.samples[cell.stored..])?;
            for row in record::resources(cell) {
                self.sink.resource(cell.cell, &row)?;
            }
            cell.stored = cell.samples.len();
        }
        self.state.costs.learn_row(cell.cell, &row);
        self.sink.measurement(cell.cell, &row)?;
        match cell.in_pass.rests {
            true => self.progress.rested(&row),
            false => self.progress.ended(&row),
        }
        Ok(())
    }
}
