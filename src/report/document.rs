//! A run as a [`Document`], with everything that is written beside it.

use std::collections::HashSet;

use super::block::{self, Block, BlockCell, Shape};
use super::chart::lines;
use super::claims::{self, Judged};
use super::data::{Index, Origin, RunData};
use super::first;
use super::grid::{Chart, Document, Grid, Item, Link, Section};
use super::headline::headlines;
use super::ladder::{self, Ladder, Question};
use super::reproduced::{Reproduced, lacking};
use super::sections::{self, section};
use super::{
    ReportError, about, complexity, limit, matches, nodes, paper, scores, table, variation,
    warnings,
};
use crate::config::{Claim, Quantity};
use crate::words::Task;

/// A report before it is written.
pub(crate) struct Report {
    pub document: Document,
    /// CSV files by name without ending.
    pub tables: Vec<(String, Vec<u8>)>,
    /// What is wrong with the folder, and with what the report needs beside it: published tables that are
    /// missing, claims that are wrong.
    pub warnings: Vec<String>,
    /// The paper's claims with their verdicts.
    pub judged: Vec<Judged>,
    /// What the experiment asks.
    pub question: Option<Question>,
    /// Whether it reproduces the paper's table.
    pub reproduced: Option<Reproduced>,
    /// What it says, in a sentence or a few.
    pub answer: String,
    /// The case that stands for it, on each device and on the host.
    pub ladders: Vec<Ladder>,
}

