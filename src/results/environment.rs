use std::path::Path;

use serde::{Deserialize, Serialize};

use super::hash::of_json;
use super::{ENVIRONMENT, FORMAT, NO_DEVICE, ResultsError, Selection, write_atomically};
use crate::words::{Place, Timer};

/// The content of `environment.toml`: the host, devices, program and commands of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Environment {
    /// The program of the last invocation.
    pub program: Program,
    /// The host that ran the baselines, as the last invocation describes it.
    pub host: Host,
    /// The devices of all invocations. Each is described as in the last invocation that used it.
    pub devices: Vec<DeviceRecord>,
    /// The commands that measured or started to measure, oldest first. A resumed run has several.
    pub invocations: Vec<Invocation>,
}

impl Environment {
    /// Combines the descriptions in a folder's invocations.
    pub fn of(invocations: Vec<Invocation>) -> Environment {
        let mut environment = Environment::default();
        for invocation in &invocations {
            environment.program = invocation.program.clone();
            environment.host = invocation.host.clone();
            for device in &invocation.devices {
                let is_other = |known: &DeviceRecord| known.label != device.label;
                environment.devices.retain(is_other);
                environment.devices.push(device.clone());
            }
        }
        environment.invocations = invocations;
        environment
    }

    /// Returns the invocation with this id.
    pub fn invocation(&self, id: &str) -> Option<&Invocation> {
        self.invocations.iter().find(|known| known.id == id)
    }
}

/// An invocation of `bench run` that added samples. Ratios are computed only within an invocation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    /// SHA-256 of all other fields, first 16 hexadecimal digits. Rows contain it. It also detects edits of the entry.
    pub id: String,
    /// Start time, UTC, for example `2026-11-22T15:10:10.250Z`.
    pub utc: String,
    /// The experiment file, as given on the command line. An absolute path is reduced to the file name.
    #[serde(default)]
    pub config: String,
    /// The command's selection.
    #[serde(default)]
    pub selection: Selection,
    /// Id shared by both invocations of a `bench compare --programs`, whose passes were sampled alternately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<String>,
    /// The machine's pseudonym in its cluster, for example `node-3f2a`, from a hash of its name. Only shards have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The program.
    pub program: Program,
    /// The host that ran the baselines.
    pub host: Host,
    /// The devices, in the order of the run.
    #[serde(default, rename = "device")]
    pub devices: Vec<DeviceRecord>,
    /// The host's other devices, if a technique that uses several devices may have used them.
    #[serde(default, rename = "beside", skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<DeviceRecord>,
}

impl Invocation {
    /// Fills in the entry's id.
    pub fn with_id(mut self) -> Invocation {
        self.id = self.hash();
        self
    }

    /// True if the id matches the other fields.
    pub fn is_intact(&self) -> bool {
        self.id == self.hash()
    }

    fn hash(&self) -> String {
        let rest = Invocation {
            id: String::new(),
            ..self.clone()
        };
        of_json(&rest)
    }
}

/// The program that measured a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Version, for example `0.1.0`.
    pub version: String,
    /// Git revision, with `-dirty` if sources were changed. `unknown` outside a checkout.
    pub revision: String,
    /// SHA-256 of `Cargo.lock`, `Cargo.toml` and the sources that affect a measurement, first 16 digits.
    pub source_hash: String,
    /// SHA-256 of the kernels under `cl`, or of the folder given by `--kernels`, first 16 digits.
    pub kernel_hash: String,
    /// Processor features for which the baselines were compiled. For `native` builds, this lists all features.
    pub compiled_for: String,
    /// Useful features of the host's processor for which the baselines were not compiled.
    #[serde(default)]
    pub compiled_without: String,
    /// Build profile and optimisation level, for example `release 3`.
    #[serde(default)]
    pub profile: String,
    /// SHA-256 of the executable, first 16 digits.
    #[serde(default)]
    pub binary_hash: String,
}

/// The host of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Processor model, as reported by the system.
    pub cpu: String,
    /// Number of logical processors.
    pub logical_cpus: usize,
    /// Number of threads that the parallel baselines use.
    pub threads: usize,
    /// Size of memory, bytes.
    pub memory_bytes: u64,
    /// Operating system and version.
    pub os: String,
    /// Kernel version.
    pub kernel: String,
}

