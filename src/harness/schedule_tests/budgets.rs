//! Tests what the budgets and predictions of a run cost: positions, samples, cells and cases.

use super::*;

/// A trial has two positions. Its longest launch takes a quarter of the trial: 2 µs at depth 1, and four times as long
/// with each further ply.
#[test]
fn skips_a_cell_whose_longest_launch_is_predicted_to_exceed_the_limit() {
    let limit = Duration::from_micros(20);
    let mut setting = Setting::new(&[]);
    setting.whole_launches = vec![Some(limit)];
    setting.complete(&experiment(&["serial", "device"], &[1, 2, 3, 4]));
    let ended = |depth| {
        let row = setting.rows.of("device", depth);
        (row.status, row.why())
    };
    for depth in [1, 2] {
        assert_eq!(ended(depth).0, Status::Ok);
    }
    for (depth, least) in [(3, 25_000), (4, 100_000)] {
        let (status, reason) = ended(depth);
        assert_eq!(status, Status::Skipped);
        let Reason::LaunchOverLimit {
            limit_ns,
            predicted_ns,
        } = reason
        else {
            panic!("{reason:?}")
        };
        assert_eq!(limit_ns, 20_000);
        assert!(predicted_ns > least, "{predicted_ns}");
    }
    for depth in 1..=4 {
        let row = setting.rows.of("serial", depth);
        assert_eq!(row.status, Status::Ok, "the host has no launches");
    }
}

#[test]
fn a_slow_technique_halves_the_positions_of_its_case() {
    // With 0.4 s per position, 5 samples of n positions fit into 10 s for n = 4, but not for n = 8.
    let setting = on_device(slow(|_| 400_000_000));
    assert_eq!(setting.rows.of("device", 1).units, 4);
    assert_eq!(
        setting.rows.of("serial", 1).units,
        4,
        "the same positions for all"
    );
}

#[test]
fn a_reference_gets_the_samples_that_its_positions_were_chosen_for() {
    // A trial with 2 positions and 5 samples with 4 positions take 9.9 s of the 10 s. The reference's answer needs
    // another 1.8 s.
    let slow = slow(|_| 450_000_000);
    let setting = ran(
        &[("serial", slow.clone()), ("device", slow)],
        &experiment(&["serial", "device"], &[1]),
    );
    for technique in ["serial", "device"] {
        let row = setting.rows.of(technique, 1);
        assert_eq!((row.units, row.samples), (4, 5), "{}", row.reason);
    }
}

#[test]
fn a_cell_with_many_after_it_takes_no_more_than_its_share() {
    let mut setting = Setting::new(&[("device", slow(|_| 400_000_000))]);
    let mut experiment = experiment(&["serial", "device"], &[1, 2, 3, 4, 5, 6, 7, 8]);
    // A budget of 120 s for 16 cells leaves 7.5 s per cell. This is enough for 5 samples of 2 positions. The cell's
    // budget would allow 4 positions.
    experiment.budget.total = Duration::from_secs(120);
    setting.complete(&experiment);
    assert_eq!(setting.rows.of("device", 1).units, 2);
}

#[test]
fn a_long_trial_with_the_final_positions_is_a_sample() {
    // Two positions (the minimum) take 3 s. Five samples exceed the budget, but two samples and the trial fit.
    let setting = on_device(slow(|_| 1_500_000_000));
    let row = setting.rows.of("device", 1);
    assert_eq!((row.status, row.units, row.samples), (Status::Ok, 2, 3));
    let asked = setting
        .device
        .asked
        .iter()
        .filter(|a| *a == "sample device x1")
        .count();
    assert_eq!(asked, 3, "the trial is one of the three samples");
}

