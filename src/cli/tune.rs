//! `bench tune`: which launch parameters suit a device.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use regex_lite::Regex;

use super::brought::{self, Consent};
use super::exit::{Exit, Failure};
use super::progress::Bar;
use super::run_args::TuneArgs;
use super::timing::TimingRun;
use super::{cache, session, targets, tuned, verify};
use crate::config::{self, Experiment, Timing, TunedTechnique};
use crate::harness::{self, TuneJob, TuneOutcome, TuneRequest, VerifyRequest, Workers};
use crate::results::{Conformance, Program};
use crate::techniques::{launch, registry};
use crate::words::{Catalogue, Kind, Params, Status, is_brought};

/// A hard case may take this long to prepare, and as long again to answer.
const VERIFY_DEADLINE: Duration = Duration::from_secs(120);

/// Tunes every technique of the experiments, one after the other; the worst exit code wins.
pub fn run(args: &TuneArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let mut experiments = Vec::new();
    for path in &args.configs {
        let loaded = config::load(path, &catalogue).map_err(session::load_failure)?;
        for (_, experiment) in &loaded {
            brought::check(experiment, &Consent::NONE).map_err(Failure::usage)?;
        }
        experiments.extend(loaded.into_iter().map(|(_, experiment)| experiment));
    }
    if let Some(seed) = args.seed {
        experiments.iter_mut().for_each(|it| it.seed = seed);
    }
    let jobs = jobs(&experiments, args.technique.as_deref(), &catalogue)?;
    let program = session::program(args.workers.kernels.as_deref())?;
    let timing = TimingRun::begin(&args.machine)?;
    let target = &targets::one(args.device.as_deref())?;
    let label = &target.record.label;
    let file = args.out.clone().unwrap_or_else(|| tuned::usual_file(label));
    let mut tuned = tuned::begun(&file, target, &catalogue)?;
    eprintln!(
        "device: {label} ({}); {} techniques, {} each, into {}",
        target.record.platform,
        jobs.len(),
        humantime::format_duration(args.budget),
        file.display()
    );

    let cache = cache::chosen(&args.workers.cache);
    let executable = targets::executable()?;
    let workers = session::workers(
        &executable,
        &args.workers,
        cache.as_deref(),
        &timing.stop_now,
    );
    let request = TuneRequest {
        catalogue: &catalogue,
        target,
        stop: &timing.stop,
        threads: workers.threads,
        kernel_hash: &program.kernel_hash,
        budget: args.budget,
    };
    let (jobs, mut worst) = right_ones(
        jobs,
        &request,
        &workers,
        &program,
        cache::folder(&args.workers.cache),
    )?;
    let mut bar = Bar::spinner();
    let result = harness::tune(&request, &workers, &jobs, &mut bar, &mut |job, outcome| {
        worst = worst.worse(exit_of(&outcome));
        println!("{}", told(job, &outcome));
        if let TuneOutcome::Found(found) = outcome {
            // After each: what an interrupted search has found stays.
            tuned.put(*found);
            tuned::write(&file, &tuned)?;
        }
        Ok(())
    });
    bar.finish();
    result.map_err(Failure::files)?;
    if worst == Exit::Interrupted {
        eprintln!(
            "interrupted: what was found before is in {}",
            file.display()
        );
    }
    Ok(worst)
}

/// The techniques with launch parameters of which the experiment sets none, each once for a game and a
/// task.
fn jobs<'e>(
    experiments: &'e [Experiment],
    pattern: Option<&str>,
    catalogue: &Catalogue,
) -> Result<Vec<TuneJob<'e>>, Failure> {
    let pattern = verify::pattern(pattern)?;
    let (mut jobs, mut seen, mut able) = (Vec::new(), Vec::new(), Vec::new());
    for experiment in experiments {
        for choice in &experiment.techniques {
            let found = catalogue.technique(&experiment.game, &choice.technique);
            if found.is_none_or(|entry| entry.kind != Kind::Device) {
                continue;
            }
            let launch = launch::parameters(&experiment.game, &choice.technique);
            let sets = |(name, _): &(&str, _)| choice.params.contains_key(*name);
            if launch.is_empty() || launch.iter().any(sets) {
                continue;
            }
            able.push(choice.label.as_str());
            let wanted = |pattern: &Regex| pattern.is_match(&choice.label);
            let same = (
                &experiment.game,
                experiment.task,
                &choice.technique,
                choice.kernel(),
            );
            if !pattern.as_ref().is_none_or(wanted) || seen.contains(&same) {
                continue;
            }
            seen.push(same);
            jobs.push(TuneJob {
                experiment,
                choice,
                launch,
            });
        }
    }
    if jobs.is_empty() {
        able.dedup();
        return Err(Failure::usage(if able.is_empty() {
            anyhow!("there is nothing to tune: no technique here has launch parameters left open")
        } else {
            anyhow!(
                "--technique: matches none of those with launch parameters; allowed: {}",
                able.join(", ")
            )
        }));
    }
    Ok(jobs)
}

