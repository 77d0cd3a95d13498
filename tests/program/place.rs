//! A folder with an experiment, and the program run in it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two cases, and a device technique between two of the host's.
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

/// [`TINY`] with cells of minutes.
pub fn endless() -> String {
    TINY.replace("min-samples = 3", "min-samples = 1000000")
        .replace("max-samples = 6", "max-samples = 1000000")
        .replace("cell = \"2s\"", "cell = \"5m\"")
        .replace("deadline = \"20s\"", "deadline = \"5m\"")
}

/// A copy of the kernels with one file changed.
pub fn changed(folder: &Path, file: &str, from: &str, to: &str) {
    copy(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/cl")),
        folder,
    );
    replace(&folder.join(file), from, to);
}

/// Gives a file another text.
pub fn edit(file: &Path, change: impl FnOnce(&str) -> String) {
    let before = std::fs::read_to_string(file).unwrap();
    let after = change(&before);
    assert_ne!(before, after, "the edit changes {}", file.display());
    std::fs::write(file, after).unwrap();
}

/// The rows of a CSV file.
pub fn rows(file: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// Pairs of games in the score of a match.
pub fn pairs(score: &str) -> Vec<String> {
    let games: Vec<&str> = score.split("; ").skip(1).collect();
    games.chunks(2).map(|pair| pair.join("; ")).collect()
}

/// Replaces the only place of a text in a file.
pub fn replace(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    std::fs::write(file, text.replace(from, to)).unwrap();
}

/// A row of a CSV file, by column.
pub type Row = HashMap<String, String>;

/// What the program said, and what it ended with.
pub struct Ended {
    pub code: Option<i32>,
    pub said: String,
}

impl Ended {
    /// Fails unless this is the exit code.
    #[track_caller]
    pub fn ends(&self, code: i32) -> &Ended {
        assert_eq!(self.code, Some(code), "{}", self.said);
        self
    }

    /// Fails unless this is part of what it said.
    #[track_caller]
    pub fn says(&self, part: &str) -> &Ended {
        assert!(self.said.contains(part), "{part}: {}", self.said);
        self
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A folder with an experiment in it.
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

    /// Where `bench run tiny.toml` writes to, links followed.
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

    /// The program in this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command
            .args(arguments)
            .current_dir(self.path())
            // Whether a program was built or kept is told in its row.
            .env("PLYBENCH_CACHE", "off")
            .env("NO_COLOR", "1");
        command
    }

    /// The program with a machine that has no OpenCL.
    pub fn host_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        command
            .env("OCL_ICD_VENDORS", "/nonexistent")
            .env("OPENCL_VENDOR_PATH", "/nonexistent");
        command
    }

    pub fn bench(&self, arguments: &[&str]) -> Ended {
        ended(&mut self.command(arguments))
    }

    /// What the program writes to stdout and to stderr. It must end with this code.
    pub fn ends(&self, code: i32, arguments: &[&str]) -> [String; 2] {
        let Output {
            stdout,
            stderr,
            status,
        } = self.output(arguments);
        let [out, err] = [stdout, stderr].map(|bytes| text(&bytes));
        assert_eq!(status.code(), Some(code), "{arguments:?}: {out}{err}");
        [out, err]
    }

    /// With what it printed, too.
    pub fn output(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        command.output().expect("the program starts")
    }

    /// The rows of a CSV file of the run folder.
    pub fn csv(&self, name: &str) -> Vec<Row> {
        rows(&self.file(name))
    }

    /// The last row of each measured cell.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for row in self.csv("measurements.csv") {
            rows.retain(|other| cell(other) != cell(&row));
            rows.push(row);
        }
        rows.retain(|row| row["status"] != "pending");
        rows
    }

    /// The row of a technique at a depth.
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

/// Stdout and stderr.
pub fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

pub fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

/// Copies a folder with the folders in it.
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

/// Which cell a row is about.
pub fn cell(row: &Row) -> [String; 3] {
    ["case", "technique", "device"].map(|column| row[column].clone())
}

pub fn ended(command: &mut Command) -> Ended {
    command.output().expect("the program starts").into()
}
