//! Stores golden files: blocks of sorted keys, one line per key. With `PLYBENCH_BLESS=1`, the tests write them instead.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::golden_file::{self, Leaves};

pub type Block = BTreeMap<String, Value>;
/// The blocks of a file. A block is named after a technique, a command or a command line.
pub type Data = BTreeMap<String, Block>;

pub fn path(file: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_surface")).join(file)
}

/// Reads a golden file. The result is empty if the file does not exist.
pub fn read(file: &str) -> Data {
    let text = std::fs::read_to_string(path(file)).unwrap_or_else(|_| "{}".to_owned());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

pub fn check(file: &str, found: &Data) {
    let of_text = |text: &str| leaves(&serde_json::from_str(text).unwrap());
    golden_file::check(&format!("golden_surface/{file}"), &text(found), of_text);
}

fn text(data: &Data) -> String {
    let line =
        |(key, value): (&String, &Value)| format!("  {}: {value}", Value::from(key.as_str()));
    let blocks = data.iter().map(|(name, block)| {
        let lines: Vec<String> = block.iter().map(line).collect();
        format!(
            "{}: {{\n{}\n}}",
            Value::from(name.as_str()),
            lines.join(",\n")
        )
    });
    format!("{{\n{}\n}}\n", blocks.collect::<Vec<_>>().join(",\n"))
}

/// Returns the leaves of all values, by block, key and path. Each block also has an entry.
fn leaves(data: &Data) -> Leaves {
    let mut all = BTreeMap::new();
    for (name, block) in data {
        all.insert(format!("[{name}]"), "a block".to_owned());
        for (key, value) in block {
            let mut leaves = Block::new();
            flatten("", value, &mut leaves);
            all.extend(leaves.into_iter().map(|(path, value)| {
                let place = format!("[{name}] {key} {path}");
                (place.trim_end().to_owned(), value.to_string())
            }));
        }
    }
    all
}

/// Adds the leaves of a value. A leaf's name is its path, such as `rows[0].status`.
pub fn flatten(path: &str, value: &Value, into: &mut Block) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let dot = if path.is_empty() { "" } else { "." };
            for (key, value) in map {
                flatten(&format!("{path}{dot}{key}"), value, into);
            }
        }
        Value::Array(list) if value.to_string().contains('{') => {
            for (number, value) in list.iter().enumerate() {
                flatten(&format!("{path}[{number}]"), value, into);
            }
        }
        leaf => drop(into.insert(path.to_owned(), leaf.clone())),
    }
}

/// Replaces a value with the name of its type if its key varies between runs or machines.
pub fn by_type(key: &str, value: &mut Value, varies: &dyn Fn(&str) -> bool) {
    match value {
        Value::Object(map) => map
            .iter_mut()
            .for_each(|(key, value)| by_type(key, value, varies)),
        Value::Array(list) if list.iter().any(|it| !it.is_string()) || !varies(key) => {
            match &mut list[..] {
                // This is a resource: a name and a number.
                [Value::String(name), number @ Value::Number(_)] => by_type(name, number, varies),
                list => list.iter_mut().for_each(|it| by_type(key, it, varies)),
            }
        }
        Value::String(notes) if key == "notes" => *notes = choices(notes),
        value if varies(key) => *value = type_of(value).into(),
        _ => {}
    }
}

pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "<null>",
        Value::Bool(_) => "<flag>",
        Value::Number(_) => "<number>",
        Value::String(_) => "<text>",
        Value::Array(_) => "<list>",
        Value::Object(_) => "<table>",
    }
}

/// Returns the choices in a technique's notes, without compiler options and private memory.
pub fn choices(notes: &str) -> String {
    let is_driver = |note: &&str| note.starts_with("program") || note.contains("private");
    let (own, _) = notes.split_once(", built with").unwrap_or((notes, ""));
    let own: Vec<&str> = own.split(", ").filter(|note| !is_driver(note)).collect();
    own.join(", ")
}
