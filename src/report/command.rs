//! The commands that make a run, or one cell of it, again.

use super::data::{Index, Place, is_device};
use crate::words::Case;

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
    let mut words = of_run(index);
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
    line(&words)
}

/// The commands that made the folder, as they were given, each once: a run that is resumed is
/// given the same command again. Of a folder that holds none, the plain one.
pub(crate) fn of_folder(index: &Index<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for command in &index.data.environment.commands {
        let line = match command.strip_prefix("bench ") {
            Some(arguments) => format!("{PROGRAM} {arguments}"),
            None => command.clone(),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        lines.push(line(&of_run(index)));
    }
    lines
}

fn line(words: &[String]) -> String {
    words
        .iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The program, the experiment's file as the last command named it, and the options it was run
/// with that change what is measured.
fn of_run(index: &Index<'_>) -> Vec<String> {
    let last = index
        .data
        .environment
        .commands
        .last()
        .map_or("", String::as_str);
    let given = split(last);
    let name = &index.data.experiment.name;
    let file = given
        .iter()
        .filter(|word| word.ends_with(".toml"))
        .find(|word| {
            std::path::Path::new(word)
                .file_stem()
                .is_some_and(|stem| stem == name.as_str())
        })
        .cloned()
        .unwrap_or_else(|| format!("configs/{name}.toml"));
    let mut words = vec![PROGRAM.to_owned(), "run".to_owned(), file];
    for (at, word) in given.iter().enumerate() {
        let (flag, joined) = match word.split_once('=') {
            Some((flag, _)) => (flag, true),
            None => (word.as_str(), false),
        };
        if let Some((_, has_value)) = KEPT.iter().find(|(kept, _)| *kept == flag) {
            words.push(word.clone());
            if *has_value && !joined {
                words.extend(given.get(at + 1).cloned());
            }
        }
    }
    words
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

/// A word as a POSIX shell reads it.
fn quoted(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words of a command line: blanks between, quotes around.
pub(crate) fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (end, Some(open)) if end == open => quote = None,
            ('\\', None) => word.get_or_insert_default().extend(letters.next()),
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_what_a_shell_would_read() {
        for word in ["pv-split", "^pv-split$", "NVIDIA H200", "it's", r"a\b", ""] {
            assert_eq!(split(&format!("x {} y", quoted(word))), ["x", word, "y"]);
        }
        assert_eq!(split(r#"a "b c" d\ e"#), ["a", "b c", "d e"]);
    }

    #[test]
    fn a_pattern_matches_its_label_alone() {
        assert_eq!(escaped("pv-split (32+)"), r"pv-split \(32\+\)");
    }
}
