//! A run as a [`Document`], with the files beside it.

use std::collections::HashSet;

use super::block::{self, Block, BlockCell};
use super::chart::{DrawError, lines};
use super::claims::{self, Judged};
use super::data::{Index, Origin, RunData};
use super::first::{self, Reproduced, lacking};
use super::grid::{Document, Grid, Item, Section, section};
use super::ladder::{self, Ladder, Question};
use super::{
    ReportError, about, complexity, limit, matches, paper, pictures, positions, sections, table,
};
use crate::config::{Claim, Experiment, Quantity, TableSpec};
use crate::words::{Case, Task};

pub(crate) struct Report {
    pub document: Document,
    pub tables: Vec<(String, Vec<u8>)>,
    /// Faults of the folder and of the paper's numbers and claims.
    pub warnings: Vec<String>,
    pub judged: Vec<Judged>,
    pub question: Option<Question>,
    pub reproduced: Option<Reproduced>,
    pub answer: String,
    /// Cases where the first device is faster than the host's programs.
    pub wins: Vec<String>,
    pub ladders: Vec<Ladder>,
}

impl Report {
    pub(crate) fn new(data: &RunData) -> Result<Self, ReportError> {
        let index = Index::new(data);
        let experiment = &data.experiment;
        let (mut ids, mut warnings, mut tables) = (HashSet::new(), Vec::new(), Vec::new());
        let mut views = Vec::new();
        let has_none = experiment.tables.is_empty();
        let default = default_table(experiment).filter(|_| has_none);
        let tables_of = experiment.tables.iter().chain(&default);
        let specs = tables_of.map(|spec| (spec, false));
        let charts = experiment.charts.iter().map(|spec| (spec, true));
        for (spec, is_chart) in specs.chain(charts) {
            let mut blocks = block::blocks(&index, spec, &mut warnings);
            for block in &mut blocks {
                block.id = unique(&mut ids, &block.id);
                if !is_chart {
                    tables.push((block.id.clone(), table::of_block(&index, block)?));
                }
            }
            views.push(View::new(spec, is_chart, blocks)?);
        }
        let mut own_table = |name: &str, csv| tables.push((unique(&mut ids, name), csv));
        own_table("cells", table::of_cells(&index)?);
        own_table("ratios", table::of_ratios(&index)?);
        let judged = claims::judge(&index, &claims::of_run(data, &mut warnings));
        if !judged.is_empty() {
            own_table("claims", claims::csv(&judged)?);
        }
        let nodes = table::of_nodes(&index)?.map(|csv| own_table("nodes", csv));
        let limit = limit::limit(&index, &mut warnings)?.map(|(section, csv)| {
            own_table(limit::TABLE, csv);
            section
        });

        let question = Question::of(data, &mut warnings);
        let asked = question.as_ref();
        let of_tables = views.iter().filter(|view| !view.is_chart);
        let cells =
            of_tables.flat_map(|view| view.blocks.iter().flat_map(|it| it.cells.iter().flatten()));
        let cells: Vec<&BlockCell> = cells.collect();
        let ladders = asked.map(|asked| ladder::ladders(&index, asked, &cells, &judged));
        let ladders = ladders.unwrap_or_default();
        let (answer, wins) = first::said(&index, &ladders);
        let players = (experiment.task == Task::Match).then(|| first::table_of_players(&index));
        let device = index.devices.first().copied().unwrap_or_default();
        let shown = shown(device, &views, asked);
        let block = shown.and_then(|at| {
            let block = views[at].block(device, asked)?;
            Some((views[at].spec.id.as_str(), block))
        });
        let block = block.filter(|_| players.is_none());
        let reproduced = Reproduced::of(data, asked, block, &judged);
        let results = results(device, &mut views, shown, players, asked);

        let mut own = Vec::new();
        let analysis = text(&experiment.analysis);
        if !analysis.is_empty() {
            let older = lacking(data, asked).map(|technique| {
                Item::Text(format!(
                    "This text is older than `{technique}`, the paper's program. Ratios of other techniques are \
                     not comparable with the paper's."
                ))
            });
            let items = older.into_iter().chain(analysis);
            own.push(section("analysis", "What this is", items));
        }
        if asked.is_some_and(|own| !own.case.is_empty()) {
            own.extend(complexity::show(data, &mut warnings)?);
            own.extend(pictures::show(experiment));
        }
        let views_at = own.len();
        own.extend(matches::matches(&index)?);
        own.extend(positions::positions(&index));
        own.push(sections::time(&index)?);
        own.extend(limit);
        own.push(sections::missing_cells(&index));
        own.extend(sections::variation(&index));
        own.push(sections::warnings(&index, &warnings));
        own.push(about::environment(&index, nodes.is_some()));
        own.push(about::reproduce(&index));
        // An experiment's table may have the id of a section that every report has.
        let mut ids: HashSet<String> = own.iter().map(|section| section.id.clone()).collect();
        ids.extend([first::ID, first::RESULTS, first::CLAIMS].map(str::to_owned));
        for view in &mut views {
            view.section.id = unique(&mut ids, &view.section.id);
        }
        let of_own = own.iter().map(|own| (own.id.clone(), own.id.clone()));
        let of_views = views.iter();
        let of_views = of_views.map(|own| (own.spec.id.clone(), own.section.id.clone()));
        let shown_in: Vec<(String, String)> = of_views.chain(of_own).collect();
        let of_views = views.into_iter().map(|view| view.section);
        own.splice(views_at..views_at, of_views);
        for section in &mut own {
            section.folded = true;
        }
        let link = |claim: &Claim| {
            let found = shown_in.iter().find(|(view, _)| *view == claim.table);
            found.map(|(_, section)| format!("#{section}"))
        };
        let weak_builds = sections::weak_builds(&data.environment);
        let first = first::first(asked, reproduced.as_ref(), &answer, &ladders, weak_builds);
        let mut all = vec![first];
        all.extend(results);
        let claims = claims::section_items(&judged, link);
        if !claims.is_empty() {
            all.push(section(first::CLAIMS, "The paper's claims", claims));
        }
        all.extend(own);
        let folder = data.folder.display();
        let of_folder = data.warnings.iter().map(|line| format!("{folder}: {line}"));
        warnings.extend(of_folder);
        warnings.extend(data.findings.iter().map(ToString::to_string));
        let document = Document {
            title: heading(&experiment.name, &experiment.title),
            lead: lead(&index),
            links: links(data)
                .map(|(name, path)| (name.to_owned(), path.to_owned()))
                .into(),
            sections: all,
            made_from: "Made by Plybench from the run folder alone.".to_owned(),
        };
        Ok(Report {
            document,
            tables,
            warnings,
            judged,
            question,
            reproduced,
            answer,
            wins,
            ladders,
        })
    }
}

