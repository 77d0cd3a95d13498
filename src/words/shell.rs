//! Command lines in POSIX shell syntax, for `environment.toml` and reports.

/// A command line of these words, quoted where necessary.
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

/// The words of a command line, split at blanks, without their quotes.
pub fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = line.chars();
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
    fn words_come_back_from_their_line() {
        for word in ["pv-split", "^pv-split$", "NVIDIA H200", "it's", r"a\b", ""] {
            let words = ["x", word, "y"];
            assert_eq!(shell_words(&shell_line(&words)), words);
        }
        assert_eq!(shell_words(r#"a "b c" d\ e"#), ["a", "b c", "d e"]);
    }
}
