//! Formats command lines in POSIX shell syntax, for `environment.toml` and reports.

use std::path::Path;

/// Returns the program's name for printed commands: the path to `scripts/bench` if that script started it, or `bench`.
pub fn program_name() -> String {
    let name = std::env::args().next().unwrap_or_default();
    let is_script = Path::new(&name).ends_with("scripts/bench");
    if is_script { name } else { "bench".to_owned() }
}

/// Joins words into a command line and quotes them if necessary.
pub fn shell_line<W: AsRef<str>>(words: &[W]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word.as_ref())).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_the_words_back() {
        let words = ["pv-split", "^pv-split$", "NVIDIA H200", "it's", r"a\b", ""];
        let line = format!("printf '%s\n' {}", shell_line(&words));
        let mut shell = std::process::Command::new("sh");
        let said = shell.args(["-c", &line]).output().unwrap().stdout;
        assert_eq!(String::from_utf8(said).unwrap(), words.join("\n") + "\n");
    }
}
