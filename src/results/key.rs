use serde::Serialize;
use sha2::{Digest, Sha256};

use super::hash::hexadecimal;
use super::{DeviceRecord, Host, Invocation, Program};
use crate::words::{Devices, Params, Place, Question};

/// Everything that a measurement depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct CellIdentity<'a> {
    /// The question.
    pub question: Question<'a>,
    /// The program.
    pub program: &'a Program,
    /// The host.
    pub host: &'a Host,
    /// The device; `None` for the host's techniques.
    pub device: Option<&'a DeviceRecord>,
    /// The devices that share each sample with it: see [`beside`].
    pub beside: Vec<&'a DeviceRecord>,
}

/// The devices of the host that share samples with `own`, by a technique's parameters; empty if some are missing.
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
    /// [`beside`] for one of its devices.
    pub fn beside<'a>(&'a self, params: &Params, own: &DeviceRecord) -> Vec<&'a DeviceRecord> {
        beside(params, own, self.devices.iter().chain(&self.others))
    }
}

impl CellIdentity<'_> {
    /// Identifies question, device model and number of devices on any machine: SHA-256, first 16 digits.
    pub fn id(&self) -> String {
        let model = self.device.map(|device| (&device.platform, &device.name));
        match self.beside.len() {
            0 => hash(&(&self.question, model)),
            others => hash(&(&self.question, model, others + 1)),
        }
    }

    /// A hash of [`id`](Self::id), program, build, kernels, machine and devices: a resumed run keeps rows with this
    /// key.
    pub fn key(&self) -> String {
        let (program, host) = (self.program, self.host);
        let build = [
            &program.source_hash,
            &program.compiled_for,
            &program.profile,
        ];
        let machine = (
            [&host.cpu, &host.os, &host.kernel],
            [host.logical_cpus, host.threads],
            host.memory_gib(),
        );
        let device = self.device.map(|device| {
            // The host's techniques do not depend on kernels.
            [
                &program.kernel_hash,
                &device.platform_version,
                &device.driver,
                &device.address,
            ]
        });
        let beside = self.beside.iter();
        let beside: Vec<[&String; 3]> = beside
            .map(|device| [&device.platform_version, &device.driver, &device.address])
            .collect();
        match beside.is_empty() {
            true => hash(&(self.id(), build, machine, device)),
            false => hash(&(self.id(), build, machine, device, beside)),
        }
    }
}

