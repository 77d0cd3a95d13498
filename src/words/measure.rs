use serde::{Deserialize, Serialize};

/// The task of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Finds the value and best move of one position at a fixed depth.
    Search,
    /// Finds the value and best move of every position in a line of play.
    Game,
    /// Tallies N random games.
    Playouts,
    /// Chooses a move within a time or a number of iterations.
    Choose,
    /// Two techniques play against each other.
    Match,
    /// Counts the move sequences of exactly N plies.
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
    /// The cell was measured, and every answer is right.
    Ok,
    /// The answer in a sample differs from the reference, so no timing is reported.
    Mismatch,
    /// The cell was not run, because it was predicted to exceed its budget or the run's budget was spent.
    #[default]
    Skipped,
    /// The device does not support a required feature.
    Unsupported,
    /// The cell needs more memory than the device has.
    Memory,
    /// The kernel did not build.
    BuildFailed,
    /// The cell passed its deadline and was killed.
    Timeout,
    /// The cell's worker died.
    Crashed,
    /// Invalid input that should have been refused earlier, such as a missing kernel file or a wrong buffer length.
    Failed,
    /// The row contradicts its samples or its invocation. Only readers set this.
    Damaged,
    /// The cell is planned but not yet measured.
    Pending,
}

worded! { Status {
    Ok "ok" Mismatch "mismatch" Skipped "skipped" Unsupported "unsupported" Memory "memory"
    BuildFailed "build-failed" Timeout "timeout" Crashed "crashed" Failed "failed" Damaged "damaged"
    Pending "pending"
} }

/// Work that a technique counts while it answers, on host and device together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Positions entered, including the root.
    pub nodes: u64,
    /// Positions whose static or final value was used.
    pub leaves: u64,
    /// Random games finished.
    pub playouts: u64,
    /// Plies in those games.
    pub plies: u64,
}

impl Counters {
    /// Returns the counters for a search.
    pub fn of_search(nodes: u64, leaves: u64) -> Counters {
        Counters {
            nodes,
            leaves,
            ..Counters::default()
        }
    }

    /// Returns the counters for `count` positions that are all leaves.
    pub fn of_leaves(count: usize) -> Counters {
        Counters::of_search(count as u64, count as u64)
    }
}

/// Time per item, fs. This resolves rates above 10⁹ per second. `None` if `count` is 0.
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

/// A resource or limit of a technique on its device, with a name and a number. The name ends with its unit, if any.
pub type Resource = (String, u64);

/// Names of [`Resource`]s.
pub mod resource {
    /// Local memory per work-group of the technique's main kernel, bytes.
    pub const LOCAL: &str = "local-bytes";
    /// Private memory per work-item of that kernel, bytes, as reported by the driver.
    pub const PRIVATE: &str = "private-bytes";
    /// Buffers on the device, bytes.
    pub const GLOBAL: &str = "global-bytes";
    /// Number of work-items in a work-group.
    pub const GROUP: &str = "group";
    /// Largest work-group for the compiled kernel, as reported by the driver (NVIDIA reports 256, but 1,024 works).
    pub const GROUP_LIMIT: &str = "group-limit";
    /// Preferred multiple of the work-group size.
    pub const GROUP_MULTIPLE: &str = "group-multiple";
    /// Number of programs built from source during preparation.
    pub const BUILT: &str = "programs-built";
    /// Number of programs loaded from the cache during preparation.
    pub const CACHED: &str = "programs-cached";
    /// Median time to launch an empty kernel and read back one word, ns. It is a lower bound for any launch.
    pub const ROUND_TRIP: &str = "round-trip-ns";
    /// The longest launch in a sample, ns. Drivers of display GPUs kill launches that take seconds.
    pub const LONGEST_LAUNCH: &str = "longest-launch-ns";
    /// Maximum number of idle `table-search` workers that left launches of a sample early.
    pub const WORKERS_LEFT: &str = "idle-workers-left";
    /// Maximum number of playouts in one launch. Each takes a row of the texture.
    pub const ROWS: &str = "rows";
    /// Number of plies from a search tree's root to its deepest position; the maximum over a sample's trees.
    pub const TREE_DEPTH: &str = "tree-depth-plies";
    /// The share of useful steps among all steps in lanes that execute instructions together, in millionths.
    pub const SIMT_EFFICIENCY: &str = "simt-efficiency-ppm";
}

/// The time of a sample according to the device's events. The rest is host work. All zero for a CPU technique.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    /// Transfers from host to device, ns.
    pub upload_ns: u64,
    /// Time in which commands were enqueued but none was running, over launches and transfers, ns.
    pub queue_ns: u64,
    /// Time in which kernels were running, ns.
    pub kernel_ns: u64,
    /// Transfers from device to host, ns.
    pub download_ns: u64,
    /// Number of kernels launched.
    pub launches: u64,
    /// The longest launch, ns. A launch includes all kernels that the kernel enqueued.
    #[serde(default)]
    pub longest_launch_ns: u64,
    /// Number of idle `table-search` workers that left a launch before its end.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub workers_left: u64,
    /// Bytes sent to the device.
    pub bytes_up: u64,
    /// Bytes read from the device.
    pub bytes_down: u64,
    /// True if the timer is untrusted or too coarse. Times are then host times around blocking calls, or missing.
    pub untrusted: bool,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Parts {
    /// Returns the sum of the timed parts, ns.
    pub fn sum_ns(&self) -> u64 {
        self.upload_ns + self.queue_ns + self.kernel_ns + self.download_ns
    }
}
