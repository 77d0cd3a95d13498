//! Builds a run's page and tables from its [`Analysis`].

use std::collections::{BTreeSet, HashSet};

use super::analysis::{Analysis, TABLES, View, unique};
use super::block::{self, Block};
use super::chart::lines;
use super::claims;
use super::data::{RunData, is_device};
use super::grid::{Chart, Document, Item, Section, section};
use super::summary::{self, CLAIMS, QUESTIONS, RESULTS};
use super::{matches, paper, sections, table};
use crate::config::{Claim, Quantity};
use crate::words::Task;

/// Makes a run's CSV tables. The keys are file names without extension.
pub(crate) fn tables(analysis: &Analysis) -> Vec<(String, Vec<u8>)> {
    let axes = &analysis.data.experiment.axes;
    let blocks = analysis.tables().flat_map(|view| &view.blocks);
    let tables = blocks.map(|block| (block.id.clone(), table::of_block(axes, block)));
    let [cells, ratios, claims] = TABLES.map(str::to_owned);
    let mut tables: Vec<_> = tables.collect();
    tables.push((cells, table::of_cells(analysis)));
    tables.push((ratios, table::of_ratios(analysis)));
    if !analysis.claims.is_empty() {
        tables.push((claims, claims::csv(&analysis.claims)));
    }
    tables
}

impl View {
    fn printed(&self) -> usize {
        self.blocks.iter().map(Block::printed).max().unwrap_or(0)
    }
}

impl Analysis {
    /// Chooses the block of a view for the first screen, preferably with the paper's numbers and on the first device.
    pub(crate) fn block<'v>(&self, view: &'v View) -> Option<&'v Block> {
        let question = self.question.as_ref();
        let device = self.devices.first().map_or("", String::as_str);
        let rank = |block: &&Block| {
            let is_over = block.baseline.as_ref() == question.map(|own| &own.baseline);
            let (printed, device) = (block.printed() > 0, block.device == device);
            (printed, device, self.is_papers(block), is_over)
        };
        view.blocks.iter().rev().max_by_key(rank)
    }

    /// True if a block shows the paper's GPU program instead of its serial program.
    fn is_papers(&self, block: &Block) -> bool {
        let technique = self.question.as_ref().map(|question| &question.technique);
        block.technique.as_ref() == technique
    }

    /// Chooses a table and block for the first screen. Prefers short tables, speedups, and many of the paper's numbers.
    fn shown(&self) -> Option<(&View, &Block)> {
        /// Maximum number of rows that fit on the first screen.
        const LONG: usize = 12;
        let tables = self.tables();
        let tables = tables.filter_map(|view| Some((view, self.block(view)?)));
        let rank = |(view, block): &(&View, &Block)| {
            let (count, quantities) = (view.printed(), &view.spec.quantities);
            // Kernel resources say nothing about times.
            let is_told = |it: &Quantity| matches!(it, Quantity::Fact(_) | Quantity::Resource(_));
            let is_timed = !quantities.iter().all(is_told);
            let is_speedup = quantities.contains(&Quantity::Speedup);
            let is_short = block.rows.len() <= LONG && count > 0;
            let is_own = self.is_papers(block);
            (is_short, is_timed, is_speedup, is_own, count)
        };
        tables.rev().max_by_key(rank)
    }
}

/// The ids of the sections that do not belong to a table or chart.
const IDS: &str =
    "first results difference claims questions analysis complexity missing warnings reproduce";

