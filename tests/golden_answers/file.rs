//! The data files. A file is one JSON object with one line per entry and sorted keys.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::ask::FAILED;

/// The named parts of one answer: values, best moves, counters.
pub type Fields = BTreeMap<String, Value>;
/// Answers by key.
pub type Entries = BTreeMap<String, Fields>;

/// Differences that a failure shows at most.
const SHOWN: usize = 40;

fn path(file: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_answers");
    PathBuf::from(folder).join(file)
}

fn blesses() -> bool {
    std::env::var("PLYBENCH_BLESS").is_ok_and(|value| value == "1")
}

/// Reads a file.
pub fn read(file: &str) -> Entries {
    let text = std::fs::read_to_string(path(file));
    let text = text.unwrap_or_else(|error| panic!("{file}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Fails with every difference between the file and what was found, or writes the file.
pub fn hold(file: &str, found: &Entries) {
    if blesses() {
        let status = |fields: &Fields| fields.get("status")?.as_str().map(str::to_owned);
        for (key, fields) in found {
            let failed = status(fields).filter(|status| status.starts_with(FAILED));
            assert_eq!(failed, None, "{key}: nothing to freeze");
        }
        let line = |(key, fields): (&String, &Fields)| {
            let (key, fields) = (serde_json::to_string(key), serde_json::to_string(fields));
            format!("{}: {}", key.unwrap(), fields.unwrap())
        };
        let lines: Vec<String> = found.iter().map(line).collect();
        let text = format!("{{\n{}\n}}\n", lines.join(",\n"));
        std::fs::write(path(file), text).unwrap();
        return;
    }
    let wrong = differences(&read(file), found);
    let shown = wrong[..wrong.len().min(SHOWN)].join("\n");
    let count = wrong.len();
    assert!(wrong.is_empty(), "{file}: {count} differences\n{shown}");
}

fn differences(expected: &Entries, found: &Entries) -> Vec<String> {
    let mut wrong = Vec::new();
    for (key, fields) in expected {
        match found.get(key) {
            None => wrong.push(format!("{key}: expected, but not found")),
            Some(own) => wrong.extend(differ(fields, own).map(|how| format!("{key}: {how}"))),
        }
    }
    let more = found.keys().filter(|key| !expected.contains_key(*key));
    wrong.extend(more.map(|key| format!("{key}: found, but not expected")));
    wrong
}

/// The first field that differs; of a list of words, the first word as well.
fn differ(expected: &Fields, found: &Fields) -> Option<String> {
    let status = "status".to_owned();
    let mut names = [&status]
        .into_iter()
        .chain(expected.keys())
        .chain(found.keys());
    let name = names.find(|name| expected.get(*name) != found.get(*name))?;
    let text = |fields: &Fields| match fields.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "nothing".to_owned(),
    };
    let (expected, found) = (text(expected), text(found));
    let (wanted, own): (Vec<&str>, Vec<&str>) =
        (expected.split(' ').collect(), found.split(' ').collect());
    let place = wanted
        .iter()
        .zip(&own)
        .position(|(wanted, own)| wanted != own);
    Some(match place {
        Some(place) if wanted.len() == own.len() && own.len() > 1 => format!(
            "{name}, word {}: expected {}, found {}",
            place + 1,
            wanted[place],
            own[place]
        ),
        _ => format!("{name}: expected {expected}, found {found}"),
    })
}
