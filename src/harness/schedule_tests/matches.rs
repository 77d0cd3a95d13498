//! Tests interrupted matches that resume, and devices that fail.

use super::*;

/// Returns a match with `samples` samples.
fn a_match(samples: usize) -> Experiment {
    let mut experiment = experiment(&["device"], &[1]);
    experiment.task = Task::Match;
    experiment.sampling.min_samples = samples;
    experiment.sampling.max_samples = samples;
    experiment
}

fn player(lost_at: Option<(u64, Lost)>) -> Script {
    Script {
        openings: Some(1_000),
        line: 2,
        lost_at,
        ..Script::default()
    }
}

fn played(script: Script, experiment: &Experiment) -> Setting {
    let mut setting = Setting::new(&[("device", script)]);
    let ended = setting.run(experiment, &AtomicBool::new(false));
    assert!(ended.is_ok(), "{ended:?}");
    setting
}

#[test]
fn a_match_that_was_stopped_at_once_goes_on_from_the_next_opening() {
    let experiment = a_match(12);
    let whole = played(player(None), &experiment);
    let whole = whole.rows.of("device", 1);
    assert_eq!(
        (whole.samples, whole.reason.contains("interrupted")),
        (12, false)
    );

    // The trial's two requests, the untimed request and at least one batch come first.
    for request in 5..8 {
        let first = played(player(Some((request, Lost::Interrupted))), &experiment);
        let row = first.rows.of("device", 1);
        let reason = &row.reason;
        assert!(reason.starts_with("interrupted after "), "{reason}");
        assert!((1..12).contains(&row.samples));
        let samples: Vec<&Sample> = first.rows.samples.iter().collect();
        let begun = ResumedCell::new(row, &samples, None).expect("its games");
        assert_eq!(begun.samples.len() as u64, row.samples);

        let mut second = Setting::new(&[("device", player(None))]);
        second.earlier.resumed = HashMap::from([(row.key.clone(), begun)]);
        second.complete(&experiment);
        let row = second.rows.of("device", 1);
        assert_eq!((row.samples, &row.score), (12, &whole.score));
        // The new samples follow the earlier ones.
        let kept = first.rows.samples.len();
        let numbers: Vec<u64> = second.rows.samples.iter().map(|row| row.sample).collect();
        assert_eq!(numbers, (kept as u64..12).collect::<Vec<_>>());
        let requests = |setting: &Setting| {
            let mut asked = setting.device.asked.iter();
            let taken = asked
                .by_ref()
                .filter_map(|a| a.strip_prefix("sample device x"));
            taken
                .filter_map(|count| count.parse::<u64>().ok())
                .sum::<u64>()
        };
        let remaining = 12 - kept as u64;
        assert_eq!(requests(&second), remaining, "only the rest is played");
    }
}

#[test]
fn a_match_that_the_runs_budget_ends_keeps_its_games() {
    let slow = Script {
        // A pair takes over a second, so the trial counts as a sample.
        ns_per_unit: |_| 600_000_000,
        ..player(None)
    };
    let mut experiment = a_match(10);
    experiment.budget.total = Duration::from_secs(8);
    experiment.budget.cell = Duration::from_secs(30);
    let setting = played(slow, &experiment);
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Ok);
    let pairs = row.samples;
    assert!((2..10).contains(&pairs), "{pairs}");
    let why = format!("the run's whole budget ended after {pairs} samples");
    assert_eq!(row.reason, why);
    let score = format!("{pairs} won, 0 drawn, {pairs} lost; +1 a0; -1 b0; +1 a1");
    assert!(row.score.starts_with(&score), "{}", row.score);
}

#[test]
fn a_match_ends_once_its_score_is_decided() {
    let mut experiment = a_match(20);
    experiment.sampling.min_samples = 3;
    let ended = |wins| {
        let setting = played(
            Script {
                wins,
                ..player(None)
            },
            &experiment,
        );
        let row = setting.rows.of("device", 1);
        (row.samples, row.reason.clone())
    };
    // Three pairs decide the match, but the batch that contains the third pair has more pairs.
    let (samples, reason) = ended(true);
    assert!((3..6).contains(&samples), "{samples}");
    assert_eq!(reason, "");
    let (samples, reason) = ended(false);
    assert_eq!(samples, 20);
    assert!(
        reason.ends_with("after the most samples allowed"),
        "{reason}"
    );
}

/// Plays a match whose games take a second each. Games come in pairs, so the budget ends long before fifty pairs.
fn a_match_that_is_cut_off(script: Script) -> Rows {
    let mut setting = Setting::new(&[("serial", script)]);
    let mut experiment = experiment(&["serial"], &[1]);
    experiment.task = Task::Match;
    experiment.sampling.min_samples = 50;
    experiment.budget.cell = Duration::from_secs(600);
    experiment.budget.deadline = Duration::from_secs(600);
    experiment.budget.total = Duration::from_secs(90);
    setting.complete(&experiment);
    setting.rows
}

#[test]
fn the_games_of_a_match_that_is_cut_off_count() {
    let slow = Script {
        ns_per_unit: |_| 1_000_000_000,
        line: 2,
        ..Script::default()
    };
    let rows = a_match_that_is_cut_off(slow);
    let row = rows.of("serial", 1);
    assert_eq!(row.status, Status::Ok, "{}", row.reason);
    assert!((1..50).contains(&row.samples), "{}", row.samples);
    // The cell's share of the budget may end before the run's budget.
    let counted = format!("{} samples", row.samples);
    assert!(row.reason.contains(&counted), "{}", row.reason);
    assert_eq!(rows.samples.len() as u64, row.samples);
}
