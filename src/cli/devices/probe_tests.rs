//! Tests probes of misbehaving drivers, which shell scripts simulate in place of the child.

#![cfg(unix)]

use std::io::Write as _;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::words::Timer;

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

/// Returns shell code that sends one message.
fn say(said: &Said) -> String {
    format!("echo '{}' >&0\n", serde_json::to_string(said).unwrap())
}

fn say_all(all: &[Said]) -> String {
    all.iter().map(say).collect()
}

fn device(platform_index: usize, name: &str) -> Said {
    Said::Device(Box::new(Probed {
        info: opencl::example(platform_index, 0, name),
        preferred_multiple: 8,
        timer: Timer::Trusted,
        round_trip_ns: None,
        quirks: Vec::new(),
        fault: None,
        alone: None,
    }))
}

/// Timeout of the child, long enough for a shell on a busy machine.
const PATIENCE: Duration = Duration::from_secs(6);

/// Runs a probe without `.icd` entries.
fn probe_all(program: &Path, patience: Duration) -> Result<Vec<Probed>, ProbeError> {
    probe_entries(program, patience, &[])
}

fn names(devices: &[Probed]) -> Vec<&str> {
    devices
        .iter()
        .map(|device| device.info.label.as_str())
        .collect()
}

#[test]
fn the_devices_before_a_crash_or_a_hang_stay() {
    let found = say_all(&[Said::Platforms(2), device(0, "A"), Said::PlatformEnded]);
    // The parent ignores the drivers' output.
    let prints = "echo loading; printf '{half a line '; echo lost >&2";
    for end in ["kill -SEGV $$", "exec sleep 60"] {
        let start = Instant::now();
        let program = program(&format!("{prints}\n{found}{end}"));
        assert_eq!(names(&probe_all(&program, PATIENCE).unwrap()), ["A"]);
        assert!(start.elapsed() < PATIENCE * 4, "{:?}", start.elapsed());
    }
}

#[test]
fn what_fails_before_the_first_device_is_told() {
    let failed = probe_all(
        &program("echo 'LLVM ERROR: no such target' >&2; kill -ABRT $$"),
        PATIENCE,
    );
    let Err(ProbeError::Failed(why)) = failed else {
        panic!("{failed:?}")
    };
    let holds = why.contains("signal: 6") && why.ends_with("LLVM ERROR: no such target)");
    assert!(holds, "{why}");

    let garbled = probe_all(&program("echo '{]' >&0; sleep 60"), PATIENCE);
    assert!(matches!(garbled, Err(ProbeError::Failed(why)) if why.contains("cannot be read")));

    let every = format!("{}kill -SEGV $$", say(&Said::Platforms(2)));
    let failed = probe_all(&program(&every), PATIENCE);
    let Err(ProbeError::Failed(why)) = failed else {
        panic!("{failed:?}")
    };
    assert!(why.contains("platform 0: "), "{why}");
}

#[test]
fn no_platform_and_no_device_are_told_apart() {
    let script = say(&Said::Nothing(NoDevices::NoPlatform)) + &say(&Said::End);
    let nothing = probe_all(&program(&script), PATIENCE);
    let holds = matches!(nothing, Err(ProbeError::NoDevices(NoDevices::NoPlatform)));
    assert!(holds, "{nothing:?}");

    let none = Said::Nothing(NoDevices::NoDevice("Clover has none".to_owned()));
    let script = say_all(&[Said::Platforms(1), none, Said::PlatformEnded, Said::End]);
    let nothing = probe_all(&program(&script), PATIENCE)
        .unwrap_err()
        .to_string();
    assert!(nothing.contains("Clover has none"), "{nothing}");
}

/// Runs a probe with these `.icd` entries and a child that runs `script`. The child's entry is in `$OCL_ICD_VENDORS`.
fn probed_by_entry(
    names: &[&str],
    script: &str,
) -> (tempfile::TempDir, Result<Vec<Probed>, ProbeError>) {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        std::fs::write(folder.path().join(name), "lib.so").unwrap();
    }
    let entries = Entry::below(folder.path());
    let found = probe_entries(&program(script), PATIENCE, &entries);
    (folder, found)
}

/// Returns shell code for a child that finds one platform with one device.
fn finds(name: &str) -> String {
    let platforms = Said::Platforms(1);
    say_all(&[platforms, device(0, name), Said::PlatformEnded, Said::End])
}

#[test]
fn a_driver_that_crashes_when_it_is_loaded_hides_no_other() {
    let script = format!(
        "case $OCL_ICD_VENDORS in *good.icd) {} exit 0;; *late.icd) {} exit 0;; esac; kill -ABRT $$",
        finds("A"),
        finds("B")
    );
    let (_folder, found) = probed_by_entry(&["bad.icd", "good.icd", "late.icd"], &script);
    let found = found.unwrap();
    assert_eq!(names(&found), ["A", "B"]);
    let numbers = found.iter().map(|device| device.info.numbers());
    assert_eq!(numbers.collect::<Vec<_>>(), ["0:0", "1:0"]);
    for (device, file) in found.iter().zip(["good.icd", "late.icd"]) {
        let alone = device.alone.as_ref().unwrap();
        assert_eq!(alone.platform_index, 0);
        assert!(alone.environment[0].1.ends_with(file), "{alone:?}");
    }
}

#[test]
fn names_each_entry_that_fails() {
    let (_folder, found) = probed_by_entry(&["one.icd", "two.icd"], "kill -SEGV $$");
    let why = found.unwrap_err().to_string();
    for file in ["/one.icd: ", "/two.icd: "] {
        assert!(why.contains(file), "{why}");
    }
}

/// If a GPU opens only through its second entry, the second entry is listed.
#[test]
fn an_entry_that_opens_is_the_device() {
    let mut broken = device(0, "A");
    if let Said::Device(device) = &mut broken {
        device.fault = Some("it does not open".to_owned());
    }
    let script = [
        Said::Platforms(2),
        broken,
        Said::PlatformEnded,
        device(1, "A"),
        Said::PlatformEnded,
        Said::End,
    ];
    let found = probe_all(&program(&say_all(&script)), PATIENCE).unwrap();
    assert_eq!(found[0].info.same_as.as_deref(), Some("1:0"));
    assert_eq!(names(&found), ["A (0:0)", "A"]);
}

#[test]
fn a_missing_program_is_told() {
    let missing = probe_all(Path::new("/nonexistent/bench"), PATIENCE);
    let holds = matches!(missing, Err(ProbeError::Start { .. }));
    assert!(holds, "{missing:?}");
}

#[test]
fn this_machine_can_be_described() {
    let mut said = Vec::new();
    describe(&mut |one| {
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

#[test]
fn reads_the_files_that_name_a_library() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("b.icd", "libb.so\n"),
        ("a.icd", " liba.so"),
        ("empty.icd", ""),
        ("c.txt", "libc.so"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    std::fs::create_dir(folder.path().join("folder.icd")).unwrap();
    let entries = Entry::below(folder.path());
    let libraries: Vec<&str> = entries.iter().map(|it| it.library.as_str()).collect();
    assert_eq!(libraries, ["liba.so", "libb.so"]);
    let file = folder.path().join("a.icd").display().to_string();
    let expected = ("OCL_ICD_VENDORS".to_owned(), file);
    assert_eq!(entries[0].environment()[0], expected);
    assert!(Entry::below(&folder.path().join("none")).is_empty());
}
