//! `bench devices`, as a program.

use std::time::{Duration, Instant};

use assert_cmd::Command;

use super::no_device;

fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("bench"));
    command.args(arguments);
    command
}

#[test]
fn without_opencl_it_says_how_to_get_one_within_a_second() {
    let start = Instant::now();
    let output = bench(&["devices"])
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .assert()
        .code(5);
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
    let errors = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(errors.contains("no OpenCL is installed here"), "{errors}");
    assert!(
        errors.contains("apt-get install pocl-opencl-icd"),
        "{errors}"
    );
    assert_eq!(errors.lines().count(), 1, "{errors}");

    bench(&["devices", "--json"])
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .assert()
        .stdout("[]\n");
}

#[test]
fn the_array_and_the_table_show_the_same_devices() {
    if no_device() {
        return;
    }
    let output = bench(&["devices", "--json"]).assert().code(0);
    let devices: Vec<plybench::opencl::Probed> =
        serde_json::from_slice(&output.get_output().stdout).expect("an array of devices");
    assert!(!devices.is_empty());
    let output = bench(&["devices"]).assert().code(0);
    let table = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    for device in &devices {
        let line = table
            .lines()
            .find(|line| line.starts_with(&device.info.numbers()))
            .unwrap_or_else(|| panic!("{} is not in\n{table}", device.info.numbers()));
        assert!(line.ends_with(&device.info.label), "{line}");
        assert!(line.contains(&device.info.kind.to_string()), "{line}");
        assert!(device.fault.is_none(), "{:?}", device.fault);
        assert!(device.preferred_multiple > 0);
    }
}
