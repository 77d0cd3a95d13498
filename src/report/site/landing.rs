//! The landing page and the page of strength matches.

use std::collections::HashSet;

use super::runs::{Paper, Run, Runs};
use crate::report::ReportError;
use crate::report::chart::dots::{self, Dot, DotRow, Scale};
use crate::report::chart::{NARROW, WIDTH};
use crate::report::claims;
use crate::report::document::dates;
use crate::report::first::how_to_read;
use crate::report::grid::{Card, Chart, Document, Entry, Grid, Item, Section, section};
use crate::report::ladder::{self, Ladder, STEPS};
use crate::report::names;
use crate::report::page::PAGE;
use crate::report::ratios::{BEST_CPU, BEST_ONE_CORE};
use crate::report::sections::weak_builds;
use crate::report::series::grouped;
use crate::stats::Verdict;

pub(super) const MATCHES: &str = "matches";

fn document(title: &str, lead: &str, link: (&str, String), sections: Vec<Section>) -> Document {
    Document {
        title: title.to_owned(),
        lead: vec![lead.to_owned()],
        links: vec![(link.0.to_owned(), link.1)],
        sections,
        made_from: "Made by Plybench from the run folders of its repository.".to_owned(),
    }
}

pub(super) fn landing(runs: &Runs) -> Result<Document, ReportError> {
    const LEAD: &str = "Published GPU techniques beside serial and parallel programs of the same host; every answer checked.";
    let finding = [Item::Text(finding(runs))];
    let marks = Item::few(&finding);
    let first = finding.into_iter().chain(marks);
    let first = first.chain(chart(runs)?.map(Item::Chart));
    let cards = runs.papers().into_iter().map(|paper| card(runs, &paper));
    let sections = vec![
        section("first", "Summary", first),
        section("papers", "The papers", [Item::Cards(cards.collect())]),
        devices(runs),
        experiments(runs),
    ];
    let title = "Plybench: game-tree search on GPUs, measured again";
    let matches = ("Strength matches", format!("{MATCHES}/{PAGE}"));
    Ok(document(title, LEAD, matches, sections))
}

