//! `bench compare`: compares two run folders, or first measures two programs alternately.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::args::{CompareArgs, WorkersArgs};
use super::check::{damage, entries};
use super::exit::{Exit, Failure, print_json};
use super::progress::Bar;
use super::session::{self, TimingRun, executable};
use super::worker::Description;
use super::{brought, built_in, targets, terminal};
use crate::config::{self, Experiment, Overrides, Selection};
use crate::harness::{self, Ended, HOST, PROTOCOL, Plan, RunRequest, Workers};
use crate::report::compare::{Comparison, Machines};
use crate::report::{RunData, analyse};
use crate::results::{Program, RunFolder, read_environment};
use crate::techniques::registry;
use crate::words::{Status, Task};

/// Relative half-width of a cell's interval at which `bench compare --programs` stops sampling the cell.
const TARGET: f64 = 0.005;
const MOST_SAMPLES: usize = 1_000;

/// Prints the comparison. The exit code reports damaged rows, otherwise slower cells and lost answers.
pub fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    match (args.programs.as_deref(), &args.b) {
        (Some([old, new]), _) => of_programs(args, [old, new]),
        (_, Some(b)) if !b.exists() => with_machine(args, b),
        (_, Some(b)) => of_folders(args, [&args.a, b]),
        _ => usage!("B is missing"),
    }
}

/// Compares a run with a machine's committed run of the same experiment.
fn with_machine(args: &CompareArgs, machine: &Path) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let own = RunData::read(&args.a, &catalogue)?;
    let name = own.experiment.name.clone();
    let machines = machines_with(&name);
    let machine = machine.to_string_lossy();
    let Some((other, folder)) = machines.iter().find(|(other, _)| *other == machine) else {
        let allowed = config::allowed(&machine, machines.iter().map(|(name, _)| name));
        usage!("{machine}: is no folder, and no machine has a published run of {name}; {allowed}");
    };
    let options = &args.options;
    let is_filtered = options.technique.is_some() || !options.cases.is_empty();
    if options.fail_over.is_some() || is_filtered {
        usage!("--fail-over, --technique and --case: allowed only with a run folder as B");
    }
    let theirs = RunData::read(folder, &catalogue).map_err(Failure::files)?;
    let exit = damage([&own, &theirs]);
    let [mine, theirs] = [own, theirs].map(analyse);
    let both = Machines::new(&mine, &theirs);
    let both = both.map_err(|error| Failure::new(exit.worse(Exit::Usage), error))?;
    if args.json {
        print_json(&both.json())?;
    } else {
        let (width, colour) = (terminal::width(), terminal::colour());
        print!("{}", both.text(["this run", other], width, colour));
    }
    Ok(exit)
}

/// Returns each machine with a committed run of the experiment, and the folder of that run.
fn machines_with(experiment: &str) -> Vec<(String, PathBuf)> {
    let file = executable().unwrap_or_default();
    let installed = file.ancestors().map(|it| it.join("share/plybench/reports"));
    let roots = std::iter::once(PathBuf::from("reports")).chain(installed);
    let machines = roots.flat_map(|root| entries(&root));
    let with_run = machines.filter_map(|machine| {
        let name = machine.file_name()?.to_string_lossy().into_owned();
        let folder = machine.join(experiment);
        (name != "local" && folder.join("experiment.toml").exists()).then_some((name, folder))
    });
    with_run.collect()
}

fn of_folders(args: &CompareArgs, folders: [&Path; 2]) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let [a, b] = folders.map(|folder| RunData::read(folder, &catalogue));
    let (a, b) = (a?, b?);
    let exit = damage([&a, &b]);
    let comparison = Comparison::new(&a, &b, args.options.clone());
    let comparison = comparison.map_err(|error| Failure::new(exit.worse(Exit::Usage), error))?;
    if args.json {
        println!("{:#}", comparison.json());
    } else {
        let (width, colour) = (terminal::width(), terminal::colour());
        print!("{}", comparison.text(width, colour));
    }
    Ok(match exit {
        Exit::Good => Exit::Slower.when(comparison.is_slower()),
        damaged => damaged,
    })
}

