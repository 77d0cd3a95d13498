//! `bench verify`: checks every kernel against the CPU reference on hard cases.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::bail;

use super::args::VerifyArgs;
use super::exit::{Exit, Failure, print_json};
use super::single::{POSITION, command_of, has_seed};
use super::terminal::list;
use super::{brought, built_in, session, targets, terminal};
use crate::config::technique_pattern;
use crate::harness::{self, CellSpec, Lost, Subject, Target, VerifyRequest};
use crate::results::{Conformance, Conformed};
use crate::techniques::program::params::{HASH, VERSION};
use crate::techniques::{Technique, registry};
use crate::words::{Kind, Status, Task, Value, is_brought, program_name, shell_line};

pub fn run(args: &VerifyArgs) -> Result<Exit, Failure> {
    let subjects = match &args.config {
        Some(file) => brought_by(file, args)?,
        None => vec![Subject {
            techniques: chosen(args)?,
            ..Subject::default()
        }],
    };
    let program = session::program(args.workers.kernels.as_deref())?;
    let mut asked = subjects.iter().flat_map(|it| &it.techniques);
    let mut target = Target::default();
    target.record.label = harness::HOST.to_owned();
    if asked.any(|it| it.entry.kind == Kind::Device) {
        target = targets::one(&args.device)?;
        let it = &target.record;
        let (label, platform, driver) = (&it.label, &it.platform, &it.driver);
        eprintln!("device: {label} ({platform}), driver {driver}");
    }
    let [stop, stop_now] = session::interrupts()?;
    let request = VerifyRequest {
        target: &target,
        workers: session::workers(&args.workers, &stop_now)?,
        deadline: args.deadline,
        budget: args.budget,
        first: args.fail_fast,
        stop: &stop,
    };
    let mut report = Conformance {
        utc: harness::utc_now(),
        program,
        device: target.record.clone(),
        techniques: Vec::new(),
    };
    let mut exit = Exit::Good;
    for subject in &subjects {
        exit = exit.worse(hold(&request, subject, &mut report, args.json)?);
        if exit == Exit::Interrupted || args.fail_fast && exit != Exit::Good {
            break;
        }
    }
    match args.json {
        true => print_json(&report)?,
        false => println!("{}", summary(&report)),
    }
    let is_incomplete = report.techniques.iter().any(|it| it.verdict() != "right");
    if args.strict && exit == Exit::Good && is_incomplete {
        eprintln!("bench: --strict: at least one technique did not pass");
        exit = Exit::Failed;
    }
    Ok(exit)
}

/// Returns an experiment's user-supplied kernels and programs whose labels match `--technique`.
fn brought_by(file: &Path, args: &VerifyArgs) -> Result<Vec<Subject>, Failure> {
    let pattern = technique_pattern(args.technique.as_deref())?;
    let kernels = args.workers.kernels.as_deref();
    let mut subjects = Vec::new();
    for (_, mut experiment) in built_in::load(file, &registry::catalogue())? {
        let choices = &mut experiment.techniques;
        choices.retain(|choice| is_brought(&choice.technique) && pattern.is_match(&choice.label));
        brought::check(&experiment, args.allow_commands)?;
        // Games, and matches between search techniques, consist of searches.
        let task = match experiment.task {
            Task::Game | Task::Match => Task::Search,
            task => task,
        };
        for mut choice in experiment.techniques {
            brought::note_files(&mut choice, kernels)?;
            let found = registry::find(&experiment.game, &choice.technique);
            subjects.extend(found.map(|technique| Subject {
                techniques: vec![technique],
                params: choice.params,
                task: Some(task),
                label: Some(choice.label),
            }));
        }
    }
    if subjects.is_empty() {
        let file = file.display();
        usage!("{file}: has no kernel or program whose label matches");
    }
    Ok(subjects)
}

/// Verifies a subject's techniques. Adds the results to the report, and prints them unless `is_quiet`.
fn hold(
    request: &VerifyRequest<'_>,
    subject: &Subject,
    report: &mut Conformance,
    is_quiet: bool,
) -> Result<Exit, Failure> {
    let bar = terminal::bar(None, "{msg}\n{bar:30} case {pos} of {len}");
    let kernels = request.workers.options.kernels.as_deref();
    let device = &request.target.record.label;
    let held = harness::verify(
        request,
        subject,
        &mut |technique, (number, all)| {
            let (game, name) = (technique.entry.game, technique.entry.name);
            bar.set_length(all as u64);
            bar.set_position(number as u64 + 1);
            bar.set_message(format!("{game} {name}"));
        },
        &mut |technique, held| {
            let mut own = held.row(technique);
            if let Some((spec, ..)) = &held.failing {
                own.command = repeat(spec, device, kernels);
            }
            own.technique = subject.label.clone().unwrap_or(own.technique);
            if !is_quiet {
                bar.suspend(|| print!("{}", told(&own)));
            }
            report.techniques.push(own);
        },
    );
    bar.finish_and_clear();
    match held {
        Ok(()) => {}
        Err(Lost::Interrupted) => return Ok(Exit::Interrupted),
        Err(lost) => fail!(Failed, "the host's answers: {lost}"),
    }
    let mut statuses = report.techniques.iter().map(|it| it.status);
    let exit = session::exit_of(statuses.clone());
    // A technique without a checked case fails, because nothing shows that it is correct.
    Ok(exit.worse(Exit::Failed.when(statuses.any(|it| it == Status::Skipped))))
}