impl Report {
    pub(crate) fn new(data: &RunData) -> Result<Self, ReportError> {
        let index = Index::new(data);
        let mut ids = HashSet::new();
        let mut warnings = Vec::new();
        let mut tables = Vec::new();
        let mut views = Vec::new();
        let experiment = &data.experiment;
        for spec in &experiment.tables {
            let mut blocks = block::blocks(&index, &Shape::from(spec), &mut warnings);
            for block in &mut blocks {
                block.id = unique(&mut ids, &block.id);
                tables.push((block.id.clone(), table::of_block(&index, block)?));
            }
            let is_speedup = spec.quantities.contains(&Quantity::Speedup);
            let files = spec.published.clone();
            let section = of_table(&spec.id, &spec.title, &spec.analysis, &blocks);
            views.push(View {
                id: spec.id.clone(),
                is_speedup,
                files,
                blocks,
                section,
                chart: false,
            });
        }
        for spec in &experiment.charts {
            let mut blocks = block::blocks(&index, &Shape::from(spec), &mut warnings);
            for block in &mut blocks {
                block.id = unique(&mut ids, &block.id);
            }
            let section = of_chart(
                &spec.id,
                &spec.title,
                &spec.analysis,
                (&spec.quantity, spec.log),
                &blocks,
            )?;
            let is_speedup = spec.quantity == Quantity::Speedup;
            let files = spec.published.clone();
            views.push(View {
                id: spec.id.clone(),
                is_speedup,
                files,
                blocks,
                section,
                chart: true,
            });
        }
        let headlines = headlines(&index);
        tables.push((
            unique(&mut ids, "headline"),
            table::of_headline(&index, &headlines)?,
        ));
        tables.push((unique(&mut ids, "cells"), table::of_cells(&index)?));
        tables.push((unique(&mut ids, "ratios"), table::of_ratios(&index)?));
        let judged = claims::judge(&index, &claims::of_run(data, &mut warnings));
        if !judged.is_empty() {
            tables.push((unique(&mut ids, "claims"), claims::csv(&judged)?));
        }
        let peaks = limit::PeaksFile::find(data, &mut warnings);
        let nodes = nodes::nodes(&index)?.map(|(items, csv)| {
            tables.push((unique(&mut ids, nodes::TABLE), csv));
            items
        });
        let limit = limit::limit(&index, peaks.as_ref())?;
        let limit = limit.map(|(section, csv)| {
            tables.push((unique(&mut ids, limit::TABLE), csv));
            section
        });

        // What a reader sees at first.
        let question = Question::of(data, &mut warnings);
        let ladders = match &question {
            Some(question) => {
                let tables = views.iter().filter(|view| !view.chart);
                let blocks = tables.flat_map(|view| &view.blocks);
                let cells: Vec<&BlockCell> =
                    blocks.flat_map(|it| it.cells.iter().flatten()).collect();
                ladder::ladders(&index, question, &cells, &judged)
            }
            None => Vec::new(),
        };
        let answer = first::answer(&index, &headlines);
        let players = (experiment.task == Task::Match).then(|| first::table_of_players(&index));
        let shown = shown(&index, &views, question.as_ref());
        let block = shown.and_then(|at| views[at].block(first_device(&index), question.as_ref()));
        let block = block.filter(|_| players.is_none());
        let reproduced = Reproduced::of(data, question.as_ref(), block, &judged);
        let results = results(
            &index,
            &mut views,
            shown,
            players.as_ref(),
            question.as_ref(),
        );

        let mut own = Vec::new();
        if !experiment.analysis.trim().is_empty() {
            let text = Item::Text(experiment.analysis.trim().to_owned());
            let mut items = vec![text];
            if let Some(technique) = lacking(data, question.as_ref()) {
                let older = format!(
                    "This text is older than `{technique}`, the paper's program. Ratios of other techniques are \
                     not comparable with the paper's."
                );
                items.insert(0, Item::Text(older));
            }
            own.push(section("analysis", "What this is", items));
        }
        if question.as_ref().is_some_and(Question::is_of_paper) {
            own.extend(complexity::show(data, &mut warnings)?);
        }
        let views_at = own.len();
        if let Some(mut section) = matches::matches(&index) {
            section.items.splice(0..0, scores::charts(&index)?);
            own.push(section);
        }
        own.push(sections::time(&index)?);
        own.extend(limit);
        own.push(sections::missing_cells(&index));
        own.extend(variation::show(&index));
        own.push(warnings::warnings(&index, &warnings));
        own.push(about::environment(&index, nodes));
        own.push(about::reproduce(&index));
        // An experiment may give a table the id of a section that every report has.
        let mut ids: HashSet<String> = own.iter().map(|section| section.id.clone()).collect();
        ids.extend([first::ID, first::RESULTS, first::CLAIMS].map(str::to_owned));
        let mut shown_in: Vec<(String, String)> = Vec::new();
        for view in &mut views {
            view.section.id = unique(&mut ids, &view.section.id);
            shown_in.push((view.id.clone(), view.section.id.clone()));
        }
        // Of a report's own sections, those that it has in this run.
        shown_in.extend(own.iter().map(|own| (own.id.clone(), own.id.clone())));
        own.splice(
            views_at..views_at,
            views.into_iter().map(|view| view.section),
        );
        for section in &mut own {
            section.folded = true;
        }
        let link = |claim: &Claim| {
            let section = section_of(&shown_in, &claim.table)?;
            Some(Link::Section(section.to_owned()))
        };
        let mut all = vec![first::first(
            question.as_ref(),
            reproduced.as_ref(),
            &answer,
            &ladders,
        )];
        all.extend(results);
        let claims = claims::section_items(&judged, link);
        if !claims.is_empty() {
            all.push(section(first::CLAIMS, "The paper's claims", claims));
        }
        all.extend(own);
        let document = Document {
            title: title(data),
            lead: lead(&index),
            links: links(),
            sections: all,
            made_from: "Made by Plybench from the run folder alone.".to_owned(),
        };
        let folder = data.folder.display();
        let of_folder = data.warnings.iter().map(|line| format!("{folder}: {line}"));
        warnings.extend(of_folder);
        Ok(Report {
            document,
            tables,
            warnings,
            judged,
            question,
            reproduced,
            answer,
            ladders,
        })
    }
}

/// The numbers behind a page.
fn links() -> Vec<(String, String)> {
    let files = [
        ("Every cell (CSV)", "tables/cells.csv"),
        ("Every ratio (CSV)", "tables/ratios.csv"),
        ("Raw samples (CSV)", "samples.csv"),
    ];
    files
        .map(|(name, path)| (name.to_owned(), path.to_owned()))
        .into()
}

/// A table or a chart of the experiment.
struct View {
    id: String,
    is_speedup: bool,
    /// The papers' numbers in it.
    files: Vec<String>,
    blocks: Vec<Block>,
    section: Section,
    /// Whether it is a chart.
    chart: bool,
}

