use std::fmt;

use serde::{Deserialize, Serialize};

/// What is asked of a technique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Value and best move of one position at a fixed depth.
    Search,
    /// The same for every position of a line of play.
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

impl Task {
    /// Every task, in the order of the help text.
    pub const ALL: [Task; 6] = [
        Task::Search,
        Task::Game,
        Task::Playouts,
        Task::Choose,
        Task::Match,
        Task::Perft,
    ];

    /// The word in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Task::Search => "search",
            Task::Game => "game",
            Task::Playouts => "playouts",
            Task::Choose => "choose",
            Task::Match => "match",
            Task::Perft => "perft",
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Measured, every answer right.
    Ok,
    /// A sample's answer differed from the reference's: no timing is reported.
    Mismatch,
    /// It was predicted to break its budget, or the budget was spent before its turn.
    Skipped,
    /// The device lacks what the technique needs.
    Unsupported,
    /// The device has less memory than the cell needs.
    Memory,
    /// The kernel did not build.
    BuildFailed,
    /// It passed its deadline and was killed.
    Timeout,
    /// Its worker died.
    Crashed,
    /// What it was asked with makes no sense, and should have been refused before: a kernel file that is
    /// missing, a buffer of the wrong length.
    Failed,
    /// Its row in the folder does not agree with its samples or its invocation: only readers say so.
    Damaged,
}

impl Status {
    /// The word in files and reports.
    pub fn word(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Mismatch => "mismatch",
            Status::Skipped => "skipped",
            Status::Unsupported => "unsupported",
            Status::Memory => "memory",
            Status::BuildFailed => "build-failed",
            Status::Timeout => "timeout",
            Status::Crashed => "crashed",
            Status::Failed => "failed",
            Status::Damaged => "damaged",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Work that a technique counts while it answers, on host and device together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Of so many positions, each of them a leaf.
    pub fn of_leaves(count: usize) -> Counters {
        Counters {
            nodes: count as u64,
            leaves: count as u64,
            ..Counters::default()
        }
    }
}

/// What one of `count` things cost in a sample of so many ns, fs: fine enough for thousands of
/// millions a second. `None` where there were none.
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

/// What a technique takes of its device, or its device gives it: `(name, whole number)`. The names end
/// in their unit where they have one; [`resource`] has those that reports know.
pub type Resource = (String, u64);

/// Names of [`Resource`]s.
pub mod resource {
    /// Local memory of a work-group of the technique's main kernel, bytes.
    pub const LOCAL: &str = "local-bytes";
    /// Private memory of one of its work-items, bytes, as the driver claims.
    pub const PRIVATE: &str = "private-bytes";
    /// Buffers on the device, bytes.
    pub const GLOBAL: &str = "global-bytes";
    /// Work-items in a work-group.
    pub const GROUP: &str = "group";
    /// The most that the compiled kernel takes, as the driver claims: NVIDIA says 256 of kernels that
    /// run in groups of 1024.
    pub const GROUP_LIMIT: &str = "group-limit";
    /// The device works best with multiples of this.
    pub const GROUP_MULTIPLE: &str = "group-multiple";
    /// Programs that were built from their source when the technique was made ready.
    pub const BUILT: &str = "programs-built";
    /// Programs that were taken from the cache then.
    pub const CACHED: &str = "programs-cached";
    /// What the device takes to start an empty kernel and give a word back, ns, median: no technique
    /// with a launch is faster on it.
    pub const ROUND_TRIP: &str = "round-trip-ns";
    /// Playouts of one launch at the most, a row of the texture each.
    pub const ROWS: &str = "rows";
    /// Plies from the root of a search tree to its deepest position, the deepest of a sample's trees.
    pub const TREE_DEPTH: &str = "tree-depth-plies";
    /// The share of all steps of the lanes that share instructions in which they had something to do, in
    /// millionths: plies of a playout, nodes of a search.
    pub const SIMT_EFFICIENCY: &str = "simt-efficiency-ppm";
}

/// Where a sample's time went, as the device's events tell it. All zero for a CPU technique.
///
/// What is left of the sample's whole time is the host's own work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    /// Host to device, ns.
    pub upload_ns: u64,
    /// From enqueued to started, over all launches and transfers, less what ran meanwhile, ns.
    pub queue_ns: u64,
    /// Kernels running, ns.
    pub kernel_ns: u64,
    /// Device to host, ns.
    pub download_ns: u64,
    /// Kernels launched.
    pub launches: u64,
    /// Bytes to the device.
    pub bytes_up: u64,
    /// Bytes from the device.
    pub bytes_down: u64,
    /// Whether the device's timer could not be trusted, so that these are wall-clock times
    /// around blocking calls, or missing.
    pub untrusted: bool,
}

impl Parts {
    /// The sum of all timed parts, ns.
    pub fn sum_ns(&self) -> u64 {
        self.upload_ns + self.queue_ns + self.kernel_ns + self.download_ns
    }
}
