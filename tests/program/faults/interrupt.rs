//! Sends signals at random moments.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plybench::report;
use plybench::results::Run;
use plybench::techniques::registry;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::no_device;

use super::place::{Ended, Place, Row, TINY};

const SEED: u64 = 0x5eed;

/// Columns that contain times or describe the host's load.
const TIMES: &str =
    "build_ns setup_ns predicted_ns warnings warning_codes order invocation at_ns seal";
/// Columns that count samples. If a case was interrupted, its baselines are measured again together with the missing
/// cells, so the baselines have more samples.
const COUNTS: [&str; 3] = ["sample", "samples", "baseline_samples"];

/// Sends a signal with the shell's built-in `kill`, because small systems have no such program.
fn signal(child: &Child, name: &str) {
    let status = Command::new("sh")
        .args(["-c", &format!("kill -{name} {} 2>/dev/null", child.id())])
        .status();
    assert!(status.is_ok());
}

/// Fails unless a folder is readable, complete up to its last line, and accepted by `bench report`.
fn assert_readable(folder: &Path, when: &str) {
    if !folder.join("environment.toml").exists() {
        return;
    }
    let run = Run::read(folder).unwrap_or_else(|error| panic!("{when}: {error}"));
    assert!(run.warnings.is_empty(), "{when}: {:?}", run.warnings);
    let written = report::make(&[folder.to_owned()], None, &registry::catalogue())
        .and_then(|made| made.write());
    assert!(written.is_ok(), "{when}: {written:?}");
}

/// The content of a run, without times: rows of cells, rows of samples, facts, and a table of the report.
#[derive(Debug, PartialEq)]
struct Content {
    rows: BTreeSet<BTreeMap<String, String>>,
    samples: BTreeSet<BTreeMap<String, String>>,
    facts: BTreeSet<BTreeMap<String, String>>,
    tables: BTreeSet<BTreeMap<String, String>>,
}

impl Content {
    fn of(place: &Place) -> Content {
        let without_times = |rows: Vec<Row>| {
            rows.into_iter()
                .map(|row| {
                    row.into_iter()
                        .filter(|(column, _)| TIMES.split(' ').all(|it| it != column))
                        .filter(|(column, _)| !COUNTS.contains(&column.as_str()))
                        .collect()
                })
                .collect()
        };
        // Compare samples without the names of their cells.
        let mut samples: Vec<Row> = place.csv("samples.csv");
        for row in &mut samples {
            for name in ["case", "technique", "device"] {
                row.insert(name.to_owned(), String::new());
            }
        }
        Content {
            rows: without_times(place.rows()),
            samples: without_times(samples),
            facts: without_times(place.csv("facts.csv")),
            tables: without_times(place.csv("tables/factors.csv")),
        }
    }
}

#[test]
fn twelve_signals_leave_a_readable_folder_and_the_report_of_a_run_without_any() {
    send_signals(12);
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it each week"]
fn long_a_hundred_signals_leave_a_readable_folder_and_the_report_of_a_run_without_any() {
    send_signals(100);
}

/// Sends a signal at random moments of a run.
fn send_signals(moments: usize) {
    let has_device = !no_device();
    let mut experiment = TINY
        .replace("\"4x4\"", "[\"4x4\", \"6x6\"]")
        .replace("[1, 2]", "[1, 2, 3]");
    if !has_device {
        experiment = experiment.replace("pv-split", "rayon-shared");
    }
    // With a steady clock, and without device timestamps, all runs are identical.
    let settings = [("STEADY_NS", "1000000"), ("FAULT", "zero-stamps")];
    let start = |place: &Place| {
        let mut command = place.command("run tiny.toml");
        place.with_layer(&mut command, &settings);
        command
    };
    let finish = |place: &Place| {
        let started = Instant::now();
        let ended: Ended = start(place).output().expect("the program starts").into();
        ended.ends(0);
        started.elapsed()
    };
    let whole = Place::new(&experiment);
    finish(&whole);
    let expected = Content::of(&whole);
    assert_eq!(expected.rows.len(), 18);
    let holds = expected.rows.iter().all(|row| row["status"] == "ok");
    assert!(holds, "{:?}", expected.rows);

    println!("{moments} moments from seed {SEED:#x}");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut place = Place::new(&experiment);
    // Measure a complete run, now that the driver has compiled everything once.
    let second = Place::new(&experiment);
    let lasts = finish(&second);
    assert_eq!(Content::of(&second), expected, "two runs without a signal");
    let (mut sent, mut rounds, mut stopped) = (0, 0, 0);
    while sent < moments {
        let after = random.random_range(Duration::ZERO..lasts);
        let name = ["INT", "TERM"][random.random_range(0..2)];
        // Send some signals twice, as an impatient user would.
        let twice = (random.random_range(0..3) == 0)
            .then(|| random.random_range(Duration::ZERO..Duration::from_millis(40)));
        let when =
            format!("seed {SEED:#x}, moment {sent}: {name} after {after:?}, again {twice:?}");

        let mut command = start(&place);
        let started = Instant::now();
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(after.saturating_sub(started.elapsed()));
        let too_late = child.try_wait().is_ok_and(|ended| ended.is_some());
        if !too_late {
            sent += 1;
            signal(&child, name);
            if let Some(pause) = twice {
                std::thread::sleep(pause);
                signal(&child, name);
            }
        }
        let ended: Ended = child.wait_with_output().expect("it ends").into();
        assert!(!ended.said.contains("panicked"), "{when}: {}", ended.said);
        assert_readable(&place.run_folder(), &when);
        match ended.code {
            // The program already handled signals, but the run had not started.
            Some(130) if ended.said.contains("interrupted before the first cell") => {}
            Some(130) => {
                stopped += 1;
                ended.says("interrupted: the same command goes on where it stopped");
                assert!(place.file("report.md").exists(), "{when}");
            }
            // The signal came after everything was measured, or when the run no longer handled signals.
            Some(0) => {
                assert_eq!(Content::of(&place), expected, "{when}");
                place = Place::new(&experiment);
                rounds += 1;
            }
            // The program does not handle signals while it looks for devices. The run had not started.
            None => assert!(
                !ended.said.contains("stopping after"),
                "{when}: {}",
                ended.said
            ),
            Some(code) => panic!("{when}: exit code {code}: {}", ended.said),
        }
    }
    finish(&place);
    assert_eq!(Content::of(&place), expected, "after {rounds} rounds");
    println!("{stopped} runs were stopped, {rounds} completed");
    let holds = stopped >= moments / 4;
    assert!(holds, "only {stopped} of the signals stopped a run");
}

/// A run cannot react to SIGKILL. Everything that it has written must be intact.
#[test]
fn a_killed_run_is_readable_and_goes_on() {
    let place = Place::new(
        &TINY
            .replace("pv-split", "rayon-shared")
            .replace("[1, 2]", "[1, 2, 3]"),
    );
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    println!("seed {SEED:#x}");
    for _ in 0..12 {
        let mut child = place
            .host_command("run tiny.toml")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(random.random_range(Duration::ZERO..Duration::from_millis(60)));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        if place.file("environment.toml").exists() {
            let written = report::make(&[place.run_folder()], None, &registry::catalogue())
                .and_then(|made| made.write());
            assert!(written.is_ok(), "{written:?}");
        }
    }
    place.on_host("run tiny.toml").ends(0);
    let rows = place.rows();
    let holds = rows.len() == 9 && rows.iter().all(|row| row["status"] == "ok");
    assert!(holds, "{rows:?}");
}
