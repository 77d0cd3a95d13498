use std::io::Write;
use std::path::Path;

use super::{ResultsError, UNFINISHED};

/// Refuses to overwrite anything but a plain file, such as a pipe or a symbolic link to another user's file.
pub(super) fn refuse_others(path: &Path) -> Result<(), ResultsError> {
    match path.symlink_metadata() {
        Ok(there) if !there.is_file() => Err(not_ours(path)),
        _ => Ok(()),
    }
}

/// Makes a folder in a run folder. One that stands there as a symbolic link is refused, as what is behind it
/// may belong to another user.
///
/// # Errors
///
/// Where there is a link or a file of that name, or the system refuses.
pub fn make_folder(path: &Path) -> Result<(), ResultsError> {
    match path.symlink_metadata() {
        Ok(there) if !there.is_dir() => Err(not_ours(path)),
        _ => std::fs::create_dir_all(path).map_err(ResultsError::io("made", path)),
    }
}

fn not_ours(path: &Path) -> ResultsError {
    let why = "a symbolic link, or something else that no run makes, is in its place";
    ResultsError::io("written", path)(std::io::Error::other(why))
}

/// Writes a file so that a reader, or a crash, sees the old content or the new, never a part.
///
/// # Errors
///
/// Where the system refuses; the old content stays then.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // Temporary files are their owner's alone by default; results are for everybody, as far as the
    // user's mask allows.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .and_then(|mut file| {
            file.write_all(bytes)?;
            // Before its name is there: after a crash of the machine, an empty file would stand under it.
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)
        })
        .map(drop)
        .map_err(ResultsError::io("written", path))
}