/// The wins of a GPU, and the factors of the papers' speedups: one line each.
pub(super) fn finding(runs: &Runs) -> String {
    let papers = runs.papers();
    let ladders = papers.iter();
    let ladders = ladders.filter_map(|paper| Some((paper, paper.ladder?)));
    let ladders: Vec<(&Paper<'_>, &Ladder)> = ladders.collect();
    let Some((first, ladder)) = ladders.first() else {
        return "No run of a paper's experiment has a number yet.".to_owned();
    };
    let is_weak = |paper: &&Paper<'_>| !weak_builds(&paper.run.data.environment).is_empty();
    let weak = papers.iter().filter(is_weak);
    let weak: Vec<String> = weak.map(|paper| paper.question.game.clone()).collect();
    let too_high = match weak.len() {
        0 => String::new(),
        _ => format!(
            " Ratios of {} may be too high: the CPU programs' build left instruction sets unused.",
            match weak.len() == papers.len() {
                true => "all papers".to_owned(),
                false => names::list(&weak, papers.len()),
            }
        ),
    };
    let mut lines = vec![format!(
        "One case of each paper on an {}: its fastest GPU technique over the best CPU program of the same host. Other \
         cases and searches may say otherwise.{too_high}\n",
        first.run.device_title(&ladder.device)
    )];
    let over = ladders.iter();
    let over = over.map(|(paper, own)| {
        let name = format!("{} by `{}`", paper.question.game, own.technique);
        (name, Some(&own.steps[4].0))
    });
    let told = ladder::told(over, papers.len()).into_iter();
    lines.extend(told.map(|(head, names)| format!("- **{head}:** {names}.")));
    let published = ladders.iter().filter_map(|(paper, ladder)| {
        ladder.steps[1].0.as_ref().ok()?;
        Some(format!(
            "{} ({} times)",
            paper.question.game,
            ladder.step(1).main
        ))
    });
    let published: Vec<String> = published.collect();
    if !published.is_empty() {
        let all = names::list(&published, papers.len());
        lines.push(format!(
            "- **The papers' programs, written anew, GPU over serial:** {all}."
        ));
    }
    // If the paper's case is no win: another experiment of the game that is.
    for (paper, ladder) in &ladders {
        let over_best = ladder.steps[4].0.as_ref().ok();
        let verdict = over_best.and_then(|known| known.verdict);
        let others = others(runs, paper.run);
        let mut wins = others.filter_map(|it| Some((it.experiment(), it.report.wins.last()?)));
        if let Some((name, win)) = wins.next().filter(|_| verdict != Some(Verdict::Faster)) {
            let game = &paper.question.game;
            lines.push(format!("- **Faster at {game} in {name}:** {win}."));
        }
    }
    lines.join("\n")
}

/// The other experiments of a run's game on its machine; matches have a page.
pub(super) fn others<'r>(runs: &'r Runs, run: &'r Run) -> impl Iterator<Item = &'r Run> {
    of_game(runs, run).filter(|other| !other.is_match())
}

fn of_game<'r>(runs: &'r Runs, run: &'r Run) -> impl Iterator<Item = &'r Run> {
    runs.all.iter().filter(move |other| {
        other.machine == run.machine
            && other.data.experiment.game == run.data.experiment.game
            && other.experiment() != run.experiment()
    })
}

pub(super) fn chart(runs: &Runs) -> Result<Option<Chart>, ReportError> {
    let mut rows = Vec::new();
    let mut device = String::new();
    for paper in runs.papers() {
        let Some(ladder) = paper.ladder else { continue };
        device = paper.run.device_title(&ladder.device);
        let steps = ladder.steps.iter().enumerate();
        let dots = steps.filter_map(|(series, (step, _))| {
            let known = step.as_ref().ok()?;
            Some(Dot {
                series,
                value: known.value,
                interval: known.interval,
                note: match series {
                    0 if ladder.at_least => "or more",
                    1 if ladder.stand_in().is_some() => "over our program",
                    _ => "",
                },
            })
        });
        let (name, dots) = (paper.question.game.clone(), dots.collect());
        rows.push(DotRow { name, dots });
    }
    let title = format!("What a speed-up is over: {device}");
    let axis = "times as fast, log scale";
    let draw = |whole| dots::draw(&title, axis, &STEPS, &rows, Scale::Ratios, whole);
    let svgs = draw(WIDTH)?.zip(draw(NARROW)?);
    Ok(svgs.map(|(svg, narrow)| Chart {
        id: "ladder".to_owned(),
        title: title.clone(),
        svg,
        narrow,
    }))
}

fn card(runs: &Runs, paper: &Paper<'_>) -> Card {
    let run = paper.run;
    let reproduced = run.report.reproduced.as_ref();
    let reproduced = reproduced.map_or("", |own| &own.short);
    let judged = judged(runs, run);
    let own = judged.iter().map(|one| one.claim.experiment.as_str());
    let over = match own.collect::<HashSet<_>>().len() {
        0 | 1 => String::new(),
        count => format!(", over {count} experiments"),
    };
    let claims = match claims::tally(judged.into_iter()) {
        none if none.is_empty() => "No claim can be tested.".to_owned(),
        tally => format!("Claims{over}: {tally}."),
    };
    let matches = of_game(runs, run).filter(|own| own.is_match() && !own.report.judged.is_empty());
    let more = others(runs, run).chain(matches);
    let more = more.map(|own| (own.experiment().to_owned(), own.way() + PAGE));
    Card {
        title: paper.question.question.clone(),
        link: run.way() + PAGE,
        more: more.collect(),
        lines: vec![
            run.report.answer.clone(),
            format!("{reproduced}{claims}"),
            run.data.experiment.paper.clone(),
        ],
    }
}

pub(super) fn judged<'r>(runs: &'r Runs, run: &'r Run) -> Vec<&'r claims::Judged> {
    let own = std::iter::once(run).chain(of_game(runs, run));
    own.flat_map(|own| &own.report.judged).collect()
}

/// Devices by fixed cases, in absolute units or over a baseline.
fn devices(runs: &Runs) -> Section {
    const HOW: &str = "The fastest technique of each device, or of the CPU programs of its host, in one case of each paper; \
        of several machines with a device, the one with most papers. Ratios are over CPU programs of the same host.";
    let papers = runs.papers();
    let places = runs.places();
    let grid = |show: &dyn Fn(&Ladder) -> Entry| {
        let heads = papers.iter().map(Paper::title);
        let mut grid = Grid::new(std::iter::once("device".to_owned()).chain(heads));
        for (run, device) in &places {
            let entries = papers.iter().map(|paper| {
                let experiment = paper.run.experiment();
                let Some(ladder) = runs.ladder(paper, &run.machine, device) else {
                    return Entry::missing("–").small("not measured");
                };
                let mut entry = show(ladder);
                let cell = entry.cell.take();
                entry.cell = cell.map(|cell| format!("{}/{experiment}{cell}", run.machine));
                entry
            });
            grid.row(Entry::word(run.device_title(device)), entries);
        }
        grid.is_cards = true;
        grid
    };
    let over = |role: &str, step| (format!("over {role}"), grid(&|own| own.step(step)));
    let tables = vec![
        ("rate or time".to_owned(), grid(&|own| own.rate.clone())),
        over(BEST_ONE_CORE, 3),
        over(BEST_CPU, 4),
    ];
    let mut items = vec![Item::Switch(tables), Item::Text(HOW.to_owned())];
    items.push(how_to_read(&items));
    section("devices", "Devices", items)
}

fn experiments(runs: &Runs) -> Section {
    let machines = runs.machines();
    let heads = machines.iter().map(|name| (*name).to_owned());
    let mut grid = Grid::new(std::iter::once("experiment".to_owned()).chain(heads));
    let all = runs.all.iter().filter(|run| !run.is_match());
    for (_, own) in grouped(all.map(|run| (run.experiment(), run))) {
        let on = |machine: &&str| own.iter().find(|own| own.machine == *machine);
        let entries = machines.iter().map(|machine| match on(machine) {
            Some(own) => Entry::word(last_day(own)).link(own.way() + PAGE),
            None => Entry::missing("–"),
        });
        grid.row(Entry::word(own[0].title()), entries);
    }
    Section {
        folded: true,
        ..section(
            "experiments",
            "All experiments but matches",
            [Item::Table(grid)],
        )
    }
}

/// The last day of measurement; `undated` for an old folder.
fn last_day(run: &Run) -> String {
    let dates = dates(&run.data);
    let day = dates.rsplit(' ').next();
    let day = day.filter(|day| day.starts_with("20"));
    day.unwrap_or("undated").to_owned()
}

/// The winners of the matches, one line per run; each run's page has its players and games.
pub(super) fn matches(runs: &Runs) -> Document {
    const LEAD: &str = "A score is wins and half of the draws, in brackets its 95 % interval.";
    let mut grid = Grid::new(["match", "machine", "the device's strongest player"]);
    for run in runs.all.iter().filter(|run| run.is_match()) {
        let link = format!("../{}{PAGE}", run.way());
        let rest = [&run.machine, &run.report.answer].map(Entry::word);
        grid.row(Entry::word(run.title()).link(link), rest);
    }
    let all = ("All results", format!("../{PAGE}"));
    let sections = vec![section("matches", "Matches", [Item::Table(grid)])];
    document("Strength matches", LEAD, all, sections)
}
