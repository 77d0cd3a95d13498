use std::io::Write;
use std::path::Path;

use tempfile::NamedTempFile;

use super::{ENVIRONMENT, LOGS, RAW, ResultsError, UNFINISHED};

/// Rejects an output file that would overwrite a run's raw data, or that cannot be written.
pub fn check_output(path: &Path) -> Result<(), ResultsError> {
    refuse_others(path)?;
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let Ok(folder) = folder.canonicalize() else {
        return Ok(());
    };
    let is_raw = path.file_name().is_some_and(|name| {
        // On some file systems, `A` and `a` are the same file.
        RAW.iter().any(|raw| name.eq_ignore_ascii_case(raw))
    });
    let is_run = |folder: &Path| folder.join(ENVIRONMENT).exists();
    let is_inside = [LOGS, "published"].iter().any(|own| folder.ends_with(own));
    if is_raw && is_run(&folder) || is_inside && folder.parent().is_some_and(is_run) {
        let why = "it would replace raw data of the run in this folder; choose another file";
        return Err(ResultsError::io("written", path)(why));
    }
    Ok(())
}

/// Refuses to overwrite anything but a regular file. A symbolic link, for example, may point to another user's file.
pub(super) fn refuse_others(path: &Path) -> Result<(), ResultsError> {
    match path.symlink_metadata() {
        Ok(there) if !there.is_file() => Err(not_ours(path)),
        _ => Ok(()),
    }
}

/// Creates a folder in a run folder. Refuses a symbolic link, which may point to another user's files.
pub fn make_folder(path: &Path) -> Result<(), ResultsError> {
    match path.symlink_metadata() {
        Ok(there) if !there.is_dir() => Err(not_ours(path)),
        _ => std::fs::create_dir_all(path).map_err(ResultsError::io("made", path)),
    }
}

fn not_ours(path: &Path) -> ResultsError {
    let why = "a symbolic link or another file that no run creates is in its place";
    ResultsError::io("written", path)(why)
}

/// Writes a file so that readers see either the old or the new content, even after a crash. Fails on an I/O error.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let written = unfinished(path, bytes).and_then(|file| Ok(file.persist(path)?));
    written.map(drop).map_err(ResultsError::io("written", path))
}

/// Like [`write_atomically`], for a new file. Fails if the file exists, or on an I/O error.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let written = unfinished(path, bytes).and_then(|file| Ok(file.persist_noclobber(path)?));
    written.map(drop).map_err(ResultsError::io("written", path))
}

/// Writes the content to a temporary file next to `path`. Dropping the file removes it.
fn unfinished(path: &Path, bytes: &[u8]) -> std::io::Result<NamedTempFile> {
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // Temporary files are private by default. Results are public, subject to the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    // Sync before the rename, so that a crash does not leave an empty file.
    file.as_file().sync_all()?;
    Ok(file)
}
