//! Devices and drivers that fail.

use crate::no_device;

use super::place::{Ended, Place, Row, TINY};

/// A run in which the first case's cell on the device goes wrong, at its second batch of samples.
fn run_with(fault: &str) -> (Place, Ended) {
    let place = Place::new(TINY);
    let ended = place.run_with(fault, 6);
    (place, ended)
}

/// The host's cells are all measured, whatever the device does.
fn assert_host_is_measured(place: &Place) {
    for technique in ["serial", "rayon"] {
        for depth in [1, 2] {
            let row = place.row(technique, depth);
            assert_eq!(row["status"], "ok", "{technique}: {}", row["reason"]);
        }
    }
}

/// Nothing of a cell is shown but why it has no number: no time, no ratio.
fn assert_no_number(place: &Place, row: &Row) {
    assert_eq!(
        (row["median_ns"].as_str(), row["samples"].as_str()),
        ("", "0")
    );
    assert!(!row["reason"].is_empty());
    let samples = place.csv("samples.csv");
    assert!(samples.iter().all(|sample| sample["key"] != row["key"]));
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
    // A row of the report has the status where the time would be.
    let report = place.text("report.md");
    assert!(report.contains(&row["status"]), "{report}");
}

/// One cell goes wrong in that way, once; the program goes on and says so.
fn assert_costs_one_cell(fault: &str, (code, status): (i32, &str), reason: &str) {
    if no_device() {
        return;
    }
    let (place, ended) = run_with(fault);
    let row = place.row("pv-split", 1);
    assert_eq!(row["status"], status, "{fault}: {}", row["reason"]);
    assert!(row["reason"].contains(reason), "{fault}: {}", row["reason"]);
    assert_eq!(ended.code, Some(code), "{fault}: {}", ended.said);
    assert_no_number(&place, &row);
    let next = place.row("pv-split", 2);
    assert_eq!(next["status"], "ok", "{fault}: {}", next["reason"]);
    assert_host_is_measured(&place);
    assert!(!ended.said.contains("panicked"), "{}", ended.said);

    // What a fault of the moment ended is tried again by the next run, which has none.
    if code == 3 {
        let again = place.bench(&["run", "tiny.toml"]);
        assert_eq!(again.code, Some(0), "{}", again.said);
        assert!(again.said.contains("5 cells kept"), "{}", again.said);
        assert_eq!(place.row("pv-split", 1)["status"], "ok");
    }
}

#[test]
fn a_driver_that_segfaults() {
    assert_costs_one_cell("segfault", (3, "crashed"), "signal: 11 (SIGSEGV)");
}

#[test]
fn a_worker_that_the_system_kills() {
    assert_costs_one_cell("killed", (3, "crashed"), "signal: 9 (SIGKILL)");
}

#[test]
fn a_driver_that_ends_its_process() {
    assert_costs_one_cell("exit", (3, "crashed"), "exit status: 0");
}

#[test]
fn a_driver_that_hangs_is_killed_at_the_deadline() {
    assert_costs_one_cell(
        "hang",
        (3, "timeout"),
        "no answer within 5s, its worker was killed",
    );
}

#[test]
fn a_driver_that_refuses_with_a_status_of_its_own() {
    assert_costs_one_cell("vendor-status", (3, "crashed"), "vendor status -9999");
}

#[test]
fn a_device_that_is_gone_for_a_moment() {
    assert_costs_one_cell("unplugged", (3, "crashed"), "CL_DEVICE_NOT_AVAILABLE (-2)");
}

/// As NVIDIA's does after an illegal access: nothing works any more in that process.
#[test]
fn a_context_that_is_lost_costs_no_cell_after_it() {
    assert_costs_one_cell("poison", (3, "crashed"), "CL_OUT_OF_RESOURCES (-5)");
}

#[test]
fn memory_that_runs_out_at_a_launch() {
    let reason = "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)";
    assert_costs_one_cell("lazy-memory", (0, "memory"), reason);
}