pub(crate) fn document(analysis: &Analysis) -> Document {
    let data = &analysis.data;
    let experiment = &data.experiment;
    let question = analysis.question.as_ref();
    let mut views: Vec<Section> = analysis.views.iter().map(section_of).collect();
    let shown = analysis.shown();
    let results = results(analysis, shown, &mut views);
    let mut before = Vec::new();
    let texts = text(&experiment.analysis);
    if !texts.is_empty() {
        before.push(section("analysis", "What this is", texts));
    }
    before.extend(sections::complexity(analysis));
    let after = [
        sections::missing_cells(analysis),
        sections::warnings(analysis),
        sections::reproduce(data),
    ];
    // A table of the experiment may have the id of one of these sections.
    let mut ids: HashSet<String> = IDS.split(' ').map(str::to_owned).collect();
    for view in &mut views {
        view.id = unique(&mut ids, &view.id);
    }
    let link = |claim: &Claim| {
        let mut shown_in = analysis.views.iter().zip(&views);
        let of_view = shown_in.find(|(view, _)| view.spec.id == claim.table);
        let of_matches = (claim.table == "matches").then_some(RESULTS);
        let section = of_view.map(|(_, section)| section.id.as_str());
        section.or(of_matches).map(|id| format!("#{id}"))
    };
    // States whether the table on the first screen is reproduced.
    let shown = shown.filter(|_| experiment.task != Task::Match);
    let reproduced = shown.and_then(|(_, block)| summary::reproduced(analysis, block));
    let mut all = vec![summary::summary(analysis, reproduced)];
    all.extend(results);
    let mut ladders = analysis.ladders.iter();
    let ladder = ladders.find(|own| is_device(&own.device) && !analysis.data.is_cpu(&own.device));
    let theirs = question.map_or("", |own| own.theirs.as_str());
    all.extend(ladder.and_then(|own| summary::difference(own, theirs)));
    let [ours, papers] = analysis.claims();
    let of_papers = (CLAIMS, "The paper's claims", "claim of the paper", papers);
    let title = "Our questions, with better CPU programs";
    let mut how = Some(Item::Text(claims::HOW.to_owned()));
    for (id, title, head, claims) in [of_papers, (QUESTIONS, title, "question", ours)] {
        if !claims.is_empty() {
            let items = claims::section_items(head, &claims, link);
            all.push(section(id, title, items.into_iter().chain(how.take())));
        }
    }
    let folded = before.into_iter().chain(views).chain(after);
    all.extend(folded.map(|section| Section {
        folded: true,
        ..section
    }));
    // Committed samples are compressed.
    let zipped = Some("samples.csv.gz").filter(|name| data.folder.join(name).exists());
    let links = [
        ("Every cell (CSV)", "tables/cells.csv"),
        ("Every ratio (CSV)", "tables/ratios.csv"),
        ("Raw samples (CSV)", zipped.unwrap_or("samples.csv")),
        ("Environment (TOML)", "environment.toml"),
    ];
    Document {
        title: match experiment.title.as_str() {
            "" => experiment.name.clone(),
            title => title.to_owned(),
        },
        lead: lead(analysis),
        links: links
            .map(|(name, path)| (name.to_owned(), path.to_owned()))
            .into(),
        sections: all,
        made_from: "Made by Plybench from the run folder alone.".to_owned(),
    }
}

fn section_of(view: &View) -> Section {
    let spec = &view.spec;
    let mut items = text(&spec.analysis);
    for block in &view.blocks {
        match view.is_chart {
            true => items.push(chart(block, &spec.quantities[0], spec.log)),
            false => items.extend(paper::items(block)),
        }
    }
    if !view.is_chart {
        items.push(Item::Text(paper::legend(&view.blocks)));
    }
    items.extend(Item::few(&items));
    section(&block::slug(&spec.id), &spec.title, items)
}

