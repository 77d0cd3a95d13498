//! Tests devices and drivers that fail.

use rayon::prelude::*;

use crate::needed::devices;

use super::place::{Ended, Place, Row, TINY, assert_row, cell, copy, edit, ended};

/// Runs an experiment whose first cell on the device fails at its second batch of samples.
fn run_with(fault: &str) -> (Place, Ended) {
    let place = Place::new(TINY);
    let output = place.with_fault(&["run", "tiny.toml"], fault, 6);
    (place, output.into())
}

/// Fails unless all host cells are measured. They do not depend on the device.
fn assert_host_is_measured(place: &Place) {
    for technique in ["serial", "rayon"] {
        for depth in [1, 2] {
            let row = place.row(technique, depth);
            assert_eq!(row["status"], "ok", "{technique}: {}", row["reason"]);
        }
    }
}

/// Fails unless the results state why a cell has no number, and show neither a time nor a ratio.
fn assert_no_number(place: &Place, row: &Row) {
    assert_eq!(
        (row["median_ns"].as_str(), row["samples"].as_str()),
        ("", "0")
    );
    assert!(!row["reason"].is_empty());
    let samples = place.csv("samples.csv");
    assert!(samples.iter().all(|sample| cell(sample) != cell(row)));
    let table = place.csv("tables/factors.csv");
    let depth = row["case"].rsplit('=').next();
    let mut shown = table
        .iter()
        .filter(|entry| Some(entry["depth"].as_str()) == depth);
    let entry = shown.next().expect("the cell's place in the table");
    for column in ["ours", "low", "high"] {
        assert_eq!(entry[column], "", "{column}");
    }
    assert_eq!(entry["status"], row["status"]);
    // In the report, the status replaces the time.
    let report = place.text("report.md");
    assert!(report.contains(&row["status"]), "{report}");
}

/// Expects that one cell fails with this status, and that the program continues and reports the failure.
fn assert_costs_one_cell(fault: &str, (code, status): (i32, &str), reason: &str) {
    let Some(_devices) = devices() else { return };
    let (place, ended) = run_with(fault);
    let row = place.row("pv-split", 1);
    assert_row(&row, status, reason);
    assert_eq!(ended.code, Some(code), "{fault}: {}", ended.said);
    assert_no_number(&place, &row);
    let next = place.row("pv-split", 2);
    assert_eq!(next["status"], "ok", "{fault}: {}", next["reason"]);
    assert_host_is_measured(&place);
    ended.lacks("panicked");

    // After a transient fault, a run without the fault retries the cell.
    if code == 3 {
        let [_, said] = place.ends(0, "run tiny.toml");
        assert!(said.contains("5 cells kept"), "{said}");
        assert_eq!(place.row("pv-split", 1)["status"], "ok");
    }
}

#[test]
fn a_fault_costs_one_cell() {
    let late = "no answer within 20s; the worker was killed";
    let faults = [
        ("segfault", (3, "crashed"), "signal: 11 (SIGSEGV)"),
        ("killed", (3, "crashed"), "signal: 9 (SIGKILL)"),
        ("exit", (3, "crashed"), "exit status: 0"),
        ("hang", (3, "timeout"), late),
        ("vendor-status", (3, "crashed"), "vendor status -9999"),
        ("unplugged", (3, "crashed"), "CL_DEVICE_NOT_AVAILABLE (-2)"),
        // After an illegal access, NVIDIA's driver fails until the process ends.
        ("poison", (3, "crashed"), "CL_OUT_OF_RESOURCES (-5)"),
        (
            "lazy-memory",
            (0, "memory"),
            "GiB: clEnqueueNDRangeKernel failed: CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)",
        ),
    ];
    let check = |(fault, end, reason)| assert_costs_one_cell(fault, end, reason);
    faults.into_par_iter().for_each(check);
}

#[test]
fn memory_that_runs_out_when_buffers_are_made() {
    let Some(_devices) = devices() else { return };
    let place = Place::new(TINY);
    // Every process has this fault, because the process that measures the device's transfers is the first to allocate.
    let run = |more: &[&str]| {
        let mut command = place.command(&[&["run", "tiny.toml"], more].concat());
        ended(place.with_layer(&mut command, &[("FAULT", "memory")]))
    };
    run(&[]).ends(0);
    for depth in [1, 2] {
        let row = place.row("pv-split", depth);
        assert_row(&row, "memory", "GiB: clCreateBuffer");
        assert_no_number(&place, &row);
    }
    assert_host_is_measured(&place);
    // With `--strict`, or if only these cells were requested, the exit code must reveal the missing answers.
    let lacking = "--strict: 2 of 6 cells that were asked for have no answer";
    let none = "no cell that was asked for has an answer";
    for (more, why) in [("--strict", lacking), ("--technique=pv-split", none)] {
        run(&[more]).ends(3).says(why);
    }
}

/// The worker crashes. The next worker does not find the device any more.
#[test]
fn a_device_that_disappears_for_good() {
    let Some(_devices) = devices() else { return };
    let (place, ended) = run_with("vanish");
    ended.ends(3);
    assert!(place.row("pv-split", 1)["reason"].contains("signal: 11"));
    let row = place.row("pv-split", 2);
    assert_eq!(row["status"], "crashed");
    let holds = row["reason"].starts_with("the device is lost: ");
    assert!(holds, "{}", row["reason"]);
    assert_no_number(&place, &row);
    assert_host_is_measured(&place);
}

