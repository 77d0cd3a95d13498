/// Why an experiment file was refused, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error("{file}: cannot be read: {problem}")]
    Read {
        /// The file, as given.
        file: String,
        /// The system's error.
        problem: String,
    },
    /// Its content is wrong: `file:line:column: key: what is wrong; what is allowed`. The key has its tables, as
    /// `sampling.min-samples`. Lines and columns, in characters, are counted from 1.
    #[error("{0}")]
    At(String),
}

/// The allowed words, and the nearest to a misspelt one, if at most one letter or a third are missing, added, swapped or
/// wrong.
pub(super) fn allowed(word: &str, candidates: &[impl AsRef<str>]) -> String {
    let candidates: Vec<&str> = candidates.iter().map(AsRef::as_ref).collect();
    let mut text = match candidates.is_empty() {
        true => "none are allowed here".to_owned(),
        false => format!("allowed: {}", candidates.join(", ")),
    };
    let word = word.to_lowercase();
    let distance = |other: &&str| strsim::damerau_levenshtein(&word, other);
    let near = candidates.into_iter();
    let near = near.filter(|other| distance(other) <= (other.chars().count() / 3).max(1));
    if let Some(near) = near.min_by_key(distance) {
        text.push_str(&format!("; did you mean {near}?"));
    }
    text
}

/// Characters of a name, and of a text in errors.
pub(super) const SHOWN: usize = 60;

/// Text in errors, with line breaks and unprintable characters escaped.
pub(super) fn shown_plain(text: &str) -> String {
    let mut short = String::new();
    for character in text.chars().take(SHOWN) {
        match character {
            '"' | '\'' | '\\' => short.push(character),
            _ => short.extend(character.escape_debug()),
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}
