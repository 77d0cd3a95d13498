//! The card: one line per case, within 80 columns.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::published::{Published, PublishedRate, is_of_device, rate};
use crate::report::{Few, Ratio, RunData, mark_of, meaning, over_best_cpu};
use crate::results::{DeviceRecord, Host, MeasurementRow};
use crate::words::{Kind, Task};

const WIDTHS: [usize; 3] = [24, 17, 21];

pub struct CaseScore {
    title: String,
    experiment: String,
    unit: &'static str,
    pub device: Option<MeasurementRow>,
    over: Option<Ratio>,
    lacking: String,
    published: Vec<PublishedRate>,
}

impl CaseScore {
    pub fn new(data: &RunData, published: &Published) -> CaseScore {
        let experiment = &data.experiment;
        let rows = || data.measurements.iter();
        let device = rows().filter(|row| is_of_device(row));
        let device = device.min_by_key(|row| row.median_ns.unwrap_or(u64::MAX));
        let lacking = rows().find(|row| row.kind == Kind::Device.word());
        let case = experiment.cases.first().map(ToString::to_string);
        let units = device.map_or(0, |row| row.units);
        let published = published.of(&experiment.name, &case.unwrap_or_default(), units);
        CaseScore {
            title: experiment.title.clone(),
            experiment: experiment.name.clone(),
            unit: match experiment.task {
                Task::Playouts => "games/s",
                _ => "searches/s",
            },
            over: device.map(|row| over_best_cpu(data, row)),
            device: device.cloned(),
            lacking: lacking.map_or("not measured".to_owned(), |row| {
                format!("{}: {}", row.status.word(), row.reason)
            }),
            published: published.into_iter().cloned().collect(),
        }
    }

    fn line(&self, width: usize) -> String {
        let Some((row, own)) = self.device.as_ref().and_then(|row| Some((row, rate(row)?))) else {
            let (title, [first, ..]) = (&self.title, WIDTHS);
            return cut(&format!("{title:first$} {}", self.lacking), width);
        };
        let few = mark_of(row);
        let against = self.over.as_ref().map_or(String::new(), |over| {
            let ratio = match &over.result {
                Ok(known) => digits(known.value) + known.few.map_or("", Few::mark),
                Err(why) => why.gap.word().to_owned(),
            };
            format!("{ratio} {}", over.baseline)
        });
        let published = match self.published.first() {
            Some(best) => format!(
                "{} % of {}",
                digits(100.0 * own / best.rate),
                best.row.cell.device
            ),
            None => "none yet".to_owned(),
        };
        let rate = format!("{}{few} {}", scaled(own), self.unit);
        columns([&self.title, &rate, &against, &published], width)
    }

    pub fn json(&self) -> Value {
        let side = |row: &MeasurementRow| {
            json!({
                "technique": row.cell.technique, "device": row.cell.device, "threads": row.threads,
                "median_ns": row.median_ns, "low_ns": row.low_ns, "high_ns": row.high_ns,
                "samples": row.samples, "units": row.units, "rate": rate(row),
            })
        };
        let own = self.device.as_ref().and_then(rate);
        let published = self.published.iter().map(|it| {
            json!({
                "machine": it.machine, "device": it.row.cell.device, "rate": it.rate,
                "percent": own.map(|own| 100.0 * own / it.rate),
            })
        });
        json!({
            "experiment": self.experiment, "title": self.title, "unit": self.unit,
            "fastest": self.device.as_ref().map(side),
            "over_best_cpu": self.over.as_ref().map(|over| {
                let (known, missing) = (over.result.as_ref().ok(), over.result.as_ref().err());
                let interval = known.map_or(missing.and_then(|it| it.interval), |it| it.interval);
                let (low, high) = interval.unzip();
                json!({
                    "technique": over.baseline, "threads": over.threads, "low": low, "high": high,
                    "ratio": known.map(|it| it.value), "why_none": missing.map(|it| it.gap.word()),
                })
            }),
            "reason": self.device.is_none().then_some(&self.lacking),
            "published": published.collect::<Vec<_>>(),
        })
    }
}

pub struct Card<'a> {
    pub cases: Vec<CaseScore>,
    pub device: &'a DeviceRecord,
    pub host: Host,
    pub revision: String,
    pub folder: PathBuf,
}

impl Card<'_> {
    /// Ten lines: three of machine and date, a head, five cases, and the runs' path; a further line explains marks.
    pub fn text(&self, width: usize) -> String {
        let width = width.clamp(60, 100);
        let (device, revision) = (self.device, &self.revision);
        let (cpu, threads) = (&self.host.cpu, self.host.threads);
        let about = [
            format!("Plybench score: {}", device.label),
            format!("{}, driver {}", device.platform, device.driver),
            format!("host: {cpu}, {threads} threads; revision {revision}"),
        ];
        let mut lines = about.map(|line| cut(&line, width)).to_vec();
        let head = ["case", "rate", "over best CPU", "of the best published"];
        lines.push(columns(head, width));
        lines.extend(self.cases.iter().map(|case| case.line(width)));
        let marks = meaning(lines.iter().map(String::as_str));
        lines.extend((!marks.is_empty()).then(|| cut(&marks, width)));
        lines.push(format!("runs: {}", self.folder.display()));
        lines.join("\n") + "\n"
    }

    pub fn json(&self) -> Value {
        json!({
            "device": self.device, "host": self.host, "revision": self.revision,
            "folder": self.folder,
            "cases": self.cases.iter().map(CaseScore::json).collect::<Vec<_>>(),
        })
    }
}

fn columns(texts: [&str; 4], width: usize) -> String {
    let [case, rate, ratio, published] = texts;
    let [a, b, c] = WIDTHS;
    let (case, rate, ratio) = (cut(case, a), cut(rate, b), cut(ratio, c));
    let line = format!("{case:a$}  {rate:b$}  {ratio:c$}  {published}");
    cut(line.trim_end(), width)
}

fn cut(text: &str, width: usize) -> String {
    match text.chars().nth(width) {
        None => text.to_owned(),
        Some(_) => text.chars().take(width - 1).chain(['…']).collect(),
    }
}

fn digits(value: f64) -> String {
    let before = value.abs().max(f64::MIN_POSITIVE).log10().floor() as i32;
    let after = usize::try_from(2 - before).unwrap_or(0).min(6);
    format!("{value:.after$}")
}

fn scaled(rate: f64) -> String {
    let prefixes = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    let found = prefixes.into_iter().find(|(size, _)| rate >= *size);
    let (size, prefix) = found.unwrap_or((1.0, ""));
    format!("{}{prefix}", digits(rate / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (value, shown) in [
            (0.012_34, "0.0123"),
            (1.0, "1.00"),
            (37.26, "37.3"),
            (656.4, "656"),
            (4_321.0, "4321"),
        ] {
            assert_eq!(digits(value), shown);
        }
        assert_eq!(scaled(656_400_000.0), "656 M");
        assert_eq!(scaled(12.5), "12.5");
    }

    #[test]
    fn a_line_fits_80_columns() {
        let long = "a".repeat(60);
        for line in [
            columns([&long, &long, &long, &long], 80),
            columns(["a", "b", "c", "d"], 80),
        ] {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert_eq!(cut("täglich", 4), "täg…");
    }
}
