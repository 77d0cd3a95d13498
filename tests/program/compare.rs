//! `bench compare` as a user and as continuous integration runs it, on copies of a committed run.

// The lint's own exception for tests does not reach their helpers.
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use plybench::report::RunData;
use plybench::results::{CellIdentity, Invocation, Run, RunFolder};
use plybench::stats::median;
use plybench::techniques::registry;
use plybench::words::{Case, Status};

use super::place::changed;

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
            beside: Vec::new(),
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
        said.contains("slower by more than 5 %, and certainly slower:"),
        "{said}"
    );
    let (_, beyond) = said.split_once("and certainly slower:\n").unwrap();
    assert!(
        beyond
            .lines()
            .all(|line| line.contains("flat on NVIDIA H200: 1.2")),
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

/// A run that was killed must not pass for one that is as fast.
#[test]
fn cells_without_a_row_in_the_second_run_fail_the_gate() {
    let place = Place::new(0);
    let after = place.path("after");
    let mut run = Run::read(&after).unwrap();
    let gone = run.measurements.split_off(10);
    let answered = gone.iter().filter(|row| row.status == Status::Ok).count();
    assert!(answered > 0);
    let kept = &run.measurements;
    let has_row = |key: &str| kept.iter().any(|row| row.key == key);
    run.samples.retain(|sample| has_row(&sample.key));
    write(&after.join("samples.csv"), &run.samples);
    write(&after.join("measurements.csv"), &run.measurements);
    let output = place.compare(&["before", "after", "--fail-over", "50%"]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 6, "{said}{}", text(&output.stderr));
    let line = format!("{} cells with an answer in A and no row in B", answered);
    assert!(said.contains(&line), "{said}");
    let last = run.measurements.last().unwrap();
    assert!(!said.contains(&format!("{}, {}\n", last.case, last.technique)));
    // Without a gate they are told, and in the other direction there is nothing to lose.
    assert_eq!(code(&place.compare(&["before", "after"])), 0);
    let back = place.compare(&["after", "before", "--fail-over", "50%"]);
    assert_eq!(code(&back), 0, "{}", text(&back.stdout));
}

#[test]
fn a_technique_is_judged_over_its_cells() {
    let place = Place::new(20);
    let output = place.compare(&["before", "after", "--fail-over", "5%", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let techniques = json["techniques"].as_array().unwrap();
    assert!(techniques.len() > 1);
    for own in techniques {
        assert_eq!(own["beyond"], own["technique"] == SLOWED, "{own}");
        let (low, high) = (own["low"].as_f64().unwrap(), own["high"].as_f64().unwrap());
        let expected = if own["technique"] == SLOWED { 1.2 } else { 1.0 };
        assert!(low <= expected + 1e-3 && expected - 1e-3 <= high, "{own}");
    }
}

#[test]
fn more_work_fails_the_gate_where_it_is_asked_for() {
    let place = Place::new(0);
    let gate = ["before", "after", "--fail-work", "0%"];
    let output = place.compare(&gate);
    assert_eq!(code(&output), 0, "{}", text(&output.stdout));
    let said = text(&output.stdout);
    assert!(
        said.contains("no cell in both counts more work by more than 0 %"),
        "{said}"
    );
    let folder = place.path("after");
    let mut run = Run::read(&folder).unwrap();
    let row = run
        .measurements
        .iter_mut()
        .find(|row| row.launches.is_some())
        .unwrap();
    let key = row.key.clone();
    row.launches = row.launches.map(|launches| launches + 1);
    for sample in run.samples.iter_mut().filter(|sample| sample.key == key) {
        sample.launches += 1;
    }
    write(&folder.join("samples.csv"), &run.samples);
    write(&folder.join("measurements.csv"), &run.measurements);
    let output = place.compare(&gate);
    assert_eq!(code(&output), 6, "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("more work by more than 0 %:\n"), "{said}");
    assert!(said.contains("launches "), "{said}");
}

/// Two programs, by a script that stands for the second and slows a technique.
#[cfg(unix)]
mod programs {
    use super::*;

    const TINY: &str = r#"
        name = "tiny"
        game = "reversi"
        task = "game"
        [[cases]]
        board = "6x6"
        depth = 3
        [[technique]]
        name = "serial"
        [[technique]]
        name = "pv-split"
        [sampling]
        passes = 5
        min-samples = 20
        positions = 8
        [budget]
        cell = "2s"
        total = "10m"
    "#;

    struct Two {
        folder: tempfile::TempDir,
    }

    impl Two {
        fn new(script: &str) -> Self {
            use std::os::unix::fs::PermissionsExt;
            let folder = tempfile::tempdir().unwrap();
            let new = folder.path().join("new");
            let bench = env!("CARGO_BIN_EXE_bench");
            std::fs::write(&new, script.replace("BENCH", bench)).unwrap();
            std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
            std::fs::write(folder.path().join("tiny.toml"), TINY).unwrap();
            Two { folder }
        }

        fn compare(&self, more: &[&str]) -> Output {
            Command::new(env!("CARGO_BIN_EXE_bench"))
                .args([
                    "compare",
                    "--programs",
                    env!("CARGO_BIN_EXE_bench"),
                    "./new",
                    "tiny.toml",
                ])
                .args(["--out", "out"])
                .args(more)
                .current_dir(self.folder.path())
                .env("NO_COLOR", "1")
                .output()
                .unwrap()
        }
    }

    #[test]
    fn both_are_sampled_in_turns_and_the_slower_one_fails_the_gate() {
        if super::super::no_device() {
            return;
        }
        let two = Two::new(
            "#!/bin/sh\nif [ \"$2\" = --device ]; then exec BENCH \"$@\" --kernels slow; fi\n\
             exec BENCH \"$@\"\n",
        );
        let start = "const int sibling = (int)get_group_id(0);";
        let slow = "for (volatile int i = 0; get_local_id(0) == 0 && i < 200000; ++i) {}";
        let slow = format!("{start}\n{slow}");
        changed(
            &two.folder.path().join("slow"),
            "reversi/pv_split.cl",
            start,
            &slow,
        );
        let output = two.compare(&["--fail-over", "50%", "--json"]);
        assert_eq!(code(&output), 6, "{}", text(&output.stderr));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let techniques = json["techniques"].as_array().unwrap();
        let slowed = techniques
            .iter()
            .find(|own| own["technique"] == "pv-split")
            .unwrap();
        let ratio = slowed["ratio"].as_f64().unwrap();
        assert!(ratio > 2.0, "{slowed}");

        let read = |side: &str| Run::read(&two.folder.path().join("out").join(side)).unwrap();
        let (old, new) = (read("old"), read("new"));
        let together = |run: &Run| run.environment.invocations[0].together.clone().unwrap();
        assert_eq!(together(&old), together(&new));
        // One order for both: in each pass the sides of a cell stand between each other.
        for pass in 1..=5 {
            let orders = |run: &Run| {
                let key = &run.measurements[0].key;
                let own = run
                    .samples
                    .iter()
                    .filter(|it| it.pass == pass && it.key == *key);
                let orders: Vec<u64> = own.map(|sample| sample.order).collect();
                (orders[0], orders[orders.len() - 1])
            };
            let ((first, last), (start, end)) = (orders(&old), orders(&new));
            assert!(first < end && start < last, "pass {pass}");
        }
    }

    #[test]
    fn what_cannot_be_measured_so_is_said_in_a_line() {
        let two = Two::new("#!/bin/sh\necho hello\n");
        let output = two.compare(&[]);
        assert_eq!(code(&output), 1);
        let said = text(&output.stderr);
        assert!(
            said.starts_with("bench: --programs: ./new: is no Plybench program")
                && said.lines().count() == 1,
            "{said}"
        );
        let two =
            Two::new("#!/bin/sh\nBENCH \"$@\" | sed 's/\"protocol\":[0-9]*/\"protocol\":0/'\n");
        let said = text(&two.compare(&[]).stderr);
        assert!(
            said.contains("its workers speak protocol 0, this program "),
            "{said}"
        );
        assert!(!two.folder.path().join("out").exists());
    }
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
        "bench compare --programs last-good/bench",
        "Exit code: 6",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
}
