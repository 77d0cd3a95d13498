//! The folder with an experiment, and faults in front of the program that runs in it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub use crate::place::*;

impl Place {
    /// The command with `layer.c` in front of its libraries.
    pub fn with_layer<'c>(
        &self,
        command: &'c mut Command,
        settings: &[(&str, &str)],
    ) -> &'c mut Command {
        command
            .env("LD_PRELOAD", layer())
            .envs(settings.iter().copied())
    }

    /// `bench run tiny.toml` with a fault that the first process to reach the launch `at` has, and no other.
    pub fn run_with(&self, fault: &str, at: u32) -> Ended {
        let once = self.path().join("once").display().to_string();
        let settings = [
            ("FAULT", fault),
            ("FAULT_AT", &at.to_string()),
            ("FAULT_ONCE", &once),
        ];
        ended(self.with_layer(&mut self.command(&["run", "tiny.toml"]), &settings))
    }
}

/// `layer.c`, compiled once a process.
fn layer() -> &'static Path {
    static LAYER: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, library) = LAYER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let library = folder.path().join("layer.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/faults/layer.c");
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"])
            .arg("-o")
            .args([&library, Path::new(source)])
            .args(["-ldl", "-lpthread"])
            .output()
            .expect("the C compiler that Rust links with");
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{said}");
        (folder, library)
    });
    library
}
