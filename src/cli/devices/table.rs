use std::fmt::Write as _;

use crate::opencl::{Probed, bytes_in_words};
use crate::words::Timer;

struct Column {
    heading: &'static str,
    right: bool,
    cell: fn(&Probed) -> String,
}

const COLUMNS: &[Column] = &[
    text("id", |device| device.info.numbers()),
    text("type", |device| device.info.kind.to_string()),
    number("units", |device| device.info.compute_units.to_string()),
    number("MHz", |device| device.info.clock_mhz.to_string()),
    number("memory", |device| {
        bytes_in_words(device.info.global_memory_bytes)
    }),
    number("buffer", |device| {
        bytes_in_words(device.info.max_allocation_bytes)
    }),
    number("local", |device| {
        bytes_in_words(device.info.local_memory_bytes)
    }),
    number("group", |device| device.info.max_work_group.to_string()),
    number("multiple", |device| match device.preferred_multiple {
        0 => "?".to_owned(),
        multiple => multiple.to_string(),
    }),
    text("OpenCL C", c_versions),
    text("enqueue", |device| yes(device.info.device_enqueue)),
    text("images", |device| yes(device.info.images)),
    text("timer", |device| match (&device.fault, &device.timer) {
        (Some(_), _) => "?".to_owned(),
        (None, Timer::Unknown) => String::new(),
        (None, Timer::Trusted) => "trusted".to_owned(),
        (None, Timer::Stepped(step)) => format!("{step} ns steps"),
        (None, Timer::Untrusted(_)) => "untrusted".to_owned(),
    }),
    number("round trip", |device| match device.round_trip_ns {
        None => "?".to_owned(),
        Some(ns) => format!("{:.1} us", ns as f64 / 1e3),
    }),
    text("device", |device| device.info.label.clone()),
];

const fn text(heading: &'static str, cell: fn(&Probed) -> String) -> Column {
    Column {
        heading,
        right: false,
        cell,
    }
}

const fn number(heading: &'static str, cell: fn(&Probed) -> String) -> Column {
    Column {
        heading,
        right: true,
        cell,
    }
}

pub fn of(all: &[Probed]) -> String {
    let devices = || all.iter().filter(|device| device.info.same_as.is_none());
    let rows: Vec<Vec<String>> = devices()
        .map(|device| COLUMNS.iter().map(|column| (column.cell)(device)).collect())
        .collect();
    let widths: Vec<usize> = COLUMNS
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cells = rows.iter().map(|row| row[at].chars().count());
            cells.max().unwrap_or(0).max(column.heading.len())
        })
        .collect();
    let mut out = String::new();
    line(
        &mut out,
        &widths,
        COLUMNS.iter().map(|column| column.heading),
    );
    for row in &rows {
        line(&mut out, &widths, row.iter().map(String::as_str));
    }
    for device in devices() {
        let info = &device.info;
        let _ = write!(
            out,
            "\n{}  {}, {}; driver {}; {}\n",
            info.numbers(),
            info.platform,
            info.platform_version,
            info.driver,
            info.version
        );
        let fault = device
            .fault
            .iter()
            .map(|fault| format!("does not open: {fault}"));
        let timer = match &device.timer {
            Timer::Untrusted(why) => Some(format!("timer {why}")),
            Timer::Unknown | Timer::Trusted | Timer::Stepped(_) => None,
        };
        let entries = all.iter().map(|it| &it.info);
        let entries = entries.filter(|it| it.same_as.as_deref() == Some(&info.numbers()));
        let entries = entries.map(|it| {
            format!(
                "{} is the same device ({}, driver {})",
                it.numbers(),
                it.platform,
                it.driver
            )
        });
        let notes = fault.chain(timer).chain(entries);
        for note in notes.chain(device.quirks.iter().cloned()) {
            let _ = writeln!(out, "     {note}");
        }
    }
    out
}

fn line<'a>(out: &mut String, widths: &[usize], cells: impl Iterator<Item = &'a str>) {
    let mut text = String::new();
    for ((cell, column), &width) in cells.zip(COLUMNS).zip(widths) {
        let _ = if column.right {
            write!(text, "{cell:>width$}  ")
        } else {
            write!(text, "{cell:<width$}  ")
        };
    }
    out.push_str(text.trim_end());
    out.push('\n');
}

/// All OpenCL C versions of a device; else its single reported version.
fn c_versions(device: &Probed) -> String {
    if device.info.c_versions.is_empty() {
        let own = device.info.c_version.strip_prefix("OpenCL C ");
        return own
            .and_then(|own| own.split(' ').next())
            .unwrap_or("?")
            .to_owned();
    }
    device.info.c_versions.join(" ")
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}
