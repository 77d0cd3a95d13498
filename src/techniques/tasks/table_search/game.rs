//! Defines the part of `table-search` that a game provides.

use std::time::Duration;

use crate::games::INFINITY;
use crate::techniques::prelude::*;
pub use crate::techniques::tasks::host_table::BATCH;
use crate::techniques::tasks::host_table::effort_of;
use crate::techniques::tasks::{Loads, Play};

/// A game whose kernel includes `cl/common/table_search_kernel.clh`.
pub trait TableGame: Send + 'static {
    /// The game's rules and notation.
    type Play: Play;
    /// The representation that the host searches.
    type Host: Loads<Self::Play> + OrderedGame;
    /// Element type of the kernel's evaluation table (`worth_t`).
    type Worth: OclPrm;

    /// The kernel file.
    const KERNEL: &'static str;
    /// Default launch parameters for GPUs.
    const ON_GPUS: Shape;
    /// Even depth at which deepening begins. For odd depths, deepening begins one ply deeper.
    const FIRST_DEPTH: u32;
    /// Maximum difference in depth between two iterations, in plies. It is even.
    const DEEPER: u32 = 2;
    /// Distance between the bounds at which an iteration ends. The last iteration continues to the exact value.
    const CLOSE_ENOUGH: i32;
    /// Distance between thresholds if one or both bounds are unknown.
    const STRIDE: i32;
    /// Maximum depth of a search for a time.
    const MOST_DEPTH: u32 = 30;

    /// Returns the kernel's constants, except for the scheduler's.
    fn defines(&self) -> Defines;

    /// Returns the bytes of local memory for the kernel's `current_t`, `children_t` and `subtree_t`, for a group size.
    fn local_bytes(&self, group: usize) -> usize;

    /// Returns the kernel's evaluation table.
    fn worths(&self) -> Vec<Self::Worth>;

    /// Returns further parameters of the kernel.
    fn words(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Creates the representation that the host searches.
    fn host(&self) -> Self::Host;

    /// Converts a position to the kernels' form.
    fn root(&self, position: &<Self::Play as Play>::Position) -> Root;

    /// Returns the move that has this number in the kernel.
    fn mv(number: u32) -> Option<<Self::Play as Play>::Move>;

    /// Converts the value of a root from the kernel to the value for the mover.
    fn value(_root: &Root, value: i32) -> i32 {
        value
    }
}

/// Returns the bytes of local memory for the kernel's `current_t` and `children_t`.
pub fn scheduler_bytes(moves: usize, places: usize) -> usize {
    let (now, alignment) = (144, 8);
    now + 28 * places + 15 * moves + alignment
}

/// A position as a kernel reads it.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// The mover's stones or discs.
    pub own: u64,
    /// The opponent's stones or discs.
    pub other: u64,
    /// The mover's moves.
    pub moves: u64,
    /// The part of the static value that the kernel keeps with the position.
    pub weight: i32,
    /// The static value for the mover.
    pub value: i32,
    /// The mover's first move, if there is one.
    pub first: Option<u32>,
    /// For more than 64 squares, one word per row, with the mover's stones in the low half. Otherwise zeros.
    pub rows: [u32; 16],
}

whole_numbers! {
    /// Number of work-items per work-group.
    pub number GROUP, read_group: "group", 1..=256, "128 on GPUs (64 in Connect Four), 1 on CPUs",
        "a whole number from 1 to 256: number of work-items per work-group, which generate a node's children";

    /// Number of thresholds per launch.
    pub number THRESHOLDS, read_thresholds: "thresholds", 1..=8, "4 on GPUs, 1 on CPUs",
        "a whole number from 1 to 8: maximum number of thresholds per launch";

    /// Size of the table, in MiB.
    pub number TABLE, read_table: "table", 1..=4096, "256 on GPUs, at most an eighth of the memory; 16 on CPUs",
        "a whole number from 1 to 4096: maximum size of the transposition table, in MiB";
}

/// The parameter `hybrid`: the predicted time on the host above which the device searches a position.
pub const HYBRID: ParamEntry = ParamEntry {
    name: "hybrid",
    allowed: "off, on, or a time from 1us to 1h (`5ms`): `rayon-table` begins every search, and hands it over to the \
              device if the predicted time for the rest is longer; on: 2ms on GPUs, never on CPUs",
    default: "off",
    check: |value| read_hybrid(value).map(drop),
};

/// The entry of `table-search`, without the game.
pub const ENTRY: TechniqueEntry = TechniqueEntry {
    name: "table-search",
    summary: "null windows, a transposition table and move ordering in one tree for all work-groups",
    paper: "ours; MTD(f): Plaat and others 1996; the table: Hyatt and Mann 2002",
    needs: "76 bytes of global memory per record, and the table",
    like: "rayon-table",
    reference: "serial-table",
    counts: Counts::Vary,
    tasks: &[Task::Search, Task::Game, Task::Choose, Task::Match],
    params: &[GROUP, THRESHOLDS, TABLE, HYBRID, BATCH],
    check: |_, params| takes_both(params),
    splits: true,
    ..TechniqueEntry::DEVICE
};

