//! `bench run`: measures experiments, checks the answers and writes reports.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};
use serde_json::json;

use super::args::RunArgs;
use super::exit::{Exit, Failure, print_json};
use super::progress::Bar;
use super::session::{self, Chosen, TimingRun};
use super::terminal::list;
use super::{brought, built_in, devices, published, targets, terminal};
use crate::config::{Experiment, Lists, Selection, shared_name, technique_pattern};
use crate::harness::{self, Cell, Ended, Plan, RunRequest, Target};
use crate::report::{self, RunData};
use crate::results::{MeasurementRow, Program};
use crate::techniques::registry;
use crate::words::{Catalogue, Status, Task, Warning, counted};

pub fn run(mut args: RunArgs) -> Result<Exit, Failure> {
    args.selection.options = session::options();
    if args.show {
        let [config] = args.configs.as_slice() else {
            usage!("--show: {} experiments; allowed is one", args.configs.len());
        };
        print!("{}", built_in::text(config)?);
        return Ok(Exit::Good);
    }
    let catalogue = registry::catalogue();
    // Every file is parsed before the first run, so that a typo in a later file cannot waste a night of measuring.
    let mut experiments = Vec::new();
    for path in &args.configs {
        for (path, mut whole) in built_in::load(path, &catalogue)? {
            whole.apply(&args.overrides)?;
            brought::check(&whole, args.allow_commands)?;
            if !args.sweep.is_empty() {
                sweep(&mut whole, &args, &catalogue)?;
            }
            experiments.push((path, whole));
        }
    }
    refuse_one_name_for_two(&experiments)?;
    // Folders depend on the files, not on the filters, so all shards of a suite use the same folders.
    args.several = experiments.len() > 1;
    let (args, selection) = (&args, &args.selection);
    let kernels = args.workers.kernels.as_deref();
    // Reports usage errors before waiting for the machine.
    let mut experiments = selected(experiments, selection)?;
    let timing = (!args.dry_run).then(|| TimingRun::begin(&args.machine));
    let timing = timing.transpose()?;
    // No program starts before every experiment has been checked.
    if let Some(timing) = &timing {
        for (_, whole) in &mut experiments {
            brought::note(whole, kernels, &timing.stop)?;
        }
    }
    let program = session::program(kernels)?;
    let chosen = targets::choose(&selection.devices)?;
    if let Err(error) = &chosen {
        eprintln!("device: none ({error}); only the CPU baselines will run");
    }
    let targets = chosen.as_deref().unwrap_or_default();
    for Target { record: it, .. } in targets {
        eprintln!("device: {} ({}, {})", it.label, it.platform, it.kind);
    }
    let Some(timing) = timing else {
        return dry_run(&experiments, targets, args);
    };
    let measured = measure(&experiments, targets, &timing, program, args, |_| Ok(()))?;
    let (mut worst, mut all_rows) = measured;
    if args.json {
        let rows = all_rows.iter().map(MeasurementRow::json);
        print_json(&rows.collect::<Vec<_>>())?;
    }
    if worst == Exit::Interrupted {
        return Ok(worst);
    }
    let mut devices = all_rows.iter().map(|row| &row.cell.device);
    if worst == Exit::Good && devices.any(|it| it == harness::NO_DEVICE) {
        eprintln!("bench: no OpenCL device: only the CPU baselines were measured");
        let advice = chosen.as_ref().err().and_then(devices::advice);
        advice.iter().for_each(|lines| eprintln!("{lines}"));
        worst = Exit::NoDevice;
    }
    let pattern = technique_pattern(selection.technique.as_deref())?;
    // A shard may have no cases. In a match, later shards may have no opening.
    let is_later = selection.shard.is_some_and(|shard| shard.number > 1);
    let is_spare = |row: &MeasurementRow| {
        is_later && row.task == Task::Match.word() && row.status == Status::Unsupported
    };
    all_rows.retain(|row| pattern.is_match(&row.cell.technique) && !is_spare(row));
    let is_empty = selection.shard.is_some() && all_rows.is_empty();
    let exit = (!is_empty).then(|| unanswered(&all_rows, args.strict));
    Ok(worst.worse(exit.unwrap_or(Exit::Good)))
}

