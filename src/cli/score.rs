//! `bench score`: runs five fixed cases, one per game, and prints a card with one line per case.

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Value, json};

use super::args::{RunArgs, ScoreArgs, WorkersArgs};
use super::exit::{Exit, Failure};
use super::session::{self, Chosen, TimingRun};
use super::{built_in, run, targets, terminal};
use crate::report::{
    DeviceRate, Few, RunData, Unit, in_words, mark_of, meaning, over_best_cpu, shortened,
    significant,
};
use crate::results::{Environment, MeasurementRow, Selection};
use crate::techniques::registry;
use crate::words::{Kind, Status, Task};

/// URL of the issue in which users post their rows.
const THREAD: &str = "https://github.com/plybench/plybench/issues/1";

pub fn run(args: &ScoreArgs) -> Result<Exit, Failure> {
    let experiments = built_in::experiments("score", &registry::catalogue())?;
    if let Some(folder) = args.out.as_deref().filter(|it| it.exists() && !args.row) {
        let folder = folder.display();
        usage!("--out {folder}: is there already; a score goes to a folder of its own");
    }
    let timing = (!args.row).then(|| TimingRun::begin(&args.machine));
    let timing = timing.transpose()?;
    let target = targets::one(&args.device)?;
    let usual = || Path::new("reports/local/score").join(targets::plain_name(&target.record.label));
    let folder = args.out.clone().unwrap_or_else(usual);
    let published = published(built_in::scores());
    let read = |chosen: &Chosen| CaseScore::read(&folder.join(&chosen.1.name), &published);
    let Some(timing) = timing else {
        let cases: Result<Vec<_>, _> = experiments.iter().map(read).collect();
        println!("{}", row(&cases?));
        return Ok(Exit::Good);
    };
    let run_args = RunArgs {
        selection: Selection {
            devices: args.device.clone().into_iter().collect(),
            options: session::options(),
            ..Selection::default()
        },
        out: Some(folder.clone()),
        several: true,
        // Discards earlier rows, so that one invocation measures all rates of a score.
        fresh: true,
        // Suppresses the usual summary, because the card replaces it.
        json: true,
        workers: WorkersArgs {
            host: args.host.clone(),
            ..WorkersArgs::default()
        },
        ..RunArgs::default()
    };
    let (program, device) = (session::program(None)?, &target.record);
    let host = crate::harness::describe_host(args.host.threads());
    let width = terminal::width().clamp(60, 100);
    let mut lines = Vec::new();
    // Prints each line as soon as its case has been measured.
    let mut show = |line: String| {
        if !args.json {
            println!("{line}");
        }
        lines.push(line);
    };
    let (label, platform, driver) = (&device.label, &device.platform, &device.driver);
    let about = format!("Plybench score: {label} ({platform}, driver {driver})");
    show(shortened(&about, width));
    let (cpu, threads) = (&host.cpu, host.threads);
    let about = format!("host: {cpu}, {threads} threads; five cases, at most two minutes");
    show(shortened(&about, width));
    if device.kind == "cpu" {
        show("This device is the CPU: `vs best CPU` compares OpenCL with native code.".to_owned());
    }
    show(columns(HEAD));
    let revision = program.revision.clone();
    let mut cases = Vec::new();
    let each = |chosen: &Chosen| {
        let case = read(chosen)?;
        show(case.line(width));
        cases.push(case);
        Ok(())
    };
    let targets = std::slice::from_ref(&target);
    let measured = run::measure(&experiments, targets, &timing, program, &run_args, each);
    let (worst, _) = measured?;
    if worst == Exit::Interrupted {
        return Ok(worst);
    }
    let row = row(&cases);
    let has_none = cases.iter().all(|case| case.json["fastest"].is_null());
    let best = cases.iter().find_map(|case| case.best.clone());
    if args.json {
        let cases: Vec<Value> = cases.into_iter().map(|case| case.json).collect();
        let card = json!({
            "device": device, "host": host, "revision": revision, "folder": folder, "cases": cases, "row": row,
        });
        println!("{card:#}");
    } else {
        let marks = Some(meaning(lines.iter().map(String::as_str))).filter(|it| !it.is_empty());
        let best = best.map(|best| format!("bar: share of the best published rate, {best}"));
        let notes = best.into_iter().chain(marks);
        notes.for_each(|note| println!("{}", shortened(&note, width)));
        let folder = folder.display();
        println!("runs: {folder}\n\nAdd this row to {THREAD}:\n{row}");
    }
    Ok(worst.worse(Exit::Failed.when(has_none)))
}

/// Returns the Markdown row that users paste: device, driver, host, date, version and five rates.
fn row(cases: &[CaseScore]) -> String {
    let mut invocations = cases.iter().flat_map(|case| &case.environment.invocations);
    let own = invocations.next().cloned().unwrap_or_default();
    let device = own.devices.into_iter().next().unwrap_or_default();
    let (host, program) = (own.host, own.program);
    let about = [
        device.label,
        format!("{} {}", device.platform, device.driver),
        format!("{}, {} threads", host.cpu, host.threads),
        own.utc.chars().take("2026-11-29".len()).collect(),
        format!("{} ({})", program.version, program.revision),
    ];
    let rates = cases.iter().map(|case| match &case.cells {
        Ok([_, rate, ..]) => rate.clone(),
        Err(_) => "–".to_owned(),
    });
    let cells = about.into_iter().chain(rates);
    let cells: Vec<String> = cells.map(|cell| cell.replace('|', "/")).collect();
    format!("| {} |", cells.join(" | "))
}

