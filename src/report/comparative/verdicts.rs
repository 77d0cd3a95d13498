//! Where a device helps, in sentences, and what became of each claim on each device.

use super::parts::{Column, Part, Parts, of_column};
use crate::config::Claim;
use crate::report::claims::{self, Judged};
use crate::report::data::HOST;
use crate::report::first::ID;
use crate::report::grid::{Entry, Grid, Item, Section, Tone};
use crate::report::headline::{self, Best, Spread, spread};
use crate::report::number::Unit;
use crate::report::ratios::ROLES;
use crate::report::sections::section;
use crate::report::series;
use crate::stats::Verdict;
use crate::words::{Case, Value};

/// Whether a device helps in an experiment, judged by its families' last cases over best CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Helps {
    /// It is faster in all of them.
    Everywhere,
    /// It is faster in all of them that can be compared; some cannot.
    WhereMeasured,
    /// It is faster in some of them.
    InPart,
    /// It is faster in none of them, though in some other case.
    Elsewhere,
    /// It is faster in no case.
    Nowhere,
    /// No family's case has a ratio over best CPU.
    Unknown,
}

impl Helps {
    /// In the order in which they are shown.
    const ALL: [Helps; 6] = [
        Helps::Everywhere,
        Helps::WhereMeasured,
        Helps::InPart,
        Helps::Elsewhere,
        Helps::Nowhere,
        Helps::Unknown,
    ];

    pub(super) fn word(self) -> &'static str {
        match self {
            Helps::Everywhere => "yes",
            Helps::InPart => "in part",
            Helps::WhereMeasured => "yes, where it was measured",
            Helps::Elsewhere => "only in other cases",
            Helps::Nowhere => "no",
            Helps::Unknown => "unknown",
        }
    }

    /// `cases`: in how many of all cases it is faster.
    fn of(over: &Spread, cases: usize) -> Self {
        match (over.faster.len(), over.compared()) {
            (_, 0) => Helps::Unknown,
            (0, _) if cases > 0 => Helps::Elsewhere,
            (0, _) => Helps::Nowhere,
            (faster, all) if faster == all && over.without.is_empty() => Helps::Everywhere,
            (faster, all) if faster == all => Helps::WhereMeasured,
            _ => Helps::InPart,
        }
    }

    fn tone(self) -> Tone {
        match self {
            Helps::Everywhere | Helps::WhereMeasured => Tone::Faster,
            Helps::InPart | Helps::Elsewhere => Tone::Tie,
            Helps::Nowhere => Tone::Slower,
            Helps::Unknown => Tone::Missing,
        }
    }
}

/// One experiment on one device.
pub(super) struct Place<'p, 'a> {
    pub part: &'p Part<'a>,
    pub column: &'p Column,
    pub helps: Helps,
    /// Over best one core and over best CPU, in the order of [`ROLES`].
    pub over: [Spread; 2],
    /// The smallest values of the last axis from which on the fastest technique of a family's case beats
    /// best CPU, each once, in the order of the axis; where there is none, those at which alone it does.
    pub from: Vec<String>,
    /// In how many of all cases it is faster than best CPU, and how many have a ratio.
    pub cases: (usize, usize),
}

/// Every experiment on every device that it ran on; matches apart, where time is not what is compared.
pub(super) fn places<'p, 'a>(parts: &'p Parts<'a>) -> Vec<Place<'p, 'a>> {
    let mut places = Vec::new();
    for (_, own) in parts.experiments() {
        for column in parts.columns.iter().filter(|column| column.is_device()) {
            let part = of_column(&own, column).filter(|part| !part.is_match());
            let Some(part) = part else { continue };
            let headlines = &part.report.headlines;
            let over = ROLES.map(|role| spread(headlines, &column.device, role));
            let cases = part.cases_faster(&column.device);
            places.push(Place {
                part,
                column,
                helps: Helps::of(&over[1], cases.0),
                over,
                from: match from(part, &column.device) {
                    from if from.is_empty() => only_at(part, &column.device),
                    from => from,
                },
                cases,
            });
        }
    }
    places
}

/// From which case of its family on the device is faster than best CPU, in every case that was measured: the
/// values of the last axis.
fn from(part: &Part<'_>, device: &str) -> Vec<String> {
    let experiment = &part.data().experiment;
    let Some(last) = experiment.axes.last() else {
        return Vec::new();
    };
    let mut found: Vec<&Value> = Vec::new();
    for (_, cases) in headline::families(experiment) {
        let told = cases.into_iter().filter_map(|case| {
            let verdict = part.best(device, &case.to_string())?.verdict()?;
            Some((case, verdict == Verdict::Faster))
        });
        let mut first = None;
        for (case, is_faster) in told {
            first = match (is_faster, first) {
                (true, None) => case.get(last),
                (true, known) => known,
                (false, _) => None,
            };
        }
        found.extend(first);
    }
    series::values(&experiment.cases, last)
        .iter()
        .filter(|value| found.contains(value))
        .map(|value| format!("{last}={value}"))
        .collect()
}