/// Measures every experiment into its folder and writes the reports. Calls `each` after each experiment that was not
/// interrupted. Returns the worst exit code and all rows.
pub fn measure(
    experiments: &[Chosen],
    targets: &[Target],
    timing: &TimingRun,
    program: Program,
    args: &RunArgs,
    mut each: impl FnMut(&Chosen) -> Result<(), Failure>,
) -> Result<(Exit, Vec<MeasurementRow>), Failure> {
    let catalogue = &registry::catalogue();
    let lacking = &program.compiled_without;
    if !lacking.is_empty() {
        eprintln!(
            "warning: built without {lacking}, which this processor has: the baselines are slower than they could \
             be, and every device looks faster; ./scripts/bench builds for this machine"
        );
    }
    let workers = session::workers(&args.workers, &timing.stop_now)?;
    let host = harness::describe_host(workers.options.threads);
    let mut worst = Exit::Good;
    let mut all_rows = Vec::new();
    for chosen in experiments {
        let (config, whole) = chosen;
        let part = args.selection.of(whole)?;
        if let (true, Some(shard)) = (part.cases.is_empty(), args.selection.shard) {
            let what = match whole.task {
                Task::Match => "pairs of games",
                _ => "cases",
            };
            let name = &whole.name;
            eprintln!("{name}: shard {shard} is empty: there are fewer {what} than shards");
        }
        let folder = folder_of(args, whole);
        let claims = published::claims_about(whole, config).claims;
        let targets = match args.fresh {
            true => targets.to_vec(),
            false => harness::called_as_before(targets, whole, &folder),
        };
        let plan = Plan::new(whole, &targets, catalogue).asking(&part);
        let request = RunRequest {
            experiment: whole,
            plan: &plan,
            sampling: &part.sampling,
            evidence: &|case| claims.iter().any(|claim| claim.names(case)),
            catalogue,
            targets: &targets,
            workers: workers.clone(),
            program: program.clone(),
            host: host.clone(),
            selection: &args.selection,
            config,
            folder: &folder,
            fresh: args.fresh,
            stop: Arc::clone(&timing.stop),
        };
        let (exit, rows) = one(&request, args)?;
        worst = worst.worse(exit);
        all_rows.extend(rows);
        if exit == Exit::Interrupted {
            break;
        }
        each(chosen)?;
    }
    Ok((worst, all_rows))
}

/// Returns [`Exit::Failed`] if no requested cell has an answer or, with `--strict`, if any of them lacks one. `asked`
/// excludes baselines that a filter kept.
fn unanswered(asked: &[MeasurementRow], is_strict: bool) -> Exit {
    let answered = asked.iter().filter(|row| row.status == Status::Ok).count();
    let lacking = asked.len() - answered;
    if answered == 0 {
        eprintln!("bench: no cell that was asked for has an answer");
    } else if is_strict && lacking > 0 {
        let all = asked.len();
        eprintln!("bench: --strict: {lacking} of {all} cells that were asked for have no answer");
    } else {
        return Exit::Good;
    }
    Exit::Failed
}

fn one(request: &RunRequest<'_>, args: &RunArgs) -> Result<(Exit, Vec<MeasurementRow>), Failure> {
    let (mut folder, notes) = harness::open_folder(request)?;
    for note in notes {
        eprintln!("{}: {note}", request.folder.display());
    }
    published::copy(request.experiment, request.config, request.folder)?;
    let mut bar = Bar::new(request.experiment, &request.plan.asked(|_| false));
    let outcome = harness::run(request, &mut folder, &mut bar);
    bar.finish();
    let finished = outcome?;
    let mut warned = finished.rows.iter().flat_map(MeasurementRow::warned);
    if let Some(coarse) = warned.find(|it| matches!(it, Warning::Coarse(_))) {
        eprintln!("warning: {coarse}");
    }
    // If an earlier command skipped a cell and this one measured it, drops the earlier row.
    if let Err(error) = folder.drop_superseded() {
        // Readers skip superseded rows, so the report is written even if this fails.
        eprintln!("{}: {error}", request.folder.display());
    }
    drop(folder);

    let analysis = report::analyse(RunData::read(request.folder, request.catalogue)?);
    report::write_from(&analysis, request.folder)?;
    if !args.json {
        let (width, colour) = (terminal::width(), terminal::colour());
        print!("{}", report::closing_summary(&analysis, width, colour));
    }
    let mut exit = session::exit_of(finished.rows.iter().map(|row| row.status));
    if finished.ended == Ended::Interrupted {
        eprintln!("interrupted: the same command goes on where it stopped");
        exit = Exit::Interrupted;
    } else if !analysis.data.findings.is_empty() {
        // The damaged row may be from an earlier command, so it is not necessarily among this command's rows.
        exit = exit.worse(Exit::Files);
    }
    Ok((exit, finished.rows))
}

