//! The loader's entries for drivers: the `.icd` files of a folder.

use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub file: PathBuf,
    library: String,
}

impl Entry {
    /// The entries that this process's loader reads, sorted by path.
    pub fn all() -> Vec<Entry> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = variable("OCL_ICD_VENDORS").or_else(|| variable("OPENCL_VENDOR_PATH"));
        Entry::below(Path::new(&folder.unwrap_or("/etc/OpenCL/vendors".into())))
    }

    pub fn below(folder: &Path) -> Vec<Entry> {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files = files.map(|file| file.path());
        let files = files.filter(|file| file.extension().is_some_and(|end| end == "icd"));
        let entries = files.filter_map(|file| {
            let text = std::fs::read_to_string(&file).ok()?;
            Some(Entry {
                library: text.lines().next()?.trim().to_owned(),
                file: std::path::absolute(file).ok()?,
            })
        });
        let mut entries: Vec<Entry> = entries.collect();
        entries.sort_by(|one, other| one.file.cmp(&other.file));
        entries
    }

    /// Restricts a loader to this driver. ocl-icd takes a file as `OCL_ICD_VENDORS`; the Khronos loader a library.
    pub fn environment(&self) -> Vec<(String, String)> {
        let file = self.file.display().to_string();
        let vendors = ("OCL_ICD_VENDORS".to_owned(), file);
        vec![
            vendors,
            ("OCL_ICD_FILENAMES".to_owned(), self.library.clone()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_files_that_name_a_library() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("b.icd", "libb.so\n"),
            ("a.icd", " liba.so"),
            ("empty.icd", ""),
            ("c.txt", "libc.so"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        std::fs::create_dir(folder.path().join("folder.icd")).unwrap();
        let entries = Entry::below(folder.path());
        let libraries: Vec<&str> = entries.iter().map(|it| it.library.as_str()).collect();
        assert_eq!(libraries, ["liba.so", "libb.so"]);
        let file = folder.path().join("a.icd").display().to_string();
        let expected = ("OCL_ICD_VENDORS".to_owned(), file);
        assert_eq!(entries[0].environment()[0], expected);
        assert!(Entry::below(&folder.path().join("none")).is_empty());
    }
}
