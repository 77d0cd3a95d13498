//! The whole program, as a user runs it: exit codes, one-line errors, faults of workers, resuming.

use std::process::{Command, Stdio};

use super::place::{Place, TINY, code, text};
use crate::needed::devices;

/// Four cases: the two of [`TINY`] on two boards.
fn tiny() -> String {
    TINY.replace("board = \"4x4\"", "board = [\"4x4\", \"6x6\"]")
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
    place.ends(0, &["run", "tiny.toml", "--out", "all"]);
    for name in ["tiny-1", "tiny-2"] {
        let folder = place.path().join("all").join(name);
        assert!(folder.join("measurements.csv").is_file());
        let report = std::fs::read_to_string(folder.join("tables/cells.csv")).unwrap();
        let again = format!("./scripts/bench run tiny.toml:{name} ");
        assert!(report.contains(&again), "{report}");
    }
    let [cells, _] = place.ends(0, &["run", "tiny.toml:tiny-2", "--dry-run"]);
    assert!(cells.starts_with("tiny-2: 2 cells\n") && !cells.contains("tiny-1"));
    let [_, none] = place.ends(1, &["run", "tiny.toml:tiny-3"]);
    assert!(none.contains("no experiment is called \"tiny-3\""));
}

#[test]
fn refusals_are_one_line_and_write_nothing() {
    let wrong = tiny().replacen("min-samples", "min-sample", 1);
    let place = Place::new(&wrong);
    let [_, said] = place.ends(1, &["run", "tiny.toml"]);
    assert!(said.contains("tiny.toml:22:") && said.trim_end().lines().count() == 1);
    assert!(!place.path().join("reports").exists());

    let place = Place::new(&tiny());
    // A file where a folder must be stops root too.
    std::fs::write(place.path().join("taken"), "").expect("a file");
    let budget = "from \"1ms\" to \"30days\"";
    for (code, more, wanted) in [
        (4, "--out taken/run", "taken"),
        (4, "--kernels absent", "kernel folder absent:"),
        (4, "--kernels .", "kernel folder .:"),
        (5, "--device nothing", "nothing"),
        (1, "--budget soon", budget),
        (1, "--budget 0s", budget),
        (1, "--cell-budget 1ns", budget),
        (1, "--cell-budget 31days", budget),
    ] {
        let more: Vec<&str> = more.split(' ').collect();
        let [_, said] = place.ends(code, &[&["run", "tiny.toml"][..], &more].concat());
        assert!(said.contains(wanted), "{said} lacks {wanted}");
        let is_line = said.trim_end().lines().count() == 1;
        assert!(is_line || !wanted.starts_with("kernel"), "{said}");
        assert!(!place.path().join("reports").exists());
    }
    let [_, said] = place.ends(4, &["report", "absent"]);
    assert_eq!(said.matches("os error").count(), 1, "{said}");
}

