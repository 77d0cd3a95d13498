//! Provides resources that tests need but that a machine may lack.

#![allow(dead_code, reason = "each binary of tests needs some of it")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use plybench::opencl::{self, Device, DeviceInfo};

fn required() -> String {
    std::env::var("PLYBENCH_REQUIRE_DEVICE").unwrap_or_default()
}

/// Prints that a test cannot run, and why.
///
/// # Panics
/// If `PLYBENCH_REQUIRE_DEVICE` is set.
pub fn skip(what: &str) {
    assert!(
        required().is_empty(),
        "this test cannot run, and PLYBENCH_REQUIRE_DEVICE says that it must: {what}"
    );
    eprintln!("skipped: {what}");
}

/// Lists this machine's OpenCL devices. If there are none, prints a message and returns `None`.
pub fn devices() -> Option<Vec<DeviceInfo>> {
    // List devices only once. pocl crashes if several threads do so at the same time.
    static FOUND: OnceLock<Result<Vec<DeviceInfo>, String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| opencl::list().map_err(|none| none.to_string()));
    found.as_ref().map_err(|none| skip(none)).ok().cloned()
}

/// Returns the first device that has, or lacks, device-side enqueue, as requested.
pub fn device_with(device_enqueue: bool) -> Option<DeviceInfo> {
    let mut all = devices()?.into_iter();
    let found = all.find(|info| info.device_enqueue == device_enqueue);
    let with = if device_enqueue { "with" } else { "without" };
    let what = format!("no OpenCL device {with} device-side enqueue");
    match found {
        Some(info) => return Some(info),
        None if device_enqueue && required() == "enqueue" => skip(&what),
        None => eprintln!("skipped: {what}"),
    }
    None
}

pub type Turn = MutexGuard<'static, ()>;

/// Opens the device that `choose` returns. Returns `None` if `choose` finds no device.
pub fn opened(choose: impl FnOnce() -> Option<DeviceInfo>) -> Option<(Turn, Device)> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let info = choose()?;
    Some((turn, opencl::open(&info).expect("it opens")))
}

pub fn best() -> Option<DeviceInfo> {
    let devices = devices()?;
    let best = opencl::select(&devices, &[]).expect("there is one");
    Some(best[0].clone())
}

/// Opens the best device. The lock prevents other tests from using its driver.
pub fn device() -> Option<(Turn, Device)> {
    opened(best)
}

/// Compiles a C file below `tests` into a shared library, once per process.
pub fn library(source: &str) -> PathBuf {
    static FOLDER: Mutex<Option<tempfile::TempDir>> = Mutex::new(None);
    let mut folder = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = folder.get_or_insert_with(|| tempfile::tempdir().expect("a temporary folder"));
    let name = Path::new(source).with_extension("so");
    let library = folder.path().join(name.file_name().expect("a file"));
    if !library.exists() {
        let mut compiler = Command::new("cc");
        let options = "-shared -fPIC -O1 -Wall -Wextra -Werror -o";
        compiler.args(options.split(' ')).arg(&library);
        compiler.arg(format!("{}/tests/{source}", env!("CARGO_MANIFEST_DIR")));
        let compiled = compiler.args(["-ldl", "-lpthread"]).output();
        let compiled = compiled.expect("the C compiler that Rust links with");
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{source}: {said}");
    }
    library
}
