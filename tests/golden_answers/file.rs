//! Reads and writes the data files. A file is a JSON object with sorted keys and one line per entry.

use std::collections::BTreeMap;

use serde_json::Value;

use super::ask::FAILED;
use super::golden::{Leaves, check, is_blessed};

/// The named parts of an answer: values, best moves, counters.
pub type Fields = BTreeMap<String, Value>;
pub type Entries = BTreeMap<String, Fields>;

/// Writes the file, or prints every difference between the file and the answers and fails.
pub fn hold(file: &str, found: &Entries) {
    let status = |fields: &Fields| fields.get("status")?.as_str().map(str::to_owned);
    for (key, fields) in found.iter().filter(|_| is_blessed()) {
        let failed = status(fields).filter(|status| status.starts_with(FAILED));
        assert_eq!(failed, None, "{key}: nothing to freeze");
    }
    let line = |(key, fields): (&String, &Fields)| {
        let (key, fields) = (serde_json::to_string(key), serde_json::to_string(fields));
        format!("{}: {}", key.unwrap(), fields.unwrap())
    };
    let lines: Vec<String> = found.iter().map(line).collect();
    let text = format!("{{\n{}\n}}\n", lines.join(",\n"));
    check(&format!("golden_answers/{file}"), &text, leaves);
}

/// Returns the leaves of a file: every field by key and name. A list of words has one leaf per word.
fn leaves(text: &str) -> Leaves {
    let entries: Entries = serde_json::from_str(text).unwrap();
    let mut leaves = Leaves::new();
    for (key, fields) in entries {
        for (name, value) in fields {
            let text = value.as_str().map_or(value.to_string(), str::to_owned);
            for (number, word) in (1..).zip(text.split(' ')) {
                leaves.insert(format!("{key}: {name}, word {number}"), word.to_owned());
            }
        }
        leaves.insert(key, "an answer".to_owned());
    }
    leaves
}
