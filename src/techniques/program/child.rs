//! Runs a program as a child process, which exchanges lines with a worker and leaves no processes behind.
//!
//! A process belongs to the program if it has the mark in its environment, if it has the program's process id or group,
//! or if one of its ancestors belongs to the program. If the worker crashes, Linux kills the program.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::iter::successors;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
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

/// Environment variable that marks a program and its processes.
const MARK: &str = "PLYBENCH_PROGRAM";
/// Maximum length of a message, in bytes.
const LONGEST_MESSAGE: u64 = 64 << 20;
/// Time limit for a program to end after its stdin is closed.
const FAREWELL: Duration = Duration::from_millis(300);
/// Time limit for a program to end after it is killed or closes its stdout.
const MOURNING: Duration = Duration::from_secs(2);
/// Maximum duration of a sweep. Processes may fork while others are killed, and killed processes take time to end.
const SWEEPING: Duration = Duration::from_secs(2);

/// Number of programs that this process has started.
static STARTED: AtomicU64 = AtomicU64::new(0);
/// Process ids of the programs that this process has not waited for yet. Until it does, the system does not reuse them.
static LEADERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn leaders() -> MutexGuard<'static, BTreeSet<u32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills the programs of a worker: all processes with its mark and, if the worker is alive, all its children.
pub fn sweep_worker(worker: u32, is_alive: bool) {
    sweep(&format!("{worker}-"), |it| {
        is_alive && it.parent() == Some(Pid::from_u32(worker))
    });
}

/// Kills the programs that this process has started, including all their processes.
pub fn sweep_own() {
    if STARTED.load(Ordering::Relaxed) > 0 {
        let leaders = leaders();
        sweep(&format!("{}-", process::id()), |it| {
            leaders.contains(&it.pid().as_u32())
        });
    }
}

/// Kills the root processes, the processes whose mark begins with `mark`, their descendants, and the groups they lead.
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
        let all = system.processes();
        let is_first = |it: &Process| {
            let mut variables = it.environ().iter();
            is_root(it) || variables.any(|it| it.to_string_lossy().starts_with(&begins))
        };
        let is_ours = |it: &&Process| {
            let line = successors(Some(*it), |it| all.get(&it.parent()?));
            line.take(all.len()).any(is_first)
        };
        // A zombie is already dead. It only waits for its parent.
        let can_die = |it: &&Process| it.pid() != own && it.status() != ProcessStatus::Zombie;
        let found: Vec<&Process> = all.values().filter(can_die).filter(is_ours).collect();
        if found.is_empty() {
            return;
        }
        for process in found {
            kill_group(process.pid().as_u32());
            process.kill();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Kills the process group of `leader`. While the group has live members, the system does not reuse its id.
#[cfg(unix)]
fn kill_group(leader: u32) {
    // The group may be gone already.
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
    /// Receives one message that says how the program ended.
    ended: Receiver<String>,
    leader: u32,
    mark: String,
}

impl Child {
    /// Starts a program with its arguments. On Linux, the program ends with the calling thread.
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
        command.args(arguments).env(MARK, &mark);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut leaders = leaders();
        let mut process = command.spawn()?;
        let leader = process.id();
        leaders.insert(leader);
        drop(leaders);
        let (to, from) = (process.stdin.take(), process.stdout.take());
        let (Some(to), Some(from), Some(errors)) = (to, from, process.stderr.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        Ok(Child {
            to: Some(to),
            from: BufReader::new(from),
            line: Vec::new(),
            errors: LastWords::of(errors),
            ended: watch(process, mark.clone()).inspect_err(|_| kill_group(leader))?,
            leader,
            mark,
        })
    }

    /// Sends a line, and returns the program's next line.
    pub fn ask(&mut self, line: &str) -> Result<&str, Fault> {
        if let Some(to) = &mut self.to {
            // A program that has closed its stdin may still send an answer or a reason.
            let _ = to.write_all(format!("{line}\n").as_bytes());
        }
        self.line.clear();
        let mut from = (&mut self.from).take(LONGEST_MESSAGE);
        let heard = from.read_until(b'\n', &mut self.line);
        if self.line.last() != Some(&b'\n') {
            return Err(Fault::Device(match heard {
                Ok(count) if count as u64 == LONGEST_MESSAGE => {
                    format!("it sent a line of more than {} MiB", LONGEST_MESSAGE >> 20)
                }
                _ => {
                    let how = self.ended.recv_timeout(MOURNING);
                    let goes_on = |_| "the program closed its stdout and went on".to_owned();
                    self.errors.after(how.unwrap_or_else(goes_on))
                }
            }));
        }
        std::str::from_utf8(&self.line)
            .map(str::trim_end)
            .map_err(|_| Fault::Device("it sent a line that is not UTF-8".to_owned()))
    }
}

impl Drop for Child {
    /// Closes the program's stdin. Kills the program's processes if they have not ended after [`FAREWELL`].
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

/// Makes the system kill the command when the calling thread ends, for example because the worker crashes.
#[cfg(target_os = "linux")]
fn end_with_this_thread(command: &mut Command) {
    let own = nix::unistd::getpid();
    let bind = move || {
        set_pdeathsig(Signal::SIGKILL)?;
        // The parent may already have ended.
        match nix::unistd::getppid() == own {
            true => Ok(()),
            false => Err(Errno::ESRCH.into()),
        }
    };
    // SAFETY: between fork and exec, the closure makes two system calls, does not allocate and takes no lock.
    unsafe { command.pre_exec(bind) };
}

/// Starts a thread that waits for a program to end, kills its other processes, which may hold stdout open, and reports
/// how the program ended.
fn watch(mut process: process::Child, mark: String) -> io::Result<Receiver<String>> {
    let (sender, ended) = mpsc::channel();
    std::thread::Builder::new().spawn(move || {
        let leader = process.id();
        // While the leader is a zombie, its process id and group id are not reused.
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
        let how = match process.wait() {
            Ok(status) => format!("the program ended with {status}"),
            Err(error) => format!("the program ended: {error}"),
        };
        leaders.remove(&leader);
        drop(leaders);
        let _ = sender.send(how);
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

    /// Returns whether the process with the id in this file is dead.
    fn is_dead(file: &Path) -> bool {
        let pid = std::fs::read_to_string(file).expect("the file");
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        stat.map_or(true, |stat| stat.contains(") Z "))
    }

    /// Returns a script that starts a sleeping process with `how`, and waits until the process has written its id.
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
            // The sleeping process holds stdout open, so only its death ends the wait.
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
