use serde::{Deserialize, Serialize};

/// `environment.toml`: where and with what a run was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Version of the run folder's format. Another one is refused by name.
    pub format: u32,
    /// The program.
    pub program: Program,
    /// The machine whose processor ran the baselines.
    pub host: Host,
    /// The devices, in the order of the run.
    #[serde(default, rename = "device")]
    pub devices: Vec<DeviceRecord>,
    /// The commands that made it, oldest first; a resumed run has more than one.
    #[serde(default)]
    pub commands: Vec<String>,
}

/// The program that made a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// `0.1.0`.
    pub version: String,
    /// Git revision, `-dirty` appended where the tree was; `unknown` outside a checkout.
    pub revision: String,
    /// SHA-256 of the files under `src` that decide what a cell measures, `Cargo.lock` and `Cargo.toml`,
    /// first 16 digits: all but the command line, the reading of experiments, peaks, run folders and reports.
    pub source_hash: String,
    /// SHA-256 of the techniques' kernels under `cl`, first 16 digits; of the overriding folder's where
    /// `--kernels` named one.
    pub kernel_hash: String,
    /// Processor features that the baselines were compiled for, `native` builds name them all.
    pub compiled_for: String,
}

/// The host of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Processor model, as the system names it.
    pub cpu: String,
    /// Logical processors.
    pub logical_cpus: usize,
    /// Threads that the parallel baselines used.
    pub threads: usize,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Operating system and version.
    pub os: String,
    /// Kernel version.
    pub kernel: String,
}

/// One OpenCL device of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// The label in the rows: the device's name, with a number where two are alike.
    pub label: String,
    /// Platform name.
    pub platform: String,
    /// Platform version.
    pub platform_version: String,
    /// Device name.
    pub name: String,
    /// Vendor.
    pub vendor: String,
    /// `cpu`, `gpu`, `accelerator`, `custom`.
    pub kind: String,
    /// Driver version.
    pub driver: String,
    /// OpenCL version of the device.
    pub version: String,
    /// OpenCL C version.
    pub c_version: String,
    /// Compute units.
    pub compute_units: u32,
    /// Clock, MHz.
    pub clock_mhz: u32,
    /// Global memory, bytes.
    pub global_memory_bytes: u64,
    /// Largest buffer, bytes.
    pub max_allocation_bytes: u64,
    /// Local memory, bytes.
    pub local_memory_bytes: u64,
    /// Largest work-group.
    pub max_work_group: usize,
    /// Preferred work-group multiple of a small kernel.
    pub preferred_multiple: usize,
    /// Whether images are there.
    pub images: bool,
    /// Whether kernels may enqueue kernels.
    pub device_enqueue: bool,
    /// Verdict on the timer.
    pub timer: String,
    /// Quirks of this implementation that were worked around, with the reason.
    #[serde(default)]
    pub quirks: Vec<String>,
}
