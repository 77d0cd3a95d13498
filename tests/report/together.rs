//! Tests that every ratio in the reports of the committed runs uses samples that were taken together. The tests find
//! these samples independently of the report, in the raw files.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use plybench::report::RunData;
use plybench::results::{MeasurementRow, Run, Sample};
use plybench::stats::median;
use plybench::techniques::registry;

use crate::fixture::{committed, write};

type Line = HashMap<String, String>;

fn lines(file: &Path) -> Vec<Line> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

fn samples<'a>(
    run: &'a Run,
    case: &str,
    technique: &str,
    device: &str,
) -> Option<(&'a MeasurementRow, Vec<&'a Sample>)> {
    let wanted = (case, technique, device);
    let row = run.measurements.iter().find(|row| {
        (
            row.cell.case.as_str(),
            row.cell.technique.as_str(),
            row.cell.device.as_str(),
        ) == wanted
    })?;
    let own = run.samples.iter().filter(|own| own.cell == row.cell);
    Some((row, own.collect()))
}

/// Recomputes a ratio in a row of `ratios.csv`. If it differs, returns the problem.
fn check(run: &Run, data: &RunData, line: &Line) -> Result<(), String> {
    let axes = data.experiment.axes.iter();
    let values = axes.map(|axis| (axis, line[axis].as_str()));
    let named = values.filter(|(_, value)| !value.is_empty());
    let case: Vec<String> = named
        .map(|(axis, value)| format!("{axis}={value}"))
        .collect();
    let case = case.join(" ");
    let invocation = line["invocation"].as_str();
    let (device, baseline) = (line["device"].as_str(), line["baseline"].as_str());
    let of = |technique: &str, device: &str| samples(run, &case, technique, device);
    let mut own = of(&line["technique"], device).ok_or("no row of the technique")?;
    let base = of(baseline, device).or_else(|| of(baseline, "host"));
    let mut base = base.ok_or("no row of the baseline")?;
    // Keep only the samples of passes that both sides have in the same invocation.
    let passes = |samples: &[&Sample]| -> BTreeSet<(String, u64)> {
        let passes = samples.iter().map(|own| (own.invocation.clone(), own.pass));
        passes.collect()
    };
    let both: BTreeSet<_> = passes(&own.1)
        .intersection(&passes(&base.1))
        .cloned()
        .collect();
    for (_, samples) in [&mut own, &mut base] {
        samples.retain(|own| both.contains(&(own.invocation.clone(), own.pass)));
    }
    if line["passes"] != both.len().to_string() || both.is_empty() {
        return Err(format!(
            "{} passes in place of {}",
            line["passes"],
            both.len()
        ));
    }
    let counts = [&base, &own].map(|(_, samples)| samples.len().to_string());
    if counts != [line["baseline_samples"].clone(), line["samples"].clone()] {
        return Err(format!("samples {counts:?}"));
    }
    if invocation.is_empty() {
        return Err("no invocation".to_owned());
    }
    // If the case has a time limit, a report compares times per playout instead.
    if own.0.task != "choose" {
        let middle = |(_, samples): &(&MeasurementRow, Vec<&Sample>)| {
            let times: Vec<u64> = samples.iter().map(|own| own.total_ns).collect();
            median(&times).unwrap() as f64
        };
        let scale = own.0.units as f64 / base.0.units as f64;
        let whole = middle(&base) / middle(&own) * scale;
        let of_pass = |(row, samples): &(&MeasurementRow, Vec<&Sample>), pass: &(String, u64)| {
            let own = samples
                .iter()
                .filter(|own| (&own.invocation, own.pass) == (&pass.0, pass.1));
            middle(&(*row, own.copied().collect()))
        };
        let logs = both
            .iter()
            .map(|pass| (of_pass(&base, pass) / of_pass(&own, pass) * scale).ln());
        let expected = match both.len() {
            3.. => (logs.sum::<f64>() / both.len() as f64).exp(),
            _ => whole,
        };
        let told: f64 = line["speedup"].parse().unwrap();
        if (told / expected - 1.0).abs() > 1e-9 {
            return Err(format!("{told} in place of {expected}"));
        }
    }
    Ok(())
}

/// Returns the ratios in the report's other tables, as text.
fn shown(tables: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(tables).unwrap() {
        let table = &entry.unwrap().path();
        let name = table.file_stem().unwrap().to_string_lossy().into_owned();
        for line in lines(table) {
            let is_speedup = line.get("quantity").is_some_and(|own| own == "speedup");
            for (column, value) in &line {
                let is_ratio = match column.as_str() {
                    "speedup" | "speedup_over_serial" => true,
                    "over_best_cpu" | "over_best_one_core" => true,
                    "ours" => is_speedup,
                    _ => false,
                };
                if is_ratio && !value.is_empty() && name != "ratios" {
                    found.push((name.clone(), value.clone()));
                }
            }
        }
    }
    found
}

#[test]
fn every_ratio_of_the_committed_runs_is_of_what_was_measured_together() {
    let folders = committed();
    assert!(folders.len() > 30, "{}", folders.len());
    let (mut all, mut apart) = (0, 0);
    for folder in folders {
        let run = Run::read(&folder).unwrap();
        let data = RunData::read(&folder, &registry::catalogue()).unwrap();
        let holds = data.findings.is_empty();
        assert!(holds, "{}: {:?}", folder.display(), data.warnings);
        let out = tempfile::tempdir().unwrap();
        write(&data, out.path()).unwrap();
        let ratios = lines(&out.path().join("tables/ratios.csv"));
        let mut told: HashSet<&str> = HashSet::new();
        let mut own_apart = 0;
        for line in &ratios {
            if line["status"] == "not measured together" {
                own_apart += 1;
            }
            if line["speedup"].is_empty() {
                continue;
            }
            told.insert(&line["speedup"]);
            if let Err(why) = check(&run, &data, line) {
                panic!("{}: {why}: {line:?}", folder.display());
            }
        }
        for (table, value) in shown(&out.path().join("tables")) {
            let is_known = told.contains(value.as_str());
            assert!(
                is_known,
                "{}: {table}: {value} is in no list",
                folder.display()
            );
        }
        let count = ratios
            .iter()
            .filter(|line| !line["speedup"].is_empty())
            .count();
        println!(
            "{}: {count} ratios, {own_apart} not measured together",
            folder.display()
        );
        (all, apart) = (all + count, apart + own_apart);
    }
    println!("{all} ratios, all measured together; {apart} were not, and are not shown");
}
