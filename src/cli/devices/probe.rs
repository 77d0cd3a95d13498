//! A child process describes devices, as a driver may crash or hang.
//!
//! If it dies, each entry of the loader gets a child: a bad driver then hides no other, and drivers that conflict when
//! loaded together work. Without several entries, the platforms before the failed one stay.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::entries::Entry;
use crate::cli::exit::{Exit, Failure};
use crate::harness::channel::{self, ChildChannel, RecvError};
use crate::opencl::{self, Alone, DeviceInfo, NoDevices, Probed};

/// Timeout of a child process that describes devices.
pub const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Said {
    Platforms(usize),
    Device(Box<Probed>),
    PlatformEnded,
    Nothing(NoDevices),
    End,
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
pub fn describe_to_parent() -> Result<Exit, Failure> {
    let mut parent = channel::to_parent().map_err(Failure::files)?;
    describe(&mut |said| channel::send(&mut parent, said)).map_err(Failure::files)?;
    Ok(Exit::Good)
}

fn describe(say: &mut dyn FnMut(&Said) -> std::io::Result<()>) -> std::io::Result<()> {
    let count = match opencl::platform_count() {
        Ok(count) => count,
        Err(none) => {
            say(&Said::Nothing(none))?;
            return say(&Said::End);
        }
    };
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
    say(&Said::End)
}

/// Every device that opens or can be described. `program worker --probe` must be [`describe_to_parent`].
pub fn probe(program: &Path, patience: Duration) -> Result<Vec<Probed>, ProbeError> {
    probe_entries(program, patience, &Entry::all())
}

fn probe_entries(
    program: &Path,
    patience: Duration,
    entries: &[Entry],
) -> Result<Vec<Probed>, ProbeError> {
    let ask = |restrict: &dyn Fn(&mut Command)| ask(program, patience, restrict);
    let whole = ask(&|_| {})?;
    let mut survey = Survey::default();
    if let (Some(why), [_, _, ..]) = (&whole.failure, entries) {
        for entry in entries {
            // The loader loads no other.
            let heard = ask(&|command| {
                command.envs(entry.environment());
            })?;
            survey.add_entry(entry, heard);
        }
        survey.name_the_remedy(entries, why);
        return survey.result();
    }
    if let (None, Some(why)) = (whole.platforms, &whole.failure) {
        return Err(ProbeError::Failed(why.clone()));
    }
    survey.add(whole);
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
        match heard.failure {
            None if has_some => self.good.push(entry.file.clone()),
            None => {}
            Some(why) => self
                .failures
                .push(format!("{}: {why}", entry.file.display())),
        }
    }

    fn name_the_remedy(&mut self, entries: &[Entry], why: &str) {
        let Some(good) = self.good.first().map(|file| file.display()) else {
            return;
        };
        for failure in &mut self.failures {
            failure.push_str(&format!(
                ". Remove this file, or choose a good one with OCL_ICD_VENDORS={good}"
            ));
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
        let (unusable, others) = self.nothing.into_iter().partition::<Vec<_>, _>(is_unusable);
        if !self.devices.is_empty() {
            for failure in &self.failures {
                eprintln!("bench: left out: {failure}");
            }
            for none in unusable {
                if let NoDevices::Unusable(why) = none {
                    eprintln!("bench: left out: {why}");
                }
            }
            // The first entry of a device counts: devices that open come first.
            let devices = self.devices.iter_mut();
            let infos = devices.map(|device| (device.fault.is_some(), &mut device.info));
            let mut infos: Vec<(bool, &mut DeviceInfo)> = infos.collect();
            infos.sort_by_key(|(fails, _)| *fails);
            opencl::number_labels(infos.into_iter().map(|(_, info)| info));
            return Ok(self.devices);
        }
        if !self.failures.is_empty() {
            return Err(ProbeError::Failed(self.failures.join("; ")));
        }
        if let Some(unusable) = unusable.into_iter().next() {
            return Err(unusable.into());
        }
        let reasons = others.into_iter().filter_map(|none| match none {
            NoDevices::NoDevice(why) => Some(why),
            _ => None,
        });
        let reasons: Vec<String> = reasons.collect();
        Err(ProbeError::NoDevices(match reasons.is_empty() {
            true => NoDevices::NoPlatform,
            false => NoDevices::NoDevice(reasons.join(", ")),
        }))
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

/// Asks a child, whose command `restrict` completes.
fn ask(
    program: &Path,
    patience: Duration,
    restrict: &dyn Fn(&mut Command),
) -> Result<Heard, ProbeError> {
    let started = Instant::now();
    let mut command = Command::new(program);
    command.args(["worker", "--probe"]);
    restrict(&mut command);
    let no_start = |error| ProbeError::Start {
        program: program.display().to_string(),
        error,
    };
    let mut child = ChildChannel::start(&mut command).map_err(no_start)?;
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
            Err(error) => break Some(format!("its answer cannot be read: {error}")),
        }
    };
    Ok(heard)
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
