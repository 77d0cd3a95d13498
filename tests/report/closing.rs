//! The table at the end of a run: a line a case, with the paper's number.

use plybench::report::closing_summary;

use crate::fixture::*;

#[test]
fn each_case_has_one_line_with_the_papers_number_and_ours() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let text = closing_summary(&data, 80, false);
    let of_case = |case: &str| -> Vec<&str> {
        text.lines()
            .filter(|line| line.starts_with(&format!("{case} ")))
            .collect()
    };
    for case in &data.experiment.cases {
        assert!(of_case(&case.to_string()).len() <= 1, "{text}");
    }
    // The paper's numbers, 0.5 and 2, are over its serial program, and so are ours: 8 ms and 40 ms over 4 and 10.
    for (case, parts) in [
        (
            "board=8x8 depth=2",
            ["pv-split", "4.00 ms", "0.500", "2.00"],
        ),
        (
            "board=16x16 depth=1",
            ["pv-split", "10.0 ms", "2.00", "4.00"],
        ),
    ] {
        let lines = of_case(case);
        assert_eq!(lines.len(), 1, "{text}");
        for part in parts {
            assert!(lines[0].contains(part), "{part}: {text}");
        }
    }
    // Skipped on the device.
    assert!(of_case("board=8x8 depth=3").is_empty(), "{text}");
    assert!(
        text.contains("paper, ours: speed-up over serial of pv-split"),
        "{text}"
    );
    assert!(text.contains("10 ok"), "{text}");
    assert!(text.ends_with(&format!(
        "report: {}\n",
        folder.path().join("index.html").display()
    )));
}

#[test]
fn no_line_is_longer_than_the_terminal_is_wide() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    for width in [40, 60, 80, 100, 200] {
        for line in closing_summary(&data, width, false)
            .lines()
            .filter(|line| !line.starts_with("report"))
        {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn an_empty_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let text = closing_summary(&empty(folder.path()), 80, false);
    assert!(text.starts_with("Nothing was measured yet.\n"), "{text}");
}
