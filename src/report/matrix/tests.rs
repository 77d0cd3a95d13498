use tempfile::TempDir;

use super::*;
use crate::results::{Invocation, RunFolder};

/// Writes a run folder with a row for each technique: label, kind, status, reason. What else a row
/// has is empty or 0.
fn run(folder: &Path, rows: &[(&str, Kind, Status, &str)]) {
    let written = RunFolder::create(folder).unwrap();
    written
        .add_invocation(&Invocation::default().with_id())
        .unwrap();
    written.write_experiment("").unwrap();
    drop(written);
    let file = folder.join("measurements.csv");
    let header = csv::Reader::from_path(&file)
        .unwrap()
        .headers()
        .unwrap()
        .clone();
    let mut writer = csv::Writer::from_path(&file).unwrap();
    writer.write_record(&header).unwrap();
    for (number, (technique, kind, status, reason)) in rows.iter().enumerate() {
        let number = number.to_string();
        let field = |name: &str| match name {
            "key" | "case" => number.clone(),
            "game" => "reversi".to_owned(),
            "task" => "game".to_owned(),
            "technique" => (*technique).to_owned(),
            "kind" => kind.word().to_owned(),
            "status" => status.word().to_owned(),
            "reason" => (*reason).to_owned(),
            "invocation" => Invocation::default().with_id().id,
            "threads" | "samples" | "units" => "0".to_owned(),
            _ => String::new(),
        };
        writer.write_record(header.iter().map(field)).unwrap();
    }
    writer.flush().unwrap();
}

const DEVICE: Kind = Kind::Device;

/// What the CSV says of a technique on an implementation.
fn said(matrix: &Matrix, technique: &str, implementation: &str) -> String {
    let csv = String::from_utf8(matrix.csv().unwrap()).unwrap();
    let wanted = format!("reversi,game,{technique},{implementation},");
    let line = csv.lines().find_map(|line| line.strip_prefix(&wanted));
    line.unwrap_or_else(|| panic!("no {wanted} in\n{csv}"))
        .to_owned()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn right_and_honestly_unsupported_techniques_are_good() {
    let folder = folder();
    run(
        &folder.path().join("pocl/smoke"),
        &[
            ("serial", Kind::Serial, Status::Ok, ""),
            ("a", DEVICE, Status::Ok, ""),
            ("a", DEVICE, Status::Unsupported, "no images"),
            ("b", DEVICE, Status::Unsupported, "no enqueue"),
        ],
    );
    run(
        &folder.path().join("intel/smoke"),
        &[
            ("a", DEVICE, Status::Ok, ""),
            ("b", DEVICE, Status::Memory, "needs 3 GiB"),
        ],
    );
    let matrix = Matrix::read(folder.path()).unwrap();
    assert!(matrix.is_good() && !matrix.is_wrong());
    assert_eq!(matrix.ran(), 2);
    assert_eq!(said(&matrix, "serial", "host"), "ok,");
    assert_eq!(said(&matrix, "a", "pocl"), "ok in part,no images");
    assert_eq!(said(&matrix, "b", "pocl"), "unsupported,no enqueue");
    assert_eq!(said(&matrix, "a", "intel"), "ok,");
    assert_eq!(said(&matrix, "b", "intel"), "unsupported,needs 3 GiB");
    let text = matrix.text();
    let head = text.lines().next().unwrap();
    assert_eq!(
        head.split_whitespace().collect::<Vec<_>>(),
        ["game", "task", "technique", "pocl", "intel"]
    );
    assert!(text.contains("host: 1 of 1 techniques ok"), "{text}");
    assert!(text.contains("[2] no enqueue"), "{text}");
}

#[test]
fn a_failure_a_skipped_case_and_a_technique_that_was_left_out_are_not_good() {
    for (status, reason) in [
        (Status::Mismatch, "value 3, not 4"),
        (Status::Crashed, "signal: 11"),
        (Status::Skipped, "budget"),
        (Status::Timeout, "30 s"),
        (Status::BuildFailed, "line 3"),
    ] {
        let folder = folder();
        run(
            &folder.path().join("pocl/smoke"),
            &[
                ("a", DEVICE, Status::Ok, ""),
                ("a", DEVICE, status, reason),
                ("a", DEVICE, Status::Unsupported, "no images"),
            ],
        );
        let matrix = Matrix::read(folder.path()).unwrap();
        assert!(!matrix.is_good(), "{status}");
        assert_eq!(matrix.is_wrong(), status == Status::Mismatch);
        let said = said(&matrix, "a", "pocl");
        assert!(said.starts_with(status.word()) && said.contains(reason));
    }
    let folder = folder();
    run(
        &folder.path().join("pocl/x"),
        &[("a", DEVICE, Status::Ok, "")],
    );
    run(
        &folder.path().join("intel/x"),
        &[("b", DEVICE, Status::Ok, "")],
    );
    let matrix = Matrix::read(folder.path()).unwrap();
    assert!(!matrix.is_good());
    assert_eq!(said(&matrix, "a", "intel"), "not run,");
}

#[test]
fn a_simulator_that_is_not_verified_lacks_nothing() {
    let folder = folder();
    let row = [("a", DEVICE, Status::Ok, "")];
    for name in ["pocl", "oclgrind"] {
        run(&folder.path().join(name).join("x"), &row);
    }
    let verified = |status: Status| {
        let text = format!(
            r#"{{"utc": "", "program": {}, "device": {}, "techniques": [{{"game": "reversi", "technique": "a",
               "status": "{status}", "cases": 1, "right": 1, "wrong": 0, "unsupported": 0, "failed": 0,
               "reason": "", "command": "", "ns": 1}}]}}"#,
            serde_json::to_string(&crate::results::Program::default()).unwrap(),
            serde_json::to_string(&crate::results::DeviceRecord::default()).unwrap(),
        );
        fs::write(folder.path().join("pocl").join(VERIFIED), text).unwrap();
        Matrix::read(folder.path()).unwrap()
    };
    assert!(verified(Status::Ok).is_good());
    assert!(verified(Status::Mismatch).is_wrong());
}

