//! The site: a page for each run, one that leads to all, and what of it stands in the repository's own pages. Nothing is
//! divided across hosts, and no samples of two runs are put together.

mod landing;
mod runs;
mod summary;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use self::runs::{Run, Runs};
use super::document::Report;
use super::page::{self, PAGE};
use super::write::{add_page, collect};
use super::{Files, ReportError, ReportPaths, RunData};
use crate::words::{Catalogue, read_file, read_text};

/// The files of a run folder that its page on the site links, where the run has them.
const RAW: [&str; 6] = [
    "samples.csv",
    "measurements.csv",
    "facts.csv",
    "resources.csv",
    "environment.toml",
    "experiment.toml",
];

/// What every page of ours ends with, so that no other is overwritten.
const MADE: &str = "Made by Plybench from";

/// What is wanted of several runs together.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The folder for the site, where one is wanted.
    pub out: Option<&'a Path>,
    /// Markdown pages whose parts between marks are made: the results between `<!-- reports:begin -->` and
    /// `<!-- reports:end -->`, the list of runs between `<!-- runs:begin -->` and `<!-- runs:end -->`.
    pub insert: &'a [PathBuf],
    /// The file for the chart of the results.
    pub chart: Option<&'a Path>,
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
    /// The page that leads to all, where a site is wanted.
    pub landing: Option<PathBuf>,
}

/// Makes the report of each run into its folder or, where that is wanted, what all of them give together. Nothing
/// is written. The same folders give the same bytes, in whatever order they are named.
///
/// # Errors
///
/// Where a folder is no run folder or damaged; where two folders hold the same experiment of one machine; where
/// the folder for the site holds something else; where a page to put a part into has no place for it.
pub fn make(
    folders: &[PathBuf],
    site: Option<Site<'_>>,
    catalogue: &Catalogue,
) -> Result<Made, ReportError> {
    type Loaded = Result<(RunData, Report), ReportError>;
    let read = |folder: &PathBuf| -> Loaded {
        let data = RunData::read(folder, catalogue)?;
        let report = Report::new(&data)?;
        Ok((data, report))
    };
    let loaded: Vec<Loaded> = folders.par_iter().map(read).collect();
    let loaded = loaded.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut made = Made {
        has_damage: loaded.iter().any(|(data, _)| data.has_damage()),
        ..Made::default()
    };
    let Some(Site { out, insert, chart }) = site else {
        for (data, report) in &loaded {
            let paths = collect(report, &data.folder, &mut made.files);
            made.reports.push(paths);
        }
        return Ok(made);
    };
    let runs = Runs::new(loaded)?;
    if let Some(out) = out {
        refuse_strangers(out)?;
        for run in &runs.all {
            let paths = page_of(run, &runs, out, &mut made.files)?;
            made.reports.push(paths);
        }
        let landing = landing::landing(&runs)?;
        made.landing = Some(made.files.add(out.join(PAGE), page::render(&landing)));
        let path = out.join(landing::MATCHES).join(PAGE);
        made.files.add(path, page::render(&landing::matches(&runs)));
        made.files.own(out.to_owned());
    }
    if let Some(path) = chart {
        let svg = landing::chart(&runs)?.map_or_else(String::new, |chart| chart.svg);
        made.files.add(path.to_owned(), svg);
    }
    for page in insert {
        let text = summary::into(page, &runs, chart).map_err(ReportError::Together)?;
        made.files.add(page.clone(), text);
    }
    Ok(made)
}

/// The page of a run on the site, what it links, and the ways from it to the others.
fn page_of(
    run: &Run,
    runs: &Runs,
    out: &Path,
    files: &mut Files,
) -> Result<ReportPaths, ReportError> {
    let folder = out.join(&run.machine).join(run.experiment());
    let mut report = run.report.document.clone();
    let mut links = vec![("All results".to_owned(), format!("../../{PAGE}"))];
    let others = runs.of(run.experiment());
    let others = others.filter(|other| other.machine != run.machine);
    links.extend(others.map(|other| {
        let cases = &run.data.experiment.cases;
        let mut theirs = other.data.experiment.cases.iter();
        let unlike = match theirs.any(|case| cases.contains(case)) {
            true => "",
            false => " (other cases)",
        };
        let name = format!("Also on {}{unlike}", other.machine);
        (name, format!("../../{}{PAGE}", other.way()))
    }));
    report.links.splice(0..0, links);
    for name in RAW {
        let path = run.data.folder.join(name);
        if path.is_file() {
            let bytes = read_file(&path).map_err(ReportError::of("read", &path))?;
            files.add(folder.join(name), bytes);
        }
    }
    Ok(add_page(&run.report, &report, &folder, files))
}

/// Refuses a folder that is a run's, or whose page is somebody else's.
fn refuse_strangers(out: &Path) -> Result<(), ReportError> {
    let refused = |why: String| {
        let out = out.display();
        Err(ReportError::Together(format!("--out {out}: {why}")))
    };
    match read_text(&out.join(PAGE)) {
        _ if out.join("environment.toml").exists() => {
            refused("is a run folder; name another one for the site".to_owned())
        }
        Ok(text) if !text.contains(MADE) => refused(format!(
            "holds an {PAGE} that bench report did not make; name another folder"
        )),
        _ => Ok(()),
    }
}
