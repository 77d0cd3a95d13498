//! Results of earlier `bench verify`, kept beside the built programs, by program and device.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use super::{brought, session};
use crate::config::TechniqueChoice;
use crate::harness::{RunRequest, Target};
use crate::results::{Conformance, Conformed, DeviceRecord, Program};
use crate::words::Status;

fn record(folder: &Path, program: &Program, device: &DeviceRecord) -> PathBuf {
    let subject = Conformance::subject(program, device);
    folder.join("verified").join(format!("{subject}.json"))
}

/// Keeps the report for [`note`]. Ignores a folder that is not writable.
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
    let made = std::fs::create_dir_all(folder.join("verified"));
    let written = made.map_err(anyhow::Error::from);
    if let Err(error) = written.and_then(|()| Ok(report.write(&file)?)) {
        eprintln!("bench: {}: not kept: {error:#}", file.display());
    }
}

fn known(folder: &Path, program: &Program, target: &Target) -> Option<Conformance> {
    Conformance::read(&record(folder, program, &target.record)).ok()
}

/// Stores the results for the run's techniques on its devices in its folder.
pub fn keep(request: &RunRequest<'_>, folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    let (experiment, kernels) = (request.experiment, request.workers.kernels);
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

#[derive(PartialEq)]
pub struct Asked<'a> {
    pub game: &'a str,
    pub name: String,
    pub label: &'a str,
    pub config: Option<&'a Path>,
}

/// One line about techniques that were never verified on a device or were wrong; `None` if all were right.
pub fn note(
    folder: Option<&Path>,
    program: &Program,
    target: &Target,
    techniques: &[Asked<'_>],
) -> Option<String> {
    let label = &target.record.label;
    let known = known(folder?, program, target);
    let config = techniques.iter().find_map(|it| it.config);
    let config = config.filter(|_| techniques.iter().all(|it| it.config.is_some()));
    let config = config.map_or(String::new(), |it| format!(" --config {}", it.display()));
    let never = format!("{label}: never verified with this program and driver");
    let Some(known) = known else {
        return Some(format!(
            "{never}; bench verify{config} --device '{label}' does it"
        ));
    };
    let is_right = |it: &&Asked<'_>| {
        let status = known.of(it.game, &it.name).map(|it| it.status);
        status.is_some_and(|status| session::exit_of([status]) == Exit::Good)
    };
    let others = techniques.iter().filter(|it| !is_right(it));
    let names: Vec<&str> = others.map(|it| it.label).collect();
    let names = names.join(", ");
    (!names.is_empty()).then(|| format!("{label}: never verified as right: {names}"))
}
