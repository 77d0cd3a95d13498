//! How a command's workers start.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::plan::Target;
use super::process::ProcessExecutor;
use crate::opencl::{LAUNCH_LIMIT, LaunchLimit};

/// Common options of a command's workers.
#[derive(Clone)]
pub struct Workers<'a> {
    /// Path of this program.
    pub executable: &'a Path,
    /// Threads of the parallel baselines.
    pub threads: usize,
    /// A folder that replaces the embedded kernels.
    pub kernels: Option<&'a Path>,
    /// Folder of the program cache; `None`: every program is built anew.
    pub cache: Option<&'a Path>,
    /// Limit of a launch's time; `None` for the device's default.
    pub launch_limit: Option<LaunchLimit>,
    /// Set when the user requests an immediate stop.
    pub stop_now: Arc<AtomicBool>,
}

impl Workers<'_> {
    /// The worker of a device; without one, of the host's own processor.
    pub fn worker(&self, target: Option<&Target>) -> ProcessExecutor {
        let mut command = Command::new(self.executable);
        command.arg("worker");
        if let Some(target) = target {
            let (platform, device) = target.address;
            command.args(["--device", &format!("{platform}:{device}")]);
            if let Some(cache) = self.cache {
                command.arg("--cache").arg(cache);
            }
            if let Some(limit) = self.launch_limit {
                command.args(["--launch-limit", &limit.to_string()]);
            }
            // Before the driver loads.
            command.envs(target.environment.iter().cloned());
        }
        command.args(["--threads", &self.threads.to_string()]);
        if let Some(kernels) = self.kernels {
            command.arg("--kernels").arg(kernels);
        }
        ProcessExecutor::new(command, Arc::clone(&self.stop_now))
    }

    /// The launch limit of a device for techniques that cannot split a launch: the one that was asked for, or the
    /// default if a display is attached.
    pub fn whole_launch(&self, target: &Target) -> Option<Duration> {
        match self.launch_limit {
            Some(LaunchLimit(limit)) => limit,
            None => target.has_display.then_some(LAUNCH_LIMIT),
        }
    }
}
