use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::hash::hexadecimal;
use super::{ENVIRONMENT, FORMAT, ResultsError, write_atomically};
use super::{Given, older};
use crate::words::{Place, Timer, shell_line};

/// `environment.toml`: where and with what a run was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Environment {
    /// Version of the run folder's format: [`FORMAT`] or the one before it.
    pub format: u32,
    /// The program of the last invocation.
    pub program: Program,
    /// The machine whose processor ran the baselines, as the last invocation found it.
    pub host: Host,
    /// The devices of all invocations, each as the last that used it found it.
    pub devices: Vec<DeviceRecord>,
    /// The commands that made it, oldest first; a resumed run has more than one.
    pub commands: Vec<String>,
    /// What added samples to the folder, oldest first. Empty in a folder of format 1, which does not
    /// tell which command took which sample.
    pub invocations: Vec<Invocation>,
}

impl Environment {
    /// The environment of a folder that these invocations made.
    pub fn of(invocations: Vec<Invocation>) -> Environment {
        let mut environment = Environment {
            format: FORMAT,
            ..Environment::default()
        };
        for invocation in &invocations {
            environment.program = invocation.program.clone();
            environment.host = invocation.host.clone();
            for device in &invocation.devices {
                let is_other = |known: &DeviceRecord| known.label != device.label;
                environment.devices.retain(is_other);
                environment.devices.push(device.clone());
            }
            environment.commands.push(invocation.command.clone());
        }
        environment.invocations = invocations;
        environment
    }

    /// What each of the commands was given.
    pub fn given(&self) -> Vec<Given> {
        let commands = self.commands.iter().enumerate();
        commands
            .map(|(at, command)| match self.invocations.get(at) {
                Some(invocation) => invocation.given(),
                None => older::given(command),
            })
            .collect()
    }

    /// The invocation of an id.
    pub fn invocation(&self, id: &str) -> Option<&Invocation> {
        self.invocations.iter().find(|known| known.id == id)
    }
}

/// One start of `bench run` that added samples to a folder. Ratios are made within one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    /// SHA-256 of everything below, the first 16 hexadecimal digits: rows carry it, and an entry that
    /// was edited has another.
    pub id: String,
    /// When it began, UTC: `2026-11-22T15:10:10.250Z`.
    pub utc: String,
    /// The command, as a line for the shell.
    pub command: String,
    /// What the command was given, as values; `None` in older entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Given>,
    /// The experiment's file, as the command names it.
    #[serde(default)]
    pub config: String,
    /// Id that the two invocations of a `bench compare --programs` share: their passes were sampled in the same
    /// minutes, turn by turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<String>,
    /// The part of the experiment that it was asked for, `2/3`; none: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The machine's name in its cluster. Only shards record it; other invocations do not reveal where they were
    /// made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The program.
    pub program: Program,
    /// The machine whose processor ran the baselines.
    pub host: Host,
    /// The devices, in the order of the run.
    #[serde(default, rename = "device")]
    pub devices: Vec<DeviceRecord>,
    /// The host's other devices, where techniques on several devices may have used them.
    #[serde(default, rename = "beside", skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<DeviceRecord>,
}

impl Invocation {
    /// An entry with a command; all other fields are empty.
    pub fn of(given: Given) -> Invocation {
        let words = [vec!["bench".to_owned()], given.words(|_| true)].concat();
        Invocation {
            command: shell_line(&words),
            given: Some(given),
            ..Invocation::default()
        }
    }

    /// The arguments and options of its command; in older entries, parsed from the command line.
    pub fn given(&self) -> Given {
        let given = self.given.clone();
        given.unwrap_or_else(|| older::given(&self.command))
    }

    /// The entry with its id.
    pub fn with_id(mut self) -> Invocation {
        self.id = self.hash();
        self
    }

    /// Whether the entry is as it was written.
    pub fn is_intact(&self) -> bool {
        self.id == self.hash()
    }

