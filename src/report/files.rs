//! The files of a report. They are built in memory first, so that they can be compared with the files on disk.

use std::path::{Path, PathBuf};

use super::ReportError;
use super::analysis::Analysis;
use super::document::{document, tables};
use super::grid::{Document, Item};
use super::markdown::{self, MARKDOWN};
use super::page::{self, PAGE};
use crate::results::{ResultsError, make_folder, write_atomically};
use crate::words::read_file;

const FOLDERS: [&str; 2] = ["tables", "charts"];

/// The paths in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportPaths {
    /// The page.
    pub page: PathBuf,
    /// The Markdown.
    pub markdown: PathBuf,
    /// Faults in the folder and omissions from the report, one line each.
    pub warnings: Vec<String>,
}

/// A run's page and tables.
pub(super) struct Report {
    pub document: Document,
    tables: Vec<(String, Vec<u8>)>,
    /// Faults in the folder and in the paper's files.
    warnings: Vec<String>,
}

impl Report {
    pub(super) fn new(analysis: &Analysis) -> Result<Report, ReportError> {
        let (data, folder) = (&analysis.data, analysis.data.folder.display());
        let mut warnings = analysis.warnings.clone();
        warnings.extend(data.warnings.iter().map(|line| format!("{folder}: {line}")));
        warnings.extend(data.findings.iter().map(ToString::to_string));
        Ok(Report {
            tables: tables(analysis)?,
            document: document(analysis)?,
            warnings,
        })
    }

    /// Adds the page, which may have more links than the report, and its tables and charts.
    pub(super) fn add_page(
        &self,
        page: &Document,
        folder: &Path,
        files: &mut Files,
    ) -> ReportPaths {
        for (id, csv) in &self.tables {
            let path = folder.join("tables").join(format!("{id}.csv"));
            files.add(path, csv.as_slice());
        }
        // Folded parts contain no charts.
        for item in page.sections.iter().flat_map(|own| &own.items) {
            if let Item::Chart(chart) = item {
                let path = folder.join("charts").join(format!("{}.svg", chart.id));
                files.add(path, chart.svg.as_bytes());
            }
        }
        ReportPaths {
            markdown: folder.join(MARKDOWN),
            page: files.add(folder.join(PAGE), page::render(page)),
            warnings: self.warnings.clone(),
        }
    }

    /// Adds the page and the Markdown.
    pub(super) fn add(&self, folder: &Path, files: &mut Files) -> ReportPaths {
        let paths = self.add_page(&self.document, folder, files);
        files.add(paths.markdown.clone(), markdown::render(&self.document));
        paths
    }
}

/// Writes a run's report to a folder. Fails if a file cannot be written.
pub fn write_from(analysis: &Analysis, out_dir: &Path) -> Result<ReportPaths, ReportError> {
    let mut files = Files::default();
    let paths = Report::new(analysis)?.add(out_dir, &mut files);
    files.write()?;
    Ok(paths)
}

/// Files in writing order.
#[derive(Clone, Debug, Default)]
pub struct Files(Vec<(PathBuf, Vec<u8>)>);

impl Files {
    pub(crate) fn add(&mut self, path: PathBuf, content: impl Into<Vec<u8>>) -> PathBuf {
        self.0.push((path.clone(), content.into()));
        path
    }

    /// Writes every file and its folders. Fails if the system refuses, or if a link stands in place of a report's
    /// folder. Each file is either replaced as a whole or unchanged.
    pub fn write(&self) -> Result<(), ReportError> {
        for (path, content) in &self.0 {
            let folder = path.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder).map_err(ResultsError::io("written", path))?;
            if FOLDERS.iter().any(|own| folder.ends_with(own)) {
                make_folder(folder)?;
            }
            write_atomically(path, content)?;
        }
        Ok(())
    }

    /// The first file that differs from the file on disk, with the reason, or `None` if all are equal.
    pub fn first_difference(&self) -> Option<String> {
        self.0.iter().find_map(|(path, content)| {
            let why = match read_file(path) {
                Ok(there) if there == *content => return None,
                Ok(_) => "differs from what the run folders give".to_owned(),
                Err(error) => format!("cannot be read: {error}"),
            };
            Some(format!("{}: {why}", path.display()))
        })
    }
}
