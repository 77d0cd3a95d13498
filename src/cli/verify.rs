//! `bench verify`: checks every kernel against the CPU reference on hard cases.

use std::path::Path;

use anyhow::bail;

use super::args::VerifyArgs;
use super::exit::{Exit, Failure, print_json};
use super::progress::style;
use super::single::{POSITION, command_of};
use super::terminal::list;
use super::{brought, session, targets, terminal};
use crate::config::{self, technique_pattern};
use crate::harness::{self, CellSpec, Lost, Target, VerifyRequest, VerifyResult};
use crate::results::{Conformance, Conformed, DeviceRecord, check_output};
use crate::techniques::program::params::{HASH, VERSION};
use crate::techniques::{Technique, registry};
use crate::words::{Catalogue, Kind, Params, Status, Task, Value, is_brought, shell_line};

pub fn run(args: &VerifyArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let subjects = match &args.config {
        Some(file) => brought_by(file, args, &catalogue)?,
        None => vec![Subject {
            techniques: chosen(args, &catalogue)?,
            ..Subject::default()
        }],
    };
    if let Some(file) = &args.out {
        check_output(file)?;
    }
    let program = session::program(args.workers.kernels.as_deref())?;
    let mut asked = subjects.iter().flat_map(|it| &it.techniques);
    let target = match asked.any(|it| it.entry.kind == Kind::Device) {
        true => targets::one(args.device.as_deref())?,
        false => Target {
            record: DeviceRecord {
                label: harness::HOST.to_owned(),
                ..DeviceRecord::default()
            },
            ..Target::default()
        },
    };
    let record = &target.record;
    if record.label != harness::HOST {
        let (label, platform, driver) = (&record.label, &record.platform, &record.driver);
        eprintln!("device: {label} ({platform}), driver {driver}");
    }

    let [stop, stop_now] = session::interrupts()?;
    let mut request = VerifyRequest {
        target: &target,
        workers: session::workers(&args.workers, &stop_now)?,
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
        exit = exit.worse(hold(&request, subject, &mut report, args.json)?);
        if exit == Exit::Interrupted || args.fail_fast && exit != Exit::Good {
            break;
        }
    }
    if let Some(file) = &args.out {
        report.write(file)?;
    }
    match args.json {
        true => print_json(&report)?,
        false => println!("{}", summary(&report)),
    }
    let is_incomplete = report.techniques.iter().any(|it| it.verdict() != "right");
    if args.strict && exit == Exit::Good && is_incomplete {
        eprintln!("bench: --strict: not every case of every technique was asked and right");
        exit = Exit::Failed;
    }
    Ok(exit)
}

#[derive(Default)]
struct Subject {
    techniques: Vec<&'static Technique>,
    params: Params,
    task: Option<Task>,
    label: Option<String>,
}

/// The kernels and programs that an experiment brings, filtered by `--technique`.
fn brought_by(
    file: &Path,
    args: &VerifyArgs,
    catalogue: &Catalogue,
) -> Result<Vec<Subject>, Failure> {
    let matches = matches(args)?;
    let kernels = args.workers.kernels.as_deref();
    let mut subjects = Vec::new();
    for (_, mut experiment) in config::load(file, catalogue)? {
        let choices = &mut experiment.techniques;
        choices.retain(|choice| is_brought(&choice.technique) && matches(&choice.label));
        brought::check(&experiment, args.allow_commands)?;
        // A game consists of searches, and so does a match of searching techniques.
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
        usage!("{file}: brings no kernel or program whose label matches");
    }
    Ok(subjects)
}

/// Adds the results of a subject's techniques to the report, and prints them unless `is_quiet`.
fn hold(
    request: &VerifyRequest<'_>,
    subject: &Subject,
    report: &mut Conformance,
    is_quiet: bool,
) -> Result<Exit, Failure> {
    let bar = terminal::bar(None);
    bar.set_style(style("{msg}\n{bar:30} case {pos} of {len}"));
    terminal::tick(&bar);
    let kernels = request.workers.options.kernels.as_deref();
    let device = &request.target.record.label;
    let held = harness::verify(
        request,
        &subject.techniques,
        &mut |technique, (number, all)| {
            let (game, name) = (technique.entry.game, technique.entry.name);
            bar.set_length(all as u64);
            bar.set_position(number as u64 + 1);
            bar.set_message(format!("{game} {name}"));
        },
        &mut |technique, held| {
            let mut own = conformed(technique, &held, device, kernels);
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
    // A technique without any case is not known to be right.
    Ok(exit.worse(Exit::Failed.when(statuses.any(|it| it == Status::Skipped))))
}

/// Whether a name or a label matches `--technique`.
fn matches(args: &VerifyArgs) -> anyhow::Result<impl Fn(&str) -> bool> {
    let pattern = args.technique.as_deref().map(technique_pattern);
    let pattern = pattern.transpose()?;
    Ok(move |name: &str| pattern.as_ref().is_none_or(|it| it.is_match(name)))
}

fn chosen(args: &VerifyArgs, catalogue: &Catalogue) -> anyhow::Result<Vec<&'static Technique>> {
    if let Some(game) = &args.game
        && catalogue.game(game).is_none()
    {
        let names = list(catalogue.games.iter().map(|game| game.name));
        bail!("--game {game}: allowed: {names}");
    }
    let matches = matches(args)?;
    let of_game = catalogue.techniques.iter().filter(|entry| {
        let is_asked = args.game.as_deref().is_none_or(|game| game == entry.game);
        entry.kind == Kind::Device && is_asked
    });
    let found = of_game.clone().filter(|entry| matches(entry.name));
    let found = found.filter_map(|entry| registry::find(entry.game, entry.name));
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        let names = list(of_game.map(|entry| entry.name));
        bail!("--technique: matches none of those with kernels; allowed: {names}");
    }
    Ok(found)
}