fn of_programs(args: &CompareArgs, programs: [&Path; 2]) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let loaded = built_in::load(&args.a, &catalogue)?;
    let [(config, experiment)] = loaded.as_slice() else {
        let file = args.a.display();
        usage!("{file}: a suite; --programs takes one experiment, {file}:NAME");
    };
    let experiment = asked(experiment, args)?;
    brought::check(&experiment, false)?;
    let measure = &args.measure;
    let usual = || Path::new("reports/local").join(format!("compare-{}", experiment.name));
    let out = measure.out.clone().unwrap_or_else(usual);
    let paths = [out.join("old"), out.join("new")];
    paths.iter().try_for_each(|path| refuse_other_runs(path))?;
    let timing = TimingRun::begin(&measure.machine)?;
    let [old, new] = programs.map(|file| {
        let described = describe(file, &timing.stop);
        described.with_context(|| format!("--programs: {}", file.display()))
    });
    if timing.stop.load(Ordering::Relaxed) {
        fail!(Interrupted, "interrupted before the first cell");
    }
    let described = [old?, new?];
    let deviceless = Plan::new(&experiment, &[], &catalogue);
    let targets = match targets::choose(&measure.devices)? {
        Err(_) if deviceless.cells().all(|it| it.device_label == HOST) => Vec::new(),
        // A gate that tests a driver must fail if the driver is missing.
        chosen => chosen?,
    };
    let workers = WorkersArgs {
        host: measure.host.clone(),
        ..WorkersArgs::default()
    };
    let workers = session::workers(&workers, &timing.stop_now)?;
    let selection = Selection {
        devices: measure.devices.clone(),
        options: session::options(),
        ..args.options.selection()
    };
    let plan = Plan::new(&experiment, &targets, &catalogue);
    let request = |side: usize| RunRequest {
        experiment: &experiment,
        plan: &plan,
        sampling: &experiment.sampling,
        evidence: &|_| false,
        catalogue: &catalogue,
        targets: &targets,
        workers: Workers {
            executable: described[side].0.clone(),
            ..workers.clone()
        },
        program: described[side].1.clone(),
        host: harness::describe_host(workers.options.threads),
        selection: &selection,
        config,
        folder: &paths[side],
        fresh: true,
        stop: Arc::clone(&timing.stop),
    };
    let requests = [request(0), request(1)];
    let (mut a, mut b) = (RunFolder::fresh(&paths[0])?, RunFolder::fresh(&paths[1])?);
    let mut bar = Bar::new(&experiment, &harness::paired_plan(&requests[0]));
    let outcome = harness::run_paired(requests.each_ref(), [&mut a, &mut b], &mut bar);
    bar.finish();
    let [before, after] = outcome?;
    for folder in [&mut a, &mut b] {
        folder.drop_superseded()?;
    }
    drop((a, b));
    if after.ended == Ended::Interrupted {
        eprintln!("interrupted: nothing is compared");
        return Ok(Exit::Interrupted);
    }
    // Ignores cells that also failed in A, because B did not break them.
    let failed = before.rows.iter().filter(|row| row.status != Status::Ok);
    let failed: HashSet<_> = failed.map(|row| &row.cell).collect();
    let broke = after.rows.iter().filter(|row| !failed.contains(&row.cell));
    let answers = session::exit_of(broke.map(|row| row.status));
    let compared = of_folders(args, [&paths[0], &paths[1]])?;
    eprintln!("run folders: {}", out.display());
    Ok(match answers {
        Exit::Good => compared,
        worse => worse,
    })
}

/// Fails if the folder contains a run that does not belong to a comparison, because the folder will be emptied.
fn refuse_other_runs(folder: &Path) -> Result<(), Failure> {
    if folder.join("environment.toml").exists() {
        let invocations = read_environment(folder)?.invocations;
        if invocations.is_empty() || invocations.iter().any(|it| it.together.is_none()) {
            let folder = folder.display();
            fail!(
                Files,
                "{folder}: holds a run that compare --programs has not made; name another folder with --out"
            );
        }
    }
    Ok(())
}

fn asked(experiment: &Experiment, args: &CompareArgs) -> anyhow::Result<Experiment> {
    if experiment.task == Task::Match {
        bail!(
            "{}: --programs compares times, and a match has scores: run both programs, and read the reports",
            args.a.display()
        );
    }
    let measure = &args.measure;
    let mut experiment = args.options.selection().of(experiment)?;
    experiment.apply(&Overrides {
        budget: measure.budget,
        cell_budget: measure.cell_budget,
        passes: measure.passes.map(usize::from),
        ..Overrides::default()
    })?;
    // To detect differences of a few percent, even a cell that takes only microseconds needs many samples.
    experiment.sampling.target = TARGET;
    experiment.sampling.max_samples = experiment.sampling.max_samples.max(MOST_SAMPLES);
    Ok(experiment)
}

const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);

fn describe(file: &Path, stop: &AtomicBool) -> anyhow::Result<(PathBuf, Program)> {
    let path = std::fs::canonicalize(file).context("cannot be read")?;
    let said = said_within(&path, stop)?;
    let Ok(Description { protocol, program }) = serde_json::from_slice(&said) else {
        bail!(
            "is no Plybench program, or of a revision that --programs cannot measure; compare two run folders instead"
        );
    };
    if protocol != PROTOCOL {
        bail!(
            "its workers speak protocol {protocol}, this program {PROTOCOL}; compare two run folders instead"
        );
    }
    Ok((path, program))
}

/// Returns a program's description of itself. Kills the program if it does not exit in time.
fn said_within(program: &Path, stop: &AtomicBool) -> anyhow::Result<Vec<u8>> {
    let mut child = Command::new(program)
        .args(["worker", "--describe"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot be started")?;
    let begun = Instant::now();
    // The description fits into the pipe buffer, so the program can exit before anything reads it.
    while matches!(child.try_wait(), Ok(None)) {
        if stop.load(Ordering::Relaxed) || begun.elapsed() >= PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            let patience = humantime::format_duration(PATIENCE);
            bail!("does not say what it is within {patience}");
        }
        std::thread::sleep(POLL);
    }
    let output = child.wait_with_output().context("cannot be read")?;
    Ok(output.stdout)
}
