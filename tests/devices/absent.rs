//! A machine without OpenCL: said at once, and nothing panics.
//!
//! The loader and its drivers are looked for once in a process, so each case is a process of its
//! own: this test program again, running one test that is ignored otherwise.

#![cfg(target_os = "linux")]

use std::process::Command;
use std::time::{Duration, Instant};

use plybench::opencl::{self, NoDevices};

#[test]
#[ignore = "the two tests below start it, each in an environment without OpenCL"]
fn nothing_is_found_here() {
    let start = Instant::now();
    assert!(!opencl::platforms_present());
    let Err(none) = opencl::list() else {
        panic!("a device")
    };
    assert_eq!(none, NoDevices::NoPlatform);
    assert!(
        none.to_string().contains("apt-get install pocl-opencl-icd"),
        "{none}"
    );
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
    println!("nothing was found");
}

fn assert_nothing_is_found_with(variable: &str, value: &std::path::Path) {
    let output = Command::new(std::env::current_exe().expect("its own path"))
        .args([
            "--ignored",
            "--exact",
            "absent::nothing_is_found_here",
            "--nocapture",
        ])
        .env(variable, value)
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("nothing was found"),
        "{text}{errors}"
    );
}

#[test]
fn a_loader_without_drivers() {
    assert_nothing_is_found_with("OCL_ICD_VENDORS", std::path::Path::new("/nonexistent"));
}

#[test]
fn no_loader_at_all() {
    // A file of that name that is no library hides the installed one.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("libOpenCL.so.1"), "").unwrap();
    assert_nothing_is_found_with("LD_LIBRARY_PATH", folder.path());
}
