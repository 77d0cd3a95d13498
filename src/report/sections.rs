//! Sections of every report: time breakdown, missing cells, variation, warnings.

use super::block::slug;
use super::chart::DrawError;
use super::chart::shares::{self, Split};
use super::data::{HOST, Index, Place, is_device};
use super::figure;
use super::grid::{Entry, Grid, Item, Section, Tone, section};
use super::known::Missing;
use super::names;
use super::number::percent;
use super::paper::one_line;
use super::series::{distinct, grouped};
use crate::results::Environment;
use crate::stats::levels::{Levels, has_two_modes};
use crate::stats::passes::medians;
use crate::words::{Percent, Status, Task, Timer};

pub(crate) fn time(index: &Index<'_>) -> Result<Section, DrawError> {
    const HOW: &str = "Shares of the sum of the parts' medians, from the device's event timestamps. `queue`: \
        enqueued but not yet started. `host`: the rest, the host's part of the search included. \
        Cells whose timestamps are not reliable are left out; Environment says why. `measurements.csv` has the numbers.";
    const NONE: &str =
        "No device technique has an answer in this run; on the host all time is the host's.";
    let splits = index.cells().filter_map(|(case, place, row)| {
        let parts = figure::parts(row?)?;
        let sum = parts.iter().sum::<u64>() as f64;
        let split = Split {
            case: names::case(case),
            median_ns: row?.median_ns.unwrap_or_default(),
            shares: parts.map(|part| part as f64 / sum),
        };
        Some((place, split))
    });
    let groups = grouped(splits);
    let how = if groups.is_empty() { NONE } else { HOW };
    let mut items = Vec::new();
    for (Place { technique, device }, splits) in groups {
        let title = format!("Where the time of {technique} goes, on {device}");
        let id = slug(&format!("time-{technique}-{device}"));
        let svg = shares::draw(&title, &splits)?;
        items.push(Item::chart(id, title, svg));
    }
    items.push(Item::Text(how.to_owned()));
    Ok(section("time", "Where the time goes", items))
}

pub(crate) fn missing_cells(index: &Index<'_>) -> Section {
    const TITLE: &str = "Cells without a number";
    let cells = index.cells().filter_map(|(case, place, row)| {
        let reason = match row {
            Some(row) if row.status == Status::Ok => return None,
            Some(row) => Missing::of_row(row),
            None => Missing::NOT_MEASURED,
        };
        let fault = row.is_some_and(|row| is_fault(row.status));
        Some(((place, reason, fault), case))
    });
    let mut groups = grouped(cells);
    let total: usize = groups.iter().map(|(_, cases)| cases.len()).sum();
    if total == 0 {
        let text = "Every cell of the run has an answer.".to_owned();
        return section("missing", TITLE, [Item::Text(text)]);
    }
    // Faults first; within a kind, in the order of the run.
    groups.sort_by_key(|((_, reason, fault), _)| (!*fault, reason.gap.word()));
    let mut grid = Grid::new(["status", "technique", "device", "cases", "why"]);
    for ((place, reason, fault), cases) in &groups {
        let tone = if *fault { Tone::Bad } else { Tone::Missing };
        let cases: Vec<String> = cases.iter().map(|case| names::case(case)).collect();
        let is_known = place.device == HOST || is_device(place.device);
        let device = if is_known { place.device } else { "–" };
        let (cases, why) = (cases.join("; "), one_line(&reason.reason));
        let rest = [place.technique, device, &cases, &why].map(Entry::word);
        grid.row(Entry::word(reason.gap.word()).tone(tone), rest);
    }
    let text = format!("{total} cells have no number.");
    section("missing", TITLE, [Item::Text(text), Item::Table(grid)])
}

pub(super) fn is_fault(status: Status) -> bool {
    !matches!(
        status,
        Status::Ok | Status::Skipped | Status::Unsupported | Status::Memory
    )
}

