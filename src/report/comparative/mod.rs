//! One report of several run folders: techniques × devices.
//!
//! Every speed-up is over a technique of its own host in its own run, as in the run's report. Nothing is
//! divided across hosts, and no samples of two runs are put together. Runs of one experiment that were made
//! by unlike programs or builds, on unlike systems or of unlike files are set apart, each group by itself, with
//! what differs.

mod experiments;
mod first;
mod insert;
mod overview;
mod parts;
mod tables;
mod unlike;
mod verdicts;

use std::path::{Path, PathBuf};

use self::parts::{Loaded, Parts, README};
use super::document::Report;
use super::grid::{Document, Item, Link, Section};
use super::markdown::{self, MARKDOWN};
use super::page::{self, PAGE};
use super::sections::section;
use super::write::collect;
use super::{Files, ReportError, ReportPaths, RunData};
use crate::words::Catalogue;

/// How a page that was made here begins, so that no other is overwritten.
const MADE: &str = "<!-- made by bench report: what is changed here is lost -->\n";
/// The title of the whole.
const TITLE: &str = "Techniques and devices";

/// Where a report of all runs together is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Together<'a> {
    /// The folder for it.
    pub out: &'a Path,
    /// A page that its table and its chart are put into, between
    /// `<!-- reports:begin -->` and `<!-- reports:end -->`.
    pub insert: Option<&'a Path>,
}

/// Reports that were made and not yet written.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// All their files.
    pub files: Files,
    /// Where each run's own report goes.
    pub reports: Vec<ReportPaths>,
    /// Whether a row of some folder does not agree with its samples, its key or its invocation.
    pub has_damage: bool,
    /// The Markdown and the page of the report of all runs together, where one is wanted.
    pub together: Option<(PathBuf, PathBuf)>,
}

/// Makes the report of each run folder and, where it is wanted, one of all together. Nothing is written.
///
/// The same folders give the same bytes, in whatever order they are named.
///
/// # Errors
///
/// Where a folder is no run folder or damaged; where two folders hold the same experiment of one machine
/// and device, or the runs of one machine were made on unlike processors; where the folder for the report
/// holds something else's README; where the page to put it into has no place for it.
pub fn make(
    runs: &[PathBuf],
    together: Option<Together<'_>>,
    catalogue: &Catalogue,
) -> Result<Made, ReportError> {
    let mut made = Made::default();
    let mut loaded = Vec::new();
    for folder in runs {
        let data = RunData::read(folder, catalogue)?;
        let report = Report::new(&data)?;
        made.has_damage |= data.has_damage();
        made.reports.push(collect(&report, folder, &mut made.files));
        loaded.push(Loaded { data, report });
    }
    let Some(Together { out, insert }) = together else {
        return Ok(made);
    };
    let parts = Parts::new(&loaded, out)?;
    refuse_strangers(out)?;
    let tables = tables::all(&parts)?;
    for (id, csv) in tables {
        let path = out.join("tables").join(format!("{id}.csv"));
        made.files.add(path, csv);
    }
    let overview = overview::sections(&parts)?;
    let mut whole = Document {
        title: TITLE.to_owned(),
        lead: lead(&parts),
        sections: overview.clone(),
        made_from: "Made by Plybench from the run folders that it links.".to_owned(),
    };
    whole.sections.extend(experiments::sections(&parts));
    for chart in whole.charts() {
        let path = out.join("charts").join(format!("{}.svg", chart.id));
        made.files.add(path, chart.svg.as_bytes());
    }
    made.files.own(out.to_owned());
    let begin = Document {
        sections: beginning(overview),
        ..whole.clone()
    };
    let readme = format!("{MADE}\n{}", markdown::render(&begin));
    made.files.add(out.join(README), readme);
    made.together = Some((
        made.files.add(out.join(MARKDOWN), markdown::render(&whole)),
        made.files.add(out.join(PAGE), page::render(&whole)),
    ));
    if let Some(page) = insert {
        let items = overview::short(&parts)?;
        let text = insert::into(page, &items, out).map_err(ReportError::Together)?;
        made.files.add(page.to_owned(), text);
    }
    Ok(made)
}

/// Refuses a folder whose README or tables are somebody else's.
fn refuse_strangers(out: &Path) -> Result<(), ReportError> {
    let shown = out.display();
    if out.join("environment.toml").exists() {
        return Err(ReportError::Together(format!(
            "--out {shown}: is a run folder; name another one for the report of all together"
        )));
    }
    let readme = out.join(README);
    let ours = match crate::words::read_text(&readme) {
        Ok(text) => text.starts_with(MADE),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let others = ["tables", "charts", MARKDOWN, PAGE];
            !others.iter().any(|name| out.join(name).exists())
        }
        Err(_) => false,
    };
    match ours {
        true => Ok(()),
        false => Err(ReportError::Together(format!(
            "--out {shown}: holds a {README}, tables, charts or a report that bench report did not make; \
             name another folder"
        ))),
    }
}

fn lead(parts: &Parts<'_>) -> Vec<String> {
    let count = |number: usize, one: &str, many: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    };
    let devices = parts.columns.iter().filter(|column| column.is_device());
    vec![
        format!(
            "{} of {} on {}, {} in all",
            count(parts.all.len(), "run", "runs"),
            count(parts.experiments().len(), "experiment", "experiments"),
            count(parts.machines.len(), "machine", "machines"),
            count(devices.count(), "device", "devices"),
        ),
        "Each speed-up is over a technique of the same host, measured in the same invocation, never across hosts."
            .to_owned(),
    ]
}

/// The first sections as a page of their own: what they link further down is in the whole report.
fn beginning(mut sections: Vec<Section>) -> Vec<Section> {
    let own: Vec<String> = sections.iter().map(|section| section.id.clone()).collect();
    for section in &mut sections {
        lead_out(&mut section.items, &own);
    }
    let whole = "The techniques of each experiment, case by case, are in [the whole report](report.md), and \
        as one page in `index.html`. Every ratio, time and verdict of this page is in `tables/`, \
        numbers of samples in each run's `measurements.csv`.";
    sections.push(section("more", "More", vec![Item::Text(whole.to_owned())]));
    sections
}

fn lead_out(items: &mut [Item], own: &[String]) {
    for item in items {
        match item {
            Item::Table(grid) => {
                for entry in grid.rows.iter_mut().flatten() {
                    if let Some(Link::Section(id)) = &entry.link
                        && !own.contains(id)
                    {
                        entry.link = Some(Link::Whole {
                            folder: String::new(),
                            section: Some(id.clone()),
                        });
                    }
                }
            }
            Item::Folded(_, inside) => lead_out(inside, own),
            _ => {}
        }
    }
}
