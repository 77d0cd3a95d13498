//! Loads kernel sources, which are embedded in the program or read from a folder. Directives such as `#include
//! "common/random.clh"` are resolved here, relative to the kernel root, so that a program's whole source can be hashed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use super::files::{files_under, hash, of_techniques};
use crate::words::Fault;

static EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// Returns the text of a kernel file, in which each included file is inserted once. `#line` directives make build logs
/// refer to the original lines. Fails with [`Fault::Input`] if a file is missing or includes itself indirectly.
pub fn load(path: &str, folder: Option<&Path>) -> Result<String, Fault> {
    load_from(path, None, folder)
}

/// Like [`load`], but for a user's file, which may include kernel files and files in its own folder.
pub fn load_own(file: &Path, folder: Option<&Path>) -> Result<String, Fault> {
    load_from(&file.display().to_string(), Some(file), folder)
}

fn load_from(path: &str, own: Option<&Path>, folder: Option<&Path>) -> Result<String, Fault> {
    let mut text = String::new();
    let mut loader = Loader {
        own,
        folder,
        open: Vec::new(),
        seen: BTreeSet::new(),
    };
    loader.append(path, &mut text)?;
    Ok(text)
}

struct Loader<'a> {
    /// The file that is read first, if it belongs to the user.
    own: Option<&'a Path>,
    folder: Option<&'a Path>,
    open: Vec<String>,
    seen: BTreeSet<String>,
}

impl Loader<'_> {
    fn append(&mut self, path: &str, text: &mut String) -> Result<(), Fault> {
        let contents = self.read(path)?;
        self.seen.insert(path.to_owned());
        self.open.push(path.to_owned());
        let _ = writeln!(text, "#line 1 \"{path}\"");
        for (number, line) in contents.lines().enumerate() {
            match included(line) {
                None => {
                    text.push_str(line);
                    text.push('\n');
                }
                Some(other) => {
                    if self.open.iter().any(|open| open == other) {
                        return Err(Fault::Input(format!(
                            "kernel file {path} includes {other}, which includes it in turn"
                        )));
                    }
                    if !self.seen.contains(other) {
                        self.append(other, text)?;
                    }
                    let _ = writeln!(text, "#line {} \"{path}\"", number + 2);
                }
            }
        }
        self.open.pop();
        Ok(())
    }

    fn read(&self, path: &str) -> Result<String, Fault> {
        let by = match self.open.last() {
            Some(includer) => format!(", included by {includer},"),
            None => String::new(),
        };
        // Read the user's file or a file in the same folder.
        let own = self.own.map(|own| match self.open.is_empty() {
            true => own.to_owned(),
            false => own.with_file_name(path),
        });
        if let Some(file) = own.filter(|file| self.open.is_empty() || file.is_file()) {
            return crate::words::read_text(&file).map_err(|error| {
                Fault::Input(format!("kernel file {}{by}: {error}", file.display()))
            });
        }
        // The hash in run folders covers only files below the root.
        if path
            .split('/')
            .any(|part| part.is_empty() || part == ".." || part.contains('\\'))
        {
            let why = format!("kernel file {path}{by} is not below the root");
            return Err(Fault::Input(why));
        }
        match self.folder {
            Some(folder) => crate::words::read_text(&folder.join(path)).map_err(|error| {
                Fault::Input(format!(
                    "kernel file {path}{by} in {}: {error}",
                    folder.display()
                ))
            }),
            None => EMBEDDED
                .iter()
                .find(|(name, _)| *name == path)
                .map(|(_, text)| (*text).to_owned())
                .ok_or_else(|| Fault::Input(format!("kernel file {path}{by} does not exist"))),
        }
    }
}

fn included(line: &str) -> Option<&str> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = directive
        .strip_prefix("include")?
        .trim_start()
        .strip_prefix('"')?;
    rest.split_once('"').map(|(path, _)| path)
}

