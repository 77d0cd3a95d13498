//! Freezes the surface that users and scripts see, in one JSON file per test: names, defaults per device class, exit
//! codes, `--json`, and the protocols. With `PLYBENCH_BLESS=1`, the tests write the files instead. Otherwise, they fail
//! if anything differs.
//!
//! In `exits.json`, `json.json` and `protocol.json`, keys or blocks are named after the command lines that the test
//! runs. To add one, add its line and bless. If you delete a command, a technique or a key, delete its entries too.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod golden;
#[path = "../golden/mod.rs"]
mod golden_file;
mod names;
#[path = "../needed/mod.rs"]
mod needed;
mod place;
mod sessions;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde_json::Value;

use golden::{Block, Data, by_type, check, choices, flatten, path, read, type_of};
use place::{Ended, Place};

/// Minimum number of command lines per documented exit code.
const WAYS: usize = 2;

#[test]
fn names_are_as_before() {
    if needed::devices().is_some() {
        check("names.json", &names::all());
    }
}

#[test]
fn defaults_on_a_processor_are_as_before() {
    defaults("cpu");
}

#[test]
fn defaults_on_a_gpu_are_as_before() {
    defaults("gpu");
}

/// Freezes the launch parameters of every device technique, from the notes in its row. The device has 8 compute units.
fn defaults(class: &str) {
    if needed::devices().is_none() {
        return;
    }
    let ended = Place::new().run(&format!("on {class} run defaults.toml --json --threads 2"));
    let mut data = Data::new();
    let rows: Vec<BTreeMap<String, Value>> = parsed(&ended);
    for row in rows.iter().filter(|row| row["kind"] == "device") {
        let text = |key: &str| row[key].as_str().unwrap_or_default();
        let block = data
            .entry(format!("{} {}", text("game"), text("technique")))
            .or_default();
        let value = format!("{}: {}", text("status"), choices(text("notes")));
        block.insert(
            format!("{} {}", text("task"), text("case")),
            value.trim_end().into(),
        );
    }
    check(&format!("defaults_{class}.json"), &data);
}

fn parsed<T: serde::de::DeserializeOwned>(ended: &Ended) -> T {
    let Ended { out, err, .. } = ended;
    serde_json::from_str(out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
}

#[test]
fn exit_codes_are_as_before() {
    if needed::devices().is_none() {
        return;
    }
    let mut data = read("exits.json");
    let lines: Vec<(&String, &mut Value)> = data.values_mut().flatten().collect();
    lines.into_par_iter().for_each(|(line, code)| {
        let ended = Place::new().run(line);
        let found = Value::from(ended.code);
        if found != *code {
            eprintln!("{line}: {}", ended.err);
        }
        *code = found;
    });
    check("exits.json", &data);
    let codes: Vec<&Value> = data.values().flat_map(Block::values).collect();
    for code in [0, 1, 2, 3, 4, 5, 6, 130] {
        let ways = codes.iter().filter(|it| **it == code).count();
        assert!(ways >= WAYS, "{ways} command lines end with {code}");
    }
}

#[test]
fn json_is_as_before() {
    if needed::devices().is_none() {
        return;
    }
    let varying = std::fs::read_to_string(path("varying.toml")).unwrap();
    let varying: BTreeMap<String, Vec<String>> = toml::from_str(&varying).unwrap();
    let lines: Vec<String> = read("json.json").into_keys().collect();
    let found = lines.into_par_iter().map(|line| {
        let is_of = |name: &str| name == "all" || line.contains(&format!(" {name} "));
        let own = varying.iter().filter(|(name, _)| is_of(name));
        let own: BTreeSet<&str> = own.flat_map(|it| it.1).map(String::as_str).collect();
        let mut value = parsed(&Place::new().run(&line));
        by_type("", &mut value, &|key| {
            key.ends_with("_ns") || own.contains(key)
        });
        let mut leaves = Block::new();
        flatten("", &value, &mut leaves);
        if is_of("list") || is_of("score") {
            leaves = shape(&leaves);
        }
        if is_of("score") {
            // The budget determines which cases have an answer.
            leaves
                .values_mut()
                .for_each(|value| *value = "<any>".into());
        }
        (line, leaves)
    });
    check("json.json", &found.collect());
}

/// Keeps only the types, with a single entry for all elements of a list.
fn shape(leaves: &Block) -> Block {
    let mut types: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (path, value) in leaves {
        let parts = path
            .split('[')
            .map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
        let path = parts.collect::<Vec<_>>().join("[]");
        types.entry(path).or_default().insert(type_of(value));
    }
    let has_parts = |path: &str| types.keys().any(|it| it.starts_with(&format!("{path}.")));
    let whole = types.iter().filter(|(path, _)| !has_parts(path));
    let joined = |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(" or ");
    whole
        .map(|(path, names)| (path.clone(), joined(names).into()))
        .collect()
}

#[test]
fn protocols_are_as_before() {
    if needed::devices().is_some() {
        let data = read("protocol.json");
        check(
            "protocol.json",
            &data.iter().map(sessions::repeated).collect(),
        );
    }
}
