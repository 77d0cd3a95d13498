//! Verdicts for a reader, and for programs.

use super::finding::{Finding, Judged, Verdict};
use crate::config::{Claim, ClaimTest};
use crate::report::data::{HOST, is_device};
use crate::report::grid::{Entry, Grid, Item, Link, Tone};
use crate::report::paper::{one_line, shortened};
use crate::report::table::finish;

/// A reason longer than this is cut short in a table; the CSV has it whole.
const REASON: usize = 110;

/// How the verdicts come about, for a reader.
const HOW: &str = "*Holds*: every cell with a number agrees. *Holds mostly*: three quarters or more agree. *Fails*: \
    fewer agree, and the interval of at least one cell excludes the claim. *Unclear*: fewer agree, and no interval excludes it. A claim \
    about a trend counts rows of cells. `tables/claims.csv` has every verdict with its test.";

/// The claims of a run with their verdicts, a line each, the first device's in sight and those of others folded;
/// nothing where there are none. `link` knows the section that shows a claim's table.
pub(crate) fn section_items(judged: &[Judged], link: impl Fn(&Claim) -> Option<Link>) -> Vec<Item> {
    if judged.is_empty() {
        return Vec::new();
    }
    let mut devices: Vec<&str> = Vec::new();
    for one in judged.iter().filter(|one| is_device(&one.device)) {
        if !devices.contains(&one.device.as_str()) {
            devices.push(&one.device);
        }
    }
    let of = |wanted: &dyn Fn(&Judged) -> bool| {
        let mut grid = Grid::new(["claim of the paper", "verdict"]);
        let own = judged.iter().filter(|one| wanted(one));
        grid.rows.extend(own.map(|one| row(one, link(&one.claim))));
        Item::Table(grid)
    };
    let first = devices.first().copied().unwrap_or_default();
    // What is true of the host or of the cases stands with the first device.
    let mut items = vec![of(&|one: &Judged| {
        one.device == first || !is_device(&one.device)
    })];
    for device in devices.iter().skip(1) {
        let own = of(&|one: &Judged| one.device == *device);
        items.push(Item::Folded(format!("On {device}"), vec![own]));
    }
    items.push(Item::Text(HOW.replace('*', "")));
    items
}

/// A claim with its verdict; its source, and the cells that speak most against it, are folded.
fn row(one: &Judged, link: Option<Link>) -> Vec<Entry> {
    let (claim, finding) = (&one.claim, &one.finding);
    let mut more = vec![claim.source.clone()];
    if !claim.note.is_empty() {
        more.push(one_line(&claim.note));
    }
    if !finding.worst.is_empty() {
        let all_hold = finding.held == finding.measured;
        let word = if all_hold {
            "Nearest to failing"
        } else {
            "Furthest from it"
        };
        more.push(format!("{word}: {}.", one_line(&finding.worst)));
    }
    let [missing, few] = caveats(finding);
    if let Some(missing) = missing {
        more.push(format!(
            "{missing}; {}.",
            shortened(&finding.reason, REASON)
        ));
    }
    more.extend(few);
    let title = match finding.measured - finding.held {
        0 => "source".to_owned(),
        1 => "source, and the one that differs".to_owned(),
        _ => "source, and where it differs most".to_owned(),
    };
    let mut verdict = verdict_entry(claim, finding);
    verdict.link = link;
    vec![Entry::word(&claim.text).fold(title, more), verdict]
}

/// A place for a reader.
pub(crate) fn place(device: &str) -> &str {
    match device {
        HOST => "processor",
        device if is_device(device) => device,
        _ => "–",
    }
}

/// The verdict in colour, with what it rests on: `holds mostly (24 of 27 cells)`.
fn verdict_entry(claim: &Claim, finding: &Finding) -> Entry {
    let entry = Entry::word(finding.verdict.words());
    let counted = Entry::word(format!(
        "{} ({})",
        finding.verdict.words(),
        held(claim, finding)
    ));
    match finding.verdict {
        Verdict::Holds if finding.measured < finding.all => counted.tone(Tone::Few),
        Verdict::Holds => counted.tone(Tone::Faster),
        Verdict::Mostly => counted.tone(Tone::Tie),
        Verdict::Fails => counted.tone(Tone::Slower),
        Verdict::Unclear => counted.tone(Tone::Few),
        Verdict::NotMeasured => entry
            .tone(Tone::Missing)
            .small(shortened(&finding.reason, REASON)),
    }
}

