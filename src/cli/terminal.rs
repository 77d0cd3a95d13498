//! Terminal output: colours, width, messages, progress bars and write errors.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::exit::Exit;

/// Replaces the standard library's macro. Escapes control characters and ignores write errors.
macro_rules! eprintln {
    ($($words:tt)*) => { crate::cli::terminal::tell(format_args!($($words)*)) };
}

/// Returns a failure with an exit code and a message.
macro_rules! fail {
    ($exit:ident, $($words:tt)*) => {
        return Err($crate::cli::exit::Failure::new($crate::cli::Exit::$exit, anyhow::anyhow!($($words)*)))
    };
}

/// Returns a usage failure.
macro_rules! usage {
    ($($words:tt)*) => { return Err(anyhow::anyhow!($($words)*).into()) };
}

/// Returns true if stdout may have colour: it is a capable terminal, and `NO_COLOR` is unset (<https://no-color.org>).
pub fn colour() -> bool {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal() && !plain && !dumb()
}

pub fn live() -> bool {
    std::io::stderr().is_terminal() && !dumb()
}

fn dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Maximum number of characters in a line on stderr. A name may be as long as a whole file.
const LONGEST_LINE: usize = 2_000;

pub fn tell(words: fmt::Arguments<'_>) {
    // Ignores a failed write, because there is nowhere else to report it.
    let _ = writeln!(std::io::stderr(), "{}", plain(&words.to_string()));
}

/// Escapes control characters and shortens overlong lines.
pub fn plain(text: &str) -> String {
    let shown = |line: &str| {
        let mut short = String::new();
        for letter in line.chars().take(LONGEST_LINE) {
            match letter.is_control() && letter != '\t' {
                true => short.extend(letter.escape_debug()),
                false => short.push(letter),
            }
        }
        short.extend(line.chars().nth(LONGEST_LINE).map(|_| '…'));
        short
    };
    text.split('\n').map(shown).collect::<Vec<_>>().join("\n")
}

/// Returns the terminal's width in columns, or 100 if stdout is not a terminal.
pub fn width() -> usize {
    let size = console::Term::stdout().size_checked();
    size.map_or(100, |(_, columns)| usize::from(columns))
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub fn note_interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Returns true if a signal arrives within 0.5 s. If the terminal is closed, writes may fail before it arrives.
fn was_interrupted() -> bool {
    (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        INTERRUPTED.load(Ordering::Relaxed)
    })
}

/// Returns a progress bar on stderr, redrawn every 0.5 s. It is hidden if stderr is not a terminal.
pub fn bar(length: Option<u64>, template: &str) -> ProgressBar {
    if !live() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
    bar.set_style(style(template));
    // `enable_steady_tick` would panic if the system could not create another thread.
    if std::thread::Builder::new().spawn(|| {}).is_ok() {
        bar.enable_steady_tick(Duration::from_millis(500));
    }
    bar
}

pub fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Makes writes fail at a file size limit (`ulimit -f`) instead of raising a signal. Child processes keep the default.
pub fn outlive_a_limit_on_files() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
        extern "C" fn nothing(_: nix::libc::c_int) {}
        let handler = SigHandler::Handler(nothing);
        let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
        // SAFETY: the handler does nothing.
        let _ = unsafe { sigaction(Signal::SIGXFSZ, &action) };
    }
}

/// Exits silently on a closed pipe (`bench list | head -1`), and with a message on a full disk. `println!` would panic.
pub fn end_where_stdout_cannot_be_written() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload().downcast_ref::<String>();
        let text = text.map_or("", String::as_str);
        if text.contains("Broken pipe") {
            // 128 + SIGPIPE: the code that a shell reports for a program killed by this signal.
            std::process::exit(141);
        }
        if let Some(why) = text.strip_prefix("failed printing to stdout: ") {
            // The terminal was closed, so the system sends SIGHUP.
            if why.contains("os error 5)") && was_interrupted() {
                std::process::exit(Exit::Interrupted as i32);
            }
            eprintln!("bench: standard output: cannot be written: {why}");
            std::process::exit(Exit::Files as i32);
        }
        usual(panic);
    }));
}

/// Joins the names for an error message.
pub fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let text = names.collect::<Vec<_>>().join(", ");
    if text.is_empty() { "none".into() } else { text }
}