#[test]
fn what_cannot_end_within_its_budget_is_skipped_with_the_prediction() {
    // Costs grow by a factor of 4 per ply, so two positions cost 3.2 s at depth 3, and 12.8 s at depth 4.
    let setting = ran(
        &[("device", slow(|depth| 25_000_000 * 4_u64.pow(depth as u32)))],
        &experiment(&["serial", "device"], &[1, 2, 3, 4]),
    );
    let row = setting.rows.of("device", 3);
    assert_eq!((row.status, row.units, row.samples), (Status::Ok, 2, 3));
    assert_eq!(row.reason, "only 3 samples when its budget ended");
    let row = setting.rows.of("device", 4);
    assert_eq!(row.status, Status::Skipped);
    assert_eq!(row.reason, "budget 10 s, predicted 26 s");
    assert!(row.predicted_ns.is_some());
    assert_eq!(setting.rows.of("serial", 4).status, Status::Ok);
    let tried = "prepare device board=8x8 depth=4".to_owned();
    assert!(!setting.device.asked.contains(&tried));
}

/// A case with one position is not predicted to have the 42 positions of a game.
#[test]
fn a_case_shorter_than_the_minimum_is_predicted_with_its_own_positions() {
    let short = |cost: fn(i64) -> u64| Script {
        line: 1,
        ..slow(cost)
    };
    let scripts = [
        ("serial", short(|depth| 1_000 * 4_u64.pow(depth as u32))),
        (
            "device",
            short(|depth| 25_000_000 * 4_u64.pow(depth as u32)),
        ),
    ];
    let mut experiment = experiment(&["serial", "device"], &[1, 2, 3]);
    experiment.sampling.min_positions = 42;
    let setting = ran(&scripts, &experiment);
    for depth in [1, 2, 3] {
        let row = setting.rows.of("device", depth);
        assert_eq!((row.status, row.units), (Status::Ok, 1), "{}", row.reason);
    }
    let predicted = setting.rows.of("device", 3).predicted_ns.unwrap();
    assert_relative_eq!(predicted as f64, 1.6e9, max_relative = 0.01);
}

#[test]
fn a_spent_total_budget_skips_the_rest() {
    let mut setting = Setting::new(&[]);
    let mut experiment = experiment(&["serial", "device"], &[1, 2, 3]);
    experiment.budget.total = Duration::from_millis(8);
    setting.complete(&experiment);
    assert_eq!(setting.rows.measurements.len(), 6, "every cell has its row");
    let row = setting.rows.of("device", 3);
    assert_eq!(row.status, Status::Skipped);
    let expected = "the whole run's budget of 8ms was spent before its turn";
    assert_eq!(row.reason, expected);
}

#[test]
fn a_preparation_ends_soon_after_the_budget_and_its_cell_is_skipped() {
    let preparing = |seconds| Script {
        set_up: Duration::from_secs(seconds),
        ..Script::default()
    };
    let mut setting = Setting::new(&[("rayon", preparing(50)), ("device", preparing(500))]);
    let mut experiment = experiment(&["serial", "rayon", "device"], &[1]);
    experiment.budget.total = Duration::from_secs(60);
    experiment.budget.deadline = Duration::from_secs(600);
    setting.complete(&experiment);
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Skipped, "{}", row.reason);
    let why = &row.reason;
    assert!(why.starts_with("the run's budget ended before it was ready"));
    for technique in ["serial", "rayon"] {
        assert_eq!(setting.rows.of(technique, 1).status, Status::Ok);
    }
    assert!(setting.clock.now() < Duration::from_secs(82));
}

#[test]
fn no_trial_begins_when_the_run_is_over() {
    let mut setting = Setting::new(&[("device", slow(|_| 2_000_000_000))]);
    let mut experiment = experiment(&["serial", "device", "device-b"], &[1]);
    experiment.budget.total = Duration::from_secs(3);
    setting.complete(&experiment);
    // The device's trial takes 4 s and ends after the run's budget, so no other trial follows.
    assert!(setting.clock.now() < Duration::from_secs(5));
    for technique in ["serial", "device", "device-b"] {
        assert_eq!(setting.rows.of(technique, 1).status, Status::Skipped);
    }
    let asked = |technique: &str| {
        let prepared = format!("prepare {technique} board=8x8 depth=1");
        setting.device.asked.contains(&prepared)
    };
    assert!(asked("device") && !asked("device-b"));
}
