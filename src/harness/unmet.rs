//! Rows of an earlier run that stopped at a condition which a later one may meet.

use std::collections::HashSet;

use super::begun::Begun;
use super::request::RunRequest;
use crate::config::{self, Experiment};
use crate::results::{Run, by_cell};
use crate::words::{Reason, Status, Task};

/// The rows, by key, whose sampling condition was not met but may be met now.
#[derive(Default)]
pub struct Unmet {
    /// Those that keep their samples and get more.
    pub goes_on: HashSet<String>,
    /// Those that are measured from the start.
    pub anew: HashSet<String>,
}

/// Whether the folder's run had other sampling rules or another cell budget; also true if its experiment cannot be
/// read.
fn sampled_otherwise(earlier: &Run, request: &RunRequest<'_>) -> bool {
    let rules = |experiment: &Experiment| (experiment.sampling.clone(), experiment.budget.cell);
    config::parse(
        &earlier.experiment,
        &request.folder.display().to_string(),
        request.catalogue,
    )
    .map_or(true, |then| rules(&then) != rules(request.experiment))
}

/// The requested rows that stopped at a condition that this run may meet. Interrupted ones continue if the folder has
/// all of their samples; those that ended under other rules are measured from the start.
pub(super) fn unmet_rows(
    earlier: &Run,
    request: &RunRequest<'_>,
    wanted: &HashSet<String>,
) -> Unmet {
    // A shard's share of it.
    let sampling = request.sampling;
    let otherwise = sampled_otherwise(earlier, request);
    let samples = by_cell(&earlier.samples);
    let is_match = request.experiment.task == Task::Match;
    let wanted_passes = if is_match { 1 } else { sampling.passes };
    let mut unmet = Unmet::default();
    for row in &earlier.measurements {
        let own = samples.get(&row.cell).map_or(&[][..], Vec::as_slice);
        let taken: HashSet<_> = own.iter().map(|sample| sample.pass()).collect();
        let taken = taken.len();
        let lacks = row.samples < sampling.min_samples as u64 || taken < wanted_passes;
        let why = row.why();
        let is_asked = wanted.contains(&row.key) && row.status == Status::Ok;
        if !is_asked || !is_unmet(&why, lacks, otherwise) {
            continue;
        }
        let was_cut_off = matches!(why, Reason::Interrupted(_) | Reason::RunBudgetEnded(_));
        let whole = Begun::new(row, own, None).is_some();
        let goes_on = whole && (is_match || was_cut_off && !otherwise && taken < wanted_passes);
        let keys = if goes_on {
            &mut unmet.goes_on
        } else {
            &mut unmet.anew
        };
        keys.insert(row.key.clone());
    }
    unmet
}

/// Whether an `ok` row stopped at a condition that this run may meet. It did if the user interrupted it, because such a
/// run must end like an uninterrupted one; if the run's budget ended while it `lacks` passes or samples that this run
/// wants; or if it ended under other rules. A row that met its condition stays.
fn is_unmet(reason: &Reason, lacks: bool, sampled_otherwise: bool) -> bool {
    match reason {
        Reason::Met => false,
        Reason::Interrupted(_) => true,
        Reason::RunBudgetEnded(_) => lacks || sampled_otherwise,
        _ => sampled_otherwise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{Extent, Limit};

    #[test]
    fn what_the_user_or_another_budget_cut_off_is_tried_again() {
        let wide = Reason::Wide {
            half_width: Some(0.09),
            target: 0.02,
            limit: Limit::Samples,
        };
        let ended = Reason::RunBudgetEnded(Extent::Samples(4));
        for (reason, lacks, otherwise, expected) in [
            (Reason::Met, true, false, false),
            (Reason::Met, true, true, false),
            (Reason::Interrupted(Extent::Samples(4)), true, false, true),
            (Reason::Interrupted(Extent::Samples(4)), false, false, true),
            (ended.clone(), true, false, true),
            (ended, false, false, false),
            // It ended by its own budget: the same budget would end it again.
            (Reason::FewSamples(2), true, false, false),
            (wide.clone(), false, false, false),
            (wide, false, true, true),
        ] {
            let found = is_unmet(&reason, lacks, otherwise);
            assert_eq!(found, expected, "{reason} {lacks} {otherwise}");
        }
    }
}
