//! Every number of the report as CSV.

use super::experiments;
use super::first::{Winner, command_of, lines};
use super::parts::{Part, Parts};
use super::verdicts;
use crate::report::claims::{COLUMNS, record};
use crate::report::first::players;
use crate::report::headline::Spread;
use crate::report::matches;
use crate::report::table::fields;

/// A table by its id.
type Csv = (String, Vec<u8>);

/// All tables of the report.
///
/// | file | a line for each |
/// | --- | --- |
/// | `first.csv` | experiment, device and role of the first table |
/// | `matches.csv` | player of a match, in its last case |
/// | `where.csv` | experiment and device: in how many families it is faster |
/// | `claims.csv` | claim and device |
/// | `techniques.csv` | technique, device, family and role |
/// | `runs.csv` | run |
/// | `devices.csv` | device of a run |
pub(super) fn all(parts: &Parts<'_>) -> Result<Vec<Csv>, csv::Error> {
    let tables = [
        ("first", first(parts)?),
        ("matches", of_matches(parts)?),
        ("where", of_where(parts)?),
        ("claims", of_claims(parts)?),
        ("techniques", techniques(parts)?),
        ("runs", runs(parts)?),
        ("devices", devices(parts)?),
    ];
    let named = tables.into_iter();
    Ok(named.map(|(id, csv)| (id.to_owned(), csv)).collect())
}

/// Puts lines under their columns.
fn write(columns: &[&str], records: Vec<Vec<String>>) -> Result<Vec<u8>, csv::Error> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(columns)?;
    for record in records {
        csv.write_record(record)?;
    }
    csv.into_inner().map_err(|error| error.into_error().into())
}

/// Experiment, machine, group of like runs.
fn place(part: &Part<'_>) -> Vec<String> {
    let group = super::unlike::letter(part.group).to_string();
    vec![part.experiment().to_owned(), part.machine.clone(), group]
}

fn first(parts: &Parts<'_>) -> Result<Vec<u8>, csv::Error> {
    let mut records = Vec::new();
    for line in lines(parts) {
        for (column, winner) in parts.columns.iter().zip(&line.winners) {
            let Some((part, Winner::Fastest { best, .. })) = winner else {
                continue;
            };
            for ratio in &best.ratios {
                let mut record = place(part);
                record.extend([
                    column.device.clone(),
                    best.case.to_string(),
                    best.technique.clone(),
                ]);
                record.extend(ratio.columns());
                record.extend([
                    best.median_ns.to_string(),
                    best.positions.map_or_else(String::new, |it| it.to_string()),
                ]);
                record.extend(fields(&ratio.result));
                let also = best.baselines();
                record.push(command_of(
                    part,
                    &best.case,
                    (&best.technique, &also),
                    column,
                ));
                records.push(record);
            }
        }
    }
    let columns = [
        "experiment",
        "machine",
        "group",
        "device",
        "case",
        "technique",
        "over",
        "baseline",
        "threads",
        "median_ns",
        "positions",
        "speedup",
        "low",
        "high",
        "baseline_median_ns",
        "status",
        "reason",
        "command",
    ];
    write(&columns, records)
}

fn of_matches(parts: &Parts<'_>) -> Result<Vec<u8>, csv::Error> {
    let mut records = Vec::new();
    for part in parts.all.iter().filter(|part| part.is_match()) {
        for player in players(&part.index) {
            let mut record = place(part);
            let share = matches::share(&player.score);
            let number = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
            record.extend([
                player.device.to_owned(),
                player.case.to_string(),
                player.label.to_owned(),
                player.opponent.to_owned(),
                number(share.map(|(share, _)| share)),
                number(share.map(|(_, (low, _))| low)),
                number(share.map(|(_, (_, high))| high)),
                player.score.counts(),
            ]);
            records.push(record);
        }
    }
    let columns = [
        "experiment",
        "machine",
        "group",
        "device",
        "case",
        "player",
        "opponent",
        "points",
        "low",
        "high",
        "score",
    ];
    write(&columns, records)
}