fn hash(what: &impl Serialize) -> String {
    // JSON is injective here: it quotes texts and names fields; the maps are sorted.
    let json = serde_json::to_vec(what)
        .expect("texts, whole numbers and maps with text keys always have a JSON form");
    hexadecimal(&Sha256::digest(json))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::collections::BTreeSet;

    use super::super::hash::KEY_BYTES;
    use super::*;
    use crate::words::{Case, Params, Task, Value};

    fn question<'a>(case: &'a Case, none: &'a Params) -> Question<'a> {
        Question {
            game: "reversi",
            options: none,
            task: Task::Game,
            case,
            technique: "pv-split",
            label: "pv-split",
            params: Cow::Borrowed(none),
            opponent: None,
            positions: None,
            seed: 1,
        }
    }

    type Change<'q> = &'q dyn Fn(&mut Question<'q>);

    /// Id and key of a question after a change.
    fn of_question<'q>(base: &Question<'q>, change: Change<'q>) -> (String, String) {
        let mut question = base.clone();
        change(&mut question);
        let identity = CellIdentity {
            question,
            program: &Program::default(),
            host: &Host::default(),
            device: None,
            beside: Vec::new(),
        };
        (identity.id(), identity.key())
    }

    #[test]
    fn every_part_of_the_question_counts() {
        let case = Case(vec![("board".into(), Value::Text("8x8".into()))]);
        let other_case = Case(vec![("board".into(), Value::Text("4x4".into()))]);
        let none = Params::new();
        let number = Params::from([("group".to_owned(), Value::Int(64))]);
        let text = Params::from([("group".to_owned(), Value::Text("64".into()))]);
        let base = question(&case, &none);
        let changes: [Change<'_>; 13] = [
            &|_| {},
            &|it| it.game = "gomoku",
            &|it| it.options = &number,
            &|it| it.task = Task::Search,
            &|it| it.case = &other_case,
            &|it| it.technique = "serial",
            &|it| it.label = "pv",
            &|it| it.params = Cow::Borrowed(&number),
            &|it| it.params = Cow::Borrowed(&text),
            &|it| it.opponent = Some(("serial", Cow::Borrowed(&none))),
            &|it| it.opponent = Some(("serial", Cow::Borrowed(&number))),
            &|it| it.positions = Some(1),
            &|it| it.seed = 2,
        ];
        let found = changes.map(|change| of_question(&base, change));
        let ids: BTreeSet<&String> = found.iter().map(|(id, _)| id).collect();
        let keys: BTreeSet<&String> = found.iter().map(|(_, key)| key).collect();
        assert_eq!((ids.len(), keys.len()), (found.len(), found.len()));
        assert!(keys.iter().all(|key| key.len() == 2 * KEY_BYTES));
    }

    /// Keys and ids of one question under changes of everything else; the first is the unchanged one.
    fn elsewhere(
        changes: &[fn(&mut Program, &mut Host, &mut DeviceRecord)],
    ) -> Vec<(String, String)> {
        let (case, none) = (Case::default(), Params::new());
        let unchanged: fn(&mut Program, &mut Host, &mut DeviceRecord) = |_, _, _| {};
        let all = std::iter::once(&unchanged).chain(changes);
        let made = all.map(|change| {
            let (mut program, mut host) = (Program::default(), Host::default());
            let mut device = DeviceRecord {
                label: "a card".into(),
                name: "card".into(),
                ..DeviceRecord::default()
            };
            change(&mut program, &mut host, &mut device);
            let identity = CellIdentity {
                question: question(&case, &none),
                program: &program,
                host: &host,
                device: Some(&device),
                beside: Vec::new(),
            };
            (identity.key(), identity.id())
        });
        made.collect()
    }

    #[test]
    fn a_key_has_program_machine_and_the_one_card_and_an_id_the_model_alone() {
        let found = elsewhere(&[
            |program, _, _| program.source_hash = "s".into(),
            |program, _, _| program.kernel_hash = "k".into(),
            |program, _, _| program.compiled_for = "avx2".into(),
            |program, _, _| program.profile = "debug 1".into(),
            |_, host, _| host.cpu = "another".into(),
            |_, host, _| host.logical_cpus = 3,
            |_, host, _| host.threads = 3,
            |_, host, _| host.memory_bytes = 5 << 30,
            |_, host, _| host.os = "another".into(),
            |_, host, _| host.kernel = "another".into(),
            |_, _, device| device.driver = "2".into(),
            |_, _, device| device.platform_version = "2".into(),
            |_, _, device| device.address = "pci 0000:02:00.0".into(),
        ]);
        let keys: BTreeSet<&String> = found.iter().map(|(key, _)| key).collect();
        let ids: BTreeSet<&String> = found.iter().map(|(_, id)| id).collect();
        assert_eq!((keys.len(), ids.len()), (found.len(), 1));
        let models = elsewhere(&[
            |_, _, device| device.name = "another".into(),
            |_, _, device| device.platform = "another".into(),
        ]);
        let ids: BTreeSet<&String> = models.iter().map(|(_, id)| id).collect();
        assert_eq!(ids.len(), models.len());
    }

    #[test]
    fn as_many_devices_as_all_of_a_host_are_belong_to_the_id() {
        let (none, program, host) = (Params::new(), Program::default(), Host::default());
        let (case, card) = (Case(Vec::new()), DeviceRecord::default());
        let id = |others: usize| {
            let identity = CellIdentity {
                question: question(&case, &none),
                program: &program,
                host: &host,
                device: Some(&card),
                beside: vec![&card; others],
            };
            identity.id()
        };
        let ids: BTreeSet<String> = [0, 1, 3].map(id).into();
        assert_eq!(ids.len(), 3);
        assert_eq!(id(3), id(3));
    }

    #[test]
    fn a_number_in_a_label_a_revision_and_a_little_memory_are_in_no_key() {
        let found = elsewhere(&[
            |_, _, device| device.label = "a card #2".into(),
            |program, _, _| program.revision = "another".into(),
            |program, _, _| program.binary_hash = "another".into(),
            |_, host, _| host.memory_bytes = (1 << 30) / 3,
        ]);
        assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
    }
}
