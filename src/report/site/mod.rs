//! The site: a page per run, a landing page, and parts of the repository's pages. No ratio crosses hosts or runs.

mod landing;
mod runs;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use self::runs::{Run, Runs};
use super::analysis::{Analysis, analyse};
use super::files::Report;
use super::grid::Item;
use super::page::{self, PAGE};
use super::{Files, ReportError, ReportPaths, RunData};
use crate::results::ResultsError;
use crate::words::{Catalogue, read_file, read_text};

const RAW: [&str; 7] = [
    "samples.csv",
    "samples.csv.gz",
    "measurements.csv",
    "facts.csv",
    "resources.csv",
    "environment.toml",
    "experiment.toml",
];

/// The end of every generated page, so that no other page is overwritten.
const MADE: &str = "Made by Plybench from";

/// Outputs of several runs together.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The folder for the site, if any.
    pub out: Option<&'a Path>,
    /// Markdown pages with generated parts: results between `<!-- reports:begin -->` and `<!-- reports:end -->`, the
    /// list of runs between `<!-- runs:begin -->` and `<!-- runs:end -->`.
    pub insert: &'a [PathBuf],
    /// The file for the chart of the results.
    pub chart: Option<&'a Path>,
}

/// Reports that are not yet written.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// All their files.
    pub files: Files,
    /// The path of each run's report.
    pub reports: Vec<ReportPaths>,
    /// True if a row of some folder contradicts its samples, its key or its invocation.
    pub has_damage: bool,
    /// The landing page, if a site is requested.
    pub landing: Option<PathBuf>,
}

/// Makes each run's report, or the requested outputs of all runs, without writing. The same folders give the same
/// bytes, in any order. Fails for a damaged folder, two runs of one experiment on one machine, other files in the
/// site's folder, or a page without marks.
pub fn make(
    folders: &[PathBuf],
    site: Option<Site<'_>>,
    catalogue: &Catalogue,
) -> Result<Made, ReportError> {
    type Loaded = Result<(Analysis, Report), ReportError>;
    let read = |folder: &PathBuf| -> Loaded {
        let analysis = analyse(RunData::read(folder, catalogue)?);
        let report = Report::new(&analysis)?;
        Ok((analysis, report))
    };
    // The system may have no threads left for a pool.
    let loaded: Vec<Loaded> = match rayon::ThreadPoolBuilder::new().build() {
        Ok(pool) => pool.install(|| folders.par_iter().map(read).collect()),
        Err(_) => folders.iter().map(read).collect(),
    };
    let loaded = loaded.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut made = Made {
        has_damage: loaded.iter().any(|(own, _)| own.data.has_damage()),
        ..Made::default()
    };
    let Some(Site { out, insert, chart }) = site else {
        for (analysis, report) in &loaded {
            let paths = report.add(&analysis.data.folder, &mut made.files);
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
    }
    if let Some(path) = chart {
        let svg = match landing::chart(&runs)? {
            Some(Item::Chart(chart)) => chart.svg,
            _ => String::new(),
        };
        made.files.add(path.to_owned(), svg);
    }
    for page in insert {
        let text = landing::into(page, &runs, chart).map_err(ReportError::Together)?;
        made.files.add(page.clone(), text);
    }
    Ok(made)
}

fn page_of(
    run: &Run,
    runs: &Runs,
    out: &Path,
    files: &mut Files,
) -> Result<ReportPaths, ReportError> {
    let folder = out.join(&run.machine).join(run.experiment());
    // A page has copies of its run's files. They must not replace the run's files.
    let there = folder.canonicalize().ok();
    let is_there = |own: &Path| there.is_some() && own.canonicalize().ok() == there;
    let mut all = runs.all.iter();
    if folder.join("lock").exists() || all.any(|it| is_there(&it.data().folder)) {
        let (out, folder) = (out.display(), folder.display());
        return Err(ReportError::Together(format!(
            "--out {out}: {folder} is a run folder; name another folder for the site"
        )));
    }
    let mut page = run.report.document.clone();
    let mut links = vec![("All results".to_owned(), format!("../../{PAGE}"))];
    let others = runs.of(run.experiment());
    let others = others.filter(|other| other.machine != run.machine);
    links.extend(others.map(|other| {
        let name = format!("Also on {}", other.machine);
        (name, format!("../../{}{PAGE}", other.way()))
    }));
    page.links.splice(0..0, links);
    for name in RAW {
        let path = run.data().folder.join(name);
        if path.is_file() {
            let bytes = read_file(&path).map_err(ResultsError::io("read", &path))?;
            files.add(folder.join(name), bytes);
        }
    }
    Ok(run.report.add_page(&page, &folder, files))
}

/// Refuses the folder of a run, or of a page that another program made.
fn refuse_strangers(out: &Path) -> Result<(), ReportError> {
    let why = match read_text(&out.join(PAGE)) {
        _ if out.join("environment.toml").exists() => {
            "is a run folder; name another one for the site".to_owned()
        }
        Ok(text) if !text.contains(MADE) => {
            format!("holds an {PAGE} that bench report did not make; name another folder")
        }
        _ => return Ok(()),
    };
    let out = out.display();
    Err(ReportError::Together(format!("--out {out}: {why}")))
}
