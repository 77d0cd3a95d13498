//! Checks the imports between the parts of `src/` against the diagram in docs/layout.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex_lite::Regex;

use super::root;

const PAGE: &str = include_str!("../../docs/layout.md");

type Parts<T> = BTreeMap<String, T>;

/// Parses the page's diagram, whose lines have the form `floor  part  → part, part`.
fn picture() -> Parts<(u32, BTreeSet<String>)> {
    let line = Regex::new(r"(?m)^(\d)  (\w+)(?: +→ ([\w, ]+))?$").unwrap();
    let parts = line.captures_iter(PAGE).map(|found| {
        let may = found.get(3).map_or("", |it| it.as_str()).split(", ");
        let may = may.filter(|it| !it.is_empty()).map(str::to_owned);
        let floor = found[1].parse().unwrap();
        (found[2].to_owned(), (floor, may.collect()))
    });
    parts.collect()
}

/// Returns the parts that a source text uses outside comments and tests.
fn used(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code.lines().filter(|it| !it.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let path = Regex::new(r"\bcrate::(?:\{([^}]+)\}|(\w+))").unwrap();
    let found = path.captures_iter(&code);
    let names = found.flat_map(|it| {
        let names = it.get(1).or(it.get(2)).unwrap().as_str();
        let firsts = names.split(',').map(|it| it.trim().split("::").next());
        firsts.flatten().map(str::to_owned).collect::<Vec<_>>()
    });
    names.filter(|it| !it.is_empty()).collect()
}

/// Adds the parts that the files of a part use to `uses`.
fn read(path: &Path, uses: &mut BTreeSet<String>) {
    let name = path.file_stem().unwrap().to_str().unwrap();
    if name.ends_with("tests") || name == "fake" {
        return;
    }
    if path.is_dir() {
        let files = fs::read_dir(path).unwrap();
        files.for_each(|file| read(&file.unwrap().path(), uses));
    } else if path.extension().is_some_and(|it| it == "rs") {
        uses.extend(used(&fs::read_to_string(path).unwrap()));
    }
}

#[test]
fn parts_import_what_the_picture_of_the_house_lets_them() {
    let picture = picture();
    let mut parts = Parts::new();
    for file in fs::read_dir(root("src")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !["lib", "main"].contains(&&*name) {
            read(&path, parts.entry(name).or_insert_with(BTreeSet::new));
        }
    }
    let drawn: Vec<_> = picture.keys().collect();
    assert_eq!(drawn, parts.keys().collect::<Vec<_>>());
    for (name, (floor, may)) in &picture {
        for below in may {
            let is_below = picture.get(below).is_some_and(|(other, _)| other < floor);
            assert!(is_below, "docs/layout.md: {below} is not below {name}");
        }
        let more: Vec<_> = parts[name].iter().filter(|it| *it != name).collect();
        let more: Vec<_> = more.iter().filter(|it| !may.contains(**it)).collect();
        assert!(more.is_empty(), "src/{name} imports {more:?}");
    }
}

#[test]
fn imports_are_seen_in_lists_and_paths_and_not_in_tests() {
    let text = "use crate::{a, b::C};\n/// [`crate::d`]\nfn f() { crate::e::f() }\n";
    let tests = "#[cfg(test)]\nmod tests {\n    use crate::g;\n}\n";
    let found: Vec<_> = used(&[text, tests].concat()).into_iter().collect();
    assert_eq!(found, ["a", "b", "e"]);
}
