//! Tests comparisons of two runs of the same experiment.

mod likeness;
mod show;

use approx::assert_relative_eq;
use plybench::report::RunData;
use plybench::report::compare::{Change, Common, Comparison, Options};
use plybench::stats::{Ratio, median};
use plybench::words::{Case, Status, Task, Value};

use crate::fixture::*;

/// Two identical runs in separate folders.
struct Runs {
    a: RunData,
    b: RunData,
    _folders: [tempfile::TempDir; 2],
}

impl Runs {
    fn new() -> Self {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        Runs {
            a: eventful(folders[0].path()),
            b: eventful(folders[1].path()),
            _folders: folders,
        }
    }

    /// Creates two runs with a single cell: `serial` with these samples.
    fn of(a: &[u64], b: &[u64]) -> Self {
        let mut runs = Runs::new();
        for (data, times) in [(&mut runs.a, a), (&mut runs.b, b)] {
            data.measurements.clear();
            data.samples.clear();
            measure_times(data, &case("8x8", 1), "serial", times, 10);
        }
        runs
    }

    fn compare(&self, options: Options) -> Comparison {
        Comparison::new(&self.a, &self.b, options).unwrap()
    }

    fn refused(&self, options: Options) -> String {
        let error = Comparison::new(&self.a, &self.b, options)
            .unwrap_err()
            .to_string();
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    }
}

fn scale(data: &mut RunData, at: &Case, technique: &str, factor: f64) {
    let case = at.to_string();
    let mut times = Vec::new();
    for sample in data
        .samples
        .iter_mut()
        .filter(|it| it.cell.case == case && it.cell.technique == technique)
    {
        sample.total_ns = (sample.total_ns as f64 * factor) as u64;
        times.push(sample.total_ns);
    }
    row_at(data, at, technique).median_ns = median(&times);
}

fn gate(fail_over: f64) -> Options {
    Options {
        fail_over: Some(fail_over),
        ..Options::default()
    }
}

fn the<'a>(comparison: &'a Comparison, at: &Case, technique: &str) -> &'a Common {
    let mut cells = comparison.common.iter();
    cells
        .find(|common| common.cell.case == at.to_string() && common.cell.technique == technique)
        .unwrap()
}

#[test]
fn a_run_beside_itself_is_the_same() {
    let runs = Runs::new();
    let comparison = runs.compare(gate(0.0));
    assert_eq!(comparison.common.len(), 10);
    assert_eq!(comparison.count(Change::Same), 10);
    assert!(
        comparison
            .common
            .iter()
            .all(|common| common.ratio.value == 1.0 && common.notes.is_empty())
    );
    assert!(!comparison.is_slower());
    assert_eq!(comparison.warnings, Vec::<String>::new());
}

#[test]
fn what_became_slower_and_faster_is_told_by_the_whole_interval() {
    let mut runs = Runs::new();
    scale(&mut runs.b, &case("16x16", 1), "pv-split", 1.1);
    scale(&mut runs.b, &case("8x8", 1), "serial", 0.5);
    let comparison = runs.compare(gate(0.05));
    let slower = the(&comparison, &case("16x16", 1), "pv-split");
    assert_eq!((slower.change, slower.beyond), (Change::Slower, true));
    assert_relative_eq!(slower.ratio.value, 1.1, max_relative = 1e-6);
    let (low, high) = slower.ratio.interval.unwrap();
    let holds = 1.05 < low && low < 1.1 && 1.1 < high && high < 1.15;
    assert!(holds, "{low} to {high}");
    assert_eq!((slower.samples_a, slower.samples_b), (31, 31));
    assert_relative_eq!(slower.a_ns, 1e7, max_relative = 1e-3);
    assert_relative_eq!(slower.b_ns, 1.1e7, max_relative = 1e-3);
    let faster = the(&comparison, &case("8x8", 1), "serial");
    assert_eq!((faster.change, faster.beyond), (Change::Faster, false));
    assert_relative_eq!(faster.ratio.value, 0.5, max_relative = 1e-6);
    assert!(comparison.is_slower());
    // The cells are sorted by ratio, so the slowest cell is last.
    assert_eq!(comparison.common.first(), Some(faster));
    assert_eq!(comparison.common.last(), Some(slower));
    assert!(!runs.compare(gate(0.12)).is_slower());
    let holds = !runs.compare(Options::default()).is_slower();
    assert!(holds, "without a gate nothing fails");
}

