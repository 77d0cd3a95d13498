//! Describes devices in a child process, because a driver may crash or hang.
//!
//! If the child dies, each loader entry gets a separate child. A bad driver then does not hide the others, and
//! conflicting drivers still work. A single entry is not retried. The platforms before the failure are kept.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::cli::check::entries;
use crate::harness::channel::{self, ChildChannel, RecvError};
use crate::opencl::{self, Alone, NoDevices, Probed};

/// Timeout for a child process that describes devices.
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

/// A loader entry for a driver: an `.icd` file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    file: PathBuf,
    library: String,
}

impl Entry {
    /// Returns the entries that this process's loader reads, sorted by path.
    fn all() -> Vec<Entry> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = variable("OCL_ICD_VENDORS").or_else(|| variable("OPENCL_VENDOR_PATH"));
        Entry::below(Path::new(&folder.unwrap_or("/etc/OpenCL/vendors".into())))
    }

    fn below(folder: &Path) -> Vec<Entry> {
        let files = entries(folder).into_iter();
        let files = files.filter(|file| file.extension().is_some_and(|it| it == "icd"));
        let entries = files.filter_map(|file| {
            let text = std::fs::read_to_string(&file).ok()?;
            Some(Entry {
                library: text.lines().next()?.trim().to_owned(),
                file: std::path::absolute(file).ok()?,
            })
        });
        entries.collect()
    }

    /// Returns the variables that restrict a loader, ocl-icd or the Khronos loader, to this driver.
    fn environment(&self) -> Vec<(String, String)> {
        let (file, library) = (self.file.display().to_string(), self.library.clone());
        let names = ["OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"].map(str::to_owned);
        names.into_iter().zip([file, library]).collect()
    }
}

/// The reason why no device can be chosen.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The child could not be started. Holds the program and the system's error.
    #[error("cannot start {0} to look for devices: {1}")]
    Start(String, io::Error),
    /// There is no platform or no device.
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
    let count = opencl::platform_count();
    say(&count.clone().map_or_else(Said::Nothing, Said::Platforms))?;
    for index in 0..count.unwrap_or(0) {
        match opencl::list_platform(index) {
            Err(none) => say(&Said::Nothing(none))?,
            Ok(devices) => devices
                .into_iter()
                .try_for_each(|info| say(&Said::Device(Box::new(opencl::probe(info)))))?,
        }
        say(&Said::PlatformEnded)?;
    }
    say(&Said::End)
}

/// Returns every device that opens or can be described. `program worker --probe` must call [`describe_to_parent`].
pub fn probe(program: &Path) -> Result<Vec<Probed>, ProbeError> {
    probe_entries(program, PATIENCE, &Entry::all())
}

fn probe_entries(
    program: &Path,
    patience: Duration,
    entries: &[Entry],
) -> Result<Vec<Probed>, ProbeError> {
    let mut survey = Survey::default();
    let failure = survey.ask(program, patience, None)?;
    if let (Some(why), [_, _, ..]) = (failure, entries) {
        survey = Survey::default();
        for entry in entries {
            // This child loads only the driver of `entry`.
            survey.ask(program, patience, Some(entry))?;
        }
        survey.name_the_remedy(entries, &why);
    }
    survey.result()
}

#[derive(Default)]
struct Survey {
    devices: Vec<Probed>,
    platforms: usize,
    nothing: Vec<NoDevices>,
    failures: Vec<String>,
    /// Entries that have devices and did not fail.
    good: Vec<PathBuf>,
}

impl Survey {
    /// Probes devices in a child, which loads only the driver of `entry` if there is one. Numbers its platforms after
    /// the known platforms. If the child fails, returns the reason and keeps the devices found so far.
    fn ask(
        &mut self,
        program: &Path,
        patience: Duration,
        entry: Option<&Entry>,
    ) -> Result<Option<String>, ProbeError> {
        let started = Instant::now();
        let environment = entry.map(Entry::environment).unwrap_or_default();
        let mut command = Command::new(program);
        command.args(["worker", "--probe"]);
        command.envs(environment.iter().cloned());
        let failed = |error| ProbeError::Start(program.display().to_string(), error);
        let mut child = ChildChannel::start(&mut command).map_err(failed)?;
        let (before, devices, mut ended) = (self.platforms, self.devices.len(), 0);
        let failure = loop {
            // Drivers also crash and hang in their exit handlers, so the child is killed once it has finished.
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
                Ok(Said::Platforms(count)) => self.platforms = before + count,
                Ok(Said::Device(mut device)) => {
                    device.alone = entry.map(|_| Alone {
                        platform_index: device.info.platform_index,
                        environment: environment.clone(),
                    });
                    device.info.platform_index += before;
                    self.devices.push(*device);
                }
                Ok(Said::PlatformEnded) => ended += 1,
                Ok(Said::Nothing(none)) => self.nothing.push(none),
                Ok(Said::End) => break None,
                Err(error) => break Some(format!("its answer cannot be read: {error}")),
            }
        };
        let has_devices = self.devices.len() > devices;
        match (&failure, entry.map(|it| &it.file)) {
            (Some(why), Some(file)) => self.failures.push(format!("{}: {why}", file.display())),
            // If no platform is known, the loader itself failed.
            (Some(why), None) if self.platforms == 0 => self.failures.push(why.clone()),
            (Some(why), None) => self
                .failures
                .push(format!("OpenCL platform {ended}: {why}")),
            (None, file) => self.good.extend(file.filter(|_| has_devices).cloned()),
        }
        Ok(failure)
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
        if !self.devices.is_empty() {
            let unusable = self.nothing.into_iter().filter_map(|none| match none {
                NoDevices::Unusable(why) => Some(why),
                _ => None,
            });
            for why in self.failures.into_iter().chain(unusable) {
                eprintln!("bench: left out: {why}");
            }
            // If several entries list a device, the first one counts. Entries that open the device come first.
            let mut devices: Vec<&mut Probed> = self.devices.iter_mut().collect();
            devices.sort_by_key(|device| device.fault.is_some());
            opencl::number_labels(devices.into_iter().map(|device| &mut device.info));
            return Ok(self.devices);
        }
        if !self.failures.is_empty() {
            return Err(ProbeError::Failed(self.failures.join("; ")));
        }
        let mut reasons = Vec::new();
        for none in self.nothing {
            match none {
                NoDevices::NoDevice(why) => reasons.push(why),
                NoDevices::NoPlatform => {}
                with_remedy => return Err(with_remedy.into()),
            }
        }
        Err(ProbeError::NoDevices(match reasons.is_empty() {
            true => NoDevices::NoPlatform,
            false => NoDevices::NoDevice(reasons.join(", ")),
        }))
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
