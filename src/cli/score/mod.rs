//! `bench score`: runs five fixed cases, one per game, and prints a card of ten lines.

mod card;
mod published;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anyhow::anyhow;

use super::exit::{Exit, Failure};
use super::run_args::{RunArgs, ScoreArgs, WorkersArgs};
use super::session::{self, TimingRun};
use super::{run, targets, terminal};
use crate::config;
use crate::report::RunData;
use crate::techniques::registry;
use card::{Card, CaseScore};
use published::Published;

/// The suite, built in so that the command needs no checkout. Run folders record this path.
const SUITE: &str = include_str!("../../../configs/score.toml");
const PATH: &str = "configs/score.toml";

pub fn run(args: &ScoreArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let suite = config::load_text(Path::new(PATH), None, SUITE, &catalogue)?;
    if let Some(folder) = args.out.as_deref().filter(|it| it.exists()) {
        let folder = folder.display();
        return Err(Failure::usage(anyhow!(
            "--out {folder}: is there already; a score goes to a folder of its own"
        )));
    }
    let timing = TimingRun::begin(&args.machine)?;
    let target = targets::one(args.device.as_deref())?;
    let device = target.record.clone();
    let usual = || Path::new("reports/local/score").join(targets::plain_name(&device.label));
    let folder = args.out.clone().unwrap_or_else(usual);
    let run_args = RunArgs {
        configs: vec![PathBuf::from(PATH)],
        out: Some(folder.clone()),
        // All rates of a score are from one invocation.
        fresh: true,
        workers: WorkersArgs {
            threads: args.threads,
            kernels: None,
            launch_limit: None,
            cache: args.cache.clone(),
        },
        json: args.json,
        machine: args.machine.clone(),
        ..RunArgs::default()
    };
    let experiments = suite.into_iter().map(|(path, it)| (path, it.clone(), it));
    let experiments: Vec<_> = experiments.collect();
    let program = session::program(None)?;
    let (label, platform) = (&device.label, &device.platform);
    eprintln!("device: {label} ({platform}); two minutes");
    let revision = program.revision.clone();
    let asked = run::Asked {
        experiments: &experiments,
        several: experiments.len() > 1,
        targets: &[target],
        selection: &session::selection(),
        shows: false,
    };
    let (exit, _) = run::measure(&asked, &timing, program, &catalogue, &run_args)?;
    if exit == Exit::Interrupted {
        return Ok(exit);
    }
    let published = Published::read(&args.reports, &folder);
    let mut cases = Vec::new();
    for (_, whole, _) in &experiments {
        let data = RunData::read(&folder.join(&whole.name), &catalogue).map_err(Failure::files)?;
        cases.push(CaseScore::new(&data, &published));
    }
    let card = Card {
        cases,
        device: &device,
        host: crate::harness::describe_host(session::threads(args.threads)),
        revision,
        folder,
    };
    match args.json {
        true => println!("{:#}", card.json()),
        false => print!("{}", card.text(terminal::width())),
    }
    Ok(match card.cases.iter().all(|case| case.device.is_none()) {
        true => exit.worse(Exit::Failed),
        false => exit,
    })
}