impl View {
    /// The block that a reader sees at first: with numbers of the paper, of the first device, of the paper's
    /// technique and over its program, as far as one has all that.
    fn block(&self, device: &str, question: Option<&Question>) -> Option<&Block> {
        let rank = |block: &&Block| {
            let is = |own: &Option<String>, of: fn(&Question) -> &String| {
                question.is_some_and(|question| own.as_ref() == Some(of(question)))
            };
            let technique = is(&block.technique, |question| &question.technique);
            let baseline = is(&block.baseline, |question| &question.baseline);
            (
                printed(block) > 0,
                block.device == device,
                technique,
                baseline,
            )
        };
        // Of equals the first.
        self.blocks.iter().rev().max_by_key(rank)
    }

    /// The most numbers of the paper in a block.
    fn printed(&self) -> usize {
        self.blocks.iter().map(printed).max().unwrap_or(0)
    }
}

/// How many cells of a block have a number of the paper.
fn printed(block: &Block) -> usize {
    let cells = block.cells.iter().flatten();
    cells.filter(|cell| cell.published.is_some()).count()
}

/// A table of more rows is too long for a first screen.
const LONG: usize = 12;
/// A table of the paper of fewer numbers says too little.
const FEWEST: usize = 4;

fn first_device<'a>(index: &Index<'a>) -> &'a str {
    index.devices().first().copied().unwrap_or_default()
}

/// Which view a reader sees at first: a short table with some numbers of the paper, better one of speed-ups, better
/// one that a chart draws too.
fn shown(index: &Index<'_>, views: &[View], question: Option<&Question>) -> Option<usize> {
    let device = first_device(index);
    let drawn: Vec<String> = views
        .iter()
        .filter(|view| view.chart)
        .flat_map(|view| view.files.clone())
        .collect();
    let rank = |view: &View| {
        let block = view.block(device, question);
        let is_short = block.is_some_and(|block| block.rows.len() <= LONG);
        let is_drawn = view.files.iter().any(|file| drawn.contains(file));
        let count = view.printed();
        (
            is_short && count > 0,
            count >= FEWEST,
            view.is_speedup,
            is_drawn,
        )
    };
    let tables = views.iter().enumerate().filter(|(_, view)| !view.chart);
    // Of equals the first.
    let table = tables.rev().max_by_key(|(_, view)| rank(view));
    table.map(|(at, _)| at)
}

/// The table of the paper that a reader sees at first, and the figure of the same numbers or of the paper's
/// technique. The chart leaves its own section.
fn results(
    index: &Index<'_>,
    views: &mut [View],
    shown: Option<usize>,
    players: Option<&Grid>,
    question: Option<&Question>,
) -> Option<Section> {
    let device = first_device(index);
    let table = shown.map(|at| &views[at]);
    let shown = table.and_then(|view| Some((view, view.block(device, question)?)));
    let mut items = Vec::new();
    let mut title = "Results";
    match (players, shown) {
        (Some(players), _) => items.push(Item::Table(players.clone())),
        (None, Some((view, block))) => {
            let what = match block.subtitle() {
                subtitle if subtitle.is_empty() => view.section.title.clone(),
                subtitle => format!("{}: {subtitle}", view.section.title),
            };
            items.push(Item::Heading(what));
            match paper::beside(block) {
                Some(beside) => {
                    title = "The paper's table and ours";
                    items.extend(beside);
                }
                None => items.push(Item::Table(paper::whole(block))),
            }
            if items.iter().any(has_few) {
                items.push(paper::few_samples());
            }
        }
        (None, None) => {}
    }
    let files = table.map(|view| view.files.clone()).unwrap_or_default();
    let technique = question.map(|question| question.technique.clone());
    let rank = |view: &&mut View| {
        let is_same = view.files.iter().any(|file| files.contains(file));
        let block = view.block(device, question);
        let is_own = block.is_some_and(|block| block.technique == technique);
        (is_same, view.printed() > 0, is_own && technique.is_some())
    };
    let charts = views.iter_mut().filter(|view| view.chart);
    let chart = charts.rev().max_by_key(rank).and_then(|view| {
        let id = view.block(device, question)?.id.clone();
        let is_it = |item: &Item| matches!(item, Item::Chart(chart) if chart.id == id);
        let at = view.section.items.iter().position(is_it)?;
        match view.section.items.remove(at) {
            Item::Chart(chart) => Some(chart),
            _ => None,
        }
    });
    first::results(title, items, chart)
}

