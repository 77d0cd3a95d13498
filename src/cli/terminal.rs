//! What the terminal can show.

use std::fmt;
use std::io::{IsTerminal, Write};

use super::exit::Exit;

/// As the standard library's, but for names with control characters or without an end, and for a stderr that
/// cannot be written: what cannot be told ends no run.
macro_rules! eprintln {
    ($($words:tt)*) => { crate::cli::terminal::tell(format_args!($($words)*)) };
}

/// Whether colour may be written to stdout: a terminal, not a dumb one, and no `NO_COLOR`
/// (<https://no-color.org>).
pub fn colour() -> bool {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal() && !plain && !dumb()
}

/// Whether a progress bar may be drawn on stderr.
pub fn live() -> bool {
    std::io::stderr().is_terminal() && !dumb()
}

fn dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// A line on stderr has no more characters: names may be as long as a file.
const LONGEST_LINE: usize = 2_000;

/// Writes lines to stderr, what a terminal would obey escaped.
pub fn tell(words: fmt::Arguments<'_>) {
    // A message that cannot be written has no reader.
    let _ = writeln!(std::io::stderr(), "{}", plain(&words.to_string()));
}

/// A text without control characters, its lines of a bearable length.
pub fn plain(text: &str) -> String {
    let shown = |line: &str| {
        let mut short = String::new();
        for letter in line.chars().take(LONGEST_LINE) {
            if letter.is_control() && letter != '\t' {
                short.extend(letter.escape_debug());
            } else {
                short.push(letter);
            }
        }
        if line.chars().nth(LONGEST_LINE).is_some() {
            short.push('…');
        }
        short
    };
    text.split('\n').map(shown).collect::<Vec<_>>().join("\n")
}

/// Columns of the terminal; 100 where there is none.
pub fn width() -> usize {
    console::Term::stdout()
        .size_checked()
        .map_or(100, |(_, columns)| usize::from(columns))
}

/// Printing into a pipe that closed early (`bench list | head -1`) ends the program without a
/// word, and printing to a full disk with one line: `println!` would panic in both.
pub fn end_where_stdout_cannot_be_written() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic
            .payload()
            .downcast_ref::<String>()
            .map_or("", String::as_str);
        if text.contains("Broken pipe") {
            // 128 + SIGPIPE, as a shell reports a program that the signal ended.
            std::process::exit(141);
        }
        if let Some(why) = text.strip_prefix("failed printing to stdout: ") {
            eprintln!("bench: standard output: cannot be written: {why}");
            std::process::exit(Exit::Files as i32);
        }
        usual(panic);
    }));
}
