//! Measured peaks of a device: rates of 32-bit operations, bandwidths, latencies, atomic additions, after the
//! model of clpeak (Krishnaraj Bhat, <https://github.com/krrishnarraj/clpeak>).
//!
//! Each quantity is a load of `cl/peaks`. Its size is fitted so that a sample takes 10 to 50 ms, and its
//! launch is the fastest of several ([`launches`]). Independent host code checks the results, because the
//! peak of a wrong kernel is meaningless. Kernel times come from device events where the timer is trusted,
//! else from the host's clock; transfers and launches are always timed by the host's clock from call to
//! return, as in a technique's sample.
//!
//! Imports `opencl`, `stats`, `random` and `words`.

mod atomics;
mod bench;
mod chain;
mod checks;
mod global;
mod latency;
mod launches;
mod load;
mod local;
mod operations;
mod transfer;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::stats::median_interval;
use crate::words::{Fault, Status};
pub use bench::Bench;
use load::{Sampled, Turn};

/// Seed of the bootstrap intervals.
const SEED: u64 = 1;

/// A unit of `peaks.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Operations a second, each on one 32-bit lane.
    Operations,
    /// Bytes a second.
    Bytes,
    /// Nanoseconds.
    Time,
}

impl Unit {
    /// The word in `peaks.csv`.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Operations => "op/s",
            Unit::Bytes => "B/s",
            Unit::Time => "ns",
        }
    }

    /// The value of a sample, from its work and its time in ns.
    fn value(self, work: u64, ns: u64) -> f64 {
        let (work, ns) = (work as f64, ns.max(1) as f64);
        match self {
            Unit::Operations | Unit::Bytes => work * 1e9 / ns,
            Unit::Time => ns / work.max(1.0),
        }
    }
}

/// A measured quantity.
#[derive(Clone, Copy)]
pub struct Quantity {
    /// Its name in files and tables.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// What is done, in a few words.
    pub what: &'static str,
    measure: fn(&Bench<'_>, &Turn) -> Result<Sampled, Fault>,
}

/// Every quantity, in the order of measurement.
pub static QUANTITIES: &[Quantity] = &[
    operations("add", "additions of two", |bench, turn| {
        operations::measure(bench, turn, &chain::ADD)
    }),
    operations(
        "add-3",
        "additions, two in a sum of three",
        |bench, turn| operations::measure(bench, turn, &chain::ADD_3),
    ),
    operations("logic", "and, or, xor of two", |bench, turn| {
        operations::measure(bench, turn, &chain::LOGIC)
    }),
    operations(
        "logic-3",
        "and with xor, two of three words",
        |bench, turn| operations::measure(bench, turn, &chain::LOGIC_3),
    ),
    operations("shift", "shifts by a loaded number", |bench, turn| {
        operations::measure(bench, turn, &chain::SHIFT)
    }),
    operations("multiply", "products, low half", |bench, turn| {
        operations::measure(bench, turn, &chain::MULTIPLY)
    }),
    operations(
        "popcount",
        "set bits, an xor each uncounted",
        |bench, turn| operations::measure(bench, turn, &chain::POPCOUNT),
    ),
    operations(
        "select",
        "comparisons and choices in turns",
        |bench, turn| operations::measure(bench, turn, &chain::SELECT),
    ),
    operations("add-logic", "additions and xors in turns", |bench, turn| {
        operations::measure(bench, turn, &chain::ADD_LOGIC)
    }),
    operations("shift-logic", "shifts and xors in turns", |bench, turn| {
        operations::measure(bench, turn, &chain::SHIFT_LOGIC)
    }),
    bytes("global-read", "global memory, read", |bench, turn| {
        global::measure(bench, turn, global::Pass::Read)
    }),
    bytes("global-write", "global memory, written", |bench, turn| {
        global::measure(bench, turn, global::Pass::Write)
    }),
    bytes(
        "global-copy",
        "read and written, both counted",
        |bench, turn| global::measure(bench, turn, global::Pass::Copy),
    ),
    bytes("local-read", "local memory, read", local::measure),
    operations(
        "atomic-global-one",
        "additions to one global word",
        |bench, turn| atomics::measure(bench, turn, atomics::Place::GlobalOne),
    ),
    operations(
        "atomic-global-many",
        "to a word each, a million",
        |bench, turn| atomics::measure(bench, turn, atomics::Place::GlobalMany),
    ),
    operations(
        "atomic-local-one",
        "to one local word a group",
        |bench, turn| atomics::measure(bench, turn, atomics::Place::LocalOne),
    ),
    operations(
        "atomic-local-many",
        "to a local word each",
        |bench, turn| atomics::measure(bench, turn, atomics::Place::LocalMany),
    ),
    time("launch", "one kernel and its end", |bench, turn| {
        latency::launch(bench, turn, true)
    }),
    time(
        "launch-chain",
        "each of many kernels in a row",
        |bench, turn| latency::launch(bench, turn, false),
    ),
    bytes("upload", "host to device, large", |bench, turn| {
        transfer::rate(bench, turn, transfer::Way::Up)
    }),
    bytes("download", "device to host, large", |bench, turn| {
        transfer::rate(bench, turn, transfer::Way::Down)
    }),
    time(
        "upload-word",
        "4 bytes to the device, and their end",
        |bench, turn| transfer::latency(bench, turn, transfer::Way::Up),
    ),
    time("download-word", "4 bytes from the device", |bench, turn| {
        transfer::latency(bench, turn, transfer::Way::Down)
    }),
];

type Measure = fn(&Bench<'_>, &Turn) -> Result<Sampled, Fault>;

const fn operations(name: &'static str, what: &'static str, measure: Measure) -> Quantity {
    quantity(name, Unit::Operations, what, measure)
}

const fn bytes(name: &'static str, what: &'static str, measure: Measure) -> Quantity {
    quantity(name, Unit::Bytes, what, measure)
}

const fn time(name: &'static str, what: &'static str, measure: Measure) -> Quantity {
    quantity(name, Unit::Time, what, measure)
}

const fn quantity(
    name: &'static str,
    unit: Unit,
    what: &'static str,
    measure: Measure,
) -> Quantity {
    Quantity {
        name,
        unit,
        what,
        measure,
    }
}

/// The quantity of that name.
pub fn quantity_of(name: &str) -> Option<&'static Quantity> {
    QUANTITIES.iter().find(|quantity| quantity.name == name)
}

/// The result of one quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// [`Quantity::name`].
    pub quantity: String,
    /// How it ended.
    pub status: Status,
    /// Why, where it is not `ok`.
    pub reason: String,
    /// The median, in the quantity's unit.
    pub value: Option<f64>,
    /// Its 95 % bootstrap interval, low and high.
    pub interval: Option<(f64, f64)>,
    /// Samples taken.
    pub samples: u64,
    /// The median time of a sample, ns.
    pub sample_ns: Option<u64>,
    /// The fastest launch of those tried, or the amount of data moved.
    pub launch: String,
    /// The clock, as text.
    pub method: String,
}

