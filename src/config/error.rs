use std::fmt;

/// Why an experiment file was refused: one line, `file:line:column: key: what is wrong; what is allowed`.
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
    /// Its content is wrong.
    #[error("{0}")]
    At(Box<Complaint>),
}

/// A fault of an experiment file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file, as given.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// The key with its tables: `sampling.min-samples`. Empty if the file is no TOML.
    pub key: String,
    /// The fault, the allowed values, and the nearest candidate.
    pub problem: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.problem)
    }
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
