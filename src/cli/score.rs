//! `bench score`: runs five fixed cases, one per game, and prints a ten-line card within 80 columns.

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Value, json};

use super::args::{RunArgs, ScoreArgs, WorkersArgs};
use super::check::run_folders;
use super::exit::{Exit, Failure};
use super::session::{self, TimingRun};
use super::{run, targets, terminal};
use crate::report::{Few, RunData, Unit, mark_of, meaning, over_best_cpu, shortened, significant};
use crate::results::{MeasurementRow, Run};
use crate::techniques::registry;
use crate::words::{Kind, Status, Task};
use crate::{config, harness};

/// The suite, built in so that the command needs no checkout. Run folders record this path.
const SUITE: &str = include_str!("../../configs/score.toml");
const PATH: &str = "configs/score.toml";

pub fn run(args: &ScoreArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let experiments = config::load_text(Path::new(PATH), None, SUITE, &catalogue)?;
    if let Some(folder) = args.out.as_deref().filter(|it| it.exists()) {
        let folder = folder.display();
        usage!("--out {folder}: is there already; a score goes to a folder of its own");
    }
    let timing = TimingRun::begin(&args.machine)?;
    let target = targets::one(args.device.as_deref())?;
    let device = target.record.clone();
    let usual = || Path::new("reports/local/score").join(targets::plain_name(&device.label));
    let folder = args.out.clone().unwrap_or_else(usual);
    let run_args = RunArgs {
        out: Some(folder.clone()),
        // All rates in a score come from one invocation.
        fresh: true,
        // The card replaces the usual summary.
        json: true,
        workers: WorkersArgs {
            host: args.host.clone(),
            launch_limit: args.launch_limit,
            ..WorkersArgs::default()
        },
        ..RunArgs::default()
    };
    let program = session::program(None)?;
    let (label, platform) = (&device.label, &device.platform);
    eprintln!("device: {label} ({platform}); two minutes");
    let revision = program.revision.clone();
    let asked = run::Asked {
        experiments: &experiments,
        several: experiments.len() > 1,
        targets: &[target],
        selection: &session::selection(),
    };
    let (exit, _) = run::measure(&asked, &timing, program, &run_args)?;
    if exit == Exit::Interrupted {
        return Ok(exit);
    }
    let published = published_below(&args.reports, &folder);
    let mut cases = Vec::new();
    for (_, whole) in &experiments {
        let data = RunData::read(&folder.join(&whole.name), &catalogue).map_err(Failure::files)?;
        cases.push(CaseScore::new(&data, &published));
    }
    let host = harness::describe_host(args.host.threads());
    let has_none = cases.iter().all(|case| case.json["fastest"].is_null());
    if args.json {
        let cases: Vec<Value> = cases.into_iter().map(|case| case.json).collect();
        let card = json!({
            "device": device, "host": host, "revision": revision, "folder": folder, "cases": cases,
        });
        println!("{card:#}");
    } else {
        let (platform, driver, cpu) = (&device.platform, &device.driver, &host.cpu);
        let about = [
            format!("Plybench score: {}", device.label),
            format!("{platform}, driver {driver}"),
            format!("host: {cpu}, {} threads; revision {revision}", host.threads),
        ];
        println!("{}\nruns: {}", card(&about, &cases), folder.display());
    }
    Ok(exit.worse(Exit::Failed.when(has_none)))
}

/// Nine lines: three about the machine and the date, a heading, and five cases. Another line explains any marks.
fn card(about: &[String], cases: &[CaseScore]) -> String {
    let width = terminal::width().clamp(60, 100);
    let mut lines: Vec<String> = about.iter().map(|line| shortened(line, width)).collect();
    let head = ["case", "rate", "over best CPU", "of the best published"];
    lines.push(columns(head, width));
    lines.extend(cases.iter().map(|case| case.line(width)));
    let marks = meaning(lines.iter().map(String::as_str));
    lines.extend((!marks.is_empty()).then(|| shortened(&marks, width)));
    lines.join("\n")
}

const WIDTHS: [usize; 3] = [24, 17, 21];

struct CaseScore {
    json: Value,
    /// The text fields of the line, or the reason why there is no rate.
    cells: Result<[String; 4], String>,
}

