//! Tests that answers are compared only between cells that agree in the parameters on which the answers depend.

use super::*;
use crate::techniques::tasks::mcts::LEAVES;

/// The name must be in the registry, because the scheduler looks up references outside the plan there.
pub const TREES_ON_HOST: TechniqueEntry = TechniqueEntry {
    name: "mcts-batched-serial",
    reference: "mcts-batched-serial",
    params: &[LEAVES],
    ..NONE
};

pub const TREES_ON_DEVICE: TechniqueEntry = TechniqueEntry {
    name: "mcts",
    kind: Kind::Device,
    reference: "mcts-batched-serial",
    counts: Counts::As("mcts-batched-serial"),
    params: &[LEAVES],
    ..NONE
};

pub const TREES_ON_THREADS: TechniqueEntry = TechniqueEntry {
    name: "mcts-batched-rayon",
    kind: Kind::Threads,
    ..TREES_ON_HOST
};

/// Chooses a move within a time limit. With a limit on iterations, its answers equal those of its reference.
pub const CHOOSER: TechniqueEntry = TechniqueEntry {
    name: "device-chooser",
    kind: Kind::Device,
    reference: "mcts-batched-serial",
    counts: Counts::Vary,
    tasks: &[Task::Choose],
    ..NONE
};

#[test]
fn a_technique_is_verified_before_its_trial_if_the_clock_decides() {
    for (value, expected) in [(12, Status::Ok), (13, Status::Mismatch)] {
        let script = says(value, "d3");
        let mut setting = Setting::new(&[("device-chooser", script)]);
        let mut experiment = experiment(&["device-chooser"], &[1]);
        let effort = ("effort".into(), Value::Text("10ms".into()));
        experiment.cases[0].0.push(effort);
        setting.complete(&experiment);
        let rows = &setting.rows.measurements;
        let row = rows.iter().find(|row| row.status == expected);
        let row = row.unwrap_or_else(|| panic!("{rows:?}"));
        if expected == Status::Mismatch {
            let how = "position 1: value 13, but the reference has 12";
            assert!(row.reason.starts_with("at "), "{}", row.reason);
            assert!(row.reason.ends_with(how), "{}", row.reason);
            assert!(setting.rows.samples.is_empty());
            let prepared = |asked: &&String| asked.starts_with("prepare");
            let prepared = setting.device.asked.iter().filter(prepared).count();
            assert_eq!(prepared, 1, "it has no trial");
        }
    }
}

/// Returns a script whose answer is different with four trees.
fn four_trees() -> Script {
    Script {
        wrong: |params| params.get("leaves") == Some(&Value::Int(4)),
        ..Script::default()
    }
}

fn with_trees(techniques: &[(&str, Option<i64>)]) -> Experiment {
    let names: Vec<&str> = techniques.iter().map(|(name, _)| *name).collect();
    let mut experiment = experiment(&names, &[1]);
    for (choice, (name, trees)) in experiment.techniques.iter_mut().zip(techniques) {
        if let Some(trees) = trees {
            choice.label = format!("{name}-{trees}");
            choice.params = Params::from([("leaves".to_owned(), Value::Int(*trees))]);
        }
    }
    experiment
}

#[test]
fn other_parameters_are_not_a_mismatch() {
    let host = "mcts-batched-serial";
    let scripts = [(host, four_trees()), ("mcts", four_trees())];
    let mut setting = Setting::new(&scripts);
    let beside = [
        (host, None),
        ("mcts", None),
        ("mcts", Some(4)),
        ("mcts", Some(1)),
    ];
    setting.complete(&with_trees(&beside));
    for label in [host, "mcts", "mcts-4", "mcts-1"] {
        let row = setting.rows.of(label, 1);
        assert_eq!(
            (row.status, row.reason.as_str()),
            (Status::Ok, ""),
            "{label}"
        );
    }

    // A reference in the run counts only if it has the same parameters.
    let mut setting = Setting::new(&scripts);
    let beside = [(host, None), (host, Some(4)), ("mcts", Some(4))];
    setting.complete(&with_trees(&beside));
    for label in [host, "mcts-batched-serial-4", "mcts-4"] {
        let row = setting.rows.of(label, 1);
        assert_eq!(
            (row.status, row.reason.as_str()),
            (Status::Ok, ""),
            "{label}"
        );
    }

    // A wrong answer must still be detected.
    let setting = ran(
        &[("mcts", four_trees())],
        &with_trees(&[(host, None), ("mcts", Some(4))]),
    );
    assert_eq!(setting.rows.of("mcts-4", 1).status, Status::Mismatch);
}