/// Fails if two experiments would share a run folder. On some file systems, `a` and `A` are the same name.
fn refuse_one_name_for_two(experiments: &[Chosen]) -> Result<(), Failure> {
    let mut places: HashMap<String, &Path> = HashMap::new();
    for (path, experiment) in experiments {
        if let Some(other) = places.insert(experiment.name.to_lowercase(), path) {
            let shared = shared_name(&experiment.name, &other.display().to_string());
            usage!("{}: name: {shared}", path.display());
        }
    }
    Ok(())
}

/// Returns the experiments with at least one selected cell. Fails if there are none.
fn selected(all: Vec<Chosen>, selection: &Selection) -> anyhow::Result<Vec<Chosen>> {
    let is_kept = |(_, whole): &Chosen| selection.of(whole).is_ok();
    let (kept, refused): (Vec<_>, Vec<_>) = all.into_iter().partition(is_kept);
    match refused.first() {
        Some((_, whole)) if kept.is_empty() => selection.of(whole).map(|_| kept),
        _ => Ok(kept),
    }
}

/// Returns the run folder of an experiment. Each shard has a subfolder.
fn folder_of(args: &RunArgs, experiment: &Experiment) -> PathBuf {
    let (name, shard) = (&experiment.name, args.selection.shard);
    let local = Path::new("reports/local");
    let folder = match &args.out {
        Some(folder) if args.several => folder.join(name),
        Some(folder) => folder.clone(),
        None if shard.is_some() => local.join(format!("{name}-shards")),
        None => local.join(name),
    };
    let names = shard.map(|it| format!("{}-of-{}", it.number, it.of));
    names.iter().fold(folder, |folder, name| folder.join(name))
}

/// Adds the techniques from `--sweep`, and prints how many of them `--technique` keeps.
fn sweep(whole: &mut Experiment, args: &RunArgs, catalogue: &Catalogue) -> anyhow::Result<()> {
    let pattern = technique_pattern(args.selection.technique.as_deref())?;
    let mut params = Lists::new();
    for (param, values) in &args.sweep {
        if params.insert(param.clone(), values.clone()).is_some() {
            bail!("--sweep: {param} is there twice; allowed is one list of its values");
        }
    }
    let swept = whole.sweep(&params, catalogue);
    let swept = swept.map_err(|why| anyhow!("--sweep: {why}"))?;
    let added: Vec<&String> = swept.iter().flat_map(|it| &it.added).collect();
    let is_asked = |label: &str| pattern.is_match(label);
    let number = added.iter().filter(|it| is_asked(it)).count();
    let name = &whole.name;
    if number == 0 && whole.techniques.iter().any(|it| is_asked(&it.label)) {
        let allowed = list(added.iter().map(|it| it.as_str()));
        bail!("--technique: {pattern} matches no technique of --sweep; allowed: {allowed}");
    }
    eprintln!("{name}: runs {} too", counted(number, "technique"));
    for why in swept.iter().flat_map(|it| &it.left_out) {
        eprintln!("{name}: left out: {why}");
    }
    Ok(())
}

fn dry_run(experiments: &[Chosen], targets: &[Target], args: &RunArgs) -> Result<Exit, Failure> {
    let mut worst = Exit::Good;
    for (path, whole) in experiments {
        let part = args.selection.of(whole)?;
        let mut plan = Plan::new(&part, targets, &registry::catalogue());
        let about = published::claims_about(whole, path);
        plan.named_first(|case| about.claims.iter().any(|claim| claim.names(case)));
        worst = worst.worse(Exit::Usage.when(!about.mistakes.is_empty()));
        if args.json {
            print_json(&json!(plan.cells().map(Cell::id).collect::<Vec<_>>()))?;
            continue;
        }
        println!("{}: {} cells", whole.name, plan.cells().count());
        for cell in plan.cells().map(Cell::id) {
            println!("  {}  {}  {}", cell.case, cell.technique, cell.device);
        }
    }
    Ok(worst)
}
