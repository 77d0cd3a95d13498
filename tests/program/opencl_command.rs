//! `bench devices`, as a program.

use std::time::{Duration, Instant};

use assert_cmd::Command;

fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("bench"));
    command.args(arguments);
    command
}

#[test]
fn without_opencl_it_says_how_to_get_one_within_a_second() {
    let output = || {
        let mut command = bench(&["devices"]);
        command.env("OCL_ICD_VENDORS", "/nonexistent");
        command.assert().code(5)
    };
    // Other processes use the processor too: one of many is enough.
    let is_at_once = (0..30).any(|_| {
        let start = Instant::now();
        output();
        start.elapsed() < Duration::from_secs(1)
    });
    assert!(is_at_once);
    let output = output();
    let errors = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(errors.contains("no OpenCL is installed here"), "{errors}");
    let part = "apt-get install pocl-opencl-icd";
    assert!(errors.contains(part), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");

    bench(&["devices", "--json"])
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .assert()
        .stdout("[]\n");
}
