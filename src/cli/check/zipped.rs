//! Extracts run folders from zip files.

use std::fs::File;
use std::io::{Read, copy};
use std::path::Path;

use anyhow::{Context, bail};
use tempfile::TempDir;
use zip::ZipArchive;

/// Maximum total size of the extracted files, in bytes.
const MOST_BYTES: u64 = 1 << 30;
const MOST_FILES: usize = 10_000;

/// Extracts a zip file into a temporary folder. Returns `None` for any other path.
pub fn extracted(path: &Path) -> anyhow::Result<Option<TempDir>> {
    if !path.is_file() || path.extension().is_none_or(|it| it != "zip") {
        return Ok(None);
    }
    let temporary = tempfile::tempdir().context("a temporary folder")?;
    extract(path, temporary.path()).with_context(|| path.display().to_string())?;
    Ok(Some(temporary))
}

/// Extracts the files of a zip file. Refuses paths outside the folder, links, and contents of more than [`MOST_BYTES`].
fn extract(path: &Path, to: &Path) -> anyhow::Result<()> {
    let mut archive = ZipArchive::new(File::open(path)?)?;
    if archive.len() > MOST_FILES {
        bail!("{} files; allowed are {MOST_FILES}", archive.len());
    }
    let mut left = MOST_BYTES;
    for index in 0..archive.len() {
        let mut file = archive.by_index(index)?;
        let name = file.name().to_owned();
        let Some(own) = file.enclosed_name().filter(|_| !file.is_symlink()) else {
            bail!("{name:?}: a link or a path outside the folder");
        };
        if file.is_dir() {
            continue;
        }
        let own = to.join(own);
        std::fs::create_dir_all(own.parent().unwrap_or(to))?;
        // Counts the extracted bytes, because the declared size may be wrong.
        let written = copy(&mut file.by_ref().take(left + 1), &mut File::create(own)?)?;
        left = left
            .checked_sub(written)
            .with_context(|| format!("more than {} MiB of files", MOST_BYTES >> 20))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::PathBuf;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn zip_of(files: &[(&str, &[u8])]) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.zip");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for (name, bytes) in files {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        (folder, path)
    }

    #[test]
    fn extracts_files_with_their_folders() {
        let (_folder, path) = zip_of(&[("reversi/samples.csv", b"a,b"), ("x", b"")]);
        let root = extracted(&path).unwrap().unwrap();
        let text = std::fs::read(root.path().join("reversi/samples.csv")).unwrap();
        assert_eq!(text, b"a,b");
    }

    #[test]
    fn refuses_paths_outside_the_folder() {
        let (_folder, path) = zip_of(&[("../evil", b"x")]);
        let why = format!("{:#}", extracted(&path).err().unwrap());
        assert!(why.contains("outside the folder"), "{why}");
    }

    #[test]
    fn refuses_a_file_that_is_no_zip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.zip");
        std::fs::write(&path, "text").unwrap();
        let why = format!("{:#}", extracted(&path).err().unwrap());
        assert!(why.contains("mine.zip"), "{why}");
    }
}
