//! `bench report --check`: checks that run folders agree with themselves and with committed runs. Needs no device.

mod committed;
mod files;
mod revisions;

use std::path::{Component, Path, PathBuf};

use anyhow::anyhow;

use super::exit::{Exit, Failure};
use super::session;
use crate::check::Finding;
use crate::report::{ReportError, RunData};
use crate::techniques::registry;
use crate::words::counted;
use committed::{Checker, Committed};
pub use files::run_folders;

const MOST: usize = 40;

/// Checks every run folder at or below the given ones, and prints one line per finding. `against`: committed runs.
pub fn run(roots: &[PathBuf], against: &Path) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let program = session::program(None)?;
    let mut folders: Vec<PathBuf> = Vec::new();
    for root in roots {
        folders.extend(some_run_folders(root)?);
    }
    let own = roots.iter().filter_map(|it| it.canonicalize().ok());
    let own: Vec<PathBuf> = own.collect();
    let checker = Checker {
        catalogue: &catalogue,
        program: &program,
        committed: &Committed::read(against, &own, &catalogue),
    };
    let mut refused = 0;
    for folder in &folders {
        let (findings, summary) = checker.folder(folder);
        refused += show(&findings, MOST);
        if findings.is_empty() {
            println!("{}: {summary}", folder.display());
        }
    }
    if refused > 0 {
        eprintln!("bench: refused: {}", counted(refused, "finding"));
        return Ok(Exit::Files);
    }
    Ok(Exit::Good)
}

pub fn show(findings: &[Finding], most: usize) -> usize {
    for finding in findings.iter().take(most) {
        eprintln!("{finding}");
    }
    if findings.len() > most {
        eprintln!("  and {} more", findings.len() - most);
    }
    findings.len()
}

pub fn some_run_folders(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let (below, root) = (run_folders(root), root.display());
    match below.is_empty() {
        true => Err(Failure::files(anyhow!(
            "{root}: no run folder is there or below"
        ))),
        false => Ok(below),
    }
}

impl Checker<'_> {
    /// The findings of a run folder, and without any a summary.
    fn folder(&self, folder: &Path) -> (Vec<Finding>, String) {
        let mut findings = files::check(folder);
        // Binary files and links are not read further.
        if !findings.is_empty() {
            return (findings, String::new());
        }
        let checked = self.of_run(folder, &mut findings);
        let summary = checked.unwrap_or_else(|error| {
            findings.push(error);
            String::new()
        });
        findings.sort();
        findings.dedup();
        (findings, summary)
    }

    fn of_run(&self, folder: &Path, findings: &mut Vec<Finding>) -> Result<String, Finding> {
        let unread = |error: ReportError| {
            let error = error.to_string();
            let rest = error.strip_prefix(&format!("{}/", folder.display()));
            match rest.and_then(|rest| rest.split_once(": ")) {
                Some((file, what)) => Finding::of(folder.join(file), what),
                None => Finding::of(folder, error),
            }
        };
        let data = RunData::read(folder, self.catalogue).map_err(unread)?;
        let environment = &data.environment;
        if data.measurements.is_empty() {
            return Err(Finding::of(folder.join("measurements.csv"), "has no rows"));
        }
        for name in data.experiment.published() {
            let mut parts = Path::new(name).components();
            if !parts.all(|part| matches!(part, Component::Normal(_))) {
                let what = format!("published = {name:?}: not a path below reports/published");
                findings.push(Finding::of(folder.join("experiment.toml"), what));
            }
        }
        let warnings = data.warnings.iter().map(String::as_str);
        let cut = warnings.filter(|warning| warning.contains("was cut off"));
        findings.extend(cut.map(|warning| Finding::of(folder, warning)));
        findings.extend(revisions::check(self, &data));
        findings.extend(data.findings.iter().cloned());
        let equal = self.committed.check(&data, self.catalogue, findings);
        let committed = match self.committed.runs {
            0 => "there are no committed runs to compare counters with".to_owned(),
            runs => format!(
                "the counters of {} equal those of {}",
                counted(equal, "cell"),
                counted(runs, "committed run")
            ),
        };
        Ok(format!(
            "{}, {}, {}: all agree; {committed}",
            counted(data.measurements.len(), "row"),
            counted(data.samples.len(), "sample"),
            counted(environment.invocations.len(), "invocation")
        ))
    }
}