#[test]
fn memory_that_runs_out_when_buffers_are_made() {
    if no_device() {
        return;
    }
    let (place, ended) = run_with("memory");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    for depth in [1, 2] {
        let row = place.row("pv-split", depth);
        assert_eq!(row["status"], "memory", "{}", row["reason"]);
        assert!(
            row["reason"].contains("clCreateBuffer"),
            "{}",
            row["reason"]
        );
        assert_no_number(&place, &row);
    }
    assert_host_is_measured(&place);
}

/// The worker dies, and the next one does not find its device any more.
#[test]
fn a_device_that_disappears_for_good() {
    if no_device() {
        return;
    }
    let (place, ended) = run_with("vanish");
    assert_eq!(ended.code, Some(3), "{}", ended.said);
    assert!(place.row("pv-split", 1)["reason"].contains("signal: 11"));
    let row = place.row("pv-split", 2);
    assert_eq!(row["status"], "crashed");
    assert!(
        row["reason"].starts_with("the device is lost: "),
        "{}",
        row["reason"]
    );
    assert_no_number(&place, &row);
    assert_host_is_measured(&place);
}

#[test]
fn a_wrong_answer_is_a_mismatch_without_a_ratio() {
    if no_device() {
        return;
    }
    let (place, ended) = run_with("wrong");
    assert_eq!(ended.code, Some(2), "{}", ended.said);
    let rows: Vec<Row> = [1, 2].map(|depth| place.row("pv-split", depth)).into();
    let wrong: Vec<&Row> = rows
        .iter()
        .filter(|row| row["status"] == "mismatch")
        .collect();
    assert!(!wrong.is_empty(), "{rows:?}");
    for row in wrong {
        assert!(
            row["reason"].contains("the reference says"),
            "{}",
            row["reason"]
        );
        assert!(ended.said.contains("mismatch"), "{}", ended.said);
        assert_no_number(&place, row);
    }
    assert_host_is_measured(&place);
}

#[test]
fn a_driver_that_prints_to_stdout_all_the_time() {
    if no_device() {
        return;
    }
    let (place, ended) = run_with("chatter");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    for depth in [1, 2] {
        let row = place.row("pv-split", depth);
        assert_eq!(row["status"], "ok", "{}", row["reason"]);
    }
    assert_host_is_measured(&place);
}

