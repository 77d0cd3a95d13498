//! Tables, charts and pages, made from run folders alone.
//!
//! A report needs no device, no game and no clock: it can be made again anywhere from what a run
//! wrote. The same folder gives the same bytes. What is written, into the run folder itself:
//!
//! - `tables/<id>.csv`, one for each table, technique, baseline and device, numbers unformatted;
//!   `tables/headline.csv` and `tables/cells.csv` in every report
//! - `charts/<id>.svg`, the experiment's charts and one of where the time goes for each device
//!   technique
//!   (what an earlier report left in these two folders is removed)
//! - `report.md`, GitHub-flavoured Markdown, and `index.html`, one page with everything inside
//!
//! A speed-up is a ratio of medians with its bootstrap interval, from the raw samples, against a
//! named baseline on the same host in the same run. None is shown where either side has no right
//! answer, where the two did not search the same positions, or where the interval's ends are more
//! than [`stats::WIDEST`](crate::stats::WIDEST) times apart; an interval that contains 1 is a tie.

mod about;
mod asked;
mod block;
mod chart;
mod command;
mod data;
mod directions;
mod document;
mod figure;
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
mod sections;
mod table;
mod terminal;
mod warnings;

use std::path::{Path, PathBuf};

pub use data::RunData;
pub use peaks::peaks_text;
pub use terminal::terminal_summary;

use crate::config::ConfigError;
use crate::results::{ResultsError, write_atomically};
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
    /// What the report had to do without, a line each: published tables that are missing.
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
    let mut paths = ReportPaths {
        page: out_dir.join(PAGE),
        markdown: out_dir.join(MARKDOWN),
        tables: Vec::new(),
        charts: Vec::new(),
        warnings: report.warnings.clone(),
    };
    for (id, csv) in &report.tables {
        paths
            .tables
            .push(put(out_dir.join("tables").join(format!("{id}.csv")), csv)?);
    }
    for chart in report.charts() {
        let path = out_dir.join("charts").join(format!("{}.svg", chart.id));
        paths.charts.push(put(path, chart.svg.as_bytes())?);
    }
    remove_others(&out_dir.join("tables"), "csv", &paths.tables)?;
    remove_others(&out_dir.join("charts"), "svg", &paths.charts)?;
    put(
        paths.markdown.clone(),
        markdown::render(&report.document).as_bytes(),
    )?;
    put(
        paths.page.clone(),
        page::render(&report.document).as_bytes(),
    )?;
    Ok(paths)
}

/// Removes the files with this ending that are none of `written`: an earlier report's, whose
/// experiment had other tables or whose run had other devices. Nothing else in the folder is ours.
fn remove_others(folder: &Path, ending: &str, written: &[PathBuf]) -> Result<(), ReportError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| ReportError::Remove { path, error }
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        // A report without charts makes no folder for them.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(folder)(error)),
    };
    for entry in entries {
        let entry = entry.map_err(failed(folder))?;
        let path = entry.path();
        let is_file = entry.file_type().map_err(failed(&path))?.is_file();
        let has_ending = path.extension().is_some_and(|own| own == ending);
        if is_file && has_ending && !written.contains(&path) {
            std::fs::remove_file(&path).map_err(failed(&path))?;
        }
    }
    Ok(())
}

/// Writes a file, and the folder that it is in.
fn put(path: PathBuf, content: &[u8]) -> Result<PathBuf, ReportError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| ReportError::Write {
        path: path.clone(),
        error,
    })?;
    // Where the disk is full, an earlier report stays whole.
    write_atomically(&path, content)?;
    Ok(path)
}
