//! The files of a report, made in memory first, so that they can be compared with the files on disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::ReportError;
use super::analysis::Analysis;
use super::document::{document, tables};
use super::grid::{Document, Item};
use super::markdown::{self, MARKDOWN};
use super::page::{self, PAGE};
use crate::results::{REPORT_FILES, ResultsError, make_folder, write_atomically};
use crate::words::{read_file, read_text};

/// Starts and ends of the names that a report owns.
const OWN: [(&str, &str); 2] = [("tables/", ".csv"), ("charts/", ".svg")];

/// The paths of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportPaths {
    /// The page.
    pub page: PathBuf,
    /// The Markdown.
    pub markdown: PathBuf,
    /// The tables, in the report's order.
    pub tables: Vec<PathBuf>,
    /// Faults of the folder and omissions of the report, one line each.
    pub warnings: Vec<String>,
}

/// A run's page and tables.
pub(super) struct Report {
    pub document: Document,
    tables: Vec<(String, Vec<u8>)>,
    /// Faults of the folder and of the paper's files.
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

    /// Adds the page, which may have more links than the report, with its tables and charts.
    pub(super) fn add_page(
        &self,
        page: &Document,
        folder: &Path,
        files: &mut Files,
    ) -> ReportPaths {
        let tables = self.tables.iter().map(|(id, csv)| {
            let path = folder.join("tables").join(format!("{id}.csv"));
            files.add(path, csv.as_slice())
        });
        let tables: Vec<PathBuf> = tables.collect();
        // No chart is inside a fold.
        for item in page.sections.iter().flat_map(|own| &own.items) {
            if let Item::Chart(chart) = item {
                let path = folder.join("charts").join(format!("{}.svg", chart.id));
                files.add(path, chart.svg.as_bytes());
            }
        }
        files.own(folder.to_owned());
        ReportPaths {
            markdown: folder.join(MARKDOWN),
            page: files.add(folder.join(PAGE), page::render(page)),
            tables,
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

/// Makes a run's report into a folder. Fails if a file cannot be written.
pub fn write_from(analysis: &Analysis, out_dir: &Path) -> Result<ReportPaths, ReportError> {
    let mut files = Files::default();
    let paths = Report::new(analysis)?.add(out_dir, &mut files);
    files.write()?;
    Ok(paths)
}

/// Files in writing order.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: Vec<(PathBuf, Vec<u8>)>,
    reports: Vec<PathBuf>,
}

impl Files {
    pub(crate) fn add(&mut self, path: PathBuf, content: impl Into<Vec<u8>>) -> PathBuf {
        self.files.push((path.clone(), content.into()));
        path
    }

    /// Owns a report's folder: tables and charts of an earlier report are removed, other files stay.
    pub(crate) fn own(&mut self, folder: PathBuf) {
        self.reports.push(folder);
    }

    /// Writes every file and its folders, then removes files of an earlier report. Fails if the system refuses, or for
    /// a link in place of a folder; each file is replaced whole or unchanged.
    pub fn write(&self) -> Result<(), ReportError> {
        for report in &self.reports {
            // Earlier files too, until they are removed.
            write_list(report, &(&listed(report)? | &self.names(report)))?;
        }
        for (path, content) in &self.files {
            let folder = path.parent().unwrap_or(Path::new("."));
            let mut reports = self.reports.iter();
            if reports.any(|own| Some(own.as_path()) == folder.parent()) {
                make_folder(folder)?;
            }
            std::fs::create_dir_all(folder).map_err(ResultsError::io("written", path))?;
            // If the disk is full, an earlier report stays whole.
            write_atomically(path, content)?;
        }
        for report in &self.reports {
            for path in self.strangers(report)? {
                std::fs::remove_file(&path).map_err(ResultsError::io("removed", &path))?;
            }
            write_list(report, &self.names(report))?;
        }
        Ok(())
    }

    fn names(&self, report: &Path) -> BTreeSet<String> {
        let files = self.files.iter();
        let names = files.filter_map(|(path, _)| path.strip_prefix(report).ok()?.to_str());
        own_names(names)
    }

    /// Files of an earlier report, but for links and files in linked folders.
    fn strangers(&self, report: &Path) -> Result<Vec<PathBuf>, ReportError> {
        let strangers = &listed(report)? - &self.names(report);
        let mut paths: Vec<PathBuf> = strangers.iter().map(|name| report.join(name)).collect();
        let kind = |path: &Path| path.symlink_metadata().ok();
        let is_folder = |path: &Path| kind(path).is_some_and(|it| it.is_dir());
        paths.retain(|path| {
            path.parent().is_some_and(is_folder) && kind(path).is_some_and(|it| it.is_file())
        });
        Ok(paths)
    }

    /// The first file that differs from disk, and why; `None` if all are equal. Fails if a folder is unreadable.
    pub fn first_difference(&self) -> Result<Option<String>, ReportError> {
        for (path, content) in &self.files {
            let shown = path.display();
            let there = match read_file(path) {
                Ok(there) if there == *content => continue,
                Ok(there) => there,
                Err(error) => return Ok(Some(format!("{shown}: cannot be read: {error}"))),
            };
            let [there, ours] = [&there, content].map(|all| all.split(|byte| *byte == b'\n'));
            let line = 1 + there.zip(ours).take_while(|(a, b)| a == b).count();
            return Ok(Some(format!(
                "{shown}: differs from line {line} on from what the run folders give"
            )));
        }
        for report in &self.reports {
            if let Some(path) = self.strangers(report)?.first() {
                let path = path.display();
                return Ok(Some(format!("{path}: is in no report any more")));
            }
        }
        Ok(None)
    }
}

/// The names of tables and charts among some names.
fn own_names<'n>(names: impl Iterator<Item = &'n str>) -> BTreeSet<String> {
    let is_own = |name: &&str| {
        OWN.iter().any(|(start, end)| {
            let rest = name.strip_prefix(start);
            let id = rest.and_then(|rest| rest.strip_suffix(end));
            id.is_some_and(|id| !id.is_empty() && !id.contains(std::path::is_separator))
        })
    };
    names.filter(is_own).map(str::to_owned).collect()
}

fn listed(report: &Path) -> Result<BTreeSet<String>, ReportError> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    let path = report.join(REPORT_FILES);
    match read_text(&path) {
        Ok(text) => Ok(own_names(text.lines())),
        // If the path is no folder, writing reports the fault.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(BTreeSet::new()),
        Err(error) => Err(ResultsError::io("read", &path)(error).into()),
    }
}