/// Timestamps that cannot be true from the start, or only after the check at the start: the host's
/// clock counts, and the row says so.
#[test]
fn timestamps_that_cannot_be_true_are_not_shown() {
    if no_device() {
        return;
    }
    for fault in [
        "zero-stamps",
        "swapped-stamps",
        "late-zero-stamps",
        "late-swapped-stamps",
    ] {
        let (place, ended) = run_with(fault);
        assert_eq!(ended.code, Some(0), "{fault}: {}", ended.said);
        for depth in [1, 2] {
            let row = place.row("pv-split", depth);
            assert_eq!(row["status"], "ok", "{fault}: {}", row["reason"]);
            assert!(row["median_ns"].parse::<u64>().is_ok_and(|ns| ns > 0));
            for part in [
                "upload_ns",
                "queue_ns",
                "kernel_ns",
                "download_ns",
                "host_ns",
            ] {
                assert_eq!(row[part], "", "{fault}: {part}");
            }
            let why = "the device's timer cannot be trusted: only whole times, by the host's clock";
            assert!(
                row["warnings"].contains(why),
                "{fault}: {}",
                row["warnings"]
            );
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

/// Copies the kernels of reversi to `cl`; says where that of the device technique is.
fn own_kernel(place: &Place) -> std::path::PathBuf {
    let (from, to) = (
        concat!(env!("CARGO_MANIFEST_DIR"), "/cl"),
        place.path().join("cl"),
    );
    for game in ["common", "reversi"] {
        std::fs::create_dir_all(to.join(game)).expect("a folder");
        for entry in std::fs::read_dir(format!("{from}/{game}")).expect("kernels") {
            let entry = entry.expect("a file");
            std::fs::copy(entry.path(), to.join(game).join(entry.file_name())).expect("a copy");
        }
    }
    to.join("reversi/pv_split.cl")
}

#[test]
fn a_kernel_that_does_not_build_has_its_log_stored_and_its_first_lines_shown() {
    if no_device() {
        return;
    }
    let place = Place::new(TINY);
    let kernel = own_kernel(&place);
    let source = std::fs::read_to_string(&kernel).expect("the kernel");
    let errors: String = (0..30)
        .map(|n| format!("int wrong_{n} = no_such_{n};\n"))
        .collect();
    std::fs::write(&kernel, source + &errors).expect("it can be written");

    let ended = place.bench(&["run", "tiny.toml", "--kernels", "cl"]);
    assert_eq!(ended.code, Some(3), "{}", ended.said);
    for depth in [1, 2] {
        let row = place.row("pv-split", depth);
        assert_eq!(row["status"], "build-failed", "{}", row["reason"]);
        let reason = &row["reason"];
        assert!(
            reason.starts_with("reversi/pv_split.cl does not build"),
            "{reason}"
        );
        assert!(
            reason.contains("no_such_0") && !reason.contains("no_such_19"),
            "{reason}"
        );
        let (_, log) = reason
            .split_once("(the whole log: ")
            .expect("where the log is");
        let log = place.text(log.trim_end_matches(')'));
        assert!(
            log.contains("no_such_0") && log.contains("no_such_18"),
            "{log}"
        );
        assert_no_number(&place, &row);
    }
    assert_host_is_measured(&place);
    // A kernel that does not build would not build again: its rows are kept.
    let again = place.bench(&["run", "tiny.toml", "--kernels", "cl"]);
    assert_eq!(again.code, Some(3), "{}", again.said);
    assert!(again.said.contains("6 cells kept"), "{}", again.said);
}

/// A file that is not there is no lack of the device.
#[test]
fn a_kernel_file_that_is_missing_is_a_failure_of_ours() {
    if no_device() {
        return;
    }
    let place = Place::new(TINY);
    let kernel = own_kernel(&place);
    let source = std::fs::read_to_string(&kernel).expect("the kernel");
    std::fs::write(&kernel, format!("#include \"nowhere.clh\"\n{source}")).expect("a file");
    let includes = "kernel file nowhere.clh, included by reversi/pv_split.cl,";
    for reason in [includes, "kernel file reversi/pv_split.cl in cl"] {
        let ended = place.bench(&["run", "tiny.toml", "--kernels", "cl", "--fresh"]);
        assert_eq!(ended.code, Some(3), "{}", ended.said);
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

/// What lacks an answer without a fault is all right, unless it is all that was asked for, or none may.
#[test]
fn a_run_without_an_answer_that_was_asked_for_fails() {
    if no_device() {
        return;
    }
    let (place, ended) = run_with("memory");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    let memory = |arguments: &[&str]| {
        let mut command = place.command(&[&["run", "tiny.toml"], arguments].concat());
        let command = place.with_layer(&mut command, &[("FAULT", "memory")]);
        super::place::ended(command)
    };
    let strict = memory(&["--strict"]);
    assert_eq!(strict.code, Some(3), "{}", strict.said);
    let why = "bench: --strict: 2 of 6 cells that were asked for have no answer";
    assert!(strict.said.contains(why), "{}", strict.said);
    let only = memory(&["--technique", "pv-split"]);
    assert_eq!(only.code, Some(3), "{}", only.said);
    let why = "bench: no cell that was asked for has an answer";
    assert!(only.said.contains(why), "{}", only.said);
    let whole = place.bench(&["run", "tiny.toml", "--fresh", "--strict"]);
    assert_eq!(whole.code, Some(0), "{}", whole.said);
}
