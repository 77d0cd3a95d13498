//! Shards of an experiment.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Maximum number of shards. Slurm's job arrays are smaller by default.
const MOST: usize = 100_000;

/// A part of an experiment: `2/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Total number of parts.
    pub of: usize,
    /// This part's number, counted from 1.
    pub number: usize,
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let read = |(number, of): (&str, &str)| {
            let (number, of) = (number.parse().ok()?, of.parse().ok()?);
            ((1..=of).contains(&number) && of <= MOST).then_some(Shard { of, number })
        };
        let shard = text.split_once('/').and_then(read);
        shard.ok_or_else(|| format!("must be I/N, as 2/3: 1 <= I <= N <= {MOST}"))
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Shard {
    /// Converts the index of an item in this part to its index in the whole experiment. Both start at 0.
    pub fn index(self, own: u64) -> u64 {
        (self.number - 1) as u64 + self.of as u64 * own
    }
}
