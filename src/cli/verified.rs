//! Results of earlier `bench verify`, kept beside the built programs, by program and device.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::brought;
use super::exit::{Exit, Failure};
use super::session::{self, Chosen};
use super::terminal::list;
use crate::config::TechniqueChoice;
use crate::harness::{RunRequest, Target};
use crate::results::{Conformance, Conformed, DeviceRecord, Program, Selection};
use crate::techniques::registry;
use crate::words::{Kind, Status, is_brought};

fn record(folder: &Path, program: &Program, device: &DeviceRecord) -> PathBuf {
    let subject = Conformance::subject(program, device);
    folder.join("verified").join(format!("{subject}.json"))
}

/// Keeps the report for [`say_missing`]. Ignores a folder that is not writable.
pub fn remember(folder: Option<&Path>, mut report: Conformance) {
    let Some(folder) = folder else { return };
    // Incomplete results stay unknown. What the launch limit left out would be left out again.
    let is_known = |it: &Conformed| {
        it.status != Status::Skipped && (!it.is_incomplete() || it.skipped == it.left_out)
    };
    report.techniques.retain(is_known);
    let file = record(folder, &report.program, &report.device);
    if let Ok(earlier) = Conformance::read(&file) {
        report.add_missing(earlier);
    }
    let made = std::fs::create_dir_all(folder.join("verified")).map_err(anyhow::Error::from);
    if let Err(error) = made.and_then(|()| Ok(report.write(&file)?)) {
        eprintln!("bench: {}: not kept: {error:#}", file.display());
    }
}

fn known(folder: &Path, program: &Program, target: &Target) -> Option<Conformance> {
    Conformance::read(&record(folder, program, &target.record)).ok()
}

/// Stores the results for the run's techniques on its devices in its folder.
pub fn keep(request: &RunRequest<'_>, folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    let (experiment, kernels) = (
        request.experiment,
        request.workers.options.kernels.as_deref(),
    );
    let choices = experiment.techniques.iter();
    let names: HashSet<String> = choices.map(|it| name(it, kernels)).collect();
    let is_asked = |it: &Conformed| it.game == experiment.game && names.contains(it.name().1);
    let reports = request.targets.iter().filter_map(|target| {
        let mut report = known(folder, &request.program, target)?;
        report.techniques.retain(is_asked);
        (!report.techniques.is_empty()).then_some(report)
    });
    Ok(Conformance::add_to_run(request.folder, reports.collect())?)
}

/// A technique's name in a report, as [`Conformed::name`].
pub fn name(choice: &TechniqueChoice, kernels: Option<&Path>) -> String {
    brought::hash(choice, kernels).unwrap_or_else(|| choice.technique.clone())
}

/// Names, for each device, the run's techniques that no verification with this program and driver found right.
pub fn say_missing(
    folder: Option<&Path>,
    program: &Program,
    targets: &[Target],
    kernels: Option<&Path>,
    (experiments, selection): (&[Chosen], &Selection),
) {
    let Some(folder) = folder else { return };
    for target in targets {
        let known = known(folder, program, target).unwrap_or_default();
        let (mut names, mut configs) = (BTreeSet::new(), BTreeSet::new());
        for (path, whole) in experiments {
            let part = selection.of(whole).map(|part| part.techniques);
            for choice in part.unwrap_or_default() {
                let technique = registry::find(&whole.game, &choice.technique);
                let verified = known.of(&whole.game, &name(&choice, kernels));
                let is_right =
                    verified.is_some_and(|it| session::exit_of([it.status]) == Exit::Good);
                if is_right || technique.is_none_or(|it| it.entry.kind != Kind::Device) {
                    continue;
                }
                let brings = is_brought(&choice.technique);
                names.insert(if brings {
                    choice.label
                } else {
                    choice.technique
                });
                configs.insert(brings.then(|| format!(" --config {}", path.display())));
            }
        }
        if names.is_empty() {
            continue;
        }
        let config = configs.pop_first().flatten();
        let config = config.filter(|_| configs.is_empty()).unwrap_or_default();
        let (label, names) = (&target.record.label, list(names.iter().map(String::as_str)));
        eprintln!(
            "{label}: never verified as right: {names}; bench verify{config} --device '{label}' does it"
        );
    }
}
