//! Where a device helps, in sentences, and what became of each claim on each device.

use super::parts::{Column, Part, Parts, of_column};
use crate::config::Claim;
use crate::report::break_even::{BreakEven, Found};
use crate::report::claims::{self, Judged};
use crate::report::data::{HOST, RAYON, SERIAL};
use crate::report::grid::{Entry, Grid, Item, Section, Tone};
use crate::report::headline::{Spread, spread};
use crate::report::number::Unit;
use crate::report::sections::section;
use crate::report::series;
use crate::words::Value;

/// Whether a device helps in an experiment, judged by its families' last cases over rayon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Helps {
    /// It is faster in all of them.
    Everywhere,
    /// It is faster in some of them.
    InPart,
    /// It is faster in none of them, though in some case with less work.
    Smaller,
    /// It is faster in no case.
    Nowhere,
    /// No case has a ratio over rayon.
    Unknown,
}

impl Helps {
    /// In the order in which they are shown.
    const ALL: [Helps; 5] = [
        Helps::Everywhere,
        Helps::InPart,
        Helps::Smaller,
        Helps::Nowhere,
        Helps::Unknown,
    ];

    pub(super) fn word(self) -> &'static str {
        match self {
            Helps::Everywhere => "yes",
            Helps::InPart => "in part",
            Helps::Smaller => "only in smaller cases",
            Helps::Nowhere => "no",
            Helps::Unknown => "not told",
        }
    }

    /// `cases`: in how many of all cases it is faster.
    fn of(over_rayon: &Spread, cases: usize) -> Self {
        match (over_rayon.faster.len(), over_rayon.compared()) {
            (_, 0) => Helps::Unknown,
            (0, _) if cases > 0 => Helps::Smaller,
            (0, _) => Helps::Nowhere,
            (faster, all) if faster == all => Helps::Everywhere,
            _ => Helps::InPart,
        }
    }
}

/// One experiment on one device.
pub(super) struct Place<'p, 'a> {
    pub part: &'p Part<'a>,
    pub column: &'p Column,
    pub helps: Helps,
    pub over_serial: Spread,
    pub over_rayon: Spread,
    /// The smallest values of the last axis from which on the families' fastest techniques beat rayon,
    /// each once, in the order of the axis.
    pub from: Vec<String>,
    /// In how many of all cases it is faster than rayon, and how many have a ratio.
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
            let over_rayon = spread(headlines, &column.device, RAYON);
            let cases = part.cases_faster(&column.device);
            places.push(Place {
                part,
                column,
                helps: Helps::of(&over_rayon, cases.0),
                over_serial: spread(headlines, &column.device, SERIAL),
                from: from(part, &column.device),
                cases,
                over_rayon,
            });
        }
    }
    places
}

/// Where the fastest technique of each family begins to beat rayon, and stays faster.
fn from(part: &Part<'_>, device: &str) -> Vec<String> {
    let experiment = &part.data().experiment;
    let Some(last) = experiment.axes.last() else {
        return Vec::new();
    };
    let mut found: Vec<&Value> = Vec::new();
    for line in part
        .report
        .headlines
        .iter()
        .filter(|line| line.device == device)
    {
        let Some(best) = &line.best else { continue };
        let is_own = |one: &&BreakEven| {
            one.axis == *last
                && one.device == device
                && one.baseline == RAYON
                && one.technique == best.technique
                && one.common == best.case.without(last)
        };
        let own = part.report.break_even.iter().find(is_own);
        if let Some(Found::From { first, but, .. }) = own.map(|own| &own.found)
            && but.is_empty()
        {
            found.push(first);
        }
    }
    series::values(&experiment.cases, last)
        .iter()
        .filter(|value| found.contains(value))
        .map(|value| format!("{last}={value}"))
        .collect()
}

