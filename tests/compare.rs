//! `bench compare` as a user and as continuous integration runs it, on copies of a committed run.

// The lint's own exception for tests does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A run on an H200, 264 kB.
const RUN: &str = "reports/nvidia-h200/checkers-layout";
/// A technique of it, whose times are made longer here.
const SLOWED: &str = "flat";

/// The run folder and a copy of it in which every sample of [`SLOWED`] takes longer.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(percent: u64) -> Self {
        let place = Place {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["before", "after"] {
            let to = place.path(name);
            std::fs::create_dir(&to).unwrap();
            for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(RUN)).unwrap()
            {
                let path = entry.unwrap().path();
                if path.is_file() {
                    std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
                }
            }
        }
        let samples = place.path("after").join("samples.csv");
        let mut reader = csv::Reader::from_path(&samples).unwrap();
        let head = reader.headers().unwrap().clone();
        let at = |name| head.iter().position(|own| own == name).unwrap();
        let (key, total) = (at("key"), at("total_ns"));
        let slowed = keys(&place.path("after"));
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&head).unwrap();
        for record in reader.records() {
            let mut fields: Vec<String> = record.unwrap().iter().map(str::to_owned).collect();
            if slowed.contains(&fields[key]) {
                let ns: u64 = fields[total].parse().unwrap();
                fields[total] = (ns + ns * percent / 100).to_string();
            }
            writer.write_record(&fields).unwrap();
        }
        std::fs::write(&samples, writer.into_inner().unwrap()).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn compare(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_bench"))
            .arg("compare")
            .args(arguments)
            .current_dir(self.folder.path())
            .env("NO_COLOR", "1")
            .output()
            .unwrap()
    }
}

/// The keys of the cells of [`SLOWED`].
fn keys(folder: &Path) -> Vec<String> {
    let mut reader = csv::Reader::from_path(folder.join("measurements.csv")).unwrap();
    let head = reader.headers().unwrap().clone();
    let at = |name| head.iter().position(|own| own == name).unwrap();
    let (key, technique) = (at("key"), at("technique"));
    let rows = reader.records().map(Result::unwrap);
    let own = rows.filter(|row| &row[technique] == SLOWED);
    own.map(|row| row[key].to_owned()).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

#[test]
fn a_slower_technique_fails_the_gate_and_is_named() {
    let place = Place::new(20);
    let output = place.compare(&["before", "after", "--fail-over", "5%"]);
    assert_eq!(code(&output), 6, "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("slower by more than 5 %, the whole interval beyond it:"),
        "{said}"
    );
    let (_, beyond) = said.split_once("the whole interval beyond it:\n").unwrap();
    assert!(
        beyond
            .lines()
            .all(|line| line.contains(", flat on NVIDIA H200: 1.2")),
        "{beyond}"
    );
    // Room for it, or no gate, and all is well.
    assert_eq!(
        code(&place.compare(&["before", "after", "--fail-over", "50%"])),
        0
    );
    assert_eq!(code(&place.compare(&["before", "after"])), 0);
    assert_eq!(
        code(&place.compare(&["after", "before", "--fail-over", "5%"])),
        0,
        "faster is no fault"
    );
    let others = [
        "before",
        "after",
        "--fail-over",
        "5%",
        "--technique",
        "^(serial|rayon|lists)",
    ];
    assert_eq!(code(&place.compare(&others)), 0);
}

#[test]
fn json_is_one_object_and_keeps_the_exit_code() {
    let place = Place::new(20);
    let output = place.compare(&[
        "before",
        "after",
        "--fail-over",
        "5%",
        "--json",
        "--case",
        "playouts=10000",
    ]);
    assert_eq!(code(&output), 6);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["failed"], true);
    let cells = json["cells"].as_array().unwrap();
    assert!(
        cells
            .iter()
            .all(|cell| cell["case"].as_str().unwrap().contains("playouts=10000"))
    );
    let slower: Vec<_> = cells
        .iter()
        .filter(|cell| cell["change"] == "slower")
        .collect();
    assert!(
        slower.iter().all(|cell| cell["technique"] == SLOWED),
        "{slower:?}"
    );
    let ratio = slower[0]["ratio"].as_f64().unwrap();
    assert!((ratio - 1.2).abs() < 1e-3, "{ratio}");
}

#[test]
fn wrong_usage_and_unreadable_folders_have_codes_of_their_own() {
    let place = Place::new(0);
    for (arguments, exit, said) in [
        (&["before"][..], 1, "required"),
        (
            &["before", "after", "--fail-over", "5"],
            1,
            "must be a percentage from 0% to 1000%, as 5%",
        ),
        (
            &["before", "after", "--fail-over=-5%"],
            1,
            "must be a percentage",
        ),
        (
            &["before", "after", "--technique", "nobody"],
            1,
            "bench: --technique: \"nobody\" matches no technique",
        ),
        (
            &["before", "elsewhere"],
            4,
            "bench: elsewhere/environment.toml: cannot be read: ",
        ),
    ] {
        let output = place.compare(arguments);
        let error = text(&output.stderr);
        assert_eq!(code(&output), exit, "{arguments:?}: {error}");
        assert!(error.contains(said), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let experiment = place.path("after").join("experiment.toml");
    let other = std::fs::read_to_string(&experiment).unwrap();
    std::fs::write(
        &experiment,
        other.replace("name = \"checkers-layout\"", "name = \"other\""),
    )
    .unwrap();
    let output = place.compare(&["before", "after"]);
    assert_eq!(code(&output), 1);
    let error = text(&output.stderr);
    assert_eq!(
        error,
        "bench: before and after are not runs of one experiment: experiments checkers-layout and other\n"
    );
}

#[test]
fn the_help_teaches_the_gate() {
    let output = Place::new(0).compare(&["--help"]);
    assert_eq!(code(&output), 0);
    let help = text(&output.stdout);
    for part in [
        "--fail-over <PERCENT>",
        "bench compare before after --fail-over 5%",
        "Exit code: 6",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
}
