//! `bench devices`: lists the OpenCL devices.

mod advice;
mod probe;

use super::exit::{Exit, Failure, print_json};
use super::session::executable;
use crate::opencl::{Probed, bytes_in_words as bytes};
use crate::words::Timer;
pub use advice::advice;
pub use probe::{ProbeError, describe_to_parent, probe};

/// Prints the devices as a table or a JSON array. Fails with [`Exit::NoDevice`] if there is none.
pub fn command(json: bool) -> Result<Exit, Failure> {
    let devices = probe(&executable()?).map_err(|error| {
        if json {
            println!("[]");
        }
        no_device(&error)
    })?;
    match json {
        true => print_json(&devices)?,
        false => print!("{}", table(&devices)),
    }
    Ok(Exit::Good)
}

/// [`Exit::NoDevice`] with the error, and the commands that install a driver.
pub fn no_device(error: &ProbeError) -> Failure {
    let lines = std::iter::once(error.to_string()).chain(advice(error));
    let text = lines.collect::<Vec<_>>().join("\n");
    Failure::new(Exit::NoDevice, anyhow::Error::msg(text))
}

/// The heading of a column, true if its cells are numbers, and the cell for a device.
type Column = (&'static str, bool, fn(&Probed) -> String);

const COLUMNS: &[Column] = &[
    ("id", false, |it| it.info.numbers()),
    ("type", false, |it| it.info.kind.to_string()),
    ("units", true, |it| known(&it.info.compute_units)),
    ("MHz", true, |it| known(&it.info.clock_mhz)),
    ("memory", true, |it| bytes(it.info.global_memory_bytes)),
    ("buffer", true, |it| bytes(it.info.max_allocation_bytes)),
    ("local", true, |it| bytes(it.info.local_memory_bytes)),
    ("group", true, |it| it.info.max_work_group.to_string()),
    ("multiple", true, |it| known(&it.preferred_multiple)),
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
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(COLUMNS).enumerate();
        let cells = cells.map(|(at, (cell, (_, is_number, _)))| {
            let width = width(at).unwrap_or(0);
            match is_number {
                true => format!("{cell:>width$}"),
                false => format!("{cell:width$}"),
            }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    for device in devices() {
        let (it, numbers) = (&device.info, device.info.numbers());
        lines.push(format!(
            "\n{numbers}  {}, {}; driver {}; {}",
            it.platform, it.platform_version, it.driver, it.version
        ));
        let fault = device.fault.iter();
        let mut notes: Vec<String> = fault.map(|why| format!("does not open: {why}")).collect();
        notes.extend(it.emulated().map(str::to_owned));
        if let Timer::Untrusted(why) = &device.timer {
            notes.push(format!("timer {why}"));
        }
        let same = all.iter().map(|it| &it.info);
        notes.extend(
            same.filter(|it| it.same_as.as_ref() == Some(&numbers))
                .map(|it| {
                    let (other, platform, driver) = (it.numbers(), &it.platform, &it.driver);
                    format!("{other} is the same device ({platform}, driver {driver})")
                }),
        );
        let notes = notes.iter().chain(&device.quirks);
        lines.extend(notes.map(|note| format!("     {note}")));
    }
    lines.join("\n") + "\n"
}

/// All OpenCL C versions of a device, or its single version if it reports no list.
fn c_versions(device: &Probed) -> String {
    if !device.info.c_versions.is_empty() {
        return device.info.c_versions.join(" ");
    }
    let own = device.info.c_version.strip_prefix("OpenCL C ");
    let own = own.and_then(|own| own.split(' ').next());
    own.unwrap_or("?").to_owned()
}

/// Drivers report 0 for what they do not know.
fn known(number: &impl ToString) -> String {
    match number.to_string() {
        zero if zero == "0" => "?".to_owned(),
        number => number,
    }
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}
