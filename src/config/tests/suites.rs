//! Tests files with several experiments, and techniques that `techniques` selects from the registry.

use std::path::{Path, PathBuf};

use super::*;

/// Two experiments that differ only in name, depth and techniques.
const SUITE: &str = r#"
title = "Two"
game = "draughts"
task = "game"

[sampling]
passes = 2
target = 0.2

[[technique]]
name = "split"

[[experiment]]
name = "one"
[[experiment.cases]]
board = "8x8"
depth = 1

[[experiment]]
name = "two"
seed = 7
[experiment.sampling]
passes = 3
[[experiment.cases]]
board = "8x8"
depth = 2
[[experiment.technique]]
name = "old"
"#;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn loaded(folder: &Path, name: &str) -> Result<Vec<(PathBuf, Experiment)>, String> {
    load(&folder.join(name), &catalogue()).map_err(|error| error.to_string())
}

/// Returns the error for a suite, without its file name.
fn refused_suite(text: &str) -> String {
    let folder = folder(&[("x.toml", text)]);
    let error = loaded(folder.path(), "x.toml").unwrap_err();
    let (_, said) = error.split_once("x.toml:").unwrap();
    said.to_owned()
}

fn names(loaded: &[(PathBuf, Experiment)]) -> Vec<&str> {
    loaded.iter().map(|(_, it)| it.name.as_str()).collect()
}

#[test]
fn a_suite_holds_experiments_which_share_what_they_do_not_say() {
    let folder = folder(&[("x.toml", SUITE)]);
    let all = loaded(folder.path(), "x.toml").unwrap();
    assert_eq!(names(&all), ["one", "two"]);
    let (one, two) = (&all[0].1, &all[1].1);
    assert_eq!((one.title.as_str(), one.seed, two.seed), ("one", 1, 7));
    assert_eq!(cases(two), ["board=8x8 depth=2"]);
    assert_eq!(labels(one), ["serial", "rayon", "split"]);
    assert_eq!(labels(two), ["serial", "rayon", "old"]);
    // Tables in both places are merged key by key.
    assert_eq!((one.sampling.passes, one.sampling.target), (2, 0.2));
    assert_eq!((two.sampling.passes, two.sampling.target), (3, 0.2));
    for (_, experiment) in &all {
        assert_eq!(&read(&to_toml(experiment)), experiment);
    }
}

#[test]
fn an_experiment_of_a_suite_is_loaded_alone_by_its_path() {
    let folder = folder(&[("x.toml", SUITE), ("a.toml", LEAST), ("c:d.toml", LEAST)]);
    let all = loaded(folder.path(), "x.toml").unwrap();
    for (path, experiment) in &all {
        let alone = load(path, &catalogue()).unwrap();
        assert_eq!(alone, [(path.clone(), experiment.clone())]);
        assert_eq!(path.parent(), Some(folder.path()));
    }
    let error = loaded(folder.path(), "x.toml:tow").unwrap_err();
    let says = "x.toml:1:1: no experiment is called \"tow\"; allowed: one, two; did you mean two?";
    assert!(error.ends_with(says), "{error}");
    for name in ["a.toml:least", "c:d.toml"] {
        assert_eq!(names(&loaded(folder.path(), name).unwrap()), ["least"]);
    }
    let error = loaded(folder.path(), "y.toml:one").unwrap_err();
    assert!(error.contains("y.toml:one: cannot be read: "), "{error}");
}

#[test]
fn mistakes_in_a_suite_are_named_with_their_place() {
    let wanted = "1:14: experiment: must be a list of at least one [[experiment]] table";
    assert_eq!(refused_suite("experiment = []"), wanted);
    let says = |old: &str, new: &str, expected: &str| {
        assert!(SUITE.contains(old), "{old}");
        let error = refused_suite(&SUITE.replacen(old, new, 1));
        assert!(error.starts_with(expected), "{error}");
    };
    let rows = r#"
title = "Two" | name = "two" | 2:1: name: unknown key; allowed: title, paper,
task = | tsak = | 4:1: tsak: unknown key;
name = "one" | nam = "one" | 14:1: nam: unknown key;
name = "one" |  | 13:1: name: missing
name = "one" | name = "two" | 20:8: name: "two" is already used by
passes = 2 | pases = 2 | 7:1: sampling.pases: unknown key;
passes = 3 | pases = 3 | 23:1: sampling.pases: unknown key;
passes = 3 | passes = 0 | 23:10: sampling.passes: must be
depth = 2 | depth = 20 | 26:9: cases.depth: 20 is not allowed
"#;
    each_row(rows, |[old, new, expected]| says(old, new, expected));
}

/// Returns an experiment that selects techniques from the registry.
fn asked(task: &str, which: &str, more: &str) -> String {
    format!(
        "name = \"x\"\ngame = \"draughts\"\ntask = \"{task}\"\ntechniques = \"{which}\"\n\
         [[cases]]\nboard = \"8x8\"\ndepth = 2\n{more}"
    )
}

#[test]
fn techniques_come_from_the_registry() {
    let all = read(&asked("game", "all", ""));
    assert_eq!(labels(&all), ["serial", "rayon", "old", "split", "deep"]);
    let device = read(&asked("game", "device", ""));
    assert_eq!(labels(&device), ["serial", "rayon", "split", "deep"]);
    let perft = read(&asked("perft", "all", ""));
    assert_eq!(labels(&perft), ["counter"]);
    assert_eq!(read(&to_toml(&all)), all);

    let mut catalogue = catalogue();
    let reference = TechniqueEntry {
        reference: "old",
        ..technique("new", Kind::Device, &[Task::Game])
    };
    catalogue.techniques.push(reference);
    let device = parse(&asked("game", "device", ""), "x.toml", &catalogue).unwrap();
    let expected = ["serial", "rayon", "old", "split", "deep", "new"];
    assert_eq!(labels(&device), expected);
}

#[test]
fn an_entry_stands_for_the_registrys_or_beside_it() {
    let more = "[[technique]]\nname = \"split\"\ngroup = 4\n\
                [[technique]]\nname = \"split\"\nlabel = \"split-2\"\ngroup = 2\n";
    let experiment = read(&asked("game", "all", more));
    let expected = ["serial", "rayon", "old", "split", "deep", "split-2"];
    assert_eq!(labels(&experiment), expected);
    let split = &experiment.techniques[3];
    assert_eq!(split.params.get("group"), Some(&Value::Int(4)));
}

#[test]
fn what_the_registry_cannot_give_is_refused() {
    assert_eq!(
        refused(&asked("game", "devices", "")),
        "x.toml:4:14: techniques: \"devices\" is not known; allowed: all, device; did you mean device?"
    );
    let mut catalogue = catalogue();
    catalogue.techniques.push(TechniqueEntry {
        check: |_, _| Err("split: missing".into()),
        ..technique("needy", Kind::Device, &[Task::Game])
    });
    let error = parse(&asked("game", "all", ""), "x.toml", &catalogue).unwrap_err();
    let expected = "x.toml:4:14: techniques.needy: split: missing, in the case board=8x8 depth=2; \
         `only` restricts a technique to some cases";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn refuses_two_experiments_of_a_suite_with_one_name() {
    // On some file systems, both names would refer to the same folder.
    for name in ["two", "Two"] {
        let text = SUITE.replace("\"one\"", &format!("{name:?}"));
        let error = refused_suite(&text);
        let part = "run folders are named after experiments, so each needs a unique name";
        let holds = error.starts_with("20:8: name: \"two\" is already used by ");
        assert!(holds, "{error}");
        assert!(error.ends_with(part), "{error}");
    }
}
