use std::path::{Path, PathBuf};

use super::analysis::Analysis;
use super::document::{document, tables};
use super::grid::{Document, Item};
use super::markdown::{self, MARKDOWN};
use super::page::{self, PAGE};
use super::{Files, ReportError};

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
    pub tables: Vec<(String, Vec<u8>)>,
    /// Faults of the folder and of the paper's files.
    pub warnings: Vec<String>,
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
}

/// Makes a run's report into a folder. Fails if a file cannot be written.
pub fn write_from(analysis: &Analysis, out_dir: &Path) -> Result<ReportPaths, ReportError> {
    let report = Report::new(analysis)?;
    let mut files = Files::default();
    let paths = collect(&report, out_dir, &mut files);
    files.write()?;
    Ok(paths)
}

/// Adds the files of a run's report: the page with its linked files, and the Markdown.
pub(super) fn collect(report: &Report, out_dir: &Path, files: &mut Files) -> ReportPaths {
    let paths = add_page(report, &report.document, out_dir, files);
    files.add(out_dir.join(MARKDOWN), markdown::render(&report.document));
    paths
}

/// Adds a report's page with its tables and charts; `page` may have more links than the report.
pub(super) fn add_page(
    report: &Report,
    document: &Document,
    out_dir: &Path,
    files: &mut Files,
) -> ReportPaths {
    let tables = report.tables.iter().map(|(id, csv)| {
        let path = out_dir.join("tables").join(format!("{id}.csv"));
        files.add(path, csv.as_slice())
    });
    let tables: Vec<PathBuf> = tables.collect();
    // No chart is inside a fold.
    for item in document.sections.iter().flat_map(|own| &own.items) {
        if let Item::Chart(chart) = item {
            let path = out_dir.join("charts").join(format!("{}.svg", chart.id));
            files.add(path, chart.svg.as_bytes());
        }
    }
    files.own(out_dir.to_owned());
    ReportPaths {
        markdown: out_dir.join(MARKDOWN),
        page: files.add(out_dir.join(PAGE), page::render(document)),
        tables,
        warnings: report.warnings.clone(),
    }
}
