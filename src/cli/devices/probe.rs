//! A child process describes devices, as a driver may crash or hang.
//!
//! If it dies, each entry of the loader gets a child: a bad driver then hides no other, and drivers that conflict when
//! loaded together work. Without several entries, the platforms before the failed one stay.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::harness::channel::{self, ChildChannel, RecvError};
use crate::opencl::{self, Alone, NoDevices, Probed};

/// Timeout of a child process that describes devices.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Said {
    Platforms(usize),
    Device(Box<Probed>),
    PlatformEnded,
    Nothing(NoDevices),
    End,
}

/// A loader's entry for a driver: an `.icd` file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    file: PathBuf,
    library: String,
}

impl Entry {
    /// The entries that this process's loader reads, sorted by path.
    fn all() -> Vec<Entry> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = variable("OCL_ICD_VENDORS").or_else(|| variable("OPENCL_VENDOR_PATH"));
        Entry::below(Path::new(&folder.unwrap_or("/etc/OpenCL/vendors".into())))
    }

    fn below(folder: &Path) -> Vec<Entry> {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files = files.map(|file| file.path());
        let files = files.filter(|file| file.extension().is_some_and(|end| end == "icd"));
        let entries = files.filter_map(|file| {
            let text = std::fs::read_to_string(&file).ok()?;
            Some(Entry {
                library: text.lines().next()?.trim().to_owned(),
                file: std::path::absolute(file).ok()?,
            })
        });
        let mut entries: Vec<Entry> = entries.collect();
        entries.sort_by(|one, other| one.file.cmp(&other.file));
        entries
    }

    /// Restricts a loader to this driver. ocl-icd takes a file as `OCL_ICD_VENDORS`; the Khronos loader a library.
    fn environment(&self) -> Vec<(String, String)> {
        let (file, library) = (self.file.display().to_string(), self.library.clone());
        let names = ["OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"].map(str::to_owned);
        names.into_iter().zip([file, library]).collect()
    }
}