fn of_where(parts: &Parts<'_>) -> Result<Vec<u8>, csv::Error> {
    let mut records = Vec::new();
    for one in verdicts::places(parts) {
        let mut record = place(one.part);
        record.extend([
            one.column.device.clone(),
            one.column.kind.clone(),
            one.helps.word().to_owned(),
        ]);
        for spread in &one.over {
            record.extend(of_spread(spread));
        }
        record.push(one.from.join("; "));
        record.extend([one.cases.0.to_string(), one.cases.1.to_string()]);
        records.push(record);
    }
    let columns = [
        "experiment",
        "machine",
        "group",
        "device",
        "kind",
        "helps",
        "best_one_core_faster",
        "best_one_core_slower",
        "best_one_core_ties",
        "best_one_core_without",
        "best_one_core_lowest",
        "best_one_core_highest",
        "best_cpu_faster",
        "best_cpu_slower",
        "best_cpu_ties",
        "best_cpu_without",
        "best_cpu_lowest",
        "best_cpu_highest",
        "best_cpu_break_even",
        "cases_faster_than_best_cpu",
        "cases_compared",
    ];
    write(&columns, records)
}

fn of_spread(spread: &Spread) -> [String; 6] {
    let (low, high) = spread.range.unzip();
    let number = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
    let [faster, slower, ties, without] = [
        &spread.faster,
        &spread.slower,
        &spread.ties,
        &spread.without,
    ]
    .map(|families| families.len().to_string());
    [faster, slower, ties, without, number(low), number(high)]
}

fn of_claims(parts: &Parts<'_>) -> Result<Vec<u8>, csv::Error> {
    let mut records = Vec::new();
    for part in &parts.all {
        for judged in &part.report.judged {
            let mut line = vec![part.machine.clone()];
            line.extend(record(judged));
            records.push(line);
        }
    }
    let columns: Vec<&str> = std::iter::once("machine").chain(COLUMNS).collect();
    write(&columns, records)
}

fn techniques(parts: &Parts<'_>) -> Result<Vec<u8>, csv::Error> {
    let mut records = Vec::new();
    for (_, own) in parts.experiments() {
        for family in experiments::of(parts, &own) {
            let cells = family.rows.iter().flat_map(|(_, cells)| cells).flatten();
            for cell in cells {
                for ratio in &cell.ratios {
                    let mut record = place(cell.part);
                    record.extend([
                        cell.column.device.clone(),
                        family.name.clone(),
                        family.case.to_string(),
                        cell.technique.to_owned(),
                    ]);
                    record.extend(ratio.columns());
                    record.extend([
                        cell.median_ns.map_or_else(String::new, |ns| ns.to_string()),
                        cell.positions.map_or_else(String::new, |it| it.to_string()),
                    ]);
                    record.extend(fields(&ratio.result));
                    records.push(record);
                }
            }
        }
    }
    let columns = [
        "experiment",
        "machine",
        "group",
        "device",
        "family",
        "case",
        "technique",
        "over",
        "baseline",
        "threads",
        "median_ns",
        "positions",
        "speedup",
        "low",
        "high",
        "baseline_median_ns",
        "status",
        "reason",
    ];
    write(&columns, records)
}

fn runs(parts: &Parts<'_>) -> Result<Vec<u8>, csv::Error> {
    let records = parts.all.iter().map(|part| {
        let environment = &part.data().environment;
        let (host, program) = (&environment.host, &environment.program);
        let done = part.index.cells().filter(|(.., row)| row.is_some()).count();
        let mut record = place(part);
        record.extend([
            host.cpu.clone(),
            host.logical_cpus.to_string(),
            host.threads.to_string(),
            host.memory_bytes.to_string(),
            program.version.clone(),
            program.revision.clone(),
            program.source_hash.clone(),
            program.kernel_hash.clone(),
            done.to_string(),
            part.index.cells().count().to_string(),
        ]);
        record
    });
    let columns = [
        "experiment",
        "machine",
        "group",
        "processor",
        "logical_cpus",
        "threads",
        "memory_bytes",
        "version",
        "revision",
        "source_hash",
        "kernel_hash",
        "cells_done",
        "cells_asked",
    ];
    write(&columns, records.collect())
}

fn devices(parts: &Parts<'_>) -> Result<Vec<u8>, csv::Error> {
    let mut records = Vec::new();
    for part in &parts.all {
        for device in &part.data().environment.devices {
            let mut record = place(part);
            record.extend([
                device.label.clone(),
                device.kind.clone(),
                device.platform.clone(),
                device.driver.clone(),
                device.compute_units.to_string(),
                device.clock_mhz.to_string(),
                device.global_memory_bytes.to_string(),
            ]);
            records.push(record);
        }
    }
    let columns = [
        "experiment",
        "machine",
        "group",
        "device",
        "kind",
        "platform",
        "driver",
        "compute_units",
        "clock_mhz",
        "memory_bytes",
    ];
    write(&columns, records)
}
