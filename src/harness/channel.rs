//! Connects a parent and a child process through a socket on the child's stdin, with one message per line.
//!
//! The parent does not read the child's stdout, because OpenCL drivers print text there. This text may be long and may
//! look like an answer. The lengths of messages and of stderr are limited.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::words::{LastWords, for_each_line};

/// Maximum size of a message, in bytes. A batch of long answers takes several MB.
const LONGEST_MESSAGE: usize = 64 << 20;
/// Maximum number of messages in the queue. The child blocks while the queue is full.
const QUEUED: usize = 16;
/// Interval at which a waiting parent checks that its child is alive, and whether a stop was requested.
pub(super) const POLL: Duration = Duration::from_millis(100);
/// Maximum time to wait for the end of a child that was killed or has closed its channel.
const REAP_TIMEOUT: Duration = Duration::from_secs(3);
/// Time after which a request fails if the child does not read it.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a child sent no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecvError {
    /// No message arrived in time.
    Late,
    /// The channel closed. The text says how the child ended.
    Ended(String),
}

/// A child process with its channel. Dropping it kills the child.
pub struct ChildChannel {
    child: Child,
    requests: Box<dyn Write + Send>,
    /// The child's messages, then the reason why no more follow.
    messages: Receiver<Result<String, String>>,
    errors: Option<LastWords>,
}

impl ChildChannel {
    /// Starts a child process. Fails if the system cannot start the process or its reader thread.
    pub fn start(command: &mut Command) -> io::Result<ChildChannel> {
        command.stderr(Stdio::piped());
        let (mut child, requests, replies) = start(command)?;
        let (sender, messages) = mpsc::sync_channel(QUEUED);
        let receives = thread::Builder::new().spawn(move || {
            for_each_line(replies, LONGEST_MESSAGE, |line, whole| {
                let too_long =
                    || format!("it sent a line of more than {} MiB", LONGEST_MESSAGE >> 20);
                let line = String::from_utf8_lossy(line).into_owned();
                let received = if whole { Ok(line) } else { Err(too_long()) };
                sender.send(received).is_ok() && whole
            });
        });
        let channel = ChildChannel {
            errors: child.stderr.take().map(LastWords::of),
            child,
            requests,
            messages,
        };
        // On an error, dropping `channel` kills the child.
        receives.map(|_| channel)
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// True if the child is running. Its process id is not reused until it is reaped.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends a line to the child. Ignores write errors, because the missing answer reveals them.
    pub fn send(&mut self, line: &str) {
        let sent = self.requests.write_all(format!("{line}\n").as_bytes());
        let _ = sent.and_then(|()| self.requests.flush());
    }

    /// Returns the child's next line. Fails with [`RecvError`] if none arrives within `patience`.
    pub fn recv(&mut self, patience: Duration) -> Result<String, RecvError> {
        let since = Instant::now();
        let mut has_ended = false;
        loop {
            let left = patience.saturating_sub(since.elapsed());
            match self.messages.recv_timeout(left.min(POLL)) {
                Ok(Ok(line)) => return Ok(line),
                Ok(Err(why)) => {
                    self.kill();
                    return Err(RecvError::Ended(why));
                }
                Err(RecvTimeoutError::Disconnected) => break,
                // Processes that the child's driver started may keep the channel open.
                Err(RecvTimeoutError::Timeout) if has_ended => break,
                Err(RecvTimeoutError::Timeout) => {
                    has_ended = !matches!(self.child.try_wait(), Ok(None));
                    if !has_ended && since.elapsed() >= patience {
                        return Err(RecvError::Late);
                    }
                }
            }
        }
        Err(RecvError::Ended(self.exit_report()))
    }

    /// Kills the child if it is alive, and reaps it. Gives up if a driver blocks the child in the kernel.
    fn kill(&mut self) {
        let _ = self.child.kill();
        self.reap();
    }

    fn reap(&mut self) -> Option<ExitStatus> {
        let since = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(None) if since.elapsed() < REAP_TIMEOUT => thread::sleep(REAP_TIMEOUT / 300),
                ended => return ended.ok().flatten(),
            }
        }
    }

    /// Describes how the child process exited, and includes the last lines of its stderr. Processes that its driver
    /// started may keep both streams open.
    fn exit_report(&mut self) -> String {
        let how = match self.reap() {
            Some(status) => status.to_string(),
            None => {
                self.kill();
                "it closed its channel but kept running".to_owned()
            }
        };
        let errors = self.errors.as_ref();
        errors.map_or(how.clone(), |errors| errors.after(how))
    }
}

impl Drop for ChildChannel {
    fn drop(&mut self) {
        self.kill();
    }
}

type Started = (Child, Box<dyn Write + Send>, Box<dyn Read + Send>);

#[cfg(unix)]
fn start(command: &mut Command) -> io::Result<Started> {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_write_timeout(Some(SEND_TIMEOUT))?;
    let child = command
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .spawn();
    // `command` still holds the child's end. While that end is open, the parent cannot detect the child's death.
    command.stdin(Stdio::null());
    let replies = ours.try_clone()?;
    Ok((child?, Box::new(ours), Box::new(replies)))
}

/// Starts a child on a system without a bidirectional stdin. There, text that a driver prints to stdout ends the child.
#[cfg(not(unix))]
fn start(command: &mut Command) -> io::Result<Started> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(requests), Some(replies)) => Ok((child, Box::new(requests), Box::new(replies))),
        _ => Err(io::Error::other("no pipes to a child")),
    }
}

/// Opens the child's channel for writing. Requests arrive on stdin. Fails if the system cannot duplicate the handle.
pub fn to_parent() -> io::Result<impl Write> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let both_ways = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(std::fs::File::from(both_ways))
    }
    #[cfg(not(unix))]
    Ok(io::stdout())
}

/// Sends one message to the parent in a single write. Fails if the parent is gone.
pub fn send(out: &mut impl Write, message: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}
