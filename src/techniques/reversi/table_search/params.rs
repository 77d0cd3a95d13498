//! The launch parameters of `table-search`.

use crate::opencl::{Device, DeviceKind};
use crate::techniques::tasks::remembering::{BATCH, read_batch};
use crate::words::{Fault, ParamEntry, Params, Value};

const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "a whole number from 1 to 256: work-items of a work-group, which make the children of a node",
    default: "128 on GPUs, 1 on a processor",
    check: |value| GROUP.whole(value, 1..=256).map(drop),
};

const PER_UNIT: ParamEntry = ParamEntry {
    name: "per-unit",
    allowed: "a whole number from 1 to 64: work-groups for each compute unit",
    default: "8 on GPUs, 1 on a processor",
    check: |value| PER_UNIT.whole(value, 1..=64).map(drop),
};

const THRESHOLDS: ParamEntry = ParamEntry {
    name: "thresholds",
    allowed: "a whole number from 1 to 8: how many a launch asks at most",
    default: "4 on GPUs, 1 on a processor",
    check: |value| THRESHOLDS.whole(value, 1..=8).map(drop),
};

const TABLE: ParamEntry = ParamEntry {
    name: "table",
    allowed: "a whole number from 1 to 4096: MiB that the table may take",
    default: "256 on GPUs, or an eighth of the memory; 16 on a processor",
    check: |value| TABLE.whole(value, 1..=4096).map(drop),
};

const RECORDS: ParamEntry = ParamEntry {
    name: "records",
    allowed: "a whole number from 1 to 64: millions of nodes (2^20) that a launch and those before it may split",
    default: "32 on GPUs, or as many as an eighth of the memory holds; 1 on a processor",
    check: |value| RECORDS.whole(value, 1..=64).map(drop),
};

const HYBRID: ParamEntry = ParamEntry {
    name: "hybrid",
    allowed: "on, or off; on: `rayon-table` searches where it is predicted to need less than 4 ms",
    default: "off",
    check: |value| read_hybrid(value).map(drop),
};

/// All of them.
pub(super) const PARAMS: &[ParamEntry] =
    &[GROUP, PER_UNIT, THRESHOLDS, TABLE, RECORDS, HYBRID, BATCH];

/// Bytes of a record with its two words of state and its place in the queue.
const RECORD_BYTES: u64 = 60;

/// Whether the host searches what it is predicted to search faster.
pub(super) fn hybrid(params: &Params) -> Result<bool, Fault> {
    HYBRID.given(params, false, read_hybrid)
}

/// Whether the positions of a sample are searched side by side.
pub(super) fn batch(params: &Params) -> Result<bool, Fault> {
    BATCH.given(params, false, read_batch)
}

fn read_hybrid(value: &Value) -> Result<bool, String> {
    match value.as_text() {
        Some("on") => Ok(true),
        Some("off") => Ok(false),
        _ => Err(HYBRID.refused(value)),
    }
}

/// The parameters, or defaults that suit the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) group: usize,
    pub(super) workers: usize,
    pub(super) thresholds: usize,
    pub(super) table_mib: usize,
    pub(super) records: usize,
}

impl Shape {
    pub(super) fn new(params: &Params, device: &Device) -> Result<Shape, Fault> {
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
        Ok(Shape {
            group: read(&GROUP, 256, 128, 1)?,
            workers: units * read(&PER_UNIT, 64, 8, 1)?,
            thresholds: read(&THRESHOLDS, 8, 4, 1)?,
            table_mib: read(&TABLE, 4096, part(1 << 20).min(256), 16)?,
            records: read(&RECORDS, 64, part(RECORD_BYTES << 20).min(32), 1)? << 20,
        })
    }
}
