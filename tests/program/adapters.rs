//! Checks the answers of each program in `scripts/adapters` against the reference, in every task that it supports.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::needed;

use super::place::{Ended, Place, Row};

pub fn adapter(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("scripts/adapters").join(name)
}

/// Returns true if the machine's Python lacks a package. In this case, prints a message.
pub fn lacks(package: &str) -> bool {
    let mut python = Command::new("python3");
    let found = python.args(["-c", &format!("import {package}")]).output();
    let lacks = !found.is_ok_and(|output| output.status.success());
    if lacks {
        needed::skip(&format!("python3 cannot import {package}"));
    }
    lacks
}

/// A request to one program.
#[derive(Clone, Copy)]
pub struct Trial {
    pub game: &'static str,
    pub task: &'static str,
    /// The axes of the case, as in an experiment.
    pub case: &'static str,
    /// The options of the game, as in an experiment.
    pub options: &'static str,
}

impl Trial {
    pub const fn new(game: &'static str, task: &'static str, case: &'static str) -> Trial {
        Trial {
            game,
            task,
            case,
            options: "",
        }
    }

    /// Runs an experiment for this request with these techniques, given in TOML.
    pub fn run(self, techniques: &str) -> (Vec<Row>, Ended) {
        let (game, task, case, options) = (self.game, self.task, self.case, self.options);
        let place = Place::new(&format!(
            r#"
name = "tiny"
title = "Programs"
game = "{game}"
task = "{task}"
cases = [{{ {case} }}]
options = {{ {options} }}

[sampling]
passes = 1
min-samples = 3
max-samples = 3

[budget]
cell = "60s"
total = "5m"
deadline = "2m"

{techniques}"#
        ));
        let arguments = ["run", "tiny.toml", "--allow-commands"];
        let ended = place.on_host(&arguments);
        assert_ne!(ended.code, Some(1), "{game} {task}: {}", ended.said);
        (place.rows(), ended)
    }

    /// Runs a command, which must give correct answers in every case. Returns its rows, each with the row of `serial`.
    pub fn is_right(self, command: &[&str]) -> Vec<(Row, Row)> {
        let own = match self.task {
            "playouts" => "own-random = true",
            _ => "",
        };
        let (rows, ended) = self.run(&format!(
            "[[technique]]\nname = \"theirs\"\ncommand = {command:?}\n{own}\n"
        ));
        let said = format!("{} {}: {}", self.game, self.task, ended.said);
        assert_eq!(ended.code, Some(0), "{said}");
        let of = |label: &str| {
            let all = rows.iter().filter(|row| row["technique"] == label).cloned();
            all.collect::<Vec<Row>>()
        };
        let (theirs, serial) = (of("theirs"), of("serial"));
        assert!(!theirs.is_empty(), "{said}");
        for row in &theirs {
            assert_eq!(row["status"], "ok", "{} {said}", row["reason"]);
        }
        theirs.into_iter().zip(serial).collect()
    }
}

#[test]
fn the_program_in_c_enters_the_nodes_of_serial() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("connect_four");
    let built = Command::new("cc")
        .args(["-O1", "-o"])
        .args([&program, &adapter("connect_four.c")])
        .status();
    if !built.is_ok_and(|status| status.success()) {
        needed::skip("cc cannot build connect_four.c");
        return;
    }
    let command = [program.to_str().unwrap()];
    let search = Trial::new("connect-four", "search", "depth = [1, 2, 3, 6]");
    let game = Trial::new("connect-four", "game", "stage = \"average\", depth = 4");
    for (theirs, serial) in [search, game]
        .map(|trial| trial.is_right(&command))
        .concat()
    {
        for count in ["nodes", "leaves"] {
            assert_eq!(theirs[count], serial[count], "{count}");
        }
    }
    Trial::new("connect-four", "perft", "depth = [1, 6]").is_right(&command);
}

#[test]
fn the_program_in_python_is_right_in_every_task() {
    if lacks("json") {
        return;
    }
    let file = adapter("connect_four.py");
    let command = ["python3", file.to_str().unwrap()];
    for (task, case) in [
        ("search", "depth = [1, 4]"),
        ("game", "stage = \"average\", depth = 2"),
        ("perft", "depth = [1, 4]"),
        ("playouts", "playouts = [1, 500]"),
        ("choose", "effort = \"20ms\""),
    ] {
        Trial::new("connect-four", task, case).is_right(&command);
    }
}

/// Returns the text of the protocol page from a line to the end of its code block.
pub fn of_the_page<'t>(page: &'t str, from: &str) -> &'t str {
    let (_, after) = page.split_once(from).unwrap();
    after.split_once("```").unwrap().0
}

/// Returns the last technique of an experiment that `bench new` wrote.
pub fn last_technique(written: &str) -> &str {
    let (before, _) = written.split_once("\n[[table]]").unwrap();
    &before[before.rfind("[[technique]]").unwrap()..]
}

#[test]
fn the_protocols_page_shows_a_technique_and_a_session_as_they_are() {
    if lacks("json") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/PROTOCOL.md")).unwrap();
    let shown = of_the_page(&page, "```toml\n");
    let place = Place::new("");
    place.on_host("new program mine.py").ends(0);
    let written = std::fs::read_to_string(place.path().join("mine.toml")).unwrap();
    assert_eq!(last_technique(&written), shown);
    let arguments = ["run", "mine.toml", "--quick", "--allow-commands"];
    place.on_host(&arguments).ends(0);

    let session = of_the_page(&page, "### A session\n\n```text\n");
    let of = |mark: &str| {
        let lines = session.lines().filter_map(|line| line.strip_prefix(mark));
        lines.collect::<Vec<_>>()
    };
    let (asked, answered) = (of("> "), of("< "));
    let mut program = Command::new("python3")
        .arg("mine.py")
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = program.stdin.take().unwrap();
    to.write_all((asked.join("\n") + "\n").as_bytes()).unwrap();
    drop(to);
    let output = program.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let said: Vec<_> = said.lines().collect();
    assert_eq!(said.len(), answered.len());
    let read = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    // Skip the first reply, which describes the program.
    for (said, shown) in said.into_iter().zip(answered).skip(1) {
        let (mut said, shown) = (read(said), read(shown));
        let answers = said.get_mut("answers").and_then(|all| all.as_array_mut());
        for answer in answers.into_iter().flatten() {
            // The page omits optional fields.
            answer.as_object_mut().unwrap().remove("leaves");
        }
        assert_eq!(said, shown);
    }
}

#[test]
#[ignore = "needs pgx and JAX (pip install pgx jax), and compiles for half a minute; ./scripts/test --long runs it, each week and after a change of the adapters"]
fn long_pgx_plays_our_games() {
    if lacks("pgx") {
        return;
    }
    let file = adapter("pgx_playouts.py");
    let command = ["python3", file.to_str().unwrap(), "--batch", "1024"];
    // Covers counts below and above the batch size, and counts that do not fill the last batch.
    let connect_four = Trial::new("connect-four", "playouts", "playouts = [1, 700, 20500]");
    let reversi = Trial::new("reversi", "playouts", "board = \"8x8\", playouts = [5000]");
    for trial in [connect_four, reversi] {
        for (theirs, _) in trial.is_right(&command) {
            assert!(theirs["notes"].contains("batches of 1024"), "{theirs:?}");
            let part = "checked: statistics";
            assert!(theirs["notes"].contains(part), "{theirs:?}");
        }
    }
}
