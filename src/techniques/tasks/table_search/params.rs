//! The launch parameters of `table-search`.

use std::time::Duration;

use crate::opencl::{Device, DeviceKind};
use crate::techniques::Setup;
pub use crate::techniques::tasks::remembering::BATCH;
use crate::techniques::tasks::remembering::effort_of;
use crate::words::{Fault, ParamEntry, Params, Value};

/// Work-items of a work-group.
pub const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "a whole number from 1 to 256: work-items of a work-group, which make the children of a node",
    default: "128 on GPUs, 1 on a processor",
    check: |value| GROUP.whole(value, 1..=256).map(drop),
};

/// Work-groups for each compute unit.
pub const PER_UNIT: ParamEntry = ParamEntry {
    name: "per-unit",
    allowed: "a whole number from 1 to 64: work-groups for each compute unit",
    default: "8 on GPUs, 1 on a processor",
    check: |value| PER_UNIT.whole(value, 1..=64).map(drop),
};

/// Thresholds that a launch asks.
pub const THRESHOLDS: ParamEntry = ParamEntry {
    name: "thresholds",
    allowed: "a whole number from 1 to 8: how many a launch asks at most",
    default: "4 on GPUs, 1 on a processor",
    check: |value| THRESHOLDS.whole(value, 1..=8).map(drop),
};

/// Size of the table.
pub const TABLE: ParamEntry = ParamEntry {
    name: "table",
    allowed: "a whole number from 1 to 4096: MiB that the table may take",
    default: "256 on GPUs, or an eighth of the memory; 16 on a processor",
    check: |value| TABLE.whole(value, 1..=4096).map(drop),
};

/// Nodes that are split.
pub const RECORDS: ParamEntry = ParamEntry {
    name: "records",
    allowed: "a whole number from 1 to 64: millions of nodes (2^20) that a launch and those before it may split",
    default: "64 on GPUs, or as many as an eighth of the memory holds; 1 on a processor",
    check: |value| RECORDS.whole(value, 1..=64).map(drop),
};

/// The predicted time on the host above which the device answers a position.
pub const HYBRID: ParamEntry = ParamEntry {
    name: "hybrid",
    allowed: "off, on, or a time from 1us to 1h (`5ms`): `rayon-table` begins every search, and hands it over to the \
              device if the rest is predicted to take longer; on: 2ms on GPUs, and no position on a processor",
    default: "off",
    check: |value| read_hybrid(value).map(drop),
};

/// Bytes of a record with its two words of state and its place in the queue.
const RECORD_BYTES: u64 = 76;

/// The threshold of a hybrid; `None` if `hybrid` is off. Fails for an invalid value, and under a clock: the search has
/// no depth whose time could be predicted.
pub(super) fn hybrid(setup: &Setup<'_>) -> Result<Option<Duration>, Fault> {
    let asked = HYBRID.given(setup.params, Hybrid::Off, read_hybrid)?;
    let threshold = match asked {
        Hybrid::Off => return Ok(None),
        Hybrid::On if setup.on_device()?.info().kind == DeviceKind::Cpu => Duration::MAX,
        Hybrid::On => ON_GPUS,
        Hybrid::Above(threshold) => threshold,
    };
    match effort_of(setup.case).map_err(Fault::Input)? {
        Some(effort) => Err(Fault::Unsupported(format!(
            "hybrid: `{}`, effort: `{effort}`; it predicts the time of a depth",
            setup.params["hybrid"]
        ))),
        None => Ok(Some(threshold)),
    }
}

/// Refuses `hybrid` together with `batch`: `hybrid` predicts the time of each position, `batch` searches all positions
/// at once. Fails if both are on.
pub fn takes_both(params: &Params) -> Result<(), String> {
    let is_on = |entry: &ParamEntry| {
        let value = params.get(entry.name);
        value.is_some_and(|value| value.as_text() != Some("off"))
    };
    match is_on(&HYBRID) && is_on(&BATCH) {
        true => Err(format!(
            "hybrid: `{}`; allowed is off where batch is on",
            params["hybrid"]
        )),
        false => Ok(()),
    }
}

/// The predicted time above which a GPU answers, if no other is given.
const ON_GPUS: Duration = Duration::from_millis(2);

#[derive(Clone, Copy)]
enum Hybrid {
    Off,
    On,
    Above(Duration),
}

fn read_hybrid(value: &Value) -> Result<Hybrid, String> {
    let times = Duration::from_micros(1)..=Duration::from_secs(3_600);
    match value.as_text() {
        Some("off") => Ok(Hybrid::Off),
        Some("on") => Ok(Hybrid::On),
        text => text
            .and_then(|text| humantime::parse_duration(text).ok())
            .filter(|time| times.contains(time))
            .map(Hybrid::Above)
            .ok_or_else(|| HYBRID.refused(value)),
    }
}

/// The launch parameters.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Work-items of a work-group.
    pub group: usize,
    /// Number of work-groups; in the defaults of a game, per compute unit.
    pub workers: usize,
    /// Thresholds that a launch asks of a position.
    pub thresholds: usize,
    /// Size of the table, MiB.
    pub table_mib: usize,
    /// Limit of the nodes that are split; in the defaults of a game, in millions (2^20).
    pub records: usize,
}

impl Shape {
    /// The parameters, or defaults that suit the device: a processor, or a GPU, which `on_gpus` suits.
    pub(super) fn new(params: &Params, device: &Device, on_gpus: Shape) -> Result<Shape, Fault> {
        let info = device.info();
        let gpu = info.kind != DeviceKind::Cpu;
        let read = |entry: &ParamEntry, most, gpus, processors| {
            let default = if gpu { gpus } else { processors };
            entry.given(params, default, |value| entry.whole(value, 1..=most))
        };
        let units = (info.compute_units as usize).max(1);
        // How many pieces of some bytes an eighth of the memory holds, and a buffer.
        let most = info.max_allocation_bytes.min(info.global_memory_bytes / 8);
        let part = |bytes: u64| (most / bytes).max(1) as usize;
        let table_mib = part(1 << 20).min(on_gpus.table_mib);
        let records = part(RECORD_BYTES << 20).min(on_gpus.records);
        Ok(Shape {
            group: read(&GROUP, 256, on_gpus.group, 1)?,
            workers: units * read(&PER_UNIT, 64, on_gpus.workers, 1)?,
            thresholds: read(&THRESHOLDS, 8, on_gpus.thresholds, 1)?,
            table_mib: read(&TABLE, 4096, table_mib, 16)?,
            records: read(&RECORDS, 64, records, 1)? << 20,
        })
    }
}
