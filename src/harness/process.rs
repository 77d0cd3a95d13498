//! Implements the parent's side of a worker process: starts it, sends requests, and kills it if it misses a deadline.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::channel::{ChildChannel, POLL, RecvError};
use super::executor::{Executor, Lost};
use super::protocol::{Answered, Asked, Opened, Reply, Request};
use crate::techniques::program;
use crate::words::PROGRAM;

/// An [`Executor`] that runs a child process. It starts the process at the first request, and again after each loss.
pub struct ProcessExecutor {
    command: Command,
    stop: Arc<AtomicBool>,
    running: Option<ChildChannel>,
    opened: Option<Opened>,
    generation: u64,
    /// The id of the last request. The answer has the same id.
    asked: u64,
    /// True if a request made the worker start programs. Such programs outlive the worker.
    has_programs: bool,
}

impl ProcessExecutor {
    /// Creates an executor that starts workers with `command`. Setting `stop` causes [`Lost::Interrupted`].
    pub fn new(mut command: Command, stop: Arc<AtomicBool>) -> Self {
        // Use a separate process group, so that only the parent gets Ctrl-C and can let the current sample finish.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Self {
            command,
            stop,
            running: None,
            opened: None,
            generation: 0,
            asked: 0,
            has_programs: false,
        }
    }

    fn start(&mut self, deadline: Duration) -> Result<(), Lost> {
        let running = ChildChannel::start(&mut self.command).map_err(|error| {
            let program = self.command.get_program().display();
            Lost::Crashed(format!("cannot start {program}: {error}"))
        })?;
        self.running = Some(running);
        self.asked = 0;
        match self.wait(deadline)? {
            Reply::Ready(Ok(opened)) => {
                self.opened = Some(opened);
                Ok(())
            }
            Reply::Ready(Err(fault)) => {
                self.retire();
                Err(Lost::Device(fault.to_string()))
            }
            other => Err(self.protocol_error(&other)),
        }
    }

    fn wait(&mut self, deadline: Duration) -> Result<Reply, Lost> {
        let started = Instant::now();
        let lost = loop {
            let Some(running) = &mut self.running else {
                return Err(Lost::Crashed("it is not running".into()));
            };
            let left = deadline.saturating_sub(started.elapsed());
            match running.recv(left.min(POLL)) {
                Ok(line) => {
                    return match serde_json::from_str::<Answered>(&line) {
                        Ok(answered) if answered.id == self.asked => Ok(answered.reply),
                        _ => Err(self.protocol_error(&line)),
                    };
                }
                Err(RecvError::Ended(how)) => break Lost::Crashed(how),
                Err(RecvError::Late) if self.stop.load(Ordering::Relaxed) => {
                    break Lost::Interrupted;
                }
                Err(RecvError::Late) if started.elapsed() >= deadline => {
                    break Lost::Timeout(deadline);
                }
                Err(RecvError::Late) => {}
            }
        };
        self.retire();
        Err(lost)
    }
}

impl Drop for ProcessExecutor {
    fn drop(&mut self) {
        self.retire();
    }
}

impl Executor for ProcessExecutor {
    /// Starts a worker if none is running. Starting it may take up to one more `deadline`.
    fn ask(&mut self, request: Request, deadline: Duration) -> Result<Reply, Lost> {
        match &request {
            Request::Forget { .. } if self.running.is_none() => return Ok(Reply::Forgotten),
            Request::Prepare(spec) => {
                let opponent = spec.opponent.as_ref().map(|(name, _)| name.as_str());
                self.has_programs |= spec.technique == PROGRAM || opponent == Some(PROGRAM);
            }
            _ => {}
        }
        if self.running.is_none() {
            self.start(deadline)?;
        }
        self.asked += 1;
        let id = self.asked;
        let line = serde_json::to_string(&Asked { id, request })
            .map_err(|error| Lost::Crashed(format!("a request that cannot be sent: {error}")))?;
        if let Some(running) = &mut self.running {
            running.send(&line);
        }
        self.wait(deadline)
    }

    /// Kills the worker, which discards its prepared cells.
    fn retire(&mut self) {
        if let Some(mut running) = self.running.take() {
            self.generation += 1;
            let process = running.process();
            let has_programs = std::mem::take(&mut self.has_programs);
            if has_programs && running.is_alive() {
                // An unmarked program can be found only as the worker's child, so search while the worker is alive.
                program::sweep_worker(process, true);
            }
            drop(running);
            if has_programs {
                program::sweep_worker(process, false);
            }
        }
    }

    fn opened(&self) -> Option<&Opened> {
        self.opened.as_ref()
    }

    fn generation(&self) -> u64 {
        self.generation
    }
}
