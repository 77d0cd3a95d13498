//! Checks pocl's cache folder. If pocl cannot write to it, pocl silently offers no device or fails to build.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns a message that names the unwritable cache folder and the remedy, or `None` if pocl can write there.
pub(super) fn problem() -> Option<String> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = folder(&variable)?;
    let error = write(&folder).err()?;
    let home = variable("HOME").map(PathBuf::from);
    let shown = match home.and_then(|home| folder.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(below) => Path::new("~").join(below),
        None => folder,
    };
    Some(format!(
        "pocl is installed but cannot write to its cache folder {} ({error}). Set POCL_CACHE_DIR to a folder that \
         you can write to",
        shown.display()
    ))
}

fn folder(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let below = |name, rest| Some(PathBuf::from(variable(name)?).join(rest));
    variable("POCL_CACHE_DIR")
        .map(PathBuf::from)
        .or_else(|| below("XDG_CACHE_HOME", "pocl/kcache"))
        .or_else(|| below("HOME", ".cache/pocl/kcache"))
}

fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let file = folder.join(format!(".plybench-{}", std::process::id()));
    fs::write(&file, "x")?;
    fs::remove_file(&file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_folder_as_pocl_does() {
        let with = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|it| it.0 == name).map(|it| it.1.into());
            folder(&value).map(|folder| folder.display().to_string())
        };
        let home = ("HOME", "/home/x");
        let own = with(&[("POCL_CACHE_DIR", "/own"), ("XDG_CACHE_HOME", "/xdg"), home]);
        assert_eq!(own.as_deref(), Some("/own"));
        let xdg = with(&[("XDG_CACHE_HOME", "/xdg"), home]);
        assert_eq!(xdg.as_deref(), Some("/xdg/pocl/kcache"));
        assert_eq!(with(&[home]).as_deref(), Some("/home/x/.cache/pocl/kcache"));
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn tells_a_folder_that_cannot_be_made() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(write(&file.path().join("below a file")).is_err());
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("new")).unwrap();
        let mut files = fs::read_dir(folder.path().join("new")).unwrap();
        assert!(files.next().is_none());
    }
}
