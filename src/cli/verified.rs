//! What `bench verify` found earlier: kept beside the built programs, by program and device.

use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use super::session;
use crate::harness::{RunRequest, Target};
use crate::results::{Conformance, Conformed, Program};
use crate::words::Status;

/// Where what was found of devices is kept: beside the built programs.
fn record(folder: &Path, program: &Program, target: &Target) -> PathBuf {
    let subject = Conformance::subject(program, &target.record);
    folder.join("verified").join(format!("{subject}.json"))
}

/// Keeps the report for [`note`]. A folder that cannot be written costs the note alone.
pub fn remember(folder: Option<&Path>, mut report: Conformance) {
    let Some(folder) = folder else { return };
    // What was asked nothing is as unknown as before.
    report.techniques.retain(|it| it.status != Status::Skipped);
    let subject = Conformance::subject(&report.program, &report.device);
    let file = folder.join("verified").join(format!("{subject}.json"));
    if let Ok(earlier) = Conformance::read(&file) {
        report.add_missing(earlier);
    }
    let made = std::fs::create_dir_all(folder.join("verified"));
    let written = made.map_err(anyhow::Error::from);
    if let Err(error) = written.and_then(|()| Ok(report.write(&file)?)) {
        eprintln!("bench: {}: not kept: {error:#}", file.display());
    }
}

/// What is known of a device with this program and driver; `None` where nothing is.
pub fn known(folder: &Path, program: &Program, target: &Target) -> Option<Conformance> {
    Conformance::read(&record(folder, program, target)).ok()
}

/// Puts what is known of the run's techniques on its devices into its folder.
pub fn keep(request: &RunRequest<'_>, folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    let experiment = request.experiment;
    let is_asked = |it: &Conformed| {
        let mut choices = experiment.techniques.iter();
        it.game == experiment.game && choices.any(|choice| choice.technique == it.technique)
    };
    let reports = request.targets.iter().filter_map(|target| {
        let mut report = known(folder, &request.program, target)?;
        report.techniques.retain(is_asked);
        (!report.techniques.is_empty()).then_some(report)
    });
    Conformance::add_to_run(request.folder, reports.collect()).map_err(Failure::files)
}

/// One line about techniques whose answers were never verified on a device with this program and driver,
/// or were wrong there; `None` where all were right, or no cache says.
pub fn note(
    folder: Option<&Path>,
    program: &Program,
    target: &Target,
    techniques: &[(&str, &str)],
) -> Option<String> {
    let label = &target.record.label;
    let Some(known) = known(folder?, program, target) else {
        return Some(format!(
            "{label}: never verified with this program and driver; bench verify --device '{label}' does it"
        ));
    };
    let with = |is: &dyn Fn(Option<Status>) -> bool| {
        let names = techniques
            .iter()
            .filter(|(game, name)| is(known.of(game, name).map(|it| it.status)))
            .map(|(_, name)| *name);
        names.collect::<Vec<_>>().join(", ")
    };
    let wrong = with(&|status| status.is_some_and(|it| session::exit_of(it) != Exit::Good));
    let unknown = with(&|status| status.is_none());
    match (wrong.as_str(), unknown.as_str()) {
        ("", "") => None,
        ("", names) => Some(format!(
            "{label}: never verified with this program and driver: {names}"
        )),
        (names, _) => Some(format!(
            "{label}: bench verify found these wrong or failing: {names}"
        )),
    }
}
