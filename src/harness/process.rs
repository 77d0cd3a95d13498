//! The parent's side of a worker process: start it, ask it, and kill it when it is late.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::executor::{Executor, Lost, Outcome};
use super::protocol::{CellSpec, MARKER, Opened, Prepared, Reply, Request, Sampled};

/// Lines of a worker's stderr that are kept, for the reason of a crash.
const KEPT_LINES: usize = 12;
/// Opening a device may take this long: a driver's first start can compile its own library.
const OPEN_DEADLINE: Duration = Duration::from_secs(60);
/// How often a waiting parent looks whether the user wants to stop.
const POLL: Duration = Duration::from_millis(100);

/// How to start a worker.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// This program.
    pub program: std::path::PathBuf,
    /// `worker` and what follows it.
    pub arguments: Vec<OsString>,
    /// Further ones for the first worker alone, not for those that follow a lost one: faults that
    /// a test asks for.
    pub first: Vec<OsString>,
    /// Variables that must be set before a driver loads.
    pub environment: Vec<(String, String)>,
}

/// An [`Executor`] over a child process, started at the first request and again after a loss.
pub struct ProcessExecutor {
    command: WorkerCommand,
    stop: Arc<AtomicBool>,
    running: Option<Running>,
    opened: Option<Opened>,
    generation: u64,
}

struct Running {
    child: Child,
    stdin: ChildStdin,
    replies: Receiver<Reply>,
    stderr: Arc<Mutex<VecDeque<String>>>,
}

impl ProcessExecutor {
    /// A worker to be started by that command. `stop` is set when the user wants to stop at once:
    /// a request then ends as [`Lost::Interrupted`], its worker killed.
    pub fn new(command: WorkerCommand, stop: Arc<AtomicBool>) -> Self {
        Self {
            command,
            stop,
            running: None,
            opened: None,
            generation: 0,
        }
    }

