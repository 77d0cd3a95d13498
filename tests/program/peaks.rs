//! `bench peaks` on a device of this machine, as a user runs it. Without an OpenCL device each test says
//! so and passes.

use std::path::Path;
use std::process::{Command, Output};

use plybench::peaks::QUANTITIES;
use plybench::results::{self, PeakRow};
use plybench::words::Status;

use super::no_device;

/// The program with the least time, so that every quantity has its fewest samples.
fn peaks(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["peaks", "--budget", "100ms", "--json", "--no-cache"])
        .args(arguments)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(rows: &[PeakRow]) -> Vec<&str> {
    rows.iter().map(|row| row.quantity.as_str()).collect()
}

#[test]
fn every_quantity_is_measured_right_and_written() {
    if no_device() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("peaks");
    let output = peaks(&["--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let printed: Vec<PeakRow> = serde_json::from_slice(&output.stdout).unwrap();
    let mut warnings = Vec::new();
    let written = results::read_peaks(&out, &mut warnings).unwrap().unwrap();
    assert_eq!(written, printed);
    assert!(warnings.is_empty(), "{warnings:?}");
    assert!(out.join("environment.toml").exists());

    let all: Vec<&str> = QUANTITIES.iter().map(|quantity| quantity.name).collect();
    assert_eq!(names(&written), all);
    for row in &written {
        let context = format!("{row:?}");
        assert_eq!(
            (row.status, row.reason.as_str()),
            (Status::Ok, ""),
            "{context}"
        );
        let (value, low, high) = (row.value.unwrap(), row.low.unwrap(), row.high.unwrap());
        assert!(0.0 < low && low <= value && value <= high, "{context}");
        assert!(row.samples >= 5 && !row.launch.is_empty(), "{context}");
    }
    let of = |name: &str| written.iter().find(|row| row.quantity == name).unwrap();
    // Orders that hold on any device, with a margin for a busy machine.
    assert!(of("launch-chain").value < of("launch").value.map(|ns| 3.0 * ns));
    assert!(of("local-read").value > of("upload").value.map(|rate| rate / 3.0));
}

#[test]
fn a_wrong_kernel_has_no_peak() {
    if no_device() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let peaks_folder = folder.path().join("peaks");
    std::fs::create_dir(&peaks_folder).unwrap();
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("cl/peaks");
    for entry in std::fs::read_dir(kernels).unwrap() {
        let entry = entry.unwrap();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let step = "#define ADD(c) x##c += y##c; y##c += x##c;";
        let text = text.replace(step, "#define ADD(c) x##c += y##c; y##c += y##c;");
        std::fs::write(peaks_folder.join(entry.file_name()), text).unwrap();
    }
    let output = peaks(&["--kernels", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let rows: Vec<PeakRow> = serde_json::from_slice(&output.stdout).unwrap();
    for row in &rows {
        let wrong = row.quantity == "add";
        let right = if wrong { Status::Mismatch } else { Status::Ok };
        assert_eq!(row.status, right, "{row:?}");
        assert_eq!(row.value.is_none(), wrong, "{row:?}");
        assert_eq!(
            row.reason.starts_with("kernel `add` left 0x"),
            wrong,
            "{row:?}"
        );
    }
}

#[test]
fn a_runs_folder_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("experiment.toml"), "").unwrap();
    let output = peaks(&["--out", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4));
    let line = said(&output);
    assert!(line.contains("give peaks a folder of their own"), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
}
