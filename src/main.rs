//! The program `bench`. Passes the built-in files to the library and returns its exit code.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use include_dir::{Dir, include_dir};
use plybench::cli::BuiltIn;

// The library does not contain these files, because every change to an experiment would then recompile it.
static CONFIGS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/configs");
static PUBLISHED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/reports/published");
const SCORES: &str = include_str!("../reports/scores.csv");

/// Whether the process was started with an open standard output (`>&-` closes it).
static HAS_STDOUT: AtomicBool = AtomicBool::new(true);

/// Checks the standard output before the standard library replaces a closed one with `/dev/null`.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        // SAFETY: the call only reads a descriptor's flags. It returns -1 if the descriptor is closed.
        let flags = unsafe { nix::libc::fcntl(1, nix::libc::F_GETFD) };
        HAS_STDOUT.store(flags != -1, Ordering::Relaxed);
    }
    look
};

fn main() -> ExitCode {
    let built_in = BuiltIn {
        configs: &CONFIGS,
        published: &PUBLISHED,
        scores: SCORES,
    };
    plybench::cli::main(built_in, HAS_STDOUT.load(Ordering::Relaxed))
}
