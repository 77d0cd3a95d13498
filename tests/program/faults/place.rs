//! The folder with an experiment, and faults in front of the program that runs in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

pub use crate::place::*;

impl Place {
    pub fn with_layer<'c>(
        &self,
        command: &'c mut Command,
        settings: &[(&str, &str)],
    ) -> &'c mut Command {
        command
            .env("LD_PRELOAD", library("layer"))
            .envs(settings.iter().copied())
    }

    /// A command with a fault that the first process to reach the launch `at` has, and no other.
    pub fn with_fault(&self, arguments: &[&str], fault: &str, at: u32) -> Output {
        let once = self.path().join("once").display().to_string();
        let settings = [
            ("FAULT", fault),
            ("FAULT_AT", &at.to_string()),
            ("FAULT_ONCE", &once),
        ];
        let mut command = self.command(arguments);
        let output = self.with_layer(&mut command, &settings).output();
        output.expect("the program starts")
    }
}

/// A C file of this folder, compiled once per process into a library.
pub fn library(name: &str) -> PathBuf {
    static LIBRARIES: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = LIBRARIES.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["layer", "odd"] {
            let source = format!(
                "{}/tests/program/faults/{name}.c",
                env!("CARGO_MANIFEST_DIR")
            );
            let compiled = Command::new("cc")
                .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"])
                .arg("-o")
                .args([
                    &folder.path().join(format!("{name}.so")),
                    Path::new(&source),
                ])
                .args(["-ldl", "-lpthread"])
                .output()
                .expect("the C compiler that Rust links with");
            let said = String::from_utf8_lossy(&compiled.stderr);
            assert!(compiled.status.success(), "{said}");
        }
        folder
    });
    folder.path().join(format!("{name}.so"))
}