#[test]
fn a_wrong_answer_is_a_mismatch_without_a_ratio() {
    let Some(_devices) = devices() else { return };
    let (place, ended) = run_with("wrong");
    ended.ends(2);
    let rows: Vec<Row> = [1, 2].map(|depth| place.row("pv-split", depth)).into();
    let wrong: Vec<&Row> = rows
        .iter()
        .filter(|row| row["status"] == "mismatch")
        .collect();
    assert!(!wrong.is_empty(), "{rows:?}");
    for row in wrong {
        let holds = row["reason"].contains("but the reference has");
        assert!(holds, "{}", row["reason"]);
        ended.says("mismatch");
        assert_no_number(&place, row);
    }
    assert_host_is_measured(&place);
}

#[test]
fn a_driver_that_prints_to_stdout_all_the_time() {
    let Some(_devices) = devices() else { return };
    let (place, ended) = run_with("chatter");
    ended.ends(0);
    assert!(place.rows().iter().all(|row| row["status"] == "ok"));
}

/// The timestamps are invalid either from the start or only after the check at the start. In both cases, the run uses
/// the host's clock, and the row says so.
#[test]
fn timestamps_that_cannot_be_true_are_not_shown() {
    let Some(_devices) = devices() else { return };
    for fault in "zero-stamps swapped-stamps late-zero-stamps late-swapped-stamps".split(' ') {
        let (place, ended) = run_with(fault);
        assert_eq!(ended.code, Some(0), "{fault}: {}", ended.said);
        for depth in [1, 2] {
            let row = place.row("pv-split", depth);
            assert_eq!(row["status"], "ok", "{fault}: {}", row["reason"]);
            assert!(row["median_ns"].parse::<u64>().is_ok_and(|ns| ns > 0));
            for part in "upload_ns queue_ns kernel_ns download_ns host_ns".split(' ') {
                assert_eq!(row[part], "", "{fault}: {part}");
            }
            let why = "the device's timer cannot be trusted: only whole times, by the host's clock";
            let holds = row["warnings"].contains(why);
            assert!(holds, "{fault}: {}", row["warnings"]);
            let seen_at_start = row["timer"].starts_with("untrusted: ");
            assert_eq!(
                seen_at_start,
                !fault.starts_with("late"),
                "{}",
                row["timer"]
            );
        }
        for sample in place.csv("samples.csv") {
            let parts = ["upload_ns", "queue_ns", "kernel_ns", "download_ns"];
            assert!(parts.iter().all(|part| sample[*part] == "0"), "{fault}");
            assert_eq!(sample["host_ns"], sample["total_ns"], "{fault}");
        }
        let report = place.text("report.md");
        assert!(report.contains("timer cannot be trusted"), "{fault}");
    }
}

/// Copies the kernels to `cl`. Returns the path of the device technique's kernel there.
fn own_kernel(place: &Place) -> std::path::PathBuf {
    let kernels = place.path().join("cl");
    copy(
        concat!(env!("CARGO_MANIFEST_DIR"), "/cl").as_ref(),
        &kernels,
    );
    kernels.join("reversi/pv_split.cl")
}

#[test]
fn a_kernel_that_does_not_build_has_its_log_stored_and_its_rows_kept() {
    let Some(_devices) = devices() else { return };
    let place = Place::new(TINY);
    let errors = (0..30).map(|n| format!("int wrong_{n} = no_such_{n};\n"));
    let errors: String = errors.collect();
    edit(&own_kernel(&place), |source| source.to_owned() + &errors);
    let run = ["run", "tiny.toml", "--kernels", "cl"];
    place.ends(3, &run);
    for depth in [1, 2] {
        let row = place.row("pv-split", depth);
        assert_eq!(row["status"], "build-failed", "{}", row["reason"]);
        let (shown, log) = row["reason"].split_once("(the whole log: ").unwrap();
        let begins = shown.starts_with("reversi/pv_split.cl does not build");
        let is_short = shown.contains("no_such_0") && !shown.contains("no_such_18");
        assert!(begins && is_short, "{shown}");
        let log = place.text(log.trim_end_matches(')'));
        assert!(log.contains("no_such_0") && log.contains("no_such_18"));
        assert_no_number(&place, &row);
    }
    assert_host_is_measured(&place);
    // The kernel still cannot be built, so its row is kept.
    let [_, said] = place.ends(3, &run);
    assert!(said.contains("6 cells kept"), "{said}");
}

/// A missing kernel file must not be reported as a limit of the device.
#[test]
fn a_kernel_file_that_is_missing_is_a_failure_of_ours() {
    let Some(_devices) = devices() else { return };
    let place = Place::new(TINY);
    let kernel = own_kernel(&place);
    let source = std::fs::read_to_string(&kernel).expect("the kernel");
    std::fs::write(&kernel, format!("#include \"nowhere.clh\"\n{source}")).expect("a file");
    let includes = "kernel file nowhere.clh, included by reversi/pv_split.cl,";
    for reason in [includes, "kernel file reversi/pv_split.cl in cl"] {
        place.ends(3, "run tiny.toml --kernels cl --fresh");
        for depth in [1, 2] {
            let row = place.row("pv-split", depth);
            assert_eq!(row["status"], "failed", "{}", row["reason"]);
            assert!(row["reason"].starts_with(reason), "{}", row["reason"]);
            assert_no_number(&place, &row);
        }
        assert_host_is_measured(&place);
        let _ = std::fs::remove_file(&kernel);
    }
}