/// The sentences, GPUs first.
pub(super) fn section_where(parts: &Parts<'_>) -> Section {
    const HOW: &str = "The fastest device technique of each family of cases, in the last case that has answers on \
        both sides, against rayon: all threads of the same host. `yes`: its interval is above 1 in every family; \
        `in part`: in some; `only in smaller cases`: in none, but in a case with less work; `no`: in no case.";
    const OF_GPUS: &str = "Where a GPU helps and where it does not";
    const OF_OTHERS: &str = "Where OpenCL on a processor, or on another device, helps";
    let places = places(parts);
    let mut items = vec![Item::Text(HOW.to_owned())];
    let mut title = None;
    for (heading, gpu) in [(OF_GPUS, true), (OF_OTHERS, false)] {
        let lines: Vec<String> = Helps::ALL
            .into_iter()
            .flat_map(|helps| places.iter().filter(move |place| place.helps == helps))
            .filter(|place| place.column.is_gpu() == gpu)
            .map(sentence)
            .collect();
        if lines.is_empty() {
            continue;
        }
        match title {
            None => title = Some(heading),
            Some(_) => items.push(Item::Heading(heading.to_owned())),
        }
        items.push(Item::List(lines));
    }
    section("where", title.unwrap_or("Where a device helps"), items)
}

fn sentence(place: &Place<'_, '_>) -> String {
    let experiment = place.part.experiment();
    let threads = place.part.data().environment.host.threads;
    let title = place.column.title();
    let over_rayon = &place.over_rayon;
    let mut text = format!("{experiment} on {title}: {}.", place.helps.word());
    let range = |spread: &Spread| {
        let range = spread.range.map(|(low, high)| match low == high {
            true => Unit::Plain.show(low),
            false => Unit::Plain.show_interval(low, high),
        });
        range.map_or(String::new(), |range| format!(" (×{range})"))
    };
    let families = |count: usize, all: usize| match (count, all) {
        (1, 1) => "the only family".to_owned(),
        (count, 1) => format!("{count} of 1 family"),
        (count, all) if count == all => format!("all {all} families"),
        _ => format!("{count} of {all} families"),
    };
    let all = over_rayon.compared();
    if all == 0 {
        text += &format!(" No case has a ratio over rayon on {threads} threads");
    } else {
        let faster = families(over_rayon.faster.len(), all);
        text += &format!(
            " Over rayon on {threads} threads{} it is faster in {faster}",
            range(over_rayon)
        );
        match place.from.as_slice() {
            [] => {}
            [only] => text += &format!(", from {only} on"),
            [first, .., last] => text += &format!(", from {first} to {last} on by family"),
        }
        for (word, names) in [("slower", &over_rayon.slower), ("a tie", &over_rayon.ties)] {
            match names.as_slice() {
                [] => {}
                names if names.len() == all => text += &format!(", {word} in all"),
                names => text += &format!(", {word} in {}", names.join(", ")),
            }
        }
    }
    let (faster, compared) = place.cases;
    if all > 0 && compared > all {
        text += &format!("; in {faster} of all {compared} cases");
    }
    let serial = &place.over_serial;
    if serial.compared() > 0 {
        text += &format!(
            "; over serial{} in {}",
            range(serial),
            families(serial.faster.len(), serial.compared())
        );
    }
    text + "."
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
            let column = Column {
                machine: part.machine.clone(),
                device: HOST.to_owned(),
                kind: String::new(),
            };
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

/// The claims × devices; `None` where no run has claims.
pub(super) fn section_claims(parts: &Parts<'_>) -> Option<Section> {
    const HOW: &str = "Each verdict leads to the table of the run that shows it, where the cell that speaks most \
        against the claim is named. `reproduced`: every cell that was measured agrees; `not reproduced`: one \
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
            Entry::word(&claim.text).small(claim.experiment.as_str()),
            Entry::word(&claim.source),
        ];
        for verdict in row.verdicts {
            entries.push(match verdict {
                None => Entry::word("·").tone(Tone::Missing),
                Some((part, judged)) => {
                    let entry = claims::verdict_entry(&judged.finding).link(part.link_of(judged));
                    let finding = &judged.finding;
                    let held = format!("in {}", claims::held(claim, finding));
                    match (finding.measured, finding.all - finding.measured) {
                        (0, _) => entry,
                        (_, 0) => entry.small(held),
                        (_, missing) => entry.small(format!("{held}, {missing} not measured")),
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
