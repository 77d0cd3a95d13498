//! Break-even: the smallest case from which on a device technique beats a baseline.

use super::data::{Index, Place, is_device};
use super::figure::{self, Figure};
use super::grid::{Entry, Grid, Item, Section, Tone};
use super::known::{Known, Missing};
use super::names;
use super::number::Unit;
use super::paper::{few_samples, shortened};
use super::ratios::BEST_CPU;
use super::sections::section;
use super::series;
use crate::config::Quantity;
use crate::stats::Verdict;
use crate::words::{Case, Task, Value};

/// The axis that every game's boards are on, where it has several.
const BOARD: &str = "board";
/// A table of more rows is folded.
const LONG: usize = 16;
/// A reason longer than this is cut short in the table; the CSV has it whole.
const REASON: usize = 72;

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

/// The section; `None` in a run where no device technique is compared with anything.
pub(crate) fn show(index: &Index<'_>, all: &[BreakEven]) -> Option<Section> {
    if all.is_empty() {
        return None;
    }
    const HOW: &str = "The smallest case from which on a device technique is faster than best CPU, the fastest technique \
        of the host in each case, or than a baseline of the experiment's tables: the whole \
        interval of its speed-up is above 1, which stands below with its interval and, for best CPU, the technique's name. `stays so`: so it is in \
        every larger case that was measured; else the cases are named in which it is not. Smaller cases without \
        a ratio are named: it may be faster there already. `never`: in no case that has a ratio.";
    let mut items = vec![Item::Text(HOW.to_owned())];
    let several = index.devices().len() > 1;
    let mut few = false;
    let mut axes: Vec<&str> = all.iter().map(|one| one.axis.as_str()).collect();
    axes.dedup();
    for axis in axes {
        let along: Vec<&BreakEven> = all.iter().filter(|one| one.axis == axis).collect();
        let mut baselines: Vec<&str> = Vec::new();
        for one in &along {
            if !baselines.contains(&one.over.as_str()) {
                baselines.push(&one.over);
            }
        }
        let mut grid = Grid::new(
            ["technique", "where"]
                .into_iter()
                .map(str::to_owned)
                .chain(baselines.iter().map(|name| format!("over {name}"))),
        );
        let mut rows: Vec<(&BreakEven, Vec<Entry>)> = Vec::new();
        for one in &along {
            let is_same = |known: &BreakEven| {
                (&known.technique, &known.device, &known.common)
                    == (&one.technique, &one.device, &one.common)
            };
            let column = baselines.iter().position(|name| *name == one.over);
            if !rows.iter().any(|(known, _)| is_same(known)) {
                rows.push((one, vec![Entry::missing("—"); baselines.len()]));
            }
            let row = rows.iter_mut().find(|(known, _)| is_same(known));
            if let (Some((_, entries)), Some(column)) = (row, column) {
                entries[column] = entry(axis, &one.found);
            }
        }
        for (one, entries) in rows {
            let mut technique = Entry::word(&one.technique);
            if several {
                technique = technique.small(&one.device);
            }
            let common = names::case(&one.common);
            let heading = [technique, Entry::word(common)];
            grid.rows.push(heading.into_iter().chain(entries).collect());
        }
        few |= grid.has_few();
        items.push(Item::Heading(format!("Along {axis}")));
        items.push(match grid.rows.len() > LONG {
            true => Item::Folded(
                format!("Break-even along {axis} ({} rows)", grid.rows.len()),
                vec![Item::Table(grid)],
            ),
            false => Item::Table(grid),
        });
    }
    items.extend(few.then(few_samples));
    Some(section("break-even", "Break-even", items))
}

fn entry(axis: &str, found: &Found) -> Entry {
    let listed = |but: &[(Value, &str)]| {
        let each = but.iter().map(|(value, word)| format!("{value} ({word})"));
        each.collect::<Vec<_>>().join(", ")
    };
    match found {
        Found::From {
            first,
            known,
            last,
            but,
            unmeasured,
        } => {
            let mut ratio = Unit::Plain.show(known.value);
            if let Some((low, high)) = known.interval {
                ratio += &format!(", {}", Unit::Plain.show_interval(low, high));
            }
            let stays = match (but.is_empty(), first == last) {
                (true, true) => "the largest measured".to_owned(),
                (true, false) => format!("stays so to {last}"),
                (false, _) => format!("not at {}", listed(but)),
            };
            let tone = match (known.few.is_some(), but.is_empty()) {
                (true, _) => Tone::Few,
                (false, true) => Tone::Faster,
                (false, false) => Tone::Tie,
            };
            let entry = Entry::word(format!("from {axis}={first}")).tone(tone);
            let mut entry = entry.small(ratio);
            entry
                .small
                .extend(known.baseline.as_ref().map(|name| format!("over {name}")));
            entry.small.extend(known.few.clone());
            entry.small.push(stays);
            entry.small.extend(without(unmeasured));
            entry
        }
        Found::Never {
            last,
            but,
            unmeasured,
        } => {
            let entry = Entry::word("never").tone(Tone::Slower);
            let mut entry = entry.small(format!("to {axis}={last}"));
            if !but.is_empty() {
                entry = entry.small(listed(but));
            }
            entry.small.extend(without(unmeasured));
            entry
        }
        Found::Unknown(missing) => {
            let mut entry = Entry::missing(missing.status);
            entry.word = true;
            match missing.reason.is_empty() {
                true => entry,
                false => entry.small(shortened(&missing.reason, REASON)),
            }
        }
    }
}

/// `no ratio at 1, 2`.
fn without(unmeasured: &[Value]) -> Option<String> {
    let values: Vec<String> = unmeasured.iter().map(Value::to_string).collect();
    (!values.is_empty()).then(|| format!("no ratio at {}", values.join(", ")))
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
                own[9] = super::paper::one_line(&missing.reason);
                own
            }
        };
        record.extend(own);
        csv.write_record(&record)?;
    }
    csv.into_inner().map_err(|error| error.into_error().into())
}
