//! `bench submit`: a folder of runs for a pull request.

mod scrub;

use std::path::{Path, PathBuf};

use anyhow::anyhow;

use super::exit::{Exit, Failure};
use super::results_args::{SubmitArgs, ValidateArgs};
use super::targets::plain_name;
use super::validate::{self, RAW, is_plain};
use crate::results::{Conformance, ResultsError, Run, RunFolder};
use scrub::Secrets;

/// Copies the runs, lists what was written and validates it.
pub fn run(args: &SubmitArgs) -> Result<Exit, Failure> {
    let read = args.runs.iter().map(|folder| Run::read(folder));
    let mut runs: Vec<Run> = read.collect::<Result<_, _>>().map_err(Failure::files)?;
    for run in &runs {
        if run.environment.invocations.is_empty() {
            let path = run.path.display();
            let why = "a run of format 1, which does not say what took a sample; measure again";
            return Err(Failure::usage(anyhow!("{path}: {why}")));
        }
    }
    let machine = match &args.machine {
        Some(name) => name.clone(),
        None => runs.first().map(machine_of).unwrap_or_default(),
    };
    let folder = args.out.join(&machine);
    if !is_plain(Path::new(&machine)) || Path::new(&machine).components().count() != 1 {
        return Err(Failure::usage(anyhow!(
            "--machine {machine:?}: allowed are 1 to 64 letters, digits, `-`, `_` and `.`, the first one a \
             letter or a digit"
        )));
    }
    let targets = targets(&runs, &folder)?;
    let mut there = targets.iter().filter(|target| target.exists());
    if let Some(target) = there.next()
        && !args.replace
    {
        let target = target.display();
        return Err(Failure::usage(anyhow!(
            "{target}: is there already; --replace puts this in its place"
        )));
    }
    for (run, target) in runs.iter().zip(&targets) {
        keep_apart(&run.path, target)?;
    }
    let secrets = Secrets::of_here();
    for (run, target) in runs.iter_mut().zip(&targets) {
        secrets.scrub_run(run);
        write(run, target).map_err(Failure::files)?;
        list(run, target, &secrets);
    }
    println!("\nRead these files before you send them: they are public for good.");
    validate::run(&ValidateArgs {
        folders: targets,
        against: PathBuf::from("reports"),
        strict: true,
        history: "HEAD".to_owned(),
    })
}

/// Where each run goes: its folder's own name.
fn targets(runs: &[Run], folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut targets: Vec<PathBuf> = Vec::new();
    for run in runs {
        let path = std::fs::canonicalize(&run.path).unwrap_or_else(|_| run.path.clone());
        let target = path.file_name().map(|name| folder.join(name));
        let target = target.filter(|target| is_plain(target) && !targets.contains(target));
        let shown = run.path.display();
        targets.push(target.ok_or_else(|| {
            Failure::usage(anyhow!("{shown}: two runs of that name, or a name with other than letters, digits, -, _ and ."))
        })?);
    }
    Ok(targets)
}

/// Refuses to write a run into its own folder, or one around or in it: what it was made from would be lost.
fn keep_apart(run: &Path, target: &Path) -> Result<(), Failure> {
    let (Ok(run), Ok(target)) = (std::fs::canonicalize(run), std::fs::canonicalize(target)) else {
        return Ok(());
    };
    if run.starts_with(&target) || target.starts_with(&run) {
        let run = run.display();
        return Err(Failure::usage(anyhow!(
            "{run}: would be written into its own folder; name another with --out"
        )));
    }
    Ok(())
}

/// A name for the machine of a run: its first device, or its processor.
fn machine_of(run: &Run) -> String {
    let environment = &run.environment;
    let device = environment.devices.first();
    let name = device.map_or(&environment.host.cpu, |device| &device.name);
    plain_name(name)
}

/// Writes a run folder, raw files alone.
fn write(run: &Run, target: &Path) -> Result<(), ResultsError> {
    let mut folder = RunFolder::fresh(target)?;
    folder.write_experiment(&run.experiment)?;
    folder.add_invocations(&run.environment.invocations)?;
    folder.append_samples(&run.samples)?;
    folder.append_measurements(&run.measurements)?;
    folder.append_facts(&run.facts)?;
    folder.append_resources(&run.resources)?;
    drop(folder);
    Conformance::add_to_run(target, run.verified.clone())?;
    // The lock of this process is no part of what is sent.
    let _ = std::fs::remove_file(target.join("lock"));
    Ok(())
}

/// Says what a folder has: each file, and what it tells of its maker.
fn list(run: &Run, target: &Path, secrets: &Secrets) {
    println!("{}", target.display());
    for name in RAW {
        let file = target.join(name);
        let Ok(bytes) = std::fs::read(&file) else {
            continue;
        };
        println!("  {name:18} {:>10} bytes", bytes.len());
        for found in secrets.left_in(&String::from_utf8_lossy(&bytes)) {
            println!(
                "  {name:18} still has {found:?}, the name of a user or a host here: look at it"
            );
        }
    }
    let host = &run.environment.host;
    println!(
        "  host     {}, {} threads, {}, {}",
        host.cpu, host.threads, host.os, host.kernel
    );
    for device in &run.environment.devices {
        println!(
            "  device   {}, {}, driver {} ({})",
            device.label, device.platform, device.driver, device.address
        );
    }
    for command in run.environment.invocations.iter().map(|it| &it.command) {
        println!("  command  {command}");
    }
}
