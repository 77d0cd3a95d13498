//! Drivers that misbehave, played by shell scripts in the child's place.

#![cfg(unix)]

use std::io::Write as _;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::words::Timer;

/// A program that does what the script says; `$3` is the platform asked for, if any.
///
/// Another process writes it: had this one the file open for writing, a child that a test beside
/// starts meanwhile would have it open too, and what is open for writing cannot be run.
fn program(script: &str) -> tempfile::TempPath {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("plybench-probe-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut shell = Command::new("sh")
        .args(["-c", "cat >\"$0\" && chmod 700 \"$0\""])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    write!(shell.stdin.take().unwrap(), "#!/bin/sh\n{script}\n").unwrap();
    assert!(shell.wait().unwrap().success());
    tempfile::TempPath::try_from_path(path).unwrap()
}

/// Shell that says one thing.
fn say(said: &Said) -> String {
    format!("echo '{}' >&0\n", serde_json::to_string(said).unwrap())
}

fn device(platform_index: usize, name: &str) -> Said {
    Said::Device(Box::new(Probed {
        info: opencl::example(platform_index, 0, name),
        preferred_multiple: 8,
        timer: Timer::Trusted,
        round_trip_ns: None,
        quirks: Vec::new(),
        fault: None,
    }))
}

/// Long enough for a shell on a busy machine, short enough to wait for.
const PATIENCE: Duration = Duration::from_secs(2);

fn names(devices: &[Probed]) -> Vec<&str> {
    devices
        .iter()
        .map(|device| device.info.label.as_str())
        .collect()
}

#[test]
fn a_driver_that_prints_is_passed_over() {
    let script = format!(
        "echo loading; printf 'half a line '; {}{}echo '{{}}'; {}{}",
        say(&Said::Platforms(1)),
        say(&device(0, "A")),
        say(&Said::PlatformEnded),
        say(&Said::End),
    );
    assert_eq!(names(&probe(&program(&script), PATIENCE).unwrap()), ["A"]);
}

#[test]
fn a_driver_that_crashes_does_not_hide_the_others() {
    let script = format!(
        "if [ \"$4\" = 2 ]; then {}{}{}{} exit 0; fi\n{}{}{}kill -SEGV $$",
        say(&Said::Platforms(3)),
        say(&device(2, "C")),
        say(&Said::PlatformEnded),
        say(&Said::End),
        say(&Said::Platforms(3)),
        say(&device(0, "A")),
        say(&Said::PlatformEnded),
    );
    assert_eq!(
        names(&probe(&program(&script), PATIENCE).unwrap()),
        ["A", "C"]
    );
}

#[test]
fn a_driver_that_hangs_is_killed() {
    let script = format!(
        "if [ \"$4\" = 1 ]; then {}{}{}{} fi\n{}exec sleep 60",
        say(&Said::Platforms(2)),
        say(&device(1, "B")),
        say(&Said::PlatformEnded),
        say(&Said::End),
        say(&Said::Platforms(2)),
    );
    let start = Instant::now();
    assert_eq!(names(&probe(&program(&script), PATIENCE).unwrap()), ["B"]);
    // The second child hangs too, after it has reported everything: the parent does not wait for it.
    assert!(start.elapsed() < PATIENCE * 3, "{:?}", start.elapsed());
}

#[test]
fn what_fails_before_the_first_device_is_told() {
    let failed = probe(
        &program("echo 'LLVM ERROR: no such target' >&2; kill -ABRT $$"),
        PATIENCE,
    );
    let Err(ProbeError::Failed(why)) = failed else {
        panic!("{failed:?}")
    };
    assert!(
        why.contains("signal: 6") && why.ends_with("LLVM ERROR: no such target)"),
        "{why}"
    );

    let garbled = probe(&program("echo '{]' >&0; sleep 60"), PATIENCE);
    assert!(matches!(garbled, Err(ProbeError::Failed(why)) if why.contains("cannot be read")));

    let every = format!("{}kill -SEGV $$", say(&Said::Platforms(2)));
    let failed = probe(&program(&every), PATIENCE);
    let Err(ProbeError::Failed(why)) = failed else {
        panic!("{failed:?}")
    };
    assert!(
        why.contains("platform 0: ") && why.contains("platform 1: "),
        "{why}"
    );
}

#[test]
fn no_platform_and_no_device_are_told_apart() {
    let script = say(&Said::Nothing(NoDevices::NoPlatform)) + &say(&Said::End);
    let nothing = probe(&program(&script), PATIENCE);
    assert!(
        matches!(nothing, Err(ProbeError::NoDevices(NoDevices::NoPlatform))),
        "{nothing:?}"
    );

    let script = format!(
        "{}{}{}{}",
        say(&Said::Platforms(1)),
        say(&Said::Nothing(NoDevices::NoDevice(
            "Clover has none".to_owned()
        ))),
        say(&Said::PlatformEnded),
        say(&Said::End),
    );
    let nothing = probe(&program(&script), PATIENCE).unwrap_err().to_string();
    assert!(
        nothing.contains("Clover has none") && nothing.contains("pocl-opencl-icd"),
        "{nothing}"
    );
}

#[test]
fn devices_alike_are_numbered() {
    let script = format!(
        "{}{}{}{}{}{}",
        say(&Said::Platforms(2)),
        say(&device(0, "A")),
        say(&Said::PlatformEnded),
        say(&device(1, "A")),
        say(&Said::PlatformEnded),
        say(&Said::End),
    );
    assert_eq!(
        names(&probe(&program(&script), PATIENCE).unwrap()),
        ["A #1", "A #2"]
    );
}

#[test]
fn a_missing_program_is_told() {
    let missing = probe(Path::new("/nonexistent/bench"), PATIENCE);
    assert!(
        matches!(missing, Err(ProbeError::Start { .. })),
        "{missing:?}"
    );
}

#[test]
fn this_machine_can_be_described() {
    let mut said = Vec::new();
    describe(None, &mut |one| {
        said.push(serde_json::to_string(one)?);
        Ok(())
    })
    .unwrap();
    let said: Vec<Said> = said
        .iter()
        .map(|one| serde_json::from_str(one).unwrap())
        .collect();
    assert!(matches!(said.last(), Some(Said::End)));
    match said[0] {
        Said::Platforms(count) => {
            let ended = said
                .iter()
                .filter(|one| matches!(one, Said::PlatformEnded))
                .count();
            assert_eq!(ended, count);
        }
        Said::Nothing(_) => assert_eq!(said.len(), 2),
        _ => panic!("{:?} came first", said[0]),
    }
}
