//! Tests passes: new workers and orders in each pass, and the cells that a resumed run adds.

use std::collections::HashSet;

use super::*;

/// Returns the standard experiment with `passes` passes.
fn in_passes(techniques: &[&str], depths: &[i64], passes: usize) -> Experiment {
    let mut experiment = experiment(techniques, depths);
    experiment.sampling.passes = passes;
    experiment
}

fn passes_of(setting: &Setting, technique: &str, depth: i64) -> Vec<u64> {
    let case = format!("board=8x8 depth={depth}");
    let samples = setting.rows.samples.iter();
    let own = samples.filter(|it| it.cell.technique == technique && it.cell.case == case);
    let mut passes: Vec<u64> = own.map(|it| it.pass).collect();
    passes.sort_unstable();
    passes.dedup();
    passes
}

fn last<'s>(setting: &'s Setting, technique: &str, depth: i64) -> &'s MeasurementRow {
    let case = format!("board=8x8 depth={depth}");
    let mut rows = setting.rows.measurements.iter().rev();
    let row = rows.find(|row| row.cell.technique == technique && row.cell.case == case);
    row.expect("the cell has a row")
}

#[test]
fn every_pass_samples_every_cell_with_new_workers_and_in_another_order() {
    let mut setting = Setting::new(&[]);
    let experiment = in_passes(&["serial", "rayon", "device"], &[1, 2, 3, 4], 5);
    setting.complete(&experiment);
    for technique in ["serial", "rayon", "device"] {
        for depth in 1..=4 {
            assert_eq!(passes_of(&setting, technique, depth), [1, 2, 3, 4, 5]);
            let row = last(&setting, technique, depth);
            assert_eq!((row.status, row.reason.as_str()), (Status::Ok, ""));
            assert!(row.low_ns.is_some() && row.low_ns <= row.median_ns);
            assert!(row.median_ns <= row.high_ns);
            let of_row = setting.rows.samples.iter().filter(|it| it.cell == row.cell);
            assert_eq!(
                of_row.count() as u64,
                row.samples,
                "each sample is written once"
            );
        }
    }
    assert_eq!(
        setting.host.generation(),
        4,
        "a new worker for each pass after the first"
    );
    assert_eq!(setting.device.generation(), 4);
    // Returns the cases in a pass, ordered by their first samples.
    let order = |pass: u64| {
        let samples = setting.rows.samples.iter().filter(|it| it.pass == pass);
        let mut cases: Vec<&str> = samples.map(|it| it.cell.case.as_str()).collect();
        cases.dedup();
        cases
    };
    let orders: HashSet<Vec<&str>> = (2..=5).map(order).collect();
    assert!(orders.len() > 1, "{orders:?}");
    assert_eq!(order(1).len(), 4);
}

/// If a later pass finds a mismatch by iterations, the technique's cell with a time limit becomes a mismatch, too.
#[test]
fn a_late_mismatch_by_iterations_takes_back_what_the_clock_decided() {
    fn late<const REQUEST: u64>(request: u64) -> u64 {
        if request < REQUEST { 10 } else { 11 }
    }
    let mut experiment = in_passes(&["serial", "device"], &[1], 3);
    let efforts = [Value::Int(100), Value::Text("10ms".into())];
    let case = |effort| {
        let mut case = experiment.cases[0].clone();
        case.0.push(("effort".into(), effort));
        case
    };
    experiment.cases = efforts.map(case).into();
    experiment.axes.push("effort".into());
    let mut taken_back = 0;
    for nodes in [
        late::<5>,
        late::<15>,
        late::<25>,
        late::<35>,
        late::<45>,
        late::<55>,
        late::<65>,
        late::<75>,
        late::<999>,
    ] {
        let script = Script {
            nodes,
            ..Script::default()
        };
        let setting = ran(&[("device", script)], &experiment);
        let of = |effort: &str| -> Vec<&MeasurementRow> {
            let rows = setting.rows.measurements.iter();
            rows.filter(|row| row.cell.technique == "device" && row.cell.case.ends_with(effort))
                .collect()
        };
        let (by_iterations, by_clock) = (of("effort=100"), of("effort=10ms"));
        let said = |rows: &[&MeasurementRow]| -> Vec<String> {
            let row = |row: &&MeasurementRow| format!("{:?}: {}", row.status, row.reason);
            rows.iter().map(row).collect()
        };
        let last = by_clock.last().unwrap();
        let status = by_iterations.last().unwrap().status;
        let both = (said(&by_iterations), said(&by_clock));
        assert_eq!(status, last.status, "{both:?}");
        if last.status == Status::Mismatch {
            assert!(
                last.reason
                    .starts_with("its answers by iterations are wrong in this run")
            );
        }
        taken_back += u32::from(by_clock.len() > 1);
    }
    assert!(taken_back > 0);
}

