use serde::Serialize;

use super::hash::of_json;
use super::{DeviceRecord, Host, Invocation, Program};
use crate::words::{Devices, Params, Place};

/// The origin of a measurement. It decides both whether runs are comparable and whether a resumed run keeps a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance<'a> {
    /// The program.
    pub program: &'a Program,
    /// The host.
    pub host: &'a Host,
    /// The device, or `None` for techniques on the host.
    pub device: Option<&'a DeviceRecord>,
    /// The devices that share each sample with `device`. See [`beside`].
    pub beside: Vec<&'a DeviceRecord>,
}

/// A property in which two [`Provenance`]s differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The property's name, for example `build`.
    pub name: &'static str,
    /// Both values.
    pub values: [String; 2],
}

/// Name of the property for the program's sources.
pub const PROGRAM: &str = "program";
/// Name of the property for the kernels, which does not apply to techniques on the host.
pub const KERNELS: &str = "set of kernels";
/// Name of the property for the program's build profile and target processor.
pub const BUILD: &str = "build";
/// Name of the property for the host's processor.
pub const HOST_MODEL: &str = "host";
/// Name of the property for the number of baseline threads.
pub const THREADS: &str = "thread count";
/// Name of the property that distinguishes cards of the same model.
pub const ADDRESS: &str = "device address";

impl<'a> Provenance<'a> {
    /// Returns the provenance of techniques on the host.
    pub fn of_host(program: &'a Program, host: &'a Host) -> Provenance<'a> {
        Provenance {
            program,
            host,
            device: None,
            beside: Vec::new(),
        }
    }

    /// Returns the provenance of techniques on a device.
    pub fn on(self, device: &'a DeviceRecord) -> Provenance<'a> {
        let device = Some(device);
        Provenance { device, ..self }
    }

    /// Lists all properties with their names.
    fn properties(&self) -> Vec<(&'static str, String)> {
        let (program, host) = (self.program, self.host);
        let mut all = vec![
            (PROGRAM, program.source_hash.clone()),
            (KERNELS, program.kernel_hash.clone()),
            (
                BUILD,
                format!("{} for {}", program.profile, program.compiled_for),
            ),
            (
                HOST_MODEL,
                format!("{} ({} processors)", host.cpu, host.logical_cpus),
            ),
            ("operating system", format!("{} ({})", host.os, host.kernel)),
            ("size of memory", format!("{} GiB", host.memory_gib())),
            (THREADS, host.threads.to_string()),
        ];
        for device in self.device.iter().chain(&self.beside) {
            all.push(("device", format!("{} ({})", device.name, device.platform)));
            let driver = format!("{}, {}", device.driver, device.platform_version);
            all.push(("driver", driver));
            all.push((ADDRESS, device.address.clone()));
        }
        all
    }

    /// Returns the key of a question measured with this provenance: SHA-256, first 16 digits.
    pub fn key(&self, question: &impl Serialize) -> String {
        let mut properties = self.properties();
        properties.retain(|(name, _)| self.device.is_some() || *name != KERNELS);
        of_json(&(question, properties))
    }

    /// Lists the properties whose values differ.
    pub fn differences(&self, other: &Provenance<'_>) -> Vec<Difference> {
        let [own, theirs] = [self, other].map(Provenance::properties);
        let pairs = (0..own.len().max(theirs.len())).filter_map(|index| {
            let pair = [own.get(index), theirs.get(index)];
            let (name, _) = *pair.iter().flatten().next()?;
            let values = pair.map(|it| it.map_or("none", |(_, value)| value).to_owned());
            (values[0] != values[1]).then_some(Difference { name, values })
        });
        pairs.collect()
    }
}

/// Returns the host's devices that share samples with `own` according to `params`, or none if some are missing.
pub fn beside<'a>(
    params: &Params,
    own: &DeviceRecord,
    host: impl Iterator<Item = &'a DeviceRecord>,
) -> Vec<&'a DeviceRecord> {
    let Ok(Some(wanted)) = Devices::of(params) else {
        return Vec::new();
    };
    let all: Vec<&DeviceRecord> = host.collect();
    let places: Vec<Place<'_>> = all.iter().map(|record| record.place()).collect();
    let found = wanted.beside(own.place(), &places).unwrap_or_default();
    found.into_iter().map(|at| all[at]).collect()
}

