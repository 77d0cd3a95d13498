//! Builds the files of a report in memory, so that they can be written or compared with the files on disk.

use std::path::{Path, PathBuf};

use super::ReportError;
use super::analysis::Analysis;
use super::document::{document, tables};
use super::grid::{Document, Item};
use super::markdown::{self, MARKDOWN};
use super::page::{self, PAGE};
use crate::results::{ResultsError, make_folder, write_atomically};
use crate::words::read_file;

/// Reports that have not been written yet.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// All files of the reports, in the order in which they are written.
    files: Vec<(PathBuf, Vec<u8>)>,
    /// The Markdown file and the page of each report, or the landing page of a site.
    pub pages: Vec<PathBuf>,
    /// Faults in the folders and omissions from the reports, one line each.
    pub warnings: Vec<String>,
    /// True if a row in any folder contradicts its samples, its key or its invocation.
    pub has_damage: bool,
}

impl Made {
    /// Adds warnings for the faults in a folder and in the paper's files.
    pub(super) fn warn(&mut self, analysis: &Analysis) {
        let (data, folder) = (&analysis.data, analysis.data.folder.display());
        let lines = data.warnings.iter().map(|line| format!("{folder}: {line}"));
        let lines = analysis.warnings.iter().cloned().chain(lines);
        let findings = data.findings.iter().map(ToString::to_string);
        self.warnings.extend(lines.chain(findings));
        self.has_damage |= !data.findings.is_empty();
    }

    pub(super) fn add(&mut self, path: PathBuf, content: impl Into<Vec<u8>>) -> PathBuf {
        self.files.push((path.clone(), content.into()));
        path
    }

    /// Adds a page with its tables and charts.
    pub(super) fn add_page(&mut self, own: &Analysis, page: &Document, folder: &Path) -> PathBuf {
        for (id, csv) in tables(own) {
            self.add(folder.join("tables").join(format!("{id}.csv")), csv);
        }
        // Folded parts contain no charts.
        for item in page.sections.iter().flat_map(|own| &own.items) {
            if let Item::Chart(chart) = item {
                let path = folder.join("charts").join(format!("{}.svg", chart.id));
                self.add(path, chart.svg.as_bytes());
            }
        }
        self.add(folder.join(PAGE), page::render(page))
    }

    pub(super) fn add_report(&mut self, own: &Analysis, document: &Document, folder: &Path) {
        let page = self.add_page(own, document, folder);
        let markdown = self.add(folder.join(MARKDOWN), markdown::render(document));
        self.pages.extend([markdown, page]);
    }

    /// Writes every file and its folders. Fails if the system refuses, or if a report's folder is a link. Each file is
    /// either replaced as a whole or unchanged.
    pub fn write(&self) -> Result<(), ReportError> {
        for (path, content) in &self.files {
            let folder = path.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder).map_err(ResultsError::io("written", path))?;
            if folder.ends_with("tables") || folder.ends_with("charts") {
                make_folder(folder)?;
            }
            write_atomically(path, content)?;
        }
        Ok(())
    }

    /// Finds the first file that differs from the file on disk. Returns its path with the reason, or `None`.
    pub fn first_difference(&self) -> Option<String> {
        self.files.iter().find_map(|(path, content)| {
            let why = match read_file(path) {
                Ok(there) if there == *content => return None,
                Ok(_) => "differs from what the run folders give".to_owned(),
                Err(error) => format!("cannot be read: {error}"),
            };
            Some(format!("{}: {why}", path.display()))
        })
    }
}

/// Writes a run's report to a folder. Fails if a file cannot be written.
pub fn write_from(analysis: &Analysis, out_dir: &Path) -> Result<Made, ReportError> {
    let mut made = Made::default();
    made.warn(analysis);
    made.add_report(analysis, &document(analysis), out_dir);
    made.write()?;
    Ok(made)
}