/// The table of an experiment without tables: rates or times per technique.
fn default_table(experiment: &Experiment) -> Option<TableSpec> {
    let (title, quantity) = match experiment.task {
        Task::Match => return None,
        Task::Playouts | Task::Choose => ("Games a second", Quantity::PlayoutRate),
        Task::Game => ("Time a position", Quantity::TimePerUnit),
        Task::Search | Task::Perft => ("Time", Quantity::Time),
    };
    let techniques = experiment.techniques.iter();
    Some(TableSpec {
        id: "of-each-technique".to_owned(),
        title: title.to_owned(),
        quantities: vec![quantity],
        rows: vec!["technique".to_owned()],
        columns: experiment.axes.clone(),
        fixed: Case::default(),
        techniques: techniques.map(|own| own.label.clone()).collect(),
        baselines: Vec::new(),
        unit: None,
        log: false,
        published: Vec::new(),
        published_baseline: None,
        analysis: String::new(),
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

struct View<'a> {
    spec: &'a TableSpec,
    is_chart: bool,
    blocks: Vec<Block>,
    section: Section,
}

impl<'a> View<'a> {
    fn new(spec: &'a TableSpec, is_chart: bool, blocks: Vec<Block>) -> Result<Self, DrawError> {
        let mut items = text(&spec.analysis);
        for block in &blocks {
            match is_chart {
                true => items.extend(chart(block, &spec.quantities[0], spec.log)?),
                false => items.extend(paper::items(block)),
            }
        }
        if !is_chart {
            items.push(Item::Text(paper::legend(&blocks)));
        }
        items.extend(Item::few(&items));
        let title = heading(&spec.id, &spec.title);
        Ok(View {
            section: section(&block::slug(&spec.id), &title, items),
            is_chart,
            spec,
            blocks,
        })
    }

    /// The block for the first screen: preferably of the first device, with the paper's technique and numbers.
    fn block(&self, device: &str, question: Option<&Question>) -> Option<&Block> {
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
    fn shares(&self, other: &View<'_>) -> bool {
        let mut files = self.spec.published.iter();
        files.any(|file| other.spec.published.contains(file))
    }
}

/// The view for the first screen: a short table with numbers of the paper, preferably speedups, preferably many.
fn shown(device: &str, views: &[View<'_>], question: Option<&Question>) -> Option<usize> {
    /// A table of more rows is too long for a first screen.
    const LONG: usize = 12;
    let rank = |view: &View<'_>| {
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
fn results(
    device: &str,
    views: &mut [View<'_>],
    shown: Option<usize>,
    players: Option<Grid>,
    question: Option<&Question>,
) -> Option<Section> {
    let table = shown.map(|at| &views[at]);
    let block = table.and_then(|view| Some((view, view.block(device, question)?)));
    let mut items = Vec::new();
    let mut title = "Results";
    match (players, block) {
        (Some(players), _) => items.push(Item::Table(players)),
        (None, Some((view, block))) => {
            let what = [view.section.title.clone(), block.subtitle()];
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
        (None, None) => {}
    }
    let technique = question.map(|question| question.technique.clone());
    let rank = |view: &View<'_>| {
        let is_same = table.is_some_and(|table| table.shares(view));
        let block = view.block(device, question);
        let is_own = block.is_some_and(|block| block.technique == technique);
        (is_same, view.printed() > 0, is_own && technique.is_some())
    };
    let charts = views.iter().enumerate().filter(|(_, view)| view.is_chart);
    let first = charts.rev().max_by_key(|(_, view)| rank(view));
    let first = first.and_then(|(at, view)| Some((at, view.block(device, question)?.id.clone())));
    if let Some((at, id)) = first {
        let own = &mut views[at].section.items;
        let is_it = |item: &Item| matches!(item, Item::Chart(chart) if chart.id == id);
        let place = own.iter().position(is_it);
        items.extend(place.map(|place| own.remove(place)));
    }
    (!items.is_empty()).then(|| section(first::RESULTS, title, items))
}

fn lead(index: &Index<'_>) -> Vec<String> {
    let data = index.data;
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
    let missing = index.cells().filter(|(.., row)| row.is_none()).count();
    let (own, all) = (index.cells().count(), index.whole().count());
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
    Ok(match lines::draw(&title, block, quantity, log)? {
        None => vec![Item::Text(format!("{title}: no cell of it has a number."))],
        Some(svg) => {
            let chart = Item::chart(block.id.as_str(), title, svg);
            [vec![chart], paper::notes_of_chart(block)].concat()
        }
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

fn unique(taken: &mut HashSet<String>, id: &str) -> String {
    let mut candidate = id.to_owned();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{id}-{number}");
        number += 1;
    }
    candidate
}
