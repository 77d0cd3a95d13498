//! Creates a folder with an experiment, and runs commands whose processes load a fault layer.

use std::path::PathBuf;
use std::process::{Command, Output};

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

    /// Runs a command with a fault in the first process that makes launch number `at`, and in no other process.
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

pub fn library(name: &str) -> PathBuf {
    crate::needed::library(&format!("program/faults/{name}.c"))
}
