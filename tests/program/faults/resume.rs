//! Tests run folders that another run, another program or an accident has changed, and two simultaneous runs.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::place::{Ended, Place, Row, TINY, cell, endless};

/// Creates a folder with a finished run of six cells, without a device.
fn finished() -> Place {
    let place = Place::new(&TINY.replace("pv-split", "rayon-shared"));
    again(&place, &[]).ends(0);
    place
}

fn again(place: &Place, more: &[&str]) -> Ended {
    let run = [&["run", "tiny.toml"][..], more].concat();
    place.on_host(&run)
}

/// Replaces the first occurrence of a text in a file of the run folder.
fn edit(place: &Place, file: &str, from: &str, to: &str) {
    let text = place.text(file);
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(place.file(file), text.replacen(from, to, 1)).expect("it can be written");
}

/// Returns the keys and medians of the rows. A different median shows that a row was measured again.
fn made(place: &Place) -> Vec<[String; 3]> {
    let of = |row: Row| ["case", "technique", "median_ns"].map(|column| row[column].clone());
    let mut rows: Vec<_> = place.rows().into_iter().map(of).collect();
    rows.sort();
    rows
}

#[test]
fn a_line_that_was_cut_off_costs_its_cell_alone() {
    for file in ["measurements.csv", "samples.csv"] {
        let place = finished();
        let before = made(&place);
        let bytes = std::fs::read(place.file(file)).expect("rows");
        std::fs::write(place.file(file), &bytes[..bytes.len() - 7]).expect("it can be written");
        // A row without one of its samples counts as damaged.
        let is_damaged = file == "samples.csv";
        let expected = if is_damaged { 4 } else { 0 };
        place.ends(expected, &["report", "reports/local/tiny"]);

        let resumed = again(&place, &[]);
        resumed.ends(0);
        let dropped = format!("{file}: the last line was cut off and is dropped");
        let kept = "5 cells kept from an earlier run, 1 to measure";
        let missing = "1 row is measured again: not consistent with the samples";
        for (part, is_said) in [(&*dropped, true), (kept, true), (missing, is_damaged)] {
            let said = resumed.said.contains(part);
            assert_eq!(said, is_said, "{part}: {}", resumed.said);
        }
        let after = made(&place);
        let kept = after.iter().filter(|row| before.contains(row)).count();
        // The rows of the other case are kept. In the damaged case, the baselines are measured again.
        assert!((3..=5).contains(&kept), "{before:?} {after:?}");
        let samples = place.csv("samples.csv");
        for row in place.rows() {
            let own = samples.iter().filter(|it| cell(it) == cell(&row));
            let count = own.count();
            assert!(count.to_string() == row["samples"] || count > 6, "{row:?}");
        }
        let third = again(&place, &[]).said;
        let kept = "6 cells kept from an earlier run, 0 to measure";
        assert!(third.contains(kept), "{third}");
    }
}

#[test]
fn rows_that_something_else_made_are_said_and_measured_again() {
    for (from, to, what) in [
        ("source_hash = \"", "source_hash = \"0", "program"),
        ("kernel_hash = \"", "kernel_hash = \"0", "set of kernels"),
        ("compiled_for = \"", "compiled_for = \"mmx,", "build"),
        ("cpu = \"", "cpu = \"Another ", "host"),
        ("cpu = \"", "threads = 77\ncpu = \"", "thread count"),
    ] {
        let place = finished();
        if to.starts_with("threads") {
            let text = place.text("environment.toml");
            let lines = text.lines().filter(|line| !line.starts_with("threads = "));
            let without: Vec<&str> = lines.collect();
            std::fs::write(place.file("environment.toml"), without.join("\n")).expect("written");
        }
        edit(&place, "environment.toml", from, to);
        let before = made(&place);
        // A filtered run would have to drop rows that it does not measure.
        again(&place, &["--case", "depth=1"]).ends(1);
        assert_eq!(made(&place), before);
        again(&place, &[])
            .ends(0)
            .says(&format!("6 rows are measured again: the {what} changed"));
        let rows = place.csv("measurements.csv");
        assert_eq!(rows.len(), 6, "no earlier row is left");
        assert_ne!(made(&place), before);
    }
}

/// No cell meets the target of this run. The rows are kept unless the sampling rules or the seed change, or the cell
/// budget grows. A smaller cell budget could only give fewer samples.
#[test]
fn rows_that_met_no_condition_are_measured_again_under_other_rules_alone() {
    // The searches take so long that no two samples have the same time in ns.
    let unmet = TINY
        .replace("pv-split", "rayon-shared")
        .replace("\"4x4\"", "\"8x8\"")
        .replace("[1, 2]", "[3, 4]")
        .replace("max-samples = 6", "max-samples = 6\ntarget = 0.0001");
    let place = Place::new(&unmet);
    again(&place, &[]).ends(0);
    let kept = "6 cells kept from an earlier run, 0 to measure";
    let rules = "6 rows are measured again: the sampling condition was not met";
    let seed = "6 rows are measured again: the options, positions, seed, parameters, driver or device changed";
    let (budget, other) = (["--cell-budget", "3s"], ["--seed", "5"]);
    let (both, smaller) = ([budget, other].concat(), ["--cell-budget", "1s"]);
    for (more, said) in [
        (&[][..], kept),
        (&budget, rules),
        (&budget, kept),
        (&smaller, kept),
        (&both, seed),
    ] {
        let before = made(&place);
        again(&place, more).ends(0).says(said);
        assert_eq!(made(&place) == before, said == kept, "{more:?}");
        assert_eq!(place.rows().len(), 6, "{more:?}");
    }
}

#[test]
fn rows_that_nobody_can_vouch_for_are_dropped() {
    let place = finished();
    std::fs::remove_file(place.file("environment.toml")).expect("it was there");
    again(&place, &["--case", "depth=1"])
        .ends(0)
        .says("rows without an environment.toml are dropped");
    assert_eq!(place.rows().len(), 3);
}

#[test]
fn a_second_run_into_the_same_folder_is_refused_and_the_first_goes_on() {
    // The first run is still in progress when the others end.
    let place = Place::new(&endless().replace("pv-split", "rayon-shared"));
    let mut first = place
        .host_command("run tiny.toml")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let started = Instant::now();
    while !place.file("environment.toml").exists() {
        let holds = started.elapsed() < Duration::from_secs(300);
        assert!(holds, "the first run never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    for more in [&[][..], &["--fresh"]] {
        let second = again(&place, more);
        second.ends(4);
        second.says(&format!(
            "another run (process {}) is writing here",
            first.id()
        ));
        second.says("--out");
    }
    // A command that only reads must not be refused.
    place.ends(0, "report reports/local/tiny");
    let holds = first.try_wait().is_ok_and(|ended| ended.is_none());
    assert!(holds, "the first run continues");
    let stopped = std::process::Command::new("sh")
        .args(["-c", &format!("kill -TERM {}", first.id())])
        .status();
    assert!(stopped.is_ok());
    let first: Ended = first.wait_with_output().expect("it ends").into();
    first.ends(130);
    assert_eq!(again(&place, &["--fresh", "--dry-run"]).code, Some(0));
}