fn conformed(
    technique: &Technique,
    held: &VerifyResult,
    device: &str,
    kernels: Option<&Path>,
) -> Conformed {
    let command = held.failing.as_ref();
    Conformed {
        game: technique.entry.game.to_owned(),
        technique: technique.entry.name.to_owned(),
        status: held.status(),
        reason: held.reason(),
        command: command.map_or_else(String::new, |(spec, ..)| repeat(spec, device, kernels)),
        ..held.counts.clone()
    }
}

/// The command that repeats one case; with the reference's name it gives the right answer.
fn repeat(spec: &CellSpec, device: &str, kernels: Option<&Path>) -> String {
    let [word, axis, option] = command_of(spec.task);
    let words = ["bench", word, &spec.game, "--technique", &spec.technique];
    let mut words = words.map(str::to_owned).to_vec();
    for (name, value) in &spec.case.0 {
        match name.as_str() {
            POSITION => {}
            name if name == axis => words.extend([option.to_owned(), value.to_string()]),
            name => words.extend(["--case".to_owned(), format!("{name}={value}")]),
        }
    }
    if matches!(spec.task, Task::Playouts | Task::Choose) {
        words.extend(["--seed".to_owned(), spec.seed.to_string()]);
    }
    // Noted hashes and versions are no parameters.
    let is_given =
        |(key, _): &(&String, &Value)| ![HASH.name, VERSION.name].contains(&key.as_str());
    for (key, value) in spec.options.iter().chain(&spec.params).filter(is_given) {
        let list = matches!(value, Value::List(_)).then(|| serde_json::to_string(value).ok());
        let value = list.flatten().unwrap_or_else(|| value.to_string());
        words.extend(["--set".to_owned(), format!("{key}={value}")]);
    }
    if let Some(position) = &spec.position {
        words.push(format!("--position={position}"));
    }
    if device != harness::HOST {
        words.extend(["--device".to_owned(), device.to_owned()]);
    }
    if let Some(kernels) = kernels {
        words.extend(["--kernels".to_owned(), kernels.display().to_string()]);
    }
    shell_line(&words)
}

/// A technique's lines.
fn told(it: &Conformed) -> String {
    let counts = [
        (it.right, "right"),
        (it.wrong, "wrong"),
        (it.unsupported, "unsupported"),
        (it.failed, "failed"),
        (it.skipped, "skipped"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts = counts.map(|(count, word)| format!("{count} {word}"));
    let mut counts: Vec<String> = counts.collect();
    if it.longest_launch_ns > 0 {
        let milliseconds = it.longest_launch_ns as f64 / 1e6;
        counts.push(format!("longest launch {milliseconds:.2} ms"));
    }
    let (verdict, seconds) = (it.verdict(), it.ns as f64 / 1e9);
    let (name, counts) = (format!("{} {}", it.game, it.technique), counts.join(", "));
    let mut text = format!("{name:<34} {verdict:<12} {seconds:>6.1} s  {counts}\n");
    // The reason has only the first lines of a compiler's log.
    for line in it.reason.lines().chain(it.command.lines()) {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

fn summary(report: &Conformance) -> String {
    let all = || report.techniques.iter();
    let complete = || all().filter(|it| !it.is_incomplete());
    let count = |of: &[Status]| complete().filter(|it| of.contains(&it.status)).count();
    let sum = |of: fn(&Conformed) -> u64| all().map(of).sum::<u64>();
    let (label, seconds) = (&report.device.label, sum(|it| it.ns) as f64 / 1e9);
    let cases = sum(|it| it.cases);
    let right = count(&[Status::Ok]);
    let lacking = count(&[Status::Unsupported, Status::Memory]);
    let bad = complete().count() - right - lacking;
    let more = |number: u64, word| match number {
        0 => String::new(),
        _ => format!(", {number} {word}"),
    };
    let incomplete = more((all().count() - complete().count()) as u64, "incomplete");
    let skipped = more(sum(|it| it.skipped), "skipped");
    format!(
        "{label}: {right} techniques right, {bad} not, {lacking} unsupported{incomplete}; {cases} cases in \
         {seconds:.1} s{skipped}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // A technique that no case was asked of is not called right.
        let (word, all) = verdict(0, 0, 0);
        assert_eq!(word, "no cases");
        assert!(all.starts_with(": 0 techniques right, 1 not, "), "{all}");
    }
}
