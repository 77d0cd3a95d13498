//! Freezes the names of techniques, axes, options, experiment keys, commands, files and variables.

use std::collections::BTreeMap;

use serde_json::Value;

use super::golden::{Block, Data, path};
use super::place::Place;

const EXPERIMENT: &str =
    "name = 'x'\ngame = 'connect-four'\ntask = 'search'\ncases = [{ depth = 2 }]\n";
const CLAIM: &str =
    "paper = 'x'\n[[claim]]\nid = 'x'\nexperiment = 'x'\ntext = 'x'\nsource = 'x'\n";

/// Prints the files of a run folder with their columns. `VARIABLES` prints the variables that the documents name.
const FILES: &str = r#"
on cpu run tiny.toml --out run > out
for file in $(find run -type f); do case $file in
*.csv) echo "$file $(head -n 1 "$file")" ;;
*) echo "$file -" ;;
esac; done
"#;
const VARIABLES: &str =
    r#"cat "$ROOT"/*.md "$ROOT"/docs/*.md | grep -oE '(PLYBENCH|SLURM)_[A-Z_]+' | sort -u"#;

pub fn all() -> Data {
    let mut data = Data::new();
    catalogue(&mut data);
    keys(&mut data);
    for words in ["", "worker"] {
        command(words, &mut data);
    }
    let place = Place::new();
    let found = place.run(FILES).out;
    let files = found.lines().filter_map(|line| line.split_once(' '));
    let files = files.map(|(file, columns)| (file.to_owned(), columns.split(',').collect()));
    data.insert("run folder".to_owned(), files.collect());
    let found = place.run(VARIABLES).out;
    let variables = found
        .lines()
        .map(|name| (name.to_owned(), "documented".into()));
    data.insert("environment variables".to_owned(), variables.collect());
    data
}

/// Adds games, techniques and user-supplied techniques, with all fields except descriptions.
fn catalogue(data: &mut Data) {
    let listed = Place::new().run("bench list --json").out;
    let listed: BTreeMap<String, Value> = serde_json::from_str(&listed).unwrap();
    let is_name = |key: &String| ["game", "name", "summary"].contains(&key.as_str());
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    for kind in ["games", "techniques", "brought"] {
        for entry in listed[kind].as_array().unwrap() {
            let name = format!("{kind} {} {}", text(entry, "game"), text(entry, "name"));
            let block = data.entry(name.replace("  ", " ")).or_default();
            let fields = entry.as_object().unwrap().iter();
            for (field, value) in fields.filter(|it| !is_name(it.0)) {
                if !["axes", "options", "params"].contains(&field.as_str()) {
                    block.insert(field.clone(), value.clone());
                    continue;
                }
                for it in value.as_array().unwrap() {
                    for (key, value) in it.as_object().unwrap().iter().filter(|it| !is_name(it.0)) {
                        block.insert(format!("{field} {} {key}", text(it, "name")), value.clone());
                    }
                }
            }
        }
    }
}

/// Adds the keys and words that experiments, claims and boards allow, as listed in error messages.
fn keys(data: &mut Data) {
    let text = std::fs::read_to_string(path("probes.toml")).unwrap();
    let probes: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(&text).unwrap();
    let place = Place::new();
    let said = |file: &str, text: &str, line: &str| -> Value {
        let file = place.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = text.replace("EXPERIMENT", EXPERIMENT);
        std::fs::write(file, text.replace("CLAIM", CLAIM)).unwrap();
        let ran = place.run(line);
        assert!(line == "true" || ran.code == Some(1), "{line}: {}", ran.err);
        let said = ran.err;
        let list = said.split_once("allowed: ").map(|(_, list)| list);
        let list = list.and_then(|list| list.split(['\n', ';']).next());
        list.map_or(said.trim().into(), |list| list.split(", ").collect())
    };
    for (kind, file) in [
        ("experiment", "configs/x.toml"),
        ("claims", "reports/published/connect-four/claims.toml"),
    ] {
        let probes = probes[kind].iter();
        let found = probes.map(|(name, text)| {
            (
                name.clone(),
                said(file, text, "bench run --dry-run configs/x.toml"),
            )
        });
        data.insert(format!("{kind} keys"), found.collect());
        said("configs/x.toml", EXPERIMENT, "true");
    }
    let found = said(
        "x.toml",
        "zzz = 1",
        "host playouts annexation --count 1 --position \"$(cat x.toml)\"",
    );
    data.insert(
        "board keys".to_owned(),
        Block::from([("board".to_owned(), found)]),
    );
}

/// Adds a command and its subcommands: arguments, and options with their defaults, values and variables.
fn command(words: &str, data: &mut Data) {
    let help = Place::new()
        .run(&format!("unset PLYBENCH_CACHE; bench {words} --help"))
        .out;
    let (mut block, mut section, mut current) = (BTreeMap::new(), "", "");
    for line in help.lines().filter(|line| !line.is_empty()) {
        let (indent, rest) = (line.len() - line.trim_start().len(), line.trim());
        let (name, prose) = rest.split_once("  ").unwrap_or((rest, ""));
        let begins = indent <= 6 && name.starts_with(['-', '<', '[']);
        match section {
            _ if indent == 0 => (section, current) = (rest, ""),
            "Commands:" if indent == 2 && name != "help" => {
                command(format!("{words} {name}").trim_start(), data);
            }
            "Arguments:" | "Options:" | "With --programs:" => {
                current = if begins { name } else { current };
                let text: &mut String = block.entry(current.to_owned()).or_default();
                text.push_str(if begins { prose } else { rest });
                text.push(' ');
            }
            _ => {}
        }
    }
    let notes = |prose: &str| -> Value {
        let notes = prose.split('[').skip(1).filter_map(|it| it.split_once(']'));
        notes.map(|(note, _)| note).collect()
    };
    let mut block: Block = block
        .into_iter()
        .map(|(name, prose)| (name, notes(&prose)))
        .collect();
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: "));
    block.insert("usage".to_owned(), usage.into());
    data.insert(format!("command {words}").trim_end().to_owned(), block);
}
