//! Tests runs that continue a folder with rows and samples.

use super::*;

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let experiment = experiment(&["serial", "rayon", "device"], &[1, 2, 3]);
    let mut first = Setting::new(&[]);
    first.rows.stop_after = Some((4, &STOP));
    let found = first.run(&experiment, &STOP).expect("no fault");
    assert_eq!(found, Ended::Interrupted);
    let done = first.rows.measurements.len();
    assert!((4..9).contains(&done));

    let mut second = Setting::new(&[]);
    second.earlier.kept = first
        .rows
        .measurements
        .iter()
        .map(|row| (row.key.clone(), row.clone()))
        .collect();
    second.complete(&experiment);
    let measured = |rows: &[MeasurementRow]| -> Vec<(String, Status, u64)> {
        let mut all: Vec<_> = rows
            .iter()
            .map(|row| (row.key.clone(), row.status, row.units))
            .collect();
        all.sort();
        all
    };
    // A kept cell is measured again only together with a new cell of its case.
    let cases_begun_anew: Vec<&str> = second
        .rows
        .measurements
        .iter()
        .filter(|row| !second.earlier.kept.contains_key(&row.key))
        .map(|row| row.cell.case.as_str())
        .collect();
    for row in &second.rows.measurements {
        let is_new = !second.earlier.kept.contains_key(&row.key);
        assert!(
            is_new || cases_begun_anew.contains(&row.cell.case.as_str()),
            "{}",
            row.key
        );
    }
    let mut all = measured(&first.rows.measurements);
    all.extend(measured(&second.rows.measurements));
    all.sort();
    all.dedup();
    let mut whole = Setting::new(&[]);
    whole.complete(&experiment);
    assert_eq!(all, measured(&whole.rows.measurements));
}