    fn hash(&self) -> String {
        let rest = Invocation {
            id: String::new(),
            ..self.clone()
        };
        let json = serde_json::to_vec(&rest).expect("texts, numbers and lists have a JSON form");
        hexadecimal(&Sha256::digest(json))
    }
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
    /// Features that matter to the baselines and that the host's processor has, but that the baselines were compiled
    /// without; empty if the build fits the host.
    #[serde(default)]
    pub compiled_without: String,
    /// Build profile and its optimisation level: `release 3`. Empty in folders of format 1.
    #[serde(default)]
    pub profile: String,
    /// SHA-256 of the program's file, first 16 digits. Empty in folders of format 1.
    #[serde(default)]
    pub binary_hash: String,
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

impl Host {
    /// Memory, GiB, as keys have it: systems keep a little more or less of it for themselves at each
    /// start.
    pub fn memory_gib(&self) -> u64 {
        const GIB: u64 = 1 << 30;
        (self.memory_bytes + GIB / 2) / GIB
    }
}

/// One OpenCL device of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// The label in the rows: the device's name, with a number where two are alike.
    pub label: String,
    /// Distinguishes it from a device of the same model in the same host: UUID and PCI address if the driver has
    /// them, else its index in the driver's list. Empty in folders of format 1.
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
    pub timer: Timer,
    /// Quirks of this implementation that were worked around, with the reason.
    #[serde(default)]
    pub quirks: Vec<String>,
}

impl DeviceRecord {
    /// What devices that share samples are chosen by.
    pub fn place(&self) -> Place<'_> {
        Place {
            platform: &self.platform,
            name: &self.name,
            label: &self.label,
            address: &self.address,
        }
    }
}

/// The file of format 1, which knew its last program and host, and no invocation.
#[derive(Deserialize)]
struct First {
    program: Program,
    host: Host,
    #[serde(default, rename = "device")]
    devices: Vec<DeviceRecord>,
    #[serde(default)]
    commands: Vec<String>,
}

/// The file of today's format.
#[derive(Serialize, Deserialize)]
struct File {
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<u32>,
    #[serde(default, rename = "invocation")]
    invocations: Vec<Invocation>,
}

/// `environment.toml` of a run folder, its format checked first: of another version's file
/// nothing else can be trusted.
///
/// # Errors
///
/// Where it cannot be read, is damaged or of another format.
pub fn read_environment(folder: &Path) -> Result<Environment, ResultsError> {
    let path = folder.join(ENVIRONMENT);
    let text = crate::words::read_text(&path).map_err(ResultsError::io("read", &path))?;
    let damaged = |error: toml::de::Error| {
        let line = error.span().map_or(1, |span| {
            1 + text
                .bytes()
                .take(span.start)
                .filter(|&byte| byte == b'\n')
                .count() as u64
        });
        let problem = error.message().lines().collect::<Vec<_>>().join("; ");
        ResultsError::Line {
            path: path.clone(),
            line,
            problem,
        }
    };
    let table: toml::Table = toml::from_str(&text).map_err(damaged)?;
    let found = table.get("format").and_then(toml::Value::as_integer);
    match found.unwrap_or_default() {
        1 => {
            let first: First = toml::from_str(&text).map_err(damaged)?;
            Ok(Environment {
                format: 1,
                program: first.program,
                host: first.host,
                devices: first.devices,
                commands: first.commands,
                invocations: Vec::new(),
            })
        }
        found if found == i64::from(FORMAT) => {
            let file: File = toml::from_str(&text).map_err(damaged)?;
            Ok(Environment::of(file.invocations))
        }
        found => Err(ResultsError::Format {
            path,
            found,
            expected: FORMAT,
        }),
    }
}

/// Adds invocations to a folder's `environment.toml`, which is made where there is none. What stands
/// there stays, to the byte; a file of format 1 is replaced.
///
/// # Errors
///
/// Where it cannot be read, is damaged, or cannot be written.
pub(super) fn add_invocations(
    folder: &Path,
    invocations: &[Invocation],
) -> Result<(), ResultsError> {
    let path = folder.join(ENVIRONMENT);
    let goes_on = path.exists() && read_environment(folder)?.format == FORMAT;
    let mut text = match goes_on {
        true => std::fs::read_to_string(&path).map_err(ResultsError::io("read", &path))?,
        false => String::new(),
    };
    if goes_on && !text.ends_with("\n\n") {
        text.push('\n');
    }
    let entry = File {
        format: (!goes_on).then_some(FORMAT),
        invocations: invocations.to_vec(),
    };
    let entry = toml::to_string(&entry).map_err(|error| {
        ResultsError::io("written", &path)(std::io::Error::other(error.to_string()))
    })?;
    text.push_str(&entry);
    write_atomically(&path, text.as_bytes())
}
