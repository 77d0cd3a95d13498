//! `bench verify` on a device of this machine, as a user runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use plybench::results::Conformance;
use plybench::words::Status;

use super::place::{changed, said, text};
use crate::needed::devices;

/// The program on kernels of a folder, where one is given, with a cache of its own.
fn verify(cache: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bench"))
        .arg("verify")
        .args(arguments)
        .env("PLYBENCH_CACHE", cache)
        .output()
        .unwrap()
}

#[test]
fn a_right_technique_is_said_to_be_right_and_a_run_knows_it() {
    let Some(_devices) = devices() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("verify.json");
    let asked = ["--game", "connect-four", "--technique", "^move-sets$"];
    let output = verify(
        folder.path(),
        &[&asked[..], &["--json", "--out", file.to_str().unwrap()]].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let printed: Conformance = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(Conformance::read(&file).unwrap(), printed);
    let [it] = printed.techniques.as_slice() else {
        panic!("{printed:?}");
    };
    assert_eq!((it.status, it.wrong, it.failed), (Status::Ok, 0, 0));
    assert!(it.right == it.cases && it.cases > 100, "{it:?}");
    assert!(!printed.device.driver.is_empty() && !printed.program.kernel_hash.is_empty());

    // A run keeps it, and its report shows it.
    let kept = folder.path().join("run");
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["run", "configs/smoke.toml:smoke-connect-four", "--quick"])
        .args(["--technique", "^move-sets(-serial)?$", "--out"])
        .arg(&kept)
        .env("PLYBENCH_CACHE", folder.path())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let [report] = &Conformance::of_run(&kept).unwrap()[..] else {
        panic!("no report of one device");
    };
    assert_eq!(report.techniques, printed.techniques);
    let page = fs::read_to_string(kept.join("report.md")).unwrap();
    let cases = it.cases;
    let shown = format!("right: move-sets; {cases} cases");
    assert!(page.contains(&shown), "{shown}");
}

