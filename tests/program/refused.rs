//! What once ended well though it was wrong, or ended badly: one line says what, and what is allowed.

use std::process::{Command, Output};

const EXPERIMENT: &str = r#"
name = "tiny"
game = "checkers"
task = "playouts"

[[cases]]
playouts = [64]

[[technique]]
name = "serial"
"#;

/// The program in a folder with that experiment.
fn bench(experiment: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tiny.toml"), experiment).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(arguments).current_dir(folder.path());
    command.env("OCL_ICD_VENDORS", "/nonexistent");
    command.env("OPENCL_VENDOR_PATH", "/nonexistent");
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_plan_of_millions_of_cells_is_refused() {
    let cases: Vec<String> = (1..=5_000).map(|count| count.to_string()).collect();
    let mut experiment = EXPERIMENT.replace("[64]", &format!("[{}]", cases.join(", ")));
    for number in 0..1_000 {
        experiment += &format!("[[technique]]\nname = \"serial\"\nlabel = \"serial-{number}\"\n");
    }
    let output = bench(&experiment, &["run", "tiny.toml", "-n"]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("technique: 5010000 cells"), "{said}");
    assert!(said.contains("at most 100000"), "{said}");
}

#[test]
fn a_technique_restricted_to_no_value_is_refused() {
    let experiment =
        format!("{EXPERIMENT}\n[[technique]]\nname = \"flat\"\nonly = {{ playouts = [] }}\n");
    let output = bench(&experiment, &["check", "tiny.toml"]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let why = "only.playouts: empty; give one value at least";
    assert!(said.contains(why), "{said}");
}

#[test]
fn an_axis_given_twice_to_one_position_is_refused() {
    for (second, key) in [
        ("-c=board=8x8", "--case board=8x8"),
        ("-c=board=x", "--case board=x"),
    ] {
        let arguments = ["perft", "reversi", "--depth=3", "-c=board=6x6", second];
        let output = bench(EXPERIMENT, &arguments);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains(&format!("{key}: the board is given twice")),
            "{said}"
        );
    }
}

/// What a user types or writes is told back without what a terminal obeys, and not to its end.
#[test]
fn names_are_told_back_short_and_plain() {
    let name = format!("\u{1b}[31m{}", "x".repeat(100_000));
    let file = EXPERIMENT.replace("name = \"serial\"", &format!("name = {name:?}"));
    let key = format!("{EXPERIMENT}\n[{name:?}]\n").replace("\\u{1b}", "\\u001b");
    let file = file.replace("\\u{1b}", "\\u001b");
    for (experiment, arguments) in [
        (EXPERIMENT, &["check", name.as_str()][..]),
        (
            EXPERIMENT,
            &["run", "tiny.toml", "--technique", name.as_str()],
        ),
        (
            EXPERIMENT,
            &["run", "tiny.toml", name.as_str(), "--no-such"],
        ),
        (&file, &["check", "tiny.toml"]),
        (&key, &["check", "tiny.toml"]),
    ] {
        let output = bench(experiment, arguments);
        let said = said(&output);
        assert!(matches!(output.status.code(), Some(1 | 4)), "{said:.300}");
        assert!(said.len() < 10_000, "{} bytes: {said:.300}", said.len());
        assert!(!said.contains('\u{1b}'), "{said:.300}");
    }
}

/// Messages that cannot be written change no exit code.
#[cfg(target_os = "linux")]
#[test]
fn a_stderr_that_is_full_ends_nothing() {
    let full = || {
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tiny.toml"), EXPERIMENT).unwrap();
    for (arguments, code) in [
        (&["run", "tiny.toml", "--quick"][..], 0),
        (&["run", "nowhere.toml"], 4),
        (&["run"], 1),
    ] {
        let status = Command::new(env!("CARGO_BIN_EXE_bench"))
            .args(arguments)
            .current_dir(folder.path())
            .env("OCL_ICD_VENDORS", "/nonexistent")
            .env("OPENCL_VENDOR_PATH", "/nonexistent")
            .stdout(std::process::Stdio::null())
            .stderr(full())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
}
