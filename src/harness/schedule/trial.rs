//! Runs trials. A trial measures a cell's cost and determines the number of positions in its samples.

use super::*;
use crate::stats;

/// Minimum time of a trial, ns. A shorter trial is repeated, because caches are cold in its first call.
const TRIAL_REPEAT_NS: u64 = 20_000_000;
/// A cell is skipped without a trial if its predicted cost exceeds its budget by more than this factor.
const TRUST_IN_PREDICTION: f64 = 2.0;

/// Returns the cost that `known` predicts for a cell, in ns per position or, in tasks without positions, per sample.
fn predicted(known: &Predictor, cells: &[CellState<'_>], at: usize) -> Option<f64> {
    let names = |at: usize| {
        let cell = cells[at].cell;
        (cell.choice.label.as_str(), cell.device_label.as_str())
    };
    let reference = names(reference_of(cells, at).unwrap_or(at));
    let (technique, device) = names(at);
    known.predict(technique, device, &cells[at].cell.case, reference)
}

impl Scheduler<'_> {
    /// Prepares a cell and runs it once on a few positions to measure its cost.
    pub(super) fn trial(
        &mut self,
        cells: &mut [CellState<'_>],
        at: usize,
        budget: Duration,
    ) -> Result {
        self.machine.check_stop()?;
        let predicted_ns = predicted(&self.state.costs.samples, cells, at);
        let over_limit = self.over_launch_limit(cells, at);
        let state = &mut cells[at];
        let cell = state.cell;
        if self.machine.left_for(cell).is_zero() {
            // A resumed cell ends with its earlier samples.
            return match state.resumed {
                true => Ok(()),
                false => self.end(state, Status::Skipped, self.machine.budget_spent()),
            };
        }
        self.progress.working(cell);
        if self.machine.executor(cell.on).is_none() {
            return self.end(state, Status::Unsupported, Reason::NoDevice);
        }
        if state.resumed {
            let units = state.units;
            if self.prepare(state, None)? {
                let all: Vec<u64> = state.samples.iter().map(Sample::whole_ns).collect();
                let ns = stats::median(&all).unwrap_or(0) as f64;
                self.learn(state, ns, units);
            }
            return Ok(());
        }
        if let Some((limit_ns, predicted_ns)) = over_limit {
            // Record the prediction, so that larger cells are predicted from it.
            self.state.costs.learn_launch(cell, predicted_ns);
            let reason = Reason::LaunchOverLimit {
                limit_ns,
                predicted_ns,
            };
            return self.end(state, Status::Skipped, reason);
        }
        let at_least = self.smallest_units(&cell.case);
        // A complete cell was measured before, so no prediction skips it.
        if let Some(ns) = predicted_ns.filter(|_| !state.kept) {
            state.predicted_ns = Some((ns * at_least) as u64);
            let needed = ns * at_least * self.state.rule.fewest_in_all() as f64;
            if is_too_long(needed, budget) {
                self.state.costs.learn(cell, ns, 1);
                return self.end(state, Status::Skipped, over_budget(budget, needed));
            }
        }
        let fewest = self.machine.experiment.sampling.min_positions as u64;
        if !self.prepare(state, None)?
            || self.state.costs.by_position
                && !self.limit(state, fewest.min(state.prepared.units))?
        {
            return Ok(());
        }
        // A short trial runs twice, because the first call is cold and overestimates the cost.
        let mut shortest = u64::MAX;
        for _ in 0..2 {
            let samples = self.take(state, 1)?;
            let Some(sampled) = samples.and_then(|all| all.into_iter().next()) else {
                return Ok(());
            };
            let (ns, launch_ns) = (sampled.sample.whole_ns(), sampled.longest_launch_ns);
            self.state.costs.learn_launch(cell, launch_ns);
            state.state = State::Trial(state.units, Box::new(sampled));
            shortest = shortest.min(ns);
            if ns >= TRIAL_REPEAT_NS {
                break;
            }
        }
        state.in_pass.spent_trial = state.in_pass.spent;
        self.learn(state, shortest as f64, state.units);
        Ok(())
    }

    /// Records a cell's cost, given the time of a sample with `units` units.
    fn learn(&mut self, state: &mut CellState<'_>, sample_ns: f64, units: u64) {
        state.ns_per_unit = sample_ns / units.max(1) as f64;
        self.state.costs.learn(state.cell, sample_ns, units);
    }

    /// Returns the limit and the predicted time of the longest launch, ns, if it exceeds the limit and cannot be split.
    fn over_launch_limit(&self, cells: &[CellState<'_>], at: usize) -> Option<(u64, u64)> {
        let cell = cells[at].cell;
        let limit = *self.whole_launches.get(cell.on.place()?)?;
        let limit = limit.filter(|_| !cell.entry.splits_in(self.machine.experiment.task))?;
        let predicted = predicted(&self.state.costs.launches, cells, at)?;
        let limit_ns = limit.as_nanos() as u64;
        (predicted > limit_ns as f64).then_some((limit_ns, predicted as u64))
    }

    /// Skips a case if one minimum-size sample per cell is predicted to take longer, in total, than the time `left` in
    /// the first pass. Cells that are too slow to be tried do not count. Returns true if the case was skipped.
    pub(super) fn skip_if_long(
        &mut self,
        cells: &mut [CellState<'_>],
        (budget, left): (Duration, Duration),
    ) -> Result<bool> {
        if cells.iter().any(|cell| cell.kept || cell.resumed) {
            return Ok(false);
        }
        let known = &self.state.costs.samples;
        let each = (0..cells.len()).map(|at| predicted(known, cells, at));
        let each: Vec<_> = each.collect();
        let least = self.smallest_units(&cells[0].cell.case);
        let samples = least * self.state.rule.fewest_in_all() as f64;
        let is_tried = |ns: &&f64| !is_too_long(**ns * samples, budget);
        let of_case = least * each.iter().flatten().filter(is_tried).sum::<f64>();
        if of_case <= left.as_nanos() as f64 {
            return Ok(false);
        }
        for (cell, ns) in cells.iter_mut().zip(each) {
            if let Some(ns) = ns {
                cell.predicted_ns = Some((ns * least) as u64);
                self.state.costs.learn(cell.cell, ns, 1);
            }
            let reason = Reason::CaseOverPass {
                left_ns: left.as_nanos() as u64,
                predicted_ns: of_case as u64,
            };
            self.end(cell, Status::Skipped, reason)?;
        }
        Ok(true)
    }

    /// Chooses one number of positions for all cells. Halves the maximum until the slowest cell fits into its time.
    pub(super) fn choose_units(
        &mut self,
        cells: &mut [CellState<'_>],
        fixed: Option<u64>,
        (budget, share): (Duration, Duration),
    ) -> Result {
        let by_position = self.state.costs.by_position;
        let most = |cells: &[CellState<'_>]| {
            let running = cells.iter().filter(|cell| cell.running());
            running.map(|cell| cell.prepared.units).max()
        };
        let trial = self.smallest_units(&cells[0].cell.case);
        let fewest = most(cells).unwrap_or(1).min(trial as u64).max(1);
        let fewest = fixed.unwrap_or(fewest);
        let is_new = |cell: &&mut CellState<'_>| cell.running() && !cell.kept && !cell.resumed;
        for cell in cells.iter_mut().filter(is_new) {
            let units = match by_position {
                true => cell.fit(fewest),
                false => cell.units,
            };
            let needed = cell.ns_per_unit * units as f64 * self.state.rule.fewest_in_all() as f64;
            if needed > budget.as_nanos() as f64 {
                self.end(cell, Status::Skipped, over_budget(budget, needed))?;
            }
        }
        if !by_position {
            return Ok(());
        }
        let running = cells.iter().filter(|cell| cell.running());
        let slowest = running.map(|cell| cell.ns_per_unit).fold(0.0, f64::max);
        let mut units = fixed.or(most(cells)).unwrap_or(fewest);
        let samples = self.state.rule.fewest() as f64;
        let is_over =
            |units: u64| slowest * (units as f64 * samples + trial) > share.as_nanos() as f64;
        while fixed.is_none() && units > fewest && is_over(units) {
            units = (units / 2).max(fewest);
        }
        for cell in cells.iter_mut().filter(|cell| cell.running()) {
            let units = cell.fit(units);
            // If a later cell's trial killed the worker, this cell is no longer prepared.
            if self.ensure(cell)? {
                self.limit(cell, units)?;
            }
        }
        Ok(())
    }

    /// Returns the minimum number of positions in a sample of a case. In tasks other than a line of play, this is 1.
    fn smallest_units(&self, case: &Case) -> f64 {
        if !self.state.costs.by_position {
            return 1.0;
        }
        let least = self.machine.experiment.sampling.min_positions.max(1) as u64;
        let all = self.state.costs.positions(case);
        least.min(all.unwrap_or(least)) as f64
    }

    /// Takes samples. If the worker was lost, prepares the cell again first. Returns `None` if the cell has ended.
    pub(super) fn take(
        &mut self,
        state: &mut CellState<'_>,
        count: u64,
    ) -> Result<Option<Vec<Sampled>>> {
        if !self.ensure(state)? {
            return Ok(None);
        }
        let (deadline, before) = (self.machine.deadline(), self.machine.clock.now());
        let budget = self.machine.experiment.budget.cell.min(self.machine.left());
        let batch = (state.asked, count);
        let outcome = self.machine.call(state.cell.on, |worker| {
            worker.sample(state.cell.index, batch, budget, deadline)
        })?;
        state.in_pass.spent += self.machine.clock.now().saturating_sub(before);
        let Some(mut samples) = self.settle(state, outcome)? else {
            return Ok(None);
        };
        state.asked += samples.len() as u64;
        let before = u64::try_from(before.as_nanos()).unwrap_or(u64::MAX);
        for sampled in &mut samples {
            // Convert the time since the request to the time since the start of the invocation.
            let at_ns = &mut sampled.sample.at_ns;
            *at_ns = at_ns.saturating_add(before);
            state.heard(sampled, self.machine.experiment.task);
        }
        Ok(Some(samples))
    }

    /// True if the worker that prepared the cell is still alive.
    pub(super) fn is_ready(&mut self, state: &CellState<'_>) -> bool {
        let executor = self.machine.executor(state.cell.on);
        executor.is_some_and(|executor| state.worker == Some(executor.generation()))
    }

    /// Prepares a cell again if its worker was lost. Returns false if the cell has ended.
    pub(super) fn ensure(&mut self, state: &mut CellState<'_>) -> Result<bool> {
        let (units, is_ready) = (state.units, self.is_ready(state));
        Ok(is_ready || self.prepare(state, Some(units))? && self.limit(state, units)?)
    }

    /// Prepares a cell. Returns false if the cell has ended.
    pub(super) fn prepare(
        &mut self,
        state: &mut CellState<'_>,
        positions: Option<u64>,
    ) -> Result<bool> {
        let cell = state.cell;
        let spec = self.machine.spec(cell, positions);
        let deadline = self.machine.ready_by(cell);
        let outcome = self.machine.call(cell.on, |worker| {
            let prepared = worker.prepare(&spec, deadline)?;
            let opened = worker.opened().cloned().unwrap_or_default();
            Ok((prepared, worker.generation(), opened))
        })?;
        if let Err(failure) = &outcome
            && let Some(reason) = self.machine.not_ready(failure, deadline)
        {
            self.end(state, Status::Skipped, Reason::Told(reason))?;
            return Ok(false);
        }
        let Some((prepared, worker, opened)) = self.settle(state, outcome)? else {
            return Ok(false);
        };
        state.worker = Some(worker);
        state.opened = opened;
        state.units = prepared.units;
        self.state.costs.learn_positions(&cell.case, prepared.units);
        self.write_facts(&prepared)?;
        // Only the first preparation counts as set-up time. Later preparations follow a lost worker or start a pass.
        if state.prepared.setup_ns == 0 {
            for (name, value) in &prepared.resources {
                let row = record::resource_row(cell, name, *value);
                self.sink.resource(cell, &row)?;
            }
            state.prepared = prepared;
        }
        Ok(true)
    }

    pub(super) fn write_facts(&mut self, prepared: &Prepared) -> Result {
        for (case, fact, value) in prepared.facts.clone() {
            if self.state.facts.insert((case.clone(), fact.clone())) {
                self.sink.fact(&FactRow { case, fact, value })?;
            }
        }
        Ok(())
    }

    /// Limits a prepared cell's number of positions. Returns false if the cell has ended.
    fn limit(&mut self, state: &mut CellState<'_>, units: u64) -> Result<bool> {
        let deadline = self.machine.deadline();
        let outcome = self.machine.call(state.cell.on, |worker| {
            worker.limit(state.cell.index, units as usize, deadline)
        })?;
        let Some(units) = self.settle(state, outcome)? else {
            return Ok(false);
        };
        if units != state.units {
            // Drop these answers, because the reference will answer for another number of positions.
            state.answers.unchecked.clear();
        }
        state.units = units;
        Ok(true)
    }

    /// Returns the answer to a request. If the request failed, ends the cell with the failure.
    fn settle<T>(
        &mut self,
        state: &mut CellState<'_>,
        outcome: Result<T, Failure>,
    ) -> Result<Option<T>> {
        match outcome {
            Ok(answer) => Ok(Some(answer)),
            Err(failure) => {
                let reason = self.reason_of(state.cell, &failure)?;
                self.end(state, failure.status(), Reason::Told(reason))?;
                Ok(None)
            }
        }
    }

    /// Converts a failure to a reason. If a build failed, writes its log to a file and names the file in the reason.
    pub(super) fn reason_of(&mut self, cell: &Cell, failure: &Failure) -> Result<String> {
        if let Failure::Fault(fault) = failure
            && let Some(log) = fault.log()
        {
            let place = self.sink.log(cell, log)?;
            return Ok(format!("{failure}\n(the whole log: {place})"));
        }
        Ok(failure.to_string())
    }
}

/// True if the predicted time is too long to try the cell.
fn is_too_long(needed_ns: f64, budget: Duration) -> bool {
    needed_ns > TRUST_IN_PREDICTION * budget.as_nanos() as f64
}

fn over_budget(budget: Duration, needed_ns: f64) -> Reason {
    Reason::OverBudget {
        budget_ns: budget.as_nanos() as u64,
        predicted_ns: needed_ns as u64,
    }
}
