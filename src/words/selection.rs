use serde::{Deserialize, Serialize};

use super::Shard;

/// The parts of a command that affect a run: its filters, and the options that change a measurement.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// Measure only techniques whose label matches, plus the baselines
    #[arg(short, long, value_name = "REGEX")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub technique: Option<String>,
    /// Measure only cases with AXIS=VALUE. Repeat for more axes or values
    #[arg(short, long = "case", value_name = "AXIS=VALUE")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// Select devices by part of the name, PLATFORM:DEVICE, gpu, cpu or all [default: the best one]
    #[arg(short, long = "device", value_name = "SEL")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// Run shard I of N, for example 2/3. It may be empty. In a Slurm array:
    /// $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
    #[arg(long, value_name = "I/N", value_parser = |text: &str| Shard::try_from(text.to_owned()))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Other options. Each has its long name without dashes and its value, if any: `["budget", "60s"]`.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Vec<String>>,
}

impl Selection {
    /// Returns the filters, except for the shard, and the other options as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let option = |name: &str, value: &String| vec![name.to_owned(), value.clone()];
        let technique = self.technique.iter().map(|it| option("technique", it));
        let cases = self.cases.iter().map(|it| option("case", it));
        let devices = self.devices.iter().map(|it| option("device", it));
        let filters = technique.chain(cases).chain(devices);
        let options = filters.chain(self.options.iter().cloned());
        let words = options.flat_map(|option| match &option[..] {
            [name, value] if value.starts_with('-') => vec![format!("--{name}={value}")],
            [name, values @ ..] => [&[format!("--{name}")], values].concat(),
            [] => Vec::new(),
        });
        words.collect()
    }
}
