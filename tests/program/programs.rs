//! Tests programs that an experiment brings: every possible fault, and the consent to start programs.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::place::{Ended, Place, assert_row, edit};

/// Connect Four at a small depth, with only the baselines.
pub const EXPERIMENT: &str = r#"
name = "tiny"
title = "Programs"
game = "connect-four"
task = "search"

[[cases]]
depth = [3]

[sampling]
passes = 1
min-samples = 3
max-samples = 4

[budget]
cell = "2s"
total = "15m"
deadline = "20s"
"#;

/// The correct program with an injected fault.
const FAULTY: &str = r#"
import subprocess, sys, time

import connect_four as game

fault, mark = sys.argv[1:]
right = game.sample


def sample(asked):
    if not asked["positions"]:
        return right(asked)
    reply = right(asked)
    if fault == "hang":
        time.sleep(600)
    if fault == "lie":
        reply["answers"][0]["value"] += 1
    if fault == "illegal":
        reply["answers"][0]["best"] = "9"
    if fault == "noise":
        print("loading, please wait")
    if fault == "late":
        reply["id"] = 1
    if fault == "few":
        reply["answers"] = []
    if fault == "flood":
        for _ in range(20_000):
            sys.stderr.write("x" * 1_000 + "\n" * (_ % 2))
    if fault == "clears":
        # One in the program's group, one in no group of ours, both without the environment.
        subprocess.Popen(["sleep", mark], env={})
        subprocess.Popen(["sleep", mark], env={}, start_new_session=True)
        time.sleep(600)
    if fault == "forks":
        # It holds stdout open, in a session of its own.
        subprocess.Popen(["sleep", mark], start_new_session=True)
        sys.exit("the library is gone")
    return reply


if fault == "dead":
    sys.exit("no such library")
game.serve({"hello": game.hello, "prepare": game.prepare, "sample": sample})
"#;

/// Creates a folder with the programs. Without Python, prints a message and returns `None`.
fn place(techniques: &str) -> Option<Place> {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no python3 to run programs");
        return None;
    }
    let place = Place::new(&format!("{EXPERIMENT}{techniques}"));
    let adapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/adapters/connect_four.py");
    fs::copy(adapter, place.path().join("connect_four.py")).unwrap();
    fs::write(place.path().join("faulty.py"), FAULTY).unwrap();
    Some(place)
}

/// Returns a technique that starts this command.
fn technique(name: &str, command: &[&str]) -> String {
    format!("[[technique]]\nname = {name:?}\ncommand = {command:?}\n")
}

fn run(place: &Place, more: &[&str]) -> Ended {
    let arguments = [&["run", "tiny.toml", "--quick"], more].concat();
    place.on_host(&arguments)
}

/// Returns true if a running process has this mark among its arguments.
fn is_running(mark: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.map(|it| fs::read(it.path().join("cmdline")).unwrap_or_default());
    lines.any(|line| {
        line.split(|byte| *byte == 0)
            .any(|word| word == mark.as_bytes())
    })
}

#[test]
fn a_programs_fault_costs_its_own_cell_which_names_it_and_leaves_nothing_running() {
    let mark = format!("86400.{}", std::process::id());
    let faults = [
        ("hang", "timeout", "killed"),
        ("clears", "timeout", "killed"),
        ("lie", "mismatch", "but the reference has"),
        ("illegal", "mismatch", "which is no move"),
        ("noise", "crashed", "loading, please wait"),
        ("late", "crashed", "it answered request 1"),
        ("few", "mismatch", "it sent 0 answers instead of 1"),
        ("forks", "crashed", "the library is gone"),
        ("dead", "crashed", "no such library"),
        ("flood", "ok", ""),
        ("none", "ok", ""),
    ];
    let of =
        |(fault, ..): (&str, &str, &str)| technique(fault, &["python3", "faulty.py", fault, &mark]);
    // This program has no environment variables, reads nothing and starts a child process.
    let sleeps = format!("sleep {mark} & sleep {mark}");
    let bare = technique("bare", &["env", "-i", "sh", "-c", &sleeps]);
    // This program also has no environment variables. It kills its worker and outlives it. If no worker has started it,
    // it exits.
    let kills =
        format!("grep -qs worker /proc/$PPID/cmdline || exit; kill -9 $PPID; exec sleep {mark}");
    let kills = technique("kills", &["env", "-i", "sh", "-c", &kills]);
    let Some(place) = place(&(faults.map(of).concat() + &bare + &kills)) else {
        return;
    };
    // Each program that hangs uses up the whole deadline.
    edit(&place.path().join("tiny.toml"), |text| {
        text.replace("deadline = \"20s\"", "deadline = \"10s\"")
    });
    let ended = run(&place, &["--allow-commands", "--cell-budget", "2s"]);
    // A wrong answer is the worst fault, so it determines the exit code.
    ended.ends(2);
    let rows = place.rows();
    let row = |label: &str| {
        let mut rows = rows.iter();
        rows.find(|row| row["technique"] == label).unwrap()
    };
    let others = [("bare", "timeout", ""), ("kills", "crashed", "")];
    for (fault, status, reason) in faults.into_iter().chain(others) {
        let row = row(fault);
        assert_row(row, status, reason);
    }
    for label in ["serial", "rayon"] {
        assert_eq!(row(label)["status"], "ok", "{}", row(label)["reason"]);
    }
    assert!(row("none")["notes"].contains("round trip"));
    assert!(!is_running(&mark));
}

