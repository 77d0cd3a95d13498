//! Ends of cells: their rows, and what is left where the time is.

use super::state::{Scheduler, State, Stop, place_of};
use crate::harness::live::{Live, Purpose};
use crate::harness::record;
use crate::results::MeasurementRow;
use crate::words::{Extent, Reason, Status, Task, Warning};

impl Scheduler<'_> {
    /// Stops early: records cells with enough samples for a median, and leaves the others for the next run.
    pub(super) fn wind_up(
        &mut self,
        lives: &mut [Live<'_>],
        why: fn(Extent) -> Reason,
        state: &mut State,
    ) -> Result<(), Stop> {
        for live in lives.iter_mut().filter(|live| live.is_sampled()) {
            if self.is_worth_a_row(live) {
                let reason = why(Extent::Samples(live.samples.len()));
                self.end(live, Status::Ok, reason, state)?;
            }
        }
        Ok(())
    }

    /// Whether an interrupted cell has enough samples for a row. In a match every game counts.
    pub(super) fn is_worth_a_row(&self, live: &Live<'_>) -> bool {
        let fewest = match self.passes() {
            1 if self.experiment.task != Task::Match => self.experiment.sampling.min_samples,
            _ => 1,
        };
        live.samples.len() >= fewest
    }

    /// Ends a cell: writes and flushes its rows. A cell that has ended keeps its rows, even if it fails later as a
    /// reference of others.
    pub(super) fn end(
        &mut self,
        live: &mut Live<'_>,
        status: Status,
        reason: Reason,
        state: &mut State,
    ) -> Result<(), Stop> {
        if !live.running() {
            return Ok(());
        }
        let (status, reason) = match status {
            Status::Ok if live.measured_nothing() => (
                Status::Skipped,
                Reason::TooCoarse(live.opened.clock_step_ns),
            ),
            _ => (status, reason),
        };
        if status == Status::Mismatch && live.cell.case.int("effort").is_some() {
            let place = place_of(live.cell);
            state
                .wrong
                .entry(place)
                .or_insert_with(|| reason.to_string());
        }
        live.in_pass.rests = false;
        live.ending = Some((status, reason.clone()));
        if !live.is_timed() {
            return Ok(());
        }
        if live.purpose == Purpose::TimeAgain && status == Status::Skipped {
            // Its row stays; only the ratios of new cells over it are missing.
            state.left = state.left.saturating_sub(1);
            if let Some(row) = self.earlier.kept.get(&live.names.key) {
                self.progress.ended(row, true);
            }
            return Ok(());
        }
        self.write(live, status, &reason, state)
    }

    /// Writes a cell's new samples and its row.
    pub(super) fn write(
        &mut self,
        live: &mut Live<'_>,
        status: Status,
        reason: &Reason,
        state: &mut State,
    ) -> Result<(), Stop> {
        state.left = state.left.saturating_sub(1);
        for warning in self.watch.warnings() {
            let is_like = |known: &Warning| known.to_string() == warning.to_string();
            if !live.warnings.iter().any(is_like) {
                live.warnings.push(warning);
            }
        }
        let by = (self.invocation, self.threads);
        let row = record::measurement(live, (status, reason), self.experiment, by);
        if status == Status::Ok {
            self.sink
                .samples(live.cell, &live.samples[live.stored..])
                .map_err(Stop::Broken)?;
            let rows: Vec<_> = record::launches(live)
                .chain(record::tree_depth(live))
                .collect();
            for row in rows {
                self.sink.resource(live.cell, &row).map_err(Stop::Broken)?;
            }
            live.stored = live.samples.len();
        }
        if let Some(ns) = whole_ns(&row) {
            state.learn(live.cell, ns as f64, row.units);
        }
        self.sink
            .measurement(live.cell, &row)
            .map_err(Stop::Broken)?;
        if live.in_pass.rests {
            self.progress.rested(&row);
        } else {
            self.progress.ended(&row, false);
        }
        Ok(())
    }

    /// Ends all cells of a case for which there is no time left.
    pub(super) fn end_all(
        &mut self,
        lives: &mut [Live<'_>],
        state: &mut State,
    ) -> Result<(), Stop> {
        for live in lives.iter_mut().filter(|live| live.is_sampled()) {
            self.end(live, Status::Skipped, self.total_spent(), state)?;
        }
        Ok(())
    }

    pub(super) fn total_spent(&self) -> Reason {
        Reason::BudgetSpent {
            budget_ns: self.experiment.budget.total.as_nanos() as u64,
            hung_ns: self.time_hung().as_nanos() as u64,
        }
    }
}

/// Median time of a sample by a row, in a match of both players, ns.
pub(super) fn whole_ns(row: &MeasurementRow) -> Option<u64> {
    let own = row.median_ns.filter(|_| row.units > 0)?;
    Some(own.saturating_add(row.opponent_ns.unwrap_or(0)))
}