#[test]
fn findings_count_but_for_those_that_are_proved_to_be_none() {
    let folder = folder();
    let device = folder.path().join("oclgrind/one");
    run(&device.join("a"), &[("a", DEVICE, Status::Ok, "")]);
    run(
        &device.join("frames"),
        &[("frames", DEVICE, Status::Ok, "")],
    );
    let uninitialised =
        "\nControlflow depends on uninitialized value\n\tKernel: turn\n\tAt line 1 of x:\n";
    fs::write(device.join("frames.log"), uninitialised).unwrap();
    fs::write(device.join("a.log"), "\n").unwrap();
    let matrix = Matrix::read(folder.path()).unwrap();
    assert!(matrix.is_good(), "{}", matrix.text());
    assert!(matrix.text().contains("(not counted)"));

    let twice = uninitialised.repeat(2);
    fs::write(device.join("a.log"), twice).unwrap();
    let matrix = Matrix::read(folder.path()).unwrap();
    assert!(!matrix.is_good());
    assert_eq!(said(&matrix, "a", "oclgrind"), "findings,2 findings");
    let text = matrix.text();
    assert!(
        text.contains(
            "oclgrind: 2 x kernel `turn` of a: Controlflow depends on uninitialized value, line 1 of x"
        ),
        "{text}"
    );
}

#[test]
fn an_implementation_that_is_missing_is_said_and_a_run_that_broke_off_is_a_failure() {
    let folder = folder();
    run(
        &folder.path().join("pocl/x"),
        &[("a", DEVICE, Status::Ok, "")],
    );
    let intel = folder.path().join("intel");
    fs::create_dir(&intel).unwrap();
    fs::write(intel.join(MISSING), "there is no network\n").unwrap();
    let matrix = Matrix::read(folder.path()).unwrap();
    assert!(matrix.is_good());
    assert_eq!(matrix.ran(), 1);
    assert_eq!(said(&matrix, "a", "intel"), "missing,there is no network");
    assert!(
        matrix
            .text()
            .contains("intel: not here: there is no network")
    );

    let broken = folder.path().join("pocl").join(FAILURES);
    fs::write(broken, "smoke.toml: exit 5\n").unwrap();
    let matrix = Matrix::read(folder.path()).unwrap();
    assert!(!matrix.is_good());
    assert!(matrix.text().contains("pocl: smoke.toml: exit 5"));
}