fn chosen(args: &VerifyArgs) -> anyhow::Result<Vec<&'static Technique>> {
    let catalogue = registry::catalogue();
    if let Some(game) = &args.game
        && catalogue.game(game).is_none()
    {
        let names = list(catalogue.games.iter().map(|game| game.name));
        bail!("--game {game}: allowed: {names}");
    }
    let pattern = technique_pattern(args.technique.as_deref())?;
    let of_game = catalogue.techniques.iter().filter(|entry| {
        let is_asked = args.game.as_deref().is_none_or(|game| game == entry.game);
        entry.kind == Kind::Device && is_asked
    });
    let found = of_game.clone().filter(|it| pattern.is_match(it.name));
    let found = found.filter_map(|entry| registry::find(entry.game, entry.name));
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        let names = list(of_game.map(|entry| entry.name));
        bail!("--technique: matches none of those with kernels; allowed: {names}");
    }
    Ok(found)
}

/// Returns the command that repeats one case. With the reference technique, the command prints the correct answer.
fn repeat(spec: &CellSpec, device: &str, kernels: Option<&Path>) -> String {
    let [word, axis, option] = command_of(spec.task);
    let mut words = Vec::new();
    let mut add = |own: &[&str]| words.extend(own.iter().map(|it| (*it).to_owned()));
    add(&[&program_name(), word, &spec.game]);
    add(&["--technique", &spec.technique]);
    for (name, value) in &spec.case.0 {
        match name.as_str() {
            POSITION => {}
            name if name == axis => add(&[option, &value.to_string()]),
            name => add(&["--case", &format!("{name}={value}")]),
        }
    }
    if has_seed(spec.task) {
        add(&["--seed", &spec.seed.to_string()]);
    }
    for (key, value) in spec.options.iter().chain(&spec.params) {
        // Skips recorded hashes and versions, because they are not parameters.
        if ![HASH.name, VERSION.name].contains(&key.as_str()) {
            let list = matches!(value, Value::List(_)).then(|| serde_json::to_string(value).ok());
            let value = list.flatten().unwrap_or_else(|| value.to_string());
            add(&["--set", &format!("{key}={value}")]);
        }
    }
    if let Some(position) = &spec.position {
        add(&[&format!("--position={position}")]);
    }
    if device != harness::HOST {
        add(&["--device", device]);
    }
    if let Some(kernels) = kernels {
        add(&["--kernels", &kernels.display().to_string()]);
    }
    shell_line(&words)
}

fn told(it: &Conformed) -> String {
    let numbers = [it.right, it.wrong, it.unsupported, it.failed, it.skipped];
    let words = ["right", "wrong", "unsupported", "failed", "skipped"];
    let counts = numbers.into_iter().zip(words).filter(|it| it.0 > 0);
    let counts = counts.map(|(number, word)| format!("{number} {word}"));
    let mut counts: Vec<String> = counts.collect();
    if it.longest_launch_ns > 0 {
        let milliseconds = it.longest_launch_ns as f64 / 1e6;
        counts.push(format!("longest launch {milliseconds:.2} ms"));
    }
    let (verdict, seconds) = (it.verdict(), it.ns as f64 / 1e9);
    let (name, counts) = (format!("{} {}", it.game, it.technique), counts.join(", "));
    let mut text = format!("{name:<34} {verdict:<12} {seconds:>6.1} s  {counts}\n");
    // The reason contains only the first lines of a compiler log.
    for line in it.reason.lines().chain(it.command.lines()) {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

fn summary(report: &Conformance) -> String {
    let sum = |of: fn(&Conformed) -> u64| report.techniques.iter().map(of).sum::<u64>();
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    for it in &report.techniques {
        *verdicts.entry(it.verdict()).or_default() += 1;
    }
    let verdicts = verdicts.iter().map(|(it, count)| format!("{count} {it}"));
    let verdicts = verdicts.collect::<Vec<_>>().join(", ");
    let label = &report.device.label;
    let (cases, seconds) = (sum(|it| it.cases), sum(|it| it.ns) as f64 / 1e9);
    let skipped = match sum(|it| it.skipped) {
        0 => String::new(),
        skipped => format!(", {skipped} skipped"),
    };
    format!("{label}: techniques: {verdicts}; {cases} cases in {seconds:.1} s{skipped}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::VerifyResult;

    #[test]
    fn no_technique_takes_no_time() {
        let report = Conformance::default();
        assert!(summary(&report).ends_with("; 0 cases in 0.0 s"));
        let cut_off = VerifyResult {
            counts: Conformed {
                skipped: 3,
                ..Conformed::default()
            },
            ..VerifyResult::default()
        };
        let technique = registry::find("reversi", "pv-split").unwrap();
        let one = cut_off.row(technique);
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
            let counts = Conformed {
                right,
                unsupported,
                skipped,
                ..Conformed::default()
            };
            let held = VerifyResult {
                counts,
                lacks: (unsupported > 0).then(|| (Status::Unsupported, "images".to_owned())),
                ..VerifyResult::default()
            };
            let one = held.row(technique);
            let report = Conformance {
                techniques: vec![one.clone()],
                ..Conformance::default()
            };
            (one.verdict(), summary(&report))
        };
        let (word, all) = verdict(4, 0, 3);
        assert_eq!(word, "incomplete");
        assert!(all.starts_with(": techniques: 1 incomplete; "), "{all}");
        assert_eq!(verdict(0, 2, 3).0, "incomplete");
        assert_eq!(verdict(4, 2, 0).0, "right");
        assert_eq!(verdict(0, 2, 0).0, "unsupported");
        assert_eq!(verdict(0, 0, 3).0, "skipped");
        // A technique without a checked case is not reported as correct.
        let (word, all) = verdict(0, 0, 0);
        assert_eq!(word, "no cases");
        assert!(all.starts_with(": techniques: 1 no cases; "), "{all}");
    }
}
