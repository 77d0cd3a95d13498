//! Tests the table at the end of a run, which has one line per case.

use plybench::words::Status;

use crate::fixture::*;

#[test]
fn no_line_is_longer_than_the_terminal_is_wide() {
    let (_folder, data) = fresh(eventful);
    assert!(closing(&data, 80, true).contains("\x1b[31mmismatch"));
    for width in [40, 60, 80, 100, 200] {
        for line in closing(&data, width, false)
            .lines()
            .filter(|line| !line.starts_with("report"))
        {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn groups_equal_reasons_and_ends_with_a_sentence_per_device() {
    let (_folder, mut data) = fresh(eventful);
    for (row, seconds) in data.measurements.iter_mut().take(3).zip(7..) {
        row.status = Status::Skipped;
        row.reason = format!("budget 60 s, predicted {seconds} s");
    }
    let text = closing(&data, 80, false);
    let skipped = text.lines().filter(|line| line.starts_with("skipped: "));
    assert_eq!(skipped.count(), 1, "{text}");
    let sentence =
        format!("{DEVICE}: our best GPU technique is faster than the best CPU program in");
    let flat = text.replace('\n', " ");
    assert!(flat.contains(&sentence), "{text}");
}

#[test]
fn an_empty_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let text = closing(&empty(folder.path()), 80, false);
    assert!(text.starts_with("Nothing was measured yet.\n"), "{text}");
}

#[test]
fn a_run_without_a_device_says_so() {
    let (_folder, mut data) = fresh(eventful);
    data.environment.devices.clear();
    for row in rows_of(&mut data, "pv-split") {
        row.cell.device = "none".into();
        row.status = Status::Unsupported;
        row.reason = "no OpenCL device".into();
    }
    let text = closing(&data, 80, false);
    let part = "The host's fastest technique in each case\ncase ";
    assert!(text.starts_with(part), "{text}");
    let part = "8x8, depth 3    rayon      60.0 ms";
    assert!(text.contains(part), "{text}");
    let part = "16x16, depth 1  rayon      20.0 ms";
    assert!(text.contains(part), "{text}");
    // This table compares with the best CPU technique, so it has no baseline column.
    let line = text.lines().find(|line| line.starts_with("16x16"));
    let holds = line.is_some_and(|line| line.ends_with("best CPU"));
    assert!(holds, "{text}");
    assert!(!text.contains("baseline"), "{text}");
    assert!(!text.contains("none"), "{text}");
    let text = markdown(&data);
    assert!(text.contains("### pv-split over serial\n"), "{text}");
    assert!(text.contains("| unsupported | pv-split | – |"), "{text}");
    for none in ["on none", "device none", ">none", "| none"] {
        assert!(!text.contains(none), "{none}: {text}");
    }
    let part = "No device was measured.";
    assert!(text.contains(part), "{text}");
}

#[test]
fn what_was_not_asked_for_is_not_missing() {
    let (folder, mut data) = fresh(eventful);
    // Plan all cells of 8x8. Remove the rows of 16x16 and of `rayon`, so that `rayon` is planned but not measured on
    // 8x8.
    plan(&mut data, |case| case.starts_with("board=8x8"));
    data.measurements
        .retain(|row| row.cell.case.starts_with("board=8x8") && row.cell.technique != "rayon");
    let text = closing(&data, 120, false);
    assert!(!text.contains("16x16"), "{text}");
    let part = "\n5 ok, 3 not measured, 1 skipped\n";
    assert!(text.contains(part), "{text}");
    let part = "\nnot in this run: 6 of 15 cells\n";
    assert!(text.contains(part), "{text}");
    let text = markdown(&data);
    assert!(text.contains("Not finished: 3 of 9 cells are still to be measured."));
    assert!(text.contains("the commands chose 9 of its 15 cells."));
    assert!(
        text.contains(
            "| 16x16 | –<br>not in this run | –<br>not in this run | –<br>not in this experiment |"
        ),
        "{text}"
    );
    assert!(text.contains("4 cells have no number."), "{text}");
    let cells = Csv::read(folder.path().join("tables/cells.csv"));
    let at = |board| [("board", board), ("depth", "1"), ("technique", "rayon")];
    assert_eq!(cells.row(&at("8x8"))["status"], "not measured");
    assert_eq!(cells.row(&at("16x16"))["status"], "not in this run");
    // A second command without a filter plans all cases.
    plan(&mut data, |_| true);
    let text = closing(&data, 120, false);
    assert!(!text.contains("not in this run"), "{text}");
}