/// Runs some techniques first. Returns the state after a second run with more techniques in the same folder.
fn resumed(first: &[&str], second: &[&str], scripts: &[(&'static str, Script)]) -> Setting {
    let mut before = Setting::new(&[]);
    before.complete(&experiment(first, &[1]));
    let mut after = Setting::new(scripts);
    let rows = before.rows.measurements.iter();
    after.earlier.kept = rows.map(|row| (row.key.clone(), row.clone())).collect();
    let orders = before.rows.samples.iter().map(|sample| sample.order + 1);
    after.earlier.first_order = orders.max().unwrap_or(0);
    after.earlier.facts = before.rows.facts;
    after.complete(&experiment(second, &[1]));
    after
}

#[test]
fn baselines_are_timed_again_beside_new_cells() {
    let after = resumed(
        &["serial", "rayon", "device"],
        &["serial", "rayon", "device", "device-b"],
        &[],
    );
    let rows = after.rows.measurements.iter();
    let mut measured: Vec<&str> = rows.map(|row| row.cell.technique.as_str()).collect();
    measured.sort_unstable();
    let expected = ["device-b", "rayon", "serial"];
    assert_eq!(measured, expected, "the other device keeps its row");
    for row in &after.rows.measurements {
        assert_eq!(row.invocation, "now");
        assert_eq!(row.status, Status::Ok, "{}", row.reason);
    }
    let orders = |technique: &str| {
        let own = || {
            after
                .rows
                .samples
                .iter()
                .filter(|it| it.cell.technique == technique)
        };
        let orders = || own().map(|sample| sample.order);
        (orders().min().unwrap_or(0), orders().max().unwrap_or(0))
    };
    let (serial, new) = (orders("serial"), orders("device-b"));
    let holds = serial.0 < new.1 && new.0 < serial.1;
    assert!(holds, "in turns: {serial:?} {new:?}");
    let holds = serial.0 >= after.earlier.first_order && after.earlier.first_order > 0;
    assert!(holds, "the order continues");
    assert!(after.rows.facts.is_empty(), "the folder has them");
}

#[test]
fn what_is_compared_with_a_new_baseline_is_timed_again_beside_it() {
    let techniques = ["serial", "rayon", "device"];
    let after = resumed(&["serial", "device"], &techniques, &[]);
    for technique in techniques {
        assert_eq!(after.rows.of(technique, 1).invocation, "now");
    }
}

#[test]
fn the_fastest_of_the_host_is_timed_again_whatever_its_name() {
    let mut before = Setting::new(&[]);
    before.complete(&experiment(&["serial", "rayon", "quick"], &[1]));
    let mut after = Setting::new(&[]);
    let rows = before.rows.measurements.iter();
    after.earlier.kept = rows.map(|row| (row.key.clone(), row.clone())).collect();
    let quick = after
        .earlier
        .kept
        .values_mut()
        .find(|row| row.cell.technique == "quick");
    let quick = quick.expect("its row");
    quick.median_ns = quick.median_ns.map(|ns| ns / 10);
    let slow = |row: &&mut MeasurementRow| row.cell.technique == "rayon";
    let rayon = after.earlier.kept.values_mut().find(slow).expect("its row");
    rayon.cell.technique = "another".into();
    after.complete(&experiment(&["serial", "rayon", "quick", "device"], &[1]));
    assert_eq!(after.rows.of("quick", 1).invocation, "now");
}

#[test]
fn a_baseline_that_cannot_be_timed_again_keeps_its_row() {
    let slow = slow(|_| 2_000_000_000);
    let after = resumed(
        &["serial", "rayon"],
        &["serial", "rayon", "device"],
        &[("rayon", slow)],
    );
    let rows = after.rows.measurements.iter();
    let measured: Vec<&str> = rows.map(|row| row.cell.technique.as_str()).collect();
    let holds = measured.contains(&"device") && measured.contains(&"serial");
    assert!(holds, "{measured:?}");
    let rayon = after
        .rows
        .measurements
        .iter()
        .find(|row| row.cell.technique == "rayon");
    let holds = rayon.is_none_or(|row| row.status == Status::Ok);
    assert!(holds, "no row replaces the old one");
}

#[test]
fn facts_that_the_folder_lost_are_told_again() {
    let mut before = Setting::new(&[]);
    before.complete(&experiment(&["serial", "device"], &[1]));
    assert_eq!(before.rows.facts.len(), 1);
    let mut after = Setting::new(&[]);
    let rows = before.rows.measurements.iter();
    after.earlier.kept = rows.map(|row| (row.key.clone(), row.clone())).collect();
    after.complete(&experiment(&["serial", "device"], &[1]));
    assert_eq!(after.rows.facts, before.rows.facts);
    let holds = after.rows.measurements.is_empty();
    assert!(holds, "no sample is taken for it");
}

#[test]
fn a_row_stays_if_its_lost_facts_cannot_be_told_again() {
    let mut before = Setting::new(&[]);
    before.complete(&experiment(&["serial", "device"], &[1]));
    let fails = fails(Fault::Device("lost".into()));
    let mut after = Setting::new(&[("serial", fails.clone()), ("device", fails)]);
    let rows = before.rows.measurements.iter();
    after.earlier.kept = rows.map(|row| (row.key.clone(), row.clone())).collect();
    after.complete(&experiment(&["serial", "device"], &[1]));
    assert!(after.rows.measurements.is_empty());
}

#[test]
fn a_resumed_case_keeps_the_positions_of_its_rows() {
    let mut first = Setting::new(&[]);
    first.complete(&experiment(&["serial"], &[1]));
    let mut second = Setting::new(&[(
        "device",
        Script {
            line: 60,
            ..Script::default()
        },
    )]);
    let mut row = first.rows.of("serial", 1).clone();
    row.units = 8;
    second.earlier.kept = HashMap::from([(row.key.clone(), row)]);
    second.complete(&experiment(&["serial", "device"], &[1]));
    assert_eq!(second.rows.of("device", 1).units, 8);
    assert_eq!(
        second.rows.of("serial", 1).units,
        8,
        "measured again beside it"
    );
}