#[test]
fn without_opencl_the_baselines_run_and_say_so() {
    let place = Place::new(&tiny());
    let without = |arguments: &[&str]| {
        let mut command = place.host_command(arguments);
        command.output().expect("the program starts")
    };
    let output = without(&["devices"]);
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
    let Some(_devices) = devices() else { return };
    let place = Place::new(&tiny());
    place.ends(0, &["run", "tiny.toml"]);
    let rows = place.rows();
    assert_eq!(rows.len(), 12);
    for row in &rows {
        assert_eq!(row["status"], "ok", "{row:?}");
        let ns = |column: &str| row[column].parse::<u64>().unwrap_or(0);
        assert!(ns("samples") >= 3);
        let parts = ns("upload_ns") + ns("queue_ns") + ns("kernel_ns") + ns("download_ns");
        assert!(row["technique"] != "pv-split" || ns("launches") > 0);
        // Medians of parts need not add up, but cannot be far over the median of the whole.
        assert!(parts <= 2 * ns("median_ns"), "{row:?}");
    }
    let before = place.text("measurements.csv");
    place.ends(0, &["run", "tiny.toml"]);
    assert_eq!(before, place.text("measurements.csv"));
    // Another seed is another measurement.
    place.ends(0, &["run", "tiny.toml", "--seed", "5", "--case", "depth=1"]);
    assert_ne!(before, place.text("measurements.csv"));
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
    place.ends(0, &host_only);
    let other = place.text("environment.toml");
    let other = other.replace("source_hash = \"", "source_hash = \"0");
    std::fs::write(place.file("environment.toml"), other).expect("it can be written");

    let before = place.text("measurements.csv");
    let [_, said] = place.ends(1, &[&host_only[..], &["--case", "board=4x4"]].concat());
    let why = "holds 8 rows made by another program; measure all again without a filter";
    assert!(said.contains(why), "{said}");
    assert_eq!(before, place.text("measurements.csv"));

    // The filter that made the rows measures them all again.
    let [_, said] = place.ends(0, &host_only);
    let why = "8 rows are measured again: another program made them";
    assert!(said.contains(why), "{said}");
    assert_ne!(before, place.text("measurements.csv"));
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
        let [_, said] = place.ends(0, &[&command[..], more].concat());
        said
    };
    let said = run(&["--case", "depth=3"]);
    assert!(!said.contains("kept"), "{said}");
    assert!(place.rows().iter().all(|row| !row["reason"].is_empty()));
    for (more, why) in [
        (&[][..], "2 cells kept from an earlier run, 2 to measure"),
        (&[], "4 cells kept from an earlier run, 0 to measure"),
        (
            &["--cell-budget", "3s"],
            "4 rows are measured again: their sampling condition was not met",
        ),
    ] {
        let said = run(more);
        assert!(said.contains(why), "{said}");
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
    for arguments in [&["list"][..], &["completions", "bash"], &["--help"]] {
        let full = full.try_clone().expect("a second one");
        let output = place.command(arguments).stdout(full).output();
        let output = output.expect("the program starts");
        let said = text(&output.stderr);
        assert_eq!(code(&output), 4, "{said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        assert!(said.contains("standard output"), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_output_is_one_line_and_exit_code_4() {
    let place = Place::new(&tiny());
    for arguments in ["list", "run tiny.toml --technique ^serial$"] {
        let script = format!("exec \"$0\" {arguments} >&-");
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_bench")])
            .current_dir(place.path())
            .output()
            .expect("a shell");
        let said = text(&output.stderr);
        assert_eq!(code(&output), 4, "{said}");
        let expected = "bench: standard output: is closed; `>/dev/null` discards what is printed\n";
        assert_eq!(said, expected);
    }
    assert!(!place.path().join("reports").exists());
}

/// The experiment with cells of minutes.
#[cfg(unix)]
fn endless() -> String {
    tiny()
        .replace("min-samples = 3", "min-samples = 1000000")
        .replace("max-samples = 6", "max-samples = 1000000")
        .replace("cell = \"2s\"", "cell = \"5m\"")
        .replace("deadline = \"20s\"", "deadline = \"5m\"")
}

/// A terminal that is closed ends a run as Ctrl-C does.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_terminal_ends_with_130() {
    let place = Place::new(&endless());
    let script = "import os, pty, sys, time\n\
        child, terminal = pty.fork()\n\
        if child == 0: os.execv(sys.argv[1], sys.argv[1:])\n\
        end = time.time() + 300\n\
        while not os.path.exists('reports/local/tiny/environment.toml') and time.time() < end: time.sleep(0.01)\n\
        os.close(terminal)\n\
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n";
    let bench = env!("CARGO_BIN_EXE_bench");
    let run = [bench, "run", "tiny.toml", "--technique", "^serial$"];
    let output = Command::new("python3")
        .args(["-c", script])
        .args(run)
        .current_dir(place.path())
        .env("PLYBENCH_CACHE", "off")
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .output();
    let Ok(output) = output else {
        eprintln!("no python3: a closed terminal is passed over");
        return;
    };
    assert_eq!(text(&output.stdout), "130\n", "{}", text(&output.stderr));
    assert!(place.run_folder().join("report.md").exists());
}

/// Under a limit on processes the system refuses threads.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_processes_is_no_panic() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(&tiny());
    let everyone = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(place.path(), everyone).expect("it is ours");
    for limit in 1..=8 {
        // The limit is none for root. A user of no other process reaches it.
        let script = format!(
            "if [ $(id -u) = 0 ]; then drop='setpriv --reuid 54321 --clear-groups --bounding-set=-all'; fi\n\
             exec $drop sh -c 'ulimit -u {limit}; exec \"$0\" run tiny.toml --technique ^serial$ --fresh' \"$0\""
        );
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_bench")])
            .current_dir(place.path())
            .env("PLYBENCH_CACHE", "off")
            .env("OCL_ICD_VENDORS", "/nonexistent")
            .output()
            .expect("a shell");
        let said = text(&output.stderr);
        assert!(!said.contains("panicked"), "{limit}: {said}");
        assert!(!said.is_empty() || output.status.success(), "{limit}");
    }
}

