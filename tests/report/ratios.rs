//! Tests that ratios use samples that were measured together, and compare with the fastest host technique.

use std::collections::HashMap;
use std::path::Path;

use approx::assert_relative_eq;
use plybench::config::TechniqueChoice;
use plybench::report::RunData;
use plybench::results::Sample;
use plybench::words::{Case, Kind, Status};

use crate::fixture::*;

/// Returns the row of `tables/ratios.csv` for `pv-split` in the first case.
fn ratio(data: &RunData, over: &str) -> HashMap<String, String> {
    let table = tables(data, "ratios");
    let at = [
        ("board", "8x8"),
        ("depth", "1"),
        ("technique", "pv-split"),
        ("over", over),
    ];
    table.row(&at).clone()
}

fn speedup(row: &HashMap<String, String>) -> f64 {
    row["speedup"].parse().unwrap()
}

/// Returns the values of these columns in a row.
fn told(row: &HashMap<String, String>, columns: &str) -> String {
    let texts: Vec<&str> = columns
        .split(' ')
        .map(|column| row[column].as_str())
        .collect();
    texts.join(" ")
}

fn first() -> Case {
    case("8x8", 1)
}

/// Moves all measurements so far to another invocation.
fn becomes(data: &mut RunData, invocation: &str) {
    for row in &mut data.measurements {
        row.invocation = invocation.into();
    }
    for sample in &mut data.samples {
        sample.invocation = invocation.into();
    }
}

/// Creates a run of the first case with these times in ms.
fn measured(folder: &Path, [serial, rayon, device]: [u64; 3]) -> RunData {
    let mut data = empty(folder);
    measure(&mut data, &first(), "serial", serial * MS, 10);
    measure(&mut data, &first(), "rayon", rayon * MS, 10);
    measure(&mut data, &first(), "pv-split", device * MS, 10);
    data
}

/// Adds another host technique to the experiment.
fn offers(data: &mut RunData, label: &str, kind: Kind) {
    let choice = TechniqueChoice {
        technique: label.into(),
        label: label.into(),
        ..data.experiment.techniques[0].clone()
    };
    data.experiment.techniques.insert(2, choice);
    data.kinds.insert(label.into(), kind);
}

#[test]
fn a_baseline_that_was_timed_again_is_that_of_its_own_invocation() {
    let (_folder, mut data) = fresh(empty);
    measure(&mut data, &first(), "serial", 100 * MS, 10);
    measure(&mut data, &first(), "rayon", 60 * MS, 10);
    becomes(&mut data, "first");
    let before = std::mem::take(&mut data.measurements);
    // The machine is faster now.
    measure(&mut data, &first(), "serial", 40 * MS, 10);
    measure(&mut data, &first(), "rayon", 20 * MS, 10);
    measure(&mut data, &first(), "pv-split", 10 * MS, 10);
    assert_eq!(before.len(), 2);
    for row in &mut data.measurements[..2] {
        // A row covers the samples of all of the cell's passes.
        let is_own = |sample: &Sample| sample.cell == row.cell;
        let mut own: Vec<Sample> = data.samples.extract_if(.., |it| is_own(it)).collect();
        agree(row, &mut own);
        assert_eq!(row.samples, 62);
        data.samples.extend(own);
    }
    for (over, baseline, expected) in [
        ("serial", "serial", 4.0),
        ("rayon", "rayon", 2.0),
        ("best one core", "serial", 4.0),
        ("best CPU", "rayon", 2.0),
    ] {
        let row = ratio(&data, over);
        assert_relative_eq!(speedup(&row), expected, max_relative = 1e-3);
        assert_eq!(row["baseline"], baseline, "{over}");
        assert_eq!(row["invocation"], ONE, "{over}");
        let samples = [&row["baseline_samples"], &row["samples"], &row["passes"]];
        assert_eq!(samples, ["31", "31", "5"], "{over}");
    }
}

#[test]
fn what_was_never_measured_together_has_no_ratio_and_says_so() {
    let (_folder, mut data) = fresh(empty);
    measure(&mut data, &first(), "serial", 40 * MS, 10);
    measure(&mut data, &first(), "rayon", 20 * MS, 10);
    becomes(&mut data, "first");
    measure(&mut data, &first(), "pv-split", 10 * MS, 10);
    for (over, baseline) in [
        ("serial", "serial"),
        ("rayon", "rayon"),
        ("best CPU", "rayon"),
    ] {
        let row = ratio(&data, over);
        assert_eq!(row["status"], "not measured together", "{over}");
        let why = format!("{baseline} was sampled at another time than pv-split");
        assert_eq!(row["reason"], why, "{over}");
        assert_eq!(told(&row, "speedup invocation"), " ");
    }
    let text = closing(&data, 160, false);
    let row = "10.0 ms  not measured together\n";
    assert!(text.contains(row), "{text}");
}