/// Number of bytes per record, including two words of state and a place in the queue.
const RECORD_BYTES: u64 = 76;

/// Returns the time threshold of `hybrid`, or `None` if `hybrid` is off.
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

/// Refuses `hybrid` with `batch`. `hybrid` predicts each position's time, but `batch` searches all positions at once.
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

/// Default predicted time above which a GPU searches a position.
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
    /// Number of work-items per work-group.
    pub group: usize,
    /// Number of work-groups. A game's defaults give it per compute unit.
    pub workers: usize,
    /// Number of thresholds per launch and position.
    pub thresholds: usize,
    /// Size of the table, in MiB.
    pub table_mib: usize,
    /// Maximum number of nodes that are split. A game's defaults give it in units of 2^20.
    pub records: usize,
}

impl Shape {
    /// Reads the parameters. The defaults depend on the device. On a GPU, they are `on_gpus`, limited by its memory.
    pub(super) fn new(params: &Params, device: &Device, on_gpus: Shape) -> Result<Shape, Fault> {
        let info = device.info();
        let gpu = info.kind != DeviceKind::Cpu;
        type Read = fn(&Value) -> Result<usize, String>;
        let read = |entry: &ParamEntry, read: Read, gpus, processors| {
            let default = if gpu { gpus } else { processors };
            entry.given(params, default, read)
        };
        let units = (info.compute_units as usize).max(1);
        // Returns how many items of this size fit in one buffer and in an eighth of the memory.
        let most = info.max_allocation_bytes.min(info.global_memory_bytes / 8);
        let part = |bytes: u64| (most / bytes).max(1) as usize;
        let table_mib = part(1 << 20).min(on_gpus.table_mib);
        let records = part(RECORD_BYTES << 20).min(on_gpus.records);
        Ok(Shape {
            group: read(&GROUP, read_group, on_gpus.group, 1)?,
            workers: if gpu { units * on_gpus.workers } else { units },
            thresholds: read(&THRESHOLDS, read_thresholds, on_gpus.thresholds, 1)?,
            table_mib: read(&TABLE, read_table, table_mib, 16)?,
            records: if gpu { records } else { 1 } << 20,
        })
    }
}

/// The bounds on a value, and the move that proved the lower bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) lower: i32,
    pub(super) upper: i32,
    pub(super) best: u32,
}

impl Bounds {
    pub(super) fn are_within(self, width: i32) -> bool {
        self.upper.saturating_sub(self.lower) <= width
    }

    /// Returns a guess of the value, based on the bounds.
    pub(super) fn middle(self) -> i32 {
        match (self.lower, self.upper) {
            (lower, INFINITY) => lower,
            (lower, upper) if lower == -INFINITY => upper,
            (lower, upper) => lower + (upper - lower) / 2,
        }
    }
}

/// Returns the next thresholds, above the lower and up to the upper bound. If little is known, they are `stride` apart.
pub(super) fn thresholds(bounds: Bounds, guess: i32, stride: i32, most: usize) -> Vec<i32> {
    let mut asked = Vec::with_capacity(most);
    let most = most as i32;
    let Bounds { lower, upper, .. } = bounds;
    let open = (lower == -INFINITY, upper == INFINITY);
    match open {
        // Place the thresholds around the guess.
        (true, true) => asked.extend((0..most).map(|at| guess + stride * (2 * at - most + 1) / 2)),
        // Double the distances from the bound.
        (false, true) => asked.extend((0..most).map(|at| lower + 1 + stride * ((1 << at) - 1))),
        (true, false) => {
            asked.extend((0..most).rev().map(|at| upper - stride * ((1 << at) - 1)));
        }
        (false, false) => {
            let width = upper - lower;
            let count = most.min(width);
            // Rounding down puts a single threshold in the middle.
            asked.extend((1..=count).map(|at| {
                let share = i64::from(width) * i64::from(at) / i64::from(count + 1);
                lower + (share as i32).max(at)
            }));
        }
    }
    asked.dedup();
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_lie_inside_the_bounds_and_close_in() {
        let bounds = |lower, upper| Bounds {
            lower,
            upper,
            best: 0,
        };
        let ask = |bounds, guess, most| thresholds(bounds, guess, 15, most);
        assert_eq!(ask(bounds(-INFINITY, INFINITY), 7, 1), [7]);
        assert_eq!(ask(bounds(-INFINITY, INFINITY), 0, 4), [-22, -7, 7, 22]);
        assert_eq!(ask(bounds(10, INFINITY), 0, 3), [11, 26, 56]);
        assert_eq!(ask(bounds(-INFINITY, 10), 0, 3), [-35, -5, 10]);
        for width in 1..200 {
            for most in 1..=8 {
                let asked = ask(bounds(5, 5 + width), 0, most);
                assert!(!asked.is_empty());
                assert!(asked.is_sorted_by(|a, b| a < b), "{asked:?}");
                assert!(asked[0] > 5 && asked[asked.len() - 1] <= 5 + width);
                if width <= most as i32 {
                    assert_eq!(asked.len() as i32, width, "all are asked");
                }
            }
        }
    }
}
