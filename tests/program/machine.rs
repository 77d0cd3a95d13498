//! Tests the machine lock, which allows only one timing run at a time.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::place::{Place, TINY};
use super::shards::{experiment, silent};

/// A process that holds the lock until it is killed.
struct Holder(Child);

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
#[test]
fn a_second_timing_run_waits_aloud_for_the_first_and_goes_on_when_it_is_killed() {
    // Use many passes of a slow search, so that the first run is still in progress when it is killed.
    let long = experiment().replace("min-samples = 3", "min-samples = 1000000");
    let long = long.replace("max-samples = 6", "max-samples = 1000000");
    let long = long.replace("cell = \"20s\"", "cell = \"10m\"");
    let long = long.replace("deadline = \"60s\"", "deadline = \"10m\"");
    let place = Place::new(&long.replace("depth = [1, 2]", "depth = [5]"));
    std::fs::write(place.path().join("short.toml"), experiment()).unwrap();
    let lock = place.path().join("lock");
    let run = |file: &str, out: &str, more: &[&str]| {
        let arguments = [
            "run",
            file,
            "--out",
            out,
            "-c",
            "board=8x8",
            "-t",
            "^serial$",
        ];
        let mut command = place.host_command(&[&arguments, more].concat());
        command.env("PLYBENCH_LOCK", &lock);
        command
    };
    let first = Holder(silent(&mut run("tiny.toml", "first", &[])).spawn().unwrap());
    let pid = first.0.id().to_string();
    let until = Instant::now() + Duration::from_secs(300);
    while !std::fs::read_to_string(&lock).is_ok_and(|text| text.trim() == pid) {
        assert!(Instant::now() < until, "the first run takes no lock");
        std::thread::sleep(Duration::from_millis(10));
    }
    let shared = run("short.toml", "shared", &["--shared"]).output().unwrap();
    assert_eq!(shared.status.code(), Some(0), "beside it");
    let off = run("short.toml", "off", &[])
        .env("PLYBENCH_LOCK", "off")
        .output();
    assert_eq!(off.unwrap().status.code(), Some(0));

    let mut second = run("short.toml", "second", &[]);
    let mut second = second
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(second.stderr.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    let part = format!("another timing run (process {pid})");
    assert!(line.contains(&part), "{line}");
    assert!(line.contains("--shared"), "{line}");
    let holds = !place.path().join("second").exists();
    assert!(holds, "it waits, and has no folder yet");
    drop(first);
    let said: Vec<String> = lines.map(Result::unwrap).collect();
    let said = said.join("\n");
    assert_eq!(second.wait().unwrap().code(), Some(0), "{said}");
    assert!(said.contains("the machine is free"), "{said}");
}

/// Returns the first line on stderr of a command that waits for the machine.
fn first_line(command: &mut Command) -> (Holder, String) {
    let mut waiting = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stderr = waiting.stderr.take().unwrap();
    let waiting = Holder(waiting);
    let mut line = String::new();
    BufReader::new(stderr).read_line(&mut line).unwrap();
    (waiting, line)
}

#[cfg(unix)]
#[test]
fn no_device_is_looked_for_and_no_program_is_started_before_the_machine_is_free() {
    let script = "[[technique]]\nname = \"mine\"\ncommand = [\"sh\", \"mine.sh\"]\n";
    let place = Place::new(TINY);
    std::fs::write(place.path().join("mine.sh"), "touch started; cat").unwrap();
    let tiny = TINY.replace("[sampling]", &format!("{script}[sampling]"));
    std::fs::write(place.path().join("mine.toml"), tiny).unwrap();
    let lock = place.path().join("lock");
    let held = File::create(&lock).unwrap();
    held.lock().unwrap();
    let bench = env!("CARGO_BIN_EXE_bench");
    // Without OpenCL, a command that needs a device must report this immediately.
    for arguments in [
        &["run", "mine.toml", "--allow-commands"][..],
        &["run", "mine.toml", "--allow-commands", "--device", "gpu"],
        &["score"],
        &[
            "compare",
            "--programs",
            bench,
            bench,
            "tiny.toml",
            "--device",
            "gpu",
        ],
    ] {
        let mut command = place.host_command(arguments);
        let (waiting, line) = first_line(command.env("PLYBENCH_LOCK", &lock));
        assert!(line.starts_with("waiting: "), "{arguments:?}: {line}");
        drop(waiting);
    }
    assert!(!place.path().join("started").exists());
}

#[test]
fn a_filter_that_matches_nothing_is_refused_before_the_machine_is_waited_for() {
    let place = Place::new(TINY);
    let lock = place.path().join("lock");
    let held = File::create(&lock).unwrap();
    held.lock().unwrap();
    let mut command = place.host_command("run tiny.toml --technique ^none$");
    let (_waiting, line) = first_line(command.env("PLYBENCH_LOCK", &lock));
    assert!(line.starts_with("bench: --technique"), "{line}");
}