#[test]
fn a_command_is_not_started_before_the_user_says_so() {
    let Some(place) = place(&technique("mine", &["sh", "mine.sh"])) else {
        return;
    };
    let script = "touch started\nexec python3 connect_four.py\n";
    fs::write(place.path().join("mine.sh"), script).unwrap();
    let started = place.path().join("started");
    run(&place, &[])
        .ends(1)
        .says("mine would start `sh mine.sh`")
        .says("--allow-commands");
    run(&place, &["--dry-run", "--allow-commands"]).ends(0);
    assert!(!started.exists());

    let trusted = run(&place, &["--allow-commands"]);
    assert!(started.exists(), "{}", trusted.said);
    let told = |rows: &[super::place::Row]| {
        let row = rows.iter().find(|row| row["technique"] == "mine").unwrap();
        (row["status"].clone(), row["key"].clone())
    };
    let (status, key) = told(&place.rows());
    assert_eq!(status, "ok", "{}", trusted.said);

    // Rows are kept if the file is unchanged. Otherwise, they are measured again.
    let again = run(&place, &["--allow-commands"]);
    again.says("kept from an earlier run");
    assert_eq!(told(&place.rows()).1, key);
    fs::write(place.path().join("mine.sh"), format!("{script}# faster\n")).unwrap();
    run(&place, &["--allow-commands"]).says("1 row is measured again");
    assert_ne!(told(&place.rows()).1, key);
}

#[test]
fn a_program_is_verified_at_hard_positions() {
    let right = technique("right", &["python3", "connect_four.py"]);
    let wrong = technique("wrong", &["python3", "faulty.py", "lie", "0"]);
    let Some(place) = place(&(right + &wrong)) else {
        return;
    };
    let verify = "verify --config tiny.toml --allow-commands --fail-fast --budget 5s --technique";
    place.on_host(&format!("{verify} ^right$")).ends(0);
    // The last line must be a command that repeats the question.
    place
        .on_host(&format!("{verify} ^wrong$"))
        .ends(2)
        .prints("connect-four wrong")
        .prints("but the reference has")
        .prints("bench search connect-four --technique program");
}

/// The correct program, but it edits a file after its first answer about a position.
const EDITS: &str = r#"
import sys

import connect_four as game

file = sys.argv[1]


def hello(asked):
    reply = game.hello(asked)
    reply["hello"]["version"] = open("version").read()
    return reply


def sample(asked):
    if asked["positions"]:
        with open(file, 'a') as edited:
            edited.write('# 2')
    return game.sample(asked)


game.serve({"hello": hello, "prepare": game.prepare, "sample": sample})
"#;

#[test]
fn refuses_a_program_that_changes_during_a_run() {
    for (file, why) in [
        (
            "edits.py",
            "`python3 edits.py edits.py`: its files were edited after the run began; run it again",
        ),
        ("version", "when the run began; run it again"),
    ] {
        let technique = technique("mine", &["python3", "edits.py", file]);
        let Some(place) = place(&technique) else {
            return;
        };
        fs::write(place.path().join("edits.py"), EDITS).unwrap();
        fs::write(place.path().join("version"), "1").unwrap();
        // If the command names a file, the run records the file's hash.
        let experiment = fs::read_to_string(place.path().join("tiny.toml")).unwrap();
        let experiment = experiment.replace("depth = [3]", "depth = [3, 4]");
        fs::write(place.path().join("tiny.toml"), &experiment).unwrap();
        if file == "version" {
            let other = EDITS.replace("sys.argv[1]", "\"version\"");
            fs::write(place.path().join("edits.py"), other).unwrap();
            let alone = experiment.replace(", \"version\"]", "]");
            fs::write(place.path().join("tiny.toml"), alone).unwrap();
        }
        run(&place, &["--allow-commands"]).ends(3);
        let rows = place.rows();
        let of = |depth: u32| {
            let case = format!("depth={depth}");
            let mut own = rows.iter().filter(|row| row["technique"] == "mine");
            own.find(|row| row["case"].ends_with(&case)).unwrap()
        };
        assert_eq!(of(3)["status"], "ok", "{}", of(3)["reason"]);
        assert_row(of(4), "failed", why);
        // The same command measures the changed program, under its new hash.
        run(&place, &["--allow-commands"]).says("measured again");
    }
}
