//! Verdicts for a reader, and for programs.

use super::finding::{Finding, Judged, Verdict, on_devices};
use crate::config::{Claim, ClaimTest};
use crate::report::data::{HOST, is_device};
use crate::report::grid::{Entry, Grid, Item, Link, Tone};
use crate::report::paper::{one_line, shortened};

/// A reason longer than this is cut short in a table; the CSV has it whole.
const REASON: usize = 110;

/// How the verdicts come about, for a reader.
const HOW: &str = "A claim is `reproduced` where every cell agrees, `reproduced as far as measured` where some have no number \
    and all others agree, `not reproduced` where one \
    speaks against it by its interval, `unclear` where none does but some intervals do not tell, and `not \
    measured` where no cell has a number. `holds in`: of the cells that have a number, or of the rows of them \
    where the claim is about a trend; `worst`: the one that speaks most against it, or is nearest to it. Each \
    verdict leads to the table that shows the cells. METHODOLOGY.md says how each test works.";

/// The claims of a run with their verdicts; nothing where there are none. `link` knows the section that
/// shows a claim's table.
pub(crate) fn section_items(judged: &[Judged], link: impl Fn(&Claim) -> Option<Link>) -> Vec<Item> {
    if judged.is_empty() {
        return Vec::new();
    }
    let mut head = vec![
        "claim of the paper",
        "source",
        "verdict",
        "holds in",
        "worst",
    ];
    let several = on_devices(judged) && judged.iter().any(|one| one.device != judged[0].device);
    if several {
        head.insert(2, "device");
    }
    let mut grid = Grid::new(head);
    for one in judged {
        let claim = &one.claim;
        let mut text = Entry::word(&claim.text);
        if !claim.note.is_empty() {
            text = text.small(one_line(&claim.note));
        }
        let mut row = vec![text, Entry::word(&claim.source)];
        if several {
            row.push(Entry::word(place(&one.device)));
        }
        let mut verdict = verdict_entry(&one.finding);
        verdict.link = link(claim);
        row.push(verdict);
        row.push(holds_in(claim, &one.finding));
        row.push(Entry::word(one_line(&one.finding.worst)));
        grid.rows.push(row);
    }
    vec![
        Item::Heading("What the paper claims".to_owned()),
        Item::Table(grid),
        Item::Text(HOW.to_owned()),
    ]
}

/// A place for a reader.
pub(crate) fn place(device: &str) -> &str {
    match device {
        HOST => "processor",
        device if is_device(device) => device,
        _ => "–",
    }
}

/// The verdict in colour.
pub(crate) fn verdict_entry(finding: &Finding) -> Entry {
    let entry = Entry::word(finding.verdict.words());
    match finding.verdict {
        Verdict::Reproduced if finding.measured < finding.all => {
            Entry::word("reproduced as far as measured").tone(Tone::Few)
        }
        Verdict::Reproduced => entry.tone(Tone::Faster),
        Verdict::NotReproduced => entry.tone(Tone::Slower),
        Verdict::Unclear => entry.tone(Tone::Tie),
        Verdict::NotMeasured => entry
            .tone(Tone::Missing)
            .small(shortened(&finding.reason, REASON)),
    }
}

/// `6 of 7 cells`, and what a reader should know of the others.
fn holds_in(claim: &Claim, finding: &Finding) -> Entry {
    if finding.verdict == Verdict::NotMeasured {
        return Entry::missing("–");
    }
    let entry = Entry::word(held(claim, finding));
    let why = match finding.reason.is_empty() || finding.measured == finding.all {
        true => String::new(),
        false => format!("; {}", shortened(&finding.reason, REASON)),
    };
    let [missing, few] = caveats(finding);
    let entry = match missing {
        Some(missing) => entry.small(missing + &why),
        None => entry,
    };
    match few {
        Some(few) => entry.small(few),
        None => entry,
    }
}

/// How many cells or rows a verdict did not see, and how many of its cells have few samples.
pub(crate) fn caveats(finding: &Finding) -> [Option<String>; 2] {
    let missing = finding.all - finding.measured;
    let cells = if finding.few == 1 { "cell" } else { "cells" };
    [
        (missing > 0).then(|| format!("{missing} not measured")),
        (finding.few > 0).then(|| format!("{} {cells} of few samples", finding.few)),
    ]
}

/// `6 of 7 cells`.
pub(crate) fn held(claim: &Claim, finding: &Finding) -> String {
    let what = match (claim.test.along(), finding.measured) {
        (Some(_), 1) => "row",
        (Some(_), _) => "rows",
        (None, 1) => "cell",
        (None, _) => "cells",
    };
    format!("{} of {} {what}", finding.held, finding.measured)
}

/// The columns of [`record`].
pub(crate) const COLUMNS: [&str; 18] = [
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
pub(crate) fn record(one: &Judged) -> Vec<String> {
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
    csv.into_inner().map_err(|error| error.into_error().into())
}
