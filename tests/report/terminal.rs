//! The closing table of a run.

use plybench::report::terminal_summary;

use crate::fixture::*;

#[test]
fn the_summary_has_ratios_reasons_and_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let text = terminal_summary(&data, 120, false);
    assert!(
        text.starts_with(&format!("pv-split on {DEVICE}\n")),
        "{text}"
    );
    assert!(text.contains("over rayon (2 threads)"), "{text}");
    assert!(text.contains("tie, 1.00 ("), "{text}");
    assert!(text.contains("4.00 ("), "{text}");
    assert!(text.contains("10 ok"), "{text}");
    assert!(
        text.contains(
            "skipped: pv-split (1 cell); board=8x8 depth=3: budget 60 s, predicted 310 s"
        ),
        "{text}"
    );
    assert!(text.contains("mismatch: rayon (1 cell)"), "{text}");
    assert!(text.contains("not measured: serial (1 cell)"), "{text}");
    assert!(text.ends_with(&format!(
        "report: {}\n",
        folder.path().join("index.html").display()
    )));
    assert!(!text.contains('\x1b'));
    assert!(terminal_summary(&data, 120, true).contains("\x1b[32m4.00"));
}

#[test]
fn no_line_is_longer_than_the_terminal_is_wide() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    for width in [40, 60, 80, 100, 200] {
        for line in terminal_summary(&data, width, false)
            .lines()
            .filter(|l| !l.starts_with("report"))
        {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn a_run_without_a_device_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    data.environment.devices.clear();
    data.measurements.retain(|row| row.technique != "pv-split");
    assert!(terminal_summary(&data, 80, false).starts_with("No device was measured."));
}