#[test]
fn within_a_pass_a_case_is_sampled_in_turns() {
    let setting = ran(&[], &in_passes(&["serial", "device"], &[1], 3));
    for pass in 1..=3 {
        let orders = |technique: &str| {
            let samples = setting.rows.samples.iter();
            let own = samples.filter(|it| it.cell.technique == technique && it.pass == pass);
            let orders: Vec<u64> = own.map(|it| it.order).collect();
            (orders.iter().min().copied(), orders.iter().max().copied())
        };
        let (one, other) = (orders("serial"), orders("device"));
        assert!(one.0 < other.1 && other.0 < one.1, "{one:?} {other:?}");
    }
}

#[test]
fn two_passes_make_no_interval() {
    let setting = ran(&[], &in_passes(&["serial", "device"], &[1], 2));
    let row = last(&setting, "device", 1);
    assert_eq!(
        (row.status, row.low_ns, row.high_ns),
        (Status::Ok, None, None)
    );
    assert_eq!(row.reason, "2 passes of the 2 wanted: no interval");
}

#[test]
fn a_long_cell_takes_part_in_three_passes_that_its_baseline_has_too() {
    // A sample with the minimum number of positions takes 3 s, so three samples fit into 10 s.
    let setting = ran(
        &[("device", slow(|_| 1_500_000_000))],
        &in_passes(&["serial", "device"], &[1], 5),
    );
    assert_eq!(passes_of(&setting, "device", 1), [1, 3, 5]);
    assert_eq!(passes_of(&setting, "serial", 1), [1, 2, 3, 4, 5]);
    assert!(last(&setting, "device", 1).low_ns.is_some());
}

#[test]
fn a_short_budget_costs_cases_before_it_costs_passes() {
    let mut setting = Setting::new(&[]);
    let mut experiment = in_passes(&["serial", "device"], &[1, 2, 3, 4, 5, 6, 7, 8], 5);
    // There is time for only some of the cases.
    experiment.budget.total = Duration::from_millis(300);
    experiment.sampling.min_samples = 50;
    setting.complete(&experiment);
    let passes: Vec<usize> = (1..=8)
        .filter(|depth| last(&setting, "serial", *depth).status == Status::Ok)
        .map(|depth| passes_of(&setting, "serial", depth).len())
        .collect();
    assert!(
        (1..8).contains(&passes.len()),
        "some cases and not all: {passes:?}"
    );
    // The last case that the first pass started may have too few samples.
    let whole = passes.iter().filter(|passes| **passes == 5).count();
    assert!(whole + 1 >= passes.len() && whole > 0, "{passes:?}");
}

#[test]
fn a_case_that_the_first_pass_cannot_afford_is_not_begun() {
    let ten_times = Script {
        ns_per_unit: |depth| 10_u64.pow(depth as u32) * 1_000,
        line: 1,
        ..Script::default()
    };
    let mut setting = Setting::new(&[("serial", ten_times.clone()), ("device", ten_times)]);
    let mut experiment = in_passes(&["serial", "device"], &[1, 2, 3, 4, 5], 5);
    experiment.sampling.min_samples = 5;
    experiment.sampling.max_samples = 10;
    // There are two techniques. A sample at depth 5 takes at most 100 ms of the first pass's 200 ms.
    experiment.budget.total = Duration::from_millis(500);
    experiment.budget.cell = Duration::from_secs(10);
    setting.complete(&experiment);
    for technique in ["serial", "device"] {
        for depth in 1..=4 {
            assert_eq!(
                passes_of(&setting, technique, depth),
                [1, 2, 3, 4, 5],
                "depth {depth}"
            );
        }
        let row = last(&setting, technique, 5);
        assert_eq!(row.status, Status::Skipped);
        let Some(Reason::CaseOverPass {
            left_ns,
            predicted_ns,
        }) = row.reason_code
        else {
            panic!("{}", row.reason)
        };
        assert!(left_ns < 100_000_000 && predicted_ns >= 200_000_000);
        assert_eq!(
            setting
                .rows
                .samples
                .iter()
                .filter(|it| it.cell.case.ends_with("depth=5"))
                .count(),
            0
        );
    }
}

