//! `bench compare` as a user and as continuous integration runs it. `tests/report/compare` has what it compares.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use plybench::results::Run;

use super::place::{TINY, changed, code, copy, text};
use crate::needed::devices;

/// A committed run on an H200.
fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/nvidia-h100/checkers-layout")
}

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
        let tiny = TINY
            .replace("\"4x4\"", "\"6x6\"")
            .replace("[1, 2]", "3")
            .replace("passes = 1", "passes = 5")
            .replace("min-samples = 3\nmax-samples = 6", "min-samples = 20");
        std::fs::write(folder.path().join("tiny.toml"), tiny).unwrap();
        Two { folder }
    }

    fn compare(&self, more: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_bench"))
            .args(["compare", "--programs", env!("CARGO_BIN_EXE_bench")])
            .args(["./new", "tiny.toml", "--out", "out"])
            .args(more)
            .current_dir(self.folder.path())
            .env("NO_COLOR", "1")
            .output()
            .unwrap()
    }
}

#[test]
fn both_are_sampled_in_turns_and_the_slower_one_fails_the_gate() {
    let Some(_devices) = devices() else { return };
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
            let cell = &run.measurements[0].cell;
            let own = run
                .samples
                .iter()
                .filter(|it| it.pass == pass && it.cell == *cell);
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
    let two = Two::new("#!/bin/sh\nBENCH \"$@\" | sed 's/\"protocol\":[0-9]*/\"protocol\":0/'\n");
    let said = text(&two.compare(&[]).stderr);
    let part = "its workers speak protocol 0, this program ";
    assert!(said.contains(part), "{said}");
    let two = Two::new("#!/bin/sh\nexec sleep 86400\n");
    let said = text(&two.compare(&[]).stderr);
    let part = "bench: --programs: ./new: does not say what it is within 20s";
    assert!(said.starts_with(part), "{said}");
    assert!(!two.folder.path().join("out").exists());
}

#[test]
fn a_run_that_no_comparison_has_made_is_not_replaced() {
    let two = Two::new("#!/bin/sh\nexec BENCH \"$@\"\n");
    let out = two.folder.path().join("out");
    copy(&committed(), &out.join("old"));
    let rows = || std::fs::read(out.join("old/measurements.csv")).unwrap();
    let before = rows();
    let output = two.compare(&[]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 4, "{said}");
    let why = "out/old: holds a run that compare --programs has not made";
    assert!(said.contains(why), "{said}");
    assert_eq!(rows(), before);
}