impl Peak {
    /// The result of a quantity without a value.
    pub fn failed(quantity: &str, status: Status, reason: impl Into<String>) -> Peak {
        Peak {
            quantity: quantity.to_owned(),
            status,
            reason: reason.into(),
            value: None,
            interval: None,
            samples: 0,
            sample_ns: None,
            launch: String::new(),
            method: String::new(),
        }
    }

    /// All samples have the same work, so the value of the median time is the median value.
    fn of(quantity: &Quantity, sampled: &Sampled) -> Peak {
        let ns = crate::stats::median(&sampled.times);
        let value = |ns| quantity.unit.value(sampled.work, ns);
        let interval = median_interval(&sampled.times, SEED).map(|ends| {
            let (one, other) = (value(ends.low), value(ends.high));
            (one.min(other), one.max(other))
        });
        Peak {
            quantity: quantity.name.to_owned(),
            status: Status::Ok,
            reason: String::new(),
            value: ns.map(value),
            interval,
            samples: sampled.times.len() as u64,
            sample_ns: ns,
            launch: sampled.launch.clone(),
            method: sampled.clock.words().to_owned(),
        }
    }
}

/// Progress of [`measure`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// The measurement of this quantity starts.
    Begun(String),
    /// The result of the quantity started last.
    Measured(Box<Peak>),
}

/// Measures the quantities that follow the one named `after` (`None`: all of them) within `budget`. Each gets
/// an equal share of the remaining time, builds and the search for the fastest launch included, and takes at
/// least five samples, however long they take.
///
/// A driver's refusal ends the measurement after that quantity: some drivers refuse every call in a process
/// after one failure, so the rest must be measured in another process.
///
/// # Errors
///
/// Any error of `say`.
pub fn measure<E>(
    bench: &Bench<'_>,
    budget: Duration,
    after: Option<&str>,
    say: &mut dyn FnMut(Said) -> Result<(), E>,
) -> Result<(), E> {
    let begun = Instant::now();
    let first = QUANTITIES
        .iter()
        .position(|quantity| Some(quantity.name) == after)
        .map_or(0, |place| place + 1);
    for (place, quantity) in QUANTITIES.iter().enumerate().skip(first) {
        say(Said::Begun(quantity.name.to_owned()))?;
        let left = budget.saturating_sub(begun.elapsed());
        let turn = Turn::of(left / (QUANTITIES.len() - place) as u32);
        let result = (quantity.measure)(bench, &turn);
        let lost = matches!(result, Err(Fault::Device(_)));
        let peak = match result {
            Ok(sampled) => Peak::of(quantity, &sampled),
            Err(fault) => Peak::failed(quantity.name, fault.status(), fault.to_string()),
        };
        say(Said::Measured(Box::new(peak)))?;
        if lost {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        for (place, quantity) in QUANTITIES.iter().enumerate() {
            let first = QUANTITIES.iter().position(|it| it.name == quantity.name);
            assert_eq!(first, Some(place), "{}", quantity.name);
            assert!(quantity_of(quantity.name).is_some());
        }
        assert!(quantity_of("").is_none());
    }

    #[test]
    fn a_rate_is_the_medians_and_its_interval_the_other_way_round() {
        let sampled = Sampled {
            times: vec![10, 20, 40],
            work: 80,
            launch: "alone".into(),
            clock: load::Clock::Events,
        };
        let rate = Peak::of(quantity_of("add").unwrap(), &sampled);
        assert_eq!((rate.value, rate.interval), (Some(4e9), Some((2e9, 8e9))));
        assert_eq!((rate.samples, rate.sample_ns), (3, Some(20)));
        let each = Peak::of(quantity_of("launch").unwrap(), &sampled);
        assert_eq!(
            (each.value, each.interval),
            (Some(0.25), Some((0.125, 0.5)))
        );
    }
}
