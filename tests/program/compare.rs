//! Tests `bench compare` as users and CI run it. `tests/report/compare` tests the comparison itself.

use std::path::Path;

use plybench::results::Run;

use super::place::{Ended, Place, TINY, changed, copy, ended};
use crate::needed::devices;

/// Creates a folder with a second program and an experiment.
fn two(script: &str) -> Place {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(
        &TINY
            .replace("\"4x4\"", "\"6x6\"")
            .replace("[1, 2]", "3")
            .replace("passes = 1", "passes = 5")
            .replace("min-samples = 3\nmax-samples = 6", "min-samples = 20"),
    );
    let new = place.path().join("new");
    let script = script.replace("BENCH", env!("CARGO_BIN_EXE_bench"));
    std::fs::write(&new, script).unwrap();
    std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
    place
}

fn compare(place: &Place, more: &str) -> Ended {
    let bench = env!("CARGO_BIN_EXE_bench");
    let line = format!("compare --programs {bench} ./new tiny.toml --out out {more}");
    let mut command = place.command(&line);
    ended(command.env_remove("PLYBENCH_CACHE"))
}

#[test]
fn both_are_sampled_in_turns_and_the_slower_one_fails_the_gate() {
    let Some(_devices) = devices() else { return };
    let place = two(
        "#!/bin/sh\nif [ \"$2\" = --device ]; then exec BENCH \"$@\" --kernels slow; fi\n\
         exec BENCH \"$@\"\n",
    );
    let start = "const int sibling = (int)get_group_id(0);";
    let slow = "for (volatile int i = 0; get_local_id(0) == 0 && i < 200000; ++i) {}";
    let slow = format!("{start}\n{slow}");
    changed(
        &place.path().join("slow"),
        "reversi/pv_split.cl",
        start,
        &slow,
    );
    let compared = compare(&place, "--fail-over 50% --json");
    let json: serde_json::Value = compared.ends(6).json();
    let techniques = json["techniques"].as_array().unwrap();
    let slowed = techniques
        .iter()
        .find(|own| own["technique"] == "pv-split")
        .unwrap();
    let ratio = slowed["ratio"].as_f64().unwrap();
    assert!(ratio > 2.0, "{slowed}");

    let read = |side: &str| Run::read(&place.path().join("out").join(side)).unwrap();
    let (old, new) = (read("old"), read("new"));
    let together = |run: &Run| run.environment.invocations[0].together.clone().unwrap();
    assert_eq!(together(&old), together(&new));
    // Both runs number their samples together. In each pass, the samples of the two programs are interleaved.
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
    for (script, why) in [
        (
            "echo hello",
            "bench: --programs: ./new: is no Plybench program",
        ),
        (
            "BENCH \"$@\" | sed 's/\"protocol\":[0-9]*/\"protocol\":0/'",
            "its workers speak protocol 0, this program ",
        ),
        (
            "exec sleep 86400",
            "bench: --programs: ./new: does not say what it is within 20s",
        ),
    ] {
        let place = two(&format!("#!/bin/sh\n{script}\n"));
        compare(&place, "").ends(1).says(why).says_one_line();
        assert!(!place.path().join("out").exists());
    }
}

#[test]
fn a_run_that_no_comparison_has_made_is_not_replaced() {
    let place = two("#!/bin/sh\nexec BENCH \"$@\"\n");
    let out = place.path().join("out");
    let committed =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/nvidia-h100/checkers-layout");
    copy(&committed, &out.join("old"));
    let rows = || std::fs::read(out.join("old/measurements.csv")).unwrap();
    let before = rows();
    let why = "out/old: holds a run that compare --programs has not made";
    compare(&place, "").ends(4).says(why);
    assert_eq!(rows(), before);
}
