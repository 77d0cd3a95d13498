//! The results in the repository's pages: the README's block and the list of runs.

use std::path::Path;

use super::landing::{devices, finding, papers};
use super::runs::{Run, Runs, way_from_page};
use crate::report::document::dates;
use crate::report::grid::{Entry, Grid, Item};
use crate::report::markdown;
use crate::report::number::Unit;

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

/// The three numbers of each paper, the chart, and the tables of papers and of devices.
fn results(runs: &Runs, page: &Path, chart: Option<&Path>) -> Vec<Item> {
    const ALT: &str = "For each paper: its speedup, its program's speedup here, and our best GPU technique against our best CPU program";
    let way = |run: &Run| way_from_page(page, &run.data().folder);
    let mut items = vec![Item::Text(finding(runs, &way))];
    let chart = chart.map(|chart| way_from_page(page, chart));
    items.extend(chart.map(|way| Item::Text(format!("![{ALT}]({way})"))));
    let grids = [papers(runs, &way), devices(runs, &way)];
    items.extend(grids.map(|grid| Item::Table(plain(grid))));
    items
}

/// A table without details and marks, which the pages of the runs explain.
fn plain(mut grid: Grid) -> Grid {
    for entry in grid.rows.iter_mut().flatten() {
        entry.small.clear();
        entry.main = entry.main.trim_end_matches(['†', '‡', '§']).to_owned();
    }
    grid
}

fn list(runs: &Runs, page: &Path) -> Vec<Item> {
    let mut grid = Grid::new(["run", "machine", "samples", "measured", "revision"]);
    for run in &runs.all {
        let folder = way_from_page(page, &run.data().folder);
        let samples = Unit::Count.show(run.data().samples.len() as f64);
        let revision = Entry::word(&run.data().environment.program.revision);
        let [machine, dates] = [run.machine.clone(), dates(run.data())].map(Entry::word);
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
