//! `bench run`: measure, check, report.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use regex_lite::Regex;

use super::args::RunArgs;
use super::brought::{self, Consent};
use super::cache;
use super::exit::{Exit, Failure};
use super::progress::Bar;
use super::session::{exit_of, given, load_failure, program, run_failure, threads};
use super::timing::TimingRun;
use super::{shard, targets, terminal, tune, verify};
use crate::config::{self, Claim, Claims, Experiment, Overrides, Shard, Tuned};
use crate::harness::{self, Ended, Plan, PlannedCell, RunRequest, Target};
use crate::report::{self, RunData, complexity};
use crate::results::{self, Given, MeasurementRow, Program};
use crate::techniques::registry;
use crate::words::{self, Catalogue, Kind, Status};

/// Runs every experiment given, one after the other; the worst exit code wins.
pub fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    // Every file is read before the first is run: a night's work must not end at a typing error.
    let tuned = args.tuned.as_deref();
    let tuned = tuned.map(|file| Tuned::read(file, &catalogue).map_err(tune::failure));
    let tuned = tuned.transpose()?;
    let consent = Consent::of(&args.consent);
    let shard = shard::chosen(args.shard)?;
    let mut experiments = Vec::new();
    for path in &args.configs {
        for (path, experiment) in config::load(path, &catalogue).map_err(load_failure)? {
            let mut whole = whole(experiment, args)?;
            brought::check(&whole, &consent).map_err(Failure::usage)?;
            if let Some(tuned) = &tuned {
                add_tuned(&mut whole, tuned, &catalogue);
            }
            experiments.push((path, whole));
        }
    }
    // The files decide which folders there are, not what the filters leave: the shards of a suite that a filter
    // leaves one experiment of, or one shard alone, go to the same folders.
    let several = experiments.len() > 1;
    // What is asked wrongly is told before the machine is waited for.
    keep_matching(filtered(&experiments, args, shard))?;
    let timing = match args.dry_run {
        true => None,
        false => Some(TimingRun::begin(&args.machine)?),
    };
    // No program is started before every experiment was looked at.
    if let Some(timing) = &timing {
        for (_, whole) in &mut experiments {
            brought::note(whole, args.kernels.as_deref(), &timing.stop)?;
        }
    }
    // Again, with what was noted.
    let experiments = keep_matching(filtered(&experiments, args, shard))?;
    let program = program(args.kernels.as_deref())?;
    let targets = targets::choose(&args.devices)?;
    if let (Some(tuned), Some(file)) = (&tuned, &args.tuned) {
        check_tuned(tuned, file, &targets, &program)?;
    }
    announce(&targets, args);
    say_unverified(&targets, args, &program, &experiments);

    let Some(timing) = timing else {
        return dry_run(&experiments, &targets, &catalogue, args.json);
    };
    let asked = Asked {
        experiments: &experiments,
        several,
        targets: &targets,
        shard,
        shows: !args.json,
    };
    let (worst, all_rows) = measure(&asked, &timing, program, &catalogue, args)?;
    if args.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&all_rows).map_err(Failure::usage)?
        );
    }
    if worst == Exit::Interrupted {
        return Ok(worst);
    }
    let needs_device = all_rows.iter().any(|row| row.device == harness::NO_DEVICE);
    let mut worst = worst;
    if worst == Exit::Good && needs_device {
        eprintln!("bench: no OpenCL device: only the CPU baselines were measured");
        worst = Exit::NoDevice;
    }
    Ok(worst.worse(unanswered(&all_rows, args)?))
}

/// What [`measure`] is asked for.
pub struct Asked<'a> {
    /// The experiments.
    pub experiments: &'a [Chosen<Experiment>],
    /// Whether the files have several, of which each has a folder of its own below `--out`.
    pub several: bool,
    /// The devices.
    pub targets: &'a [Target],
    /// The part of each experiment that its filters have left.
    pub shard: Option<Shard>,
    /// Whether each experiment ends with its closing table.
    pub shows: bool,
}