const HEAD: [&str; 4] = ["case", "rate", "vs best CPU", "of the best device"];
const WIDTHS: [usize; 3] = [23, 18, 14];
/// Number of characters in a full bar.
const BAR: f64 = 10.0;

struct CaseScore {
    json: Value,
    environment: Environment,
    /// The machine and device with the best published rate.
    best: Option<String>,
    /// The columns of the line, or the reason why there is no rate.
    cells: Result<[String; 4], String>,
}

impl CaseScore {
    fn read(folder: &Path, published: &[DeviceRate]) -> Result<Self, Failure> {
        let data = RunData::read(folder, &registry::catalogue())?;
        Ok(CaseScore::new(&data, published))
    }

    fn new(data: &RunData, published: &[DeviceRate]) -> CaseScore {
        let experiment = &data.experiment;
        let (title, name) = (&experiment.title, &experiment.name);
        let is_games = experiment.task == Task::Playouts;
        let unit = if is_games { "games/s" } else { "searches/s" };
        let rows = || data.measurements.iter().filter(is_of_device);
        let answered = rows().filter(|row| row.status == Status::Ok);
        let device = answered.min_by_key(|row| row.median_ns.unwrap_or(u64::MAX));
        let own = device.and_then(rate);
        let over = device.map(|row| over_best_cpu(data, row));
        let lacking = rows().next().map_or("not measured".to_owned(), |row| {
            format!("{}: {}", row.status.word(), row.reason)
        });
        let case = experiment.cases.first().map(ToString::to_string);
        let units = device.map_or(0, |row| row.units);
        let question = (name.as_str(), case.as_deref().unwrap_or_default());
        let published = best_of_each(published, question);
        // Rates are comparable only if they are based on the same number of positions or games.
        let comparable = |it: &&&DeviceRate| it.units == units;

        let against = over.as_ref().map(|over| match &over.result {
            Ok(known) => in_words(known) + known.few.map_or("", Few::mark),
            Err(why) => why.gap.to_owned(),
        });
        let best = published.iter().find(comparable);
        let share = |own: f64| match best {
            Some(best) => bar(own / best.per_second()),
            None if published.is_empty() => "none yet".to_owned(),
            None => "other positions".to_owned(),
        };
        let cells = device.zip(own).map(|(row, own)| {
            let shown = Unit::Rate.show(own).replace("/s", "").trim_end().to_owned();
            let rate = format!("{shown} {unit}{}", mark_of(row));
            [title.clone(), rate, against.unwrap_or_default(), share(own)]
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
        let shares = published.iter().map(|&it| {
            json!({
                "machine": it.machine, "device": it.device, "rate": it.per_second(),
                "percent": own.filter(|_| comparable(&&it)).map(|own| 100.0 * own / it.per_second()),
            })
        });
        CaseScore {
            json: json!({
                "experiment": name, "title": title, "unit": unit, "fastest": fastest,
                "over_best_cpu": over, "reason": device.is_none().then_some(&lacking),
                "published": shares.collect::<Vec<_>>(),
            }),
            environment: data.environment.clone(),
            best: best.map(|best| format!("{} ({})", best.device, best.machine)),
            cells: cells.ok_or_else(|| format!("{title}: {lacking}")),
        }
    }

    fn line(&self, width: usize) -> String {
        match &self.cells {
            Ok(cells) => columns(cells.each_ref().map(String::as_str)),
            Err(lacking) => shortened(lacking, width),
        }
    }
}

/// Draws the share as a bar in steps of an eighth of a character, followed by the percentage.
fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * BAR * 8.0).round() as usize;
    let bar = "█".repeat(eighths / 8) + EIGHTHS[eighths % 8];
    let width = BAR as usize;
    format!("{bar:width$} {} %", significant(100.0 * share))
}

fn columns(texts: [&str; 4]) -> String {
    let [case, rate, ratio, published] = texts;
    let [a, b, c] = WIDTHS;
    let (case, rate, ratio) = (shortened(case, a), shortened(rate, b), shortened(ratio, c));
    format!("{case:a$}  {rate:b$}  {ratio:c$}  {published}")
}

/// Parses the committed rates and sorts them from highest to lowest.
fn published(csv: &str) -> Vec<DeviceRate> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let mut rates: Vec<DeviceRate> = reader.deserialize().flatten().collect();
    rates.sort_by(|a, b| b.per_second().total_cmp(&a.per_second()));
    rates
}

/// Returns the best rate of each device on each machine. `question` is the experiment and the case.
fn best_of_each<'a>(all: &'a [DeviceRate], question: (&str, &str)) -> Vec<&'a DeviceRate> {
    let mut seen = HashSet::new();
    let is_asked = |it: &&DeviceRate| (&*it.experiment, &*it.case) == question;
    let all = all.iter().filter(is_asked);
    all.filter(|it| seen.insert((it.machine.clone(), it.device.clone())))
        .collect()
}

fn is_of_device(row: &&MeasurementRow) -> bool {
    row.kind == Kind::Device.word()
}

/// Returns random games per second or searched positions per second. Nodes per second would reward useless nodes.
fn rate(row: &MeasurementRow) -> Option<f64> {
    let median = row.median_ns.filter(|ns| *ns > 0)?;
    Some(row.units as f64 * 1e9 / median as f64)
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
