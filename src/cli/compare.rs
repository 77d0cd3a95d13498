//! `bench compare`: two runs of one experiment, cell by cell, from their folders alone; or two programs, which
//! are measured in one invocation first.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};

use super::brought::{self, Consent};
use super::compare_args::CompareArgs;
use super::exit::{Exit, Failure};
use super::progress::Bar;
use super::timing::TimingRun;
use super::worker::Description;
use super::{cache, session, targets, terminal};
use crate::config::{self, Experiment, Overrides};
use crate::harness::{self, Ended, PROTOCOL, RunRequest, Workers, versus};
use crate::report::RunData;
use crate::report::compare::{Comparison, Options};
use crate::results::{MeasurementRow, Program, RunFolder};
use crate::techniques::registry;
use crate::words::{Status, Task};

/// Half width of a cell's interval, as a share, from which on two programs' cells get no more samples.
const TARGET: f64 = 0.005;
/// Samples that a cell of two programs may have.
const MOST_SAMPLES: usize = 1_000;

/// Prints the comparison. A damaged row, which counts as no answer, makes the exit code, and else a cell that
/// is slower than allowed.
pub fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    match (&args.programs, &args.b) {
        (Some(programs), _) => of_programs(args, programs),
        (None, Some(b)) => of_folders(args, [&args.a, b]),
        (None, None) => Err(Failure::usage(anyhow!("B is missing"))),
    }
}

fn of_folders(args: &CompareArgs, folders: [&Path; 2]) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let read = |folder| RunData::read(folder, &catalogue).map_err(Failure::files);
    let [a, b] = folders.map(read);
    let (a, b) = (a?, b?);
    let damaged = [&a, &b].into_iter().filter(|data| data.has_damage());
    let lines = damaged.clone().flat_map(|data| {
        let folder = data.folder.display();
        data.warnings
            .iter()
            .map(move |line| format!("{folder}: {line}"))
    });
    lines.for_each(|line| eprintln!("{line}"));
    let is_damaged = damaged.count() > 0;
    let options = Options {
        same: args.same,
        fail_over: args.fail_over,
        fail_work: args.fail_work,
        technique: args.technique.clone(),
        cases: args.cases.clone(),
    };
    let comparison = Comparison::new(&a, &b, options).map_err(|error| match is_damaged {
        true => Failure::files(error),
        false => Failure::usage(error),
    })?;
    if args.json {
        println!("{:#}", comparison.json());
    } else {
        let (width, colour) = (terminal::width(), terminal::colour());
        print!("{}", comparison.text(width, colour, args.all));
    }
    Ok(match comparison.is_slower() {
        _ if is_damaged => Exit::Files,
        true => Exit::Slower,
        false => Exit::Good,
    })
}

