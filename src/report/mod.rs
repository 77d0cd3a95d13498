//! Tables, charts and pages, made from run folders alone.
//!
//! A report needs no device, no game and no clock: it can be made again anywhere from what a run
//! wrote. The same folder gives the same bytes. What is written, into the run folder itself:
//!
//! - `tables/<id>.csv`, one for each table, technique, baseline and device, numbers unformatted;
//!   `tables/headline.csv`, `tables/cells.csv` and `tables/ratios.csv`, which has every ratio, in every
//!   report, `tables/devices.csv` where there are several devices, `tables/claims.csv` and `tables/break-even.csv` where there are claims and
//!   device techniques
//! - `charts/<id>.svg`, the experiment's charts and one of where the time goes for each device
//!   technique
//!   (what `.report-files` says that an earlier report left in these two folders is removed, and nothing else)
//! - `report.md`, GitHub-flavoured Markdown, and `index.html`, one page with everything inside
//!
//! Reports of several runs together ([`make`]) are made in a folder of their own, with a `README.md`
//! that is their first screen.
//!
//! A speed-up is a ratio of medians with its interval, from the raw samples of the passes that both were sampled in, over a named
//! technique of the same host, sampled in turns with it in the same invocation; or over a role: best one core and
//! best CPU, the fastest techniques of the host that answer the same question. None is shown where either side has
//! no right answer, where the two did not search the same positions, where they were not measured together, or
//! where the interval's ends are more than [`stats::WIDEST`](crate::stats::WIDEST) times apart; an interval that
//! contains 1 is a tie.

mod about;
mod asked;
mod block;
mod break_even;
mod chart;
mod claims;
mod command;
mod comparative;
pub mod compare;
mod data;
mod devices;
mod directions;
mod document;
mod figure;
mod files;
mod first;
mod grid;
mod headline;
mod limit;
mod markdown;
mod matches;
pub mod matrix;
mod naming;
mod number;
mod page;
mod paper;
mod peaks;
mod prose;
mod published;
mod rate;
mod ratios;
mod sections;
mod series;
mod shape;
mod table;
mod terminal;
mod variation;
mod warnings;

use std::path::{Path, PathBuf};

pub use comparative::{Made, Together, make};
pub use data::RunData;
pub use files::Files;
pub use peaks::peaks_text;
pub use terminal::terminal_summary;

use crate::config::ConfigError;
use crate::results::ResultsError;
use crate::words::Catalogue;

/// The page, by name in the run folder.
const PAGE: &str = "index.html";
/// The Markdown, by name in the run folder.
const MARKDOWN: &str = "report.md";

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The run folder could not be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The experiment in the run folder is not one, or not one that this program knows.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A table could not be put together.
    #[error("table: {0}")]
    Table(#[from] csv::Error),
    /// A chart could not be drawn.
    #[error("chart: {0}")]
    Chart(String),
    /// A file of the report could not be written.
    #[error("{}: cannot be written: {error}", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        error: std::io::Error,
    },
    /// What an earlier report left could not be read.
    #[error("{}: cannot be read: {error}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        error: std::io::Error,
    },
    /// Runs that cannot stand in one report, or a folder that it cannot be in: one line that says why.
    #[error("{0}")]
    Together(String),
    /// A table or a chart of an earlier report could not be removed.
    #[error("{}: cannot be removed: {error}", .path.display())]
    Remove {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        error: std::io::Error,
    },
}

impl From<chart::DrawError> for ReportError {
    fn from(error: chart::DrawError) -> Self {
        ReportError::Chart(error.to_string())
    }
}

/// Where a report is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportPaths {
    /// The page.
    pub page: PathBuf,
    /// The Markdown.
    pub markdown: PathBuf,
    /// The tables, in the order of the report.
    pub tables: Vec<PathBuf>,
    /// The charts, in the order of the report.
    pub charts: Vec<PathBuf>,
    /// What is wrong with the folder, and what the report had to do without, such as published tables; a line
    /// each.
    pub warnings: Vec<String>,
}

/// Makes the report of each run folder, into the folder itself.
///
/// The catalogue is what the experiment in the folder is read against.
///
/// # Errors
///
/// Where a folder is none, holds another version's files or damaged ones, or cannot be written to.
/// A run that was interrupted is no error.
pub fn write(run_dirs: &[PathBuf], catalogue: &Catalogue) -> Result<Vec<ReportPaths>, ReportError> {
    run_dirs
        .iter()
        .map(|folder| write_from(&RunData::read(folder, catalogue)?, folder))
        .collect()
}

/// Makes the report of a run that is at hand, into a folder.
///
/// # Errors
///
/// Where something cannot be written.
pub fn write_from(data: &RunData, out_dir: &Path) -> Result<ReportPaths, ReportError> {
    let report = document::Report::new(data)?;
    let mut files = Files::default();
    let paths = collect(&report, out_dir, &mut files);
    files.write()?;
    Ok(paths)
}

/// Adds the files of a run's report.
fn collect(report: &document::Report, out_dir: &Path, files: &mut Files) -> ReportPaths {
    let tables = report.tables.iter().map(|(id, csv)| {
        let path = out_dir.join("tables").join(format!("{id}.csv"));
        files.add(path, csv.as_slice())
    });
    let tables: Vec<PathBuf> = tables.collect();
    let charts = report.document.charts().into_iter().map(|chart| {
        let path = out_dir.join("charts").join(format!("{}.svg", chart.id));
        files.add(path, chart.svg.as_bytes())
    });
    let charts: Vec<PathBuf> = charts.collect();
    files.own(out_dir.to_owned());
    let markdown = markdown::render(&report.document);
    let page = page::render(&report.document);
    ReportPaths {
        markdown: files.add(out_dir.join(MARKDOWN), markdown),
        page: files.add(out_dir.join(PAGE), page),
        tables,
        charts,
        warnings: report.warnings.clone(),
    }
}
