//! Whether shards may stand in one run: the same question, asked of the same program on like machines.

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::anyhow;

use crate::config::{Experiment, to_toml};
use crate::report::RunData;
use crate::results::{DeviceRecord, Host, Invocation, Program};
use crate::words::DEVICES;

/// The name of all that has none of its own, such as tables and charts.
const FILE: &str = "experiment.toml";
/// Longer values are lists of cases, or texts: only their name is told. In characters.
const LONGEST: usize = 140;

/// A name of something and what a shard has of it.
type Property = (Cow<'static, str>, String);

/// What all shards of a run must have alike, by name.
pub struct Likeness {
    folder: PathBuf,
    experiment: Experiment,
    properties: Vec<Property>,
}

impl Likeness {
    /// Of a run folder: what its rows' invocations have. A resumed run has dropped the rows of others.
    pub fn of(data: &RunData) -> Self {
        let environment = &data.environment;
        let mut properties = Vec::new();
        let shard = environment.invocations.iter().rev();
        let shard = shard.filter_map(|it| it.shard.as_deref()).next();
        let of = shard.and_then(|shard| shard.split_once('/'));
        let of = of.map_or("none", |(_, of)| of);
        properties.push(("number of shards".into(), of.into()));
        let named = |it: &&Invocation| data.measurements.iter().any(|row| row.invocation == it.id);
        let last = environment.invocations.iter().rev().find(named);
        let devices = last.map_or(&environment.devices, |last| &last.devices);
        properties.extend(of_program(
            last.map_or(&environment.program, |it| &it.program),
        ));
        properties.extend(of_host(last.map_or(&environment.host, |it| &it.host)));
        properties.extend(of_devices(devices));
        if let Some(last) = last {
            properties.extend(of_divided(&data.experiment, last));
        }
        Self {
            folder: data.folder.clone(),
            experiment: data.experiment.clone(),
            properties,
        }
    }

    /// What was asked.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Names all that another shard has otherwise.
    pub fn refuse_unlike(&self, other: &Self) -> anyhow::Result<()> {
        let (mut own, mut theirs) = (Vec::new(), Vec::new());
        if self.experiment != other.experiment {
            own = of_experiment(&self.experiment);
            theirs = of_experiment(&other.experiment);
        }
        let own = own.iter().chain(&self.properties);
        let both = own.zip(theirs.iter().chain(&other.properties));
        let unlike = both.filter(|(own, theirs)| own != theirs);
        let mut unlike: Vec<String> = unlike
            .map(
                |((name, own), (_, theirs))| match own.len().max(theirs.len()) {
                    ..=LONGEST => format!("{name}: {own}, and {theirs}"),
                    _ => format!("other {name}"),
                },
            )
            .collect();
        if unlike.len() > 1 {
            // The file has all that has a name of its own too.
            unlike.retain(|line| line != &format!("other {FILE}"));
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

/// Each part of what is asked by its name.
fn of_experiment(experiment: &Experiment) -> Vec<Property> {
    let debug = |value: &dyn std::fmt::Debug| format!("{value:?}");
    let Experiment {
        sampling, budget, ..
    } = experiment;
    let cases = experiment.cases.iter().map(ToString::to_string);
    let techniques = experiment.techniques.iter().map(|choice| {
        let params = choice.params.iter();
        let params = params.map(|(name, value)| format!(" {name}={value}"));
        format!("{}{}", choice.label, params.collect::<String>())
    });
    let options = experiment.options.iter();
    let options = options.map(|(name, value)| format!("{name}={value}"));
    let list = |all: Vec<String>| all.join(", ");
    named([
        ("experiment", experiment.name.clone()),
        ("game", experiment.game.clone()),
        ("task", experiment.task.word().to_owned()),
        ("options", list(options.collect())),
        ("seed", experiment.seed.to_string()),
        ("cases", list(cases.collect())),
        ("techniques", list(techniques.collect())),
        ("sampling", debug(sampling)),
        ("budget", debug(budget)),
        (FILE, to_toml(experiment)),
    ])
}

fn named<const N: usize>(properties: [(&'static str, String); N]) -> Vec<Property> {
    let properties = properties.into_iter();
    let named = properties.map(|(name, value)| (Cow::Borrowed(name), value));
    named.collect()
}

fn of_program(program: &Program) -> Vec<Property> {
    named([
        ("program's sources", program.source_hash.clone()),
        ("kernels", program.kernel_hash.clone()),
        ("build", program.profile.clone()),
        ("compiled for", program.compiled_for.clone()),
    ])
}

fn of_host(host: &Host) -> Vec<Property> {
    named([
        ("processor", host.cpu.clone()),
        ("logical processors", host.logical_cpus.to_string()),
        ("threads", host.threads.to_string()),
        ("memory, GiB", host.memory_gib().to_string()),
        ("operating system", host.os.clone()),
        ("system's kernel", host.kernel.clone()),
    ])
}

/// Models, drivers and labels; addresses differ from card to card.
fn of_devices(devices: &[DeviceRecord]) -> Vec<Property> {
    let each = |text: fn(&DeviceRecord) -> String| {
        let texts: Vec<String> = devices.iter().map(text).collect();
        match texts.is_empty() {
            true => "none".to_owned(),
            false => texts.join(", "),
        }
    };
    named([
        (
            "device model",
            each(|it| format!("{} ({})", it.name, it.platform)),
        ),
        (
            "driver",
            each(|it| format!("{} ({})", it.driver, it.platform_version)),
        ),
        ("device's OpenCL", each(|it| it.version.clone())),
        // A card that is alone has no number: CUDA_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES leave one.
        ("device's label", each(|it| it.label.clone())),
    ])
}

/// On how many devices each technique divides its samples: `devices = "all"` says another number on another host.
fn of_divided(experiment: &Experiment, invocation: &Invocation) -> Vec<Property> {
    let divided = experiment.techniques.iter();
    let divided = divided.filter(|choice| choice.params.contains_key(DEVICES.name));
    let properties = divided.map(|choice| {
        let numbers = invocation.devices.iter().map(|own| {
            let others = invocation.beside(&choice.params, own);
            (others.len() + 1).to_string()
        });
        let numbers: Vec<String> = numbers.collect();
        let name = format!("devices of {}", choice.label);
        (name.into(), numbers.join(", "))
    });
    properties.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::techniques::registry;

    #[test]
    fn all_of_two_devices_are_not_all_of_four() {
        let text = r#"
            name = "x"
            game = "reversi"
            task = "playouts"
            cases = [{ board = "8x8", playouts = [1024] }]
            [[technique]]
            name = "flat-refill"
            label = "all"
            devices = "all"
        "#;
        let experiment = crate::config::parse(text, "x.toml", &registry::catalogue()).unwrap();
        let card = |number: u32| DeviceRecord {
            label: format!("card #{number}"),
            address: format!("{number}"),
            ..DeviceRecord::default()
        };
        let of = |all: u32| {
            let invocation = Invocation {
                devices: vec![card(1)],
                others: (2..=all).map(card).collect(),
                ..Invocation::default()
            };
            of_divided(&experiment, &invocation)
        };
        assert_eq!(of(2), [("devices of all".into(), "2".to_owned())]);
        assert_ne!(of(2), of(4));
    }
}
