//! How a command's workers start.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::plan::Target;
use super::process::{ProcessExecutor, WorkerCommand};

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
    /// Set when the user requests an immediate stop.
    pub stop_now: Arc<AtomicBool>,
}

impl Workers<'_> {
    /// The worker of the host's own processor.
    pub fn host(&self) -> ProcessExecutor {
        self.executor(Vec::new(), &[])
    }

    /// The worker of a device.
    pub fn device(&self, target: &Target) -> ProcessExecutor {
        let (platform, device) = target.address;
        let address = format!("{platform}:{device}");
        let mut arguments: Vec<OsString> = vec!["--device".into(), address.into()];
        if let Some(cache) = self.cache {
            arguments.extend(["--cache".into(), cache.into()]);
        }
        self.executor(arguments, &target.environment)
    }

    fn executor(&self, own: Vec<OsString>, environment: &[(String, String)]) -> ProcessExecutor {
        let mut arguments: Vec<OsString> = vec!["worker".into()];
        arguments.extend(own);
        arguments.extend(["--threads".into(), self.threads.to_string().into()]);
        if let Some(kernels) = self.kernels {
            arguments.extend(["--kernels".into(), kernels.into()]);
        }
        let command = WorkerCommand {
            program: self.executable.to_owned(),
            arguments,
            environment: environment.to_vec(),
        };
        ProcessExecutor::new(command, Arc::clone(&self.stop_now))
    }
}
