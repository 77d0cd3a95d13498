//! A run's page and tables, made from its [`Analysis`].

use std::collections::HashSet;

use super::analysis::{Analysis, View, unique};
use super::block::{self, Block};
use super::chart::{DrawError, lines};
use super::claims;
use super::data::{Origin, RunData, is_device};
use super::grid::{Document, Item, Section, section};
use super::ladder::Question;
use super::summary::{self, lacking};
use super::{
    ReportError, about, complexity, limit, matches, paper, pictures, positions, sections, table,
};
use crate::config::{Claim, Quantity};
use crate::words::Task;

/// The CSV tables of a run, by file name without extension.
pub(crate) fn tables(analysis: &Analysis) -> Result<Vec<(String, Vec<u8>)>, csv::Error> {
    let axes = &analysis.data.experiment.axes;
    let mut tables = Vec::new();
    for block in analysis
        .views
        .iter()
        .filter(|view| !view.is_chart)
        .flat_map(|view| &view.blocks)
    {
        tables.push((block.id.clone(), table::of_block(axes, block)?));
    }
    let mut ids: HashSet<String> = tables.iter().map(|(id, _)| id.clone()).collect();
    let mut add = |name: &str, csv| tables.push((unique(&mut ids, name), csv));
    add("cells", table::of_cells(analysis)?);
    add("ratios", table::of_ratios(analysis)?);
    if !analysis.claims.is_empty() {
        add("claims", claims::csv(&analysis.claims)?);
    }
    if let Some(csv) = table::of_nodes(&analysis.data)? {
        add("nodes", csv);
    }
    if analysis.limits.apply {
        add(limit::TABLE, limit::csv(axes, &analysis.limits)?);
    }
    Ok(tables)
}

impl Analysis {
    fn device(&self) -> &str {
        self.devices.first().map_or("", String::as_str)
    }

    /// The table for the first screen, and its block.
    fn shown(&self) -> Option<(usize, &Block)> {
        let question = self.question.as_ref();
        let at = shown(self.device(), &self.views, question)?;
        Some((at, self.views[at].block(self.device(), question)?))
    }

    /// Whether the table of the first screen is reproduced.
    fn reproduced(&self) -> Option<String> {
        let (at, block) = self.shown()?;
        let is_match = self.data.experiment.task == Task::Match;
        let id = self.views[at].spec.id.as_str();
        summary::reproduced(self, (id, block)).filter(|_| !is_match)
    }
}

