//! The begin of a search: the case that it measures, and the defaults' time on it.

use std::cell::Cell as Shared;

use super::{Search, TuneJob, TuneOutcome, Tuner, label, timing};
use crate::config::{Experiment, Sampling, TechniqueChoice, Timing};
use crate::harness::begun::Earlier;
use crate::words::{Case, Catalogue, Params, Status, Task, TechniqueEntry};

/// Samples per value that the choice of the case aims for.
const SAMPLES_HOPED_FOR: u64 = 8;
/// Divisor: the choice of the case takes at most 1/4 of a technique's budget.
const CHOOSING: u32 = 4;

impl<'s, 'a> Search<'s, 'a> {
    /// Chooses the case: the most expensive one for which the budget allows enough samples of every value,
    /// because in cheap cases latency hides the effect of launch parameters.
    pub(super) fn begin(
        tuner: &'s mut Tuner<'a>,
        job: &'s TuneJob<'s>,
    ) -> anyhow::Result<Result<Box<Search<'s, 'a>>, TuneOutcome>> {
        let not = |why: &str| {
            let why = why.to_owned();
            Ok(Err(TuneOutcome::Not(Status::Skipped, why)))
        };
        let name = &job.choice.technique;
        let Some(entry) = tuner
            .request
            .catalogue
            .technique(&job.experiment.game, name)
        else {
            return not("not in the catalogue");
        };
        let cases: Vec<Case> = job
            .experiment
            .cases
            .iter()
            .filter(|case| judges(job, case))
            .cloned()
            .collect();
        if cases.is_empty() {
            return not("the clock decides how long it takes: no parameter can make it shorter");
        }
        let began = tuner.clock.now();
        let mut search = Search {
            entry: *entry,
            began,
            set_up: Shared::default(),
            case: Case::default(),
            reference: reference(job.experiment, entry, tuner.request.catalogue),
            earlier: Earlier::default(),
            best: Params::new(),
            default: Timing {
                median_ns: 0,
                low_ns: 0,
                high_ns: 0,
                samples: 0,
            },
            tried: Vec::new(),
            tuner,
            job,
        };
        let look = Sampling {
            min_samples: 3,
            max_samples: 5,
            ..job.experiment.sampling.clone()
        };
        let total = search.tuner.request.budget / CHOOSING;
        let Some(rows) = search.measure(&cases, &[Params::new()], &look, (total / 2, total))?
        else {
            return Ok(Err(TuneOutcome::Interrupted));
        };
        let label = label(job.choice, &Params::new());
        let of = |case: &Case, label: &str| {
            let case = case.to_string();
            let mut own = rows.iter().filter(|row| row.case == case);
            own.find(|row| row.technique == label)
        };
        let reference = search.reference.as_ref().map(|it| it.label.clone());
        // Each value once, the current best beside each parameter's values, and both finalists.
        let values: usize = job.launch.iter().map(|(_, values)| values.len() + 1).sum();
        let comparisons = job.launch.len() as u64 + 1;
        let left = search.left().as_nanos() as u64;
        let mut affordable: Vec<(bool, u64, &Case)> = Vec::new();
        for case in &cases {
            let Some(own) = of(case, &label).and_then(|row| row.median_ns) else {
                continue;
            };
            let its = match &reference {
                None => 0,
                Some(label) => match of(case, label).and_then(|row| row.median_ns) {
                    Some(ns) => ns,
                    None => continue,
                },
            };
            let needed = own
                .saturating_mul(SAMPLES_HOPED_FOR * (values as u64 + 2))
                .saturating_add(its.saturating_mul(comparisons));
            affordable.push((needed <= left / 2, own, case));
        }
        let dearest = affordable
            .iter()
            .filter(|(fits, ..)| *fits)
            .max_by_key(|(_, ns, _)| *ns);
        let cheapest = || affordable.iter().min_by_key(|(_, ns, _)| *ns);
        let Some((_, _, case)) = dearest.or_else(cheapest) else {
            let why = rows.iter().rev().find(|row| row.technique == label);
            let (status, why) = why.map_or(
                (Status::Skipped, "no case was measured".to_owned()),
                |row| (row.status, row.reason.clone()),
            );
            return Ok(Err(TuneOutcome::Not(status, why)));
        };
        search.case = (*case).clone();
        if let Some(row) = reference.and_then(|label| of(case, &label)) {
            let kept = &mut search.earlier.kept;
            kept.insert(row.key.clone(), row.clone());
        }
        if let Some(timing) = of(case, &label).and_then(timing) {
            search.default = timing;
        }
        Ok(Ok(Box::new(search)))
    }
}

/// Whether a case's time depends on the parameters: under a clock every value takes the same time, and a
/// match's time depends on its games.
fn judges(job: &TuneJob<'_>, case: &Case) -> bool {
    job.choice.takes(case)
        && match job.experiment.task {
            Task::Match => false,
            Task::Choose => case.int("effort").is_some(),
            Task::Search | Task::Game | Task::Playouts | Task::Perft => true,
        }
}

/// The technique that answers are compared with: the one named by the entry, or another host technique with
/// the same reference.
fn reference(
    experiment: &Experiment,
    entry: &TechniqueEntry,
    catalogue: &Catalogue,
) -> Option<TechniqueChoice> {
    let on_host = |choice: &&TechniqueChoice| {
        let own = catalogue.technique(&experiment.game, &choice.technique);
        own.is_some_and(|own| own.kind != entry.kind && own.reference == entry.reference)
    };
    let named = |choice: &&TechniqueChoice| choice.technique == entry.reference;
    let mut choices = experiment.techniques.iter().filter(on_host);
    let found = choices.clone().find(named).or_else(|| choices.next());
    found.cloned()
}
