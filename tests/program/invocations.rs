//! Two invocations in one folder, as a user makes them: what is timed again, what a ratio is made of, and what an edit
//! of the folder comes to.

use std::path::Path;

use super::place::{Place, Row, code, copy, text};

/// Host techniques alone, so that the test runs anywhere.
const SMALL: &str = r#"
name = "small"
title = "A small board"
game = "reversi"
task = "game"

[[cases]]
board = ["6x6"]
depth = [2, 3]

[[technique]]
name = "serial-as-published"

[[technique]]
name = "rayon-shared"

[sampling]
min-samples = 6
max-samples = 12
passes = 3
positions = 4

[budget]
cell = "4s"
total = "20m"
deadline = "20s"
"#;

/// Runs the experiment into `run`, with more arguments, whether there is a device or not.
fn run(place: &Place, arguments: &[&str]) -> String {
    let output = place.output(&[&["run", "tiny.toml", "--out", "run"], arguments].concat());
    let said = text(&output.stderr);
    assert!([0, 5].contains(&code(&output)), "{said}");
    said
}

fn rows(file: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// Puts another text in place of one in a file of a folder.
fn edit(folder: &Path, file: &str, change: impl FnOnce(&str) -> String) {
    let path = folder.join(file);
    let before = std::fs::read_to_string(&path).unwrap();
    let after = change(&before);
    assert_ne!(before, after, "the edit changes {file}");
    std::fs::write(path, after).unwrap();
}

#[test]
fn every_edit_is_named_by_report_compare_and_the_resumed_run() {
    let place = Place::new(SMALL);
    run(&place, &[]);
    type Edit = fn(&Path);
    let edits: [(&str, Edit, &str); 6] = [
        (
            "a time",
            |folder| {
                edit(folder, "measurements.csv", |text| {
                    let mut reader = csv::Reader::from_reader(text.as_bytes());
                    let head = reader.headers().unwrap();
                    let at = head.iter().position(|name| name == "median_ns").unwrap();
                    let row = reader.records().next().unwrap().unwrap();
                    text.replacen(&format!(",{},", &row[at]), ",152,", 1)
                });
            },
            "median_ns is 152 in the row",
        ),
        (
            "memory",
            |folder| replace(folder, "environment.toml", "memory_bytes = ", "1"),
            "was changed after it was written",
        ),
        (
            "operating system",
            |folder| replace(folder, "environment.toml", "\nos = \"", "X"),
            "was changed after it was written",
        ),
        (
            "revision",
            |folder| replace(folder, "environment.toml", "revision = \"", "0"),
            "was changed after it was written",
        ),
        (
            "a lost sample",
            |folder| {
                edit(folder, "samples.csv", |text| {
                    let (rest, _) = text.trim_end().rsplit_once('\n').unwrap();
                    format!("{rest}\n")
                });
            },
            "samples, samples.csv ",
        ),
        (
            "a changed case",
            |folder| {
                for file in ["measurements.csv", "samples.csv"] {
                    edit(folder, file, |text| text.replace("depth=3", "depth=4"));
                }
                edit(folder, "experiment.toml", |text| {
                    text.replace("depth = 3", "depth = 4")
                });
            },
            "its key is not that of its case",
        ),
    ];
    for (name, change, expected) in edits {
        let folder = name.replace(' ', "-");
        copy(&place.path().join("run"), &place.path().join(&folder));
        change(&place.path().join(&folder));
        for arguments in [&["report", &folder][..], &["compare", "run", &folder]] {
            let [_, said] = place.ends(4, arguments);
            assert!(said.contains(expected), "{name}: {said}");
        }
        if name == "a changed case" {
            continue; // The resumed run writes its own experiment, and measures the cell that is gone.
        }
        let again = place.bench(&["run", "tiny.toml", "--out", &folder]);
        for part in [expected, "measured again"] {
            assert!(again.said.contains(part), "{name}: {}", again.said);
        }
        place.ends(0, &["report", &folder]);
    }
}

/// Puts a text behind the first place of another one.
fn replace(folder: &Path, file: &str, from: &str, more: &str) {
    edit(folder, file, |text| {
        text.replacen(from, &format!("{from}{more}"), 1)
    });
}

/// A folder whose experiment was edited between invocations agrees with itself: the check refuses no honest folder.
#[test]
fn accepts_a_folder_after_each_edit_of_its_experiment() {
    let place = Place::new(SMALL);
    run(&place, &[]);
    for (before, after) in [
        ("A small board", "Another title"),
        ("depth = [2, 3]", "depth = [2, 3, 1]"),
        ("depth = [2, 3, 1]", "depth = [3, 1]"),
        ("max-samples = 12", "max-samples = 8"),
        ("rayon-shared", "rayon-table"),
        ("positions = 4", "positions = 5"),
    ] {
        edit(place.path(), "tiny.toml", |text| {
            text.replace(before, after)
        });
        run(&place, &[]);
        place.ends(0, &["validate", "run"]);
        place.ends(0, &["report", "run"]);
    }
    let is_new =
        |row: &Row| row["technique"] == "rayon-table" && row["case"] == "board=6x6 depth=1";
    let rows = rows(&place.path().join("run/measurements.csv"));
    assert!(rows.iter().any(is_new));
}