impl CaseScore {
    fn new(data: &RunData, published: &[PublishedRate]) -> CaseScore {
        let experiment = &data.experiment;
        let (title, name) = (&experiment.title, &experiment.name);
        let is_games = experiment.task == Task::Playouts;
        let unit = if is_games { "games/s" } else { "searches/s" };
        let rows = || data.measurements.iter();
        let device = rows().filter(|row| is_of_device(row));
        let device = device.min_by_key(|row| row.median_ns.unwrap_or(u64::MAX));
        let own = device.and_then(rate);
        let over = device.map(|row| over_best_cpu(data, row));
        let lacking = rows().find(|row| row.kind == Kind::Device.word());
        let lacking = lacking.map_or("not measured".to_owned(), |row| {
            format!("{}: {}", row.status.word(), row.reason)
        });
        let case = experiment.cases.first().map(ToString::to_string);
        let units = device.map_or(0, |row| row.units);
        let question = (name.as_str(), case.as_deref().unwrap_or_default(), units);
        let published = best_of_each(published, question);

        let against = over.as_ref().map_or(String::new(), |over| {
            let ratio = match &over.result {
                Ok(known) => significant(known.value) + known.few.map_or("", Few::mark),
                Err(why) => why.gap.to_owned(),
            };
            format!("{ratio} {}", over.baseline)
        });
        let cells = device.zip(own).map(|(row, own)| {
            let share = published.first().map_or("none yet".to_owned(), |best| {
                let percent = significant(100.0 * own / best.rate);
                format!("{percent} % of {}", best.row.cell.device)
            });
            let shown = Unit::Rate.show(own).replace("/s", "").trim_end().to_owned();
            let rate = format!("{shown} {unit}{}", mark_of(row));
            [title.clone(), rate, against, share]
        });
        let over = over.map(|over| {
            let (known, missing) = (over.result.as_ref().ok(), over.result.as_ref().err());
            let interval = known.map_or(missing.and_then(|it| it.interval), |it| it.interval);
            let (low, high) = interval.unzip();
            json!({
                "technique": over.baseline, "threads": over.threads, "low": low, "high": high,
                "ratio": known.map(|it| it.value), "why_none": missing.map(|it| it.gap),
            })
        });
        let fastest = device.map(|row| {
            json!({
                "technique": row.cell.technique, "device": row.cell.device, "threads": row.threads,
                "median_ns": row.median_ns, "low_ns": row.low_ns, "high_ns": row.high_ns,
                "samples": row.samples, "units": row.units, "rate": own,
            })
        });
        let published = published.iter().map(|it| {
            json!({
                "machine": it.machine, "device": it.row.cell.device, "rate": it.rate,
                "percent": own.map(|own| 100.0 * own / it.rate),
            })
        });
        CaseScore {
            json: json!({
                "experiment": name, "title": title, "unit": unit, "fastest": fastest,
                "over_best_cpu": over, "reason": device.is_none().then_some(&lacking),
                "published": published.collect::<Vec<_>>(),
            }),
            cells: cells.ok_or_else(|| format!("{title}: {lacking}")),
        }
    }

    fn line(&self, width: usize) -> String {
        match &self.cells {
            Ok(cells) => columns(cells.each_ref().map(String::as_str), width),
            Err(lacking) => shortened(lacking, width),
        }
    }
}

fn columns(texts: [&str; 4], width: usize) -> String {
    let [case, rate, ratio, published] = texts;
    let [a, b, c] = WIDTHS;
    let (case, rate, ratio) = (shortened(case, a), shortened(rate, b), shortened(ratio, c));
    let published = shortened(published, width.saturating_sub(a + b + c + 6));
    format!("{case:a$}  {rate:b$}  {ratio:c$}  {published}")
}

/// A rate from a committed run of the same command.
struct PublishedRate {
    machine: String,
    row: MeasurementRow,
    rate: f64,
}

/// Reads the command's run folders below a folder, except this machine's runs. The highest rates come first.
fn published_below(root: &Path, own: &Path) -> Vec<PublishedRate> {
    let mut rates: Vec<PublishedRate> = Vec::new();
    let local = root.join("local");
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = whole(own);
    for folder in run_folders(root) {
        let name = |path: &Path| path.file_name().map(|it| it.to_string_lossy().into_owned());
        let is_own = folder.starts_with(&local) || whole(&folder).starts_with(&own);
        let is_score = name(&folder).is_some_and(|it| it.starts_with("score-"));
        let run = (!is_own && is_score).then(|| Run::read(&folder).ok());
        let machine = folder.parent().and_then(name).unwrap_or_default();
        let rows = run.flatten().into_iter().flat_map(|run| run.measurements);
        rates.extend(rows.filter(is_of_device).filter_map(|row| {
            Some(PublishedRate {
                machine: machine.clone(),
                rate: rate(&row)?,
                row,
            })
        }));
    }
    rates.sort_by(|a, b| b.rate.total_cmp(&a.rate));
    rates
}

/// The best rate on each machine's device. Rates are comparable only if their units, positions or games, are equal.
fn best_of_each<'a>(
    all: &'a [PublishedRate],
    question: (&str, &str, u64),
) -> Vec<&'a PublishedRate> {
    let mut seen = HashSet::new();
    let is_own = |it: &&PublishedRate| {
        let row = &it.row;
        (&*row.experiment, &*row.cell.case, row.units) == question
            && seen.insert((it.machine.clone(), row.cell.device.clone()))
    };
    all.iter().filter(is_own).collect()
}

fn is_of_device(row: &MeasurementRow) -> bool {
    row.status == Status::Ok && row.kind == Kind::Device.word()
}

/// Random games per second, or searched positions per second. Nodes per second would reward useless nodes.
fn rate(row: &MeasurementRow) -> Option<f64> {
    let median = row.median_ns.filter(|ns| *ns > 0)?;
    Some(row.units as f64 * 1e9 / median as f64)
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
