//! The comparison of variants: a run of one pass in memory.

use std::collections::BTreeMap;
use std::time::Duration;

use super::apart::{Rows, SetUpApart, Since};
use super::{FEWEST_TO_JUDGE, Search, label, timing};
use crate::config::{Sampling, Tried};
use crate::harness::plan::{Cell, CellNames, Plan};
use crate::harness::schedule::{Ended, Scheduler};
use crate::results::MeasurementRow;
use crate::words::{Case, Params};

/// Maximum of samples of a value in one comparison.
const MOST_SAMPLES: usize = 200;
/// Relative half-width of a median's interval at which sampling ends.
const TARGET: f64 = 0.01;
/// Preparation time of up to this many budgets is free and any excess is charged, so that a technique whose
/// builds take minutes ends as well. In the choice of the case, one budget is free.
const SET_UPS: u32 = 5;

impl Search<'_, '_> {
    /// Rows of the variants in their order, on the chosen case. `None` if interrupted.
    pub(super) fn compare(
        &mut self,
        variants: &[Params],
        total: Duration,
    ) -> anyhow::Result<Option<Vec<Option<MeasurementRow>>>> {
        let sampling = Sampling {
            min_samples: FEWEST_TO_JUDGE,
            max_samples: MOST_SAMPLES,
            target: TARGET,
            warmup: 1,
            ..self.job.experiment.sampling.clone()
        };
        let cases = [self.case.clone()];
        // A slow value may use time that others do not need, but not all of it.
        let cell = total * 2 / variants.len() as u32;
        let Some(rows) = self.measure(&cases, variants, &sampling, (cell, total))? else {
            return Ok(None);
        };
        let found: Vec<Option<MeasurementRow>> = variants
            .iter()
            .map(|params| {
                let label = label(self.job.choice, params);
                rows.iter().find(|row| row.technique == label).cloned()
            })
            .collect();
        for (params, row) in variants.iter().zip(&found) {
            if let Some(row) = row {
                self.tried.push(Tried {
                    params: params.clone(),
                    status: row.status,
                    reason: row.reason.clone(),
                    timing: timing(row),
                });
            }
        }
        Ok(Some(found))
    }

    /// Rows of the variants, and of the reference if it has none yet, on these cases, within the times of `(a
    /// cell, the whole)`. `None` if interrupted.
    pub(super) fn measure(
        &mut self,
        cases: &[Case],
        variants: &[Params],
        sampling: &Sampling,
        (cell, total): (Duration, Duration),
    ) -> anyhow::Result<Option<Vec<MeasurementRow>>> {
        let mut experiment = self.job.experiment.clone();
        experiment.cases = cases.to_vec();
        experiment.techniques = self.reference.iter().cloned().collect();
        experiment.techniques.extend(variants.iter().map(|params| {
            let mut choice = self.job.choice.clone();
            choice.label = label(self.job.choice, params);
            choice.params.extend(params.clone());
            choice
        }));
        experiment.tables.clear();
        experiment.charts.clear();
        experiment.sampling = sampling.clone();
        // One interleaved pass: the comparison only serves a choice and is not published.
        experiment.sampling.passes = 1;
        experiment.budget.cell = cell;
        experiment.budget.total = total;
        let choosing = self.case == Case::default();
        let allowed = self.tuner.request.budget * if choosing { 1 } else { SET_UPS };
        let targets = std::slice::from_ref(self.tuner.request.target);
        let plan = Plan::new(&experiment, targets, self.tuner.request.catalogue);
        let mut rows = Rows::default();
        let ended = Scheduler {
            experiment: &experiment,
            host: &mut SetUpApart {
                executor: &mut *self.tuner.host,
                clock: self.tuner.clock,
                spent: &self.set_up,
                allowed,
            },
            devices: vec![&mut SetUpApart {
                executor: &mut *self.tuner.device,
                clock: self.tuner.clock,
                spent: &self.set_up,
                allowed,
            }],
            sink: &mut rows,
            progress: &mut *self.tuner.progress,
            clock: &Since {
                clock: self.tuner.clock,
                began: self.tuner.clock.now().saturating_sub(self.set_up.get()),
                set_up: &self.set_up,
            },
            watch: &mut *self.tuner.watch,
            stop: self.tuner.request.stop,
            earlier: &self.earlier,
            compares: false,
            names: &names,
            invocation: "",
            hung: BTreeMap::new(),
            threads: self.tuner.request.threads,
        }
        .run(&plan)?;
        Ok((ended == Ended::Complete).then_some(rows.0))
    }
}

fn names(cell: &Cell) -> CellNames {
    let (case, label, device) = (&cell.case, &cell.choice.label, &cell.device_label);
    CellNames {
        key: format!("{case}, {label}, {device}"),
        ..CellNames::default()
    }
}