#[test]
fn a_technique_is_not_its_own_reference() {
    let wrong = says(13, "d3");
    // The plan does not contain the named reference.
    for (script, expected) in [
        (Script::default(), Status::Ok),
        (wrong.clone(), Status::Mismatch),
    ] {
        let setting = ran(&[("rayon", script)], &experiment(&["rayon"], &[1]));
        let row = setting.rows.of("rayon", 1);
        assert_eq!(row.status, expected, "{}", row.reason);
    }
    // If the reference of two techniques is missing, the two are compared with each other.
    let setting = ran(&[("quick", wrong)], &experiment(&["rayon", "quick"], &[1]));
    for label in ["rayon", "quick"] {
        assert_ne!(setting.rows.of(label, 1).status, Status::Ok, "{label}");
    }
    // The named reference has different parameters.
    let (host, threads) = ("mcts-batched-serial", "mcts-batched-rayon");
    for (script, expected) in [
        (Script::default(), Status::Ok),
        (four_trees(), Status::Mismatch),
    ] {
        let setting = ran(
            &[(threads, script)],
            &with_trees(&[(host, None), (threads, Some(4))]),
        );
        let row = setting.rows.of("mcts-batched-rayon-4", 1);
        assert_eq!(row.status, expected, "{}", row.reason);
    }
}

#[test]
fn a_reference_outside_the_run_answers_the_positions_of_the_case() {
    // Besides the reference's sample, 5 samples of 4 positions fit into the budget.
    let setting = ran(
        &[("rayon", slow(|_| 400_000_000))],
        &experiment(&["rayon"], &[1]),
    );
    let row = setting.rows.of("rayon", 1);
    assert_eq!((row.status, row.units), (Status::Ok, 4), "{}", row.reason);
}

/// The reference's answers do not come in time, so its counters are not requested either.
#[test]
fn a_counter_reference_that_takes_too_long_is_not_asked() {
    let setting = ran(
        &[(
            "rayon",
            slow(|depth| 1_000_000_000 * 9_u64.pow(depth as u32)),
        )],
        &experiment(&["serial", "rayon", "quick"], &[1, 2, 3]),
    );
    let statuses = ["rayon", "quick"].map(|name| setting.rows.of(name, 3).status);
    assert_eq!(statuses, [Status::Skipped, Status::Ok]);
    let asked = "prepare rayon board=8x8 depth=3".to_owned();
    assert!(!setting.host.asked.contains(&asked));
}

#[test]
fn without_a_reference_nothing_is_reported() {
    let setting = ran(
        &[("serial", slow(|_| 60_000_000_000))],
        &experiment(&["serial", "device"], &[1]),
    );
    assert_eq!(setting.rows.of("serial", 1).status, Status::Skipped);
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Skipped);
    let why = "no answer to compare with: serial ended skipped";
    assert!(row.reason.starts_with(why));
}

#[test]
fn a_reference_may_have_another() {
    let names = ["serial", "rayon", "quick", "deep"];
    let slow = slow(|_| 20_000_000_000);
    let wrong = says(13, "d3");
    let setting = ran(&[], &experiment(&names, &[1]));
    assert_eq!(setting.rows.of("deep", 1).status, Status::Ok);

    // If the first reference in the chain has no time left, the answers of the second reference still count.
    let setting = ran(
        &[("serial", slow.clone()), ("rayon", slow)],
        &experiment(&names, &[1]),
    );
    assert_eq!(setting.rows.of("serial", 1).status, Status::Skipped);
    assert_eq!(setting.rows.of("deep", 1).status, Status::Ok);

    // A wrong reference in the middle is detected and not used.
    let setting = ran(&[("quick", wrong.clone())], &experiment(&names, &[1]));
    assert_eq!(setting.rows.of("quick", 1).status, Status::Mismatch);
    assert_eq!(setting.rows.of("deep", 1).status, Status::Skipped);

    let setting = ran(&[("deep", wrong)], &experiment(&names, &[1]));
    assert_eq!(setting.rows.of("quick", 1).status, Status::Ok);
    assert_eq!(setting.rows.of("deep", 1).status, Status::Mismatch);
}
