use serde::{Deserialize, Serialize};

use super::Params;

/// The task of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Finds the value and best move of one position at a fixed depth.
    Search,
    /// Finds the value and best move of every position in a line of play.
    Game,
    /// Plays N random games and tallies the results.
    Playouts,
    /// Chooses a move within a time or a number of iterations.
    Choose,
    /// Lets two techniques play against each other.
    Match,
    /// Counts the move sequences of exactly N plies.
    Perft,
}

worded! { Task {
    Search "search" Game "game" Playouts "playouts" Choose "choose" Match "match" Perft "perft"
} }

/// The state of a cell.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The cell was measured, and every answer is correct.
    Ok,
    /// A sample's answer differs from the reference, so no timing is reported.
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
    /// The cell exceeded its deadline, so its worker was killed.
    Timeout,
    /// The cell's worker died.
    Crashed,
    /// The input is invalid, for example because a kernel file is missing. It should have been refused earlier.
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

/// The work that a technique has done, counted on the host and the device together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Number of positions entered, including the root.
    pub nodes: u64,
    /// Number of positions that were scored by the static evaluation or by the result of the game.
    pub leaves: u64,
    /// Number of playouts finished.
    pub playouts: u64,
    /// Number of plies in all playouts.
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

/// Returns the time per item in femtoseconds, to resolve rates above 10⁹ per second. `None` if `count` is 0.
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

/// Name and amount of a resource that a technique uses, or of a device limit. The name ends with the unit, if any.
pub type Resource = (String, u64);

/// Names of [`Resource`]s.
pub mod resource {
    /// Local memory per work-group of the technique's main kernel, bytes.
    pub const LOCAL: &str = "local-bytes";
    /// Private memory per work-item of the main kernel, bytes, as reported by the driver.
    pub const PRIVATE: &str = "private-bytes";
    /// Total size of the buffers on the device, bytes.
    pub const GLOBAL: &str = "global-bytes";
    /// Number of work-items in a work-group.
    pub const GROUP: &str = "group";
    /// Largest work-group for the compiled kernel, as reported by the driver (NVIDIA reports 256, but 1,024 works).
    pub const GROUP_LIMIT: &str = "group-limit";
    /// Preferred work-group size multiple of the compiled kernel.
    pub const GROUP_MULTIPLE: &str = "group-multiple";
    /// Number of programs built from source during preparation.
    pub const BUILT: &str = "programs-built";
    /// Number of programs loaded from the cache during preparation.
    pub const CACHED: &str = "programs-cached";
    /// Median time to launch an empty kernel and read back one word, ns. It is a lower bound for any launch.
    pub const ROUND_TRIP: &str = "round-trip-ns";
    /// Time of the longest launch in a sample, ns. Drivers of display GPUs kill launches that take seconds.
    pub const LONGEST_LAUNCH: &str = "longest-launch-ns";
    /// Number of idle `table-search` workers that left the launches of a sample early; the maximum over the samples.
    pub const WORKERS_LEFT: &str = "idle-workers-left";
    /// Maximum number of playouts in one launch. Each playout uses a row of the texture.
    pub const ROWS: &str = "rows";
    /// Number of plies from a search tree's root to its deepest position; the maximum over a sample's trees.
    pub const TREE_DEPTH: &str = "tree-depth-plies";
    /// Share of useful steps among all steps of lanes in lockstep, in millionths.
    pub const SIMT_EFFICIENCY: &str = "simt-efficiency-ppm";
}

/// Time breakdown of a sample, from the device's events. The rest is host work. All zero for CPU techniques.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    /// Transfers from host to device, ns.
    pub upload_ns: u64,
    /// Time during which launches or transfers were enqueued but none was running, ns.
    pub queue_ns: u64,
    /// Time during which kernels were running, ns.
    pub kernel_ns: u64,
    /// Transfers from device to host, ns.
    pub download_ns: u64,
    /// Number of kernels launched.
    pub launches: u64,
    /// Time of the longest launch, ns. A launch includes all kernels that were enqueued on the device.
    #[serde(default)]
    pub longest_launch_ns: u64,
    /// Number of idle `table-search` workers that left a launch before its end.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub workers_left: u64,
    /// Number of bytes sent to the device.
    pub bytes_up: u64,
    /// Number of bytes read from the device.
    pub bytes_down: u64,
    /// Whether the timer is untrusted or too coarse. Times are then host times around blocking calls, or missing.
    pub untrusted: bool,
}

/// Returns true for 0. Serde omits such a field.
pub fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Parts {
    /// Returns the sum of the timed parts, ns.
    pub fn sum_ns(&self) -> u64 {
        self.upload_ns + self.queue_ns + self.kernel_ns + self.download_ns
    }
}

/// A property of a case, as `(axes it depends on, name, value)`: `("board=8x8", "branching-factor", 7.9)`.
pub type Fact = (String, String, f64);

/// Information that a technique reports besides its answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Telemetry {
    /// Time breakdown since the last request. All zero for host techniques.
    pub parts: Parts,
    /// Program build time, ns; 0 for host techniques.
    pub build_ns: u64,
    /// Choices that the technique made, for the row's notes: `group 64`.
    pub notes: String,
    /// The device resources that the technique uses.
    pub resources: Vec<Resource>,
    /// Facts about the case.
    pub facts: Vec<Fact>,
    /// Time for each position in the last sample, ns, in order. Empty unless positions are searched sequentially.
    pub positions_ns: Vec<u64>,
    /// For a hybrid technique, the numbers of positions that the host and the device answered since the last request.
    pub answered: Option<[u64; 2]>,
    /// Parameters that the technique chose for the device. The reference needs them to give the same answer.
    pub shape: Params,
}

impl Telemetry {
    /// Returns the telemetry of a host technique, which has only notes.
    pub fn noted(notes: String) -> Telemetry {
        Telemetry {
            notes,
            ..Telemetry::default()
        }
    }
}
