//! A machine without OpenCL: said at once, and nothing panics.

#![cfg(target_os = "linux")]

use std::process::Command;

use plybench::opencl::{self, NoDevices};

#[test]
#[ignore = "the two tests below start it, each in an environment without OpenCL"]
fn nothing_is_found_here() {
    assert!(!opencl::platforms_present());
    let Err(none) = opencl::list() else {
        panic!("a device")
    };
    assert_eq!(none, NoDevices::NoPlatform);
    let part = "apt-get install pocl-opencl-icd";
    assert!(none.to_string().contains(part), "{none}");
    println!("nothing was found");
}

fn assert_nothing_is_found_with(variable: &str, value: &std::path::Path) {
    let output = Command::new(std::env::current_exe().expect("its own path"))
        .args("--ignored --exact absent::nothing_is_found_here --nocapture".split(' '))
        .env(variable, value)
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let holds = output.status.success() && text.contains("nothing was found");
    assert!(holds, "{text}{errors}");
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
