//! Starts a command's workers.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::plan::Target;
use super::process::ProcessExecutor;
use crate::opencl::{Cache, Device, LAUNCH_LIMIT, LaunchLimit};

/// A worker process's command-line options.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct WorkerOptions {
    /// Serve this device
    #[arg(long, value_name = "PLATFORM:DEVICE", value_parser = address)]
    pub device: Option<(usize, usize)>,
    /// Number of threads for the parallel baselines
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Load kernels from this folder
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    /// Cache built programs in this folder
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Limit the time of each launch
    #[arg(long, value_name = "TIME")]
    pub launch_limit: Option<LaunchLimit>,
}

fn address(text: &str) -> Result<(usize, usize), String> {
    text.split_once(':')
        .and_then(|(platform, device)| Some((platform.parse().ok()?, device.parse().ok()?)))
        .ok_or_else(|| "PLATFORM:DEVICE, two numbers".into())
}

impl WorkerOptions {
    /// Sets the cache and the launch limit of a device that has just been opened.
    pub(super) fn apply(&self, device: &Device) {
        if let Some(folder) = &self.cache {
            device.keep_programs_in(Cache::new(folder));
        }
        if let Some(LaunchLimit(limit)) = self.launch_limit {
            device.limit_launches(limit);
        }
    }
}

/// Describes how to start a command's workers.
#[derive(Clone)]
pub struct Workers {
    pub executable: PathBuf,
    /// The options of the workers, without the device.
    pub options: WorkerOptions,
    /// Set when the user requests an immediate stop.
    pub stop_now: Arc<AtomicBool>,
}

impl Workers {
    /// Returns the command that starts a device's worker or, without a device, the host's worker.
    pub fn command(&self, target: Option<&Target>) -> Command {
        let options = &self.options;
        let mut command = Command::new(&self.executable);
        command.arg("worker");
        if let Some(target) = target {
            let (platform, device) = target.address;
            command.args(["--device", &format!("{platform}:{device}")]);
            if let Some(cache) = &options.cache {
                command.arg("--cache").arg(cache);
            }
            if let Some(limit) = options.launch_limit {
                command.args(["--launch-limit", &limit.to_string()]);
            }
            // The worker's environment must be complete before its driver loads.
            command.envs(target.environment.iter().cloned());
        }
        command.args(["--threads", &options.threads.to_string()]);
        if let Some(kernels) = &options.kernels {
            command.arg("--kernels").arg(kernels);
        }
        command
    }

    /// Creates a worker for the device or, without a device, for the host.
    pub fn worker(&self, target: Option<&Target>) -> ProcessExecutor {
        ProcessExecutor::new(self.command(target), Arc::clone(&self.stop_now))
    }

    /// Returns a device's limit for launches that cannot be split. By default, only devices with a display have one.
    pub fn whole_launch(&self, target: &Target) -> Option<Duration> {
        match self.options.launch_limit {
            Some(LaunchLimit(limit)) => limit,
            None => target.has_display.then_some(LAUNCH_LIMIT),
        }
    }
}
