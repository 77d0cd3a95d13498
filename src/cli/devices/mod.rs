//! `bench devices`: lists the OpenCL devices.

mod advice;
mod probe;

use super::exit::{Exit, Failure, print_json};
use super::session::executable;
use crate::opencl::{Probed, bytes_in_words as bytes};
use crate::report::{Lines, Table};
use crate::words::Timer;
pub use advice::advice;
pub use probe::{ProbeError, describe_to_parent, probe};

/// Prints the devices as a table or a JSON array. Fails with [`Exit::NoDevice`] if there is none.
pub fn command(json: bool) -> Result<Exit, Failure> {
    let found = probe(&executable()?);
    if json && found.is_err() {
        println!("[]");
    }
    let devices = found?;
    match json {
        true => print_json(&devices)?,
        false => print!("{}", table(&devices)),
    }
    Ok(Exit::Good)
}

/// Converts the error to [`Exit::NoDevice`] and adds the commands that install a driver.
impl From<ProbeError> for Failure {
    fn from(error: ProbeError) -> Self {
        let lines = std::iter::once(error.to_string()).chain(advice(&error));
        let text = lines.collect::<Vec<_>>().join("\n");
        Failure::new(Exit::NoDevice, anyhow::Error::msg(text))
    }
}

/// The heading of a column, and a function that formats its cell for a device.
type Column = (&'static str, fn(&Probed) -> String);

const COLUMNS: [Column; 15] = [
    ("id", |it| it.info.numbers()),
    ("type", |it| it.info.kind.to_string()),
    ("units", |it| known(&it.info.compute_units)),
    ("MHz", |it| known(&it.info.clock_mhz)),
    ("memory", |it| bytes(it.info.global_memory_bytes)),
    ("buffer", |it| bytes(it.info.max_allocation_bytes)),
    ("local", |it| bytes(it.info.local_memory_bytes)),
    ("group", |it| it.info.max_work_group.to_string()),
    ("multiple", |it| known(&it.preferred_multiple)),
    ("OpenCL C", c_versions),
    ("enqueue", |it| yes(it.info.device_enqueue)),
    ("images", |it| yes(it.info.images)),
    ("timer", |it| match (&it.fault, &it.timer) {
        (Some(_), _) => "?".to_owned(),
        (None, Timer::Unknown) => String::new(),
        (None, Timer::Trusted) => "trusted".to_owned(),
        (None, Timer::Stepped(step)) => format!("{step} ns steps"),
        (None, Timer::Untrusted(_)) => "untrusted".to_owned(),
    }),
    ("round trip", |it| match it.round_trip_ns {
        None => "?".to_owned(),
        Some(ns) => format!("{:.1} us", ns as f64 / 1e3),
    }),
    ("device", |it| it.info.label.clone()),
];
/// Indices of the columns with numbers.
const NUMBERS: [usize; 8] = [2, 3, 4, 5, 6, 7, 8, 13];

fn table(all: &[Probed]) -> String {
    let devices = || all.iter().filter(|device| device.info.same_as.is_none());
    let heads = COLUMNS.map(|(heading, _)| heading);
    let rows = devices().map(|it| COLUMNS.iter().map(|(_, cell)| (cell(it), "")).collect());
    let mut lines = Lines::new(usize::MAX, false);
    lines.table(&Table::new(&heads, rows, &NUMBERS));
    for device in devices() {
        let (it, numbers) = (&device.info, device.info.numbers());
        lines.raw(format!(
            "\n{numbers}  {}, {}; driver {}; {}",
            it.platform, it.platform_version, it.driver, it.version
        ));
        let fault = device.fault.iter();
        let mut notes: Vec<String> = fault.map(|why| format!("does not open: {why}")).collect();
        notes.extend(it.emulated().map(str::to_owned));
        if let Timer::Untrusted(why) = &device.timer {
            notes.push(format!("timer {why}"));
        }
        let others = all.iter().map(|it| &it.info);
        let same = others.filter(|it| it.same_as.as_ref() == Some(&numbers));
        notes.extend(same.map(|it| {
            let (other, platform, driver) = (it.numbers(), &it.platform, &it.driver);
            format!("{other} is the same device ({platform}, driver {driver})")
        }));
        let notes = notes.iter().chain(&device.quirks);
        notes.for_each(|note| lines.raw(format!("     {note}")));
    }
    lines.text()
}

/// Returns all OpenCL C versions of a device, or its single version if it reports no list.
fn c_versions(device: &Probed) -> String {
    if !device.info.c_versions.is_empty() {
        return device.info.c_versions.join(" ");
    }
    let own = device.info.c_version.strip_prefix("OpenCL C ");
    let own = own.and_then(|own| own.split(' ').next());
    own.unwrap_or("?").to_owned()
}

/// Replaces 0 with `?`, because drivers report 0 for unknown values.
fn known(number: &impl ToString) -> String {
    match number.to_string() {
        zero if zero == "0" => "?".to_owned(),
        number => number,
    }
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}
