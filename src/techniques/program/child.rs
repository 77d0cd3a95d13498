//! A program as a child process that is spoken to in lines, and that leaves nothing behind.
//!
//! What it starts is found in three ways: by a mark in the environment, which goes with a process into any group or
//! session; by the number of the program's process and its group, which stay when the environment is cleared; and as
//! the children of what is found. A program whose worker crashes is killed by the system.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{self, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[cfg(unix)]
use nix::sys::signal::{Signal, killpg};
#[cfg(target_os = "linux")]
use nix::{
    errno::Errno,
    sys::prctl::set_pdeathsig,
    sys::wait::{Id, WaitPidFlag, waitid},
};
use sysinfo::{
    Pid, Process, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind,
};

use crate::words::{Fault, LastWords, shell_line};

/// A variable in the environment of a program, and so of everything that it starts.
const MARK: &str = "PLYBENCH_PROGRAM";
/// No message is longer, bytes.
const LONGEST_MESSAGE: u64 = 64 << 20;
/// How long a program may take to end by itself when its stdin is closed.
const FAREWELL: Duration = Duration::from_millis(300);
/// How long a killed one may take, and one that has closed its stdout.
const MOURNING: Duration = Duration::from_secs(2);
/// How long what a program left is searched for again: a process may fork while the others are killed, and the killed
/// ones end when the system comes to it.
const SWEEPING: Duration = Duration::from_secs(2);

/// Counts the programs of this process.
static STARTED: AtomicU64 = AtomicU64::new(0);
/// The programs of this process that were not waited for yet: the system gives none of these numbers to another
/// process.
static LEADERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn leaders() -> MutexGuard<'static, BTreeSet<u32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills every program that a worker started, with all that they started. While the worker, a child of this process, was
/// not waited for, its own children are programs too, whatever their environment is. After that its number may be
/// another's: only the mark tells.
pub fn sweep_worker(worker: u32, is_alive: bool) {
    sweep(&format!("{worker}-"), |it| {
        is_alive && it.parent() == Some(Pid::from_u32(worker))
    });
}

/// Kills every program that this process started, with all that they started.
pub fn sweep_own() {
    if STARTED.load(Ordering::Relaxed) > 0 {
        let leaders = leaders();
        sweep(&format!("{}-", process::id()), |it| {
            leaders.contains(&it.pid().as_u32())
        });
    }
}