#[test]
fn a_technique_is_judged_over_its_cells() {
    let mut runs = Runs::new();
    for (board, depth) in [("8x8", 1), ("16x16", 1), ("8x8", 2)] {
        scale(&mut runs.b, &case(board, depth), "pv-split", 1.2);
    }
    let json = runs.compare(gate(0.05)).json();
    let techniques = json["techniques"].as_array().unwrap();
    assert!(techniques.len() > 1);
    for own in techniques {
        let is_slowed = own["technique"] == "pv-split";
        assert_eq!(own["beyond"], is_slowed, "{own}");
        let (low, high) = (own["low"].as_f64().unwrap(), own["high"].as_f64().unwrap());
        let expected = if is_slowed { 1.2 } else { 1.0 };
        assert!(low <= expected + 1e-3 && expected - 1e-3 <= high, "{own}");
    }
}

#[test]
fn an_answer_that_was_lost_does_not_pass_the_gate() {
    let mut runs = Runs::new();
    let lose = |data: &mut RunData| {
        let row = row_at(data, &case("8x8", 1), "pv-split");
        (row.status, row.reason) = (Status::Skipped, "budget 60 s, predicted 310 s".into());
    };
    lose(&mut runs.b);
    let comparison = runs.compare(gate(0.5));
    assert!(comparison.is_slower());
    let text = comparison.text(160, false);
    let wanted = format!(
        "1 cell has an answer in A, but in B none or one for fewer positions:\n  board=8x8 depth=1, pv-split on {DEVICE}: B is skipped: \
         budget 60 s, predicted 310 s\n"
    );
    assert!(text.contains(&wanted), "{text}");
    assert!(!runs.compare(Options::default()).is_slower());
    // All cells that the runs have in common were lost.
    let at = case("8x8", 1).to_string();
    let is_own = |row: &plybench::results::MeasurementRow| {
        row.cell.case == at && row.cell.technique == "pv-split"
    };
    runs.a.measurements.retain(is_own);
    runs.b.measurements.retain(is_own);
    assert!(runs.compare(gate(0.5)).is_slower());
    assert!(Comparison::new(&runs.a, &runs.b, Options::default()).is_err());
    // The second run had time for only half of the positions.
    runs = Runs::new();
    row_at(&mut runs.b, &case("8x8", 1), "pv-split").units /= 2;
    assert!(runs.compare(gate(0.5)).is_slower());
    assert!(!runs.compare(Options::default()).is_slower());
    std::mem::swap(&mut runs.a, &mut runs.b);
    assert!(!runs.compare(gate(0.5)).is_slower(), "more is not a loss");
    runs = Runs::new();
    lose(&mut runs.b);
    // Nothing was lost if neither run has the cell, or if only the second run has it.
    lose(&mut runs.a);
    assert!(!runs.compare(gate(0.5)).is_slower());
    runs.b = Runs::new().b;
    assert!(!runs.compare(gate(0.5)).is_slower());
    // A run that lacks rows that it planned was killed. A run that planned fewer cells lost nothing.
    runs = Runs::new();
    let at = case("8x8", 1).to_string();
    runs.b.measurements.retain(|row| row.cell.case != at);
    assert!(runs.compare(gate(0.5)).is_slower());
    assert!(!runs.compare(Options::default()).is_slower());
    plan(&mut runs.b, |case| case.starts_with("board=16x16"));
    assert!(!runs.compare(gate(0.5)).is_slower());
}

#[test]
fn an_interval_around_one_is_unclear_and_passes_the_gate() {
    let a: Vec<u64> = (0..20).map(|i| 1_000_000 + i % 5 * 100_000).collect();
    let b: Vec<u64> = (0..20).map(|i| 1_000_000 + i % 6 * 100_000).collect();
    // The mean is 10 % higher, which exceeds the threshold, but the interval contains 1.
    let few = [800_000, 900_000, 1_000_000, 1_100_000, 1_200_000];
    let higher = few.map(|ns| ns + ns / 10);
    for (a, b, threshold) in [(&a[..], &b[..], 0.0), (&few, &higher, 0.05)] {
        let comparison = Runs::of(a, b).compare(gate(threshold));
        let common = &comparison.common[0];
        let interval = common.ratio.interval;
        let holds = interval.is_none_or(|(low, high)| low < 1.0 && 1.0 < high);
        assert!(holds, "{interval:?}");
        assert_eq!((common.change, common.beyond), (Change::Unclear, false));
        assert!(!comparison.is_slower());
    }
}

#[test]
fn few_samples_are_said_and_one_says_nothing() {
    let said = "* fewer than three passes on a side";
    let text = |a: &[u64], b: &[u64]| {
        let runs = Runs::of(a, b);
        runs.compare(Options::default()).text(100, false)
    };
    let two = text(&[1_000; 20], &[3_000; 2]);
    assert!(two.contains(said) && two.contains("unclear *"), "{two}");
    assert!(!text(&[1_000; 20], &[3_000; 3]).contains(said));
    let comparison = Runs::of(&[1_000; 20], &[3_000; 3]).compare(gate(0.05));
    let common = &comparison.common[0];
    assert!(!common.few_passes);
    assert_eq!((common.change, common.beyond), (Change::Slower, true));
    let refused = Runs::of(&[1_000], &[3_000]).refused(gate(0.05));
    assert!(refused.contains("no cell of") && refused.contains("has three passes on both sides"));
    let comparison = Runs::of(&[1_000], &[3_000]).compare(Options::default());
    let common = &comparison.common[0];
    assert!(common.few_passes);
    assert_eq!((common.change, common.beyond), (Change::Unclear, false));
}

