//! Creates a folder with an experiment, and runs the program in it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two cases. A device technique is between two host techniques.
pub const TINY: &str = r#"
name = "tiny"
title = "Tiny boards"
game = "reversi"
task = "game"

[[cases]]
board = "4x4"
depth = [1, 2]

[[technique]]
name = "serial"

[[technique]]
name = "rayon"

[[technique]]
name = "pv-split"

[sampling]
passes = 1
min-samples = 3
max-samples = 6
positions = 4
min-positions = 2

[budget]
cell = "2s"
total = "20m"
deadline = "20s"

[[table]]
id = "factors"
title = "Acceleration factors"
quantity = "speedup"
rows = "board"
columns = "depth"
techniques = ["pv-split"]
baselines = ["serial"]
"#;

/// Returns [`TINY`] with cells that would take minutes.
pub fn endless() -> String {
    TINY.replace("min-samples = 3", "min-samples = 1000000")
        .replace("max-samples = 6", "max-samples = 1000000")
        .replace("cell = \"2s\"", "cell = \"5m\"")
        .replace("deadline = \"20s\"", "deadline = \"5m\"")
}

pub fn changed(folder: &Path, file: &str, from: &str, to: &str) {
    copy(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/cl")),
        folder,
    );
    replace(&folder.join(file), from, to);
}

/// Edits a file. Fails if the edit does not change it.
pub fn edit(file: &Path, change: impl FnOnce(&str) -> String) {
    let before = std::fs::read_to_string(file).unwrap();
    let after = change(&before);
    assert_ne!(before, after, "the edit changes {}", file.display());
    std::fs::write(file, after).unwrap();
}

pub fn rows(file: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

pub fn pairs(score: &str) -> Vec<String> {
    let games: Vec<&str> = score.split("; ").skip(1).collect();
    games.chunks(2).map(|pair| pair.join("; ")).collect()
}

/// Replaces a text in a file. The text must occur exactly once.
pub fn replace(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    std::fs::write(file, text.replace(from, to)).unwrap();
}

/// A row of a CSV file: values by column.
pub type Row = HashMap<String, String>;

/// A command line, as a text that is split at blanks or as a list of words.
pub trait Line {
    fn words(&self) -> Vec<String>;
}

impl Line for &str {
    fn words(&self) -> Vec<String> {
        self.split_whitespace().map(str::to_owned).collect()
    }
}

impl Line for &String {
    fn words(&self) -> Vec<String> {
        self.as_str().words()
    }
}

impl<W: ToString> Line for &[W] {
    fn words(&self) -> Vec<String> {
        self.iter().map(ToString::to_string).collect()
    }
}

impl<W: ToString, const N: usize> Line for &[W; N] {
    fn words(&self) -> Vec<String> {
        self.as_slice().words()
    }
}

impl<W: ToString> Line for &Vec<W> {
    fn words(&self) -> Vec<String> {
        self.as_slice().words()
    }
}

/// The program's exit code, and its output on stdout and stderr.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub said: String,
}

impl Ended {
    /// Fails if the exit code is not `code`.
    #[track_caller]
    pub fn ends(&self, code: i32) -> &Ended {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.said);
        self
    }

    /// Fails if stderr lacks this text.
    #[track_caller]
    pub fn says(&self, part: &str) -> &Ended {
        assert!(self.said.contains(part), "{part}: {}", self.said);
        self
    }

    /// Fails if stdout lacks this text.
    #[track_caller]
    pub fn prints(&self, part: &str) -> &Ended {
        assert!(self.out.contains(part), "{part}: {}", self.out);
        self
    }

    /// Fails if stdout or stderr contains this text.
    #[track_caller]
    pub fn lacks(&self, part: &str) -> &Ended {
        let is_there = self.out.contains(part) || self.said.contains(part);
        assert!(!is_there, "{part}: {}{}", self.out, self.said);
        self
    }

    /// Fails unless stderr has exactly one line.
    #[track_caller]
    pub fn says_one_line(&self) -> &Ended {
        assert_eq!(self.said.trim_end().lines().count(), 1, "{}", self.said);
        self
    }

    /// Parses stdout as JSON.
    #[track_caller]
    pub fn json<T: serde::de::DeserializeOwned>(&self) -> T {
        let read = serde_json::from_str(&self.out);
        read.unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.said))
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: text(&output.stdout),
            said: text(&output.stderr),
        }
    }
}

/// Fails unless the row has this status and its reason contains this text.
#[track_caller]
pub fn assert_row(row: &Row, status: &str, reason: &str) {
    let found = (row["status"].as_str(), row["reason"].as_str());
    assert_eq!(found.0, status, "{row:?}");
    assert!(found.1.contains(reason), "{reason}: {}", found.1);
}

pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new(experiment: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("tiny.toml"), experiment).expect("a file in it");
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder into which `bench run tiny.toml` writes. Links are resolved.
    pub fn run_folder(&self) -> PathBuf {
        let root = self.path().canonicalize().expect("it is there");
        root.join("reports/local/tiny")
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.run_folder().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        let path = self.file(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    pub fn command(&self, line: impl Line) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command
            .args(line.words())
            .current_dir(self.path())
            // Disable the cache, because a row states whether its program was compiled or cached.
            .env("PLYBENCH_CACHE", "off")
            .env("PLYBENCH_ALLOW_DIRTY", "1")
            .env("NO_COLOR", "1");
        command
    }

    /// Prepares the program as if the machine had no OpenCL.
    pub fn host_command(&self, line: impl Line) -> Command {
        let mut command = self.command(line);
        command
            .env("OCL_ICD_VENDORS", "/nonexistent")
            .env("OPENCL_VENDOR_PATH", "/nonexistent");
        command
    }

    pub fn bench(&self, line: impl Line) -> Ended {
        ended(&mut self.command(line))
    }

    /// Runs the program as if the machine had no OpenCL.
    pub fn on_host(&self, line: impl Line) -> Ended {
        ended(&mut self.host_command(line))
    }

    /// Runs the program, which must exit with this code. Returns its output on stdout and stderr.
    pub fn ends(&self, code: i32, line: impl Line) -> [String; 2] {
        let ended = self.bench(line);
        ended.ends(code);
        [ended.out, ended.said]
    }

    pub fn csv(&self, name: &str) -> Vec<Row> {
        rows(&self.file(name))
    }

    /// Returns the last row of each measured cell.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for row in self.csv("measurements.csv") {
            rows.retain(|other| cell(other) != cell(&row));
            rows.push(row);
        }
        rows.retain(|row| row["status"] != "pending");
        rows
    }

    pub fn row(&self, technique: &str, depth: u32) -> Row {
        let case = format!("board=4x4 depth={depth}");
        let mut rows = self.rows().into_iter();
        rows.find(|row| row["technique"] == technique && row["case"] == case)
            .unwrap_or_else(|| panic!("no row of {technique} at {case}"))
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

pub fn cell(row: &Row) -> [String; 3] {
    ["case", "technique", "device"].map(|column| row[column].clone())
}

pub fn ended(command: &mut Command) -> Ended {
    command.output().expect("the program starts").into()
}
