//! `bench compare` as a user and as continuous integration runs it, on copies of a committed run.

// The lint's own exception for tests does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use plybench::report::RunData;
use plybench::results::{CellIdentity, Invocation, Run, RunFolder};
use plybench::stats::median;
use plybench::techniques::registry;
use plybench::words::Case;

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
        for name in ["before", "after"] {
            in_passes(&place.path(name));
        }
        slow(&place.path("after"), percent);
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

/// Makes a folder of format 1 one of five passes of one invocation.
fn in_passes(folder: &Path) {
    let mut run = Run::read(folder).unwrap();
    let data = RunData::read(folder, &registry::catalogue()).unwrap();
    let environment = &run.environment;
    let invocation = Invocation {
        command: environment.commands[0].clone(),
        program: environment.program.clone(),
        host: environment.host.clone(),
        devices: environment.devices.clone(),
        ..Invocation::default()
    }
    .with_id();
    for row in &mut run.measurements {
        let case = Case::parse(&row.case).unwrap();
        let choice = data.experiment.choice(&row.technique).unwrap();
        let mut devices = invocation.devices.iter();
        let identity = CellIdentity {
            question: data.experiment.question(choice, &case),
            program: &invocation.program,
            host: &invocation.host,
            device: devices.find(|device| device.label == row.device),
        };
        let own = run.samples.iter_mut().filter(|own| own.key == row.key);
        for sample in own {
            sample.key = identity.key();
            sample.invocation.clone_from(&invocation.id);
            sample.pass = sample.sample % 5 + 1;
        }
        (row.key, row.cell) = (identity.key(), identity.id());
        row.invocation.clone_from(&invocation.id);
    }
    write(&folder.join("samples.csv"), &run.samples);
    write(&folder.join("measurements.csv"), &run.measurements);
    let folder = RunFolder::open(folder).unwrap();
    folder.add_invocation(&invocation).unwrap();
}

/// Makes every sample of [`SLOWED`] longer, and its rows say so.
fn slow(folder: &Path, percent: u64) {
    let mut run = Run::read(folder).unwrap();
    let rows = run.measurements.iter_mut();
    for row in rows.filter(|row| row.technique == SLOWED) {
        let samples = run.samples.iter_mut().filter(|own| own.key == row.key);
        let (mut whole, mut host) = (Vec::new(), Vec::new());
        for sample in samples {
            let more = sample.total_ns * percent / 100;
            sample.total_ns += more;
            sample.host_ns += more;
            whole.push(sample.total_ns);
            host.push(sample.host_ns);
        }
        (row.median_ns, row.host_ns) = (median(&whole), median(&host));
        row.min_ns = whole.iter().min().copied();
    }
    write(&folder.join("samples.csv"), &run.samples);
    write(&folder.join("measurements.csv"), &run.measurements);
}

fn write(file: &Path, rows: &[impl serde::Serialize]) {
    let mut writer = csv::Writer::from_path(file).unwrap();
    for row in rows {
        writer.serialize(row).unwrap();
    }
    writer.flush().unwrap();
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
