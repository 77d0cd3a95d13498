//! `bench`: passes the built-in files and the arguments in and an exit code out.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use include_dir::{Dir, include_dir};
use plybench::cli::BuiltIn;

// The library does not contain these files, because it would be compiled again after every change to an experiment.
static CONFIGS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/configs");
static PUBLISHED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/reports/published");
const SCORES: &str = include_str!("../reports/scores.csv");

/// True if the process was started with a standard output (`>&-` closes it).
static HAS_STDOUT: AtomicBool = AtomicBool::new(true);

/// Runs before the standard library opens `/dev/null` in place of a closed standard output.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        // SAFETY: the call reads the flags of a descriptor, which may be closed.
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
