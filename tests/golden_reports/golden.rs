//! A golden file: texts by group and name, one a line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::ROOT;

/// This entry names the fields of a group's other entries, and of the groups `GROUP: …`.
pub const COLUMNS: &str = "columns";

/// Texts by group and name. A text may have several fields with `|` between them.
#[derive(Default, serde::Deserialize)]
pub struct Golden(BTreeMap<String, BTreeMap<String, String>>);

impl Golden {
    /// Adds an entry. Equal names in a group get numbers.
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

    /// Compares with a file of this folder, or writes it if `PLYBENCH_BLESS` is `1`.
    pub fn check(&self, name: &str) {
        let path = Path::new(ROOT).join("tests/golden_reports").join(name);
        if is_blessed() {
            std::fs::write(&path, self.json()).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap_or("{}".to_owned());
        let frozen: Golden = serde_json::from_str(&text).unwrap();
        let lines = differences(&frozen, self);
        let first = &lines[..lines.len().min(20)];
        assert!(
            lines.is_empty(),
            "{name}: {} differences, the first {}:\n{}\n\
             `PLYBENCH_BLESS=1 cargo test --test golden_reports` writes the file again.",
            lines.len(),
            first.len(),
            first.join("\n")
        );
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

    /// The fields of every entry by column, without empty ones.
    fn fields(&self) -> BTreeMap<String, BTreeMap<&str, &str>> {
        let mut all = BTreeMap::new();
        for (group, entries) in &self.0 {
            let table = group.split(": ").next().and_then(|table| self.0.get(table));
            let columns = entries
                .get(COLUMNS)
                .or(table.and_then(|own| own.get(COLUMNS)));
            let columns = columns.map_or("", String::as_str).split('|');
            for (name, text) in entries.iter().filter(|(name, _)| *name != COLUMNS) {
                let names = columns.clone().chain(std::iter::repeat("more"));
                let fields = names
                    .zip(text.split('|'))
                    .filter(|(_, text)| !text.is_empty());
                all.insert(format!("{group}: {name}"), fields.collect());
            }
        }
        all
    }
}

/// Returns whether the test writes its files again.
pub fn is_blessed() -> bool {
    std::env::var_os("PLYBENCH_BLESS").is_some_and(|value| value == "1")
}

/// A line for each entry that is missing or additional, and for each field that differs.
pub fn differences(frozen: &Golden, found: &Golden) -> Vec<String> {
    let [frozen, found] = [frozen, found].map(Golden::fields);
    let keys: BTreeSet<&String> = frozen.keys().chain(found.keys()).collect();
    let mut lines = Vec::new();
    for key in keys {
        let (own, other) = match (frozen.get(key), found.get(key)) {
            (Some(own), Some(other)) => (own, other),
            (own, _) => {
                let what = if own.is_some() {
                    "missing"
                } else {
                    "additional"
                };
                lines.push(format!("{key}: {what} key"));
                continue;
            }
        };
        let columns: BTreeSet<&&str> = own.keys().chain(other.keys()).collect();
        for column in columns {
            let [own, other] = [own, other].map(|all| all.get(*column).unwrap_or(&""));
            if own != other {
                lines.push(format!(
                    "{key}: {column}: expected {own:?}, found {other:?}"
                ));
            }
        }
    }
    lines
}

#[test]
fn names_each_changed_missing_and_additional_field() {
    let golden = |rows: &[(&str, &[&str])]| {
        let mut golden = Golden::default();
        golden.add("t", COLUMNS, &["low", "high"]);
        rows.iter()
            .for_each(|(name, fields)| golden.add("t: 8x8", name, fields));
        golden
    };
    let frozen = golden(&[("a", &["1", "2"]), ("b", &["1", ""])]);
    let found = golden(&[("a", &["1", "3"]), ("c", &["", ""])]);
    let wanted = [
        "t: 8x8: a: high: expected \"2\", found \"3\"",
        "t: 8x8: b: missing key",
        "t: 8x8: c: additional key",
    ];
    assert_eq!(differences(&frozen, &found), wanted);
    assert!(differences(&frozen, &frozen).is_empty());
}