/// Returns the first 16 hexadecimal digits of a SHA-256 over the paths and texts of all kernel files. `folder` replaces
/// the embedded files. Fails with [`Fault::Input`] if it is unreadable or contains no kernel files.
pub fn kernel_hash(folder: Option<&Path>) -> Result<String, Fault> {
    let Some(folder) = folder else {
        return Ok(env!("PLYBENCH_KERNEL_HASH").to_owned());
    };
    let fault = |why: &str| Fault::Input(format!("kernel folder {}: {why}", folder.display()));
    let files = files_under(folder).map_err(|error| fault(&error.to_string()))?;
    // Users may pass the repository root instead of `cl/` by mistake.
    let mut programs = EMBEDDED
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| name.ends_with(".cl"))
        .peekable();
    let example = programs.peek().copied().unwrap_or_default();
    if !programs.any(|name| files.iter().any(|(path, _)| path == name)) {
        return Err(fault(&format!(
            "contains no kernel of this program, such as {example}"
        )));
    }
    Ok(hash(&of_techniques(files)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn reason(loaded: Result<String, Fault>) -> String {
        match loaded {
            Err(Fault::Input(reason)) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_of_the_users_includes_what_lies_beside_it_and_the_kernels_own() {
        let place = folder(&[
            (
                "mine.cl",
                "#include \"helper.clh\"\n#include \"common/vendor.clh\"\nmine\n",
            ),
            ("helper.clh", "helper\n"),
        ]);
        let text = load_own(&place.path().join("mine.cl"), None).unwrap();
        assert!(text.contains("helper\n#line 2"), "{text}");
        assert!(text.contains("#line 1 \"common/vendor.clh\""), "{text}");
        assert!(text.ends_with("mine\n"), "{text}");
        let missing = load_own(&place.path().join("none.cl"), None).unwrap_err();
        assert!(missing.to_string().contains("none.cl"), "{missing}");
    }

    #[test]
    fn each_file_comes_once_and_lines_keep_their_numbers() {
        let kernels = folder(&[
            (
                "game/a.cl",
                "#include \"common/x.clh\"\n  # include \"common/y.clh\"\nint a;",
            ),
            ("common/x.clh", "int x;\n"),
            (
                "common/y.clh",
                "#include \"common/x.clh\"\nint y;\n#include <opencl-c.h>\n",
            ),
        ]);
        let expected = "#line 1 \"game/a.cl\"\n\
             #line 1 \"common/x.clh\"\nint x;\n\
             #line 2 \"game/a.cl\"\n\
             #line 1 \"common/y.clh\"\n\
             #line 2 \"common/y.clh\"\nint y;\n#include <opencl-c.h>\n\
             #line 3 \"game/a.cl\"\nint a;\n";
        assert_eq!(load("game/a.cl", Some(kernels.path())).unwrap(), expected);
    }

    #[test]
    fn a_missing_file_is_told_with_the_one_that_includes_it() {
        let kernels = folder(&[("a.cl", "#include \"b.clh\"\n")]);
        let why = reason(load("a.cl", Some(kernels.path())));
        let part = "kernel file b.clh, included by a.cl, in ";
        assert!(why.starts_with(part), "{why}");
        let why = reason(load("absent.cl", None));
        assert_eq!(why, "kernel file absent.cl does not exist");
    }

    #[test]
    fn a_circle_is_told_with_both_files() {
        let kernels = folder(&[
            ("a.cl", "#include \"b.clh\""),
            ("b.clh", "#include \"a.cl\""),
        ]);
        let why = reason(load("a.cl", Some(kernels.path())));
        let expected = "kernel file b.clh includes a.cl, which includes it in turn";
        assert_eq!(why, expected);
        let own = folder(&[("a.cl", "#include \"a.cl\"")]);
        assert!(reason(load("a.cl", Some(own.path()))).contains("a.cl includes a.cl"));
    }

    #[test]
    fn files_outside_the_root_are_refused() {
        let kernels = folder(&[("a.cl", "#include \"../b.clh\"")]);
        assert!(reason(load("a.cl", Some(kernels.path()))).contains("not below the root"));
        assert!(reason(load("/etc/passwd", Some(kernels.path()))).contains("not below the root"));
    }

    #[test]
    fn the_embedded_files_are_those_of_the_folder() {
        let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/cl"));
        assert_eq!(kernel_hash(None), kernel_hash(Some(source)));
        let path = "common/probe.cl";
        assert_eq!(load(path, None), load(path, Some(source)));
        let changed = folder(&[(path, "")]);
        assert_ne!(kernel_hash(None), kernel_hash(Some(changed.path())));
        assert!(kernel_hash(Some(Path::new("/nonexistent"))).is_err());
        let strange = folder(&[("a.cl", "")]);
        assert!(kernel_hash(Some(strange.path())).is_err());
    }
}
