//! Two invocations in one folder, as a user makes them: what is timed again, what a ratio is made of, and
//! what an edit of the folder comes to.

// The lint's own exception for tests does not reach their helpers.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

type Row = HashMap<String, String>;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        std::fs::write(place.path("small.toml"), SMALL).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn bench(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_bench"))
            .args(arguments)
            .current_dir(self.0.path())
            .env("PLYBENCH_CACHE", "off")
            .env("NO_COLOR", "1")
            .output()
            .unwrap()
    }

    /// Runs the experiment into `run`, with more arguments; whether there is a device or not.
    fn run(&self, arguments: &[&str]) -> String {
        let output = self.bench(&[&["run", "small.toml", "--out", "run"], arguments].concat());
        let said = text(&output.stderr);
        assert!([0, 5].contains(&code(&output)), "{said}");
        said
    }

    /// A copy of the run folder.
    fn copied(&self, name: &str) -> PathBuf {
        let to = self.path(name);
        std::fs::create_dir(&to).unwrap();
        for entry in std::fs::read_dir(self.path("run")).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
            }
        }
        to
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn rows(file: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// Ids of the invocations, oldest first.
fn invocations(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("environment.toml")).unwrap();
    let ids = text.lines().filter_map(|line| line.strip_prefix("id = \""));
    ids.map(|id| id.trim_end_matches('"').to_owned()).collect()
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
fn a_ratio_is_of_the_invocation_that_took_both_sides() {
    let place = Place::new();
    place.run(&["-t", "^serial-as-published$", "-c", "depth=2"]);
    let environment = std::fs::read_to_string(place.path("run/environment.toml")).unwrap();
    let highest = |place: &Place| -> u64 {
        let samples = rows(&place.path("run/samples.csv"));
        samples
            .iter()
            .map(|row| row["order"].parse().unwrap())
            .max()
            .unwrap()
    };
    let before = highest(&place);
    place.run(&["-t", "^rayon-shared$", "-c", "depth=2"]);
    let ids = invocations(&place.path("run"));
    assert_eq!(ids.len(), 2);
    let appended = std::fs::read_to_string(place.path("run/environment.toml")).unwrap();
    assert!(
        appended.starts_with(&environment),
        "appended to, not written over"
    );

    let ratios = rows(&place.path("run/tables/ratios.csv"));
    let of = |technique: &str, over: &str| {
        let mut found = ratios.iter();
        let ratio = found.find(|row| row["technique"] == technique && row["over"] == over);
        ratio
            .unwrap_or_else(|| panic!("{technique} over {over}"))
            .clone()
    };
    let new = of("rayon-shared", "serial");
    assert_eq!(
        (new["invocation"].as_str(), new["passes"].as_str()),
        (ids[1].as_str(), "3")
    );
    // Of the first invocation, where both were sampled.
    let old = of("serial-as-published", "serial");
    assert_eq!(old["invocation"], ids[0]);

    // The baseline's samples of the second invocation are those of the ratio.
    let mut named = String::new();
    let samples: Vec<(String, String)> = rows(&place.path("run/samples.csv"))
        .iter()
        .map(|row| {
            if !row["invocation"].is_empty() {
                named.clone_from(&row["invocation"]);
            }
            (row["key"].clone(), named.clone())
        })
        .collect();
    let measured = rows(&place.path("run/measurements.csv"));
    let serial = measured
        .iter()
        .find(|row| row["technique"] == "serial")
        .unwrap();
    let own = |id: &str| {
        let wanted = (serial["key"].clone(), id.to_owned());
        samples.iter().filter(|it| **it == wanted).count()
    };
    assert_eq!(own(&ids[1]).to_string(), new["baseline_samples"]);
    assert!(own(&ids[0]) > 0, "the first invocation's stay in the file");
    let all = own(&ids[0]) + own(&ids[1]);
    assert_eq!(serial["samples"], all.to_string());
    assert!(highest(&place) > before, "the order goes on");
    let orders: Vec<u64> = rows(&place.path("run/samples.csv"))
        .iter()
        .map(|row| row["order"].parse().unwrap())
        .collect();
    let distinct: std::collections::HashSet<&u64> = orders.iter().collect();
    assert_eq!(orders.len(), distinct.len(), "no number twice");
}

#[test]
fn facts_that_are_lost_are_made_again() {
    let place = Place::new();
    place.run(&[]);
    let facts = rows(&place.path("run/facts.csv"));
    assert!(!facts.is_empty());
    std::fs::remove_file(place.path("run/facts.csv")).unwrap();
    let samples = std::fs::read(place.path("run/samples.csv")).unwrap();
    place.run(&[]);
    let again = rows(&place.path("run/facts.csv"));
    assert_eq!(again.len(), facts.len());
    assert!(facts.iter().all(|fact| again.contains(fact)));
    assert_eq!(
        std::fs::read(place.path("run/samples.csv")).unwrap(),
        samples,
        "nothing is timed"
    );
}

#[test]
fn every_edit_is_named_by_report_compare_and_the_resumed_run() {
    let place = Place::new();
    place.run(&[]);
    type Edit = fn(&Path);
    let edits: [(&str, Edit, &str); 6] = [
        (
            "a time",
            |folder| {
                let path = folder.join("measurements.csv");
                let mut reader = csv::Reader::from_path(&path).unwrap();
                let head = reader.headers().unwrap().clone();
                let at = head.iter().position(|name| name == "median_ns").unwrap();
                let mut lines: Vec<csv::StringRecord> =
                    reader.records().map(Result::unwrap).collect();
                let mut fields: Vec<&str> = lines[0].iter().collect();
                fields[at] = "152";
                lines[0] = fields.clone().into();
                let mut writer = csv::Writer::from_path(&path).unwrap();
                writer.write_record(&head).unwrap();
                lines
                    .iter()
                    .for_each(|line| writer.write_record(line).unwrap());
            },
            "median_ns is 152 in the row",
        ),
        (
            "memory",
            |folder| {
                edit(folder, "environment.toml", |text| {
                    text.replacen("memory_bytes = ", "memory_bytes = 1", 1)
                });
            },
            "was changed after it was written",
        ),
        (
            "operating system",
            |folder| {
                edit(folder, "environment.toml", |text| {
                    text.replacen("\nos = \"", "\nos = \"X", 1)
                });
            },
            "was changed after it was written",
        ),
        (
            "revision",
            |folder| {
                edit(folder, "environment.toml", |text| {
                    text.replacen("revision = \"", "revision = \"0", 1)
                });
            },
            "was changed after it was written",
        ),
        (
            "a lost sample",
            |folder| {
                edit(folder, "samples.csv", |text| {
                    let lines: Vec<&str> = text.lines().collect();
                    let last = lines.len() - 1;
                    lines[..last].join("\n") + "\n"
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
        let folder = place.copied(&name.replace(' ', "-"));
        change(&folder);
        let folder = folder.to_str().unwrap();
        let report = place.bench(&["report", folder]);
        assert_eq!(code(&report), 4, "{name}: {}", text(&report.stderr));
        assert!(
            text(&report.stderr).contains(expected),
            "{name}: {}",
            text(&report.stderr)
        );
        let compare = place.bench(&["compare", "run", folder]);
        assert_eq!(code(&compare), 4, "{name}: {}", text(&compare.stderr));
        assert!(
            text(&compare.stderr).contains(expected),
            "{name}: {}",
            text(&compare.stderr)
        );
        if name == "a changed case" {
            continue; // The resumed run writes its own experiment, and measures the cell that is gone.
        }
        let again = place.bench(&["run", "small.toml", "--out", folder]);
        let said = text(&again.stderr);
        assert!(said.contains(expected), "{name}: {said}");
        assert!(said.contains("measured again"), "{name}: {said}");
        let report = place.bench(&["report", folder]);
        assert_eq!(code(&report), 0, "{name}: mended: {}", text(&report.stderr));
    }
}

#[test]
fn a_lost_row_is_named_and_its_cell_measured_again() {
    let place = Place::new();
    place.run(&[]);
    let whole = rows(&place.path("run/measurements.csv")).len();
    edit(&place.path("run"), "measurements.csv", |text| {
        let lines: Vec<&str> = text.lines().collect();
        [&lines[..1], &lines[2..]].concat().join("\n") + "\n"
    });
    let report = place.bench(&["report", "run"]);
    let page = std::fs::read_to_string(place.path("run/report.md")).unwrap();
    assert!(
        page.contains("samples without a row in measurements.csv"),
        "{}",
        text(&report.stderr)
    );
    let said = place.run(&[]);
    assert!(
        said.contains("samples without a row in measurements.csv"),
        "{said}"
    );
    assert_eq!(rows(&place.path("run/measurements.csv")).len(), whole);
}
