//! Devices are described by a child process: a driver that crashes or hangs takes that one down.
//!
//! The child goes through the platforms in order and says what it finds as it finds it. Where it
//! dies, the parent knows at which platform, and has the ones after it described by a child each.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::cli::exit::{Exit, Failure};
use crate::harness::channel::{self, Silence, Spoken};
use crate::opencl::{self, NoDevices, Probed};

/// What a child says, one object a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Said {
    /// First: how many platforms there are.
    Platforms(usize),
    /// A device.
    Device(Box<Probed>),
    /// That was a platform's last device.
    PlatformEnded,
    /// There is nothing to describe, or a platform has nothing.
    Nothing(NoDevices),
    /// Last.
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
        /// The system's word for it.
        error: std::io::Error,
    },
    /// There are none.
    #[error(transparent)]
    NoDevices(#[from] NoDevices),
    /// The loader or the drivers failed before the first device was known.
    #[error("looking for OpenCL devices failed: {0}")]
    Failed(String),
}

/// Describes the devices of all platforms, or of one, to the parent process.
pub fn describe_to_parent(platform: Option<usize>) -> Result<Exit, Failure> {
    let mut parent = channel::to_parent().map_err(Failure::files)?;
    describe(platform, &mut |said| channel::say(&mut parent, said)).map_err(Failure::files)?;
    Ok(Exit::Good)
}

fn describe(
    platform: Option<usize>,
    say: &mut dyn FnMut(&Said) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let count = match opencl::platform_count() {
        Ok(count) => count,
        Err(none) => {
            say(&Said::Nothing(none))?;
            return say(&Said::End);
        }
    };
    say(&Said::Platforms(count))?;
    for index in platform.map_or(0..count, |index| index..index + 1) {
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

/// Every device that opens or at least can be described, in platform order. `program worker
/// --probe` must be [`describe_to_parent`]; each such child may take so long.
///
/// Platforms that fail are left out, with a warning on stderr.
///
/// # Errors
///
/// [`ProbeError`] where no device was found.
pub fn probe(program: &Path, patience: Duration) -> Result<Vec<Probed>, ProbeError> {
    let whole = ask(program, None, patience)?;
    let count = match (whole.platforms, &whole.ended) {
        (None, Err(why)) => return Err(ProbeError::Failed(why.clone())),
        (count, _) => count.unwrap_or(0),
    };
    let mut survey = Survey::default();
    survey.add(whole);
    while survey.platforms < count {
        let platform = survey.platforms;
        survey.add(ask(program, Some(platform), patience)?);
        survey.platforms = platform + 1;
    }
    survey.result()
}

/// What the children have said so far.
#[derive(Default)]
struct Survey {
    devices: Vec<Probed>,
    /// Platforms that were gone through or given up.
    platforms: usize,
    /// Platforms without devices, in words, or that there is no platform at all.
    nothing: Vec<NoDevices>,
    /// Platforms that failed, in words.
    failures: Vec<String>,
}

impl Survey {
    /// Adds what a child said; where it failed, the platform that it was at is given up.
    fn add(&mut self, heard: Heard) {
        self.devices.extend(heard.devices);
        self.nothing.extend(heard.nothing);
        self.platforms += heard.platforms_ended;
        if let Err(why) = heard.ended {
            self.failures
                .push(format!("OpenCL platform {}: {why}", self.platforms));
            self.platforms += 1;
        }
    }

    fn result(mut self) -> Result<Vec<Probed>, ProbeError> {
        if !self.devices.is_empty() {
            for failure in &self.failures {
                eprintln!("bench: left out: {failure}");
            }
            opencl::number_labels(self.devices.iter_mut().map(|device| &mut device.info));
            return Ok(self.devices);
        }
        if !self.failures.is_empty() {
            return Err(ProbeError::Failed(self.failures.join("; ")));
        }
        let reasons: Vec<String> = self
            .nothing
            .into_iter()
            .filter_map(|none| match none {
                NoDevices::NoDevice(why) => Some(why),
                NoDevices::NoPlatform => None,
            })
            .collect();
        Err(ProbeError::NoDevices(if reasons.is_empty() {
            NoDevices::NoPlatform
        } else {
            NoDevices::NoDevice(reasons.join(", "))
        }))
    }
}

/// What one child said.
struct Heard {
    platforms: Option<usize>,
    platforms_ended: usize,
    devices: Vec<Probed>,
    nothing: Vec<NoDevices>,
    /// Whether it said all it had to say; else how it ended.
    ended: Result<(), String>,
}

/// Starts a child and listens until it has said all, dies, or is out of time.
fn ask(program: &Path, platform: Option<usize>, patience: Duration) -> Result<Heard, ProbeError> {
    let started = Instant::now();
    let mut command = Command::new(program);
    command.args(["worker", "--probe"]);
    if let Some(index) = platform {
        command.arg("--platform").arg(index.to_string());
    }
    let no_start = |error| ProbeError::Start {
        program: program.display().to_string(),
        error,
    };
    let mut child = Spoken::start(&mut command).map_err(no_start)?;
    let mut heard = Heard {
        platforms: None,
        platforms_ended: 0,
        devices: Vec::new(),
        nothing: Vec::new(),
        ended: Ok(()),
    };
    loop {
        // Drivers crash and hang in their exit handlers too: a child that has said all is killed.
        let object = match child.hear(patience.saturating_sub(started.elapsed())) {
            Ok(object) => object,
            Err(Silence::Late) => {
                heard.ended = Err(format!(
                    "its driver did not answer within {} s",
                    patience.as_secs_f32()
                ));
                return Ok(heard);
            }
            Err(Silence::Ended(how)) => {
                heard.ended = Err(format!("its driver ended the process ({how})"));
                return Ok(heard);
            }
        };
        match serde_json::from_str(&object) {
            Ok(Said::Platforms(count)) => heard.platforms = Some(count),
            Ok(Said::Device(device)) => heard.devices.push(*device),
            Ok(Said::PlatformEnded) => heard.platforms_ended += 1,
            Ok(Said::Nothing(none)) => heard.nothing.push(none),
            Ok(Said::End) => return Ok(heard),
            Err(error) => {
                heard.ended = Err(format!("its answer cannot be read: {error}"));
                return Ok(heard);
            }
        }
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
