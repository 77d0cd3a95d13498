//! `bench verify`: checks every kernel against the CPU reference on hard cases.

use std::path::Path;

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressDrawTarget};
use regex_lite::Regex;

use super::brought;
use super::exit::{Exit, Failure, print_json};
use super::run_args::VerifyArgs;
use super::verified::remember;
use super::verify_table::{repeat, summary, told};
use super::{cache, session, targets, terminal};
use crate::config;
use crate::harness::{self, Held, Lost, Target, VerifyRequest};
use crate::results::{Conformance, Conformed, DeviceRecord, check_output};
use crate::techniques::{Technique, registry};
use crate::words::{Catalogue, Kind, Params, Status, Task, is_brought};

pub fn run(args: &VerifyArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let subjects = match &args.config {
        Some(file) => brought_by(file, args, &catalogue)?,
        None => vec![Subject {
            techniques: chosen(args, &catalogue)?,
            params: Params::new(),
            task: None,
            label: None,
            brought: String::new(),
        }],
    };
    if let Some(file) = &args.out {
        check_output(file).map_err(Failure::files)?;
    }
    let program = session::program(args.workers.kernels.as_deref())?;
    let mut asked = subjects.iter().flat_map(|it| &it.techniques);
    let target = match asked.any(|it| it.entry.kind == Kind::Device) {
        true => targets::one(args.device.as_deref())?,
        false => host(),
    };
    let record = &target.record;
    if record.label != harness::HOST {
        let (label, platform, driver) = (&record.label, &record.platform, &record.driver);
        eprintln!("device: {label} ({platform}), driver {driver}");
    }

    let [stop, stop_now] = session::interrupts()?;
    let (executable, cache) = (targets::executable()?, cache::chosen(&args.workers.cache));
    let mut request = VerifyRequest {
        target: &target,
        workers: session::workers(&executable, &args.workers, cache.as_deref(), &stop_now),
        deadline: args.deadline,
        budget: args.budget,
        first: args.fail_fast,
        stop: &stop,
        params: Params::new(),
        task: None,
    };
    let mut report = Conformance {
        utc: harness::utc_now(),
        program,
        device: record.clone(),
        techniques: Vec::new(),
    };
    let mut exit = Exit::Good;
    for subject in &subjects {
        request.params = subject.params.clone();
        request.task = subject.task;
        let own = hold(&request, &subject.techniques, &mut report, &mut |it| {
            if !args.json {
                print!("{}", told(it, subject.label.as_deref()));
            }
        })?;
        exit = exit.worse(own);
        if let (Some(label), Some(last)) = (&subject.label, report.techniques.last_mut()) {
            last.technique.clone_from(label);
            last.brought.clone_from(&subject.brought);
        }
        if exit == Exit::Interrupted || args.fail_fast && exit != Exit::Good {
            break;
        }
    }
    if let Some(file) = &args.out {
        report.write(file).map_err(Failure::files)?;
    }
    if args.json {
        print_json(&report)?;
    } else {
        println!("{}", summary(&report));
    }
    let is_incomplete = report.techniques.iter().any(|it| it.verdict() != "right");
    if args.strict && exit == Exit::Good && is_incomplete {
        eprintln!("bench: --strict: not every case of every technique was asked and right");
        exit = Exit::Failed;
    }
    // Runs look up results of devices.
    if report.device.label != harness::HOST {
        remember(cache::folder(&args.workers.cache).as_deref(), report);
    }
    Ok(exit)
}

struct Subject {
    techniques: Vec<&'static Technique>,
    params: Params,
    task: Option<Task>,
    label: Option<String>,
    /// As [`Conformed::brought`].
    brought: String,
}

/// The kernels and programs that an experiment brings, filtered by `--technique`.
fn brought_by(
    file: &Path,
    args: &VerifyArgs,
    catalogue: &Catalogue,
) -> Result<Vec<Subject>, Failure> {
    let pattern = pattern(args.technique.as_deref())?;
    let kernels = args.workers.kernels.as_deref();
    let mut subjects = Vec::new();
    for (_, mut experiment) in config::load(file, catalogue).map_err(session::load_failure)? {
        experiment.techniques.retain(|choice| {
            let pattern = pattern.as_ref();
            is_brought(&choice.technique) && pattern.is_none_or(|it| it.is_match(&choice.label))
        });
        brought::check(&experiment, &args.consent).map_err(Failure::usage)?;
        let task = asked_of_each(experiment.task);
        for mut choice in experiment.techniques {
            brought::note_files(&mut choice, kernels).map_err(Failure::usage)?;
            let found = registry::find(&experiment.game, &choice.technique);
            subjects.extend(found.map(|technique| Subject {
                techniques: vec![technique],
                brought: brought::hash(&choice, kernels).unwrap_or_default(),
                params: choice.params,
                task: Some(task),
                label: Some(choice.label),
            }));
        }
    }
    if subjects.is_empty() {
        return Err(Failure::usage(anyhow!(
            "{}: brings no kernel or program whose label matches",
            file.display()
        )));
    }
    Ok(subjects)
}

/// The task per position: a game consists of searches, and so does a match of searching techniques.
pub fn asked_of_each(task: Task) -> Task {
    match task {
        Task::Game | Task::Match => Task::Search,
        task => task,
    }
}

fn host() -> Target {
    Target {
        address: (0, 0),
        record: DeviceRecord {
            label: harness::HOST.to_owned(),
            ..DeviceRecord::default()
        },
        has_display: false,
        environment: Vec::new(),
        others: Vec::new(),
    }
}