/// Measures every experiment into its folder and writes their reports. The worst exit code, and all rows.
pub fn measure(
    asked: &Asked<'_>,
    timing: &TimingRun,
    program: Program,
    catalogue: &Catalogue,
    args: &RunArgs,
) -> Result<(Exit, Vec<MeasurementRow>), Failure> {
    if !program.compiled_without.is_empty() {
        eprintln!(
            "warning: built without {}, which this processor has: the baselines are slower than they could \
             be, and every device looks faster; ./scripts/bench builds for this machine",
            program.compiled_without
        );
    }
    let threads = threads(args.threads);
    let host = harness::describe_host(threads);
    let cache = cache::chosen(&args.cache);
    let mut worst = Exit::Good;
    let mut all_rows = Vec::new();
    for (path, whole, experiment) in asked.experiments {
        let folder = folder_of(args, whole, asked.shard, asked.several);
        let claims = claims_about(whole, path);
        let request = RunRequest {
            whole,
            experiment,
            evidence: &|case| claims.iter().any(|claim| claim.names(case)),
            catalogue,
            targets: asked.targets,
            threads,
            kernels: args.kernels.as_deref(),
            cache: cache.as_deref(),
            program: program.clone(),
            host: host.clone(),
            executable: &targets::executable()?,
            given: given_for(args, asked.shard),
            config: path,
            shard: asked.shard,
            folder: &folder,
            fresh: args.fresh,
            stop: Arc::clone(&timing.stop),
            stop_now: Arc::clone(&timing.stop_now),
        };
        let (exit, rows) = one(&request, path, args, asked.shows)?;
        worst = worst.worse(exit);
        all_rows.extend(rows);
        if exit == Exit::Interrupted {
            break;
        }
    }
    Ok((worst, all_rows))
}

/// Whether too many of the cells that were asked for have no answer: all of them, or with `--strict` any.
/// Baselines that a filter left in were not asked for.
fn unanswered(rows: &[MeasurementRow], args: &RunArgs) -> Result<Exit, Failure> {
    let pattern = args.technique.as_deref().map(Regex::new).transpose();
    let pattern = pattern.map_err(Failure::usage)?;
    let is_asked = |row: &&MeasurementRow| {
        let pattern = pattern.as_ref();
        pattern.is_none_or(|pattern| pattern.is_match(&row.technique))
    };
    let asked: Vec<&MeasurementRow> = rows.iter().filter(is_asked).collect();
    let answered = asked.iter().filter(|row| row.status == Status::Ok).count();
    let lacking = asked.len() - answered;
    if answered == 0 {
        eprintln!("bench: no cell that was asked for has an answer");
    } else if args.strict && lacking > 0 {
        let all = asked.len();
        eprintln!("bench: --strict: {lacking} of {all} cells that were asked for have no answer");
    } else {
        return Ok(Exit::Good);
    }
    Ok(Exit::Failed)
}

fn one(
    request: &RunRequest<'_>,
    config: &Path,
    args: &RunArgs,
    shows: bool,
) -> Result<(Exit, Vec<MeasurementRow>), Failure> {
    let (mut folder, notes) = harness::open_folder(request).map_err(run_failure)?;
    for note in notes {
        eprintln!("{}: {note}", request.folder.display());
    }
    copy_published(request.whole, config, request.folder)?;
    verify::keep(request, cache::folder(&args.cache).as_deref())?;
    let plan = Plan::new(request.experiment, request.targets, request.catalogue);
    let mut bar = Bar::new(request.experiment, &plan);
    let outcome = harness::run(request, &mut folder, &mut bar);
    bar.finish();
    let finished = outcome.map_err(run_failure)?;
    // What an earlier command skipped and this one measured has two rows until here.
    if let Err(error) = folder.drop_superseded() {
        // Readers pass over them: no reason to go without a report.
        eprintln!("{}: {error}", request.folder.display());
    }
    drop(folder);

    let data = RunData::read(request.folder, request.catalogue).map_err(Failure::files)?;
    report::write_from(&data, request.folder).map_err(Failure::files)?;
    if shows {
        print!(
            "{}",
            report::closing_summary(&data, terminal::width(), terminal::colour())
        );
    }
    if finished.ended == Ended::Interrupted {
        eprintln!("interrupted: the same command goes on where it stopped");
        return Ok((Exit::Interrupted, finished.rows));
    }
    let exit = finished
        .rows
        .iter()
        .map(|row| exit_of(row.status))
        .fold(Exit::Good, Exit::worse);
    Ok((exit, finished.rows))
}

