// No `//!` comment, because the build script includes this file too.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use sha2::{Digest, Sha256};

/// Reads all files below a folder. Returns their relative paths, with `/` separators, and contents, sorted by path.
pub(crate) fn files_under(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    walk(folder, "", &mut found)?;
    found.sort();
    Ok(found)
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &format!("{name}/"), found)?;
        } else if fs::metadata(entry.path())?.is_file() {
            found.push((name, fs::read(entry.path())?));
        }
    }
    Ok(())
}

/// Parts of `src` that do not affect a measurement. `config/` is listed because run folders record resolved settings.
#[allow(dead_code, reason = "only the build script asks")]
const NOT_MEASURING: &[&str] = &[
    "check/", "cli/", "config/", "lib.rs", "main.rs", "report/", "results/",
];

/// Keeps the files in `cl` that contain kernels or parts of kernels.
pub(crate) fn of_techniques(mut files: Vec<(String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    let is_kernel = |path: &str| path.ends_with(".cl") || path.ends_with(".clh");
    files.retain(|(path, _)| is_kernel(path));
    files
}

/// Keeps the sources in `src` that affect a cell's measurement. A run can be resumed after a change in any other file.
#[allow(dead_code, reason = "only the build script asks")]
pub(crate) fn measuring(mut files: Vec<(String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    files.retain(|(path, _)| !NOT_MEASURING.iter().any(|other| path.starts_with(other)));
    files
}

/// Returns the first 16 hexadecimal digits of a SHA-256 over the paths and contents, each preceded by its length.
pub(crate) fn hash(files: &[(String, Vec<u8>)]) -> String {
    let mut sum = Sha256::new();
    for (path, contents) in files {
        sum.update((path.len() as u64).to_le_bytes());
        sum.update(path);
        sum.update((contents.len() as u64).to_le_bytes());
        sum.update(contents);
    }
    hexadecimal(&sum.finalize()[..8])
}

/// Formats the bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
