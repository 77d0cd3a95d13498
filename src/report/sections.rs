//! Sections of every report: time breakdown, missing cells, warnings.

use super::analysis::Analysis;
use super::block::slug;
use super::chart::DrawError;
use super::chart::shares::{self, Split};
use super::data::{HOST, Place, is_device};
use super::grid::{Chart, Entry, Grid, Item, Section, Tone, section};
use super::known::Missing;
use super::names;
use super::paper::one_line;
use super::series::{distinct, grouped};
use crate::config::Experiment;
use crate::results::{DeviceRecord, Environment};
use crate::words::{Status, Timer};

pub(crate) fn time(analysis: &Analysis) -> Result<Section, DrawError> {
    const HOW: &str = "Shares of the sum of the parts' medians, from the device's event timestamps. `queue`: \
        enqueued but not yet started. `host`: the rest, the host's part of the search included. \
        Cells whose timestamps are not reliable are left out; Environment says why. `measurements.csv` has the numbers.";
    const NONE: &str =
        "No device technique has an answer in this run; on the host all time is the host's.";
    let splits = analysis.cells.iter().filter_map(|cell| {
        let parts = cell.measured.as_ref()?.parts?;
        let sum = parts.iter().sum::<u64>() as f64;
        let split = Split {
            case: names::case(&cell.case),
            median_ns: cell.row.as_ref()?.median_ns.unwrap_or_default(),
            shares: parts.map(|part| part as f64 / sum),
        };
        Some((cell.place(), split))
    });
    let groups = grouped(splits);
    let mut items = Vec::new();
    for (Place { technique, device }, splits) in &groups {
        let title = format!("Where the time of {technique} goes, on {device}");
        let id = slug(&format!("time-{technique}-{device}"));
        let draw = |whole| shares::draw(&title, splits, whole).map(Some);
        items.extend(Item::chart(id, &title, draw)?);
    }
    let how = if groups.is_empty() { NONE } else { HOW };
    items.push(Item::Text(how.to_owned()));
    Ok(section("time", "Where the time goes", items))
}

pub(crate) fn missing_cells(analysis: &Analysis) -> Section {
    let cells = analysis.planned().filter_map(|cell| {
        let reason = match &cell.row {
            Some(row) if row.status == Status::Ok => return None,
            Some(row) => Missing::of_row(row),
            None => Missing::NOT_MEASURED,
        };
        let fault = cell.row.as_ref().is_some_and(|row| is_fault(row.status));
        Some(((cell.place(), reason, fault), names::case(&cell.case)))
    });
    let mut groups = grouped(cells);
    // Faults first; within a kind, in the order of the run.
    groups.sort_by_key(|((_, reason, fault), _)| (!*fault, reason.gap.word()));
    let mut grid = Grid::new(["status", "technique", "device", "cases", "why"]);
    for ((place, reason, fault), cases) in &groups {
        let tone = if *fault { Tone::Bad } else { Tone::Missing };
        let is_known = place.device == HOST || is_device(place.device);
        let device = if is_known { place.device } else { "–" };
        let (cases, why) = (cases.join("; "), one_line(&reason.reason));
        let rest = [place.technique, device, &cases, &why].map(Entry::word);
        grid.row(Entry::word(reason.gap.word()).tone(tone), rest);
    }
    let total: usize = groups.iter().map(|(_, cases)| cases.len()).sum();
    let items = match total {
        0 => vec![Item::Text(
            "Every cell of the run has an answer.".to_owned(),
        )],
        _ => vec![
            Item::Text(format!("{total} cells have no number.")),
            Item::Table(grid),
        ],
    };
    section("missing", "Cells without a number", items)
}

pub(super) fn is_fault(status: Status) -> bool {
    !matches!(
        status,
        Status::Ok | Status::Skipped | Status::Unsupported | Status::Memory
    )
}

/// Warnings of the host, early ends of sampling, and faults of the folder or the paper's files.
pub(crate) fn warnings(analysis: &Analysis) -> Section {
    let mut said = Vec::new();
    for cell in analysis.planned() {
        let Some(row) = &cell.row else { continue };
        let unmet = Some(row.why().to_string());
        let unmet = unmet.filter(|it| row.status == Status::Ok && !it.is_empty());
        let warned = row.warned().into_iter().map(|it| it.to_string());
        let sentence = |it: String| format!("{}: {}", cell.technique, one_line(&it));
        said.extend(warned.chain(unmet).map(sentence));
    }
    let data = &analysis.data;
    let mut lines = [&analysis.warnings[..], &data.warnings].concat();
    lines.extend(data.findings.iter().map(|own| own.within().to_string()));
    let untrusted = |device: &DeviceRecord| match &device.timer {
        Timer::Untrusted(why) => Some(format!("{}: timer: {why}", device.label)),
        _ => None,
    };
    lines.extend(data.environment.devices.iter().filter_map(untrusted));
    lines.extend(collapsed(said));
    let item = match lines.is_empty() {
        true => Item::Text("None.".to_owned()),
        false => Item::List(lines),
    };
    section("warnings", "Warnings", [item])
}

