//! Judges each claim of a paper on each device from the run's rows. Shows the verdicts as a table and as CSV.

mod judge;
#[cfg(test)]
mod tests;

use serde::{Serialize, Serializer};

use super::block::{Block, BlockCell};
use super::data::{HOST, Index, Place, grouped, is_device};
use super::format::{one_line, shortened};
use super::grid::{Entry, Grid, Item, Tone};
use super::known::plain;
use super::published::{self, PublishedTable};
use super::table;
use super::{figure, matches};
use crate::config::{Claim, ClaimTest, Claims, Quantity};
use crate::words::{Case, Task, counted, worded};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// Every measured cell agrees.
    Holds,
    /// At least three quarters agree.
    Mostly,
    /// Fewer cells agree, and at least one interval contradicts the claim.
    Fails,
    /// Fewer cells agree, and no interval contradicts the claim.
    Unclear,
    /// No cell of the claim has a number.
    #[default]
    NotMeasured,
    /// The claim is about GPUs but was measured on a CPU.
    NotJudged,
}

worded! { Verdict {
    Holds "holds" Mostly "holds mostly" Fails "fails" Unclear "unclear" NotMeasured "not measured" NotJudged "not judged"
} }

/// A verdict with its counts of cells. For a claim about a trend, it counts rows of cells along an axis instead.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Finding {
    pub verdict: Verdict,
    pub held: usize,
    /// Number of additional cells whose value agrees but has no interval.
    pub leaning: usize,
    pub measured: usize,
    pub all: usize,
    /// Number of cells whose interval is only a hint, because they have few samples.
    pub few: usize,
    /// Describes the cell that contradicts the claim most, or comes closest to doing so. Empty if no cell has a number.
    pub worst: String,
    /// The reason for the first missing number. Empty if all cells have numbers.
    pub reason: String,
}

