//! Creates a folder with small experiments, and runs shell commands in it.

use std::path::Path;
use std::process::{Command, Stdio};

use super::needed::library;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

const SHORTHANDS: &str = r#"
host() { OCL_ICD_VENDORS=/nonexistent OPENCL_VENDOR_PATH=/nonexistent bench "$@"; }
on() { class=$1; shift; CLASS=$class LD_PRELOAD=$DEVICE bench "$@"; }
fault() { name=$1; shift; FAULT=$name LD_PRELOAD=$LAYER bench "$@"; }
steady() { step=$1; shift; STEADY_NS=$step LD_PRELOAD=$LAYER host "$@"; }
"#;

/// A command's exit code and output.
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// A folder that contains a copy of `files`.
pub struct Place(tempfile::TempDir);

impl Place {
    pub fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        let copied = place.run(r#"cp "$ROOT"/tests/golden_surface/files/* ."#);
        assert_eq!(copied.code, Some(0), "{}", copied.err);
        place
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn run(&self, line: &str) -> Ended {
        let output = self.shell(line).stdin(Stdio::null()).output().unwrap();
        let [out, err] = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ended {
            code: output.status.code(),
            out,
            err,
        }
    }

    pub fn shell(&self, line: &str) -> Command {
        let bench = Path::new(env!("CARGO_BIN_EXE_bench")).parent().unwrap();
        let paths = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{SHORTHANDS}{line}")])
            .current_dir(self.path())
            .env("PATH", format!("{}:{paths}", bench.display()))
            .env("PLYBENCH_CACHE", "off")
            .env("PLYBENCH_ALLOW_DIRTY", "1")
            .env("PLYBENCH_LOCK", "off")
            .env("LAYER", library("program/faults/layer.c"))
            .env("DEVICE", library("golden_surface/device.c"))
            .env("ROOT", ROOT)
            .env("NO_COLOR", "1");
        shell
    }
}
