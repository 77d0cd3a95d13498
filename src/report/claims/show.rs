//! Verdicts for readers and for programs.

use super::{Finding, Judged, Verdict};
use crate::config::Claim;
use crate::report::csv_table::Csv;
use crate::report::data::{HOST, is_device};
use crate::report::grid::{Entry, Grid, Item, Tone};
use crate::report::paper::{one_line, shortened};
use crate::report::series::grouped;
use crate::words::{Case, counted};

const REASON: usize = 110;

pub(crate) const HOW: &str = "Holds: every cell with a number agrees. Holds mostly: three quarters or more agree. Fails: \
    fewer agree, and the interval of at least one cell excludes the claim. Unclear: fewer agree, and no interval excludes it. \
    Cells of fewer than three passes have no interval and count for no claim. A claim \
    about a trend counts rows of cells. `tables/claims.csv` has every verdict with its test.";

/// The claims of a run with their verdicts; only the first device's are unfolded. `link` finds the section of a claim.
pub(crate) fn section_items(
    head: &str,
    judged: &[&Judged],
    link: impl Fn(&Claim) -> Option<String>,
) -> Vec<Item> {
    let on_device = judged.iter().find(|one| is_device(&one.device));
    let first = on_device.map_or("", |one| &one.device);
    let rows = judged.iter().map(|one| {
        // Claims about the host or the cases stand with the first device.
        let own = Some(one.device.as_str()).filter(|own| is_device(own));
        (own.unwrap_or(first), row(one, link(&one.claim)))
    });
    let shown = grouped(rows).into_iter().map(|(device, rows)| {
        let mut grid = Grid::new([head, "verdict"]);
        grid.rows = rows;
        match device == first {
            true => Item::Table(grid),
            false => Item::Folded(format!("On {device}"), vec![Item::Table(grid)]),
        }
    });
    shown.collect()
}

fn row(one: &Judged, link: Option<String>) -> Vec<Entry> {
    let (claim, finding) = (&one.claim, &one.finding);
    let reason = shortened(&finding.reason, REASON);
    let word = match finding.held == finding.measured {
        true => "Nearest to failing",
        false => "Furthest from it",
    };
    let worst = one_line(&finding.worst);
    let missing = finding.all - finding.measured;
    let mut more = vec![claim.source.clone()];
    let mut say = |is_so: bool, text: String| more.extend(is_so.then_some(text));
    say(!claim.note.is_empty(), one_line(&claim.note));
    say(!worst.is_empty(), format!("{word}: {worst}."));
    say(missing > 0, format!("{missing} not measured; {reason}."));
    let cells = counted(finding.few, "cell");
    say(finding.few > 0, format!("{cells} of few samples"));
    let rows = counted(finding.unequal, "row");
    let text = format!("in {rows} the cells rest on different numbers of positions");
    say(finding.unequal > 0, text);
    let title = match finding.measured - finding.held {
        0 => "source",
        1 => "source, and the one that differs",
        _ => "source, and where it differs most",
    };
    let verdict = verdict_entry(claim, finding);
    let claim = Entry::word(&claim.text).fold(title, more);
    vec![claim, Entry { link, ..verdict }]
}

pub(crate) fn place(device: &str) -> &str {
    match device {
        HOST => "processor",
        device if is_device(device) => device,
        _ => "–",
    }
}

/// The verdict in colour with its counts: `holds mostly (24 of 27 cells agree)`.
fn verdict_entry(claim: &Claim, finding: &Finding) -> Entry {
    let words = finding.verdict.word();
    let missing = Entry::word(words).tone(Tone::Missing);
    let tone = match finding.verdict {
        Verdict::Holds if finding.measured < finding.all => Tone::Few,
        Verdict::Holds => Tone::Faster,
        Verdict::Mostly => Tone::Tie,
        Verdict::Fails => Tone::Slower,
        Verdict::Unclear => Tone::Few,
        Verdict::NotJudged => return missing.small("the device is a CPU"),
        Verdict::NotMeasured => return missing.small(shortened(&finding.reason, REASON)),
    };
    let what = claim.test.along().map_or("cell", |_| "row");
    let all = counted(finding.measured, what);
    let entry = Entry::word(format!("{words} ({} of {all} agree)", finding.held)).tone(tone);
    match finding.leaning {
        0 => entry,
        more => entry.small(format!("{more} more agree without an interval")),
    }
}

pub(crate) fn reproduced<'a>(judged: impl Iterator<Item = &'a Judged>) -> (usize, usize) {
    judged.fold((0, 0), |(held, all), one| match one.finding.verdict {
        Verdict::NotMeasured | Verdict::NotJudged => (held, all),
        Verdict::Holds | Verdict::Mostly => (held + 1, all + 1),
        Verdict::Fails | Verdict::Unclear => (held, all + 1),
    })
}

pub(crate) fn csv(judged: &[Judged]) -> Result<Vec<u8>, csv::Error> {
    const COLUMNS: &str = "experiment,id,device,verdict,held,measured,all,counted,few_samples,worst,reason,quantity,\
        technique,baseline,test,source,table,text";
    let mut csv = Csv::new(&[], COLUMNS)?;
    for own in judged {
        let (claim, finding) = (&own.claim, &own.finding);
        let counted = claim.test.along().map_or("cells", |_| "rows").to_owned();
        let verdict = finding.verdict.word().to_owned();
        let label = |label: &Option<String>| label.clone().unwrap_or_default();
        let mut record = [&claim.experiment, &claim.id, &own.device]
            .map(String::clone)
            .to_vec();
        record.push(verdict);
        record.extend([finding.held, finding.measured, finding.all].map(|count| count.to_string()));
        record.extend([counted, finding.few.to_string()]);
        record.extend([&finding.worst, &finding.reason].map(|text| one_line(text)));
        record.extend([claim.quantity.to_string(), label(&claim.technique)]);
        record.extend([label(&claim.baseline), claim.test.to_string()]);
        record.extend([&claim.source, &claim.table, &claim.text].map(String::clone));
        csv.line(&Case::default(), record)?;
    }
    csv.finish()
}
