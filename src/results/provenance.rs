use super::hash::of_json;
use super::{DeviceRecord, Host, Invocation, Program};
use crate::words::{Devices, Params, Place, Question};

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
    pub fn key(&self, question: &Question<'_>) -> String {
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
    use crate::words::{Case, Task, Value};

    fn question<'a>(case: &'a Case, none: &'a Params) -> Question<'a> {
        Question {
            game: "reversi",
            options: none,
            task: Task::Game,
            case,
            technique: "pv-split",
            label: "pv-split",
            params: none.clone(),
            opponent: None,
            positions: None,
            seed: 1,
        }
    }

    fn changed_each<'a>(
        base: &Question<'a>,
        changes: &[&dyn Fn(&mut Question<'a>)],
    ) -> Vec<Question<'a>> {
        let mut all = vec![base.clone(); 1 + changes.len()];
        for (question, change) in all[1..].iter_mut().zip(changes) {
            change(question);
        }
        all
    }

    #[test]
    fn each_part_of_the_question_changes_the_key() {
        let case = Case(vec![("board".into(), Value::Text("8x8".into()))]);
        let other_case = Case(vec![("board".into(), Value::Text("4x4".into()))]);
        let none = Params::new();
        let number = Params::from([("group".to_owned(), Value::Int(64))]);
        let text = Params::from([("group".to_owned(), Value::Text("64".into()))]);
        let base = question(&case, &none);

        let all = changed_each(
            &base,
            &[
                &|it| it.game = "gomoku",
                &|it| it.options = &number,
                &|it| it.task = Task::Search,
                &|it| it.case = &other_case,
                &|it| it.technique = "serial",
                &|it| it.label = "pv",
                &|it| it.params = number.clone(),
                &|it| it.params = text.clone(),
                &|it| it.opponent = Some(("serial", none.clone())),
                &|it| it.opponent = Some(("serial", number.clone())),
                &|it| it.positions = Some(1),
                &|it| it.seed = 2,
            ],
        );
        let (program, host) = (Program::default(), Host::default());
        let provenance = Provenance::of_host(&program, &host);
        let keys: BTreeSet<String> = all.iter().map(|it| provenance.key(it)).collect();
        assert_eq!(keys.len(), all.len());
    }

    type Change = fn(&mut Program, &mut Host, &mut DeviceRecord);

    /// Returns the key after a change, and the names of the properties that differ from the unchanged provenance.
    fn changed(change: Change, on_device: bool) -> (String, Vec<&'static str>) {
        let (case, none) = (Case::default(), Params::new());
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
        (changed.key(&question(&case, &none)), names)
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
        let (none, program, host) = (Params::new(), Program::default(), Host::default());
        let (case, card) = (Case(Vec::new()), DeviceRecord::default());
        let key = |others: usize| {
            let provenance = Provenance {
                device: Some(&card),
                beside: vec![&card; others],
                ..Provenance::of_host(&program, &host)
            };
            provenance.key(&question(&case, &none))
        };
        let keys: BTreeSet<String> = [0, 1, 3].map(key).into();
        assert_eq!(keys.len(), 3);
    }
}
