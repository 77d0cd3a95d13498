//! Break-even: the smallest case from which on a device technique beats a baseline, as a CSV file.

use super::data::{Index, Place, is_device};
use super::figure::{self, Figure};
use super::known::{Known, Missing};
use super::paper::one_line;
use super::ratios::BEST_CPU;
use super::series;
use crate::config::Quantity;
use crate::stats::Verdict;
use crate::words::{Case, Task, Value};

/// The axis that every game's boards are on, where it has several.
const BOARD: &str = "board";

/// One device technique over one baseline, along one axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BreakEven {
    pub axis: String,
    /// What the cases of the row have in common.
    pub common: Case,
    pub technique: String,
    pub device: String,
    /// Best CPU, or a technique's label.
    pub over: String,
    pub found: Found,
}

/// Where a technique begins to be faster.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Found {
    /// From this value of the axis on.
    From {
        first: Value,
        known: Known,
        /// The largest value that was measured.
        last: Value,
        /// The larger values at which it is not faster, with what it is there.
        but: Vec<(Value, &'static str)>,
        /// The smaller values that have no ratio: it may be faster there already.
        unmeasured: Vec<Value>,
    },
    /// At none of the values that were measured.
    Never {
        /// The largest of them.
        last: Value,
        /// Those at which neither can be told from the other, or the interval is too wide.
        but: Vec<(Value, &'static str)>,
        /// The values that have no ratio.
        unmeasured: Vec<Value>,
    },
    /// No value has a ratio; why the first has none.
    Unknown(Missing),
}

/// All rows of a run; nothing of a match, whose players play games of unlike lengths.
pub(crate) fn find(index: &Index<'_>) -> Vec<BreakEven> {
    let experiment = &index.data.experiment;
    if experiment.task == Task::Match {
        return Vec::new();
    }
    let mut axes: Vec<&str> = experiment
        .axes
        .last()
        .map(String::as_str)
        .into_iter()
        .collect();
    if experiment.axes.iter().any(|axis| axis == BOARD) && !axes.contains(&BOARD) {
        axes.push(BOARD);
    }
    let mut all = Vec::new();
    for axis in axes {
        let order = series::values(&experiment.cases, axis);
        // Times and counts on one axis have no common order.
        let counts = order.iter().filter(|value| value.as_int().is_some());
        if order.len() < 2 || ![0, order.len()].contains(&counts.count()) {
            continue;
        }
        for choice in &experiment.techniques {
            let label = choice.label.as_str();
            let cases = experiment.cases.iter().filter(|case| choice.takes(case));
            let rows = series::rows(cases.collect(), |case| case, axis, &order);
            for place in index
                .places(label)
                .iter()
                .filter(|own| is_device(own.device))
            {
                for (common, row) in &rows {
                    for baseline in baselines(index, label) {
                        all.push(BreakEven {
                            axis: axis.to_owned(),
                            common: common.clone(),
                            technique: label.to_owned(),
                            device: place.device.to_owned(),
                            found: of_row(index, axis, row, place, baseline),
                            over: baseline.to_owned(),
                        });
                    }
                }
            }
        }
    }
    all
}

/// What a technique is compared with: best CPU, and every baseline that a table or a chart of the experiment
/// shows it over.
fn baselines<'a>(index: &'a Index<'_>, technique: &str) -> Vec<&'a str> {
    let experiment = &index.data.experiment;
    let tables = experiment
        .tables
        .iter()
        .map(|own| (&own.techniques, &own.baselines));
    let charts = experiment
        .charts
        .iter()
        .map(|own| (&own.techniques, &own.baselines));
    let shown = |baseline: &str| {
        let mut views = tables.clone().chain(charts.clone());
        views.any(|(techniques, baselines)| {
            techniques.iter().any(|own| own == technique)
                && baselines.iter().any(|own| own == baseline)
        })
    };
    let labels = experiment
        .techniques
        .iter()
        .map(|choice| choice.label.as_str());
    let named = labels.filter(|&label| label != technique && shown(label));
    std::iter::once(BEST_CPU).chain(named).collect()
}

fn of_row(
    index: &Index<'_>,
    axis: &str,
    row: &[&Case],
    place: &Place<'_>,
    baseline: &str,
) -> Found {
    let mut read: Vec<(Value, Verdict)> = Vec::new();
    let mut first: Option<(usize, Known)> = None;
    let mut missing: Option<Missing> = None;
    let mut unmeasured: Vec<Value> = Vec::new();
    for case in row {
        let Some(value) = case.get(axis) else {
            continue;
        };
        let speedup = &Quantity::Speedup;
        let verdict = match figure::measured(index, speedup, case, place, Some(baseline)) {
            Figure::Known(known) if known.verdict.is_none() => {
                let few = known.few.unwrap_or_default();
                missing.get_or_insert(Missing::new("unclear", format!("{few}: no interval")));
                if first.is_none() {
                    unmeasured.push(value.clone());
                }
                continue;
            }
            Figure::Known(known) => {
                let verdict = known.verdict.unwrap_or(Verdict::Unclear);
                if verdict == Verdict::Faster {
                    first.get_or_insert((read.len(), known));
                }
                verdict
            }
            Figure::Missing(reason) if reason.interval.is_some() => Verdict::Unclear,
            Figure::Missing(reason) => {
                missing.get_or_insert(reason);
                if first.is_none() {
                    unmeasured.push(value.clone());
                }
                continue;
            }
        };
        read.push((value.clone(), verdict));
    }
    let named = |of: &[(Value, Verdict)], but: &[Verdict]| -> Vec<(Value, &'static str)> {
        of.iter()
            .filter(|(_, verdict)| !but.contains(verdict))
            .map(|(value, verdict)| (value.clone(), verdict.word()))
            .collect()
    };
    let Some((last, _)) = read.last().cloned() else {
        return Found::Unknown(missing.unwrap_or_else(Missing::not_asked));
    };
    match first {
        Some((at, known)) => Found::From {
            first: read[at].0.clone(),
            known,
            last,
            but: named(&read[at..], &[Verdict::Faster]),
            unmeasured,
        },
        None => Found::Never {
            last,
            but: named(&read, &[Verdict::Slower]),
            unmeasured,
        },
    }
}

/// Every row, a line each.
///
/// `first` is the smallest value of `axis` at which the technique is faster, `speedup` with its interval
/// the ratio there; `stays` is `yes` or `no`; `last` the largest value with a ratio; `but` the values at
/// which it is not faster, those below `first` left out; `unmeasured` those below it, or where there is no `first` all, that have no ratio;
/// `baseline` the technique that is best CPU at `first`, with its threads.
pub(crate) fn csv(index: &Index<'_>, all: &[BreakEven]) -> Result<Vec<u8>, csv::Error> {
    let axes = &index.data.experiment.axes;
    let mut csv = csv::Writer::from_writer(Vec::new());
    let columns = [
        "technique",
        "device",
        "over",
        "axis",
        "status",
        "first",
        "speedup",
        "low",
        "high",
        "stays",
        "last",
        "but",
        "unmeasured",
        "reason",
        "baseline",
    ];
    csv.write_record(axes.iter().map(String::as_str).chain(columns))?;
    for one in all {
        let mut record: Vec<String> = axes
            .iter()
            .map(|axis| one.common.get(axis).map_or(String::new(), Value::to_string))
            .collect();
        record.extend([&one.technique, &one.device, &one.over, &one.axis].map(Clone::clone));
        let listed = |but: &[(Value, &str)]| {
            let each = but.iter().map(|(value, word)| format!("{value} {word}"));
            each.collect::<Vec<_>>().join("; ")
        };
        let joined = |values: &[Value]| {
            let each = values.iter().map(Value::to_string);
            each.collect::<Vec<_>>().join("; ")
        };
        let own: [String; 11] = match &one.found {
            Found::From {
                first,
                known,
                last,
                but,
                unmeasured,
            } => {
                let (low, high) = known.interval.unzip();
                let number = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
                let stays = if but.is_empty() { "yes" } else { "no" };
                [
                    "faster".to_owned(),
                    first.to_string(),
                    known.value.to_string(),
                    number(low),
                    number(high),
                    stays.to_owned(),
                    last.to_string(),
                    listed(but),
                    joined(unmeasured),
                    String::new(),
                    known.baseline.clone().unwrap_or_default(),
                ]
            }
            Found::Never {
                last,
                but,
                unmeasured,
            } => {
                let mut own: [String; 11] = Default::default();
                own[0] = "never".to_owned();
                own[6] = last.to_string();
                own[7] = listed(but);
                own[8] = joined(unmeasured);
                own
            }
            Found::Unknown(missing) => {
                let mut own: [String; 11] = Default::default();
                own[0] = missing.status.to_owned();
                own[9] = one_line(&missing.reason);
                own
            }
        };
        record.extend(own);
        csv.write_record(&record)?;
    }
    csv.into_inner().map_err(|error| error.into_error().into())
}
