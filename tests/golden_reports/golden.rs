//! Stores a golden file: texts by group and name, one per line.

use std::collections::BTreeMap;

use super::golden_file::{self, Leaves, differences};

/// The name of an entry that lists the field names of the other entries in its group and in groups `GROUP: …`.
pub const COLUMNS: &str = "columns";

/// Texts by group and name. `|` separates the fields of a text.
#[derive(Default, serde::Deserialize)]
pub struct Golden(BTreeMap<String, BTreeMap<String, String>>);

impl Golden {
    /// Adds an entry. If its group already has this name, the entry's name gets a number.
    pub fn add(&mut self, group: &str, name: &str, fields: &[&str]) {
        let group = self.0.entry(group.to_owned()).or_default();
        let fields: Vec<String> = fields.iter().map(|own| own.replace('|', "¦")).collect();
        let text = fields.join("|").trim_end_matches('|').to_owned();
        let mut free = name.to_owned();
        if name == COLUMNS && group.get(name).is_some_and(|own| *own == text) {
            return;
        }
        for number in 2.. {
            if !group.contains_key(&free) {
                break;
            }
            assert!(name != COLUMNS, "two tables in one group: {text}");
            free = format!("{name} #{number}");
        }
        group.insert(free, text);
    }

    /// Compares the texts with a file in this folder, or writes the file.
    pub fn check(&self, name: &str) {
        let leaves = |text: &str| serde_json::from_str::<Golden>(text).unwrap().leaves();
        golden_file::check(&format!("golden_reports/{name}"), &self.json(), leaves);
    }

    pub fn json(&self) -> String {
        let text = |text: &String| serde_json::to_string(text).unwrap();
        let group = |(group, entries): (&String, &BTreeMap<String, String>)| {
            let line = |(name, own): (&String, &String)| format!("{}: {}", text(name), text(own));
            let lines: Vec<String> = entries.iter().map(line).collect();
            format!("{}: {{\n{}\n}}", text(group), lines.join(",\n"))
        };
        let groups: Vec<String> = self.0.iter().map(group).collect();
        format!("{{\n{}\n}}\n", groups.join(",\n"))
    }

    /// Returns all entries, with a leaf for each field that is not empty.
    pub fn leaves(&self) -> Leaves {
        let mut all = Leaves::new();
        for (group, entries) in &self.0 {
            let table = group.split(": ").next().and_then(|table| self.0.get(table));
            let columns = entries
                .get(COLUMNS)
                .or(table.and_then(|own| own.get(COLUMNS)));
            let columns = columns.map_or("", String::as_str).split('|');
            for (name, text) in entries.iter().filter(|(name, _)| *name != COLUMNS) {
                let key = format!("{group}: {name}");
                let names = columns.clone().chain(std::iter::repeat("more"));
                let fields = names
                    .zip(text.split('|'))
                    .filter(|(_, text)| !text.is_empty());
                all.extend(fields.map(|(name, text)| (format!("{key}: {name}"), text.to_owned())));
                all.insert(key, "an entry".to_owned());
            }
        }
        all
    }
}

#[test]
fn names_each_changed_missing_and_additional_field() {
    let golden = |rows: &[(&str, &[&str])]| {
        let mut golden = Golden::default();
        golden.add("t", COLUMNS, &["low", "high"]);
        rows.iter()
            .for_each(|(name, fields)| golden.add("t: 8x8", name, fields));
        golden.leaves()
    };
    let frozen = golden(&[("a", &["1", "2"]), ("b", &["1", ""])]);
    let found = golden(&[("a", &["1", "3"]), ("c", &["", ""])]);
    let wanted = [
        "t: 8x8: a: high: expected 2, found 3",
        "t: 8x8: b: expected an entry, found nothing",
        "t: 8x8: b: low: expected 1, found nothing",
        "t: 8x8: c: expected nothing, found an entry",
    ];
    assert_eq!(differences(&frozen, &found), wanted);
    assert!(differences(&frozen, &frozen).is_empty());
}