/// Kills every process whose mark begins so or that is another root, its group if it leads one, and its children.
fn sweep(mark: &str, is_root: impl Fn(&Process) -> bool) {
    let begins = format!("{MARK}={mark}");
    let own = Pid::from_u32(process::id());
    let Ok(mut system) = System::new() else {
        return;
    };
    let what = ProcessRefreshKind::nothing()
        .with_environ(UpdateKind::Always)
        .without_tasks();
    let since = Instant::now();
    while since.elapsed() < SWEEPING {
        system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
        let mut others: Vec<&Process> = system.processes().values().collect();
        // A dead process waits for its parent, and cannot be killed again.
        others.retain(|it| it.pid() != own && it.status() != ProcessStatus::Zombie);
        let is_ours = |variable: &OsString| variable.to_string_lossy().starts_with(&begins);
        let mut found = HashSet::new();
        loop {
            let known = found.len();
            for it in &others {
                let is_child = it.parent().is_some_and(|it| found.contains(&it));
                if is_child || is_root(it) || it.environ().iter().any(is_ours) {
                    found.insert(it.pid());
                }
            }
            if found.len() == known {
                break;
            }
        }
        if found.is_empty() {
            return;
        }
        for pid in found {
            kill_group(pid.as_u32());
            if let Some(process) = system.process(pid) {
                process.kill();
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Kills the processes of the group that a process leads, or led: those that are left keep its number taken.
#[cfg(unix)]
fn kill_group(leader: u32) {
    // None of that number is no error.
    let _ = killpg(nix::unistd::Pid::from_raw(leader as i32), Signal::SIGKILL);
}

#[cfg(not(unix))]
fn kill_group(_leader: u32) {}

/// A running program.
pub struct Child {
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    line: Vec<u8>,
    errors: LastWords,
    /// How it ended; said once.
    ended: Receiver<io::Result<ExitStatus>>,
    leader: u32,
    mark: String,
}

impl Child {
    /// Starts a command: a program and its arguments. On Linux it ends with the calling thread. Fails with
    /// [`Fault::Device`] where the system cannot.
    pub fn start(command: &[String]) -> Result<Child, Fault> {
        Child::begin(command).map_err(|error| {
            Fault::Device(format!("cannot start `{}`: {error}", shell_line(command)))
        })
    }

    fn begin(command: &[String]) -> io::Result<Child> {
        let words = command.split_first();
        let (program, arguments) = words.ok_or_else(|| io::Error::other("no command"))?;
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{number}-", process::id());
        let mut command = Command::new(program);
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(target_os = "linux")]
        end_with_this_thread(&mut command);
        command
            .args(arguments)
            .env(MARK, &mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = {
            let mut leaders = leaders();
            let process = command.spawn()?;
            leaders.insert(process.id());
            process
        };
        let (to, from) = (process.stdin.take(), process.stdout.take());
        let (Some(to), Some(from), Some(errors)) = (to, from, process.stderr.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let leader = process.id();
        let ended = watch(process, mark.clone()).inspect_err(|_| kill_group(leader))?;
        Ok(Child {
            to: Some(to),
            from: BufReader::new(from),
            line: Vec::new(),
            errors: LastWords::of(errors),
            ended,
            leader,
            mark,
        })
    }

    /// Says a line, and hears the next one. Fails with [`Fault::Device`] where it has ended or says no line.
    pub fn ask(&mut self, line: &str) -> Result<&str, Fault> {
        if let Some(to) = &mut self.to {
            // One that closed its stdin may still say why, or answer what was not asked.
            let _ = to.write_all(format!("{line}\n").as_bytes());
        }
        self.line.clear();
        let heard = (&mut self.from)
            .take(LONGEST_MESSAGE)
            .read_until(b'\n', &mut self.line);
        if self.line.last() != Some(&b'\n') {
            return Err(Fault::Device(match heard {
                Ok(count) if count as u64 == LONGEST_MESSAGE => {
                    format!("it said a line of more than {} MiB", LONGEST_MESSAGE >> 20)
                }
                _ => self.last_words(),
            }));
        }
        std::str::from_utf8(&self.line)
            .map(str::trim_end)
            .map_err(|_| Fault::Device("it said what is no text in UTF-8".to_owned()))
    }

    /// How it ended, with the last that it wrote to stderr.
    fn last_words(&mut self) -> String {
        let how = match self.ended.recv_timeout(MOURNING) {
            Ok(Ok(status)) => format!("the program ended with {status}"),
            Ok(Err(error)) => format!("the program ended: {error}"),
            Err(_) => "the program closed its stdout and went on".to_owned(),
        };
        self.errors.after(how)
    }
}

impl Drop for Child {
    /// A program whose stdin is closed has time to end; what is left of it then is killed.
    fn drop(&mut self) {
        drop(self.to.take());
        if self.ended.recv_timeout(FAREWELL).is_err() {
            let leaders = leaders();
            sweep(&self.mark, |it| {
                it.pid().as_u32() == self.leader && leaders.contains(&self.leader)
            });
            drop(leaders);
            let _ = self.ended.recv_timeout(MOURNING);
        }
    }
}

/// Has the system kill the command when this thread ends, as it does with a worker that crashes: nothing is left then
/// that would find a program without its mark.
#[cfg(target_os = "linux")]
fn end_with_this_thread(command: &mut Command) {
    let own = nix::unistd::getpid();
    let bind = move || {
        set_pdeathsig(Signal::SIGKILL)?;
        // The thread may have ended before.
        match nix::unistd::getppid() == own {
            true => Ok(()),
            false => Err(Errno::ESRCH.into()),
        }
    };
    // SAFETY: between fork and exec it makes two system calls, allocates nothing and takes no lock.
    unsafe { command.pre_exec(bind) };
}

/// Waits for a process to end, in a thread of its own, and kills what it left: that may hold its stdout open for ever,
/// so that its end would not be seen.
fn watch(
    mut process: process::Child,
    mark: String,
) -> io::Result<Receiver<io::Result<ExitStatus>>> {
    let (sender, ended) = mpsc::channel();
    std::thread::Builder::new().spawn(move || {
        let leader = process.id();
        // A zombie keeps its number, and its group's, from other processes.
        #[cfg(target_os = "linux")]
        while waitid(
            Id::Pid(nix::unistd::Pid::from_raw(leader as i32)),
            WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT,
        ) == Err(Errno::EINTR)
        {}
        #[cfg(not(target_os = "linux"))]
        let _ = process.wait();
        let mut leaders = leaders();
        kill_group(leader);
        sweep(&mark, |_| false);
        let status = process.wait();
        leaders.remove(&leader);
        drop(leaders);
        let _ = sender.send(status);
    })?;
    Ok(ended)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::Path;

    use super::*;

    fn shell(script: &str) -> Result<Child, Fault> {
        Child::start(&["sh", "-c", script].map(str::to_owned))
    }

    /// Whether what wrote its number into the file is dead.
    fn is_dead(file: &Path) -> bool {
        let pid = std::fs::read_to_string(file).expect("the file");
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        stat.map_or(true, |stat| stat.contains(") Z "))
    }

    /// What a program does that starts another by `how`, which sleeps; it waits until that has written its number.
    fn forking(how: &str, file: &Path) -> String {
        let file = file.display();
        format!(
            "{how} sh -c 'echo $$ > {file}; exec sleep 600' & while [ ! -s {file} ]; do sleep 0.01; done;"
        )
    }

    #[test]
    fn what_a_program_forked_dies_with_it_in_a_session_of_its_own_or_without_its_environment() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        for how in ["setsid", "env -i"] {
            let mut child = shell(&format!("{} exit 1", forking(how, &file))).unwrap();
            let started = Instant::now();
            // The sleeping process holds stdout open: only its death ends the waiting.
            assert!(child.ask("one").is_err(), "{how}");
            assert!(started.elapsed() < Duration::from_secs(60), "{how}");
            drop(child);
            assert!(is_dead(&file), "{how}");
            std::fs::remove_file(&file).unwrap();
        }
    }

    #[test]
    fn what_has_neither_the_mark_nor_the_group_is_found_below_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!(
            "{} echo ready; exec sleep 600",
            forking("env -i setsid", &file)
        );
        let mut child = shell(&script).unwrap();
        assert_eq!(child.ask("one"), Ok("ready"));
        drop(child);
        assert!(is_dead(&file));
    }
}
