//! Every number that the committed runs' reports show, the closing tables of three runs, and a merged run against the
//! same run without shards. A test fails on any difference from the files of this folder and names each key.
//! `PLYBENCH_BLESS=1` writes the files again.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod closing;
mod golden;
#[path = "../golden/mod.rs"]
mod golden_file;
mod page;
mod reports;
mod shards;

use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Runs the program in a place without a device, and returns what it prints.
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
    // 5: a device is missing.
    let is_done = matches!(output.status.code(), Some(0 | 5));
    assert!(is_done, "bench {}: {}", arguments[0], said.join("\n"));
    String::from_utf8(output.stdout).unwrap()
}
