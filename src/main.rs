//! `bench`: passes arguments in and an exit code out, and does nothing else.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

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
    plybench::cli::main(HAS_STDOUT.load(Ordering::Relaxed))
}
