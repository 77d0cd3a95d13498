//! Checks a run's rows against the experiment, the invocations and the samples. Also checks the facts.

use std::collections::{HashMap, HashSet};

use super::Data;
use super::finding::{Place, Problem, records};
use crate::config::TechniqueChoice;
use crate::results::{
    CellId, DeviceRecord, HOST, MeasurementRow, NO_DEVICE, Sample, seal, unlike_its_samples,
};
use crate::words::{Case, Extent, Kind, Limit, Reason, Status, Task};

/// A cell of the experiment.
type Cell<'a> = (&'a Case, &'a TechniqueChoice);

pub fn check(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let units = common_units(data);
    let mut facts: HashMap<&str, Vec<Case>> = HashMap::new();
    for own in &data.run.facts {
        let case = Case::parse(&own.case).unwrap_or_default();
        facts.entry(&own.fact).or_default().push(case);
    }
    for row in &data.run.measurements {
        let samples = data.samples_of(row);
        // After an edit of the experiment, earlier rows may match no cell.
        let cell = cell_of(data, row);
        let checks = [
            of_experiment(data, row),
            cell.and_then(|cell| of_key(data, row, cell)),
            of_invocation(data, row),
            of_samples(data, row, samples),
            of_sentences(row),
            of_reason(row, samples),
            cell.and_then(|_| of_units(row, &units)),
            unlike_its_samples(row, samples),
        ];
        let found = checks.into_iter().flatten();
        problems.extend(found.map(|what| Problem::row(&row.cell, what)));
        let place = || Place::Row(row.cell.clone());
        problems.extend(of_facts(row, &facts).map(|what| Problem::beside(place(), what)));
    }
}

/// Checks the seals of all rows that are not in `named`.
pub fn seals(data: &Data<'_>, named: &HashMap<&CellId, &str>) -> Vec<Problem> {
    let what = "it or one of its samples was changed after it was written";
    let rows = data.run.measurements.iter().chain(&data.run.pending);
    let rows = rows.filter(|row| !named.contains_key(&row.cell));
    let broken = rows.filter(|row| {
        let due = seal(row, data.samples_of(row).iter().copied());
        due.map_or(true, |due| due != row.seal)
    });
    broken.map(|row| Problem::row(&row.cell, what)).collect()
}

fn case_of<'a>(data: &Data<'a>, row: &MeasurementRow) -> Option<&'a Case> {
    let case = Case::parse(&row.cell.case)?;
    data.cases.get(&case).copied()
}

/// Returns the experiment's cell that a row names.
fn cell_of<'a>(data: &Data<'a>, row: &MeasurementRow) -> Option<Cell<'a>> {
    let case = case_of(data, row)?;
    let choice = data.experiment.choice(&row.cell.technique)?;
    choice.takes(case).then_some((case, choice))
}

fn of_experiment(data: &Data<'_>, row: &MeasurementRow) -> Option<String> {
    let experiment = data.experiment;
    for (what, own, theirs) in [
        ("experiment", &row.experiment, experiment.name.as_str()),
        ("game", &row.game, &experiment.game),
        ("task", &row.task, experiment.task.word()),
    ] {
        if own != theirs {
            return Some(format!("{what} is {own:?}; experiment.toml has {theirs:?}"));
        }
    }
    let (case, device) = (&row.cell.case, &row.cell.device);
    let own = case_of(data, row).filter(|own| own.to_string() == *case);
    let Some((_, choice)) = own.and_then(|_| cell_of(data, row)) else {
        // Finds the cell with the row's key. If the experiment was edited after the row was written, there may be none.
        let has_key = |cell: Cell<'_>| key(data, row, cell).as_ref() == Some(&row.key);
        let (of, label) = experiment.cases.iter().find_map(|case| {
            let mut choices = experiment.techniques.iter();
            let choice = choices.find(|it| it.takes(case) && has_key((case, it)))?;
            Some((case, &choice.label))
        })?;
        let lacks = match own {
            None => format!("has no case {case:?}"),
            Some(_) => format!("does not use {:?} in that case", row.cell.technique),
        };
        let what = format!("experiment.toml {lacks}; the row's key is for {of} {label}");
        return Some(what);
    };
    let (catalogue, name) = (data.catalogue, &choice.technique);
    let entry = catalogue.technique(&experiment.game, name)?;
    let (own, kind) = (&row.kind, entry.kind.word());
    if own != kind {
        return Some(format!("kind is {own:?}, but {} is {kind:?}", entry.name));
    }
    let is_elsewhere = (entry.kind == Kind::Device) == (device == HOST);
    is_elsewhere.then(|| format!("a technique of kind {own:?} does not run on {device}"))
}