/// Why there are no devices to choose from.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The child could not be started.
    #[error("cannot start {program} to look for devices: {error}")]
    Start {
        /// This program.
        program: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// No platform, or no device.
    #[error(transparent)]
    NoDevices(#[from] NoDevices),
    /// The loader or the drivers failed before the first device was known.
    #[error("looking for OpenCL devices failed: {0}")]
    Failed(String),
}

/// Describes the devices of all platforms to the parent process.
pub fn describe_to_parent() -> io::Result<()> {
    let mut parent = channel::to_parent()?;
    describe(&mut |said| channel::send(&mut parent, said))
}

fn describe(say: &mut dyn FnMut(&Said) -> io::Result<()>) -> io::Result<()> {
    match opencl::platform_count() {
        Err(none) => say(&Said::Nothing(none))?,
        Ok(count) => {
            say(&Said::Platforms(count))?;
            for index in 0..count {
                match opencl::list_platform(index) {
                    Ok(devices) => {
                        for info in devices {
                            say(&Said::Device(Box::new(opencl::probe(info))))?;
                        }
                    }
                    Err(none) => say(&Said::Nothing(none))?,
                }
                say(&Said::PlatformEnded)?;
            }
        }
    }
    say(&Said::End)
}

/// Every device that opens or can be described. `program worker --probe` must be [`describe_to_parent`].
pub fn probe(program: &Path) -> Result<Vec<Probed>, ProbeError> {
    probe_entries(program, PATIENCE, &Entry::all())
}

fn probe_entries(
    program: &Path,
    patience: Duration,
    entries: &[Entry],
) -> Result<Vec<Probed>, ProbeError> {
    let whole = ask(program, patience, Vec::new())?;
    let mut survey = Survey::default();
    match (&whole.failure, entries) {
        (Some(why), [_, _, ..]) => {
            for entry in entries {
                // The loader loads no other.
                let heard = ask(program, patience, entry.environment())?;
                survey.add_entry(entry, heard);
            }
            survey.name_the_remedy(entries, why);
        }
        (Some(why), _) if whole.platforms.is_none() => {
            return Err(ProbeError::Failed(why.clone()));
        }
        _ => survey.add(whole),
    }
    survey.result()
}

#[derive(Default)]
struct Survey {
    devices: Vec<Probed>,
    platforms: usize,
    nothing: Vec<NoDevices>,
    failures: Vec<String>,
    /// Entries with devices that did not fail.
    good: Vec<PathBuf>,
}

impl Survey {
    /// Adds a child's messages; if it failed, its current platform is given up.
    fn add(&mut self, heard: Heard) {
        self.devices.extend(heard.devices);
        self.nothing.extend(heard.nothing);
        self.platforms += heard.platforms_ended;
        if let Some(why) = heard.failure {
            let failure = format!("OpenCL platform {}: {why}", self.platforms);
            self.failures.push(failure);
        }
    }

    /// Adds the messages of an entry's child. Its platforms follow those of earlier entries.
    fn add_entry(&mut self, entry: &Entry, heard: Heard) {
        let has_some = !heard.devices.is_empty();
        for mut device in heard.devices {
            device.alone = Some(Alone {
                platform_index: device.info.platform_index,
                environment: entry.environment(),
            });
            device.info.platform_index += self.platforms;
            self.devices.push(device);
        }
        self.nothing.extend(heard.nothing);
        self.platforms += heard.platforms.unwrap_or(0);
        if let Some(why) = heard.failure {
            let failure = format!("{}: {why}", entry.file.display());
            self.failures.push(failure);
        } else if has_some {
            self.good.push(entry.file.clone());
        }
    }

    fn name_the_remedy(&mut self, entries: &[Entry], why: &str) {
        let Some(good) = self.good.first().map(|file| file.display()) else {
            return;
        };
        for failure in &mut self.failures {
            *failure += ". Remove this file, or choose a good one with OCL_ICD_VENDORS=";
            *failure += &good.to_string();
        }
        if self.failures.is_empty() {
            let files = entries.iter().map(|entry| entry.file.display().to_string());
            let files = files.collect::<Vec<_>>().join(", ");
            eprintln!(
                "bench: these drivers fail in one process, and each gets a process of its own: {files}: {why}"
            );
        }
    }

    fn result(mut self) -> Result<Vec<Probed>, ProbeError> {
        let is_unusable = |none: &NoDevices| matches!(none, NoDevices::Unusable(_));
        let (mut unusable, others) = self.nothing.into_iter().partition::<Vec<_>, _>(is_unusable);
        if !self.devices.is_empty() {
            let unusable = unusable.into_iter().filter_map(why);
            for why in self.failures.into_iter().chain(unusable) {
                eprintln!("bench: left out: {why}");
            }
            // The first entry of a device counts: devices that open come first.
            let mut devices: Vec<&mut Probed> = self.devices.iter_mut().collect();
            devices.sort_by_key(|device| device.fault.is_some());
            opencl::number_labels(devices.into_iter().map(|device| &mut device.info));
            return Ok(self.devices);
        }
        if !self.failures.is_empty() {
            return Err(ProbeError::Failed(self.failures.join("; ")));
        }
        if !unusable.is_empty() {
            return Err(unusable.swap_remove(0).into());
        }
        let reasons: Vec<String> = others.into_iter().filter_map(why).collect();
        Err(ProbeError::NoDevices(match reasons.is_empty() {
            true => NoDevices::NoPlatform,
            false => NoDevices::NoDevice(reasons.join(", ")),
        }))
    }
}

fn why(none: NoDevices) -> Option<String> {
    match none {
        NoDevices::NoPlatform => None,
        NoDevices::NoDevice(why) | NoDevices::Unusable(why) => Some(why),
    }
}

/// A child's messages.
#[derive(Default)]
struct Heard {
    platforms: Option<usize>,
    platforms_ended: usize,
    devices: Vec<Probed>,
    nothing: Vec<NoDevices>,
    /// Why it did not finish.
    failure: Option<String>,
}

/// Asks a child with these environment variables.
fn ask(
    program: &Path,
    patience: Duration,
    environment: Vec<(String, String)>,
) -> Result<Heard, ProbeError> {
    let started = Instant::now();
    let mut command = Command::new(program);
    command.args(["worker", "--probe"]).envs(environment);
    let mut child = ChildChannel::start(&mut command).map_err(|error| ProbeError::Start {
        program: program.display().to_string(),
        error,
    })?;
    let mut heard = Heard::default();
    heard.failure = loop {
        // Drivers crash and hang in their exit handlers too: a finished child is killed.
        let object = match child.recv(patience.saturating_sub(started.elapsed())) {
            Ok(object) => object,
            Err(RecvError::Late) => {
                let seconds = patience.as_secs_f32();
                break Some(format!("its driver did not answer within {seconds} s"));
            }
            Err(RecvError::Ended(how)) => {
                break Some(format!("its driver ended the process ({how})"));
            }
        };
        match serde_json::from_str(&object) {
            Ok(Said::Platforms(count)) => heard.platforms = Some(count),
            Ok(Said::Device(device)) => heard.devices.push(*device),
            Ok(Said::PlatformEnded) => heard.platforms_ended += 1,
            Ok(Said::Nothing(none)) => heard.nothing.push(none),
            Ok(Said::End) => break None,
            Err(error) => break Some(channel::unreadable(&error)),
        }
    };
    Ok(heard)
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
