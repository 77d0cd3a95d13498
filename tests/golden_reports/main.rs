//! Freezes every number in the reports of the committed runs and in the closing tables of three runs. Also compares a
//! merged run with the same run without shards. If anything differs from the files in this folder, a test fails and
//! names each key. With `PLYBENCH_BLESS=1`, the tests write the files instead.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod closing;
mod golden;
#[path = "../golden/mod.rs"]
mod golden_file;
mod page;
mod recompute;
mod reports;
mod shards;

use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Runs the program in a folder, without a device, and returns its standard output.
fn bench(place: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(arguments).current_dir(place);
    command.env("PLYBENCH_CACHE", "off").env("NO_COLOR", "1");
    for name in ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"] {
        command.env(name, "/nonexistent");
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().take(20).collect();
    // Exit code 5 means that a device is missing.
    let is_done = matches!(output.status.code(), Some(0 | 5));
    assert!(is_done, "bench {}: {}", arguments[0], said.join("\n"));
    String::from_utf8(output.stdout).unwrap()
}