fn has_few(item: &Item) -> bool {
    match item {
        Item::Table(grid) => grid.has_few(),
        Item::Beside(tables) => tables.iter().any(|(_, grid)| grid.has_few()),
        _ => false,
    }
}

/// The section that shows a table or a chart of the experiment.
pub(crate) fn section_of<'a>(shown_in: &'a [(String, String)], id: &str) -> Option<&'a str> {
    let found = shown_in.iter().find(|(view, _)| view == id);
    found.map(|(_, section)| section.as_str())
}

fn title(data: &RunData) -> String {
    let experiment = &data.experiment;
    if experiment.title.is_empty() {
        experiment.name.clone()
    } else {
        experiment.title.clone()
    }
}

fn lead(index: &Index<'_>) -> Vec<String> {
    let data = index.data;
    let mut lines = Vec::new();
    if !data.experiment.paper.is_empty() {
        lines.push(format!("Paper: {}", data.experiment.paper));
    }
    for device in &data.environment.devices {
        lines.push(format!(
            "Device: {} ({}, driver {})",
            device.label, device.platform, device.driver
        ));
    }
    let host = &data.environment.host;
    let revision = &data.environment.program.revision;
    lines.push(format!(
        "Host: {}, {} threads. Measured: {}. Program: revision {revision}.",
        host.cpu,
        host.threads,
        dates(data)
    ));
    let missing = index.cells().filter(|(.., row)| row.is_none()).count();
    if missing > 0 {
        let asked = index.cells().count();
        lines.push(format!(
            "Not finished: {missing} of {asked} cells are still to be measured."
        ));
    }
    let (own, all) = (index.cells().count(), index.whole().count());
    if own < all {
        lines.push(format!(
            "Part of the experiment: its commands chose {own} of its {all} cells."
        ));
    }
    lines
}

/// When the samples were taken, in ISO's form: a day, or the first and the last.
pub(crate) fn dates(data: &RunData) -> String {
    let invocations = data.environment.invocations.iter();
    let days = invocations.filter_map(|own| own.utc.split('T').next());
    let days = days.filter(|day| !day.is_empty()).map(str::to_owned);
    let origin = Origin {
        days: days.collect(),
        ..Origin::default()
    };
    origin.dates()
}

fn of_table(id: &str, title: &str, analysis: &str, blocks: &[Block]) -> Section {
    let mut items = Vec::new();
    items.extend(text(analysis));
    items.extend(blocks.iter().flat_map(paper::items));
    // Once below all blocks.
    if items.iter().any(has_few) {
        items.push(paper::few_samples());
    }
    section(&block::slug(id), heading(id, title).as_str(), items)
}

fn of_chart(
    id: &str,
    title: &str,
    analysis: &str,
    (quantity, log): (&Quantity, bool),
    blocks: &[Block],
) -> Result<Section, ReportError> {
    let mut items = Vec::new();
    items.extend(text(analysis));
    for block in blocks {
        let subtitle = block.subtitle();
        let title = match (subtitle.as_str(), &block.technique) {
            ("", _) => block.title.clone(),
            (subtitle, Some(_)) => format!("{}: {subtitle}", block.title),
            (subtitle, None) => format!("{}, {subtitle}", block.title),
        };
        match lines::draw(&title, block, quantity, log)? {
            Some(svg) => {
                items.push(Item::Chart(Chart {
                    id: block.id.clone(),
                    title,
                    svg,
                }));
                items.extend(paper::notes_of_chart(block));
            }
            None => items.push(Item::Text(format!("{title}: no cell of it has a number."))),
        }
    }
    Ok(section(
        &block::slug(id),
        heading(id, title).as_str(),
        items,
    ))
}

fn text(analysis: &str) -> Option<Item> {
    let analysis = analysis.trim();
    (!analysis.is_empty()).then(|| Item::Text(analysis.to_owned()))
}

fn heading(id: &str, title: &str) -> String {
    if title.is_empty() {
        id.to_owned()
    } else {
        title.to_owned()
    }
}

/// The id, or the id with the first number that makes it a new one.
fn unique(taken: &mut HashSet<String>, id: &str) -> String {
    let mut candidate = id.to_owned();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{id}-{number}");
        number += 1;
    }
    candidate
}