    fn start(&mut self) -> Result<(), Lost> {
        let mut command = Command::new(&self.command.program);
        command
            .args(&self.command.arguments)
            .args(self.command.first.iter().filter(|_| self.generation == 0))
            .envs(
                self.command
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // A group of its own: Ctrl-C reaches the parent alone, which lets a sample finish.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let lost = |what: &str, error: &dyn std::fmt::Display| {
            Lost::Crashed(format!(
                "{what} {}: {error}",
                self.command.program.display()
            ))
        };
        let mut child = command
            .spawn()
            .map_err(|error| lost("cannot start", &error))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(lost("no pipes to", &"asked for and not given"));
        };
        let (sender, replies) = mpsc::channel();
        std::thread::spawn(move || {
            for_each_line(stdout, |line| match reply_in(line) {
                Some(reply) => sender.send(reply).is_ok(),
                None => true,
            });
        });
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let keeper = Arc::clone(&kept);
        std::thread::spawn(move || {
            for_each_line(stderr, |line| {
                let mut lines = keeper.lock().unwrap_or_else(PoisonError::into_inner);
                if lines.len() == KEPT_LINES {
                    lines.pop_front();
                }
                lines.push_back(line.trim_end().to_owned());
                true
            });
        });
        self.running = Some(Running {
            child,
            stdin,
            replies,
            stderr: kept,
        });
        match self.wait(OPEN_DEADLINE)? {
            Reply::Ready(Ok(opened)) => {
                self.opened = Some(opened);
                Ok(())
            }
            Reply::Ready(Err(fault)) => {
                self.kill();
                Err(Lost::DeviceLost(fault.to_string()))
            }
            other => Err(self.confused(&other)),
        }
    }

    fn ask(&mut self, request: &Request, deadline: Duration) -> Result<Reply, Lost> {
        if self.running.is_none() {
            self.start()?;
        }
        let line = serde_json::to_string(request)
            .map_err(|error| Lost::Crashed(format!("a request that cannot be said: {error}")))?;
        if let Some(running) = &mut self.running {
            // A failure to write means that it has died; waiting for the reply finds out how.
            let _ = writeln!(running.stdin, "{line}").and_then(|()| running.stdin.flush());
        }
        self.wait(deadline)
    }

    fn wait(&mut self, deadline: Duration) -> Result<Reply, Lost> {
        let started = Instant::now();
        loop {
            let Some(running) = &self.running else {
                return Err(Lost::Crashed("it is not running".into()));
            };
            let left = deadline.saturating_sub(started.elapsed());
            match running.replies.recv_timeout(left.min(POLL)) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
                Err(RecvTimeoutError::Timeout) if self.stop.load(Ordering::Relaxed) => {
                    self.kill();
                    return Err(Lost::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if started.elapsed() >= deadline => {
                    self.kill();
                    return Err(Lost::Timeout(deadline));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Says how a worker that closed its stdout ended.
    fn died(&mut self) -> Lost {
        let Some(mut running) = self.take() else {
            return Lost::Crashed("it is not running".into());
        };
        // Its stdout is closed, so it is ending; one that closed it and lives on is made to.
        let ended = (0..20).find_map(|_| {
            let ended = running.child.try_wait().ok().flatten();
            if ended.is_none() {
                std::thread::sleep(Duration::from_millis(50));
            }
            ended
        });
        let how = match ended {
            Some(status) => status.to_string(),
            None => {
                let _ = running.child.kill();
                let _ = running.child.wait();
                "it closed its output and went on".to_owned()
            }
        };
        let lines = running
            .stderr
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match lines.iter().rev().find(|line| !line.trim().is_empty()) {
            Some(last) => Lost::Crashed(format!("{how}; its last words: {last}")),
            None => Lost::Crashed(how),
        }
    }

    /// Takes leave of the worker: whatever it had prepared is gone.
    fn take(&mut self) -> Option<Running> {
        let running = self.running.take();
        if running.is_some() {
            self.generation += 1;
        }
        running
    }

    fn kill(&mut self) {
        if let Some(mut running) = self.take() {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }

    fn confused(&mut self, reply: &Reply) -> Lost {
        self.kill();
        let mut said = format!("{reply:?}");
        said.truncate(said.char_indices().nth(80).map_or(said.len(), |(at, _)| at));
        Lost::Crashed(format!("it answered something else: {said}"))
    }
}

impl Drop for ProcessExecutor {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Executor for ProcessExecutor {
    fn prepare(&mut self, spec: &CellSpec, deadline: Duration) -> Outcome<Prepared> {
        match self.ask(&Request::Prepare(Box::new(spec.clone())), deadline)? {
            Reply::Prepared(prepared) => Ok(prepared),
            other => Err(self.confused(&other)),
        }
    }

    fn limit(&mut self, cell: usize, units: usize) -> Outcome<u64> {
        match self.ask(&Request::Limit { cell, units }, OPEN_DEADLINE)? {
            Reply::Limited(units) => Ok(Ok(units)),
            other => Err(self.confused(&other)),
        }
    }

    fn sample(
        &mut self,
        cell: usize,
        (first, count): (u64, u64),
        budget: Duration,
        deadline: Duration,
    ) -> Outcome<Vec<Sampled>> {
        let budget_ns = u64::try_from(budget.as_nanos()).unwrap_or(u64::MAX);
        match self.ask(
            &Request::Sample {
                cell,
                count,
                first,
                budget_ns,
            },
            deadline,
        )? {
            Reply::Samples(samples) => Ok(samples),
            other => Err(self.confused(&other)),
        }
    }

    fn value_of(
        &mut self,
        cell: usize,
        unit: usize,
        best: &str,
        deadline: Duration,
    ) -> Outcome<i64> {
        let request = Request::ValueOf {
            cell,
            unit,
            best: best.to_owned(),
        };
        match self.ask(&request, deadline)? {
            Reply::Value(value) => Ok(value),
            other => Err(self.confused(&other)),
        }
    }

    fn forget(&mut self, cell: usize) {
        if self.running.is_some() {
            // Freeing is a courtesy: a worker that fails at it is found out by the next request.
            let _ = self.ask(&Request::Forget { cell }, OPEN_DEADLINE);
        }
    }

    fn retire(&mut self) {
        self.kill();
    }

    fn opened(&self) -> Option<&Opened> {
        self.opened.as_ref()
    }

    fn generation(&self) -> u64 {
        self.generation
    }
}

/// The reply in a line of a worker's stdout, whatever a driver printed before it on that line.
fn reply_in(line: &str) -> Option<Reply> {
    let (_, object) = line.rsplit_once(MARKER)?;
    serde_json::from_str(object).ok()
}

/// Calls `each` with every line, bytes that are not UTF-8 replaced, until it says false.
fn for_each_line(stream: impl Read, mut each: impl FnMut(&str) -> bool) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {
                if !each(&String::from_utf8_lossy(&line)) {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::words::{Answer, Counters, MatchScore, Parts};

    #[test]
    fn a_drivers_chatter_is_passed_over() {
        assert_eq!(reply_in("pocl: hello\n"), None);
        let reply = reply_in("banner without an end@plybench {\"limited\":7}\n");
        assert_eq!(reply, Some(Reply::Limited(7)));
        assert_eq!(reply_in("@plybench {\"limited\":\n"), None);
    }

    proptest! {
        /// A reply that a driver printed into, or that broke off, is a reply or none.
        #[test]
        fn no_line_is_too_strange(
            at in any::<Index>(), cut in 0..30_usize, piece in ".{0,8}", alone in any::<String>()
        ) {
            let sampled = Sampled {
                at_ns: 7,
                total_ns: u64::MAX,
                opponent_ns: 0,
                parts: Parts::default(),
                counters: Counters::default(),
                answer: Some(Answer::Match(MatchScore {
                    games: vec![(-1, "f5\"d6 @plybench".into())],
                    ..MatchScore::default()
                })),
            };
            let reply = Reply::Samples(Ok(vec![sampled]));
            let whole = format!("{MARKER}{}\n", serde_json::to_string(&reply).unwrap());
            prop_assert_eq!(reply_in(&whole), Some(reply));
            let mut line: Vec<char> = whole.chars().collect();
            let at = at.index(line.len());
            line.splice(at..(at + cut).min(line.len()), piece.chars());
            let _ = reply_in(&line.into_iter().collect::<String>());
            let _ = reply_in(&format!("{MARKER}{alone}"));
        }
    }
}
