//! Checks the rows of a run against its experiment, its invocations and their samples.

use std::collections::{HashMap, HashSet};

use super::data::{Data, Place, Problem};
use super::facts::is_of;
use crate::config::TechniqueChoice;
use crate::results::{
    DeviceRecord, HOST, MeasurementRow, NO_DEVICE, Sample, seal, unlike_its_samples,
};
use crate::words::{Case, Extent, Kind, Limit, Reason, Status};

pub fn check(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let cases: HashSet<&Case> = data.experiment.cases.iter().collect();
    let is_of_experiment = |row: &MeasurementRow| {
        let case = Case::parse(&row.cell.case);
        let case = case.and_then(|case| cases.get(&case).copied());
        let choice = data.experiment.choice(&row.cell.technique);
        case.zip(choice)
            .is_some_and(|(case, choice)| choice.takes(case))
    };
    let units = common_units(data, is_of_experiment);
    let facts = facts_by_name(data);
    for (at, row) in data.run.measurements.iter().enumerate() {
        let samples = data.samples_of(row);
        let checks = [
            of_experiment(data, &cases, row),
            // An edited experiment leaves rows of its earlier options.
            is_of_experiment(row).then(|| of_key(data, row)).flatten(),
            of_invocation(data, row),
            of_samples(data, row, samples),
            of_sentences(row),
            of_reason(row, samples),
            is_of_experiment(row)
                .then(|| of_units(row, &units))
                .flatten(),
            unlike_its_samples(row, samples),
        ];
        let found = checks.into_iter().flatten();
        problems.extend(found.map(|what| Problem::new(Place::Row(at), what)));
        let lost = of_facts(row, &facts);
        problems.extend(lost.map(|what| Problem::new(Place::Beside(at), what)));
    }
}

/// Checks the seals of the rows that are not `named`.
pub fn seals(data: &Data<'_>, named: &[usize], problems: &mut Vec<Problem>) {
    let is_broken = |row: &MeasurementRow, samples: &[&Sample]| {
        !seal(row, samples.iter().copied()).is_ok_and(|seal| seal == row.seal)
    };
    let what = "it or one of its samples was changed after it was written";
    for (at, row) in data.run.measurements.iter().enumerate() {
        if !named.contains(&at) && is_broken(row, data.samples_of(row)) {
            problems.push(Problem::new(Place::Row(at), what));
        }
    }
    for (at, row) in data.run.pending.iter().enumerate() {
        if is_broken(row, &[]) {
            problems.push(Problem::new(Place::Pending(at), what));
        }
    }
}

fn of_experiment(data: &Data<'_>, cases: &HashSet<&Case>, row: &MeasurementRow) -> Option<String> {
    let experiment = data.experiment;
    for (what, own, theirs) in [
        (
            "experiment",
            row.experiment.as_str(),
            experiment.name.as_str(),
        ),
        ("game", &row.game, &experiment.game),
        ("task", &row.task, experiment.task.word()),
    ] {
        if own != theirs {
            return Some(format!("{what} {own:?}, and {theirs:?} in experiment.toml"));
        }
    }
    let case = Case::parse(&row.cell.case).filter(|case| case.to_string() == row.cell.case);
    let Some(case) = case.and_then(|case| cases.get(&case).copied()) else {
        let of = renamed(data, row)?;
        let case = &row.cell.case;
        return Some(format!(
            "experiment.toml has no case {case:?}; its key is that of {of}"
        ));
    };
    let choice = experiment.choice(&row.cell.technique);
    let Some(choice) = choice.filter(|choice| choice.takes(case)) else {
        let of = renamed(data, row)?;
        let label = &row.cell.technique;
        return Some(format!(
            "experiment.toml asks for no {label:?} in that case; its key is that of {of}"
        ));
    };
    let entry = data
        .catalogue
        .technique(&experiment.game, &choice.technique)?;
    if row.kind != entry.kind.word() {
        let (own, kind) = (&row.kind, entry.kind.word());
        return Some(format!("kind {own:?}; {} is {kind:?}", entry.name));
    }
    if (entry.kind == Kind::Device) == (row.cell.device == HOST) {
        return Some(format!(
            "a technique of kind {:?} on {}",
            row.kind, row.cell.device
        ));
    }
    None
}

/// The experiment's cell with the row's key, if the row's names match no cell; none for an edited experiment's rows.
fn renamed(data: &Data<'_>, row: &MeasurementRow) -> Option<String> {
    let cases = data.experiment.cases.iter();
    let mut cells = cases.flat_map(|case| {
        let choices = data.experiment.techniques.iter();
        choices
            .filter(|choice| choice.takes(case))
            .map(move |choice| (case, choice))
    });
    let is_it = |(case, choice): &(&Case, &TechniqueChoice)| {
        key(data, row, case, choice).is_some_and(|key| key == row.key)
    };
    let (case, choice) = cells.find(is_it)?;
    Some(format!("{case} {}", choice.label))
}

