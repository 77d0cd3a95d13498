//! Checks the names and contents of a run folder's files before they are parsed.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::check::Finding;
use crate::results::{is_of_run, read_table};
use crate::words::{home_in, read_file};

const DEEPEST: usize = 5;

const ORIGINALS: &str = "reports/published";

/// Returns the run folders at or below a folder, sorted by name.
pub fn run_folders(folder: &Path) -> Vec<PathBuf> {
    below(folder, DEEPEST)
}

fn below(folder: &Path, depth: usize) -> Vec<PathBuf> {
    if folder.join("environment.toml").symlink_metadata().is_ok() {
        return vec![folder.to_owned()];
    }
    let folders = entries(folder).into_iter().filter(|it| is_folder(it));
    let folders = folders.filter(|_| depth > 0);
    folders.flat_map(|it| below(&it, depth - 1)).collect()
}

/// Extensions of the files with a run's data. A page contains HTML, so it is not checked.
const DATA: [&str; 4] = ["toml", "json", "csv", "gz"];

pub fn check(folder: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in entries(folder) {
        let name = path.file_name().unwrap_or_default();
        let ending = path.extension().and_then(|it| it.to_str());
        let is_data = ending.is_some_and(|it| DATA.contains(&it));
        if path.is_symlink() {
            findings.push(Finding::of(&path, "a symbolic link, which is not followed"));
        } else if !is_of_run(name) {
            findings.push(Finding::of(&path, "no file of a run folder"));
        } else if name == "published" {
            copies(&path, &path, &mut findings);
        } else if is_data {
            texts(&path, &mut findings);
        }
    }
    findings
}

/// Compares a run's copies of published files with the originals in `reports/published`.
fn copies(root: &Path, folder: &Path, findings: &mut Vec<Finding>) {
    for path in entries(folder) {
        if is_folder(&path) {
            copies(root, &path, findings);
            continue;
        }
        let original = Path::new(ORIGINALS).join(path.strip_prefix(root).unwrap_or(&path));
        if let (Ok(own), Ok(theirs)) = (read_file(&path), read_file(&original))
            && own != theirs
        {
            let what = format!("differs from {}; copy it again", original.display());
            findings.push(Finding::of(path, what));
        }
    }
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|it| it.is_dir())
}

/// Returns the entries of a folder, sorted by name.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten();
    let mut all: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    all.sort();
    all
}

fn texts(path: &Path, findings: &mut Vec<Finding>) {
    // `read_table` takes the name without `.gz`, and also finds the compressed file.
    let name = path.with_extension("");
    let is_zipped = path.extension().is_some_and(|it| it == "gz");
    let bytes = match read_table(if is_zipped { &name } else { path }) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) => return findings.push(Finding::of(path, format!("cannot be read: {error}"))),
    };
    let before = findings.len();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = std::str::from_utf8(line);
        let what = line.map_or(Some("not text in UTF-8".to_owned()), refused);
        let (file, line) = (path.to_owned(), Some(number as u64 + 1));
        findings.extend(what.map(|what| Finding { file, line, what }));
    }
    if findings.len() > before {
        return;
    }
    let text = String::from_utf8_lossy(&bytes);
    // Ignores syntax errors, because the reader of each file reports them.
    let value: Value = match path.extension().and_then(|it| it.to_str()) {
        Some("toml") => toml::from_str(&text).unwrap_or_default(),
        Some("json") => serde_json::from_str(&text).unwrap_or_default(),
        _ => Value::Null,
    };
    let lines = texts_in(&value).into_iter().flat_map(str::lines);
    let refused = lines.filter_map(refused);
    findings.extend(refused.map(|what| Finding::of(path, what)));
}

fn texts_in(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().flat_map(texts_in).collect(),
        Value::Object(map) => map.values().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

/// Compilers print these names in angle brackets if code has no file. Recorded build logs contain them.
const PLACES: &str =
    "built-in>|command line>|inline asm>|invalid loc>|kernel>|program source>|scratch space>";

fn refused(line: &str) -> Option<String> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let bad = |c: char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        (c.is_control() && c != '\t') || turns
    };
    if let Some(found) = line.chars().find(|c| bad(*c)) {
        return Some(format!("the control character {found:?}"));
    }
    let opens = |(at, _): (usize, &str)| {
        let rest = &line[at + 1..];
        let next = rest.chars().next();
        next.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c))
            && !PLACES.split('|').any(|place| rest.starts_with(place))
    };
    if line.match_indices('<').any(opens) {
        return Some("an HTML tag; no `<` may stand before a letter, `/`, `!` or `?`".to_owned());
    }
    if line.to_ascii_lowercase().contains("javascript:") {
        return Some("a link to JavaScript".to_owned());
    }
    home_in(line).map(|home| {
        format!("a path of somebody's home, {home:?}; runs of today's program record none")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_lines_of_compilers_and_refuses_tags_controls_and_homes() {
        for fine in [
            "NVIDIA H200,uuid 0e69 pci 0000:00:06.0",
            "\"±11.5 %, not ±5.0 %, after 4 passes\"",
            "a < b, 3<4",
            "<invalid loc>: error: no such file",
            "<program source>:3:1: error: expected ';'",
            "tab\tand CR\r",
        ] {
            assert_eq!(refused(fine), None, "{fine}");
        }
        for (bad, why) in [
            ("<script>alert(1)</script>", "HTML tag"),
            ("x</td>", "HTML tag"),
            ("<invalid loc><b>", "HTML tag"),
            ("a\u{1b}[2J", "control character"),
            ("a\u{202e}b", "control character"),
            ("[x](JavaScript:alert(1))", "JavaScript"),
            ("--out /home/somebody/runs", "\"/home/somebody/runs\""),
        ] {
            let said = refused(bad).unwrap_or_default();
            assert!(said.contains(why), "{bad}: {said}");
        }
    }
}
