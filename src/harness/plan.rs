//! Lists the cells of an experiment in order.

use std::collections::HashSet;
use std::path::Path;

use super::predict::is_step_to;
use crate::config::{Experiment, TechniqueChoice};
use crate::results::{CellId, DeviceRecord, read_environment};
pub use crate::results::{HOST, NO_DEVICE};
use crate::words::{Case, Catalogue, Devices, Kind, TechniqueEntry};

/// One device in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// Platform index and device index on this machine.
    pub address: (usize, usize),
    pub record: DeviceRecord,
    /// The host's other devices. Techniques that use several devices may need them.
    pub others: Vec<DeviceRecord>,
    /// True if a display is attached to the device.
    pub has_display: bool,
    /// Environment variables that the worker must set before the driver loads.
    pub environment: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Processor {
    Host,
    /// A device, by its index in the run's targets.
    Device(usize),
    /// No device. Device techniques have this processor if the run has no device.
    NoDevice,
}

impl Processor {
    pub fn place(self) -> Option<usize> {
        match self {
            Processor::Device(place) => Some(place),
            Processor::Host | Processor::NoDevice => None,
        }
    }
}

/// A cell: a technique on a device in a case.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Index of the cell in the plan.
    pub index: usize,
    /// Number shared by a cell's copies for two programs. Cells with the same number are sampled next to each other.
    pub pair: usize,
    /// Index of the program, 0 or 1, if a run measures two programs.
    pub program: usize,
    pub case: Case,
    pub choice: TechniqueChoice,
    pub entry: TechniqueEntry,
    pub on: Processor,
    /// The device's label in rows.
    pub device_label: String,
    /// False if the command's selection excludes the cell.
    pub asked: bool,
}

impl Cell {
    /// Returns the cell's identity in rows.
    pub fn id(&self) -> CellId {
        CellId {
            case: self.case.to_string(),
            technique: self.choice.label.clone(),
            device: self.device_label.clone(),
        }
    }

    /// True if this cell's answers are a reference for other cells.
    pub fn is_reference(&self) -> bool {
        self.entry.reference == self.entry.name
    }
}

/// A cell's key and device address in rows, in addition to its [`CellId`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellNames {
    /// See [`MeasurementRow::key`](crate::results::MeasurementRow::key).
    pub key: String,
    /// See [`DeviceRecord::address`].
    pub address: String,
}

/// All cells of one case, sampled together.
#[derive(Clone, Debug)]
pub struct CaseGroup {
    pub case: Case,
    /// The cells: baselines first, then the cells of each device.
    pub cells: Vec<Cell>,
}

/// The cells of a run, grouped by case.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The cases in the experiment's order, except that cases named in claims come first.
    pub groups: Vec<CaseGroup>,
}

impl Plan {
    /// Plans an experiment on these devices. Without a device, device techniques have cells on [`NO_DEVICE`], so that
    /// the report can explain the missing numbers.
    pub fn new(experiment: &Experiment, targets: &[Target], catalogue: &Catalogue) -> Plan {
        let labels = targets.iter().map(|target| target.record.label.as_str());
        let devices = (0..).map(Processor::Device).zip(labels);
        let mut index = 0;
        let mut groups = Vec::new();
        for case in &experiment.cases {
            let mut cells = Vec::new();
            for choice in experiment.techniques.iter().filter(|it| it.takes(case)) {
                let Some(entry) = catalogue.technique(&experiment.game, &choice.technique) else {
                    continue; // `config` has already rejected names that are not in the catalogue.
                };
                let places: Vec<(Processor, &str)> = match entry.kind {
                    Kind::Serial | Kind::Threads => vec![(Processor::Host, HOST)],
                    Kind::Device if targets.is_empty() => vec![(Processor::NoDevice, NO_DEVICE)],
                    Kind::Device => devices.clone().collect(),
                };
                for (on, device_label) in places {
                    cells.push(Cell {
                        index,
                        pair: index,
                        program: 0,
                        case: case.clone(),
                        choice: choice.clone(),
                        entry: *entry,
                        on,
                        device_label: device_label.to_owned(),
                        asked: true,
                    });
                    index += 1;
                }
            }
            // The reference comes first, because predictions and answers for the other techniques depend on it.
            cells.sort_by_key(|cell| {
                let is_on_device = cell.on != Processor::Host;
                (
                    is_on_device,
                    !cell.is_reference(),
                    cell.entry.kind,
                    cell.index,
                )
            });
            let case = case.clone();
            groups.push(CaseGroup { case, cells });
        }
        Plan { groups }
    }

    /// Marks the cells that are not in `part` as excluded.
    pub fn asking(mut self, part: &Experiment) -> Plan {
        let cases: HashSet<&Case> = part.cases.iter().collect();
        for cell in self.groups.iter_mut().flat_map(|group| &mut group.cells) {
            let choice = part.choice(&cell.choice.label);
            let takes = choice.is_some_and(|choice| choice.takes(&cell.case));
            cell.asked = takes && cases.contains(&cell.case);
        }
        self
    }

