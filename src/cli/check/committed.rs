//! Data of committed runs of the same cases: counters that must be equal, and hashes of program revisions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::files::run_folders;
use crate::check::{Counted, Finding, counted, counts_of};
use crate::config::{self, Experiment};
use crate::report::RunData;
use crate::results::{DeviceRecord, Environment, MeasurementRow, Program, Run};
use crate::words::{Case, Catalogue, Counts, Status, Task};

/// A program whose commit was squashed into another before publication (`reports/joined.toml`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joined {
    revision: String,
    source_hash: String,
    pub into: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JoinedFile {
    program: Vec<Joined>,
}

#[derive(Default)]
pub struct Committed {
    counters: HashMap<String, (Counted, PathBuf)>,
    /// The hash of the sources, and a run that has it, by revision.
    pub sources: HashMap<String, (String, PathBuf)>,
    joined: Vec<Joined>,
    pub runs: usize,
}

/// What run folders are checked with.
pub struct Checker<'a> {
    pub catalogue: &'a Catalogue,
    pub program: &'a Program,
    pub committed: &'a Committed,
}

impl Committed {
    /// Reads the run folders below `root`, except those below `own`. Skips unreadable folders.
    pub fn read(root: &Path, own: &[PathBuf], catalogue: &Catalogue) -> Committed {
        let joined = std::fs::read_to_string(root.join("joined.toml")).ok();
        let joined = joined.and_then(|text| toml::from_str::<JoinedFile>(&text).ok());
        let mut known = Committed {
            joined: joined.map_or_else(Vec::new, |file| file.program),
            ..Committed::default()
        };
        for folder in run_folders(root) {
            let canonical = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            if own.iter().any(|own| canonical.starts_with(own)) {
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
            known.add(&run, &experiment, &of_run);
        }
        known
    }

    fn add(&mut self, run: &Run, experiment: &Experiment, catalogue: &Catalogue) {
        for program in run.environment.invocations.iter().map(|it| &it.program) {
            let source = (program.source_hash.clone(), run.path.clone());
            let known = self.sources.entry(program.revision.clone());
            known.or_insert(source);
        }
        for row in &run.measurements {
            if let Some(name) = name(experiment, catalogue, row, &run.environment) {
                let value = (counted(row), run.path.clone());
                self.counters.entry(name).or_insert(value);
            }
        }
    }

    pub fn joined(&self, program: &Program) -> Option<&Joined> {
        let mut all = self.joined.iter();
        all.find(|it| it.revision == program.revision && it.source_hash == program.source_hash)
    }

    /// Compares the counters of a run; returns the number of equal cells.
    pub fn check(
        &self,
        data: &RunData,
        catalogue: &Catalogue,
        findings: &mut Vec<Finding>,
    ) -> usize {
        let mut equal = 0;
        for row in &data.measurements {
            let name = name(&data.experiment, catalogue, row, &data.environment);
            let Some((committed, folder)) = name.and_then(|name| self.counters.get(&name)) else {
                continue;
            };
            let own = counted(row);
            let mut pairs = own.iter().zip(committed);
            let Some(differing) = pairs.find(|((_, own), (_, theirs))| own != theirs) else {
                equal += 1;
                continue;
            };
            let ((what, own), (_, theirs)) = differing;
            let (own, theirs, folder) = (shown(own), shown(theirs), folder.display());
            let what = format!(
                "{}: {what} is {own}, and {theirs} in {folder}, of the same kernels and sources",
                row.cell
            );
            findings.push(Finding::of(data.folder.join("measurements.csv"), what));
        }
        equal
    }
}

fn shown(value: &Option<u64>) -> String {
    value.map_or("nothing".to_owned(), |value| value.to_string())
}

/// The key of everything that decides a cell's counters; `None` if they vary.
fn name(
    experiment: &Experiment,
    catalogue: &Catalogue,
    row: &MeasurementRow,
    environment: &Environment,
) -> Option<String> {
    let invocation = environment.invocation(&row.invocation)?;
    let case = Case::parse(&row.cell.case)?;
    let choice = experiment.choice(&row.cell.technique)?;
    let varies = counts_of(experiment, catalogue, &row.cell.technique) == Counts::Vary;
    if row.status != Status::Ok || varies || experiment.task == Task::Match || case.is_clocked() {
        return None;
    }
    // Each device's tree counts separately.
    let is_own = |device: &&DeviceRecord| device.label == row.cell.device;
    let own = invocation.devices.iter().find(is_own);
    let devices = invocation.provenance(&choice.params, own).beside.len();
    let model = own.map_or(["", ""], |own| [&own.platform, &own.name]);
    // A technique's rule may depend on the device or the threads.
    let place = (model, row.threads);
    let program = &invocation.program;
    let of_program = (&program.source_hash, &program.kernel_hash);
    let question = experiment.question(choice, &case);
    serde_json::to_string(&(question, devices, place, of_program, row.units)).ok()
}