/// Variance components per technique on a device, and cases whose passes have two modes. `None` without several passes.
pub(crate) fn variation(index: &Index<'_>) -> Option<Section> {
    const HOW: &str = "The variance of the logarithm of a sample's time, by level, pooled over the cases. Intervals are \
        made from passes, so they hold what varies within and between passes. What varies between invocations \
        of the program is in no interval: compare runs of one invocation. `two modes`: the number of cases whose passes fall into two \
        groups far apart.";
    if index.data.experiment.task == Task::Match {
        return None;
    }
    let mut grid = Grid::new([
        "technique",
        "device",
        "one sample",
        "within a pass",
        "between passes",
        "between invocations",
        "two modes",
    ]);
    let cells = index.cells();
    let cells = cells.filter_map(|(_, place, row)| Some((place, index.passes(row?))));
    for (Place { technique, device }, cells) in grouped(cells) {
        let modes = cells.iter().filter(|cell| {
            let passes = cell.iter().map(|(_, costs)| costs.clone());
            has_two_modes(&medians(&passes.collect::<Vec<_>>()))
        });
        let modes = format!("{} of {} cases", modes.count(), cells.len());
        let levels = cells.iter().filter_map(|cell| {
            let passes = cell.iter().map(|((invocation, _), costs)| {
                let costs = costs.iter().map(|cost| *cost as f64);
                (invocation, costs.collect::<Vec<f64>>())
            });
            let by_invocation = grouped(passes).into_iter().map(|(_, own)| own);
            Levels::of(&by_invocation.collect::<Vec<_>>())
        });
        let levels: Vec<Levels> = levels.collect();
        let count = levels.len() as f64;
        let mean = |of: fn(&Levels) -> f64| levels.iter().map(of).sum::<f64>() / count.max(1.0);
        let all = Levels {
            within: mean(|own| own.within),
            passes: mean(|own| own.passes),
            invocations: mean(|own| own.invocations),
        };
        let Some(shares) = all.shares() else { continue };
        let of_sample = (all.within + all.passes + all.invocations).sqrt();
        let of_sample = format!("±{}", percent(of_sample));
        let shares = shares.map(|share| Entry::number(percent(share)));
        let before = [Entry::word(device), Entry::number(of_sample)];
        let rest = before.into_iter().chain(shares).chain([Entry::word(modes)]);
        grid.row(Entry::word(technique), rest);
    }
    let is_empty = grid.rows.is_empty();
    let items = [Item::Text(HOW.to_owned()), Item::Table(grid)];
    (!is_empty).then(|| section("variation", "What varies", items))
}

/// Warnings of the host, early ends of sampling, and faults of the folder or the paper's files.
pub(crate) fn warnings(index: &Index<'_>, of_report: &[String]) -> Section {
    let mut said = Vec::new();
    for (_, place, row) in index.cells() {
        let Some(row) = row else { continue };
        let mut say = |percent, sentence: String| {
            let sentence = format!("{}: {}", place.technique, one_line(&sentence));
            said.push((sentence, percent));
        };
        for warning in row.warned() {
            say(warning.percent(), warning.with(PERCENT));
        }
        if row.status == Status::Ok && !row.reason.is_empty() {
            say(row.why().percent(), row.why().with(PERCENT));
        }
    }
    let mut lines = [of_report, &index.data.warnings].concat();
    let findings = index.data.findings.iter();
    lines.extend(findings.map(|finding| finding.within().to_string()));
    for device in &index.data.environment.devices {
        if let Timer::Untrusted(why) = &device.timer {
            lines.push(format!("{}: timer: {why}", device.label));
        }
    }
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
    let mut unused = distinct(invocations.map(|own| own.program.compiled_without.as_str()));
    unused.retain(|own| !own.is_empty());
    let line = |unused: &str| {
        format!(
            "**Warning:** this build leaves {} instruction sets of the processor unused (see Environment): its CPU programs \
             may be too slow.",
            unused.split(',').count()
        )
    };
    unused.into_iter().map(line).collect()
}

const PERCENT: &str = "\0";

/// Each sentence once, with the range of its percentages and the number of cells.
fn collapsed(said: Vec<(String, Option<Percent>)>) -> impl Iterator<Item = String> {
    grouped(said).into_iter().map(|(sentence, percents)| {
        let known = || percents.iter().flatten();
        let by_value = |a: &&Percent, b: &&Percent| a.value.total_cmp(&b.value);
        let ends = known().min_by(by_value).zip(known().max_by(by_value));
        let percent = match ends.map(|(low, high)| [low, high].map(Percent::to_string)) {
            Some([low, high]) if low != high => format!("{low}–{high}"),
            Some([one, _]) => one,
            None => String::new(),
        };
        let sentence = sentence.replace(PERCENT, &percent);
        match percents.len() {
            1 => sentence,
            cells => format!("{sentence} ({cells} cells)"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Warning;

    fn said(warnings: &[Warning]) -> Vec<String> {
        let said = warnings.iter();
        let said = said.map(|own| (format!("a: {}", own.with(PERCENT)), own.percent()));
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
