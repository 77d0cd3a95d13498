//! Whether shards belong to one run: the same experiment and program on similar machines.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::anyhow;

use crate::config::{Experiment, to_toml};
use crate::report::RunData;
use crate::results::{DeviceRecord, Difference, Invocation, Provenance, Selection};
use crate::words::{DEVICES, TechniqueRecord};

/// The first shard's properties, which all others must share.
pub struct First {
    pub folder: PathBuf,
    /// The text of `experiment.toml`.
    pub text: String,
    pub techniques: Vec<TechniqueRecord>,
    pub experiment: Experiment,
    /// The places of its cases.
    pub cases: HashMap<String, usize>,
    pub measured: Invocation,
}

impl First {
    /// Refuses a shard that differs, and names each difference.
    pub fn refuse_unlike(&self, other: &RunData) -> anyhow::Result<()> {
        let other_measured = measured(other);
        let both = [&self.measured, &other_measured];
        let [own, its] = both.map(|it| Provenance::of_host(&it.program, &it.host));
        let mut unlike = own.differences(&its);
        let mut techniques = self.experiment.techniques.iter();
        let shares = techniques.any(|choice| choice.params.contains_key(DEVICES.name));
        let sharing = |it: &Invocation| match shares {
            true => (it.devices.len() + it.others.len()).to_string(),
            false => "0".to_owned(),
        };
        let properties = [
            ("number of shards", both.map(shards)),
            ("devices", both.map(devices)),
            ("devices that share samples", both.map(sharing)),
        ];
        let properties = properties.into_iter();
        let differing = properties.filter(|(_, values)| values[0] != values[1]);
        unlike.extend(differing.map(|(name, values)| Difference { name, values }));
        if self.experiment != other.experiment {
            let texts = [&self.experiment, &other.experiment].map(to_toml);
            let mut lines = texts[0].lines().zip(texts[1].lines());
            let lines = lines.find(|(own, its)| own != its);
            let (own, its) = lines.unwrap_or(("shorter", "longer"));
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

/// The last invocation that has rows, with the last shard: an invocation is recorded before it measures.
pub fn measured(data: &RunData) -> Invocation {
    let all = &data.environment.invocations;
    let has_rows = |it: &&Invocation| data.measurements.iter().any(|row| row.invocation == it.id);
    let last = all.iter().rev().find(has_rows).or(all.last());
    Invocation {
        selection: Selection {
            shard: all.iter().rev().find_map(|it| it.selection.shard),
            ..Selection::default()
        },
        ..last.cloned().unwrap_or_default()
    }
}

/// The number of shards; without shards, `none`.
fn shards(of: &Invocation) -> String {
    let of = of.selection.shard;
    of.map_or("none".to_owned(), |shard| shard.of.to_string())
}

/// The devices without their addresses, which differ from card to card.
fn devices(of: &Invocation) -> String {
    let device = |it: &DeviceRecord| {
        format!(
            "{} ({}, {}, {}, {})",
            it.label, it.platform, it.platform_version, it.driver, it.version
        )
    };
    let devices: Vec<String> = of.devices.iter().map(device).collect();
    devices.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Environment, Run};
    use crate::techniques::registry;

    #[test]
    fn all_of_two_devices_are_not_all_of_four() {
        let text = "name = \"x\"\ngame = \"reversi\"\ntask = \"playouts\"\n\
            cases = [{ board = \"8x8\", playouts = 8 }]\n[[technique]]\nname = \"flat-refill\"\n";
        let catalogue = registry::catalogue();
        for (devices, is_refused) in [("devices = \"all\"\n", true), ("", false)] {
            let text = format!("{text}{devices}");
            let experiment = crate::config::parse(&text, "x.toml", &catalogue).unwrap();
            let of = |all: usize| {
                let mut devices = vec![DeviceRecord::default(); all];
                let others = devices.split_off(1);
                let invocation = Invocation {
                    devices,
                    others,
                    ..Invocation::default()
                };
                let run = Run {
                    environment: Environment::of(vec![invocation]),
                    ..Run::default()
                };
                RunData::of_experiment(run, experiment.clone(), &catalogue)
            };
            let first = First {
                folder: "a".into(),
                text: String::new(),
                techniques: Vec::new(),
                experiment: experiment.clone(),
                cases: HashMap::new(),
                measured: measured(&of(2)),
            };
            assert!(first.refuse_unlike(&of(2)).is_ok());
            let said = first.refuse_unlike(&of(4)).err();
            let said = said.map(|why| why.to_string()).unwrap_or_default();
            let names = said.contains("devices that share samples: 2, and 4");
            assert_eq!(
                (names, said.is_empty()),
                (is_refused, !is_refused),
                "{said}"
            );
        }
    }
}
