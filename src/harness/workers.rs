//! How a command's workers start.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::plan::Target;
use super::process::{ProcessExecutor, WorkerCommand};
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
        let mut arguments: Vec<OsString> = vec!["worker".into()];
        if let Some(target) = target {
            let (platform, device) = target.address;
            arguments.extend(["--device".into(), format!("{platform}:{device}").into()]);
            if let Some(cache) = self.cache {
                arguments.extend(["--cache".into(), cache.into()]);
            }
            if let Some(limit) = self.launch_limit {
                arguments.extend(["--launch-limit".into(), limit.to_string().into()]);
            }
        }
        arguments.extend(["--threads".into(), self.threads.to_string().into()]);
        if let Some(kernels) = self.kernels {
            arguments.extend(["--kernels".into(), kernels.into()]);
        }
        let command = WorkerCommand {
            program: self.executable.to_owned(),
            arguments,
            environment: target.map_or_else(Vec::new, |it| it.environment.clone()),
        };
        ProcessExecutor::new(command, Arc::clone(&self.stop_now))
    }

    /// For each device, the launch limit for techniques that cannot split a launch: the one that was asked for, or the
    /// default if a display is attached.
    pub fn whole_launches(&self, targets: &[Target]) -> Vec<Option<Duration>> {
        let limit = |target: &Target| match self.launch_limit {
            Some(LaunchLimit(limit)) => limit,
            None => target.has_display.then_some(LAUNCH_LIMIT),
        };
        targets.iter().map(limit).collect()
    }
}