    /// Returns a plan with the requested cells and, in the same cases, the other cells that `more` accepts.
    pub fn asked(&self, more: impl Fn(&Cell) -> bool) -> Plan {
        let mut groups = self.groups.clone();
        groups.retain(|group| group.cells.iter().any(|cell| cell.asked));
        for group in &mut groups {
            group.cells.retain(|cell| cell.asked || more(cell));
        }
        Plan { groups }
    }

    /// Moves the cases that `is_named` selects to the front, and with them the smaller cases that predict their costs.
    pub fn named_first(&mut self, is_named: impl Fn(&Case) -> bool) {
        let cases = self.groups.iter().map(|group| group.case.clone());
        let named: Vec<Case> = cases.filter(is_named).collect();
        self.groups.sort_by_cached_key(|group| {
            let case = &group.case;
            let is_needed = |named: &Case| named == case || is_step_to(case, named);
            !named.iter().any(is_needed)
        });
    }

    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.groups.iter().flat_map(|group| &group.cells)
    }
}

/// Returns a run's devices with their labels in its folder. Devices with the same name are numbered. A device keeps its
/// number when devices are added, so that its rows stay valid. Labels that the experiment lists do not change.
pub fn called_as_before(targets: &[Target], experiment: &Experiment, folder: &Path) -> Vec<Target> {
    let mut called = targets.to_vec();
    let mut choices = experiment.techniques.iter();
    let is_listed =
        choices.any(|it| matches!(Devices::of(&it.params), Ok(Some(Devices::Listed(_)))));
    // A damaged folder is rejected later, when it is opened.
    let (Ok(environment), false) = (read_environment(folder), is_listed) else {
        return called;
    };
    let known = environment.invocations.iter().flat_map(|it| &it.devices);
    let known: Vec<&DeviceRecord> = known.collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut new = Vec::new();
    for target in &mut called {
        let own = &target.record;
        let is_it = |it: &&&DeviceRecord| {
            !it.address.is_empty()
                && (&it.platform, &it.name, &it.address) == (&own.platform, &own.name, &own.address)
        };
        match known.iter().find(is_it) {
            Some(earlier) if taken.insert(earlier.label.clone()) => {
                target.record.label.clone_from(&earlier.label);
            }
            _ => new.push(target),
        }
    }
    let labels: HashSet<&str> = known.iter().map(|it| it.label.as_str()).collect();
    for target in new {
        if taken.contains(&target.record.label) {
            let own = target.record.label.clone();
            let name = own.rsplit_once(" #").map_or(&*own, |(name, _)| name);
            let mut numbered = (1..).map(|number| format!("{name} #{number}"));
            let is_free = |it: &String| !labels.contains(it.as_str()) && !taken.contains(it);
            target.record.label = numbered.find(is_free).unwrap_or(own);
        }
        taken.insert(target.record.label.clone());
    }
    called
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Invocation, RunFolder};

    fn device(address: &str, label: &str) -> Target {
        Target {
            address: (0, 0),
            record: DeviceRecord {
                label: label.into(),
                name: "card".into(),
                address: address.into(),
                ..DeviceRecord::default()
            },
            has_display: false,
            environment: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Returns the labels of the devices `now`, which resume a folder with the devices `before`.
    fn called(before: &[(&str, &str)], now: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let of = |all: &[(&str, &str)]| -> Vec<Target> {
            all.iter()
                .map(|(address, label)| device(address, label))
                .collect()
        };
        let invocation = Invocation {
            devices: of(before).into_iter().map(|it| it.record).collect(),
            ..Invocation::default()
        };
        let run = RunFolder::create(folder.path()).unwrap();
        run.add_invocation(&invocation.with_id()).unwrap();
        let text =
            "name = \"x\"\ngame = \"connect-four\"\ntask = \"perft\"\ncases = [{ depth = 1 }]\n";
        let catalogue = crate::techniques::registry::catalogue();
        let experiment = crate::config::parse(text, "x", &catalogue).unwrap();
        let called = called_as_before(&of(now), &experiment, folder.path());
        called.into_iter().map(|it| it.record.label).collect()
    }

    #[test]
    fn a_device_keeps_its_label_with_other_devices_beside_it() {
        let two = [("a", "card #1"), ("b", "card #2")];
        assert_eq!(called(&two, &[("b", "card")]), ["card #2"]);
        assert_eq!(called(&[("b", "card")], &two), ["card #1", "card"]);
        assert_eq!(called(&two, &two), ["card #1", "card #2"]);
        // A new device must not take another device's label.
        let other = [("b", "card #1"), ("c", "card #2")];
        assert_eq!(called(&two, &other), ["card #2", "card #3"]);
        assert_eq!(called(&[("a", "card")], &[("c", "card")]), ["card"]);
        // Devices without an address cannot be distinguished.
        assert_eq!(called(&[("", "card #1")], &[("", "card")]), ["card"]);
    }
}