/// The key of a row with these names; `None` if its invocation or device is unknown.
fn key(
    data: &Data<'_>,
    row: &MeasurementRow,
    case: &Case,
    choice: &TechniqueChoice,
) -> Option<String> {
    let invocation = data.run.environment.invocation(&row.invocation)?;
    let none = DeviceRecord {
        name: NO_DEVICE.to_owned(),
        ..DeviceRecord::default()
    };
    let mut devices = invocation.devices.iter();
    let device = match row.cell.device.as_str() {
        HOST => None,
        NO_DEVICE => Some(&none),
        label => Some(devices.find(|own| own.address == row.address && own.label == label)?),
    };
    let provenance = invocation.provenance(&choice.params, device);
    Some(provenance.key(&data.experiment.question(choice, case)))
}

/// Refuses a row without the key of its case, technique, program, machine and device.
fn of_key(data: &Data<'_>, row: &MeasurementRow) -> Option<String> {
    data.run.environment.invocation(&row.invocation)?;
    let choice = data.experiment.choice(&row.cell.technique)?;
    let case = Case::parse(&row.cell.case)?;
    let why = "its key is not that of its case, technique, options, program, machine and device";
    let Some(key) = key(data, row, &case, choice) else {
        let (label, address) = (&row.cell.device, &row.address);
        return Some(format!("its invocation used no device {label} ({address})"));
    };
    (key != row.key).then(|| why.to_owned())
}

/// Refuses samples of unknown or edited invocations, and samples whose parts exceed the whole.
fn of_samples(data: &Data<'_>, row: &MeasurementRow, samples: &[&Sample]) -> Option<String> {
    let mut ids: Vec<&String> = samples.iter().map(|sample| &sample.invocation).collect();
    ids.push(&row.invocation);
    ids.dedup();
    for id in ids {
        match data.run.environment.invocation(id) {
            None => return Some(format!("environment.toml has no invocation {id:?}")),
            Some(invocation) if !invocation.is_intact() => {
                let what = "was changed after it was written";
                return Some(format!(
                    "environment.toml: the entry of invocation {id} {what}"
                ));
            }
            Some(_) => {}
        }
    }
    samples.iter().find_map(|sample| {
        let parts = [
            sample.upload_ns,
            sample.queue_ns,
            sample.kernel_ns,
            sample.download_ns,
            sample.host_ns,
        ];
        let sum = |parts: &[u64]| parts.iter().map(|ns| u128::from(*ns)).sum::<u128>();
        let (number, whole) = (sample.sample, u128::from(sample.total_ns));
        let (parts, positions) = (sum(&parts), sum(&sample.positions_ns));
        let count = sample.positions_ns.len() as u64;
        if parts != whole {
            let what = format!("the parts add up to {parts} ns, the whole is {whole} ns");
            Some(format!("sample {number}: {what}"))
        } else if positions > whole {
            let what = format!("its positions add up to {positions} ns, the whole is {whole} ns");
            Some(format!("sample {number}: {what}"))
        } else {
            let units = row.units;
            (![0, units].contains(&count)).then(|| {
                format!("sample {number} has the times of {count} positions, the row has {units}")
            })
        }
    })
}

fn of_invocation(data: &Data<'_>, row: &MeasurementRow) -> Option<String> {
    let invocation = data.run.environment.invocation(&row.invocation)?;
    if row.cell.device == HOST && !row.address.is_empty() {
        return Some(format!("address {:?}; the host has none", row.address));
    }
    let threads = match row.kind == Kind::Threads.word() {
        true => invocation.host.threads as u64,
        false => 1,
    };
    let own = row.threads;
    (own != threads).then(|| format!("threads is {own}, and {threads} in its invocation"))
}

fn of_sentences(row: &MeasurementRow) -> Option<String> {
    let reason = row.reason_code.as_ref();
    // Only the sentence has the text of these.
    let told = |reason: &&Reason| !matches!(reason, Reason::Told(_) | Reason::NoReference(_));
    if let Some(code) = reason.filter(told)
        && code.to_string() != row.reason
    {
        return Some(format!("reason {:?}, and {code} by its code", row.reason));
    }
    if reason.is_none() && !row.reason.is_empty() {
        return Some(format!("reason {:?}, and reason_code is empty", row.reason));
    }
    let codes = row.warning_codes.as_deref().unwrap_or_default().iter();
    let codes: Vec<String> = codes.map(ToString::to_string).collect();
    let codes = codes.join("; ");
    (codes != row.warnings)
        .then(|| format!("warnings {:?}, and {codes:?} by their codes", row.warnings))
}