impl Invocation {
    /// Returns the provenance of a technique's cell, on a device or on the host.
    pub fn provenance<'a>(
        &'a self,
        params: &Params,
        device: Option<&'a DeviceRecord>,
    ) -> Provenance<'a> {
        let host = || self.devices.iter().chain(&self.others);
        Provenance {
            device,
            beside: device.map_or(Vec::new(), |own| beside(params, own, host())),
            ..Provenance::of_host(&self.program, &self.host)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_question_changes_the_key() {
        let (program, host) = (Program::default(), Host::default());
        let provenance = Provenance::of_host(&program, &host);
        assert_ne!(provenance.key(&1), provenance.key(&2));
    }

    type Change = fn(&mut Program, &mut Host, &mut DeviceRecord);

    /// Returns the key after a change, and the names of the properties that differ from the unchanged provenance.
    fn changed(change: Change, on_device: bool) -> (String, Vec<&'static str>) {
        let [unchanged, changed] = [(|_, _, _| {}) as Change, change].map(|change| {
            let mut all = <(Program, Host, DeviceRecord)>::default();
            change(&mut all.0, &mut all.1, &mut all.2);
            all
        });
        let [unchanged, changed] = [&unchanged, &changed].map(|all| Provenance {
            device: on_device.then_some(&all.2),
            ..Provenance::of_host(&all.0, &all.1)
        });
        let names = unchanged.differences(&changed);
        let names = names.into_iter().map(|it| it.name).collect();
        (changed.key(&"question"), names)
    }

    #[test]
    fn each_property_has_a_name_and_changes_the_key() {
        let unchanged = changed(|_, _, _| {}, true);
        let rows: [(Change, &str); 15] = [
            (|p, _, _| p.source_hash = "s".into(), "program"),
            (|p, _, _| p.kernel_hash = "k".into(), "set of kernels"),
            (|p, _, _| p.compiled_for = "avx2".into(), "build"),
            (|p, _, _| p.profile = "debug 1".into(), "build"),
            (|_, h, _| h.cpu = "another".into(), "host"),
            (|_, h, _| h.logical_cpus = 3, "host"),
            (|_, h, _| h.threads = 3, "thread count"),
            (|_, h, _| h.memory_bytes = 5 << 30, "size of memory"),
            (|_, h, _| h.os = "another".into(), "operating system"),
            (|_, h, _| h.kernel = "another".into(), "operating system"),
            (|_, _, d| d.name = "another".into(), "device"),
            (|_, _, d| d.platform = "another".into(), "device"),
            (|_, _, d| d.driver = "2".into(), "driver"),
            (|_, _, d| d.platform_version = "2".into(), "driver"),
            (|_, _, d| d.address = "pci 2".into(), ADDRESS),
        ];
        let mut keys = BTreeSet::from([unchanged.0]);
        for (change, name) in rows {
            let (key, names) = changed(change, true);
            assert_eq!(names, [name]);
            assert!(keys.insert(key), "{name}");
        }
    }

    #[test]
    fn label_revision_and_a_little_memory_change_no_key() {
        let unchanged = changed(|_, _, _| {}, true);
        let changes: [Change; 4] = [
            |_, _, device| device.label = "a card #2".into(),
            |program, _, _| program.revision = "another".into(),
            |program, _, _| program.binary_hash = "another".into(),
            |_, host, _| host.memory_bytes = (1 << 30) / 3,
        ];
        for change in changes {
            assert_eq!(changed(change, true), unchanged);
        }
    }

    /// Kernels do not affect the keys of host techniques.
    #[test]
    fn kernels_change_the_keys_of_devices_alone() {
        let kernels: Change = |program, _, _| program.kernel_hash = "k".into();
        let none: Change = |_, _, _| {};
        assert_eq!(changed(kernels, false).0, changed(none, false).0);
        assert_eq!(changed(kernels, false).1, ["set of kernels"]);
    }

    #[test]
    fn the_number_of_devices_changes_the_key() {
        let (program, host, card) = (Program::default(), Host::default(), DeviceRecord::default());
        let key = |others: usize| {
            let provenance = Provenance {
                device: Some(&card),
                beside: vec![&card; others],
                ..Provenance::of_host(&program, &host)
            };
            provenance.key(&"question")
        };
        let keys: BTreeSet<String> = [0, 1, 3].map(key).into();
        assert_eq!(keys.len(), 3);
    }
}