/// The overrides that change the experiment itself, so that the run folder stores them.
fn whole(mut experiment: Experiment, args: &RunArgs) -> Result<Experiment, Failure> {
    let overrides = Overrides {
        budget: args.budget,
        cell_budget: args.cell_budget,
        seed: args.seed,
        quick: args.quick,
        ..Overrides::default()
    };
    experiment.apply(&overrides).map_err(Failure::usage)?;
    Ok(experiment)
}

/// Puts the tuned techniques beside their defaults, and says which cannot be.
fn add_tuned(whole: &mut Experiment, tuned: &Tuned, catalogue: &Catalogue) {
    let (added, refused) = whole.add_tuned(tuned, catalogue);
    let name = &whole.name;
    match added.as_slice() {
        [] => eprintln!("{name}: --tuned has nothing for it but the defaults"),
        added => eprintln!("{name}: runs {} too", added.join(", ")),
    }
    for why in refused {
        eprintln!("{name}: {why}");
    }
}

/// Refuses parameters of another device, and warns of another driver and other kernels.
fn check_tuned(
    tuned: &Tuned,
    file: &Path,
    targets: &[Target],
    program: &Program,
) -> Result<(), Failure> {
    let devices: Vec<_> = targets.iter().map(tune::device_of).collect();
    tuned.expect_device(file, &devices).map_err(tune::failure)?;
    let file = file.display();
    if let [device] = devices.as_slice()
        && device.driver != tuned.device.driver
    {
        let (then, now) = (&tuned.device.driver, &device.driver);
        eprintln!("{file}: was found with driver {then}, and this is {now}");
    }
    let mut found = tuned.techniques.iter();
    if found.any(|it| it.kernel_hash != program.kernel_hash) {
        eprintln!("{file}: was found with other kernels than these");
    }
    Ok(())
}

/// What the command was given, with the shard that a scheduler's variables chose.
fn given_for(args: &RunArgs, shard: Option<Shard>) -> Given {
    let mut given = given();
    if let Some(shard) = shard.filter(|_| args.shard.is_none()) {
        let option = ["shard".to_owned(), shard.to_string()];
        given.options.push(option.to_vec());
    }
    given
}

/// Each experiment with what the filters leave of it, which choose what to measure now.
fn filtered(
    experiments: &[(PathBuf, Experiment)],
    args: &RunArgs,
    shard: Option<Shard>,
) -> Vec<Chosen<Result<Experiment, Failure>>> {
    let filters = Overrides {
        technique: args.technique.clone(),
        cases: args.cases.clone(),
        shard,
        ..Overrides::default()
    };
    let of = |(path, whole): &(PathBuf, Experiment)| {
        let mut left = whole.clone();
        let applied = left.apply(&filters).map_err(Failure::usage);
        (path.clone(), whole.clone(), applied.map(|()| left))
    };
    experiments.iter().map(of).collect()
}

/// One experiment of a run: its file, as it stands there, and what the filters leave of it.
pub type Chosen<E> = (PathBuf, Experiment, E);

/// Of several experiments, those that the filters match; it is an error only where none does.
fn keep_matching(
    mut all: Vec<Chosen<Result<Experiment, Failure>>>,
) -> Result<Vec<Chosen<Experiment>>, Failure> {
    if all.iter().any(|(_, _, filtered)| filtered.is_ok()) {
        all.retain(|(_, _, filtered)| filtered.is_ok());
    }
    all.into_iter()
        .map(|(path, whole, filtered)| Ok((path, whole, filtered?)))
        .collect()
}

/// The run folder. Each shard has one of its own, below one for all of them.
fn folder_of(
    args: &RunArgs,
    experiment: &Experiment,
    shard: Option<Shard>,
    several: bool,
) -> PathBuf {
    let name = &experiment.name;
    let local = Path::new("reports").join("local");
    let folder = match (&args.out, shard) {
        (Some(folder), _) if several => folder.join(name),
        (Some(folder), _) => folder.clone(),
        (None, Some(_)) => local.join(format!("{name}-shards")),
        (None, None) => local.join(name),
    };
    match shard {
        Some(Shard { number, of }) => folder.join(format!("{number}-of-{of}")),
        None => folder,
    }
}

