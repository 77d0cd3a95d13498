//! Tests the program outside a checkout: built-in experiments, published numbers, and pasted rows of scores.

use std::io::Write;
use std::process::{Command, Stdio};

use super::place::Place;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn shows_a_built_in_experiment_as_its_file() {
    let place = Place::new("");
    for name in ["reversi", "smoke:smoke-reversi"] {
        let [shown, _] = place.ends(0, &["run", name, "--show"]);
        let stem = name.split(':').next().unwrap();
        let file = std::fs::read_to_string(format!("{ROOT}/configs/{stem}.toml")).unwrap();
        assert_eq!(shown, file, "{name}");
    }
}

#[test]
fn lists_every_experiment_by_its_name() {
    let [list, _] = Place::new("").ends(0, "list");
    let files = std::fs::read_dir(format!("{ROOT}/configs")).unwrap();
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    assert!(files.len() > 10);
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy();
        assert!(list.contains(&format!("  {name}")), "{name}: {list}");
    }
}

#[test]
fn runs_a_built_in_experiment_with_the_papers_numbers() {
    let place = Place::new("");
    let only = "--technique ^serial$ --case board=8x8 --case depth=1 --passes 1 --budget 5s";
    place.ends(0, &format!("run reversi {only}"));
    let run = place.path().join("reports/local/reversi");
    for file in ["table-1.csv", "claims.toml"] {
        let copy = std::fs::read(run.join("published/reversi").join(file)).unwrap();
        let original = std::fs::read(format!("{ROOT}/reports/published/reversi/{file}"));
        assert_eq!(copy, original.unwrap(), "{file}");
    }
    let environment = std::fs::read_to_string(run.join("environment.toml")).unwrap();
    assert!(environment.contains("config = \"configs/reversi.toml\""));
}

#[test]
fn a_file_comes_before_a_built_in_experiment_of_its_name() {
    let place = Place::new("");
    std::fs::write(place.path().join("reversi"), super::place::TINY).unwrap();
    let [cells, _] = place.ends(0, &["run", "reversi", "--dry-run"]);
    assert!(cells.starts_with("tiny: "), "{cells}");
}

#[test]
fn an_unknown_name_lists_the_experiments() {
    let place = Place::new("");
    let [_, said] = place.ends(1, &["run", "revers", "--dry-run"]);
    assert!(said.contains("did you mean reversi?"), "{said}");
}

#[test]
fn pasted_rows_become_a_table() {
    let row = |device: &str, date: &str, checkers: &str| {
        let host = "Intel(R) Xeon(R), 16 threads";
        let rates = "1.20 k searches/s | 3.00 k searches/s‡ | –";
        format!(
            "| {device} | NVIDIA CUDA 580 | {host} | {date} | 0.1.0 (abc) | {rates} | {checkers} | 379 M games/s |"
        )
    };
    let text = [
        "My card:".to_owned(),
        row("Slow", "2026-11-29", "9.50 M games/s"),
        row("Fast", "2026-11-29", "702 M games/s"),
        row("Fast", "2026-11-30", "703 M games/s"),
        row("<b>Odd</b>", "2026-11-29", "1.50 G games/s"),
        row("Wrong", "yesterday", "1 M games/s"),
        row("Wrong", "2026-11-29", "many"),
        "| a | table | of | something | else |".to_owned(),
    ];
    let mut script = Command::new(format!("{ROOT}/scripts/as-reported"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = text.join("\n");
    script
        .stdin
        .take()
        .unwrap()
        .write_all(bytes.as_bytes())
        .unwrap();
    let output = script.wait_with_output().unwrap();
    assert!(output.status.success());
    let table = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    assert_eq!(rows.len(), 2 + 3, "{table}");
    assert!(rows[2].starts_with("| ?b?Odd?/b? |"), "{table}");
    assert_eq!(rows[3], row("Fast", "2026-11-30", "703 M games/s"));
    assert_eq!(rows[4], row("Slow", "2026-11-29", "9.50 M games/s"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.matches("ignored").count(), 2, "{said}");
}

#[test]
fn compares_a_run_with_a_committed_machine() {
    let place = Place::new("");
    let run = |code: i32, line: &str| {
        let mut command = place.command(line);
        let ended = super::place::ended(command.current_dir(ROOT));
        ended.ends(code);
        ended
    };
    let line = "compare reports/2-core-epyc-zen4/reversi nvidia-h200";
    let rows: Vec<serde_json::Value> = run(0, &format!("{line} --json")).json();
    assert!(rows.len() > 20, "{}", rows.len());
    let measured = |machine: &str| {
        let file = format!("{ROOT}/reports/{machine}/reversi/measurements.csv");
        super::place::rows(std::path::Path::new(&file))
    };
    let both = [measured("2-core-epyc-zen4"), measured("nvidia-h200")];
    for row in &rows {
        let [own, other] = ["a", "b"].map(|side| {
            let cell = ["technique", "device"].map(|key| row[side][key].as_str().unwrap());
            let rows = &both[usize::from(side == "b")];
            let found = rows.iter().find(|it| {
                it["case"] == row["case"].as_str().unwrap()
                    && [&*it["technique"], &*it["device"]] == cell
            });
            let number = |key: &str| found.unwrap()[key].parse::<f64>().unwrap();
            number("median_ns") / number("units")
        });
        let speed = row["speed"].as_f64().unwrap();
        assert!((speed / (other / own) - 1.0).abs() < 1e-6, "{row}");
    }
    run(0, line).prints("this run is");
    run(1, &format!("{line} --technique serial")).says("--technique");
    run(1, &line.replace("h200", "h20")).says("did you mean nvidia-h200?");
}
