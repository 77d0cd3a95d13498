//! The results in the repository's pages: the README's block and the list of runs.

use std::path::Path;

use super::landing::{finding, judged};
use super::runs::{Paper, Runs, way_from_page};
use crate::report::claims;
use crate::report::data::Origin;
use crate::report::document::dates;
use crate::report::grid::{Entry, Grid, Item};
use crate::report::known::STAND_IN;
use crate::report::ladder::Ladder;
use crate::report::markdown;
use crate::report::number::Unit;
use crate::words::Task;

type Marks = [&'static str; 2];

const RESULTS: Marks = ["<!-- reports:begin -->", "<!-- reports:end -->"];
const LIST: Marks = ["<!-- runs:begin -->", "<!-- runs:end -->"];

/// The page with its marked parts replaced. The error is one line.
pub(super) fn into(page: &Path, runs: &Runs, chart: Option<&Path>) -> Result<String, String> {
    let shown = page.display();
    let wrong = |problem| format!("--insert {shown}: {problem}");
    let text = crate::words::read_text(page);
    let mut text = text.map_err(|error| wrong(format!("cannot be read: {error}")))?;
    if !text.contains(LIST[0]) || text.contains(RESULTS[0]) {
        let items = results(runs, page, chart);
        text = between(&text, RESULTS, &markdown::part(&items)).map_err(wrong)?;
    }
    if text.contains(LIST[0]) {
        let items = list(runs, page);
        text = between(&text, LIST, &markdown::part(&items)).map_err(wrong)?;
    }
    Ok(text)
}

fn between(text: &str, [begin, end]: Marks, block: &str) -> Result<String, String> {
    let missing = |mark: &str| format!("has no line {mark}");
    let (before, rest) = text.split_once(begin).ok_or_else(|| missing(begin))?;
    let (_, after) = rest.split_once(end).ok_or_else(|| missing(end))?;
    if after.contains(begin) || after.contains(end) {
        return Err(format!("has more than one {begin} or {end}"));
    }
    Ok(format!("{before}{begin}\n{block}\n{end}{after}"))
}

/// The finding, the chart, the table of papers and the table of devices.
fn results(runs: &Runs, page: &Path, chart: Option<&Path>) -> Vec<Item> {
    const ALT: &str =
        "Speed-ups as published, as published on this GPU, and over the best CPU programs";
    let mut items = vec![Item::Text(finding(runs))];
    let chart = chart.map(|chart| way_from_page(page, chart));
    items.extend(chart.map(|way| Item::Text(format!("![{ALT}]({way})"))));
    items.push(Item::Table(papers(runs, page)));
    let ours = runs.papers().into_iter().filter_map(|paper| {
        let programs = paper.ladder?.stand_in()?;
        Some(format!("{}: {programs}", paper.question.game))
    });
    let ours: Vec<String> = ours.collect();
    if !ours.is_empty() {
        items.push(Item::Text(format!("{STAND_IN} {}.", ours.join("; "))));
    }
    items.push(Item::Table(devices(runs)));
    // Below both tables, which share the marks.
    items.extend(Item::few(&items));
    items
}

fn papers(runs: &Runs, page: &Path) -> Grid {
    let mut grid = Grid::new([
        "game and case",
        "paper's ratio",
        "as published, here",
        "over best one core",
        "over best CPU",
        "rate or time",
        "claims that hold",
    ]);
    for paper in runs.papers() {
        let (run, Some(ladder)) = (paper.run, paper.ladder) else {
            continue;
        };
        let (held, all) = claims::reproduced(judged(runs, run).into_iter());
        let claims = Entry::number(format!("{held} of {all}"));
        let steps = [0, 1, 3, 4].map(|step| ladder.step(step));
        let rest = steps.into_iter().chain([ladder.rate.clone(), claims]);
        let rest = rest.map(|entry| Entry {
            small: Vec::new(),
            ..entry
        });
        let folder = way_from_page(page, &run.data.folder);
        grid.row(Entry::word(paper.title()).link(folder), rest);
    }
    grid
}

/// One row per device: rates, and drivers and dates of their runs.
fn devices(runs: &Runs) -> Grid {
    let mut papers = runs.papers();
    // Games per second compare at a glance.
    papers.sort_by_key(|paper| paper.run.data.experiment.task != Task::Playouts);
    let mut head = vec!["device".to_owned()];
    head.extend(papers.iter().map(Paper::title));
    head.extend(["driver", "measured"].map(str::to_owned));
    let mut grid = Grid::new(head);
    for (run, device) in runs.places() {
        let rate = |paper: &Paper<'_>| runs.ladder(paper, &run.machine, device);
        let rates: Vec<Option<&Ladder>> = papers.iter().map(rate).collect();
        let mut origin = Origin::default();
        for ladder in rates.iter().flatten() {
            origin.add(&ladder.origin);
        }
        let drivers: Vec<&str> = origin.drivers.iter().map(String::as_str).collect();
        let drivers = match drivers.join(", ") {
            none if none.is_empty() => "–".to_owned(),
            drivers => drivers,
        };
        let shown = rates.iter().map(|own| match own {
            Some(own) => Entry::number(&own.rate.main),
            None => Entry::missing("–"),
        });
        let ends = [drivers, origin.dates()].map(Entry::word);
        grid.row(Entry::word(run.device_title(device)), shown.chain(ends));
    }
    grid
}

fn list(runs: &Runs, page: &Path) -> Vec<Item> {
    let mut grid = Grid::new(["run", "machine", "samples", "measured", "revision"]);
    for run in &runs.all {
        let folder = way_from_page(page, &run.data.folder);
        let samples = Unit::Count.show(run.data.samples.len() as f64);
        let revision = Entry::word(&run.data.environment.program.revision);
        let [machine, dates] = [run.machine.clone(), dates(&run.data)].map(Entry::word);
        let rest = [machine, Entry::number(samples), dates, revision];
        grid.row(Entry::word(run.title()).link(folder), rest);
    }
    vec![Item::Table(grid)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_marks_is_refused() {
        let [begin, end] = RESULTS;
        let expected = format!("has no line {begin}");
        assert_eq!(between("x", RESULTS, "y").unwrap_err(), expected);
        let found = between(&format!("{end} {begin}"), RESULTS, "y").unwrap_err();
        assert_eq!(found, format!("has no line {end}"));
        let twice = format!("{begin}{end}{begin}{end}");
        assert!(
            between(&twice, RESULTS, "y")
                .unwrap_err()
                .contains("more than one")
        );
    }
}