impl Finding {
    fn not_measured(all: usize, reason: impl Into<String>) -> Self {
        Finding {
            all,
            reason: reason.into(),
            ..Finding::default()
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Judged {
    #[serde(serialize_with = "id")]
    pub claim: Claim,
    /// The label of a device or the host. Empty if the run ended before the device was known.
    pub device: String,
    pub finding: Finding,
}

fn id<S: Serializer>(claim: &Claim, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&claim.id)
}

/// Judges the paper's claims about the run's experiment. Adds faults in the file with the claims to `warnings`.
pub(crate) fn judge(index: &Index<'_>, warnings: &mut Vec<String>) -> Vec<Judged> {
    let data = index.data;
    let name = Claims::file_of(&data.experiment.game);
    let parse = |text: &str, source: &str| Ok(Claims::parse(text, source));
    let Some(claims) = published::read(&data.folder, &name, warnings, parse) else {
        return Vec::new();
    };
    warnings.extend(claims.mistakes.iter().map(ToString::to_string));
    let claims = claims.claims.iter();
    let mut judged = Vec::new();
    for claim in claims.filter(|claim| claim.experiment == data.experiment.name) {
        let technique = claim.technique.as_deref();
        // A fact about the cases is the same on every device.
        let devices = technique.map_or(vec![HOST], |label| index.places(label));
        let technique = technique.unwrap_or_default();
        judged.extend(devices.into_iter().map(|device| {
            let mut finding = finding(index, claim, &Place { technique, device });
            // Measurements on a CPU say nothing about GPUs.
            if data.is_cpu(device) {
                finding.verdict = Verdict::NotJudged;
            }
            Judged {
                finding,
                device: device.to_owned(),
                claim: claim.clone(),
            }
        }));
    }
    judged
}

/// Compares a block with the paper's numbers, in the same way as a claim with the test `published`.
pub(crate) fn of_block(block: &Block, within: f64) -> Finding {
    let mut cells: Vec<BlockCell> = block.cells.concat();
    cells.retain(is_published);
    judge::find(&ClaimTest::Published { within }, &cells)
}

fn is_published(cell: &BlockCell) -> bool {
    cell.paper().is_some_and(|value| value > 0.0)
}

fn finding(index: &Index<'_>, claim: &Claim, place: &Place<'_>) -> Finding {
    let mut cells = cells(index, claim, place);
    let all = cells.len();
    let found = match claim.test {
        _ if all == 0 => Err("the claim covers no case in this run's experiment".to_owned()),
        ClaimTest::Published { .. } => find_published(index, claim, &mut cells),
        _ => Ok(()),
    };
    match found {
        Ok(()) => judge::find(&claim.test, &cells),
        Err(reason) => Finding::not_measured(all, reason),
    }
}

fn cells(index: &Index<'_>, claim: &Claim, place: &Place<'_>) -> Vec<BlockCell> {
    let data = index.data;
    let measure = (&claim.quantity, claim.baseline.as_deref());
    let cell = |case, figure| BlockCell::new(index, measure, place, case, figure);
    let mut cases = data.experiment.cases.clone();
    cases.retain(|case| claim.is_about(case));
    if let Quantity::Fact(name) = &claim.quantity {
        let facts = data.facts.iter().filter(|fact| fact.fact == *name);
        let facts = facts.filter_map(|fact| {
            let about = Case::parse(&fact.case)?;
            let at = cases.iter().position(|case| case.agrees(&about))?;
            Some((at, cell(about, Ok(plain(fact.value)))))
        });
        // A filtered run writes facts in another order than the experiment.
        let mut facts: Vec<_> = facts.collect();
        facts.sort_by_key(|(at, _)| *at);
        return facts.into_iter().map(|(_, cell)| cell).collect();
    }
    let choice = data.experiment.choice(place.technique);
    cases.retain(|case| choice.is_some_and(|own| own.takes(case)));
    // In a match, the baseline is the opponent, which has no row.
    let opponent = matches::opponent(index, place.technique);
    let is_paired =
        data.experiment.task == Task::Match && measure == (&Quantity::Speedup, Some(opponent));
    let figure = |case: &Case| match index.row(&case.to_string(), place.technique, place.device) {
        Some(row) if is_paired => figure::over_opponent(index, row),
        _ => figure::measured(index, measure, case, place),
    };
    let cells = cases.iter().map(|case| cell(case.clone(), figure(case)));
    cells.collect()
}

/// Adds the paper's number to each cell. Drops the cells for which the paper has no number.
fn find_published(
    index: &Index<'_>,
    claim: &Claim,
    cells: &mut Vec<BlockCell>,
) -> Result<(), String> {
    let experiment = &index.data.experiment;
    let table = &claim.table;
    let none = || format!("{table} of this run's experiment has no published numbers");
    let (files, like) = experiment.published_of(table).ok_or_else(none)?;
    let labels = [claim.technique.as_deref(), claim.baseline.as_deref()];
    if let (Some(like), Some(own)) = (like, labels[1])
        && like != own
    {
        return Err(format!("the paper's numbers are ratios over {like}"));
    }
    let table = |name: &String| PublishedTable::find(&index.data.folder, name);
    let tables = files.iter().map(table).collect::<Result<Vec<_>, _>>()?;
    for cell in cells.iter_mut() {
        cell.published = published::find(&tables, experiment, &claim.quantity, labels, &cell.case);
    }
    cells.retain(is_published);
    let none = || "the paper has no number for these cells".to_owned();
    (!cells.is_empty()).then_some(()).ok_or_else(none)
}

const REASON: usize = 110;

pub(crate) const HOW: &str = "A claim holds if every cell with a number agrees, and holds mostly if at least three quarters \
    agree. Otherwise, it fails if the interval of at least one cell excludes the claim, and is unclear if no interval does. \
    Cells with fewer than three passes have no interval and never count as agreeing. For a claim about a trend, rows of cells \
    are counted. `tables/claims.csv` has every verdict with its test.";

/// Lists the claims with their verdicts, folded except for the first device. `link` finds the section of a claim.
pub(crate) fn section_items(
    head: &str,
    judged: &[&Judged],
    link: impl Fn(&Claim) -> Option<String>,
) -> Vec<Item> {
    let on_device = judged.iter().find(|one| is_device(&one.device));
    let first = on_device.map_or("", |one| &one.device);
    let rows = judged.iter().map(|one| {
        // Claims about the host or about the cases are listed with the first device.
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
    let word = match finding.held == finding.measured {
        true => "Closest to failing",
        false => "Furthest from the claim",
    };
    let [note, worst] = [&claim.note, &finding.worst].map(|text| one_line(text));
    let reason = shortened(&finding.reason, REASON);
    let missing = finding.all - finding.measured;
    let few = counted(finding.few, "cell");
    let lines = [
        (true, claim.source.clone()),
        (!note.is_empty(), note),
        (!worst.is_empty(), format!("{word}: {worst}.")),
        (missing > 0, format!("{missing} not measured; {reason}.")),
        (finding.few > 0, format!("{few} with few samples")),
    ];
    let lines = lines.into_iter().filter(|(is_shown, _)| *is_shown);
    let is_agreed = finding.measured == finding.held;
    let title = ["source and largest exception", "source"][usize::from(is_agreed)];
    let verdict = verdict_entry(claim, finding);
    let claim = Entry::word(&claim.text).fold(title, lines.map(|(_, text)| text).collect());
    vec![claim, Entry { link, ..verdict }]
}

/// Shows the verdict in colour, with its counts: `holds mostly (24 of 27 cells agree)`.
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

pub(crate) fn csv(judged: &[Judged]) -> Vec<u8> {
    const COLUMNS: &str = "experiment,id,device,verdict,held,measured,all,counted,few_samples,worst,reason,quantity,\
        technique,baseline,test,source,table,text";
    let lines = judged.iter().map(|own| {
        let (claim, finding) = (&own.claim, &own.finding);
        let names = [&claim.experiment, &claim.id, &own.device];
        let mut line = names.map(String::clone).to_vec();
        line.push(finding.verdict.to_string());
        line.extend([finding.held, finding.measured, finding.all].map(|count| count.to_string()));
        line.push(claim.test.along().map_or("cells", |_| "rows").to_owned());
        line.push(finding.few.to_string());
        line.extend([&finding.worst, &finding.reason].map(|text| one_line(text)));
        line.push(claim.quantity.to_string());
        line.extend([&claim.technique, &claim.baseline].map(|own| own.clone().unwrap_or_default()));
        line.push(claim.test.to_string());
        line.extend([&claim.source, &claim.table, &claim.text].map(String::clone));
        (Case::default(), line)
    });
    table::csv(&[], COLUMNS, lines)
}
