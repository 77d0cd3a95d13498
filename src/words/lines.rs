//! Reads the output of other processes line by line. The output may never end.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Maximum number of bytes that [`LastWords`] keeps.
const LONGEST: usize = 2_000;
/// Maximum time to wait for the end of a stream, which a leftover process may keep open.
const PATIENCE: Duration = Duration::from_millis(500);

/// The last non-empty line that a process wrote to stderr, which usually says why it ended.
pub struct LastWords {
    line: Arc<Mutex<String>>,
    /// Closed once the stream has been read to its end.
    ended: Receiver<()>,
}

impl LastWords {
    /// Starts a thread that reads a stream to its end.
    pub fn of(stream: impl Read + Send + 'static) -> LastWords {
        let line = Arc::new(Mutex::new(String::new()));
        let (open, ended) = mpsc::channel();
        let kept = Arc::clone(&line);
        // If the thread cannot start, the stream is closed and there are no last words.
        let _ = std::thread::Builder::new().spawn(move || {
            for_each_line(stream, LONGEST, |line, _| {
                let line = String::from_utf8_lossy(line).trim().to_owned();
                if !line.is_empty() {
                    *kept.lock().unwrap_or_else(PoisonError::into_inner) = line;
                }
                true
            });
            drop(open);
        });
        LastWords { line, ended }
    }

    /// Appends the last words to `how`, which says how the process ended. Waits briefly for the end of the stream.
    pub fn after(&self, how: String) -> String {
        let _ = self.ended.recv_timeout(PATIENCE);
        let line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        match line.is_empty() {
            true => how,
            false => format!("{how}; its last words: {line}"),
        }
    }
}

/// Calls `each` with every line, cut to `most` bytes, until it returns false. The flag is true if the line is complete.
pub fn for_each_line(stream: impl Read, most: usize, mut each: impl FnMut(&[u8], bool) -> bool) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        let mut bytes = reader.by_ref().take(most as u64 + 1);
        if !matches!(bytes.read_until(b'\n', &mut line), Ok(1..)) {
            return;
        }
        let is_cut = line.len() > most && !line.ends_with(b"\n");
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if !each(&text[..text.len().min(most)], !is_cut) {
            return;
        }
        if is_cut && reader.skip_until(b'\n').is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn lines(bytes: &[u8], most: usize) -> Vec<(String, bool)> {
        let mut lines = Vec::new();
        for_each_line(bytes, most, |line, whole| {
            lines.push((String::from_utf8_lossy(line).into_owned(), whole));
            true
        });
        lines
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory() {
        let of = |text: &str, whole| (text.to_owned(), whole);
        assert_eq!(
            lines(b"one\n\nlonger line\nend", 4),
            [
                of("one", true),
                of("", true),
                of("long", false),
                of("end", true)
            ]
        );
        let endless = io::repeat(b'x').take(1 << 20);
        let mut told = Vec::new();
        for_each_line(endless, 1_000, |line, whole| {
            told.push((line.len(), whole));
            true
        });
        assert_eq!(told, [(1_000, false)]);
    }
}