#[test]
fn best_cpu_is_the_fastest_of_the_host_by_name_with_its_threads() {
    let (_folder, mut data) = fresh(|it| measured(it, [40, 20, 10]));
    offers(&mut data, "old", Kind::Serial);
    let row = ratio(&data, "best CPU");
    assert_eq!(row["status"], "best unknown");
    assert_eq!(row["reason"], "old was not measured, and may be faster");
    // `old` uses one thread and is faster than rayon.
    measure(&mut data, &first(), "old", 15 * MS, 10);
    for role in ["best CPU", "best one core"] {
        let row = ratio(&data, role);
        assert_relative_eq!(speedup(&row), 1.5, max_relative = 1e-3);
        assert_eq!(told(&row, "baseline threads"), "old 1");
    }
    let row = data.measurements.last_mut().unwrap();
    row.threads = 16;
    let row = ratio(&data, "best one core");
    assert_eq!(
        (row["baseline"].as_str(), !row["speedup"].is_empty()),
        ("serial", true)
    );
    let row = ratio(&data, "best CPU");
    assert_eq!(told(&row, "baseline threads"), "old 16");
    // A technique with a different reference is not a baseline.
    data.references = [
        ("serial", "serial"),
        ("pv-split", "serial"),
        ("rayon", "serial"),
        ("old", "old"),
    ]
    .map(|(label, like)| (label.to_owned(), like.to_owned()))
    .into();
    assert_eq!(ratio(&data, "best CPU")["baseline"], "rayon");
}

#[test]
fn where_best_cpu_is_not_known_the_answer_is_over_the_fastest_that_was_measured() {
    let (_folder, mut data) = fresh(|it| measured(it, [40, 20, 10]));
    offers(&mut data, "old", Kind::Serial);
    // `other` is faster than both, but has a different reference.
    offers(&mut data, "other", Kind::Serial);
    measure(&mut data, &first(), "other", MS, 10);
    let references = ["serial", "rayon", "pv-split", "old"].map(|own| (own, "serial"));
    let references = references.into_iter().chain([("other", "other")]);
    data.references = references
        .map(|(label, like)| (label.to_owned(), like.to_owned()))
        .collect();
    let over_rayon = "in 1 of 1 cases (largest: 2.00x, 8x8, depth 1). In 1 case, a CPU program without \
        an answer may be faster than the baseline.";
    let text = markdown(&data);
    assert!(text.contains(over_rayon), "{text}");
    measure(&mut data, &first(), "old", 15 * MS, 10);
    let text = markdown(&data);
    let over_best = "in 1 of 1 cases (largest: 1.50x, 8x8, depth 1).\n";
    assert!(text.contains(over_best), "{text}");
}

#[test]
fn a_technique_without_an_answer_hides_the_best_unless_it_is_known_to_be_slow() {
    let folder = tempfile::tempdir().unwrap();
    for (status, reason, is_known) in [
        (Status::Skipped, "budget 60 s, predicted 310 s", true),
        (Status::Timeout, "no answer in 60 s", true),
        (
            Status::Skipped,
            "the run's budget was spent before its turn",
            false,
        ),
        (Status::Mismatch, "value 5, not 7", false),
        (
            Status::Damaged,
            "median_ns is 20 in the row, but 20000 by its samples",
            false,
        ),
    ] {
        let mut data = measured(folder.path(), [40, 20, 10]);
        offers(&mut data, "old", Kind::Serial);
        fail(&mut data, &first(), "old", status, reason);
        let row = ratio(&data, "best CPU");
        let expected = if is_known { "faster" } else { "best unknown" };
        assert_eq!(row["status"], expected, "{status} {reason}");
    }
}

#[test]
fn a_faster_technique_of_another_invocation_hides_best_cpu() {
    let (_folder, mut data) = fresh(empty);
    measure(&mut data, &first(), "rayon", 20 * MS, 10);
    becomes(&mut data, "first");
    measure(&mut data, &first(), "serial", 40 * MS, 10);
    measure(&mut data, &first(), "pv-split", 10 * MS, 10);
    let row = ratio(&data, "best CPU");
    assert_eq!(row["status"], "not measured together");
    let expected = "rayon is faster than serial, and was sampled at another time than pv-split";
    assert_eq!(row["reason"], expected);
    let row = ratio(&data, "best one core");
    assert_relative_eq!(speedup(&row), 4.0, max_relative = 1e-3);
    // If a technique becomes slower, it is no longer the best CPU technique.
    data.measurements[0].median_ns = Some(80 * MS);
    for sample in samples_of(&mut data, "rayon") {
        sample.total_ns *= 4;
    }
    assert_eq!(ratio(&data, "best CPU")["baseline"], "serial");
}

#[test]
fn a_build_that_leaves_features_unused_is_a_warning() {
    let (_folder, mut data) = fresh(|it| measured(it, [40, 20, 10]));
    data.environment.program.compiled_without = "avx2, bmi2".into();
    let text = markdown(&data);
    let summary = section(&text, "Summary");
    let warning = "**Warning:** this build leaves 2 instruction sets of the processor unused";
    assert!(summary.contains(warning), "{summary}");
}