#[test]
fn a_run_that_was_stopped_adds_the_passes_that_lack() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let experiment = in_passes(&["serial", "rayon", "device"], &[1, 2], 5);
    let mut first = Setting::new(&[]);
    // Stop during the third pass.
    first.rows.stop_after = Some((14, &STOP));
    let ended = first.run(&experiment, &STOP).expect("no fault");
    assert_eq!(ended, Ended::Interrupted);

    let mut second = Setting::new(&[]);
    let mut rows: HashMap<String, MeasurementRow> = HashMap::new();
    for row in &first.rows.measurements {
        rows.insert(row.key.clone(), row.clone());
    }
    for row in rows.values() {
        let reason = &row.reason;
        assert!(reason.starts_with("interrupted after "), "{reason}");
        let samples = first.rows.samples.iter();
        let samples: Vec<&Sample> = samples.filter(|it| it.cell == row.cell).collect();
        let begun = ResumedCell::new(row, &samples, None).expect("its samples");
        second.earlier.resumed.insert(row.key.clone(), begun);
    }
    second.complete(&experiment);
    for row in rows.values() {
        let depth = if row.cell.case.ends_with('1') { 1 } else { 2 };
        let before = passes_of(&first, &row.cell.technique, depth).len();
        let after = passes_of(&second, &row.cell.technique, depth).len();
        assert_eq!(
            before + after,
            5,
            "{} {}",
            row.cell.case,
            row.cell.technique
        );
        let whole = last(&second, &row.cell.technique, depth);
        assert!(
            whole.samples > row.samples,
            "its row has the samples of both"
        );
        assert_eq!((whole.status, whole.units), (Status::Ok, row.units));
    }
}

/// The next run repeats the unfinished pass, so the stopped run must not keep its samples.
#[test]
fn a_stopped_pass_leaves_the_rows_and_samples_of_the_finished_passes() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let experiment = in_passes(&["serial", "rayon", "device"], &[1, 2], 5);
    let mut setting = Setting::new(&[]);
    // Stop after two passes of six cells each and one cell of the third pass.
    setting.rows.stop_after = Some((13, &STOP));
    let ended = setting.run(&experiment, &STOP).expect("no fault");
    assert_eq!(ended, Ended::Interrupted);
    let mut in_third = 0;
    for technique in ["serial", "rayon", "device"] {
        for depth in [1, 2] {
            let passes = passes_of(&setting, technique, depth);
            let whole = passes.len();
            assert!((2..=3).contains(&whole), "{passes:?}");
            let row = last(&setting, technique, depth);
            let why = Reason::Interrupted(crate::words::Extent::Passes(whole, 5));
            assert_eq!(row.why(), why);
            let samples = setting.rows.samples.iter();
            let own = samples.filter(|it| it.cell == row.cell).count();
            assert_eq!(own as u64, row.samples);
            in_third += u32::from(whole == 3);
        }
    }
    assert_eq!(in_third, 1);
}

/// Whatever the budget, a repeated baseline is never reported as interrupted by the user.
#[test]
fn a_kept_baseline_ends_with_the_budget() {
    let mut before = Setting::new(&[]);
    before.complete(&in_passes(&["serial", "rayon"], &[1], 5));
    let mut ended = 0;
    for total_us in (1..60).map(|step| step * 500) {
        let mut after = Setting::new(&[]);
        for technique in ["serial", "rayon"] {
            let row = last(&before, technique, 1);
            after.earlier.kept.insert(row.key.clone(), row.clone());
            let samples = before.rows.samples.iter();
            let samples: Vec<&Sample> = samples.filter(|it| it.cell == row.cell).collect();
            let own = ResumedCell::new(row, &samples, None).expect("its samples");
            after.earlier.resumed.insert(row.key.clone(), own);
        }
        let mut experiment = in_passes(&["serial", "rayon", "device"], &[1], 5);
        experiment.budget.total = Duration::from_micros(total_us);
        after.complete(&experiment);
        for technique in ["serial", "rayon"] {
            let rows = after.rows.measurements.iter();
            let mut own = rows.filter(|row| row.cell.technique == technique);
            let Some(row) = own.next_back() else { continue };
            let why = row.why();
            assert!(!matches!(why, Reason::Interrupted(_)), "{total_us}: {why}");
            ended += u32::from(matches!(why, Reason::RunBudgetEnded(_)));
        }
    }
    assert!(ended > 0);
}

#[test]
fn an_interval_within_its_target_is_met_where_the_most_samples_took_few_turns() {
    let mut setting = Setting::new(&[]);
    let mut experiment = experiment(&["serial", "device"], &[1]);
    experiment.sampling.max_samples = experiment.sampling.min_samples;
    setting.complete(&experiment);
    for technique in ["serial", "device"] {
        let row = setting.rows.of(technique, 1);
        assert_eq!((row.samples, row.reason.as_str()), (5, ""), "{technique}");
    }
}
