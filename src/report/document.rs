//! A run as a [`Document`], with everything that is written beside it.

use std::collections::HashSet;

use super::block::{self, Block, Shape};
use super::break_even;
use super::chart::lines;
use super::claims::{self, Judged};
use super::data::{Index, RunData};
use super::first;
use super::grid::{Chart, Document, Item, Link, Section};
use super::headline::{Headline, headlines};
use super::sections::{self, section};
use super::{ReportError, about, devices, limit, matches, paper, table, variation, warnings};
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
    /// The best of each device and family.
    pub headlines: Vec<Headline>,
    /// The paper's claims with their verdicts.
    pub judged: Vec<Judged>,
    /// The section of each table and chart of the experiment, by their ids.
    pub shown_in: Vec<(String, String)>,
}

impl Report {
    pub(crate) fn new(data: &RunData) -> Result<Self, ReportError> {
        let index = Index::new(data);
        let mut ids = HashSet::new();
        let mut warnings = Vec::new();
        let mut tables = Vec::new();
        let mut paper_sections = Vec::new();
        for spec in &data.experiment.tables {
            let mut blocks = block::blocks(&index, &Shape::from(spec), &mut warnings);
            for block in &mut blocks {
                block.id = unique(&mut ids, &block.id);
                tables.push((block.id.clone(), table::of_block(&index, block)?));
            }
            paper_sections.push(of_table(&spec.id, &spec.title, &spec.analysis, &blocks));
        }
        for spec in &data.experiment.charts {
            let mut blocks = block::blocks(&index, &Shape::from(spec), &mut warnings);
            for block in &mut blocks {
                block.id = unique(&mut ids, &block.id);
            }
            paper_sections.push(of_chart(
                &spec.id,
                &spec.title,
                &spec.analysis,
                (&spec.quantity, spec.log),
                &blocks,
            )?);
        }
        let headlines = headlines(&index);
        tables.push((
            unique(&mut ids, "headline"),
            table::of_headline(&index, &headlines)?,
        ));
        tables.push((unique(&mut ids, "cells"), table::of_cells(&index)?));
        tables.push((unique(&mut ids, "ratios"), table::of_ratios(&index)?));
        if devices::several(&index) {
            tables.push((unique(&mut ids, "devices"), devices::csv(&index)?));
        }
        let judged = claims::judge(&index, &claims::of_run(data, &mut warnings));
        if !judged.is_empty() {
            tables.push((unique(&mut ids, "claims"), claims::csv(&judged)?));
        }
        let break_even = break_even::find(&index);
        if !break_even.is_empty() {
            let csv = break_even::csv(&index, &break_even)?;
            tables.push((unique(&mut ids, "break-even"), csv));
        }

        let peaks = limit::PeaksFile::find(data, &mut warnings);
        let limit = limit::limit(&index, peaks.as_ref())?;
        let limit = limit.map(|(section, csv)| {
            tables.push((unique(&mut ids, limit::TABLE), csv));
            section
        });

        let mut all = Vec::new();
        if !data.experiment.analysis.trim().is_empty() {
            let text = Item::Text(data.experiment.analysis.trim().to_owned());
            all.push(section("analysis", "What this is", vec![text]));
        }
        if data.experiment.task != Task::Match {
            all.push(sections::headline(&index, &headlines));
        }
        all.extend(devices::section(&index));
        let own = all.len();
        all.extend(matches::matches(&index));
        all.extend(break_even::show(&index, &break_even));
        all.push(sections::time(&index)?);
        all.extend(limit);
        all.push(sections::cells(&index));
        all.push(sections::missing_cells(&index));
        all.extend(variation::show(&index));
        all.push(warnings::warnings(&index, &warnings));
        all.push(about::environment(&index));
        all.push(about::reproduce(&index));
        // An experiment may give a table the id of a section that every report has.
        let mut ids: HashSet<String> = all.iter().map(|section| section.id.clone()).collect();
        ids.insert(first::ID.to_owned());
        let mut shown_in: Vec<(String, String)> = Vec::new();
        let experiment = &data.experiment;
        let views = experiment.tables.iter().map(|spec| &spec.id);
        let views = views.chain(experiment.charts.iter().map(|spec| &spec.id));
        for (section, view) in paper_sections.iter_mut().zip(views) {
            section.id = unique(&mut ids, &section.id);
            shown_in.push((view.clone(), section.id.clone()));
        }
        // Of a report's own sections, those that it has in this run.
        shown_in.extend(all.iter().map(|own| (own.id.clone(), own.id.clone())));
        all.splice(own..own, paper_sections);
        let link = |claim: &Claim| {
            let section = section_of(&shown_in, &claim.table)?;
            Some(Link::Section(section.to_owned()))
        };
        all.insert(0, first::first(&index, &headlines, &judged, link));
        let document = Document {
            title: title(data),
            lead: lead(&index),
            sections: all,
            made_from: "Made by Plybench from the run folder that holds this page.".to_owned(),
        };
        let folder = data.folder.display();
        let of_folder = data.warnings.iter().map(|line| format!("{folder}: {line}"));
        warnings.extend(of_folder);
        Ok(Report {
            document,
            tables,
            warnings,
            headlines,
            judged,
            shown_in,
        })
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
        lines.push(format!("Reproduces: {}", data.experiment.paper));
    }
    let host = &data.environment.host;
    lines.push(format!("Host: {}, {} threads", host.cpu, host.threads));
    for device in &data.environment.devices {
        lines.push(format!(
            "Device: {} ({}, driver {})",
            device.label, device.platform, device.driver
        ));
    }
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

fn of_table(id: &str, title: &str, analysis: &str, blocks: &[Block]) -> Section {
    let mut items = Vec::new();
    items.extend(text(analysis));
    items.extend(blocks.iter().flat_map(paper::items));
    // Once below all blocks: it is long.
    let few = |item: &Item| matches!(item, Item::Table(grid) if grid.has_few());
    if items.iter().any(few) {
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
