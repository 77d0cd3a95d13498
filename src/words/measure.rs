use serde::{Deserialize, Serialize};

/// The task of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Value and best move of one position at a fixed depth.
    Search,
    /// Value and best move of every position of a line of play.
    Game,
    /// Tallies of N random games.
    Playouts,
    /// A move within a time or a number of iterations.
    Choose,
    /// Two techniques play each other.
    Match,
    /// The number of move sequences of exactly N plies.
    Perft,
}

worded! { Task {
    Search "search" Game "game" Playouts "playouts" Choose "choose" Match "match" Perft "perft"
} }

/// The final state of a cell.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Measured, and every answer is right.
    Ok,
    /// A sample's answer differs from the reference's: no timing is reported.
    Mismatch,
    /// Not run: predicted to exceed its budget, or the run's budget was spent.
    #[default]
    Skipped,
    /// The device lacks a required feature.
    Unsupported,
    /// The device has less memory than the cell needs.
    Memory,
    /// The kernel did not build.
    BuildFailed,
    /// It passed its deadline and was killed.
    Timeout,
    /// Its worker died.
    Crashed,
    /// Invalid input that should have been refused before: a missing kernel file, a buffer of the wrong length.
    Failed,
    /// Its row contradicts its samples or its invocation: set by readers only.
    Damaged,
    /// Planned and not yet measured.
    Pending,
}

worded! { Status {
    Ok "ok" Mismatch "mismatch" Skipped "skipped" Unsupported "unsupported" Memory "memory"
    BuildFailed "build-failed" Timeout "timeout" Crashed "crashed" Failed "failed" Damaged "damaged"
    Pending "pending"
} }

/// Work that a technique counts while it answers, host and device together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Positions entered, the root included.
    pub nodes: u64,
    /// Positions whose static or final value was used.
    pub leaves: u64,
    /// Random games finished.
    pub playouts: u64,
    /// Plies of those games.
    pub plies: u64,
}

impl Counters {
    /// Counters of a search.
    pub fn of_search(nodes: u64, leaves: u64) -> Counters {
        Counters {
            nodes,
            leaves,
            ..Counters::default()
        }
    }

    /// Counters of `count` positions, all of them leaves.
    pub fn of_leaves(count: usize) -> Counters {
        Counters::of_search(count as u64, count as u64)
    }
}

/// Time per thing, fs, which resolves rates above 10⁹ per second. `None` if `count` is 0.
pub fn cost_fs(total_ns: u64, count: u64) -> Option<u64> {
    const FS_IN_NS: u128 = 1_000_000;
    let each = u128::from(total_ns) * FS_IN_NS / u128::from(count.max(1));
    (count > 0).then(|| u64::try_from(each).unwrap_or(u64::MAX))
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.nodes += other.nodes;
        self.leaves += other.leaves;
        self.playouts += other.playouts;
        self.plies += other.plies;
    }
}

/// A technique's resource or limit on its device: name and whole number. The name ends in its unit, if any.
pub type Resource = (String, u64);

/// Names of [`Resource`]s.
pub mod resource {
    /// Local memory of a work-group of the technique's main kernel, bytes.
    pub const LOCAL: &str = "local-bytes";
    /// Private memory of a work-item of that kernel, bytes, as the driver reports it.
    pub const PRIVATE: &str = "private-bytes";
    /// Buffers on the device, bytes.
    pub const GLOBAL: &str = "global-bytes";
    /// Work-items in a work-group.
    pub const GROUP: &str = "group";
    /// Largest work-group of the compiled kernel, as the driver reports it (NVIDIA: 256, though 1,024 run).
    pub const GROUP_LIMIT: &str = "group-limit";
    /// Preferred multiple of the work-group size.
    pub const GROUP_MULTIPLE: &str = "group-multiple";
    /// Programs built from source during preparation.
    pub const BUILT: &str = "programs-built";
    /// Programs loaded from the cache during preparation.
    pub const CACHED: &str = "programs-cached";
    /// Median time to launch an empty kernel and read one word back, ns: a lower bound for any launch.
    pub const ROUND_TRIP: &str = "round-trip-ns";
    /// The longest launch of a sample, ns: drivers of display GPUs kill launches of seconds.
    pub const LONGEST_LAUNCH: &str = "longest-launch-ns";
    /// The most idle workers of `table-search` that left launches of a sample early.
    pub const WORKERS_LEFT: &str = "idle-workers-left";
    /// Limit of playouts in one launch; each takes a row of the texture.
    pub const ROWS: &str = "rows";
    /// Plies from the root of a search tree to its deepest position; the maximum over a sample's trees.
    pub const TREE_DEPTH: &str = "tree-depth-plies";
    /// The share of useful steps among all steps of lanes that share instructions, in millionths.
    pub const SIMT_EFFICIENCY: &str = "simt-efficiency-ppm";
}

/// A sample's time by the device's events; the rest is host work. All zero for a CPU technique.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    /// Transfers from host to device, ns.
    pub upload_ns: u64,
    /// Time with enqueued commands and none running, over launches and transfers, ns.
    pub queue_ns: u64,
    /// Running kernels, ns.
    pub kernel_ns: u64,
    /// Transfers from device to host, ns.
    pub download_ns: u64,
    /// Kernels launched.
    pub launches: u64,
    /// The longest launch, ns: a kernel with all that it enqueued.
    #[serde(default)]
    pub longest_launch_ns: u64,
    /// Idle workers of `table-search` that left a launch before its end.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub workers_left: u64,
    /// Bytes sent to the device.
    pub bytes_up: u64,
    /// Bytes read from the device.
    pub bytes_down: u64,
    /// True if the timer is untrusted or too coarse; times are then host times around blocking calls, or missing.
    pub untrusted: bool,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Parts {
    /// The sum of the timed parts, ns.
    pub fn sum_ns(&self) -> u64 {
        self.upload_ns + self.queue_ns + self.kernel_ns + self.download_ns
    }
}
