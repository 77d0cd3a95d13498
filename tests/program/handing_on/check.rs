//! Tests that `bench report --check` accepts a consistent folder, and names each kind of tampering by file and line.

use std::fs;
use std::path::{Path, PathBuf};

use super::tampering::{TAMPERINGS, program, tamper};
use super::{check, copy, run};
use crate::place::{Ended, ended};

#[test]
fn what_agrees_passes_and_its_counters_are_compared() {
    let copy = copy();
    check(copy.path())
        .ends(0)
        .prints("8 rows, ")
        .prints("the counters of 8 cells equal those of 1 committed run");
}

#[test]
fn each_kind_of_tampering_is_refused_and_none_panics() {
    let mut wrong = Vec::new();
    for row in TAMPERINGS.trim().lines() {
        let [what, steps, expected] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let copy = copy();
        let folder = copy.path().join("small");
        tamper(&folder, steps);
        let Ended { code, said, .. } = check(&folder);
        if code != Some(4) || !said.contains(expected) || said.contains("panicked") {
            wrong.push(format!("{what}: {code:?}, expected {expected:?}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A squashed commit is known only together with the source hash that is listed for it.
#[test]
fn a_joined_revision_is_known_with_its_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let git = std::process::Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(root)
        .output()
        .unwrap();
    let head = String::from_utf8(git.stdout).unwrap();
    let copy = copy();
    let folder = copy.path().join("small");
    program(&folder, |it| &mut it.revision, "0123456789ab");
    let environment = plybench::results::read_environment(&folder).unwrap();
    let own = environment.invocations[0].program.source_hash.clone();
    let none = "0".repeat(40);
    for (sources, into, known) in [
        (own.as_str(), head.trim(), true),
        ("0123456789abcdef", head.trim(), false),
        (&own, &none, false),
    ] {
        let kept = tempfile::tempdir().unwrap();
        let joined = format!(
            "[[program]]\nrevision = \"0123456789ab\"\nsource_hash = \"{sources}\"\ninto = \"{into}\"\n"
        );
        fs::write(kept.path().join("joined.toml"), joined).unwrap();
        let (folder, kept) = (folder.to_str().unwrap(), kept.path().to_str().unwrap());
        let mut command = run().host_command(&["report", "--check", folder, "--against", kept]);
        let ended = ended(command.current_dir(root));
        assert_eq!(ended.code == Some(0), known, "{}", ended.said);
    }
}

/// The check refuses a revision with uncommitted changes even if it knows the revision.
#[test]
fn refuses_a_revision_with_uncommitted_changes() {
    let [sent, kept] = [copy(), copy()];
    let folders = [&sent, &kept].map(|it| it.path().join("small"));
    for folder in &folders {
        program(folder, |it| &mut it.revision, "0123456789ab-dirty");
    }
    let [sent, kept] = folders.each_ref().map(|it| it.to_str().unwrap());
    let mut command = run().host_command(&["report", "--check", sent, "--against", kept]);
    ended(&mut command).ends(0);
    let refused = ended(command.env_remove("PLYBENCH_ALLOW_DIRTY"));
    let why = "revision 0123456789ab-dirty has uncommitted changes";
    refused.ends(4).says(why);
}

#[test]
fn committed_runs_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let git = std::process::Command::new("git")
        .args(["rev-parse", "--is-shallow-repository"])
        .current_dir(root)
        .output();
    if !git.is_ok_and(|output| output.stdout == b"false\n") {
        eprintln!("skipped: no git history, so no revision is known");
        return;
    }
    let runs = fs::read_dir(root.join("reports"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let has_run = |machine: &PathBuf| {
        let below = fs::read_dir(machine).into_iter().flatten().flatten();
        below
            .map(|entry| entry.path())
            .any(|run| run.join("environment.toml").exists())
    };
    let machines: Vec<PathBuf> = runs
        .filter(|path| !path.ends_with("local") && has_run(path))
        .collect();
    assert!(!machines.is_empty());
    let mut command = run().host_command("report --check");
    ended(command.args(&machines).current_dir(root)).ends(0);
}
