//! The page that leads to all, and the one of the strength matches.

use super::runs::{Paper, Run, Runs};
use crate::report::ReportError;
use crate::report::chart::dots::{self, Dot, DotRow, Scale};
use crate::report::claims;
use crate::report::document::dates;
use crate::report::grid::{Card, Chart, Document, Entry, Grid, Item, Link, Section};
use crate::report::ladder::{Ladder, STEPS};
use crate::report::names;
use crate::report::paper::few_samples;
use crate::report::ratios::{BEST_CPU, BEST_ONE_CORE};
use crate::report::sections::section;
use crate::stats::Verdict;

/// The folder of the page of matches.
pub(super) const MATCHES: &str = "matches";

/// The page that leads to all.
pub(super) fn landing(runs: &Runs) -> Result<Document, ReportError> {
    let mut first = vec![Item::Text(finding(runs))];
    first.extend(chart(runs)?.map(Item::Chart));
    let cards = runs.papers().into_iter().map(|paper| card(runs, &paper));
    let sections = [
        section("first", "Summary", first),
        section("papers", "The papers", vec![Item::Cards(cards.collect())]),
        devices(runs),
        experiments(runs),
    ];
    Ok(Document {
        title: "Plybench: game-tree search on GPUs, measured again".to_owned(),
        lead: vec![
            "Published GPU techniques beside serial and parallel programs of the same host; every answer checked."
                .to_owned(),
        ],
        links: vec![("Strength matches".to_owned(), format!("{MATCHES}/index.html"))],
        sections: sections.into(),
        made_from: "Made by Plybench from the run folders of its repository.".to_owned(),
    })
}

/// What the papers' speed-ups are made of, and where a GPU wins, with numbers.
pub(super) fn finding(runs: &Runs) -> String {
    let papers = runs.papers();
    let papers = papers.iter();
    let ladders: Vec<(&Paper<'_>, &Ladder)> = papers
        .filter_map(|paper| Some((paper, paper.ladder?)))
        .collect();
    let Some((first, ladder)) = ladders.first() else {
        return "No run of a paper's experiment has a number yet.".to_owned();
    };
    let (mut published, mut unmeasured) = (Vec::new(), Vec::new());
    let mut lists: [Vec<String>; 4] = Default::default();
    for (paper, ladder) in &ladders {
        let game = &paper.question.game;
        let own = ladder.steps[1].as_ref().ok().map(|known| known.value);
        match own {
            Some(own) => published.push(format!("{game} ({})", names::times(own))),
            None => unmeasured.push(game.to_owned()),
        }
        let (value, verdict) = match ladder.over_best() {
            Some(known) => (known.value, known.verdict),
            None => (f64::NAN, None),
        };
        let with = |value| format!("{game} ({})", names::times(value));
        let (list, text) = match verdict {
            Some(Verdict::Faster) => (0, with(value)),
            Some(Verdict::Slower) => (1, with(value)),
            _ => (3, game.to_owned()),
        };
        if let (1, Some(own)) = (list, own.filter(|own| *own > 1.0)) {
            lists[2].push(with(own));
        }
        lists[list].push(text);
    }
    let mut said = Vec::new();
    let device = first.run.device_title(&ladder.device);
    if !published.is_empty() {
        said.push(format!(
            "On an {device}, the device program as published, over its serial baseline: {}.",
            names::list(&published, 9)
        ));
    }
    if !unmeasured.is_empty() {
        said.push(format!(
            "Not measured as published: {}.",
            names::list(&unmeasured, 9)
        ));
    }
    let [faster, slower, weak, open] = lists;
    for (what, all) in [
        (
            "In the case shown of each paper, the best GPU technique is faster than the best CPU program of the same host at",
            faster,
        ),
        ("It is slower at", slower),
        (
            "There the papers' speed-ups are due to slow serial programs:",
            weak,
        ),
        ("Nothing can be concluded at", open),
    ] {
        if !all.is_empty() {
            said.push(format!("{what} {}.", names::list(&all, 9)));
        }
    }
    said.join(" ")
}

/// The ladder of each paper on one GPU.
pub(super) fn chart(runs: &Runs) -> Result<Option<Chart>, ReportError> {
    let mut rows = Vec::new();
    let mut device = String::new();
    for paper in runs.papers() {
        let Some(ladder) = paper.ladder else {
            continue;
        };
        device = paper.run.device_title(&ladder.device);
        let dots = ladder
            .steps
            .iter()
            .enumerate()
            .filter_map(|(series, step)| {
                let known = step.as_ref().ok()?;
                Some(Dot {
                    series,
                    value: known.value,
                    interval: known.interval,
                    range: None,
                })
            });
        rows.push(DotRow {
            name: paper.question.game.clone(),
            dots: dots.collect(),
        });
    }
    let title = format!("What a speed-up is over: {device}");
    let series = STEPS.map(str::to_owned);
    let svg = dots::draw(
        &title,
        "times as fast, log scale",
        &series,
        &rows,
        Scale::Ratios,
    )?;
    Ok(svg.map(|svg| Chart {
        id: "ladder".to_owned(),
        title,
        svg,
    }))
}

/// A paper: what was asked, what came out, and what became of its claims on that machine.
fn card(runs: &Runs, paper: &Paper<'_>) -> Card {
    let run = paper.run;
    let judged = judged(runs, run);
    let reproduced = run.report.reproduced.as_ref();
    let reproduced = reproduced.map_or(String::new(), |own| format!("{} ", own.short()));
    let claims = match claims::tally(judged.iter().copied()) {
        none if none.is_empty() => "No claim can be tested.".to_owned(),
        tally => format!("Claims: {tally}."),
    };
    Card {
        title: paper.question.question.clone(),
        link: page(run),
        lines: vec![
            run.report.answer.clone(),
            format!("{reproduced}{claims}"),
            run.data.experiment.paper.clone(),
        ],
    }
}

/// The claims of a paper, of all experiments on a machine.
pub(super) fn judged<'r>(runs: &'r Runs, run: &Run) -> Vec<&'r claims::Judged> {
    let own = runs.all.iter().filter(|other| {
        other.machine == run.machine && other.data.experiment.game == run.data.experiment.game
    });
    own.flat_map(|other| &other.report.judged).collect()
}