#[test]
fn a_dry_run_lists_the_cells_and_writes_nothing() {
    let place = Place::new(&tiny());
    let [said, _] = place.ends(0, &["run", "tiny.toml", "-n", "--case", "board=4x4"]);
    assert_eq!(said.matches("board=4x4 depth=1").count(), 3);
    assert!(!said.contains("6x6") && !place.path().join("reports").exists());
}

#[test]
fn refuses_two_experiments_with_one_name() {
    let place = Place::new(SUITE);
    std::fs::create_dir(place.path().join("other")).unwrap();
    std::fs::write(place.path().join("other/tiny.toml"), SUITE).unwrap();
    place.ends(0, &["run", "tiny.toml"]);
    let rows = place.path().join("reports/local/tiny-1/measurements.csv");
    let before = std::fs::read_to_string(&rows).unwrap();
    let both = ["tiny.toml:tiny-1", "other/tiny.toml:tiny-1"];
    let [_, said] = place.ends(1, &["run", both[0], both[1], "--fresh"]);
    let why = "other/tiny.toml:tiny-1: name: \"tiny-1\" is the name of tiny.toml:tiny-1 too";
    assert!(said.contains(why), "{said}");
    assert_eq!(std::fs::read_to_string(&rows).unwrap(), before);
}

#[test]
fn refuses_to_replace_raw_data_of_a_run() {
    let place = Place::new(&tiny());
    place.ends(0, &["run", "tiny.toml", "--technique", "^serial$"]);
    let folder = "reports/local/tiny";
    let files = "samples.csv measurements.csv environment.toml experiment.toml";
    let texts = || {
        files
            .split(' ')
            .map(|file| place.text(file))
            .collect::<Vec<_>>()
    };
    let before = texts();
    let program = "name = \"mine\"\ngame = \"connect-four\"\ntask = \"choose\"\ncases = [{ effort = 3 }]\n\
        [[technique]]\nname = \"mine\"\ncommand = [\"cat\"]\n";
    std::fs::write(place.path().join("mine.toml"), program).unwrap();
    for file in files.split(' ') {
        let out = format!("{folder}/{file}");
        let linked = format!("link/{file}");
        std::fs::remove_file(place.path().join("link")).ok();
        #[cfg(unix)]
        std::os::unix::fs::symlink(place.run_folder(), place.path().join("link")).unwrap();
        for arguments in [
            format!("report {folder} --chart {out}"),
            format!("report {folder} --chart {linked}"),
            format!("report {folder} --insert {out}"),
            format!("verify --config mine.toml --allow-commands --out {out}"),
            format!("new program {out}"),
        ] {
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let refused = place.output(&arguments);
            let said = text(&refused.stderr);
            let is_there = arguments[0] == "new" && said.contains("is there already");
            let why = "cannot be written: it would replace raw data of the run in this folder";
            assert!(said.contains(why) || is_there, "{arguments:?}: {said}");
            assert!([1, 4].contains(&code(&refused)), "{arguments:?}: {said}");
        }
    }
    assert_eq!(texts(), before);
}

#[test]
fn refuses_a_site_in_the_folders_of_its_runs() {
    let place = Place::new(&tiny());
    let run = ["run", "tiny.toml", "--technique", "^serial$", "--out"];
    place.ends(0, &[&run[..], &["runs/machine/tiny"]].concat());
    let folder = place.path().join("runs/machine/tiny");
    let before = std::fs::read_to_string(folder.join("index.html")).unwrap();
    for has_lock in [true, false] {
        if !has_lock {
            std::fs::remove_file(folder.join("lock")).unwrap();
        }
        let [_, said] = place.ends(1, &["report", "runs/machine/tiny", "--out", "runs"]);
        let why = "runs/machine/tiny is a run folder; name another folder for the site";
        assert!(said.contains(why), "{said}");
        let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
        assert_eq!(page, before);
    }
}
