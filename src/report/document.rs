//! Builds a run's page and tables from its [`Analysis`].

use std::collections::{BTreeSet, HashSet};

use super::analysis::{Analysis, TABLES, View, unique};
use super::block::{self, Block};
use super::chart::lines;
use super::claims;
use super::data::{RunData, is_device};
use super::grid::{Chart, Document, Item, Section, section};
use super::{matches, paper, sections, summary, table};
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

impl Analysis {
    /// Chooses the block of a view for the first screen, preferably with the paper's numbers and on the first device.
    pub(crate) fn block<'v>(&self, view: &'v View) -> Option<&'v Block> {
        let device = self.devices.first().map_or("", String::as_str);
        let rank = |block: &&Block| {
            let (printed, device) = (block.printed() > 0, block.device == device);
            (printed, device, self.is_papers(block))
        };
        view.blocks.iter().rev().max_by_key(rank)
    }

    /// Returns true if a block shows the paper's GPU program instead of its serial program.
    fn is_papers(&self, block: &Block) -> bool {
        let technique = self.question.as_ref().map(|question| &question.technique);
        block.technique.as_ref() == technique
    }

    /// Chooses a table and block for the first screen. Prefers short tables, speedups, and many of the paper's numbers.
    /// Returns `None` for a match, whose scores come first.
    fn shown(&self) -> Option<&Block> {
        /// Maximum number of rows that fit on the first screen.
        const LONG: usize = 12;
        let is_match = self.data.experiment.task == Task::Match;
        let tables = self.tables().filter(|_| !is_match);
        let tables = tables.filter_map(|view| Some((view, self.block(view)?)));
        let rank = |(view, block): &(&View, &Block)| {
            let (count, quantities) = (block.printed(), &view.spec.quantities);
            let is_speedup = quantities.contains(&Quantity::Speedup);
            let is_short = block.rows.len() <= LONG && count > 0;
            let is_own = self.is_papers(block);
            (is_short, is_speedup, is_own, count)
        };
        tables.rev().max_by_key(rank).map(|(_, block)| block)
    }
}

/// The ids of the sections that do not belong to a table or chart.
const IDS: &str =
    "first results difference claims questions analysis complexity missing warnings reproduce";

pub(crate) fn document(analysis: &Analysis) -> Document {
    let data = &analysis.data;
    let experiment = &data.experiment;
    // A table of the experiment may have the id of one of the other sections.
    let mut ids: HashSet<String> = IDS.split(' ').map(str::to_owned).collect();
    let views = analysis.views.iter();
    let mut views: Vec<Section> = views.map(|view| section_of(view, &mut ids)).collect();
    let shown = analysis.shown();
    let results = results(analysis, shown, &mut views);
    let link = |claim: &Claim| {
        let mut shown_in = analysis.views.iter().zip(&views);
        let of_view = shown_in.find(|(view, _)| view.spec.id == claim.table);
        let of_matches = (claim.table == "matches").then_some("results");
        let section = of_view.map(|(_, section)| section.id.as_str());
        section.or(of_matches).map(|id| format!("#{id}"))
    };
    let mut all = vec![summary::summary(analysis, shown)];
    all.extend(results);
    let mut ladders = analysis.ladders.iter();
    let ladder = ladders.find(|own| is_device(&own.device) && !data.is_cpu(&own.device));
    let question = analysis.question.as_ref();
    let theirs = question.map_or("", |own| own.theirs.as_str());
    all.extend(ladder.and_then(|own| summary::difference(own, theirs)));
    let [ours, papers] = analysis.claims();
    let title = "Our questions, with better CPU programs";
    let mut how = Some(Item::Text(claims::HOW.to_owned()));
    for (id, title, head, claims) in [
        ("claims", "The paper's claims", "claim of the paper", papers),
        ("questions", title, "question", ours),
    ] {
        if !claims.is_empty() {
            let items = claims::section_items(head, &claims, link);
            all.push(section(id, title, items.into_iter().chain(how.take())));
        }
    }
    let what = text(&experiment.analysis);
    let what = what.map(|what| section("analysis", "What this is", [what]));
    let before = what.into_iter().chain(sections::complexity(analysis));
    let folded = before.chain(views).chain([
        sections::missing_cells(analysis),
        sections::warnings(analysis),
        sections::reproduce(data),
    ]);
    all.extend(folded.map(Section::folded));
    // Committed samples are compressed.
    let zipped = Some("samples.csv.gz").filter(|name| data.folder.join(name).exists());
    let links = [
        ["Every cell (CSV)", "tables/cells.csv"],
        ["Every ratio (CSV)", "tables/ratios.csv"],
        ["Raw samples (CSV)", zipped.unwrap_or("samples.csv")],
        ["Environment (TOML)", "environment.toml"],
    ];
    Document {
        title: match experiment.title.as_str() {
            "" => experiment.name.clone(),
            title => title.to_owned(),
        },
        lead: lead(analysis),
        links: links.map(|link| link.map(str::to_owned).into()).into(),
        sections: all,
        made_from: "Made by Plybench from the run folder alone.".to_owned(),
    }
}

fn section_of(view: &View, ids: &mut HashSet<String>) -> Section {
    let spec = &view.spec;
    let mut items = Vec::from_iter(text(&spec.analysis));
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
    section(&unique(ids, &block::slug(&spec.id)), &spec.title, items)
}

/// Makes the section with the paper's table and one of its figures. Moves the figure out of `sections`.
fn results(
    analysis: &Analysis,
    shown: Option<&Block>,
    sections: &mut [Section],
) -> Option<Section> {
    let mut items = matches::items(&analysis.matches);
    let mut title = "Results";
    if let Some(block) = shown {
        let mut what = vec![block.title.clone(), block.subtitle()];
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
    let sources = shown.map_or(&[][..], |block| &block.published_sources);
    let charts = analysis.views.iter().zip(sections);
    let charts = charts.filter(|(view, _)| view.is_chart);
    let charts = charts.filter_map(|(view, section)| Some((analysis.block(view)?, section)));
    // Prefers a figure that shares the paper's numbers with the table.
    let first = charts.rev().max_by_key(|(block, _)| {
        let mut own = block.published_sources.iter();
        (
            own.any(|source| sources.contains(source)),
            block.printed() > 0,
        )
    });
    if let Some((block, section)) = first {
        let is_it = |item: &mut Item| matches!(item, Item::Chart(chart) if chart.id == block.id);
        items.extend(section.items.extract_if(.., is_it));
    }
    (!items.is_empty()).then(|| section("results", title, items))
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

fn text(analysis: &str) -> Option<Item> {
    let text = Some(analysis.trim()).filter(|text| !text.is_empty());
    text.map(|text| Item::Text(text.to_owned()))
}
