//! Takes the machine's lock for timing runs. Only one run holds it at a time, across all folders and users.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use super::exit::Failure;
use crate::results::take_lock;

#[derive(Args, Clone, Debug, Default)]
pub struct MachineArgs {
    /// Do not wait for other timing runs on this machine. Concurrent runs distort each other's times. PLYBENCH_LOCK=off
    /// has the same effect. PLYBENCH_LOCK=FILE locks FILE instead of /tmp/plybench.lock
    #[arg(long)]
    pub shared: bool,
}

const LOOK: Duration = Duration::from_millis(100);

/// Waits for the lock and takes it. Closing the file releases the lock. Fails if `stop` is set during the wait, or if
/// the lock is not a plain file.
pub fn lock(path: &Path, stop: &AtomicBool) -> Result<Option<File>, Failure> {
    let shown = path.display();
    let opened = open(path).with_context(|| format!("{shown}: the machine's lock"));
    let mut file = opened.map_err(Failure::files)?;
    let mut told = None;
    loop {
        let holder = match take_lock(&mut file) {
            Ok(None) => break,
            Ok(Some(holder)) => holder,
            // The file system does not support locks, so the run continues without one.
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                eprintln!("warning: {shown}: no locks here; other runs may disturb this one");
                return Ok(None);
            }
            Err(error) => fail!(Files, "{shown}: cannot be locked: {error}"),
        };
        if told.as_ref() != Some(&holder) {
            eprintln!(
                "waiting: another timing run{holder} holds this machine ({shown}); --shared measures beside it"
            );
            told = Some(holder);
        }
        if stop.load(Ordering::Relaxed) {
            fail!(Interrupted, "interrupted while it waited for the machine");
        }
        std::thread::sleep(LOOK);
    }
    if told.is_some() {
        eprintln!("the machine is free: measuring");
    }
    Ok(Some(file))
}

/// Returns the path of the lock, unless the user has turned locking off.
pub fn lock_file() -> Option<PathBuf> {
    match std::env::var_os("PLYBENCH_LOCK").filter(|value| !value.is_empty()) {
        Some(value) if value == "off" => None,
        Some(value) => Some(PathBuf::from(value)),
        // Does not use `TMPDIR`, because job schedulers set it separately for each job.
        None if cfg!(unix) => Some(PathBuf::from("/tmp/plybench.lock")),
        None => Some(std::env::temp_dir().join("plybench.lock")),
    }
}

/// Opens the file, or creates it with mode 0666 despite the umask. Refuses links, which may point to a user's file.
fn open(path: &Path) -> std::io::Result<File> {
    let there = |write| OpenOptions::new().read(true).write(write).open(path);
    let create = || {
        let mut new = OpenOptions::new();
        let file = new.read(true).write(true).create_new(true).open(path)?;
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))?;
        Ok(file)
    };
    // Linux refuses `O_CREAT` on another user's file in /tmp, so the first attempt does not create the file.
    let file = there(true).or_else(|error| match error.kind() {
        ErrorKind::NotFound => create().or_else(|error: std::io::Error| match error.kind() {
            ErrorKind::AlreadyExists => there(true).or_else(|_| there(false)),
            _ => Err(error),
        }),
        ErrorKind::PermissionDenied => there(false),
        _ => Err(error),
    })?;
    match is_itself(path, &file)? {
        true => Ok(file),
        false => Err(std::io::Error::other("a link, or no plain file")),
    }
}

/// Returns true if `path` is `file` itself, not a link to it. A file with several hard links may be a user's file.
fn is_itself(path: &Path, file: &File) -> std::io::Result<bool> {
    let (named, opened) = (path.symlink_metadata()?, file.metadata()?);
    #[cfg(unix)]
    let is_same = {
        use std::os::unix::fs::MetadataExt;
        opened.nlink() == 1 && (named.dev(), named.ino()) == (opened.dev(), opened.ino())
    };
    #[cfg(not(unix))]
    let is_same = opened.is_file();
    Ok(named.is_file() && is_same)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::cli::Exit;

    #[test]
    fn a_link_is_refused_and_the_file_behind_it_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("lock"), folder.path().join("other"));
        std::fs::write(&other, "mine").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        let refused = lock(&path, &AtomicBool::new(false)).unwrap_err();
        assert_eq!(refused.exit, Exit::Files);
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "mine");
    }
}