/// The page of a run.
pub(crate) fn document(analysis: &Analysis) -> Result<Document, ReportError> {
    let data = &analysis.data;
    let experiment = &data.experiment;
    let question = analysis.question.as_ref();
    let mut views = Vec::new();
    for view in &analysis.views {
        views.push(section_of(view)?);
    }
    let results = results(analysis, &mut views);
    let mut folded = Vec::new();
    let texts = text(&experiment.analysis);
    if !texts.is_empty() {
        let older = lacking(analysis).map(|technique| {
            Item::Text(format!(
                "This text is older than `{technique}`, the paper's program. Ratios of other techniques are \
                 not comparable with the paper's."
            ))
        });
        folded.push(section(
            "analysis",
            "What this is",
            older.into_iter().chain(texts),
        ));
    }
    if question.is_some_and(|own| !own.case.is_empty()) {
        folded.extend(complexity::section_of(&analysis.complexity)?);
        folded.extend(pictures::show(experiment));
    }
    let views_at = folded.len();
    folded.extend(matches::section_of(&analysis.matches)?);
    folded.extend(positions::section_of(&analysis.positions));
    folded.push(sections::time(analysis)?);
    folded.extend(limit::section_of(&analysis.limits));
    folded.push(sections::missing_cells(analysis));
    folded.push(sections::warnings(analysis));
    folded.push(about::environment(analysis));
    folded.push(about::reproduce(data));
    // An experiment's table may have the id of a section that every report has.
    let mut ids: HashSet<String> = folded.iter().map(|section| section.id.clone()).collect();
    let first = [
        summary::ID,
        summary::RESULTS,
        summary::DIFFERENCE,
        summary::CLAIMS,
        summary::QUESTIONS,
    ];
    ids.extend(first.map(str::to_owned));
    for view in &mut views {
        view.id = unique(&mut ids, &view.id);
    }
    let of_folded = folded.iter().map(|own| (own.id.clone(), own.id.clone()));
    let specs = analysis.views.iter().map(|view| view.spec.id.clone());
    let shown_in = specs.zip(views.iter().map(|own| own.id.clone()));
    let shown_in: Vec<(String, String)> = shown_in.chain(of_folded).collect();
    folded.splice(views_at..views_at, views);
    for section in &mut folded {
        section.folded = true;
    }
    let link = |claim: &Claim| {
        let found = shown_in.iter().find(|(view, _)| *view == claim.table);
        found.map(|(_, section)| format!("#{section}"))
    };
    let mut all = vec![summary::summary(analysis, analysis.reproduced())];
    all.extend(results);
    let mut ladders = analysis.ladders.iter();
    let ladder = ladders.find(|own| is_device(&own.device) && !analysis.is_cpu(&own.device));
    all.extend(ladder.and_then(summary::difference));
    let is_ours = |one: &&claims::Judged| question.is_some_and(|own| own.is_ours(&one.claim));
    let (ours, papers): (Vec<_>, Vec<_>) = analysis.claims.iter().partition(is_ours);
    let listed = [
        (
            summary::CLAIMS,
            "The paper's claims",
            "claim of the paper",
            papers,
        ),
        (
            summary::QUESTIONS,
            "Our questions, over better CPU programs",
            "question",
            ours,
        ),
    ];
    all.extend(
        listed
            .into_iter()
            .filter(|(.., claims)| !claims.is_empty())
            .map(|(id, title, head, claims)| {
                section(id, title, claims::section_items(head, &claims, link))
            }),
    );
    all.extend(folded);
    Ok(Document {
        title: heading(&experiment.name, &experiment.title),
        lead: lead(analysis),
        links: links(data)
            .map(|(name, path)| (name.to_owned(), path.to_owned()))
            .into(),
        sections: all,
        made_from: "Made by Plybench from the run folder alone.".to_owned(),
    })
}

/// The links to a run's data. Committed samples are compressed.
fn links(data: &RunData) -> [(&'static str, &'static str); 3] {
    const ZIPPED: &str = "samples.csv.gz";
    let samples = match data.folder.join(ZIPPED).exists() {
        true => ZIPPED,
        false => "samples.csv",
    };
    [
        ("Every cell (CSV)", "tables/cells.csv"),
        ("Every ratio (CSV)", "tables/ratios.csv"),
        ("Raw samples (CSV)", samples),
    ]
}

fn section_of(view: &View) -> Result<Section, DrawError> {
    let spec = &view.spec;
    let mut items = text(&spec.analysis);
    for block in &view.blocks {
        match view.is_chart {
            true => items.extend(chart(block, &spec.quantities[0], spec.log)?),
            false => items.extend(paper::items(block)),
        }
    }
    if !view.is_chart {
        items.push(Item::Text(paper::legend(&view.blocks)));
    }
    items.extend(Item::few(&items));
    Ok(section(
        &block::slug(&spec.id),
        &heading(&spec.id, &spec.title),
        items,
    ))
}

impl View {
    /// The block for the first screen: preferably of the first device, with the paper's technique and numbers.
    pub(crate) fn block(&self, device: &str, question: Option<&Question>) -> Option<&Block> {
        let rank = |block: &&Block| {
            let is = |own: &Option<String>, of: fn(&Question) -> &String| {
                question.is_some_and(|question| own.as_ref() == Some(of(question)))
            };
            let technique = is(&block.technique, |question| &question.technique);
            let baseline = is(&block.baseline, |question| &question.baseline);
            let is_first = block.device == device;
            (block.printed() > 0, is_first, technique, baseline)
        };
        self.blocks.iter().rev().max_by_key(rank)
    }

    fn printed(&self) -> usize {
        self.blocks.iter().map(Block::printed).max().unwrap_or(0)
    }

    /// True if both have some of the same numbers of the paper.
    fn shares(&self, other: &View) -> bool {
        let mut files = self.spec.published.iter();
        files.any(|file| other.spec.published.contains(file))
    }
}

