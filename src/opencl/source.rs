//! Kernel sources: embedded in the program, or read from a folder that replaces them all.
//!
//! `#include "common/random.clh"` is resolved here, as text, with paths from the kernels' root, so
//! that a program's whole source can be hashed and no driver needs to find a file.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::files::{files_under, hash};
use crate::words::Fault;

/// Every file below `cl/`: its path from there, and its text. Sorted by path.
static EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// A kernel file with all that it includes, each file once, where it is included first.
///
/// `#line` directives keep a build log's lines those of the file that it names.
///
/// # Errors
///
/// [`Fault::Input`] for a file that is missing or includes itself through others; it names the
/// file and the one that includes it.
pub fn load(path: &str, folder: Option<&Path>) -> Result<String, Fault> {
    let mut text = String::new();
    let mut loader = Loader {
        folder,
        open: Vec::new(),
        seen: BTreeSet::new(),
    };
    loader.append(path, &mut text)?;
    Ok(text)
}

struct Loader<'a> {
    folder: Option<&'a Path>,
    /// The files that are being read: each includes the next.
    open: Vec<String>,
    /// The files that were read.
    seen: BTreeSet<String>,
}

impl Loader<'_> {
    fn append(&mut self, path: &str, text: &mut String) -> Result<(), Fault> {
        let contents = self.read(path)?;
        self.seen.insert(path.to_owned());
        self.open.push(path.to_owned());
        let _ = writeln!(text, "#line 1 \"{path}\"");
        for (number, line) in contents.lines().enumerate() {
            match included(line) {
                None => {
                    text.push_str(line);
                    text.push('\n');
                }
                Some(other) => {
                    if self.open.iter().any(|open| open == other) {
                        return Err(Fault::Input(format!(
                            "kernel file {path} includes {other}, which includes it in turn"
                        )));
                    }
                    if !self.seen.contains(other) {
                        self.append(other, text)?;
                    }
                    let _ = writeln!(text, "#line {} \"{path}\"", number + 2);
                }
            }
        }
        self.open.pop();
        Ok(())
    }

    fn read(&self, path: &str) -> Result<String, Fault> {
        let by = match self.open.last() {
            Some(includer) => format!(", included by {includer},"),
            None => String::new(),
        };
        // Only files below the root are in the hash that run folders name.
        if path
            .split('/')
            .any(|part| part.is_empty() || part == ".." || part.contains('\\'))
        {
            return Err(Fault::Input(format!(
                "kernel file {path}{by} is not below the root"
            )));
        }
        match self.folder {
            Some(folder) => fs::read_to_string(folder.join(path)).map_err(|error| {
                Fault::Input(format!(
                    "kernel file {path}{by} in {}: {error}",
                    folder.display()
                ))
            }),
            None => EMBEDDED
                .iter()
                .find(|(name, _)| *name == path)
                .map(|(_, text)| (*text).to_owned())
                .ok_or_else(|| Fault::Input(format!("kernel file {path}{by} does not exist"))),
        }
    }
}

/// The file that a line includes: `#include "common/random.clh"`.
fn included(line: &str) -> Option<&str> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = directive
        .strip_prefix("include")?
        .trim_start()
        .strip_prefix('"')?;
    rest.split_once('"').map(|(path, _)| path)
}

/// SHA-256 over all kernel files, their paths and texts, first 16 hexadecimal digits: of the
/// embedded ones, or of the folder that replaces them.
///
/// # Errors
///
/// [`Fault::Input`] where the folder cannot be read.
pub fn kernel_hash(folder: Option<&Path>) -> Result<String, Fault> {
    let Some(folder) = folder else {
        return Ok(env!("PLYBENCH_KERNEL_HASH").to_owned());
    };
    files_under(folder)
        .map(|files| hash(&files))
        .map_err(|error| Fault::Input(format!("kernel folder {}: {error}", folder.display())))
}