fn write_list(report: &Path, names: &BTreeSet<String>) -> Result<(), ReportError> {
    if names == &listed(report)? {
        return Ok(());
    }
    std::fs::create_dir_all(report).map_err(ResultsError::io("written", report))?;
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    let list = report.join(REPORT_FILES);
    Ok(write_atomically(&list, text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_and_goes_when_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut files = Files::default();
        files.add(at("a.md"), "one\ntwo\n");
        files.add(at("tables/b.csv"), "1");
        files.own(folder.path().to_owned());
        let mut before = files.clone();
        before.add(at("tables/old.csv"), "x");
        let difference = || files.first_difference().unwrap().unwrap_or_default();
        assert!(difference().starts_with(&at("a.md").display().to_string()));
        before.write().unwrap();
        let old = format!(
            "{}: is in no report any more",
            at("tables/old.csv").display()
        );
        assert_eq!(difference(), old);
        std::fs::write(at("tables/own.csv"), "x").unwrap();
        files.write().unwrap();
        assert_eq!(difference(), "");
        assert!(!at("tables/old.csv").exists() && at("tables/own.csv").is_file());
        std::fs::write(at("a.md"), "one\nthree\n").unwrap();
        let holds = difference().contains("differs from line 2 on");
        assert!(holds, "{}", difference());
    }
}
