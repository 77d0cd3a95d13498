//! The house as docs/layout.md draws it: which part of `src/` may import which, and no circles of files.

mod modules;
mod tokens;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use self::modules::{Modules, Uses};
use super::root;

const PAGE: &str = include_str!("../../../docs/layout.md");

/// A part in the picture: the floor it stands on, and the parts that it may import.
struct Part<'p> {
    floor: u32,
    may: BTreeSet<&'p str>,
}

/// The picture: of the page's text blocks the one whose lines are `floor  part  → part, part`.
fn picture() -> BTreeMap<&'static str, Part<'static>> {
    let blocks = PAGE.split("\n```\n");
    let mut pictures = blocks.filter_map(|block| block.lines().map(line).collect::<Option<_>>());
    let picture = pictures.find(|picture: &BTreeMap<_, _>| !picture.is_empty());
    picture.expect("docs/layout.md has no picture of the house")
}

fn line(text: &'static str) -> Option<(&'static str, Part<'static>)> {
    let (own, may) = text.split_once('→').unwrap_or((text, ""));
    let mut words = own.split_whitespace();
    let floor = words.next()?.parse().ok()?;
    let name = words.next().filter(|_| words.clone().next().is_none())?;
    let may = may
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let may = may.collect();
    Some((name, Part { floor, may }))
}

/// The files below a folder, with their texts.
fn files(folder: &Path, found: &mut Vec<(String, String)>) {
    let mut inside: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    inside.sort();
    for path in inside {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let name = path.strip_prefix(root("")).unwrap().to_str().unwrap();
            found.push((name.replace('\\', "/"), fs::read_to_string(&path).unwrap()));
        }
    }
}

fn source() -> Modules {
    let mut found = Vec::new();
    files(&root("src"), &mut found);
    // The program is a crate of its own.
    found.retain(|(file, _)| file != "src/main.rs");
    Modules::read(&found)
}

/// The shortest circles, each once, as lines for a reader.
fn circles(uses: &Uses) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut told = Vec::new();
    for file in uses.keys() {
        let Some(circle) = circle_of(uses, file) else {
            continue;
        };
        if !seen.insert(circle.iter().copied().collect::<BTreeSet<_>>()) {
            continue;
        }
        let next = circle.iter().skip(1).chain(circle.first());
        let lines = circle.iter().zip(next).map(|(file, next)| {
            let names: Vec<&str> = uses[*file][*next].iter().map(String::as_str).collect();
            format!("  {file} uses {} of {next}\n", names.join(", "))
        });
        told.push(lines.collect());
    }
    told
}

/// The shortest circle through a file.
fn circle_of<'u>(uses: &'u Uses, file: &'u str) -> Option<Vec<&'u str>> {
    let mut from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut waiting = VecDeque::from([file]);
    while let Some(here) = waiting.pop_front() {
        for next in uses.get(here).into_iter().flat_map(BTreeMap::keys) {
            if next == file {
                let mut circle = vec![here];
                while let Some(before) = circle.last().and_then(|last| from.get(last)).copied() {
                    circle.push(before);
                }
                circle.reverse();
                return Some(circle);
            }
            if !from.contains_key(next.as_str()) {
                from.insert(next, here);
                waiting.push_back(next);
            }
        }
    }
    None
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let circles = circles(&source().uses());
    assert!(
        circles.is_empty(),
        "files that import each other; move what both need:\n{}",
        circles.join("\n")
    );
}

#[test]
fn parts_import_what_the_picture_of_the_house_lets_them() {
    let picture = picture();
    let parts = source().parts();
    let (drawn, there): (Vec<_>, Vec<_>) = (picture.keys().collect(), parts.keys().collect());
    assert_eq!(drawn, there, "the parts in docs/layout.md and in src/");
    for (name, part) in &picture {
        for may in &part.may {
            let below = picture
                .get(may)
                .is_some_and(|other| other.floor < part.floor);
            assert!(
                below,
                "docs/layout.md: {may} is no part on a floor below {name}"
            );
        }
        let imported = parts[*name].iter().map(String::as_str);
        let more: Vec<&str> = imported
            .filter(|other| !part.may.contains(*other))
            .collect();
        assert!(
            more.is_empty(),
            "src/{name} imports {}, which docs/layout.md does not let it",
            more.join(", ")
        );
    }
}

#[test]
fn circles_are_seen_through_re_exports_and_not_in_tests() {
    let read = |files: &[(&str, &str)]| {
        let files = files
            .iter()
            .map(|(file, text)| ((*file).to_owned(), (*text).to_owned()));
        circles(&Modules::read(&files.collect::<Vec<_>>()).uses())
    };
    let lib = ("src/lib.rs", "pub mod a;\npub mod b;\n");
    let a = ("src/a/mod.rs", "mod inner;\npub use inner::Inner;\n");
    let inner = (
        "src/a/inner.rs",
        "/// [`crate::b::none`]\npub struct Inner<'a>(&'a str, char);\nfn f() { crate::b::Outer::new('\"', \"//\"); }",
    );
    let outer = (
        "src/b.rs",
        "use crate::a::{self, Inner as Own};\npub struct Outer(Own);",
    );
    assert_eq!(
        read(&[lib, a, inner, outer]),
        ["  src/a/inner.rs uses Outer of src/b.rs\n  src/b.rs uses Inner of src/a/inner.rs\n"]
    );
    let by_path = ("src/b.rs", "use crate::a;\npub struct Outer(a::Inner);");
    assert_eq!(read(&[lib, a, inner, by_path]).len(), 1);
    let child = (
        "src/a/mod.rs",
        "mod inner;\npub use inner::Inner;\npub const C: u8 = 1;\nfn g() -> Inner { h() }",
    );
    let parent = (
        "src/a/inner.rs",
        "use super::C;\npub struct Inner([u8; C as usize]);",
    );
    assert_eq!(read(&[lib, child, parent]).len(), 1);
    let facade = (
        "src/a/mod.rs",
        "mod inner;\npub use inner::Inner;\npub const C: u8 = 1;\n",
    );
    assert_eq!(read(&[lib, facade, parent]).len(), 0);
    let in_tests = (
        "src/b.rs",
        "pub struct Outer;\n#[cfg(test)]\nmod tests { use crate::a::Inner; }",
    );
    assert_eq!(read(&[lib, a, inner, in_tests]).len(), 0);
    let test_file = ("src/b/tests.rs", "use crate::a::Inner;");
    let declares = (
        "src/b/mod.rs",
        "pub struct Outer;\n#[cfg(test)]\nmod tests;\n",
    );
    assert_eq!(read(&[lib, a, inner, declares, test_file]).len(), 0);
}
