//! `bench report --check`: checks that run folders are consistent and agree with committed runs. Needs no device.

mod files;
mod zipped;

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use tempfile::TempDir;

use super::exit::{Exit, Failure};
use super::session;
use crate::check::{Counted, Finding, counted as counters_of, differing, may_vary};
use crate::config::{self, Experiment};
use crate::report::{ReportError, RunData};
use crate::results::{DeviceRecord, Environment, MeasurementRow, Program, Run};
use crate::techniques::registry;
use crate::words::{Case, Catalogue, Status, counted};
pub use files::{entries, run_folders};

const MOST: usize = 40;

/// Checks all run folders below `roots` or in zip files, and prints the findings. `against` contains committed runs.
pub fn run(roots: &[PathBuf], against: &Path) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let program = session::program(None)?;
    let extracted: Result<Vec<_>, _> = roots.iter().map(|it| zipped::extracted(it)).collect();
    let extracted = extracted.map_err(Failure::files)?;
    let roots = roots.iter().zip(&extracted);
    let roots = roots.map(|(root, own)| own.as_ref().map_or(root.as_path(), TempDir::path));
    let roots: Vec<PathBuf> = roots.map(Path::to_owned).collect();
    let folders = some_run_folders(&roots)?;
    let own: Vec<PathBuf> = roots.iter().flat_map(|it| it.canonicalize()).collect();
    let checker = Checker::new(&catalogue, &program, against, &own);
    let mut refused = 0;
    for folder in &folders {
        match checker.folder(folder) {
            Ok(summary) => println!("{}: {summary}", folder.display()),
            Err(findings) => refused += show(&findings, MOST),
        }
    }
    if refused > 0 {
        eprintln!("bench: refused: {}", counted(refused, "finding"));
        return Ok(Exit::Files);
    }
    Ok(Exit::Good)
}

/// Prints at most `most` lines, then the number of remaining lines. Returns the total number of lines.
pub fn show(lines: &[impl Display], most: usize) -> usize {
    for line in lines.iter().take(most) {
        eprintln!("{line}");
    }
    if lines.len() > most {
        eprintln!("  and {} more", lines.len() - most);
    }
    lines.len()
}

/// Prints the findings of these runs. Returns the exit code.
pub fn damage<const N: usize>(runs: [&RunData; N]) -> Exit {
    let counts = runs.map(|run| show(&run.findings, usize::MAX));
    Exit::Files.when(counts.iter().any(|count| *count > 0))
}

/// Returns the run folders at or below the given folders. Fails if one of the given folders has none.
pub fn some_run_folders(roots: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let below: Vec<_> = roots.iter().map(|root| run_folders(root)).collect();
    if let Some(at) = below.iter().position(Vec::is_empty) {
        let root = roots[at].display();
        fail!(Files, "{root}: no run folder is there or below");
    }
    Ok(below.concat())
}

/// A program whose commit was squashed into another commit before publication (`reports/joined.toml`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Joined {
    revision: String,
    source_hash: String,
    into: String,
}

/// Data from committed runs, used to check run folders.
struct Checker<'a> {
    catalogue: &'a Catalogue,
    counters: HashMap<String, (Counted, PathBuf)>,
    /// For each revision, the hash of its sources and the run or program that records it.
    sources: HashMap<String, (String, PathBuf)>,
    joined: Vec<Joined>,
    runs: usize,
}

impl<'a> Checker<'a> {
    /// Reads the committed runs below `root`, except those below `own`. Skips unreadable folders.
    fn new(catalogue: &'a Catalogue, program: &Program, root: &Path, own: &[PathBuf]) -> Self {
        let joined = std::fs::read_to_string(root.join("joined.toml")).ok();
        let joined = joined.and_then(|text| toml::from_str::<HashMap<String, _>>(&text).ok());
        let joined = joined.and_then(|mut tables| tables.remove("program"));
        let source = (program.source_hash.clone(), PathBuf::from("this program"));
        let mut known = Checker {
            catalogue,
            counters: HashMap::new(),
            sources: HashMap::from([(program.revision.clone(), source)]),
            joined: joined.unwrap_or_default(),
            runs: 0,
        };
        for folder in run_folders(root) {
            let canonical = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            // Users' own runs are not committed.
            let is_local = folder.starts_with(root.join("local"));
            if is_local || own.iter().any(|own| canonical.starts_with(own)) {
                continue;
            }
            let Ok(run) = Run::read(&folder) else {
                continue;
            };
            let file = folder.join("experiment.toml").display().to_string();
            let parsed = config::parse_stored(&run.experiment, &file, catalogue, &run.techniques);
            let Ok((experiment, of_run)) = parsed else {
                continue;
            };
            known.runs += 1;
            for program in run.environment.invocations.iter().map(|it| &it.program) {
                let source = (program.source_hash.clone(), run.path.clone());
                let known = known.sources.entry(program.revision.clone());
                known.or_insert(source);
            }
            for row in &run.measurements {
                if let Some(name) = name(&experiment, &of_run, row, &run.environment) {
                    let value = (counters_of(row), run.path.clone());
                    known.counters.entry(name).or_insert(value);
                }
            }
        }
        known
    }