pub fn hold(
    request: &VerifyRequest<'_>,
    techniques: &[&'static Technique],
    report: &mut Conformance,
    after: &mut dyn FnMut(&Conformed),
) -> Result<Exit, Failure> {
    let drawn = if terminal::live() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(None, drawn);
    let kernels = request.workers.kernels;
    let label = request.target.record.label.clone();
    let held = harness::hold(
        request,
        techniques,
        &mut |technique, (number, all)| {
            let (game, name) = (technique.entry.game, technique.entry.name);
            bar.set_message(format!("{game} {name}: case {} of {all}", number + 1));
        },
        &mut |technique, held| {
            let conformed = conformed(technique, &held, &label, kernels);
            bar.suspend(|| after(&conformed));
            report.techniques.push(conformed);
        },
    );
    bar.finish_and_clear();
    match held {
        Ok(()) => {}
        Err(Lost::Interrupted) => return Ok(Exit::Interrupted),
        Err(lost) => return Err(Failure::failed(anyhow!("the host's answers: {lost}"))),
    }
    let exits = report.techniques.iter().map(|it| exit_of(it.status));
    Ok(exits.fold(Exit::Good, Exit::worse))
}

/// The exit code of a technique's status: one without any case is not known to be right.
fn exit_of(status: Status) -> Exit {
    match status {
        Status::Skipped => Exit::Failed,
        status => session::exit_of(status),
    }
}

pub fn pattern(given: Option<&str>) -> Result<Option<Regex>, Failure> {
    let pattern = given.map(|given| {
        Regex::new(given).map_err(|error| {
            Failure::usage(anyhow!(
                "--technique: {given:?} is no regular expression: {error}"
            ))
        })
    });
    pattern.transpose()
}

fn chosen(args: &VerifyArgs, catalogue: &Catalogue) -> Result<Vec<&'static Technique>, Failure> {
    if let Some(game) = &args.game
        && catalogue.game(game).is_none()
    {
        let names: Vec<&str> = catalogue.games.iter().map(|game| game.name).collect();
        let allowed = names.join(", ");
        return Err(Failure::usage(anyhow!("--game {game}: allowed: {allowed}")));
    }
    let pattern = pattern(args.technique.as_deref())?;
    let of_game: Vec<_> = catalogue
        .techniques
        .iter()
        .filter(|entry| entry.kind == Kind::Device)
        .filter(|entry| args.game.as_deref().is_none_or(|game| game == entry.game))
        .collect();
    let matching = of_game
        .iter()
        .filter(|entry| pattern.as_ref().is_none_or(|it| it.is_match(entry.name)));
    let found: Vec<_> = matching
        .filter_map(|entry| registry::find(entry.game, entry.name))
        .collect();
    if found.is_empty() {
        let names: Vec<&str> = of_game.iter().map(|entry| entry.name).collect();
        return Err(Failure::usage(anyhow!(
            "--technique: matches none of those with kernels; allowed: {}",
            names.join(", ")
        )));
    }
    Ok(found)
}

fn conformed(
    technique: &Technique,
    held: &Held,
    device: &str,
    kernels: Option<&Path>,
) -> Conformed {
    let command = held.failing.as_ref();
    Conformed {
        game: technique.entry.game.to_owned(),
        technique: technique.entry.name.to_owned(),
        brought: String::new(),
        status: held.status(),
        cases: held.cases,
        right: held.right,
        wrong: held.wrong,
        unsupported: held.unsupported,
        failed: held.failed,
        skipped: held.skipped,
        reason: held.reason(),
        command: command.map_or_else(String::new, |(spec, ..)| repeat(spec, device, kernels)),
        longest_launch_ns: held.longest_launch_ns,
        ns: u64::try_from(held.time.as_nanos()).unwrap_or(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_technique_takes_no_time() {
        let report = Conformance::default();
        assert!(summary(&report).ends_with("; 0 cases in 0.0 s"));
        let cut_off = Held {
            skipped: 3,
            ..Held::default()
        };
        let technique = registry::find("reversi", "pv-split").unwrap();
        let one = conformed(technique, &cut_off, "gpu", None);
        let report = Conformance {
            techniques: vec![one.clone(), one],
            ..report
        };
        assert!(summary(&report).ends_with("0 cases in 0.0 s, 6 skipped"));
    }

    #[test]
    fn skipped_cases_are_a_verdict_of_their_own() {
        let technique = registry::find("reversi", "pv-split").unwrap();
        let verdict = |right, unsupported, skipped| {
            let held = Held {
                right,
                unsupported,
                skipped,
                lacks: (unsupported > 0).then(|| (Status::Unsupported, "images".to_owned())),
                ..Held::default()
            };
            let one = conformed(technique, &held, "gpu", None);
            let report = Conformance {
                techniques: vec![one.clone()],
                ..Conformance::default()
            };
            (one.verdict(), summary(&report))
        };
        let (word, all) = verdict(4, 0, 3);
        assert_eq!(word, "incomplete");
        let part = ": 0 techniques right, 0 not, 0 unsupported, 1 incomplete; ";
        assert!(all.starts_with(part), "{all}");
        assert_eq!(verdict(0, 2, 3).0, "incomplete");
        assert_eq!(verdict(4, 2, 0).0, "right");
        assert_eq!(verdict(0, 2, 0).0, "unsupported");
        assert_eq!(verdict(0, 0, 3).0, "skipped");
    }
}