fn of_reason(row: &MeasurementRow, samples: &[&Sample]) -> Option<String> {
    let why = row.why();
    let status = match &why {
        Reason::Met
        | Reason::Interrupted(_)
        | Reason::RunBudgetEnded(_)
        | Reason::Wide { .. }
        | Reason::FewPasses { .. }
        | Reason::FewSamples(_) => Some(Status::Ok),
        Reason::OverBudget { .. }
        | Reason::LaunchOverLimit { .. }
        | Reason::CaseOverPass { .. }
        | Reason::BudgetSpent { .. }
        | Reason::NoReference(_)
        | Reason::TooCoarse(_) => Some(Status::Skipped),
        Reason::NoDevice => Some(Status::Unsupported),
        Reason::Told(_) => None,
    };
    // The texts of older rows are parsed as far as they are known.
    let is_told_ok = status.is_none() && row.status == Status::Ok && row.reason_code.is_some();
    if is_told_ok || status.is_some_and(|status| status != row.status) {
        return Some(format!(
            "status {}, and the reason {:?}",
            row.status.word(),
            row.reason
        ));
    }
    let passes: HashSet<_> = samples.iter().map(|sample| sample.pass()).collect();
    let passes = passes.len();
    let is_possible = match &why {
        Reason::FewSamples(few)
        | Reason::Interrupted(Extent::Samples(few))
        | Reason::RunBudgetEnded(Extent::Samples(few)) => *few as u64 <= row.samples,
        Reason::Interrupted(Extent::Passes(taken, _))
        | Reason::RunBudgetEnded(Extent::Passes(taken, _)) => *taken <= passes,
        Reason::FewPasses { passes: few, .. } => *few == passes,
        Reason::Wide {
            half_width,
            target,
            limit,
        } => {
            let is_other = matches!(limit, Limit::Passes(taken) if *taken != passes);
            !is_other && (row.task == "match" || half_width.is_none_or(|half| half > *target))
        }
        Reason::OverBudget {
            budget_ns: limit,
            predicted_ns,
        }
        | Reason::LaunchOverLimit {
            limit_ns: limit,
            predicted_ns,
        }
        | Reason::CaseOverPass {
            left_ns: limit,
            predicted_ns,
        } => predicted_ns > limit,
        _ => true,
    };
    (!is_possible).then(|| {
        format!(
            "the reason {:?} does not fit its {} samples of {passes} passes",
            row.reason, row.samples
        )
    })
}

/// The most frequent number of units of a case's measured rows that `is_counted`.
fn common_units<'a>(
    data: &Data<'a>,
    is_counted: impl Fn(&MeasurementRow) -> bool,
) -> HashMap<&'a str, u64> {
    let mut counts: HashMap<&str, HashMap<u64, usize>> = HashMap::new();
    let rows = data.run.measurements.iter();
    for row in rows.filter(|row| row.status == Status::Ok && is_counted(row)) {
        let own = counts.entry(&row.cell.case).or_default();
        *own.entry(row.units).or_default() += 1;
    }
    let most = counts.into_iter().filter_map(|(case, counts)| {
        let counts = counts.into_iter().map(|(units, count)| (count, units));
        Some((case, counts.max()?.1))
    });
    most.collect()
}

fn of_units(row: &MeasurementRow, common: &HashMap<&str, u64>) -> Option<String> {
    let units = *common.get(row.cell.case.as_str())?;
    let is_other = row.status == Status::Ok && row.units != units;
    is_other.then(|| {
        format!(
            "units is {}, and {units} in the other rows of its case",
            row.units
        )
    })
}

fn facts_by_name<'a>(data: &Data<'a>) -> HashMap<&'a str, HashSet<Case>> {
    let mut cases: HashMap<&str, HashSet<Case>> = HashMap::new();
    for fact in &data.run.facts {
        let case = Case::parse(&fact.case).unwrap_or_default();
        cases.entry(&fact.fact).or_default().insert(case);
    }
    cases
}

fn of_facts(row: &MeasurementRow, facts: &HashMap<&str, HashSet<Case>>) -> Option<String> {
    if row.facts.is_empty() {
        return None;
    }
    let case = Case::parse(&row.cell.case)?;
    let has = |name: &str| {
        let cases = facts.get(name);
        cases.is_some_and(|cases| cases.iter().any(|fact| is_of(fact, &case)))
    };
    let lost = row.facts.split_whitespace().find(|name| !has(name))?;
    Some(format!("facts.csv has no {lost} of its case"))
}
