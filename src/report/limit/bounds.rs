//! Lower bounds of a time: what was counted, over what the device can do at best.

use super::counts::Count;
use crate::results::{DeviceRecord, Host, MeasurementRow, OperationRow, PeakRow};
use crate::words::Status;

const NS: f64 = 1e9;

/// What binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// Operations of this class, which of all classes takes longest.
    Operations(&'static str),
    /// Bytes of global memory.
    Global,
    /// Bytes of local memory.
    Local,
    /// Atomic operations.
    Atomics,
    /// Bytes between host and device.
    Transfers,
    /// Launches, the last of them waited for.
    Launches,
}

impl Limit {
    /// Its name in tables and files.
    pub(super) fn name(self) -> String {
        match self {
            Limit::Operations(class) => format!("{class} issue"),
            Limit::Global => "global memory".to_owned(),
            Limit::Local => "local memory".to_owned(),
            Limit::Atomics => "atomics".to_owned(),
            Limit::Transfers => "transfers".to_owned(),
            Limit::Launches => "launch latency".to_owned(),
        }
    }

    /// Whether what was counted may be less than what the device had to do: a cache, or registers, give
    /// bytes back that memory never saw.
    pub(super) fn may_be_cached(self) -> bool {
        matches!(self, Limit::Global | Limit::Local)
    }
}

/// A time that the sample cannot have been shorter than, if its count is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bound {
    pub limit: Limit,
    pub ns: f64,
}

/// Classes of operations: their names, and the peaks of which the best is theirs. What a device does two of in
/// one instruction it may have done so here, and a bound must hold.
const CLASSES: [(&str, &[&str]); 6] = [
    ("add", &["add", "add-3"]),
    ("logic", &["logic", "logic-3"]),
    ("shift", &["shift"]),
    ("multiply", &["multiply"]),
    ("popcount", &["popcount"]),
    ("select", &["select"]),
];

/// What a device can do at best.
#[derive(Clone, Debug)]
pub(super) struct Peaks<'a> {
    pub rows: Vec<&'a PeakRow>,
}

impl<'a> Peaks<'a> {
    /// Those of a device behind a host, of the same driver; `None` where there are none.
    pub(super) fn of(rows: &'a [PeakRow], device: &DeviceRecord, host: &Host) -> Option<Self> {
        let same = |row: &&PeakRow| {
            row.host == host.cpu
                && row.platform == device.platform
                && row.name == device.name
                && row.driver == device.driver
        };
        let rows: Vec<&PeakRow> = rows.iter().filter(same).collect();
        (!rows.is_empty()).then_some(Peaks { rows })
    }

    /// A peak that was measured.
    fn value(&self, quantity: &str) -> Option<f64> {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| row.quantity == quantity && row.status == Status::Ok)?;
        row.value.filter(|value| *value > 0.0)
    }

    /// The highest of some rates.
    fn best(&self, quantities: &[&str]) -> Option<f64> {
        let values = quantities
            .iter()
            .filter_map(|quantity| self.value(quantity));
        values.reduce(f64::max)
    }

    /// The time of so many of something at a rate, ns; 0 for none, `None` where the rate is not known.
    fn time(&self, count: f64, quantities: &[&str]) -> Option<f64> {
        if count == 0.0 {
            return Some(0.0);
        }
        Some(count * NS / self.best(quantities)?)
    }

    /// Every bound of a cell that can be told, longest first.
    pub(super) fn bounds(&self, row: &MeasurementRow, count: Option<&Count>) -> Vec<Bound> {
        let mut bounds: Vec<Bound> = Vec::new();
        let mut add = |limit, ns: Option<f64>| {
            bounds.extend(ns.filter(|ns| *ns > 0.0).map(|ns| Bound { limit, ns }));
        };
        if let Some(count) = count {
            let (per, units) = (&count.row, count.units as f64);
            let (limit, ns) = self.operations(per, units);
            add(limit, Some(ns));
            let both = |one: Option<f64>, other: Option<f64>| Some(one? + other?);
            add(
                Limit::Global,
                both(
                    self.time(per.global_load_bytes * units, &["global-read"]),
                    self.time(per.global_store_bytes * units, &["global-write"]),
                ),
            );
            let local = per.local_load_bytes + per.local_store_bytes;
            add(Limit::Local, self.time(local * units, &["local-read"]));
            add(
                Limit::Atomics,
                both(
                    self.time(
                        per.global_atomics * units,
                        &["atomic-global-many", "atomic-global-one"],
                    ),
                    self.time(
                        per.local_atomics * units,
                        &["atomic-local-many", "atomic-local-one"],
                    ),
                ),
            );
        }
        let bytes = |bytes: Option<u64>, rate| self.time(bytes? as f64, &[rate]);
        let (up, down) = (
            bytes(row.bytes_up, "upload"),
            bytes(row.bytes_down, "download"),
        );
        add(
            Limit::Transfers,
            Some(up.unwrap_or(0.0) + down.unwrap_or(0.0)),
        );
        add(Limit::Launches, self.launches(row.launches.unwrap_or(0)));
        bounds.sort_by(|one, other| other.ns.total_cmp(&one.ns));
        bounds
    }

    /// The class of operations that takes longest, and its time. The others may be done beside it: a GPU
    /// has pipes of their own for some, which of them differs, and a bound must hold.
    fn operations(&self, per: &OperationRow, units: f64) -> (Limit, f64) {
        let counts = [
            per.add,
            per.logic,
            per.shift,
            per.multiply,
            per.popcount,
            per.select,
        ];
        let times = CLASSES.iter().zip(counts).map(|((name, peaks), count)| {
            let ns = self.time(count * units, peaks);
            (*name, ns.unwrap_or(0.0))
        });
        let longest = times.max_by(|one, other| one.1.total_cmp(&other.1));
        let (name, ns) = longest.unwrap_or(("add", 0.0));
        (Limit::Operations(name), ns)
    }

    /// Launches in a row, of which the last is waited for.
    fn launches(&self, count: u64) -> Option<f64> {
        let others = count.checked_sub(1)? as f64;
        let (alone, each) = (self.value("launch")?, self.value("launch-chain")?);
        Some(others * each.min(alone) + alone)
    }
}