    fn folder(&self, folder: &Path) -> Result<String, Vec<Finding>> {
        let mut findings = files::check(folder);
        // Stops early, so that binary files and links are not read.
        if !findings.is_empty() {
            return Err(findings);
        }
        match self.of_run(folder, &mut findings) {
            Ok(summary) if findings.is_empty() => return Ok(summary),
            Ok(_) => {}
            Err(finding) => findings.push(finding),
        }
        findings.sort();
        findings.dedup();
        Err(findings)
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
        let mut invocations = data.environment.invocations.iter();
        let is_empty_shard = invocations.any(|it| {
            let part = it.selection.of(&data.experiment);
            part.is_ok_and(|part| part.cases.is_empty())
        });
        if data.measurements.is_empty() && !is_empty_shard {
            return Err(Finding::of(folder.join("measurements.csv"), "has no rows"));
        }
        let cut = data.warnings.iter().filter(|it| it.contains("was cut off"));
        findings.extend(cut.map(|warning| Finding::of(folder, warning.as_str())));
        self.invocations(&data, findings);
        findings.extend(data.findings.iter().cloned());
        let equal = self.counters(&data, findings);
        let committed = match self.runs {
            0 => "there are no committed runs to compare counters with".to_owned(),
            runs => {
                let (equal, runs) = (counted(equal, "cell"), counted(runs, "committed run"));
                format!("the counters of {equal} equal those of {runs}")
            }
        };
        Ok(format!(
            "{}, {}, {}: all agree; {committed}",
            counted(data.measurements.len(), "row"),
            counted(data.samples.len(), "sample"),
            counted(data.environment.invocations.len(), "invocation")
        ))
    }

    /// Checks that the entries of `environment.toml` are intact, and that the revisions of their programs are known.
    fn invocations(&self, data: &RunData, findings: &mut Vec<Finding>) {
        let (file, mut ids) = (data.folder.join("environment.toml"), HashSet::new());
        for invocation in &data.environment.invocations {
            let id = &invocation.id;
            let mut add = |what: &str| {
                findings.push(Finding::of(&file, format!("invocation {id}{what}")));
            };
            if !ids.insert(id) {
                add(" is there twice");
            }
            if !invocation.is_intact() {
                add(": was changed after it was written: its id is not that of its entry");
            } else if let Some(what) = self.of_program(&invocation.program) {
                add(&format!(": {what}"));
            }
        }
    }

    fn of_program(&self, program: &Program) -> Option<String> {
        let (revision, hash) = (program.revision.as_str(), &program.source_hash);
        // Tests set the variable, because they must also pass before a change is committed.
        if revision.ends_with("-dirty") && std::env::var_os("PLYBENCH_ALLOW_DIRTY").is_none() {
            return Some(format!(
                "revision {revision} has uncommitted changes; measure with a committed revision"
            ));
        }
        if let Some((sources, place)) = self.sources.get(revision) {
            let place = place.display();
            return (sources != hash).then(|| {
                format!("revision {revision} has the source hash {hash}, and {sources} in {place}")
            });
        }
        let mut joined = self.joined.iter();
        let joined = joined.find(|it| it.revision == revision && it.source_hash == *hash);
        let mut names = std::iter::once(revision).chain(joined.map(|it| it.into.as_str()));
        (!names.any(is_in_history)).then(|| {
            format!(
                "revision {revision} is not known: neither this program's, nor of a committed run, nor in the \
                 git history"
            )
        })
    }

    /// Compares a run's counters with committed runs. Returns the number of cells with equal counters.
    fn counters(&self, data: &RunData, findings: &mut Vec<Finding>) -> usize {
        let mut equal = 0;
        for row in &data.measurements {
            let name = name(&data.experiment, self.catalogue, row, &data.environment);
            let Some((committed, folder)) = name.and_then(|name| self.counters.get(&name)) else {
                continue;
            };
            let Some(found) = differing(counters_of(row), *committed).next() else {
                equal += 1;
                continue;
            };
            let (cell, folder) = (&row.cell, folder.display());
            let what = format!("{cell}: {found} in {folder}, of the same kernels and sources");
            findings.push(Finding::of(data.folder.join("measurements.csv"), what));
        }
        equal
    }
}

/// Returns a key with everything that determines a cell's counters, or `None` if they vary.
fn name(
    experiment: &Experiment,
    catalogue: &Catalogue,
    row: &MeasurementRow,
    environment: &Environment,
) -> Option<String> {
    let invocation = environment.invocation(&row.invocation)?;
    let case = Case::parse(&row.cell.case)?;
    let choice = experiment.choice(&row.cell.technique)?;
    if row.status != Status::Ok || may_vary(experiment, catalogue, &row.cell) {
        return None;
    }
    // The number of devices matters, because each device counts the nodes of its own tree.
    let is_own = |device: &&DeviceRecord| device.label == row.cell.device;
    let own = invocation.devices.iter().find(is_own);
    let devices = invocation.provenance(&choice.params, own).beside.len();
    let model = own.map_or(["", ""], |own| [&own.platform, &own.name]);
    // A technique's counters may depend on the device or on the number of threads.
    let place = (model, row.threads);
    let program = &invocation.program;
    let of_program = (&program.source_hash, &program.kernel_hash);
    let question = experiment.question(choice, &case);
    serde_json::to_string(&(question, devices, place, of_program, row.units)).ok()
}

/// Returns true if the git history contains a revision. Only hexadecimal digits are passed to git.
fn is_in_history(revision: &str) -> bool {
    let is_plain =
        (7..=40).contains(&revision.len()) && revision.chars().all(|c| c.is_ascii_hexdigit());
    let mut git = Command::new("git");
    git.args(["merge-base", "--is-ancestor", revision, "HEAD"]);
    // `output` captures git's messages, so that they are not printed.
    is_plain && git.output().is_ok_and(|output| output.status.success())
}
