//! Tests how answers and counters are compared with those of the reference.

use super::*;

#[test]
fn a_wrong_value_is_a_mismatch_and_never_a_timing() {
    let setting = on_device(says(13, "d3"));
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Mismatch);
    assert_eq!(row.reason, "position 1: value 13, but the reference has 12");
    assert_eq!((row.median_ns, row.samples), (None, 0));
    let mut samples = setting.rows.samples.iter();
    assert!(samples.all(|row| row.cell.technique == "serial"));
    assert_eq!(setting.rows.of("serial", 1).status, Status::Ok);
}

#[test]
fn an_answer_that_only_the_trial_sent_is_checked_too() {
    let mut setting = Setting::new(&[("device", says(13, "d3"))]);
    let mut experiment = experiment(&["serial", "device"], &[1]);
    // The trial covers all positions, so no later sample can show another answer.
    experiment.sampling.positions = Some(2);
    setting.complete(&experiment);
    assert_eq!(setting.rows.of("device", 1).status, Status::Mismatch);
    assert_eq!(setting.rows.of("serial", 1).status, Status::Ok);
}

#[test]
fn another_best_move_is_right_if_it_is_as_good() {
    let other = says(12, "c4");
    let setting = on_device(other.clone());
    assert_eq!(setting.rows.of("device", 1).status, Status::Ok);
    assert!(setting.host.asked.contains(&"value of c4 in 0".to_owned()));

    let mut setting = Setting::new(&[("device", other)]);
    setting.host.other_move_value = 11;
    setting.complete(&experiment(&["serial", "device"], &[1]));
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Mismatch);
    let expected = "position 1: best move c4 has value 11, the root 12";
    assert_eq!(row.reason, expected);
}

#[test]
fn a_move_that_nobody_could_check_is_no_wrong_answer() {
    let mut setting = Setting::new(&[("device", says(12, "c4"))]);
    setting.host.lost_at_value = Some(Lost::Timeout(Duration::from_secs(30)));
    setting.complete(&experiment(&["serial", "device"], &[1]));
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Timeout);
    let why = &row.reason;
    assert!(why.contains("c4 could not be checked"), "{why}");
    // The lost worker was replaced.
    assert_eq!(setting.rows.of("serial", 1).status, Status::Ok);
}

#[test]
fn counts_are_what_decides_them() {
    let moody = Script {
        nodes: |request| 10 + request / 3,
        ..Script::default()
    };
    let other = Script {
        nodes: |_| 11,
        ..Script::default()
    };
    let scripts = [
        ("device", moody.clone()),
        ("device-b", moody),
        ("quick", other),
    ];
    let mut setting = Setting::new(&scripts);
    let techniques = ["serial", "rayon", "quick", "device", "device-b"];
    setting.complete(&experiment(&techniques, &[1]));
    let of = |technique| setting.rows.of(technique, 1);
    for technique in ["serial", "rayon", "device-b"] {
        assert_eq!(of(technique).status, Status::Ok, "{}", of(technique).reason);
    }
    let twin = of("quick");
    assert_eq!(twin.status, Status::Mismatch, "{}", twin.reason);
    assert!(twin.reason.contains("; rayon counts "), "{}", twin.reason);
    let own = of("device");
    assert_eq!(own.status, Status::Mismatch, "{}", own.reason);
    let why = &own.reason;
    assert!(why.contains("; an earlier sample counts "), "{why}");
}

#[test]
fn a_device_technique_is_not_held_against_itself() {
    let setting = ran(
        &[("device-alone", says(99, "h8"))],
        &experiment(&["serial", "device-alone"], &[1]),
    );
    let row = setting.rows.of("device-alone", 1);
    assert_eq!(row.status, Status::Skipped, "{}", row.reason);
    let reason = "no answer to compare with: device-alone is not part of this run";
    assert_eq!(row.reason, reason);
}
