//! Whether shards belong to one run: the same experiment and program on similar machines.

use std::path::PathBuf;

use anyhow::anyhow;

use crate::config::{Experiment, to_toml};
use crate::report::RunData;
use crate::results::{DeviceRecord, Difference, Invocation, differences, differing};
use crate::words::{DEVICES, TechniqueRecord};

/// What all shards of a run have in common.
pub struct Likeness {
    folder: PathBuf,
    /// The text of `experiment.toml`.
    pub text: String,
    pub techniques: Vec<TechniqueRecord>,
    pub experiment: Experiment,
    /// The last invocation that has rows: a resumed run drops the rows of others.
    last: Invocation,
}

impl Likeness {
    pub fn of(data: &RunData, text: String, techniques: Vec<TechniqueRecord>) -> Self {
        let environment = &data.environment;
        let mut invocations = environment.invocations.iter().rev();
        let has_rows =
            |it: &&Invocation| data.measurements.iter().any(|row| row.invocation == it.id);
        let last = invocations
            .find(has_rows)
            .or(environment.invocations.last());
        // Folders of format 1 have no invocations.
        let last = last.cloned().unwrap_or_else(|| Invocation {
            program: environment.program.clone(),
            host: environment.host.clone(),
            devices: environment.devices.clone(),
            ..Invocation::default()
        });
        Self {
            folder: data.folder.clone(),
            text,
            techniques,
            experiment: data.experiment.clone(),
            last,
        }
    }

    /// The number of shards; without shards, `none`.
    fn shards(&self) -> String {
        let of = self.last.shard.as_deref().and_then(|it| it.split_once('/'));
        of.map_or("none", |(_, of)| of).to_owned()
    }

    /// The devices without their addresses, which differ from card to card.
    fn devices(&self) -> String {
        let device = |it: &DeviceRecord| {
            format!(
                "{} ({}, {}, {}, {})",
                it.label, it.platform, it.platform_version, it.driver, it.version
            )
        };
        let devices: Vec<String> = self.last.devices.iter().map(device).collect();
        devices.join(", ")
    }

    /// The number of devices that may share a sample.
    fn sharing(&self) -> String {
        let mut techniques = self.experiment.techniques.iter();
        let shares = techniques.any(|choice| choice.params.contains_key(DEVICES.name));
        let devices = self.last.devices.len() + self.last.others.len();
        (if shares { devices } else { 0 }).to_string()
    }

    /// Refuses a shard that differs, and names each difference.
    pub fn refuse_unlike(&self, other: &Self) -> anyhow::Result<()> {
        let both = [self, other];
        let (programs, hosts) = (
            both.map(|it| &it.last.program),
            both.map(|it| &it.last.host),
        );
        let mut unlike = differences(programs, hosts);
        unlike.extend(differing([
            ("number of shards", both.map(Self::shards)),
            ("devices", both.map(Self::devices)),
            ("devices that share samples", both.map(Self::sharing)),
        ]));
        if self.experiment != other.experiment {
            let texts = both.map(|it| to_toml(&it.experiment));
            let mut lines = texts[0].lines().zip(texts[1].lines());
            let (own, its) = lines
                .find(|(own, its)| own != its)
                .unwrap_or(("shorter", "longer"));
            unlike.push(Difference {
                name: "experiment.toml",
                values: [own, its].map(|line| format!("`{line}`")),
            });
        }
        if unlike.is_empty() {
            return Ok(());
        }
        let said = |it: &Difference| format!("{}: {}, and {}", it.name, it.values[0], it.values[1]);
        let unlike: Vec<String> = unlike.iter().map(said).collect();
        Err(anyhow!(
            "{} and {} are not of one run; {}",
            self.folder.display(),
            other.folder.display(),
            unlike.join("; ")
        ))
    }
}
