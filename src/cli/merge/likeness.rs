//! Whether shards belong to one run: the same experiment and program on similar machines.

use std::path::PathBuf;

use anyhow::anyhow;

use crate::config::Experiment;
use crate::report::RunData;
use crate::results::{ADDRESS, Invocation, Provenance, Selection};
use crate::words::{DEVICES, TechniqueRecord};

/// The first shard's properties, which all others must share.
pub struct First {
    pub folder: PathBuf,
    /// The text of `experiment.toml`.
    pub text: String,
    pub techniques: Vec<TechniqueRecord>,
    pub experiment: Experiment,
    pub measured: Invocation,
}

impl First {
    /// Refuses a shard that differs, and names each difference.
    pub fn refuse_unlike(&self, other: &RunData) -> anyhow::Result<()> {
        let its = measured(other);
        let both = [&self.measured, &its];
        let mut choices = self.experiment.techniques.iter();
        let shares = choices.any(|choice| choice.params.contains_key(DEVICES.name));
        let [own, its] = both.map(|it| Provenance {
            beside: match shares {
                true => it.devices.iter().chain(&it.others).collect(),
                false => it.devices.iter().collect(),
            },
            ..Provenance::of_host(&it.program, &it.host)
        });
        let mut unlike = own.differences(&its);
        // Equal cards of other nodes have other addresses.
        unlike.retain(|it| it.name != ADDRESS);
        let of = both.map(|it| it.selection.shard.map(|shard| shard.of));
        let labels = both.map(|it| it.devices.iter().map(|it| &it.label).collect::<Vec<_>>());
        let equal = [
            ("number of shards", of[0] == of[1]),
            ("devices", labels[0] == labels[1]),
            ("experiment.toml", self.experiment == other.experiment),
        ];
        let mut unlike: Vec<String> = unlike
            .iter()
            .map(|it| format!("{}: {}", it.name, it.values.join(", and ")))
            .collect();
        let more = equal.iter().filter(|(_, is_equal)| !is_equal);
        unlike.extend(more.map(|(name, _)| format!("{name} differs")));
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

/// The last invocation that has rows, with the last shard: an invocation is recorded before it measures.
pub fn measured(data: &RunData) -> Invocation {
    let all = &data.environment.invocations;
    let has_rows = |it: &&Invocation| data.measurements.iter().any(|row| row.invocation == it.id);
    let last = all.iter().rev().find(has_rows).or(all.last());
    let selection = Selection {
        shard: all.iter().rev().find_map(|it| it.selection.shard),
        ..Selection::default()
    };
    Invocation {
        selection,
        ..last.cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{DeviceRecord, Environment, Run};
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
                measured: measured(&of(2)),
            };
            assert!(first.refuse_unlike(&of(2)).is_ok());
            let said = first.refuse_unlike(&of(4)).err();
            let said = said.map(|why| why.to_string()).unwrap_or_default();
            let names = said.contains("device: none, and ");
            assert_eq!(
                (names, said.is_empty()),
                (is_refused, !is_refused),
                "{said}"
            );
        }
    }
}