#[test]
fn the_thresholds_belong_to_the_words() {
    let change = |low, high| {
        let ratio = Ratio {
            value: 1.0,
            interval: Some((low, high)),
        };
        Change::of(&ratio)
    };
    assert_eq!(change(0.98, 1.02), Change::Same);
    assert_eq!(change(1.01, 1.02), Change::Same);
    assert_eq!(change(1.01, 1.03), Change::Slower);
    assert_eq!(change(0.97, 0.99), Change::Faster);
    assert_eq!(change(0.97, 1.0), Change::Unclear);
    assert_eq!(change(1.0, 1.03), Change::Unclear);
}

#[test]
fn other_work_is_said_and_other_positions_are_not_compared() {
    let mut runs = Runs::new();
    let at = case("16x16", 1);
    row_at(&mut runs.b, &at, "rayon").nodes = Some(70_000);
    row_at(&mut runs.b, &at, "serial").units = 16;
    let comparison = runs.compare(Options::default());
    let other = the(&comparison, &at, "rayon");
    let expected = ["not the same work: 60,000 nodes, then 70,000"];
    assert_eq!(other.notes, expected);
    assert_eq!(other.change, Change::Same);
    let text = comparison.text(200, false);
    assert!(text.contains("same [1]\n"), "{text}");
    let part = "\n[1] not the same work: 60,000 nodes, then 70,000\n";
    assert!(text.contains(part), "{text}");
    let why: Vec<&str> = comparison
        .incomparable
        .iter()
        .map(|own| own.why.as_str())
        .collect();
    let holds = why.contains(&"not the same work: 60 positions, then 16");
    assert!(holds, "{why:?}");
}

#[test]
fn playouts_are_compared_each() {
    let mut runs = Runs::new();
    for data in [&mut runs.a, &mut runs.b] {
        data.experiment.task = Task::Playouts;
    }
    let at = case("16x16", 1);
    let row = runs
        .b
        .measurements
        .iter_mut()
        .find(|row| row.cell.case == at.to_string() && row.cell.technique == "serial");
    row.unwrap().units = 120;
    let comparison = runs.compare(Options::default());
    let common = the(&comparison, &at, "serial");
    assert!(common.each);
    // In 40 ms, the first run plays 60 playouts and the second plays 120.
    assert_relative_eq!(common.ratio.value, 0.5, max_relative = 1e-6);
    assert_relative_eq!(common.b_ns, 40e6 / 120.0, max_relative = 1e-3);
    assert_eq!(common.change, Change::Faster);
    assert!(!the(&comparison, &at, "rayon").each);
}

#[test]
fn where_the_clock_decides_the_cost_of_a_playout_is_compared() {
    let mut runs = Runs::new();
    let at = Case(vec![
        ("board".into(), Value::Text("8x8".into())),
        ("effort".into(), Value::Text("1s".into())),
    ]);
    for (data, playouts) in [(&mut runs.a, 1_000_000), (&mut runs.b, 800_000)] {
        data.experiment.task = Task::Choose;
        data.experiment.axes = vec!["board".into(), "effort".into()];
        data.experiment.cases = vec![at.clone()];
        data.measurements.clear();
        measure_times(data, &at, "serial", &[1_000 * MS; 20], 0);
        let samples = data
            .samples
            .iter_mut()
            .filter(|sample| sample.cell.case == at.to_string());
        samples.for_each(|sample| sample.playouts = playouts);
        data.measurements[0].playouts = Some(playouts);
    }
    let comparison = runs.compare(gate(0.05));
    let common = &comparison.common[0];
    assert_relative_eq!(common.ratio.value, 1.25, max_relative = 1e-6);
    assert_relative_eq!(common.a_ns, 1000.0, max_relative = 1e-6);
    let expected = (Change::Slower, true, true);
    assert_eq!((common.change, common.beyond, common.each), expected);
    assert_eq!(
        common.notes,
        Vec::<String>::new(),
        "counts differ because the clock decides them"
    );
    let text = comparison.text(200, false);
    assert!(text.contains("1.00 µs per playout"), "{text}");
    for data in [&mut runs.a, &mut runs.b] {
        data.experiment.task = Task::Match;
    }
    let why = runs.refused(Options::default());
    assert!(why.contains("no cell has an answer in both"), "{why}");
}
