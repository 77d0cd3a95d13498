//! The files that a report is, made before any is written: so they can be compared with what is there
//! instead.

use std::path::{Path, PathBuf};

use super::ReportError;
use crate::results::write_atomically;

/// Files in the order in which they are written.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: Vec<(PathBuf, Vec<u8>)>,
    /// Folders in which no other file with that ending stays.
    owned: Vec<(PathBuf, &'static str)>,
}

impl Files {
    /// Adds a file, and says where it will be.
    pub(crate) fn add(&mut self, path: PathBuf, content: impl Into<Vec<u8>>) -> PathBuf {
        self.files.push((path.clone(), content.into()));
        path
    }

    /// Takes a folder's files of that ending as the report's own: those of an earlier report, whose
    /// experiment had other tables or whose run had other devices, are removed.
    pub(crate) fn own(&mut self, folder: PathBuf, ending: &'static str) {
        self.owned.push((folder, ending));
    }

    /// Writes every file and the folders that they are in, then removes what an earlier report left.
    ///
    /// # Errors
    ///
    /// Where the system refuses. Each file is either as it was or as it should be.
    pub fn write(&self) -> Result<(), ReportError> {
        for (path, content) in &self.files {
            let folder = path.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder).map_err(|error| ReportError::Write {
                path: path.clone(),
                error,
            })?;
            // Where the disk is full, an earlier report stays whole.
            write_atomically(path, content)?;
        }
        for path in self.strangers()? {
            std::fs::remove_file(&path).map_err(|error| ReportError::Remove { path, error })?;
        }
        Ok(())
    }

    /// The first file that is not as it should be, and why; `None` where all are.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be read.
    pub fn first_difference(&self) -> Result<Option<String>, ReportError> {
        for (path, content) in &self.files {
            let shown = path.display();
            match std::fs::read(path) {
                Ok(there) if there == *content => {}
                Ok(there) => {
                    let lines = there.split(|byte| *byte == b'\n');
                    let ours = content.split(|byte| *byte == b'\n');
                    let line = 1 + lines.zip(ours).take_while(|(a, b)| a == b).count();
                    return Ok(Some(format!(
                        "{shown}: differs from line {line} on from what the run folders give"
                    )));
                }
                Err(error) => return Ok(Some(format!("{shown}: cannot be read: {error}"))),
            }
        }
        let strangers = self.strangers()?;
        Ok(strangers
            .first()
            .map(|path| format!("{}: is in no report any more", path.display())))
    }

    /// Files in the owned folders that are none of ours, in the order of their names.
    fn strangers(&self) -> Result<Vec<PathBuf>, ReportError> {
        let mut strangers = Vec::new();
        for (folder, ending) in &self.owned {
            let failed = |path: &Path| {
                let path = path.to_owned();
                move |error| ReportError::Remove { path, error }
            };
            let entries = match std::fs::read_dir(folder) {
                Ok(entries) => entries,
                // A report without charts makes no folder for them.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(folder)(error)),
            };
            for entry in entries {
                let entry = entry.map_err(failed(folder))?;
                let path = entry.path();
                let is_file = entry.file_type().map_err(failed(&path))?.is_file();
                let has_ending = path.extension().is_some_and(|own| own == *ending);
                if is_file && has_ending && !self.files.iter().any(|(own, _)| *own == path) {
                    strangers.push(path);
                }
            }
        }
        strangers.sort();
        Ok(strangers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_and_goes_when_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut files = Files::default();
        files.add(at("a.md"), "one\ntwo\n");
        files.add(at("tables/b.csv"), "1");
        files.own(at("tables"), "csv");
        let difference = || files.first_difference().unwrap().unwrap_or_default();
        assert!(difference().starts_with(&at("a.md").display().to_string()));
        files.write().unwrap();
        assert_eq!(difference(), "");
        std::fs::write(at("tables/old.csv"), "x").unwrap();
        std::fs::write(at("tables/notes.txt"), "x").unwrap();
        assert_eq!(
            difference(),
            format!(
                "{}: is in no report any more",
                at("tables/old.csv").display()
            )
        );
        files.write().unwrap();
        assert_eq!(difference(), "");
        assert!(at("tables/notes.txt").is_file());
        std::fs::write(at("a.md"), "one\nthree\n").unwrap();
        assert!(
            difference().contains("differs from line 2 on"),
            "{}",
            difference()
        );
    }
}
