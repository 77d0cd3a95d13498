//! Tests how a user checks a finished run and shares it.

mod check;
mod edits;
mod frame;
pub mod tampering;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::place::{Ended, Place};

/// Cases with two axes, and two host techniques with fixed counters.
pub const SMALL: &str = r#"
name = "small"
title = "Small boards"
game = "reversi"
task = "game"

[[cases]]
board = ["4x4", "6x6"]
depth = [2, 3]

[[technique]]
name = "serial"

[[technique]]
name = "rayon"

[sampling]
min-samples = 6
max-samples = 12
passes = 3
positions = 4

[budget]
cell = "4s"
total = "20m"
deadline = "20s"
"#;

/// Returns the run `kept/small`, which is measured only once.
pub fn run() -> &'static Place {
    static RUN: OnceLock<Place> = OnceLock::new();
    RUN.get_or_init(|| {
        let place = Place::new(SMALL);
        let out = place.path().join("kept/small");
        let out = out.to_str().unwrap();
        place.on_host(&["run", "tiny.toml", "--out", out]).ends(0);
        place
    })
}

pub fn kept() -> PathBuf {
    run().path().join("kept/small")
}

pub fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("small")).unwrap();
    let names = "environment.toml experiment.toml techniques.json samples.csv measurements.csv \
        facts.csv resources.csv";
    for name in names.split(' ') {
        fs::copy(kept().join(name), copy.path().join("small").join(name)).unwrap();
    }
    copy
}

pub fn check(folder: &Path) -> Ended {
    let against = run().path().join("kept");
    let [folder, against] = [folder, against.as_path()].map(|path| path.display());
    run().on_host(&format!("report --check {folder} --against {against}"))
}