impl Host {
    /// Returns the memory size in GiB, for keys. The exact size varies between boots.
    pub fn memory_gib(&self) -> u64 {
        const GIB: u64 = 1 << 30;
        (self.memory_bytes + GIB / 2) / GIB
    }
}

/// One OpenCL device in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// The label in rows: the device's name, with a number if several devices share the name.
    pub label: String,
    /// UUID and PCI address, or the index in the driver's list of devices. Unique on its host.
    #[serde(default)]
    pub address: String,
    /// Platform name.
    pub platform: String,
    /// Platform version.
    pub platform_version: String,
    /// Device name.
    pub name: String,
    /// Vendor.
    pub vendor: String,
    /// One of `cpu`, `gpu`, `accelerator` and `custom`.
    pub kind: String,
    /// Driver version.
    pub driver: String,
    /// The device's OpenCL version.
    pub version: String,
    /// OpenCL C version.
    pub c_version: String,
    /// Number of compute units.
    pub compute_units: u32,
    /// Clock frequency, MHz.
    pub clock_mhz: u32,
    /// Size of global memory, bytes.
    pub global_memory_bytes: u64,
    /// Maximum size of a buffer, bytes.
    pub max_allocation_bytes: u64,
    /// Size of local memory, bytes.
    pub local_memory_bytes: u64,
    /// Maximum number of work-items in a work-group.
    pub max_work_group: usize,
    /// Preferred work-group multiple of a small kernel.
    pub preferred_multiple: usize,
    /// True if the device supports images.
    pub images: bool,
    /// True if kernels may enqueue kernels.
    pub device_enqueue: bool,
    /// Verdict on the device's timer.
    pub timer: Timer,
    /// Quirks of this implementation, with workarounds and reasons.
    #[serde(default)]
    pub quirks: Vec<String>,
}

impl DeviceRecord {
    /// Returns a record for a device technique without a device, so that its key differs from a host technique's.
    pub fn none() -> DeviceRecord {
        DeviceRecord {
            name: NO_DEVICE.to_owned(),
            ..DeviceRecord::default()
        }
    }

    /// Returns the fields that determine which devices share a sample.
    pub fn place(&self) -> Place<'_> {
        Place {
            platform: &self.platform,
            name: &self.name,
            label: &self.label,
            address: &self.address,
        }
    }
}

/// The content of the file. Only the first write includes the format.
#[derive(Serialize, Deserialize)]
struct File {
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<u32>,
    #[serde(default, rename = "invocation")]
    invocations: Vec<Invocation>,
}

/// Reads a folder's `environment.toml`. Fails if the file is unreadable, damaged or in another format.
pub fn read_environment(folder: &Path) -> Result<Environment, ResultsError> {
    let path = folder.join(ENVIRONMENT);
    let text = crate::words::read_text(&path).map_err(ResultsError::io("read", &path))?;
    let damaged = |error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = 1 + before.map_or(0, |text| text.matches('\n').count() as u64);
        let problem = error.message().lines().collect::<Vec<_>>().join("; ");
        ResultsError::line(&path, line, problem)
    };
    let table: toml::Table = toml::from_str(&text).map_err(damaged)?;
    let found = table.get("format").and_then(toml::Value::as_integer);
    let found = found.unwrap_or_default();
    if found != i64::from(FORMAT) {
        let ours = format!("this program reads and writes format {FORMAT}");
        let problem = format!("run folder format {found}; {ours}: use --fresh or another folder");
        return Err(ResultsError::new(&path, problem));
    }
    let file: File = toml::from_str(&text).map_err(damaged)?;
    Ok(Environment::of(file.invocations))
}

/// Adds invocations to `environment.toml`. Existing text stays unchanged.
pub(super) fn add_invocations(
    folder: &Path,
    invocations: &[Invocation],
) -> Result<(), ResultsError> {
    let path = folder.join(ENVIRONMENT);
    let is_new = !path.exists();
    let mut text = String::new();
    if !is_new {
        read_environment(folder)?;
        text = std::fs::read_to_string(&path).map_err(ResultsError::io("read", &path))?;
        text.push('\n');
    }
    let entry = File {
        format: is_new.then_some(FORMAT),
        invocations: invocations.to_vec(),
    };
    text += &toml::to_string(&entry).map_err(ResultsError::io("written", &path))?;
    write_atomically(&path, text.as_bytes())
}
