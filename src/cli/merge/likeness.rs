//! Whether shards belong to one run: the same experiment and program on similar machines.

use std::path::PathBuf;

use anyhow::anyhow;

use crate::config::{Experiment, to_toml};
use crate::report::RunData;
use crate::results::{DeviceRecord, Difference, Host, Program, differences, differing};
use crate::words::DEVICES;

/// What all shards of a run have in common.
pub struct Likeness {
    folder: PathBuf,
    experiment: Experiment,
    /// The number of shards; without shards, `none`.
    shards: String,
    program: Program,
    host: Host,
    devices: Vec<DeviceRecord>,
    /// The number of devices that may share a sample.
    sharing: usize,
}

impl Likeness {
    /// The properties of a folder's last invocation that has rows: a resumed run drops the rows of others.
    pub fn of(data: &RunData) -> Self {
        let environment = &data.environment;
        let shard = environment.invocations.iter().rev();
        let shard = shard.filter_map(|it| it.shard.as_deref()).next();
        let of = shard.and_then(|shard| shard.split_once('/'));
        let rows = &data.measurements;
        let mut invocations = environment.invocations.iter().rev();
        let last = invocations.find(|it| rows.iter().any(|row| row.invocation == it.id));
        let mut techniques = data.experiment.techniques.iter();
        let shares = techniques.any(|choice| choice.params.contains_key(DEVICES.name));
        Self {
            folder: data.folder.clone(),
            experiment: data.experiment.clone(),
            shards: of.map_or("none", |(_, of)| of).to_owned(),
            program: last.map_or(&environment.program, |it| &it.program).clone(),
            host: last.map_or(&environment.host, |it| &it.host).clone(),
            devices: last.map_or(&environment.devices, |it| &it.devices).clone(),
            sharing: last
                .filter(|_| shares)
                .map_or(0, |it| it.devices.len() + it.others.len()),
        }
    }

    /// The experiment.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Refuses a shard that differs, and names each difference.
    pub fn refuse_unlike(&self, other: &Self) -> anyhow::Result<()> {
        let both = [self, other];
        let mut unlike = differences(both.map(|it| &it.program), both.map(|it| &it.host));
        // Addresses differ from card to card.
        let device = |it: &DeviceRecord| {
            format!(
                "{} ({}, {}, {}, {})",
                it.label, it.platform, it.platform_version, it.driver, it.version
            )
        };
        let devices = |it: &Self| it.devices.iter().map(device).collect::<Vec<_>>();
        unlike.extend(differing([
            ("number of shards", both.map(|it| it.shards.clone())),
            ("devices", both.map(|it| devices(it).join(", "))),
            (
                "devices that share samples",
                both.map(|it| it.sharing.to_string()),
            ),
        ]));
        let said = |it: &Difference| format!("{}: {}, and {}", it.name, it.values[0], it.values[1]);
        let mut unlike: Vec<String> = unlike.iter().map(said).collect();
        if self.experiment != other.experiment {
            let texts = both.map(|it| to_toml(&it.experiment));
            let lines = texts[0].lines().zip(texts[1].lines());
            let (own, its) = lines
                .clone()
                .find(|(own, its)| own != its)
                .unwrap_or(("shorter", "longer"));
            unlike.push(format!("experiment.toml: `{own}`, and `{its}`"));
        }
        if unlike.is_empty() {
            return Ok(());
        }
        Err(anyhow!(
            "{} and {} are not of one run; {}",
            self.folder.display(),
            other.folder.display(),
            unlike.join("; ")
        ))
    }
}
