use serde::{Deserialize, Serialize};

use super::Shard;

/// The parts of a command that affect a run: the filters, and the options that change a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// `--technique`: a regular expression that must match part of a technique's label, or `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub technique: Option<String>,
    /// `--case`, as `axis=value`. A case must have one of the given values on each given axis. Empty: all cases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// `--device`: selectors, or empty for the best device.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// `--shard`: a part of the cases that pass the filters, or `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Other options. Each consists of its long name without dashes and its value, if any: `["budget", "60s"]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Vec<String>>,
}

impl Selection {
    /// Returns the filters as words of a command line, except for the shard.
    pub fn filter_words(&self) -> Vec<String> {
        let option = |name: &str, value: &String| vec![name.to_owned(), value.clone()];
        let technique = self.technique.iter().map(|it| option("technique", it));
        let cases = self.cases.iter().map(|it| option("case", it));
        let devices = self.devices.iter().map(|it| option("device", it));
        words(&technique.chain(cases).chain(devices).collect::<Vec<_>>())
    }

    /// Returns the other options as words of a command line. Each of them changes a measurement.
    pub fn option_words(&self) -> Vec<String> {
        words(&self.options)
    }
}

fn words(options: &[Vec<String>]) -> Vec<String> {
    let words = options.iter().flat_map(|option| match &option[..] {
        [name, value] if value.starts_with('-') => vec![format!("--{name}={value}")],
        [name, values @ ..] => [&[format!("--{name}")], values].concat(),
        [] => Vec::new(),
    });
    words.collect()
}
