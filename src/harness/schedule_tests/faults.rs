//! Tests which cells a fault or a lost worker costs.

use super::*;

#[test]
fn a_lost_worker_costs_one_cell() {
    for (lost, status) in [
        (Lost::Crashed("signal: 11".into()), Status::Crashed),
        (Lost::Timeout(Duration::from_secs(30)), Status::Timeout),
        (
            Lost::Device("device 0:0 is no longer present".into()),
            Status::Crashed,
        ),
    ] {
        let bad = loses(4, lost);
        let setting = ran(
            &[("device", bad)],
            &experiment(&["serial", "device", "device-b"], &[1, 2]),
        );
        assert_eq!(setting.rows.of("device", 1).status, status);
        assert_eq!(
            setting.rows.of("device-b", 1).status,
            Status::Ok,
            "made ready again"
        );
        assert_eq!(
            setting.rows.of("device", 2).status,
            Status::Ok,
            "the next cell runs"
        );
        let prepared = setting
            .device
            .asked
            .iter()
            .filter(|a| *a == "prepare device-b board=8x8 depth=1");
        assert_eq!(prepared.count(), 2);
    }
}

#[test]
fn a_technique_says_why_it_cannot() {
    let faults = [
        (
            Fault::Unsupported("no device-side enqueue".into()),
            Status::Unsupported,
        ),
        (
            Fault::Memory("needs 3.1 GiB, device has 2.0 GiB".into()),
            Status::Memory,
        ),
        (
            Fault::Build("error: unknown type".into()),
            Status::BuildFailed,
        ),
        (
            Fault::Wrong("answered `z9`, which is no legal move".into()),
            Status::Mismatch,
        ),
    ];
    for (fault, status) in faults {
        let reason = fault.to_string();
        let bad = fails(fault);
        let setting = on_device(bad);
        let row = setting.rows.of("device", 1);
        assert_eq!((row.status, row.reason.as_str()), (status, reason.as_str()));
        assert_eq!(row.setup_ns, None);
    }
}

#[test]
fn a_trial_that_is_killed_costs_no_cell_before_it() {
    let setting = ran(
        &[("device-b", loses(1, Lost::Timeout(Duration::from_secs(30))))],
        &experiment(&["serial", "device", "device-b"], &[1]),
    );
    assert_eq!(setting.rows.of("device-b", 1).status, Status::Timeout);
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Ok, "{}", row.reason);
}

#[test]
fn a_hang_is_a_timeout_though_the_run_is_over_with_it_and_the_baselines_are_measured() {
    let mut setting = Setting::new(&[("device", loses(1, Lost::Timeout(Duration::from_secs(20))))]);
    let mut experiment = experiment(&["serial", "device", "device-b"], &[1, 2]);
    experiment.budget.total = Duration::from_secs(20);
    setting.complete(&experiment);
    // The trial's deadline alone would be 30 s.
    assert!(setting.clock.now() < Duration::from_secs(41));
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::Timeout, "{}", row.reason);
    for depth in [1, 2] {
        assert_eq!(setting.rows.of("serial", depth).status, Status::Ok);
        let row = setting.rows.of("device-b", depth);
        assert_eq!(row.status, Status::Skipped, "its device used up its time");
        let why = "workers that did not answer took 20s";
        assert!(row.reason.ends_with(why), "{}", row.reason);
    }
}

#[test]
fn a_device_that_failed_gets_a_new_worker() {
    let bad = fails(Fault::Device(
        "clFinish failed: CL_OUT_OF_RESOURCES (-5)".into(),
    ));
    let setting = ran(
        &[("device-b", bad)],
        &experiment(&["serial", "device", "device-b"], &[1]),
    );
    assert_eq!(setting.rows.of("device-b", 1).status, Status::Crashed);
    assert_eq!(setting.rows.of("device", 1).status, Status::Ok);
    let prepared = |technique: &str| {
        let wanted = format!("prepare {technique} board=8x8 depth=1");
        let asked = setting.device.asked.iter();
        asked.filter(|asked| **asked == wanted).count()
    };
    assert_eq!(prepared("device"), 2, "the old worker's state is lost");
    assert_eq!(setting.device.generation(), 1);
}

#[test]
fn a_long_build_log_is_stored_and_its_first_lines_are_shown() {
    let log: Vec<String> = (0..40).map(|line| format!("error {line}")).collect();
    let setting = on_device(fails(Fault::Build(log.join("\n"))));
    let row = setting.rows.of("device", 1);
    assert_eq!(row.status, Status::BuildFailed);
    let end = "error 12\n… and 27 more lines\n(the whole log: logs/a.txt)";
    assert!(row.reason.ends_with(end), "{}", row.reason);
    assert_eq!(setting.rows.logs, [log.join("\n")]);
}
