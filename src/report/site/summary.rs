//! The results in the repository's own pages: the README's block and the list of runs.

use std::path::Path;

use super::landing::{finding, judged};
use super::runs::{Paper, Runs, way_from_page};
use crate::report::claims;
use crate::report::data::Origin;
use crate::report::document::dates;
use crate::report::grid::{Entry, Grid, Item, Link};
use crate::report::ladder::Ladder;
use crate::report::paper::few_samples;
use crate::words::Task;

/// How many fixed cases the table of devices shows.
const CASES: usize = 3;

/// The finding, the chart, the table of the papers and that of the devices. `chart` is the file of the chart.
pub(super) fn results(runs: &Runs, page: &Path, chart: Option<&Path>) -> Vec<Item> {
    let mut items = vec![Item::Text(finding(runs))];
    if let Some(chart) = chart {
        let alt =
            "Speed-ups as published, as published on this GPU, and over the best CPU programs";
        let way = way_from_page(page, chart);
        items.push(Item::Text(format!("![{alt}]({way})")));
    }
    let papers = papers(runs, page);
    let few = papers.has_few();
    items.push(Item::Table(papers));
    if few {
        items.push(few_samples());
    }
    items.push(Item::Table(devices(runs)));
    items
}

/// A row a paper, one number a cell.
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
        let folder = way_from_page(page, &run.data.folder);
        let mut row = vec![Entry::word(paper.title()).link(Link::File(folder))];
        row.extend([0, 1, 3, 4].map(|step| ladder.step(step)));
        row.push(ladder.rate());
        let (held, all) = claims::reproduced(judged(runs, run).into_iter());
        row.push(Entry::number(format!("{held} of {all}")));
        // One number a cell: its interval is on the page of the run.
        for entry in &mut row {
            entry.small.clear();
        }
        grid.rows.push(row);
    }
    grid
}

/// A row a device: what it gets through, and the drivers and the days of the runs that these numbers are from.
fn devices(runs: &Runs) -> Grid {
    let mut papers = runs.papers();
    // What is counted in games a second can be compared at a glance.
    papers.sort_by_key(|paper| paper.run.data.experiment.task != Task::Playouts);
    papers.truncate(CASES);
    let heads = papers.iter().map(Paper::title);
    let ends = ["driver", "measured"].map(str::to_owned);
    let mut grid = Grid::new(
        std::iter::once("device".to_owned())
            .chain(heads)
            .chain(ends),
    );
    for (run, device) in runs.places() {
        let rate = |paper: &Paper<'_>| runs.ladder(paper.run.experiment(), &run.machine, device);
        let rates: Vec<Option<&Ladder>> = papers.iter().map(rate).collect();
        if rates.iter().all(Option::is_none) {
            continue;
        }
        let mut row = vec![Entry::word(run.device_title(device))];
        row.extend(rates.iter().map(|own| match own {
            Some(own) => Entry::number(own.rate.text()),
            None => Entry::missing("–"),
        }));
        let mut origin = Origin::default();
        for ladder in rates.into_iter().flatten() {
            origin.add(&ladder.origin);
        }
        let drivers: Vec<String> = origin.drivers.iter().cloned().collect();
        row.push(Entry::word(match drivers.is_empty() {
            true => "–".to_owned(),
            false => drivers.join(", "),
        }));
        row.push(Entry::word(origin.dates()));
        grid.rows.push(row);
    }
    grid
}

/// Every run, a line each.
pub(super) fn list(runs: &Runs, page: &Path) -> Vec<Item> {
    let mut grid = Grid::new(["run", "machine", "samples", "measured", "revision"]);
    for run in &runs.all {
        let folder = way_from_page(page, &run.data.folder);
        grid.rows.push(vec![
            Entry::word(run.title()).link(Link::File(folder)),
            Entry::word(&run.machine),
            Entry::number(crate::report::number::Unit::Count.show(run.data.samples.len() as f64)),
            Entry::word(dates(&run.data)),
            Entry::word(&run.data.environment.program.revision),
        ]);
    }
    vec![Item::Table(grid)]
}
