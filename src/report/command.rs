//! The commands that make a run, or one cell of it, again.

use super::data::{Index, Place, is_device};
use crate::results::MeasurementRow;
use crate::words::{Case, shell_line, shell_words};

/// How the program is called in a checkout; it records its commands under its bare name.
const PROGRAM: &str = "./scripts/bench";

/// Options of a run that decide what its cells measure, and so belong in every cell's command.
/// Those without a value are marked.
const KEPT: [(&str, bool); 7] = [
    ("--quick", false),
    ("--budget", true),
    ("-b", true),
    ("--cell-budget", true),
    ("--threads", true),
    ("--seed", true),
    ("--kernels", true),
];

/// The command that measures one cell again, baselines beside it:
/// `./scripts/bench run configs/reversi.toml --technique '^pv-split$' --case board=8x8`.
pub(crate) fn of_cell(index: &Index<'_>, case: &Case, place: &Place<'_>) -> String {
    let row = index.row(&case.to_string(), place.technique, place.device);
    let mut words = of_run(index, row);
    words.push("--technique".to_owned());
    words.push(format!("^{}$", escaped(place.technique)));
    for (axis, value) in &case.0 {
        words.push("--case".to_owned());
        words.push(format!("{axis}={value}"));
    }
    if is_device(place.device) {
        words.push("--device".to_owned());
        words.push(place.device.to_owned());
    }
    shell_line(&words)
}

/// The commands that made the folder, each once: a run that is resumed is given the same command again. But
/// for the folder itself, which they would throw away or add to: theirs is the usual one. Of a folder that
/// holds none, the plain one.
pub(crate) fn of_folder(index: &Index<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for command in &index.data.environment.commands {
        let line = match command.strip_prefix("bench ") {
            Some(arguments) => {
                let words = elsewhere(shell_words(arguments));
                format!("{PROGRAM} {}", shell_line(&words))
            }
            None => command.clone(),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        lines.push(shell_line(&of_run(index, None)));
    }
    lines
}

/// The words of a command without those that say where its rows are, and that what is there should go.
fn elsewhere(words: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--out" | "-o" => {
                words.next();
            }
            "--fresh" => {}
            other if other.starts_with("--out=") => {}
            _ => kept.push(word),
        }
    }
    kept
}

/// The program, the experiment's file, and the options of the run that change what is measured: as the
/// invocation that made the row had them; of folders of format 1, and without a row, as the last command had them.
fn of_run(index: &Index<'_>, row: Option<&MeasurementRow>) -> Vec<String> {
    let environment = &index.data.environment;
    let own = row.and_then(|row| environment.invocation(&row.invocation));
    let own = own.or(environment.invocations.last());
    let command = own.map(|own| &own.command).or(environment.commands.last());
    let given = shell_words(command.map_or("", String::as_str));
    let name = &index.data.experiment.name;
    let is_named = |word: &&String| {
        let path = std::path::Path::new(word);
        word.ends_with(".toml") && path.file_stem().is_some_and(|stem| stem == name.as_str())
    };
    let file = own
        .map(|own| own.config.clone())
        .filter(|file| !file.is_empty());
    let file = file
        .or_else(|| given.iter().find(is_named).cloned())
        .unwrap_or_else(|| format!("configs/{name}.toml"));
    let mut words = vec![PROGRAM.to_owned(), "run".to_owned(), file];
    for (flag, value) in kept(&given) {
        words.push(flag);
        words.extend(value);
    }
    words
}

/// The options of a command that are kept, each with its value.
fn kept(given: &[String]) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for (at, word) in given.iter().enumerate() {
        let (flag, joined) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        if let Some((_, has_value)) = KEPT.iter().find(|(kept, _)| *kept == flag) {
            let next = given.get(at + 1).filter(|_| *has_value).cloned();
            found.push((flag.to_owned(), joined.or(next)));
        }
    }
    found
}

/// A pattern that matches the text alone.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$#&~".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_with_their_values() {
        let words =
            shell_words("bench run a.toml --budget=5m -t x --quick --cell-budget 8s --fresh");
        let found = kept(&words);
        let as_text: Vec<(&str, Option<&str>)> = found
            .iter()
            .map(|(flag, value)| (flag.as_str(), value.as_deref()))
            .collect();
        assert_eq!(
            as_text,
            [
                ("--budget", Some("5m")),
                ("--quick", None),
                ("--cell-budget", Some("8s"))
            ]
        );
    }

    #[test]
    fn a_command_to_repeat_leaves_the_folder_that_it_made_alone() {
        let words = |text: &str| elsewhere(shell_words(text)).join(" ");
        assert_eq!(
            words("run a.toml --out reports/x/a --fresh -d gpu"),
            "run a.toml -d gpu"
        );
        assert_eq!(words("run -o b --out=c a.toml"), "run a.toml");
    }

    #[test]
    fn a_pattern_matches_its_label_alone() {
        assert_eq!(escaped("pv-split (32+)"), r"pv-split \(32\+\)");
    }
}
