//! The whole program, as a user runs it: exit codes, one-line errors, faults of workers, resuming.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::no_device;
use super::place::{Place, TINY, changed};

/// Four cases: the two of [`TINY`] on two boards.
fn tiny() -> String {
    TINY.replace("board = \"4x4\"", "board = [\"4x4\", \"6x6\"]")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

/// Two experiments of the host in one file.
const SUITE: &str = r#"
game = "reversi"
task = "game"

[sampling]
passes = 1
min-samples = 1
max-samples = 1

[[experiment]]
name = "tiny-1"
cases = [{ board = "4x4", depth = 1 }]

[[experiment]]
name = "tiny-2"
cases = [{ board = "4x4", depth = 2 }]
"#;

#[test]
fn a_suite_runs_into_a_folder_for_each_experiment_and_one_of_it_runs_alone() {
    let place = Place::new(SUITE);
    let all = place.output(&["run", "tiny.toml", "--out", "all"]);
    assert_eq!(code(&all), 0, "{}", text(&all.stderr));
    for name in ["tiny-1", "tiny-2"] {
        let folder = place.path().join("all").join(name);
        assert!(folder.join("measurements.csv").is_file());
        let report = std::fs::read_to_string(folder.join("tables/cells.csv")).unwrap();
        let again = format!("./scripts/bench run tiny.toml:{name} ");
        assert!(report.contains(&again), "{report}");
    }
    let one = place.output(&["run", "tiny.toml:tiny-2", "--dry-run"]);
    assert_eq!(code(&one), 0, "{}", text(&one.stderr));
    let cells = text(&one.stdout);
    assert!(cells.starts_with("tiny-2: 2 cells\n") && !cells.contains("tiny-1"));
    let none = place.output(&["run", "tiny.toml:tiny-3"]);
    assert_eq!(code(&none), 1);
    assert!(text(&none.stderr).contains("no experiment is called \"tiny-3\""));
}

#[test]
fn help_and_version_go_to_stdout_with_0() {
    let place = Place::new(&tiny());
    for arguments in [&["--help"][..], &["-h"], &["--version"], &["run", "--help"]] {
        let output = place.output(arguments);
        assert_eq!(code(&output), 0);
        assert!(
            !output.stdout.is_empty() && output.stderr.is_empty(),
            "{arguments:?}"
        );
    }
    assert!(
        text(&place.output(&["--version"]).stdout).contains('('),
        "the git revision"
    );
    let output = place.output(&["measure"]);
    assert_eq!(code(&output), 1);
    assert!(output.stdout.is_empty());
}

#[test]
fn what_is_wrong_with_an_experiment_is_one_line_and_nothing_is_written() {
    for (from, to, wanted) in [
        (
            "min-samples",
            "min-sample",
            &["tiny.toml:22:", "min-sample", "min-samples"][..],
        ),
        (
            "\"6x6\"",
            "\"7x8\"",
            &["tiny.toml:8:", "7x8", "4x4 to 64x64"],
        ),
        (
            "\"pv-split\"",
            "\"pv-spilt\"",
            &["tiny.toml:18:", "pv-spilt", "pv-split"],
        ),
        (
            "depth = [1, 2]",
            "depth = [0]",
            &["tiny.toml:9:", "depth", "`0`"],
        ),
    ] {
        let place = Place::new(&tiny().replacen(from, to, 1));
        let output = place.output(&["run", "tiny.toml"]);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 1, "{said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        for word in wanted {
            assert!(said.contains(word), "{said} lacks {word}");
        }
        assert!(!place.path().join("reports").exists());
        assert_eq!(code(&place.output(&["check", "tiny.toml"])), 1);
    }
    let place = Place::new(&tiny());
    assert_eq!(code(&place.output(&["check", "tiny.toml"])), 0);
    assert_eq!(code(&place.output(&["run", "absent.toml"])), 4);
    assert_eq!(
        code(&place.output(&["run", "tiny.toml", "--case", "board=8x8"])),
        1
    );
    assert_eq!(
        code(&place.output(&["run", "tiny.toml", "--technique", "nothing"])),
        1
    );
    for budget in ["soon", "0s", "1ns", "31days"] {
        for flag in ["--budget", "--cell-budget"] {
            let output = place.output(&["run", "tiny.toml", flag, budget]);
            let said = text(&output.stderr);
            assert_eq!(code(&output), 1, "{flag} {budget}: {said}");
            assert!(said.contains("from \"1ms\" to \"30days\""), "{said}");
        }
    }
    assert!(!place.path().join("reports").exists());
}