/// Copies the papers' numbers that the experiment's tables name, those of complexity and the papers' claims, into the
/// run folder, so that a report can be made again anywhere.
fn copy_published(experiment: &Experiment, config: &Path, folder: &Path) -> Result<(), Failure> {
    let claims = Claims::file_of(&experiment.game);
    let complexity = complexity::file_of(&experiment.game);
    let of_game = [claims.as_str(), complexity.as_str()];
    for name in experiment.published().into_iter().chain(of_game) {
        let Some(from) = published_file(config, name) else {
            continue;
        };
        let bytes = words::read_file(&from)
            .with_context(|| format!("{}: cannot be read", from.display()))
            .map_err(Failure::files)?;
        // Folder by folder: none of them may be a link.
        let mut to = folder.join("published");
        for part in Path::new(name) {
            results::make_folder(&to).map_err(Failure::files)?;
            to.push(part);
        }
        results::write_atomically(&to, &bytes).map_err(Failure::files)?;
    }
    Ok(())
}

/// A file of `reports/published`, beside the experiment's folder or the working one.
fn published_file(config: &Path, name: &str) -> Option<PathBuf> {
    let folder = Path::new("reports/published");
    let beside = config.parent().unwrap_or(Path::new(".")).join("..");
    let places = [beside.join(folder).join(name), folder.join(name)];
    places.into_iter().find(|path| path.exists())
}

/// The paper's claims about an experiment. A mistake in their file is told by `bench check` and the report.
fn claims_about(experiment: &Experiment, config: &Path) -> Vec<Claim> {
    let file = published_file(config, &Claims::file_of(&experiment.game));
    let claims = file.and_then(|file| Claims::read(&file, None).ok());
    let mut claims = claims.unwrap_or_default().claims;
    claims.retain(|claim| claim.experiment == experiment.name);
    claims
}

fn dry_run(
    experiments: &[Chosen<Experiment>],
    targets: &[Target],
    catalogue: &Catalogue,
    json: bool,
) -> Result<Exit, Failure> {
    for (path, _, experiment) in experiments {
        let mut plan = Plan::new(experiment, targets, catalogue);
        let claims = claims_about(experiment, path);
        plan.named_first(|case| claims.iter().any(|claim| claim.names(case)));
        if json {
            let cells: Vec<PlannedCell<'_>> = plan.cells().map(PlannedCell::from).collect();
            println!(
                "{}",
                serde_json::to_string_pretty(&cells).map_err(Failure::usage)?
            );
            continue;
        }
        println!("{}: {} cells", experiment.name, plan.len());
        for cell in plan.cells() {
            println!(
                "  {}  {}  {}",
                cell.case, cell.choice.label, cell.device_label
            );
        }
    }
    Ok(Exit::Good)
}

fn announce(targets: &[Target], args: &RunArgs) {
    match targets {
        [] => eprintln!("device: none; only the CPU baselines will run"),
        [one] if args.devices.is_empty() => {
            eprintln!(
                "device: {} ({}, {}), the best one found; --device chooses another",
                one.record.label, one.record.platform, one.record.kind
            );
        }
        several => {
            for target in several {
                eprintln!(
                    "device: {} ({})",
                    target.record.label, target.record.platform
                );
            }
        }
    }
}

/// Says in a line of each device what was never verified on it.
fn say_unverified(
    targets: &[Target],
    args: &RunArgs,
    program: &Program,
    experiments: &[Chosen<Experiment>],
) {
    let mut techniques: Vec<(&str, &str)> = Vec::new();
    for (_, _, experiment) in experiments {
        for choice in &experiment.techniques {
            let technique = registry::find(&experiment.game, &choice.technique);
            if let Some(it) = technique.filter(|it| it.entry.kind == Kind::Device) {
                let name = (it.entry.game, it.entry.name);
                if !techniques.contains(&name) {
                    techniques.push(name);
                }
            }
        }
    }
    if techniques.is_empty() {
        return;
    }
    let folder = cache::folder(&args.cache);
    for target in targets {
        if let Some(line) = verify::note(folder.as_deref(), program, target, &techniques) {
            eprintln!("{line}");
        }
    }
}
