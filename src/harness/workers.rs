//! How the workers of one command are started.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::plan::Target;
use super::process::{ProcessExecutor, WorkerCommand};

/// What the workers of one command have in common.
#[derive(Clone)]
pub struct Workers<'a> {
    /// This program's file.
    pub executable: &'a Path,
    /// Threads of the parallel baselines.
    pub threads: usize,
    /// A folder that replaces the embedded kernels.
    pub kernels: Option<&'a Path>,
    /// Where built programs are kept; `None`: every program is built anew.
    pub cache: Option<&'a Path>,
    /// Set when the user wants to stop at once.
    pub stop_now: Arc<AtomicBool>,
    /// A fault that a worker shows on purpose, for tests: `device:crash@3` or `host:hang@1`.
    pub inject: Option<&'a str>,
}

impl Workers<'_> {
    /// The one of the host's own processor.
    pub fn host(&self) -> ProcessExecutor {
        self.executor("host", Vec::new(), &[])
    }

    /// The one of a device.
    pub fn device(&self, target: &Target) -> ProcessExecutor {
        let (platform, device) = target.address;
        let address = format!("{platform}:{device}");
        let mut arguments: Vec<OsString> = vec!["--device".into(), address.into()];
        if let Some(cache) = self.cache {
            arguments.extend(["--cache".into(), cache.into()]);
        }
        self.executor("device", arguments, &target.environment)
    }

    fn executor(
        &self,
        place: &str,
        own: Vec<OsString>,
        environment: &[(String, String)],
    ) -> ProcessExecutor {
        let mut arguments: Vec<OsString> = vec!["worker".into()];
        arguments.extend(own);
        arguments.extend(["--threads".into(), self.threads.to_string().into()]);
        if let Some(kernels) = self.kernels {
            arguments.extend(["--kernels".into(), kernels.into()]);
        }
        let fault = self.inject.and_then(|inject| inject.split_once(':'));
        let first = match fault {
            Some((of, fault)) if of == place => vec!["--inject".into(), fault.into()],
            _ => Vec::new(),
        };
        let command = WorkerCommand {
            program: self.executable.to_owned(),
            arguments,
            first,
            environment: environment.to_vec(),
        };
        ProcessExecutor::new(command, Arc::clone(&self.stop_now))
    }
}