#[test]
fn a_changed_kernel_is_found_and_the_command_asks_the_case_again() {
    let Some(_devices) = devices() else { return };
    let folder = tempfile::tempdir().unwrap();
    let kernels = folder.path().join("cl");
    changed(
        &kernels,
        "connect_four/root_split.cl",
        "over ? 0 : value",
        "value",
    );
    let path = kernels.to_str().unwrap();
    let asked = ["--technique", "^root-split$", "--fail-fast", "--json"];
    let asked = [&asked[..], &["--kernels", path]].concat();
    let output = verify(folder.path(), &asked);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let report: Conformance = serde_json::from_slice(&output.stdout).unwrap();
    let it = &report.techniques[0];
    assert_eq!((it.status, it.wrong), (Status::Mismatch, 1));
    assert!(it.reason.contains("the reference says"), "{it:?}");
    // No shell: the command's words have neither blanks nor quotes but around the device and lists.
    let asked = it.command.split_once(" --position").unwrap().1;
    let position = asked.split(' ').next().unwrap();
    let depth = it.command.split_once("--depth ").unwrap().1;
    let depth = depth.split(' ').next().unwrap();
    let mut words = vec!["search", "connect-four", "--depth", depth];
    let position = format!("--position{position}");
    let set: Vec<String> = it
        .command
        .split(" --set ")
        .skip(1)
        .map(|rest| {
            let end = rest.find(" --").unwrap_or(rest.len());
            format!("--set={}", rest[..end].trim_matches('\''))
        })
        .collect();
    words.push(&position);
    words.extend(set.iter().map(String::as_str));
    let answer = |technique: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command.args(&words).args(technique);
        let output = command.env("PLYBENCH_CACHE", folder.path()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", said(&output));
        text(&output.stdout)
            .split(" nodes")
            .next()
            .unwrap()
            .to_owned()
    };
    let wrong = answer(&["--technique", "root-split", "--kernels", path]);
    let right = answer(&["--technique", "root-split"]);
    assert_ne!(wrong, right);
    // What is wrong is remembered with its kernels, and not with those of the program.
    assert_eq!(
        fs::read_dir(folder.path().join("verified"))
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn a_driver_that_dies_costs_a_technique() {
    let Some(_devices) = devices() else { return };
    let folder = tempfile::tempdir().unwrap();
    let one = [
        "--technique",
        "^(root-split|move-sets)$",
        "--game",
        "connect-four",
    ];
    let dies = folder.path().join("dies");
    changed(
        &dies,
        "connect_four/move_sets.cl",
        "    long joined = NONE;\n",
        "    long joined = *(volatile __global long *)0;\n",
    );
    let path = dies.to_str().unwrap();
    let output = verify(folder.path(), &[&one[..], &["--kernels", path]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let table = said(&output);
    for part in [
        "connect-four move-sets             crashed",
        "connect-four root-split            right",
        "1 techniques right, 1 not",
    ] {
        assert!(table.contains(part), "{table}");
    }
    assert!(table.contains("2 failed"), "{table}");
}

/// A program as a technique of Connect Four, asked for a task.
fn verify_program(task: &str, command: &[&str], more: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let case = if task == "search" { "depth" } else { "effort" };
    let experiment = format!(
        "name = \"mine\"\ngame = \"connect-four\"\ntask = \"{task}\"\ncases = [{{ {case} = [3] }}]\n\
         [[technique]]\nname = \"mine\"\ncommand = {command:?}\n"
    );
    fs::write(&file, experiment).unwrap();
    let arguments = ["--allow-commands", "--config", file.to_str().unwrap()];
    verify(folder.path(), &[&arguments[..], more].concat())
}

#[test]
fn a_case_that_hangs_ends_soon_after_the_budget() {
    let begun = Instant::now();
    let output = verify_program("search", &["sleep", "86400"], &["--budget", "1s"]);
    let table = said(&output);
    assert_eq!(output.status.code(), Some(3), "{table}");
    let expected = "connect-four mine                  skipped";
    assert!(table.contains(expected), "{table}");
    assert!(table.contains("the first of"), "{table}");
    assert!(!table.contains("failed"), "{table}");
    let skipped = table.trim_end().ends_with(" skipped");
    assert!(skipped && table.contains("; 0 cases in "), "{table}");
    // The deadline is two minutes where nothing is said.
    assert!(begun.elapsed() < Duration::from_secs(115), "{table}");
}

#[test]
fn a_run_knows_that_a_users_kernel_was_verified() {
    let Some(_devices) = devices() else { return };
    let folder = tempfile::tempdir().unwrap();
    let bench = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_bench"))
            .args(arguments)
            .current_dir(folder.path())
            .env("PLYBENCH_CACHE", folder.path().join("cache"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        said(&output)
    };
    bench(&["new", "kernel", "connect-four", "perft", "mine.cl"]);
    let plan = ["run", "mine.toml", "--dry-run", "--technique", "^mine$"];
    let before = bench(&plan);
    let part = "never verified as right: mine; bench verify --config mine.toml --device";
    assert!(before.contains(part), "{before}");
    let verified = bench(&["verify", "--config", "mine.toml", "--strict"]);
    assert!(verified.contains("1 techniques right"), "{verified}");
    let after = bench(&plan);
    assert!(!after.contains("never verified"), "{after}");
    let run = bench(&["run", "mine.toml", "--quick", "--technique", "^mine$"]);
    assert!(!run.contains("never verified"), "{run}");
    let page = fs::read_to_string(folder.path().join("reports/local/mine/report.md")).unwrap();
    assert!(page.contains("right: mine; "), "{page}");
    // Another text is another kernel.
    let kernel = folder.path().join("mine.cl");
    let text = fs::read_to_string(&kernel).unwrap();
    fs::write(&kernel, format!("{text}\n")).unwrap();
    let changed = bench(&plan);
    let part = "never verified as right: mine";
    assert!(changed.contains(part), "{changed}");
}