/// The page of a run from the site's own on.
fn page(run: &Run) -> Link {
    Link::Page {
        folder: run.way(),
        section: None,
    }
}

/// Devices by fixed cases, in absolute units or over a baseline.
fn devices(runs: &Runs) -> Section {
    let papers = runs.papers();
    let grid = |show: &dyn Fn(&Ladder) -> Entry| {
        let heads = papers.iter().map(Paper::title);
        let mut grid = Grid::new(std::iter::once("device".to_owned()).chain(heads));
        for (run, device) in runs.places() {
            let mut row = vec![Entry::word(run.device_title(device))];
            row.extend(papers.iter().map(|paper| {
                match runs.ladder(paper.run.experiment(), &run.machine, device) {
                    Some(ladder) => {
                        let mut entry = show(ladder);
                        let folder = format!("{}/{}", run.machine, paper.run.experiment());
                        entry.cell = entry.cell.map(|cell| folder + &cell);
                        entry
                    }
                    None => Entry::missing("–").small("not measured"),
                }
            }));
            grid.rows.push(row);
        }
        grid.is_cards = true;
        grid
    };
    let tables = vec![
        ("rate or time".to_owned(), grid(&Ladder::rate)),
        (
            format!("over {BEST_ONE_CORE}"),
            grid(&|ladder| ladder.step(3)),
        ),
        (format!("over {BEST_CPU}"), grid(&|ladder| ladder.step(4))),
    ];
    let few = tables.iter().any(|(_, grid)| grid.has_few());
    let mut items = vec![Item::Switch(tables)];
    items.push(Item::Text(
        "The fastest technique of each device or processor in one case of each paper. Point at a number for its \
         95 % interval and the technique. Ratios are over programs of the same host."
            .to_owned(),
    ));
    items.extend(few.then(few_samples));
    section("devices", "Devices", items)
}

/// The pages of all experiments, by machine; matches have a page together.
fn experiments(runs: &Runs) -> Section {
    let machines = runs.machines();
    let heads = machines.iter().map(|name| (*name).to_owned());
    let mut grid = Grid::new(std::iter::once("experiment".to_owned()).chain(heads));
    let mut seen: Vec<&str> = Vec::new();
    for run in runs.all.iter().filter(|run| !run.is_match()) {
        if seen.contains(&run.experiment()) {
            continue;
        }
        seen.push(run.experiment());
        let mut row = vec![Entry::word(run.title())];
        row.extend(machines.iter().map(|machine| {
            let own = runs
                .of(run.experiment())
                .find(|own| own.machine == *machine);
            match own {
                Some(own) => Entry::word(last_day(own)).link(page(own)),
                None => Entry::missing("–"),
            }
        }));
        grid.rows.push(row);
    }
    Section {
        folded: true,
        ..section("experiments", "All experiments", vec![Item::Table(grid)])
    }
}

/// The last day that a run was measured on; `undated` of an old folder, which has none.
fn last_day(run: &Run) -> String {
    match dates(&run.data).rsplit(' ').next() {
        Some(day) if day.starts_with("20") => day.to_owned(),
        _ => "undated".to_owned(),
    }
}

/// Who won the matches, a line a run; each run's page has its players and games.
pub(super) fn matches(runs: &Runs) -> Document {
    let mut grid = Grid::new(["match", "machine", "the device's strongest player"]);
    for run in runs.all.iter().filter(|run| run.is_match()) {
        let link = Link::Page {
            folder: format!("../{}", run.way()),
            section: None,
        };
        grid.rows.push(vec![
            Entry::word(run.title()).link(link),
            Entry::word(&run.machine),
            Entry::word(&run.report.answer),
        ]);
    }
    Document {
        title: "Strength matches".to_owned(),
        lead: vec![
            "A score is wins and half of the draws; each page has its 95 % interval.".to_owned(),
        ],
        links: vec![("All results".to_owned(), "../index.html".to_owned())],
        sections: vec![section("matches", "Matches", vec![Item::Table(grid)])],
        made_from: "Made by Plybench from the run folders of its repository.".to_owned(),
    }
}