/// Makes the section with the paper's table and one of its figures. Moves the figure out of `sections`.
fn results(
    analysis: &Analysis,
    shown: Option<(&View, &Block)>,
    sections: &mut [Section],
) -> Option<Section> {
    let views = &analysis.views;
    let mut items = Vec::new();
    let mut title = "Results";
    if analysis.data.experiment.task == Task::Match {
        items = matches::items(&analysis.matches);
    } else if let Some((view, block)) = shown {
        let mut what = vec![view.spec.title.clone(), block.subtitle()];
        what.retain(|it| !it.is_empty());
        items.push(Item::Heading(what.join(": ")));
        match paper::beside(block) {
            Some(beside) => {
                title = "The paper's table and ours";
                items.extend(beside);
            }
            None => items.push(Item::Table(paper::whole(block))),
        }
        items.extend(Item::few(&items));
    }
    let files = shown.map_or(&[][..], |(view, _)| &view.spec.published);
    let charts = views.iter().enumerate().filter(|(_, view)| view.is_chart);
    let first = charts.rev().max_by_key(|(_, view)| {
        // Prefers a figure that shares files of published numbers with the table.
        let is_same = view.spec.published.iter().any(|file| files.contains(file));
        let block = analysis.block(view).filter(|_| analysis.question.is_some());
        let is_own = block.is_some_and(|block| analysis.is_papers(block));
        (is_same, view.printed() > 0, is_own)
    });
    if let Some((at, view)) = first
        && let Some(block) = analysis.block(view)
    {
        let is_it = |item: &mut Item| matches!(item, Item::Chart(chart) if chart.id == block.id);
        items.extend(sections[at].items.extract_if(.., is_it));
    }
    (!items.is_empty()).then(|| section(RESULTS, title, items))
}

fn lead(analysis: &Analysis) -> Vec<String> {
    let data = &analysis.data;
    let environment = &data.environment;
    let paper = Some(&data.experiment.paper).filter(|paper| !paper.is_empty());
    let mut lines = Vec::from_iter(paper.map(|paper| format!("Paper: {paper}")));
    lines.extend(environment.devices.iter().map(|device| {
        let (label, platform, driver) = (&device.label, &device.platform, &device.driver);
        format!("Device: {label} ({platform}, driver {driver})")
    }));
    let (host, revision) = (&environment.host, &environment.program.revision);
    let (cpu, threads, dates) = (&host.cpu, host.threads, dates(data));
    lines.push(format!(
        "Host: {cpu}, {threads} threads. Measured: {dates}. Program: revision {revision}."
    ));
    let missing = analysis.planned().filter(|cell| cell.row.is_none()).count();
    let (own, all) = (analysis.planned().count(), analysis.cells.len());
    if missing > 0 {
        lines.push(format!(
            "Not finished: {missing} of {own} cells are still to be measured."
        ));
    }
    if own < all {
        let part = "Part of the experiment: the commands chose";
        lines.push(format!("{part} {own} of its {all} cells."));
    }
    lines
}

/// Returns the first and the last day of measurement.
pub(crate) fn dates(data: &RunData) -> String {
    let days = data.environment.invocations.iter();
    let days: BTreeSet<&str> = days.filter_map(|own| own.utc.split('T').next()).collect();
    let mut days = days.into_iter().filter(|day| !day.is_empty());
    match (days.next(), days.next_back()) {
        (Some(first), Some(last)) => format!("{first} to {last}"),
        (first, _) => first.unwrap_or("not recorded").to_owned(),
    }
}

fn chart(block: &Block, quantity: &Quantity, log: bool) -> Item {
    let title = &block.title;
    let title = match (block.subtitle().as_str(), &block.technique) {
        ("", _) => title.clone(),
        (subtitle, Some(_)) => format!("{title}: {subtitle}"),
        (subtitle, None) => format!("{title}, {subtitle}"),
    };
    let draw = |whole| lines::draw(&title, block, quantity, log, whole);
    let none = || Item::Text(format!("{title}: none of its cells has a number."));
    Chart::new(&block.id, &title, draw).map_or_else(none, Item::Chart)
}

fn text(analysis: &str) -> Vec<Item> {
    let text = Some(analysis.trim()).filter(|text| !text.is_empty());
    Vec::from_iter(text.map(|text| Item::Text(text.to_owned())))
}
