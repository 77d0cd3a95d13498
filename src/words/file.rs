use std::fs::{self, FileType};
use std::io;
use std::path::Path;

/// Reads a user's file or a shell pipe (`<(…)`). Refuses named pipes and devices, because they may block or never end.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let kind = fs::metadata(path)?.file_type();
    let is_of_shell = is_pipe(kind) && path.starts_with("/dev");
    if !(kind.is_file() || kind.is_dir() || is_of_shell) {
        return Err(io::Error::other(
            "not a file but a pipe, a socket or a device",
        ));
    }
    fs::read(path)
}

/// Reads a file as text. Fails like [`read_file`], or if the file is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read_file(path)?);
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_: FileType) -> bool {
    false
}