/// One sentence per build that leaves features of its host's processor unused.
pub(crate) fn weak_builds(environment: &Environment) -> Vec<String> {
    let invocations = environment.invocations.iter();
    let unused = distinct(invocations.map(|own| own.program.compiled_without.as_str()));
    let unused = unused.into_iter().filter(|own| !own.is_empty());
    let lines = unused.map(|own| {
        format!(
            "**Warning:** this build leaves {} instruction sets of the processor unused (see Environment): its CPU programs \
             may be too slow.",
            own.split(',').count()
        )
    });
    lines.collect()
}

/// A sentence without its first percentage, and the percentage.
fn divided(mut sentence: String) -> (String, Option<String>) {
    let Some(end) = sentence.find(" %") else {
        return (sentence, None);
    };
    let start = sentence[..end].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let percent = sentence.drain(start.len()..end).collect();
    (sentence, Some(percent))
}

/// Each sentence once, with the range of its percentages and the number of cells.
fn collapsed(said: Vec<String>) -> impl Iterator<Item = String> {
    let said: Vec<(String, Option<String>)> = said.into_iter().map(divided).collect();
    grouped(said).into_iter().map(|(sentence, percents)| {
        let value = |it: &&String| it.parse::<f64>().unwrap_or_default();
        let mut sorted: Vec<&String> = percents.iter().flatten().collect();
        sorted.sort_by(|one, other| value(one).total_cmp(&value(other)));
        let percent = match sorted[..] {
            [low, .., high] if low != high => format!("{low}–{high} %"),
            [one, ..] => format!("{one} %"),
            [] => String::new(),
        };
        let sentence = sentence.replacen(" %", &percent, 1);
        match percents.len() {
            1 => sentence,
            cells => format!("{sentence} ({cells} cells)"),
        }
    })
}

const TECHNIQUE: &str = "pv-split-as-published";
macro_rules! picture {
    ($id:literal) => {
        (
            $id,
            include_str!(concat!("../../reports/pictures/reversi/", $id, ".svg")),
            include_str!(concat!(
                "../../reports/pictures/reversi/",
                $id,
                "-narrow.svg"
            )),
        )
    };
}
/// Each for a screen and for a phone.
const PICTURES: [(&str, &str, &str); 2] = [picture!("two-levels"), picture!("squares")];

/// Pictures of how a technique works, drawn by `cargo run --example picture` from the technique itself.
pub(crate) fn pictures(experiment: &Experiment) -> Option<Section> {
    let mut choices = experiment.techniques.iter();
    let is_there = choices.any(|choice| choice.technique == TECHNIQUE);
    let items = PICTURES.map(|(id, svg, narrow)| {
        let title = svg.split_once("<title>");
        let title = title.and_then(|(_, rest)| rest.split_once("</title>"));
        Item::Chart(Chart {
            id: id.to_owned(),
            title: title.map_or(id, |(title, _)| title).to_owned(),
            svg: svg.to_owned(),
            narrow: narrow.to_owned(),
        })
    });
    is_there.then(|| section("pictures", "How the paper's device program works", items))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Warning;

    fn said(warnings: &[Warning]) -> Vec<String> {
        let said = warnings.iter().map(|own| format!("a: {own}"));
        collapsed(said.collect()).collect()
    }

    #[test]
    fn percentages_become_a_range() {
        let all = [0.91, 0.89, 0.93].map(Warning::Busy);
        let busy = "busy host: other programs took";
        let rest = "% of the processor (stop them)";
        assert_eq!(said(&all), [format!("a: {busy} 89–93 {rest} (3 cells)")]);
        let like = [0.914, 0.906].map(Warning::Busy);
        assert_eq!(said(&like), [format!("a: {busy} 91 {rest} (2 cells)")]);
        assert_eq!(said(&all[..1]), [format!("a: {busy} 91 {rest}")]);
    }

    #[test]
    fn other_numbers_keep_warnings_apart() {
        let all = [Warning::Quota(1.5, 2), Warning::Quota(1.6, 2)];
        assert_eq!(said(&all).len(), 2);
    }
}
