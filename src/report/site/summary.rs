//! The results in the repository's own pages: the README's block and the list of runs.

use std::path::Path;

use super::landing::{finding, judged};
use super::runs::{Run, Runs, way_from_page};
use crate::report::claims;
use crate::report::document::dates;
use crate::report::grid::{Entry, Grid, Item, Link};
use crate::report::ladder::Ladder;
use crate::report::names;
use crate::report::paper::few_samples;

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
    for run in runs.papers() {
        let (Some(ladder), Some(question)) = (run.ladder(), &run.report.question) else {
            continue;
        };
        let name = format!("{}: {}", question.game, names::case(&ladder.case));
        let folder = way_from_page(page, &run.data.folder);
        let mut row = vec![Entry::word(name).link(Link::File(folder))];
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

/// A row a device: what it gets through, its driver, and when.
fn devices(runs: &Runs) -> Grid {
    let mut papers: Vec<&Run> = runs.papers();
    // What is counted in games a second can be compared at a glance.
    papers.sort_by_key(|run| run.data.experiment.task != crate::words::Task::Playouts);
    papers.truncate(CASES);
    let heads = papers
        .iter()
        .map(|run| match (&run.report.question, run.ladder()) {
            (Some(own), Some(ladder)) => format!("{}: {}", own.game, names::case(&ladder.case)),
            _ => run.experiment().to_owned(),
        });
    let ends = ["driver", "measured"].map(str::to_owned);
    let mut grid = Grid::new(
        std::iter::once("device".to_owned())
            .chain(heads)
            .chain(ends),
    );
    for (run, device) in runs.places() {
        let ladder = |paper: &Run| -> Option<Ladder> {
            let own = runs
                .of(paper.experiment())
                .find(|own| own.machine == run.machine)?;
            let mut ladders = own.report.ladders.iter();
            ladders.find(|ladder| ladder.device == device).cloned()
        };
        let rates: Vec<Option<Ladder>> = papers.iter().map(|paper| ladder(paper)).collect();
        if rates.iter().all(Option::is_none) {
            continue;
        }
        let mut row = vec![Entry::word(run.device_title(device))];
        row.extend(rates.iter().map(|own| match own {
            Some(own) => Entry::number(own.rate.text()),
            None => Entry::missing("–"),
        }));
        let records = &run.data.environment.devices;
        let driver = records.iter().find(|record| record.label == device);
        let driver = driver.map_or("–", |record| record.driver.as_str());
        row.push(Entry::word(driver));
        row.push(Entry::word(dates(&run.data)));
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