/// Measures both programs into two run folders, and compares those.
fn of_programs(args: &CompareArgs, programs: &[PathBuf]) -> Result<Exit, Failure> {
    let [old, new] = programs else {
        return Err(Failure::usage(anyhow!("--programs wants two")));
    };
    let catalogue = registry::catalogue();
    let loaded = config::load(&args.a, &catalogue).map_err(session::load_failure)?;
    let [(config, experiment)] = loaded.as_slice() else {
        let file = args.a.display();
        let several = anyhow!("{file}: a suite; --programs takes one experiment, {file}:NAME");
        return Err(Failure::usage(several));
    };
    let experiment = asked(experiment.clone(), args).map_err(Failure::usage)?;
    brought::check(&experiment, &Consent::NONE).map_err(Failure::usage)?;
    let measure = &args.measure;
    let timing = TimingRun::begin(&measure.machine)?;
    let described = [old, new].map(|file| describe(file).map_err(Failure::usage));
    let [first, second] = described;
    let described = [first?, second?];
    let targets = targets::choose(&measure.devices)?;
    let threads = session::threads(measure.threads);
    let cache = cache::chosen(&measure.cache);
    let out = measure.out.clone().unwrap_or_else(|| {
        let name = format!("compare-{}", experiment.name);
        Path::new("reports").join("local").join(name)
    });
    let paths = [out.join("old"), out.join("new")];
    let request = |side: usize| RunRequest {
        whole: &experiment,
        experiment: &experiment,
        evidence: &|_| false,
        catalogue: &catalogue,
        targets: &targets,
        workers: Workers {
            executable: &described[side].0,
            threads,
            kernels: None,
            cache: cache.as_deref(),
            stop_now: Arc::clone(&timing.stop_now),
        },
        program: described[side].1.clone(),
        host: harness::describe_host(threads),
        given: session::given(),
        config,
        shard: None,
        folder: &paths[side],
        fresh: true,
        stop: Arc::clone(&timing.stop),
    };
    let requests = [request(0), request(1)];
    let fresh = |path: &PathBuf| RunFolder::fresh(path).map_err(Failure::files);
    let (mut a, mut b) = (fresh(&paths[0])?, fresh(&paths[1])?);
    let mut bar = Bar::new(&experiment, &versus::plan(&requests[0]));
    let outcome = versus::run(requests.each_ref(), [&mut a, &mut b], &mut bar);
    bar.finish();
    let [before, after] = outcome.map_err(session::run_failure)?;
    for folder in [&mut a, &mut b] {
        folder.drop_superseded().map_err(Failure::files)?;
    }
    drop((a, b));
    if after.ended == Ended::Interrupted {
        eprintln!("interrupted: nothing is compared");
        return Ok(Exit::Interrupted);
    }
    // What A cannot answer either is no fault of B's.
    let failed = before.rows.iter().filter(|row| row.status != Status::Ok);
    let failed: HashSet<_> = failed.map(place).collect();
    let broke = after
        .rows
        .iter()
        .filter(|row| !failed.contains(&place(row)));
    let answers = broke.map(|row| session::exit_of(row.status));
    let answers = answers.fold(Exit::Good, Exit::worse);
    let compared = of_folders(args, [&paths[0], &paths[1]])?;
    eprintln!("run folders: {}", out.display());
    Ok(match answers {
        Exit::Good => compared,
        worse => worse,
    })
}

/// Case, technique and device of a row.
fn place(row: &MeasurementRow) -> (&str, &str, &str) {
    (&row.case, &row.technique, &row.device)
}

/// The experiment as the command line wants it measured.
fn asked(mut experiment: Experiment, args: &CompareArgs) -> anyhow::Result<Experiment> {
    if experiment.task == Task::Match {
        bail!(
            "{}: --programs compares times, and a match has scores: run both programs, and read the reports",
            args.a.display()
        );
    }
    let measure = &args.measure;
    experiment.apply(&Overrides {
        technique: args.technique.clone(),
        cases: args.cases.clone(),
        budget: measure.budget,
        cell_budget: measure.cell_budget,
        passes: measure.passes.map(usize::from),
        ..Overrides::default()
    })?;
    // The time that there is decides: a few percent are looked for, of cells that take microseconds too.
    experiment.sampling.target = TARGET;
    experiment.sampling.max_samples = experiment.sampling.max_samples.max(MOST_SAMPLES);
    Ok(experiment)
}

/// A program's file, and what it says of itself.
fn describe(file: &Path) -> anyhow::Result<(PathBuf, Program)> {
    let path = std::fs::canonicalize(file)
        .with_context(|| format!("--programs: {}: cannot be read", file.display()))?;
    let output = Command::new(&path)
        .args(["worker", "--describe"])
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("--programs: {}: cannot be started", file.display()))?;
    let described = serde_json::from_slice::<Description>(&output.stdout);
    let description = described.map_err(|_| {
        anyhow!(
            "--programs: {}: is no Plybench program, or of a revision that --programs cannot measure; compare \
             two run folders instead",
            file.display()
        )
    })?;
    if description.protocol != PROTOCOL {
        bail!(
            "--programs: {}: its workers speak protocol {}, this program {PROTOCOL}; compare two run folders \
             instead",
            file.display(),
            description.protocol
        );
    }
    Ok((path, description.program))
}