/// How many cells or rows a verdict did not see, and how many of its cells have few samples.
fn caveats(finding: &Finding) -> [Option<String>; 2] {
    let missing = finding.all - finding.measured;
    let cells = if finding.few == 1 { "cell" } else { "cells" };
    [
        (missing > 0).then(|| format!("{missing} not measured")),
        (finding.few > 0).then(|| format!("{} {cells} of few samples", finding.few)),
    ]
}

/// `6 of 7 cells`.
fn held(claim: &Claim, finding: &Finding) -> String {
    let what = match (claim.test.along(), finding.measured) {
        (Some(_), 1) => "row",
        (Some(_), _) => "rows",
        (None, 1) => "cell",
        (None, _) => "cells",
    };
    format!("{} of {} {what}", finding.held, finding.measured)
}

/// How many of some claims have each verdict: `7 hold, 1 holds mostly, 2 fail`.
pub(crate) fn tally<'a>(judged: impl Iterator<Item = &'a Judged> + Clone) -> String {
    let count = |verdict| {
        judged
            .clone()
            .filter(|one| one.finding.verdict == verdict)
            .count()
    };
    let counted = Verdict::ALL.map(|verdict| (verdict, count(verdict)));
    let named = counted
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| {
            let word = match (verdict, count) {
                (Verdict::Holds, 2..) => "hold",
                (Verdict::Mostly, 2..) => "hold mostly",
                (Verdict::Fails, 2..) => "fail",
                (verdict, _) => verdict.words(),
            };
            format!("{count} {word}")
        });
    named.collect::<Vec<_>>().join(", ")
}

/// How many of some claims hold, mostly ones among them, and of how many that were measured.
pub(crate) fn reproduced<'a>(judged: impl Iterator<Item = &'a Judged>) -> (usize, usize) {
    let measured = judged.filter(|one| one.finding.verdict != Verdict::NotMeasured);
    measured.fold((0, 0), |(held, all), one| {
        let holds = matches!(one.finding.verdict, Verdict::Holds | Verdict::Mostly);
        (held + usize::from(holds), all + 1)
    })
}

/// The columns of [`record`].
const COLUMNS: [&str; 18] = [
    "experiment",
    "id",
    "device",
    "verdict",
    "held",
    "measured",
    "all",
    "counted",
    "few_samples",
    "worst",
    "reason",
    "quantity",
    "technique",
    "baseline",
    "test",
    "source",
    "table",
    "text",
];

/// A verdict as a line of a CSV.
fn record(one: &Judged) -> Vec<String> {
    let (claim, finding) = (&one.claim, &one.finding);
    let counted = match claim.test {
        ClaimTest::Above(_)
        | ClaimTest::Below(_)
        | ClaimTest::About { .. }
        | ClaimTest::Published { .. } => "cells",
        _ => "rows",
    };
    vec![
        claim.experiment.clone(),
        claim.id.clone(),
        one.device.clone(),
        finding.verdict.words().to_owned(),
        finding.held.to_string(),
        finding.measured.to_string(),
        finding.all.to_string(),
        counted.to_owned(),
        finding.few.to_string(),
        one_line(&finding.worst),
        one_line(&finding.reason),
        claim.quantity.to_string(),
        claim.technique.clone().unwrap_or_default(),
        claim.baseline.clone().unwrap_or_default(),
        claim.test.to_string(),
        claim.source.clone(),
        claim.table.clone(),
        claim.text.clone(),
    ]
}

/// Every verdict of a run, a line each.
pub(crate) fn csv(judged: &[Judged]) -> Result<Vec<u8>, csv::Error> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(COLUMNS)?;
    for one in judged {
        csv.write_record(record(one))?;
    }
    finish(csv)
}