/// Leaves out what does not answer hard cases rightly: how fast it is wrong is of no use. Says so, and
/// what exit code it means.
fn right_ones<'e>(
    jobs: Vec<TuneJob<'e>>,
    request: &TuneRequest<'_>,
    workers: &Workers<'_>,
    program: &Program,
    folder: Option<PathBuf>,
) -> Result<(Vec<TuneJob<'e>>, Exit), Failure> {
    let verify = VerifyRequest {
        target: request.target,
        workers: workers.clone(),
        deadline: VERIFY_DEADLINE,
        budget: None,
        first: false,
        stop: request.stop,
        params: Params::new(),
        task: None,
    };
    let names = jobs
        .iter()
        .filter(|job| !is_brought(&job.choice.technique))
        .map(|job| (job.experiment.game.as_str(), job.choice.technique.as_str()));
    let names: BTreeSet<_> = names.collect();
    let techniques: Vec<_> = names
        .into_iter()
        .filter_map(|(game, name)| registry::find(game, name))
        .collect();
    let (report, exit) = verify::ensure(&verify, program, folder.as_deref(), &techniques)?;
    if exit == Exit::Interrupted {
        return Ok((Vec::new(), exit));
    }
    let (mut right, mut worst) = (Vec::new(), Exit::Good);
    for job in jobs {
        let (game, name) = (&job.experiment.game, &job.choice.technique);
        let mut own = Conformance {
            techniques: Vec::new(),
            ..report.clone()
        };
        let of_it = match registry::find(game, name).filter(|_| is_brought(name)) {
            None => report.of(game, name),
            // Somebody's file may be another tomorrow: it is asked each time.
            Some(technique) => {
                let verify = VerifyRequest {
                    params: job.choice.params.clone(),
                    task: Some(verify::asked_of_each(job.experiment.task)),
                    ..verify.clone()
                };
                let exit = verify::hold(&verify, &[technique], &mut own, &mut |_| {})?;
                if exit == Exit::Interrupted {
                    return Ok((Vec::new(), exit));
                }
                own.techniques.last()
            }
        };
        match of_it.filter(|it| it.status != Status::Ok) {
            None => right.push(job),
            Some(it) => {
                worst = worst.worse(session::exit_of(it.status));
                let not = TuneOutcome::Not(it.status, it.reason.clone());
                println!("{}", told(&job, &not));
            }
        }
    }
    Ok((right, worst))
}

fn exit_of(outcome: &TuneOutcome) -> Exit {
    match outcome {
        TuneOutcome::Interrupted => Exit::Interrupted,
        TuneOutcome::Not(status, _) => session::exit_of(*status),
        TuneOutcome::Found(found) => {
            let exits = found.tried.iter().map(|it| session::exit_of(it.status));
            exits.fold(Exit::Good, Exit::worse)
        }
    }
}

/// One line of what came of a technique.
fn told(job: &TuneJob<'_>, outcome: &TuneOutcome) -> String {
    let name = format!("{} {}", job.experiment.name, job.choice.label);
    match outcome {
        TuneOutcome::Interrupted => format!("{name}: interrupted"),
        TuneOutcome::Not(status, why) => {
            let first = why.lines().next().unwrap_or_default();
            format!("{name}: not tuned: {status}: {first}")
        }
        TuneOutcome::Found(found) => format!("{name}: {}", improvement(found)),
    }
}

fn improvement(found: &TunedTechnique) -> String {
    let TunedTechnique {
        params,
        case,
        default,
        tuned,
        tried,
        ..
    } = found;
    let timed = tried.iter().filter(|it| it.timing.is_some()).count();
    let count = format!("{timed} of {}", tried.len());
    match tuned {
        None => format!(
            "the defaults stay, {}; {count} measurements, at {case}",
            time(default)
        ),
        Some(tuned) => format!(
            "{}: {} against {}, {:.2} times as fast; {count} measurements, at {case}",
            words(params),
            time(tuned),
            time(default),
            default.median_ns as f64 / tuned.median_ns.max(1) as f64
        ),
    }
}

fn words(params: &Params) -> String {
    let words: Vec<String> = params
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    words.join(" ")
}

/// `1.234 ms (1.230 to 1.250)`.
fn time(timing: &Timing) -> String {
    let ms = |ns: u64| ns as f64 / 1e6;
    format!(
        "{:.3} ms ({:.3} to {:.3})",
        ms(timing.median_ns),
        ms(timing.low_ns),
        ms(timing.high_ns)
    )
}
