//! Tests two invocations in one folder: which cells are measured again, which samples a ratio uses, and how edits of
//! the folder are detected.

use super::handing_on::{SMALL, tampering::tamper};
use super::place::{Place, Row, copy, edit, rows};

/// Runs the experiment into `run`, whether or not there is a device.
fn run(place: &Place) {
    let ended = place.bench("run tiny.toml --out run");
    assert!(matches!(ended.code, Some(0 | 5)), "{}", ended.said);
}

/// Edits in the syntax of `tampering`, each with its expected message.
const EDITS: &str = "\
a time | set measurements 0 median_ns 152 | median_ns is 152 in the row
memory | text environment.toml memory_bytes =  => memory_bytes = 1 | was changed after it was written
operating system | text environment.toml os = \" => os = \"X | was changed after it was written
revision | text environment.toml revision = \" => revision = \"0 | was changed after it was written
a lost sample | last_lost | samples in the row, ";

#[test]
fn every_edit_is_named_by_report_compare_and_the_resumed_run() {
    let place = Place::new(SMALL);
    run(&place);
    copy(
        &place.path().join("run"),
        &place.path().join("reports/m/small"),
    );
    for edit in EDITS.lines() {
        let [name, steps, expected] = edit.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{edit}")
        };
        let folder = name.replace(' ', "-");
        copy(&place.path().join("run"), &place.path().join(&folder));
        tamper(&place.path().join(&folder), steps);
        for arguments in [
            &["report", &folder][..],
            &["report", "--json", &folder],
            &["compare", "run", &folder],
            &["compare", &folder, "m"],
        ] {
            let [_, said] = place.ends(4, arguments);
            assert!(said.contains(expected), "{name}: {said}");
        }
        let again = place.bench(&["run", "tiny.toml", "--out", &folder]);
        for part in [expected, "measured again"] {
            again.says(part);
        }
        place.ends(0, &["report", &folder]);
    }
}

/// If the experiment changes between invocations, the folder stays consistent, so the check accepts it.
#[test]
fn accepts_a_folder_after_each_edit_of_its_experiment() {
    let place = Place::new(SMALL);
    run(&place);
    for (before, after) in [
        ("Small boards", "Another title"),
        ("depth = [2, 3]", "depth = [2, 3, 1]"),
        ("depth = [2, 3, 1]", "depth = [3, 1]"),
        ("max-samples = 12", "max-samples = 8"),
        ("\"rayon\"", "\"rayon-table\""),
        ("positions = 4", "positions = 5"),
    ] {
        edit(&place.path().join("tiny.toml"), |text| {
            text.replace(before, after)
        });
        run(&place);
        place.ends(0, "report --check run");
        place.ends(0, "report run");
    }
    let is_new =
        |row: &Row| row["technique"] == "rayon-table" && row["case"] == "board=6x6 depth=1";
    let rows = rows(&place.path().join("run/measurements.csv"));
    assert!(rows.iter().any(is_new));
}