/// Computes the key that a row of this cell must have. `None` if its invocation or device is unknown.
fn key(data: &Data<'_>, row: &MeasurementRow, (case, choice): Cell<'_>) -> Option<String> {
    let invocation = data.run.environment.invocation(&row.invocation)?;
    let none = DeviceRecord::none();
    let mut devices = invocation.devices.iter();
    let device = match row.cell.device.as_str() {
        HOST => None,
        NO_DEVICE => Some(&none),
        label => Some(devices.find(|own| own.address == row.address && own.label == label)?),
    };
    let provenance = invocation.provenance(&choice.params, device);
    Some(provenance.key(&data.experiment.question(choice, case)))
}

/// Refuses a row whose key does not match its case, technique, program, machine and device.
fn of_key(data: &Data<'_>, row: &MeasurementRow, cell: Cell<'_>) -> Option<String> {
    data.run.environment.invocation(&row.invocation)?;
    let why = "its key does not match its case, technique, options, program, machine and device";
    let Some(key) = key(data, row, cell) else {
        let (label, address) = (&row.cell.device, &row.address);
        return Some(format!("its invocation used no device {label} ({address})"));
    };
    (key != row.key).then(|| why.to_owned())
}

/// Refuses samples from unknown or edited invocations, and samples whose times do not add up.
fn of_samples(data: &Data<'_>, row: &MeasurementRow, samples: &[&Sample]) -> Option<String> {
    let ids = samples.iter().map(|sample| &sample.invocation);
    for id in ids.chain([&row.invocation]) {
        let Some(invocation) = data.run.environment.invocation(id) else {
            return Some(format!("environment.toml has no invocation {id:?}"));
        };
        if !invocation.is_intact() {
            let what = "was changed after it was written";
            return Some(format!(
                "environment.toml: the entry of invocation {id} {what}"
            ));
        }
    }
    samples.iter().find_map(|own| {
        let parts = [
            own.upload_ns,
            own.queue_ns,
            own.kernel_ns,
            own.download_ns,
            own.host_ns,
        ];
        let sum = |parts: &[u64]| parts.iter().map(|ns| u128::from(*ns)).sum::<u128>();
        let (whole, units) = (u128::from(own.total_ns), row.units);
        let (parts, positions) = (sum(&parts), sum(&own.positions_ns));
        let count = own.positions_ns.len() as u64;
        let what = if parts != whole {
            format!(": the parts add up to {parts} ns, but the whole is {whole} ns")
        } else if positions > whole {
            format!(": its positions take {positions} ns, but the whole {whole} ns")
        } else if ![0, units].contains(&count) {
            format!(" has times for {count} positions, but the row has {units}")
        } else {
            return None;
        };
        Some(format!("sample {}{what}", own.sample))
    })
}

fn of_invocation(data: &Data<'_>, row: &MeasurementRow) -> Option<String> {
    let invocation = data.run.environment.invocation(&row.invocation)?;
    if row.cell.device == HOST && !row.address.is_empty() {
        return Some(format!("address {:?}; the host has none", row.address));
    }
    let is_threaded = row.kind == Kind::Threads.word();
    let all = invocation.host.threads as u64;
    let threads = if is_threaded { all } else { 1 };
    let own = row.threads;
    (own != threads).then(|| format!("threads is {own}, but {threads} in its invocation"))
}

fn of_sentences(row: &MeasurementRow) -> Option<String> {
    let (reason, warnings) = (&row.reason, &row.warnings);
    match &row.reason_code {
        // The codes of these reasons do not contain the text.
        Some(Reason::Told(_) | Reason::NoReference(_)) => {}
        Some(code) if code.to_string() != *reason => {
            return Some(format!("reason is {reason:?}, but its code means {code}"));
        }
        None if !reason.is_empty() => {
            return Some(format!("reason is {reason:?}, but reason_code is empty"));
        }
        _ => {}
    }
    let codes: Vec<String> = row.warned().iter().map(ToString::to_string).collect();
    let codes = codes.join("; ");
    (codes != *warnings)
        .then(|| format!("warnings are {warnings:?}, but their codes mean {codes:?}"))
}