/// The values of the last axis at which the device is faster in some family, where it is from none of them on:
/// `only at depth=8`.
fn only_at(part: &Part<'_>, device: &str) -> Vec<String> {
    let experiment = &part.data().experiment;
    let Some(last) = experiment.axes.last() else {
        return Vec::new();
    };
    let is_faster = |case: &&Case| {
        let best = part.best(device, &case.to_string());
        best.and_then(Best::verdict) == Some(Verdict::Faster)
    };
    let faster = experiment.cases.iter().filter(is_faster);
    let faster: Vec<&Value> = faster.filter_map(|case| case.get(last)).collect();
    series::values(&experiment.cases, last)
        .iter()
        .filter(|value| faster.contains(value))
        .map(|value| format!("only at {last}={value}"))
        .collect()
}

/// A line for each experiment and device, GPUs first.
pub(super) fn section_where(parts: &Parts<'_>) -> Section {
    const HOW: &str = "The fastest device technique over best CPU, the fastest technique of the same host that answers \
        the same question, with any number of threads. A family is cases that differ in their last axis alone; the last of them that can \
        be compared stands for it. `yes`: the whole interval of the ratio is above 1 in every family; `yes, where it was \
        measured`: in every family that has a ratio; `in part`: in some families; `only in other cases`: in no family's last case, but \
        in another case; `no`: in no case; `unknown`: no family has a ratio. `from`: the smallest case of a family from \
        which on the device is faster in every case that has a ratio; `only at`: where it is faster, but not in larger cases. \
        Ranges are of the families' ratios.";
    const OF_GPUS: &str = "Where a GPU helps and where it does not";
    const OF_OTHERS: &str = "Where OpenCL on a processor, or on another device, helps";
    let places = places(parts);
    let mut items = vec![Item::Text(HOW.to_owned())];
    let mut title = None;
    for (heading, gpu) in [(OF_GPUS, true), (OF_OTHERS, false)] {
        let mut grid = Grid::new([
            "experiment",
            "device",
            "helps",
            "faster than best CPU in",
            "over best CPU",
            "from",
            "not in",
            "over best one core",
        ]);
        let own = Helps::ALL
            .into_iter()
            .flat_map(|helps| places.iter().filter(move |place| place.helps == helps))
            .filter(|place| place.column.is_gpu() == gpu);
        grid.rows.extend(own.map(row_where));
        if grid.rows.is_empty() {
            continue;
        }
        match title {
            None => title = Some(heading),
            Some(_) => items.push(Item::Heading(heading.to_owned())),
        }
        items.push(Item::Table(grid));
    }
    section("where", title.unwrap_or("Where a device helps"), items)
}

/// A sentence for each device: in which experiments it helps, in part, and does not. GPUs first.
pub(super) fn summary(parts: &Parts<'_>) -> Vec<String> {
    let places = places(parts);
    let kinds: [(&str, &[Helps]); 5] = [
        (
            "faster than best CPU",
            &[Helps::Everywhere, Helps::WhereMeasured],
        ),
        ("faster in some families of cases", &[Helps::InPart]),
        ("faster in single cases only", &[Helps::Elsewhere]),
        ("not faster", &[Helps::Nowhere]),
        ("unknown", &[Helps::Unknown]),
    ];
    let sentence = |column: &Column| {
        let own = || places.iter().filter(|place| place.column == column);
        let clauses: Vec<String> = kinds
            .iter()
            .filter_map(|(word, helps)| {
                let names: Vec<&str> = own()
                    .filter(|place| helps.contains(&place.helps))
                    .map(|place| place.part.experiment())
                    .collect();
                (!names.is_empty()).then(|| format!("{word}: {}", names.join(", ")))
            })
            .collect();
        (!clauses.is_empty()).then(|| format!("{}: {}.", column.title(), clauses.join("; ")))
    };
    parts.columns.iter().filter_map(sentence).collect()
}