/// The view for the first screen: a short table with numbers of the paper, preferably speedups, preferably many.
fn shown(device: &str, views: &[View], question: Option<&Question>) -> Option<usize> {
    /// A table of more rows is too long for a first screen.
    const LONG: usize = 12;
    let rank = |view: &View| {
        let block = view.block(device, question);
        let is_short = block.is_some_and(|block| block.rows.len() <= LONG);
        let is_speedup = view.spec.quantities.contains(&Quantity::Speedup);
        // Kernel resources say nothing about times.
        let mut quantities = view.spec.quantities.iter();
        let is_told = quantities.all(|it| matches!(it, Quantity::Fact(_) | Quantity::Resource(_)));
        let count = view.printed();
        (is_short && count > 0, !is_told, is_speedup, count)
    };
    let tables = views.iter().enumerate().filter(|(_, view)| !view.is_chart);
    let table = tables.rev().max_by_key(|(_, view)| rank(view));
    table.map(|(at, _)| at)
}

/// The paper's table for the first screen, and a figure of it, which leaves its section.
fn results(analysis: &Analysis, sections: &mut [Section]) -> Option<Section> {
    let (device, question, views) = (
        analysis.device(),
        analysis.question.as_ref(),
        &analysis.views,
    );
    let shown = analysis.shown();
    let mut items = Vec::new();
    let mut title = "Results";
    match shown {
        _ if analysis.data.experiment.task == Task::Match => {
            items.push(Item::Table(summary::table_of_players(&analysis.matches)));
        }
        Some((at, block)) => {
            let what = [sections[at].title.clone(), block.subtitle()];
            let what: Vec<String> = what.into_iter().filter(|it| !it.is_empty()).collect();
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
        None => {}
    }
    let table = shown.map(|(at, _)| &views[at]);
    let technique = question.map(|question| question.technique.clone());
    let rank = |view: &View| {
        let is_same = table.is_some_and(|table| table.shares(view));
        let block = view.block(device, question);
        let is_own = block.is_some_and(|block| block.technique == technique);
        (is_same, view.printed() > 0, is_own && technique.is_some())
    };
    let charts = views.iter().enumerate().filter(|(_, view)| view.is_chart);
    let first = charts.rev().max_by_key(|(_, view)| rank(view));
    if let Some((at, view)) = first
        && let Some(block) = view.block(device, question)
    {
        let own = &mut sections[at].items;
        let is_it = |item: &Item| matches!(item, Item::Chart(chart) if chart.id == block.id);
        let place = own.iter().position(is_it);
        items.extend(place.map(|place| own.remove(place)));
    }
    (!items.is_empty()).then(|| section(summary::RESULTS, title, items))
}

fn lead(analysis: &Analysis) -> Vec<String> {
    let data = &analysis.data;
    let environment = &data.environment;
    let mut lines = Vec::new();
    if !data.experiment.paper.is_empty() {
        lines.push(format!("Paper: {}", data.experiment.paper));
    }
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
    let unfinished = format!("Not finished: {missing} of {own} cells are still to be measured.");
    let part = format!("Part of the experiment: its commands chose {own} of its {all} cells.");
    lines.extend((missing > 0).then_some(unfinished));
    lines.extend((own < all).then_some(part));
    lines
}

pub(crate) fn dates(data: &RunData) -> String {
    let mut origin = Origin::default();
    for invocation in &data.environment.invocations {
        origin.add_day(invocation);
    }
    origin.dates()
}

fn chart(block: &Block, quantity: &Quantity, log: bool) -> Result<Vec<Item>, DrawError> {
    let title = &block.title;
    let title = match (block.subtitle().as_str(), &block.technique) {
        ("", _) => title.clone(),
        (subtitle, Some(_)) => format!("{title}: {subtitle}"),
        (subtitle, None) => format!("{title}, {subtitle}"),
    };
    let draw = |whole| lines::draw(&title, block, quantity, log, whole);
    Ok(match Item::chart(block.id.as_str(), &title, draw)? {
        None => vec![Item::Text(format!("{title}: no cell of it has a number."))],
        Some(chart) => [vec![chart], paper::notes_of_chart(block)].concat(),
    })
}

fn text(analysis: &str) -> Vec<Item> {
    let analysis = Some(analysis.trim()).filter(|own| !own.is_empty());
    let item = analysis.map(|own| Item::Text(own.to_owned()));
    item.into_iter().collect()
}

fn heading(id: &str, title: &str) -> String {
    if title.is_empty() { id } else { title }.to_owned()
}