#[test]
fn a_device_that_is_not_there_is_exit_code_5() {
    let place = Place::new(&tiny());
    let output = place.output(&["run", "tiny.toml", "--device", "no such device"]);
    assert_eq!(code(&output), 5, "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("no such device"));
    assert!(!place.path().join("reports").exists());
}

#[test]
fn without_opencl_the_baselines_run_and_say_so() {
    let place = Place::new(&tiny());
    let without = |arguments: &[&str]| {
        let mut command = place.host_command(arguments);
        command.output().expect("the program starts")
    };
    let started = Instant::now();
    let output = without(&["devices"]);
    assert!(
        started.elapsed() < Duration::from_secs(3),
        "{:?}",
        started.elapsed()
    );
    assert!(text(&[output.stdout, output.stderr].concat()).contains("pocl-opencl-icd"));
    let output = without(&["run", "tiny.toml"]);
    assert_eq!(code(&output), 5, "{}", text(&output.stderr));
    for row in place.rows() {
        let expected = if row["technique"] == "pv-split" {
            "unsupported"
        } else {
            "ok"
        };
        assert_eq!(row["status"], expected, "{}", row["reason"]);
    }
    assert!(place.run_folder().join("report.md").exists());
    assert_eq!(code(&without(&["list"])), 0);
    let folder = place.run_folder().display().to_string();
    assert_eq!(code(&without(&["report", &folder])), 0);
}

#[test]
fn a_run_measures_checks_and_reports_and_its_second_time_does_nothing() {
    if no_device() {
        return;
    }
    let place = Place::new(&tiny());
    let output = place.output(&["run", "tiny.toml"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let rows = place.rows();
    assert_eq!(rows.len(), 12);
    for row in &rows {
        assert_eq!(row["status"], "ok", "{row:?}");
        assert!(
            row["samples"]
                .parse::<u64>()
                .is_ok_and(|samples| samples >= 3)
        );
        let ns = |column: &str| row[column].parse::<u64>().unwrap_or(0);
        let parts = ns("upload_ns") + ns("queue_ns") + ns("kernel_ns") + ns("download_ns");
        assert!(row["technique"] != "pv-split" || ns("launches") > 0);
        // Medians of parts need not add up, but cannot be far over the median of the whole.
        assert!(parts <= 2 * ns("median_ns"), "{row:?}");
    }
    for file in [
        "report.md",
        "index.html",
        "samples.csv",
        "environment.toml",
        "experiment.toml",
    ] {
        assert!(place.run_folder().join(file).exists(), "{file}");
    }
    let table = std::fs::read_dir(place.run_folder().join("tables"))
        .expect("tables")
        .count();
    assert!(table > 0);

    let before = std::fs::read(place.run_folder().join("measurements.csv")).expect("rows");
    assert_eq!(code(&place.output(&["run", "tiny.toml"])), 0);
    let after = std::fs::read(place.run_folder().join("measurements.csv")).expect("rows");
    assert_eq!(before, after, "a second run has nothing to measure");
    // Another seed is another measurement.
    assert_eq!(
        code(&place.output(&["run", "tiny.toml", "--seed", "5", "--case", "depth=1"])),
        0
    );
    let again = std::fs::read(place.run_folder().join("measurements.csv")).expect("rows");
    assert_ne!(before, again);
}

#[test]
fn a_log_has_a_line_a_case_with_the_time_left() {
    let place = Place::new(&tiny());
    let cases_said = |more: &[&str]| {
        let log = place.path().join("log");
        let status = place
            .command(&["run", "tiny.toml", "--technique", "^(serial|rayon)$"])
            .args(more)
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&log).expect("a file"))
            .status();
        assert!(status.is_ok_and(|status| status.success()));
        let said = std::fs::read_to_string(log).expect("its text");
        let lines = said.lines().filter(|line| line.contains("case "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = cases_said(&["--case", "depth=1"]);
    let expected = [
        "tiny: case 1 of 2: board=4x4 depth=1 (at most ",
        "tiny: case 2 of 2: board=6x6 depth=1 (a",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}");
        // Never more than the run's budget, which is 20 minutes.
        let words: Vec<&str> = line.split(' ').collect();
        let [.., number, unit, "left)"] = words[..] else {
            panic!("{line}")
        };
        let most = if unit == "min" { 20 } else { 120 };
        assert!(number.parse::<u64>().is_ok_and(|n| n <= most), "{line}");
    }
    // What is kept is no news: the two cases that are new follow the two that are there.
    let lines = cases_said(&[]);
    let [third, fourth] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(third.starts_with("tiny: case 3 of 4: board=4x4 depth=2 ("));
    assert!(fourth.starts_with("tiny: case 4 of 4: board=6x6 depth=2 ("));
    assert!(cases_said(&[]).is_empty());
}

#[test]
fn a_filtered_run_drops_no_rows_of_another_program() {
    let place = Place::new(&tiny());
    let host_only = ["run", "tiny.toml", "--technique", "^serial$"];
    assert_eq!(code(&place.output(&host_only)), 0);
    let environment = place.run_folder().join("environment.toml");
    let text_now = std::fs::read_to_string(&environment).expect("it was written");
    let other = text_now.replace("source_hash = \"", "source_hash = \"0");
    assert_ne!(text_now, other);
    std::fs::write(&environment, other).expect("it can be written");

    let measurements = place.run_folder().join("measurements.csv");
    let before = std::fs::read(&measurements).expect("rows");
    let output = place.output(&[&host_only[..], &["--case", "board=4x4"]].concat());
    let said = text(&output.stderr);
    assert_eq!(code(&output), 1, "{said}");
    assert!(
        said.contains("holds 8 rows made by another program; measure all again without a filter"),
        "{said}"
    );
    assert_eq!(before, std::fs::read(&measurements).expect("rows"));

    // The filter that made the rows measures them all again.
    let output = place.output(&host_only);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 0, "{said}");
    assert!(
        said.contains("8 rows are measured again: another program made them"),
        "{said}"
    );
    assert_ne!(before, std::fs::read(&measurements).expect("rows"));
}

#[test]
fn a_resumed_run_says_what_it_keeps_and_tries_unmet_conditions_under_new_rules() {
    // Long enough that no two samples take the same number of nanoseconds.
    let slow = tiny()
        .replace("[\"4x4\", \"6x6\"]", "[\"8x8\"]")
        .replace("depth = [1, 2]", "depth = [3, 4]")
        .replace("max-samples = 6", "max-samples = 6\ntarget = 0.0001");
    let place = Place::new(&slow);
    let run = |more: &[&str]| {
        let command = ["run", "tiny.toml", "--technique", "^serial$"];
        let output = place.output(&[&command[..], more].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let said = run(&["--case", "depth=3"]);
    assert!(!said.contains("kept"), "{said}");
    assert!(place.rows().iter().all(|row| !row["reason"].is_empty()));
    let said = run(&[]);
    assert!(
        said.contains("2 cells kept from an earlier run, 2 to measure"),
        "{said}"
    );
    let said = run(&[]);
    assert!(
        said.contains("4 cells kept from an earlier run, 0 to measure"),
        "{said}"
    );
    let said = run(&["--cell-budget", "3s"]);
    assert!(
        said.contains("4 rows are measured again: their sampling condition was not met"),
        "{said}"
    );
}

#[test]
fn faults_cost_one_cell_and_set_the_exit_code() {
    if no_device() {
        return;
    }
    let start = "const int sibling = (int)get_group_id(0);";
    let result = "PUT_SEARCHED(outcome, best,";
    let faults = [
        (start, "*(volatile __global uint *)0 = 1;", 3, "crashed"),
        (
            start,
            "while (*(volatile __global uint *)outcomes != 12345u) {}",
            3,
            "timeout",
        ),
        (result, "best += 1;", 2, "mismatch"),
        (
            start,
            "printf(\"a driver's banner, with no end of line\");",
            0,
            "ok",
        ),
    ];
    for (before, fault, exit, status) in faults {
        let place = Place::new(&tiny());
        // The kernel of the search to depth 1 alone.
        let faulty = format!("\n#if LEVELS == 0\n{fault}\n#endif\n{before}");
        changed(
            &place.path().join("cl"),
            "reversi/pv_split.cl",
            before,
            &faulty,
        );
        let one = ["--case", "board=4x4", "--kernels", "cl"];
        let output = place.output(&[&["run", "tiny.toml"], &one[..]].concat());
        assert_eq!(code(&output), exit, "{fault}: {}", text(&output.stderr));
        let rows = place.rows();
        let of = |depth: &str| {
            let case = format!("board=4x4 depth={depth}");
            let row = rows
                .iter()
                .find(|r| r["technique"] == "pv-split" && r["case"] == case);
            row.expect("its row").clone()
        };
        assert_eq!(of("1")["status"], status, "{fault}: {}", of("1")["reason"]);
        assert_eq!(of("2")["status"], "ok", "{fault}: the next cell runs");
        if status != "ok" {
            assert!(!of("1")["reason"].is_empty());
            assert_eq!(of("1")["median_ns"], "");
            assert!(text(&output.stderr).contains(status));
        }
        assert!(
            rows.iter()
                .filter(|r| r["device"] == "host")
                .all(|r| r["status"] == "ok")
        );
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_exit_code_4() {
    let place = Place::new(&tiny());
    // A file where a folder must be: that stops root too.
    std::fs::write(place.path().join("taken"), "").expect("a file");
    let output = place.output(&["run", "tiny.toml", "--out", "taken/run"]);
    assert_eq!(code(&output), 4, "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("taken"));

    // The system's reason stands once in the line.
    let output = place.output(&["report", "absent"]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 4, "{said}");
    assert_eq!(said.matches("os error").count(), 1, "{said}");
}

#[test]
fn a_folder_without_kernels_is_exit_code_4_before_anything_is_written() {
    let place = Place::new(&tiny());
    for folder in ["absent", "."] {
        let output = place.output(&["run", "tiny.toml", "--kernels", folder]);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 4, "{said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        assert!(said.contains(&format!("kernel folder {folder}:")), "{said}");
        assert!(!place.path().join("reports").exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_one_line_and_exit_code_4() {
    let place = Place::new(&tiny());
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("every Linux has it");
    let output = place
        .command(&["list"])
        .stdout(full)
        .output()
        .expect("the program starts");
    let said = text(&output.stderr);
    assert_eq!(code(&output), 4, "{said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    assert!(said.contains("standard output"), "{said}");
}

#[test]
fn a_killed_run_leaves_a_readable_folder_and_goes_on() {
    let place = Place::new(&tiny());
    let host_only = ["run", "tiny.toml", "--technique", "^serial$"];
    let mut child = place
        .command(&host_only)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let rows = place.run_folder().join("measurements.csv");
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(30)
        && std::fs::read_to_string(&rows).map_or(0, |text| text.lines().count()) < 2
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let folder = place.run_folder().display().to_string();
    assert_eq!(
        code(&place.output(&["report", &folder])),
        0,
        "readable as it is"
    );
    let output = place.output(&host_only);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(
        place
            .rows()
            .iter()
            .filter(|row| row["status"] == "ok")
            .count(),
        8
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130_a_report_and_how_to_go_on() {
    let slow = tiny()
        // No target ends it: times of a few hundred ns are often equal, and their interval a point.
        .replace("min-samples = 3", "min-samples = 1000000")
        .replace("max-samples = 6", "max-samples = 1000000")
        .replace("cell = \"2s\"", "cell = \"20s\"")
        .replace("deadline = \"5s\"", "deadline = \"40s\"");
    let place = Place::new(&slow);
    let child = place
        .command(&["run", "tiny.toml", "--technique", "^serial$"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(2500));
    // The shell's own: a small system has no program of that name.
    let killed = Command::new("sh")
        .args(["-c", &format!("kill -INT {}", child.id())])
        .status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 130, "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("goes on where it stopped"));
    assert!(place.run_folder().join("report.md").exists());
}

#[test]
fn one_position_is_searched_and_counted() {
    let place = Place::new(&tiny());
    let output = place.output(&["perft", "reversi", "--depth", "6", "--json"]);
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(said["leaves"], 8_200);
    let search = [
        "search",
        "reversi",
        "--depth",
        "4",
        "--position",
        "f5d6c3",
        "--json",
    ];
    let mut values = Vec::new();
    for technique in ["serial", "rayon", "serial-as-published", "rayon-shared"] {
        let output = place.output(&[&search[..], &["--technique", technique]].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(said["nodes"].as_u64() >= said["leaves"].as_u64());
        values.push((said["value"].clone(), said["best"].clone()));
    }
    assert!(
        values.windows(2).all(|pair| pair[0] == pair[1]),
        "{values:?}"
    );
    for (arguments, wanted) in [
        (
            &["search", "chess", "--depth", "4", "-t", "serial"][..],
            "reversi",
        ),
        (
            &["search", "reversi", "--depth", "4", "-t", "fast"],
            "serial",
        ),
        (
            &[
                "search", "reversi", "--depth", "4", "-t", "serial", "-p", "f5d6z9",
            ],
            "z9",
        ),
        (
            &["perft", "reversi", "--depth", "4", "--case", "board=9x9"],
            "9x9",
        ),
        (
            &[
                "search",
                "reversi",
                "--depth",
                "4",
                "-t",
                "serial",
                "--set",
                "mobilty=1",
            ],
            "mobility",
        ),
    ] {
        let output = place.output(arguments);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 1, "{said}");
        assert!(
            said.contains(wanted) && said.trim_end().lines().count() == 1,
            "{said}"
        );
    }
}

#[test]
fn a_dry_run_lists_the_cells_and_writes_nothing() {
    let place = Place::new(&tiny());
    let output = place.output(&["run", "tiny.toml", "--dry-run", "--case", "board=4x4"]);
    assert_eq!(code(&output), 0);
    let said = text(&output.stdout);
    assert_eq!(
        said.lines()
            .filter(|line| line.contains("board=4x4 depth=1"))
            .count(),
        3
    );
    assert!(!said.contains("6x6") && !place.path().join("reports").exists());
    let output = place.output(&["run", "tiny.toml", "--dry-run", "--json"]);
    let cells: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(cells.as_array().map(Vec::len), Some(12));
}