fn row_where(place: &Place<'_, '_>) -> Vec<Entry> {
    let range = |spread: &Spread| match spread.range {
        None => Entry::missing("—"),
        Some((low, high)) if low == high => Entry::number(format!("×{}", Unit::Plain.show(low))),
        Some((low, high)) => Entry::number(format!("×{}", Unit::Plain.show_interval(low, high))),
    };
    let words = |words: &[String]| match words {
        [] => Entry::word("—").tone(Tone::Missing),
        words => Entry::word(words.join(", ")),
    };
    let [over_one_core, over_cpu] = &place.over;
    let (faster, cases) = place.cases;
    let mut not_in: Vec<String> = over_cpu.slower.clone();
    not_in.extend(over_cpu.ties.iter().map(|name| format!("{name} (a tie)")));
    vec![
        Entry::word(place.part.experiment()).link(place.part.link(Some(ID))),
        Entry::word(place.column.title()),
        Entry::word(place.helps.word()).tone(place.helps.tone()),
        Entry::word(format!("{faster} of {cases} cases")).small(families(over_cpu)),
        range(over_cpu),
        words(&place.from),
        words(&not_in),
        range(over_one_core),
    ]
}

/// In how many families it is faster, and how many have no ratio.
fn families(spread: &Spread) -> String {
    let faster = format!("{} of {} families", spread.faster.len(), spread.compared());
    match spread.without.len() {
        0 => faster,
        without => format!("{faster}, {without} not compared"),
    }
}

/// A claim, and its verdict by column.
struct Row<'p, 'a> {
    claim: &'p Claim,
    verdicts: Vec<Option<(&'p Part<'a>, &'p Judged)>>,
}

/// The columns of verdicts: those of the report that a claim is about, and the processor of each machine
/// that one is about.
fn columns(parts: &Parts<'_>) -> Vec<Column> {
    let mut columns = parts.columns.clone();
    columns.retain(|column| {
        let own = parts
            .all
            .iter()
            .filter(|part| part.machine == column.machine);
        let mut judged = own.flat_map(|part| &part.report.judged);
        judged.any(|one| one.device == column.device || one.device.is_empty())
    });
    for part in &parts.all {
        for judged in &part.report.judged {
            let column = Column::of(part, HOST);
            if judged.device == HOST && !columns.contains(&column) {
                columns.push(column);
            }
        }
    }
    columns
}

/// Every claim. Claims that runs have in unlike words or with unlike tests stand apart.
fn rows<'p, 'a>(parts: &'p Parts<'a>, columns: &[Column]) -> Vec<Row<'p, 'a>> {
    let mut rows: Vec<Row<'p, 'a>> = Vec::new();
    for part in &parts.all {
        for judged in &part.report.judged {
            let is_of = |column: &Column| {
                let is_own = column.device == judged.device || judged.device.is_empty();
                column.machine == part.machine && is_own
            };
            if !rows.iter().any(|row| *row.claim == judged.claim) {
                rows.push(Row {
                    claim: &judged.claim,
                    verdicts: columns.iter().map(|_| None).collect(),
                });
            }
            let row = rows.iter_mut().find(|row| *row.claim == judged.claim);
            let Some(row) = row else { continue };
            for (column, verdict) in columns.iter().zip(&mut row.verdicts) {
                if is_of(column) {
                    *verdict = Some((part, judged));
                }
            }
        }
    }
    rows
}

/// `reversi, over serial-as-published`: of which experiment it is, and against what.
fn about(claim: &Claim) -> String {
    match &claim.baseline {
        Some(baseline) => format!("{}, over {baseline}", claim.experiment),
        None => claim.experiment.clone(),
    }
}

/// The claims × devices; `None` where no run has claims.
pub(super) fn section_claims(parts: &Parts<'_>) -> Option<Section> {
    const HOW: &str = "Each verdict leads to the table of the run that shows it, where the cell that speaks most \
        against the claim is named. `reproduced`: every cell agrees, as far as it was measured; `not reproduced`: one \
        speaks against it by its interval; `unclear`: none does, but some intervals do not tell.";
    let columns = columns(parts);
    let rows = rows(parts, &columns);
    if rows.is_empty() {
        return None;
    }
    let titles = columns.iter().map(Column::title);
    let mut grid = Grid::new(
        ["claim of the paper", "source"]
            .into_iter()
            .map(str::to_owned)
            .chain(titles),
    );
    for row in rows {
        let claim = row.claim;
        let mut entries = vec![
            Entry::word(&claim.text).small(about(claim)),
            Entry::word(&claim.source),
        ];
        for verdict in row.verdicts {
            entries.push(match verdict {
                None => Entry::word("·").tone(Tone::Missing),
                Some((part, judged)) => {
                    let entry = claims::verdict_entry(&judged.finding).link(part.link_of(judged));
                    let finding = &judged.finding;
                    if finding.measured == 0 {
                        entry
                    } else {
                        let held = format!("holds in {}", claims::held(claim, finding));
                        let caveats = claims::caveats(finding).into_iter().flatten();
                        caveats.fold(entry.small(held), Entry::small)
                    }
                }
            });
        }
        grid.rows.push(entries);
    }
    let items = vec![Item::Table(grid), Item::Text(HOW.to_owned())];
    Some(section(
        "claims",
        "What became of the papers' claims",
        items,
    ))
}