fn of_reason(row: &MeasurementRow, samples: &[&Sample]) -> Option<String> {
    let passes: HashSet<_> = samples.iter().map(|sample| sample.pass()).collect();
    let passes = passes.len();
    let why = row.why();
    let (own, reason, count) = (row.status.word(), &row.reason, row.samples);
    let mismatch = || format!("status {own} does not fit the reason {reason:?}");
    // The status that belongs to the reason, and whether the row's other numbers allow the reason.
    let (status, is_possible) = match &why {
        Reason::FewSamples(few)
        | Reason::Interrupted(Extent::Samples(few))
        | Reason::RunBudgetEnded(Extent::Samples(few)) => (Status::Ok, *few as u64 <= row.samples),
        Reason::Interrupted(Extent::Passes(taken, _))
        | Reason::RunBudgetEnded(Extent::Passes(taken, _)) => (Status::Ok, *taken <= passes),
        Reason::FewPasses { passes: few, .. } => (Status::Ok, *few == passes),
        Reason::Wide {
            half_width,
            target,
            limit,
        } => {
            let is_other = matches!(limit, Limit::Passes(taken) if *taken != passes);
            let is_wide = half_width.is_none_or(|half| half > *target);
            (Status::Ok, !is_other && (row.task == "match" || is_wide))
        }
        Reason::Met => (Status::Ok, true),
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
        } => (Status::Skipped, predicted_ns > limit),
        Reason::BudgetSpent { .. } | Reason::NoReference(_) | Reason::TooCoarse(_) => {
            (Status::Skipped, true)
        }
        Reason::NoDevice => (Status::Unsupported, true),
        // Only failed cells have free text. Rows without a code are from older versions and are not checked.
        Reason::Told(_) => {
            let is_known = row.status == Status::Ok && row.reason_code.is_some();
            return is_known.then(mismatch);
        }
    };
    if status != row.status {
        return Some(mismatch());
    }
    (!is_possible).then(|| {
        format!("the reason {reason:?} does not fit its {count} samples of {passes} passes")
    })
}

/// Returns each case's most frequent number of units, among the answered rows of the experiment's cells.
fn common_units<'a>(data: &Data<'a>) -> HashMap<&'a str, u64> {
    let mut counts: HashMap<&str, HashMap<u64, usize>> = HashMap::new();
    for row in data.answered().filter(|row| cell_of(data, row).is_some()) {
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
    let (own, units) = (row.units, *common.get(row.cell.case.as_str())?);
    let is_other = row.status == Status::Ok && own != units;
    is_other.then(|| format!("units is {own}, but {units} in the other rows of its case"))
}

/// Returns a problem if one of the row's facts is missing from `facts.csv`. `facts` maps each fact to its cases.
fn of_facts(row: &MeasurementRow, facts: &HashMap<&str, Vec<Case>>) -> Option<String> {
    let case = Case::parse(&row.cell.case)?;
    let has = |name: &str| {
        let mut of = facts.get(name).into_iter().flatten();
        of.any(|of| case.agrees(of))
    };
    let lost = row.facts.split_whitespace().find(|name| !has(name))?;
    Some(format!("facts.csv has no {lost} for its case"))
}

/// Checks `facts.csv` for impossible and contradictory values.
pub fn facts(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let mut known: HashMap<[String; 2], String> = HashMap::new();
    let file = data.run.path.join("facts.csv");
    for (line, [case, fact, value]) in records(&file, ["case", "fact", "value"]) {
        let mut say = |what: String| {
            let what = format!("{case}: {fact} {what}");
            problems.push(Problem::beside(Place::Fact(line), what));
        };
        if let Some(why) = impossible(data, &case, &fact, value.parse().unwrap_or(f64::NAN)) {
            say(format!("is {value}, {why}"));
        }
        // A resumed run may write a fact again.
        let before = known.entry([case.clone(), fact.clone()]);
        let before = before.or_insert(value.clone());
        if *before != value {
            say(format!("occurs twice, as {before} and as {value}"));
        }
    }
}

fn impossible(data: &Data<'_>, case: &str, fact: &str, value: f64) -> Option<String> {
    let is_percent = fact.split('-').any(|word| word == "percent");
    let is_positions = fact == "positions";
    let why = match () {
        () if !value.is_finite() => "which is not a number",
        () if value < 0.0 => "allowed is 0 or more",
        () if is_percent && value > 100.0 => "allowed is 0 to 100",
        () if is_positions && (value.fract() != 0.0 || value < 1.0) => {
            "allowed is a whole number of at least 1"
        }
        () if is_positions && data.experiment.task == Task::Game => {
            let of = Case::parse(case).unwrap_or_default();
            let mut rows = data.answered().filter(|row| row.units as f64 > value);
            let is_about = |case: Case| case.agrees(&of);
            let row = rows.find(|row| Case::parse(&row.cell.case).is_some_and(is_about))?;
            let (case, units) = (&row.cell.case, row.units);
            return Some(format!("but the rows of {case} have {units} positions"));
        }
        () => return None,
    };
    Some(why.to_owned())
}
