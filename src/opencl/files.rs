// Used by the build script too, for the files that it embeds, so that the hash of a folder is one
// number wherever it is computed. (No `//!` here: the build script includes this file as it is.)

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use sha2::{Digest, Sha256};

/// Every file below a folder, sorted: its path from there with `/` between, and its contents.
pub(crate) fn files_under(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    walk(folder, "", &mut found)?;
    found.sort();
    Ok(found)
}

/// Whether a file below `cl/` is a kernel's source, by its name: the counts beside them change no
/// kernel.
pub(crate) fn is_kernel(name: &str) -> bool {
    name.ends_with(".cl") || name.ends_with(".clh")
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &format!("{name}/"), found)?;
        } else {
            found.push((name, fs::read(entry.path())?));
        }
    }
    Ok(())
}

/// SHA-256 over paths and contents, each after its length; first 16 hexadecimal digits.
pub(crate) fn hash(files: &[(String, Vec<u8>)]) -> String {
    let mut sum = Sha256::new();
    for (path, contents) in files {
        sum.update((path.len() as u64).to_le_bytes());
        sum.update(path);
        sum.update((contents.len() as u64).to_le_bytes());
        sum.update(contents);
    }
    sum.finalize()
        .iter()
        .take(8)
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}
