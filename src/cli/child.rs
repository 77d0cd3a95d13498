//! A child process that says one JSON object a line: a driver that crashes or hangs takes that one
//! down, and the parent says so and goes on.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde::Serialize;

/// How long a child that closed its stdout may take to end.
const MOURNING: Duration = Duration::from_secs(1);

/// Says one object to the parent, on stdout.
pub fn say(marker: &str, said: &impl Serialize) -> std::io::Result<()> {
    // One write a line, so that no driver's thread can print into the middle of it.
    let mut line = format!("\n{marker}").into_bytes();
    serde_json::to_writer(&mut line, said)?;
    line.push(b'\n');
    let mut out = std::io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

/// Why a child says no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// It did not say anything in time.
    Late,
    /// It closed its stdout: [`Child::last_words`] has more.
    Closed,
}

/// A running child. It is killed when this is dropped.
pub struct Child {
    process: std::process::Child,
    marker: &'static str,
    said: Receiver<String>,
    errors: Receiver<String>,
}

impl Child {
    /// Starts one. `marker` begins every line of its stdout that is ours; drivers print there too.
    ///
    /// # Errors
    ///
    /// Where the system cannot start it.
    pub fn start(command: &mut Command, marker: &'static str) -> std::io::Result<Child> {
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let said = lines(process.stdout.take());
        let errors = lines(process.stderr.take());
        Ok(Child {
            process,
            marker,
            said,
            errors,
        })
    }

    /// The next object that it says, as text, within so much time.
    pub fn next(&self, patience: Duration) -> Result<String, Silence> {
        let started = Instant::now();
        loop {
            let left = patience.saturating_sub(started.elapsed());
            let line = self.said.recv_timeout(left).map_err(|why| match why {
                RecvTimeoutError::Timeout => Silence::Late,
                RecvTimeoutError::Disconnected => Silence::Closed,
            })?;
            if let Some((_, object)) = line.split_once(self.marker) {
                return Ok(object.to_owned());
            }
        }
    }

    /// Kills it, if it lives, and takes its remains.
    pub fn end(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// How one that closed its stdout ended, with the last line that it wrote to stderr.
    ///
    /// What a driver started may hold either pipe open, so neither end is waited for without limit.
    pub fn last_words(&mut self) -> String {
        let deadline = Instant::now() + MOURNING;
        let how = loop {
            match self.process.try_wait() {
                Ok(Some(status)) => break format!("its driver ended the process ({status})"),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(MOURNING / 100),
                Ok(None) | Err(_) => {
                    self.end();
                    break "its driver closed the process's output".to_owned();
                }
            }
        };
        let mut last = None;
        while let Ok(line) = self
            .errors
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            if !line.trim().is_empty() {
                last = Some(line);
            }
        }
        match last {
            Some(line) => format!("{how}: {}", line.trim()),
            None => how,
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads a pipe's lines on a thread of its own, until its end.
fn lines(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let Some(pipe) = pipe else { return };
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(1..)) {
            if sender
                .send(String::from_utf8_lossy(&line).into_owned())
                .is_err()
            {
                break;
            }
            line.clear();
        }
    });
    receiver
}
