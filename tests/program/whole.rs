//! Tests the whole program as a user runs it: exit codes, one-line errors, worker faults, resuming.

use std::process::{Command, Stdio};

use super::place::{Ended, Place, TINY, assert_row, ended, endless, text};

/// Returns four cases: the two depths of [`TINY`] on two boards.
fn tiny() -> String {
    TINY.replace("board = \"4x4\"", "board = [\"4x4\", \"6x6\"]")
}

/// Two experiments for the host in one file.
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
    place.ends(0, "run tiny.toml --out all");
    for name in ["tiny-1", "tiny-2"] {
        let folder = place.path().join("all").join(name);
        assert!(folder.join("measurements.csv").is_file());
        let report = std::fs::read_to_string(folder.join("report.md")).unwrap();
        let again = format!("./scripts/bench run tiny.toml:{name}");
        assert!(report.contains(&again), "{report}");
    }
    let [cells, _] = place.ends(0, "run tiny.toml:tiny-2 --dry-run");
    assert!(cells.starts_with("tiny-2: 2 cells\n") && !cells.contains("tiny-1"));
    let [_, none] = place.ends(1, "run tiny.toml:tiny-3");
    assert!(none.contains("no experiment is called \"tiny-3\""));
}

#[test]
fn without_opencl_the_baselines_run_and_say_so() {
    let place = Place::new(&tiny());
    // An empty file with the library's name hides the installed loader.
    std::fs::write(place.path().join("libOpenCL.so.1"), "").expect("a file");
    let mut no_loader = place.command("devices");
    let no_loader = ended(no_loader.env("LD_LIBRARY_PATH", place.path()));
    let loader = "bench: no OpenCL loader (libOpenCL.so.1) is installed here\n";
    no_loader.ends(5).says(loader).says("  OpenCL loader");
    let driver = "bench: no OpenCL driver is installed here\n";
    let search = "search reversi --depth=2 --technique=pv-split";
    let bench = env!("CARGO_BIN_EXE_bench");
    let programs = format!("compare --programs {bench} {bench} tiny.toml --out out");
    for line in ["devices", "verify", "score", search, &programs] {
        let ended = place.on_host(line);
        ended.ends(5).says(driver).says("sudo ").says("pocl");
        ended.says("OCL_ICD_VENDORS is set, and may hide installed drivers.\n");
        assert!(!ended.said.contains("OpenCL loader"), "{}", ended.said);
    }
    assert!(!place.path().join("out").exists());
    assert_eq!(place.on_host("devices --json").out, "[]\n");
    let run = place.on_host("run tiny.toml");
    run.ends(5).says("only the CPU baselines were measured");
    run.says("device: none (no OpenCL driver is installed here)")
        .says("pocl");
    for row in place.rows() {
        let is_device = row["technique"] == "pv-split";
        assert_row(&row, if is_device { "unsupported" } else { "ok" }, "");
    }
    assert!(place.run_folder().join("report.md").exists());
    place.on_host("list").ends(0);
    place.on_host("report reports/local/tiny").ends(0);
}

#[test]
fn a_log_has_a_line_per_case_with_time_and_budget() {
    let place = Place::new(&tiny());
    let cases_said = |more: &[&str]| {
        let log = place.path().join("log");
        let status = place
            .command("run tiny.toml --technique ^(serial|rayon)$")
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
    let [first, second] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(first.starts_with("tiny: case 1 of 2: board=4x4 depth=1 (0s of at most "));
    assert!(second.starts_with("tiny: case 2 of 2: board=6x6 depth=1 ("));
    // Cases that were kept are not reported again, so the two new cases follow the two kept ones.
    let lines = cases_said(&[]);
    let [third, fourth] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(third.starts_with("tiny: case 3 of 4: board=4x4 depth=2 ("));
    assert!(fourth.starts_with("tiny: case 4 of 4: board=6x6 depth=2 ("));
    assert!(cases_said(&[]).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_one_line_and_exit_code_4() {
    let place = Place::new(&tiny());
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("every Linux has it");
    for line in ["list", "completions bash", "--help"] {
        let full = full.try_clone().expect("a second one");
        let ended: Ended = place.command(line).stdout(full).output().unwrap().into();
        ended.ends(4).says_one_line().says("standard output");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_output_is_one_line_and_exit_code_4() {
    let place = Place::new(&tiny());
    for arguments in ["list", "run tiny.toml --technique ^serial$"] {
        let script = format!("exec \"$0\" {arguments} >&-");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_bench")]);
        let ended = ended(shell.current_dir(place.path()));
        let expected = "bench: standard output: is closed; `>/dev/null` discards what is printed\n";
        assert_eq!(ended.ends(4).said, expected);
    }
    assert!(!place.path().join("reports").exists());
}

/// A run whose terminal is closed ends as with Ctrl-C.
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
        eprintln!("skipped: no python3 to close a terminal");
        return;
    };
    assert_eq!(text(&output.stdout), "130\n", "{}", text(&output.stderr));
    assert!(place.run_folder().join("report.md").exists());
}

/// If the number of processes is limited, the system refuses to create threads.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_processes_is_no_panic() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(&tiny());
    let everyone = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(place.path(), everyone).expect("it is ours");
    for limit in 1..=8 {
        // The limit does not apply to root, so the test uses a user without other processes.
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
fn refuses_two_experiments_with_one_name() {
    let place = Place::new(SUITE);
    std::fs::create_dir(place.path().join("other")).unwrap();
    std::fs::write(place.path().join("other/tiny.toml"), SUITE).unwrap();
    place.ends(0, "run tiny.toml");
    let rows = place.path().join("reports/local/tiny-1/measurements.csv");
    let before = std::fs::read_to_string(&rows).unwrap();
    let both = ["tiny.toml:tiny-1", "other/tiny.toml:tiny-1"];
    let [_, said] = place.ends(1, &["run", both[0], both[1], "--fresh"]);
    let why = "other/tiny.toml:tiny-1: name: \"tiny-1\" is already used by tiny.toml:tiny-1";
    assert!(said.contains(why), "{said}");
    assert_eq!(std::fs::read_to_string(&rows).unwrap(), before);
}

#[test]
fn refuses_to_replace_raw_data_of_a_run() {
    let place = Place::new(&tiny());
    place.ends(0, "run tiny.toml --technique ^serial$");
    let folder = "reports/local/tiny";
    let files = "samples.csv measurements.csv environment.toml experiment.toml";
    let texts = || {
        files
            .split(' ')
            .map(|file| place.text(file))
            .collect::<Vec<_>>()
    };
    let before = texts();
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
            format!("new program {out}"),
        ] {
            let refused = place.bench(&arguments);
            let said = &refused.said;
            let is_there = arguments.starts_with("new") && said.contains("already exists");
            let why = "cannot be written: it would replace raw data of the run in this folder";
            assert!(said.contains(why) || is_there, "{arguments}: {said}");
            assert!(matches!(refused.code, Some(1 | 4)), "{arguments}: {said}");
        }
    }
    assert_eq!(texts(), before);
}
