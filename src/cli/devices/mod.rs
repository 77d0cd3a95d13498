//! `bench devices`: lists the OpenCL devices.

mod probe;

use std::fmt::Write as _;

use super::exit::{Exit, Failure, print_json};
use super::session::executable;
use crate::opencl::{Probed, bytes_in_words as bytes};
use crate::words::Timer;
pub use probe::{ProbeError, describe_to_parent, probe};

/// Prints the devices as a table or a JSON array; fails with [`Exit::NoDevice`] without one.
pub fn command(json: bool) -> Result<Exit, Failure> {
    let devices = probe(&executable()?).map_err(|error| {
        if json {
            println!("[]");
        }
        Failure::no_device(error)
    })?;
    match json {
        true => print_json(&devices)?,
        false => print!("{}", table(&devices)),
    }
    Ok(Exit::Good)
}

/// The heading, whether the cells are numbers, and a device's cell.
type Column = (&'static str, bool, fn(&Probed) -> String);

const COLUMNS: &[Column] = &[
    ("id", false, |it| it.info.numbers()),
    ("type", false, |it| it.info.kind.to_string()),
    ("units", true, |it| it.info.compute_units.to_string()),
    ("MHz", true, |it| it.info.clock_mhz.to_string()),
    ("memory", true, |it| bytes(it.info.global_memory_bytes)),
    ("buffer", true, |it| bytes(it.info.max_allocation_bytes)),
    ("local", true, |it| bytes(it.info.local_memory_bytes)),
    ("group", true, |it| it.info.max_work_group.to_string()),
    ("multiple", true, |it| match it.preferred_multiple {
        0 => "?".to_owned(),
        multiple => multiple.to_string(),
    }),
    ("OpenCL C", false, c_versions),
    ("enqueue", false, |it| yes(it.info.device_enqueue)),
    ("images", false, |it| yes(it.info.images)),
    ("timer", false, |it| match (&it.fault, &it.timer) {
        (Some(_), _) => "?".to_owned(),
        (None, Timer::Unknown) => String::new(),
        (None, Timer::Trusted) => "trusted".to_owned(),
        (None, Timer::Stepped(step)) => format!("{step} ns steps"),
        (None, Timer::Untrusted(_)) => "untrusted".to_owned(),
    }),
    ("round trip", true, |it| match it.round_trip_ns {
        None => "?".to_owned(),
        Some(ns) => format!("{:.1} us", ns as f64 / 1e3),
    }),
    ("device", false, |it| it.info.label.clone()),
];

fn table(all: &[Probed]) -> String {
    let devices = || all.iter().filter(|device| device.info.same_as.is_none());
    let heads = COLUMNS.iter().map(|(heading, ..)| (*heading).to_owned());
    let mut rows: Vec<Vec<String>> = vec![heads.collect()];
    rows.extend(devices().map(|it| COLUMNS.iter().map(|(.., cell)| cell(it)).collect()));
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (at, (cell, (_, is_number, _))) in row.iter().zip(COLUMNS).enumerate() {
            let width = rows.iter().map(|row| row[at].chars().count()).max();
            let pad = " ".repeat(width.unwrap_or(0) - cell.chars().count());
            let (before, after) = if *is_number { (&*pad, "") } else { ("", &*pad) };
            line += &[before, cell, after, "  "].concat();
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    for device in devices() {
        let (info, numbers) = (&device.info, device.info.numbers());
        let (platform, of_platform) = (&info.platform, &info.platform_version);
        let (driver, version) = (&info.driver, &info.version);
        let _ = writeln!(
            out,
            "\n{numbers}  {platform}, {of_platform}; driver {driver}; {version}"
        );
        let fault = device.fault.as_ref();
        let mut notes = Vec::from_iter(fault.map(|fault| format!("does not open: {fault}")));
        if let Timer::Untrusted(why) = &device.timer {
            notes.push(format!("timer {why}"));
        }
        let entries = all.iter().map(|it| &it.info);
        for it in entries.filter(|it| it.same_as.as_ref() == Some(&numbers)) {
            let (other, platform, driver) = (it.numbers(), &it.platform, &it.driver);
            notes.push(format!(
                "{other} is the same device ({platform}, driver {driver})"
            ));
        }
        for note in notes.iter().chain(&device.quirks) {
            let _ = writeln!(out, "     {note}");
        }
    }
    out
}

/// All OpenCL C versions of a device; else its single reported version.
fn c_versions(device: &Probed) -> String {
    if !device.info.c_versions.is_empty() {
        return device.info.c_versions.join(" ");
    }
    let own = device.info.c_version.strip_prefix("OpenCL C ");
    let own = own.and_then(|own| own.split(' ').next());
    own.unwrap_or("?").to_owned()
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}
