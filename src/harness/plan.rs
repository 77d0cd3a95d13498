//! From an experiment to the ordered list of its cells.

use serde::Serialize;

use crate::config::{Experiment, TechniqueChoice};
use crate::results::DeviceRecord;
use crate::words::{Case, Catalogue, Kind, TechniqueEntry};

/// The device label of the CPU techniques.
pub const HOST: &str = "host";

/// The device label of the device techniques' cells where there is no device.
pub const NO_DEVICE: &str = "none";

/// One device of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Platform and device number on this machine.
    pub address: (usize, usize),
    /// What the run folder keeps of it.
    pub record: DeviceRecord,
    /// Variables that its worker needs before its driver loads.
    pub environment: Vec<(String, String)>,
}

/// What a cell runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Processor {
    /// The host.
    Host,
    /// A device, by its place among the run's targets.
    Device(usize),
    /// A device technique's, where there is no device.
    NoDevice,
}

impl Processor {
    /// The device's place; `None` where it is none.
    pub fn place(self) -> Option<usize> {
        match self {
            Processor::Device(place) => Some(place),
            Processor::Host | Processor::NoDevice => None,
        }
    }
}

/// One cell: case, technique, device.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its number in the plan.
    pub index: usize,
    /// Cells of the same number take their turns beside each other: the same one of two programs.
    pub twins: usize,
    /// Whose it is, where two programs are measured: 0 or 1.
    pub program: usize,
    /// The case.
    pub case: Case,
    /// The technique with its parameters.
    pub choice: TechniqueChoice,
    /// The technique's entry in the catalogue.
    pub entry: TechniqueEntry,
    /// What it runs on.
    pub on: Processor,
    /// The device's label in the rows.
    pub device_label: String,
}

impl Cell {
    /// Whether its answers are what others are compared with.
    pub fn is_reference(&self) -> bool {
        self.entry.reference == self.entry.name
    }
}

/// By what rows know a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellNames {
    /// As in [`MeasurementRow::key`](crate::results::MeasurementRow::key).
    pub key: String,
    /// As in [`MeasurementRow::cell`](crate::results::MeasurementRow::cell).
    pub id: String,
    /// As in [`DeviceRecord::address`].
    pub address: String,
}

/// All cells of one case, sampled together.
#[derive(Clone, Debug)]
pub struct CaseGroup {
    /// The case.
    pub case: Case,
    /// Its cells: baselines first, then device by device.
    pub cells: Vec<Cell>,
}

/// The ordered work of a run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Case by case, cheap ones first.
    pub groups: Vec<CaseGroup>,
}

impl Plan {
    /// Lays out an experiment over the devices.
    ///
    /// Where there is no device, a device technique still has its cell, on the pseudo-device
    /// [`NO_DEVICE`], so that the report can say why it is empty.
    pub fn new(experiment: &Experiment, targets: &[Target], catalogue: &Catalogue) -> Plan {
        let mut index = 0;
        let mut groups = Vec::new();
        for case in &experiment.cases {
            let mut cells = Vec::new();
            for choice in experiment
                .techniques
                .iter()
                .filter(|choice| choice.takes(case))
            {
                let Some(entry) = catalogue.technique(&experiment.game, &choice.technique) else {
                    continue; // `config` has refused names that the catalogue lacks.
                };
                let places: Vec<(Processor, String)> = match entry.kind {
                    Kind::Serial | Kind::Threads => vec![(Processor::Host, HOST.to_owned())],
                    Kind::Device if targets.is_empty() => {
                        vec![(Processor::NoDevice, NO_DEVICE.into())]
                    }
                    Kind::Device => targets
                        .iter()
                        .enumerate()
                        .map(|(place, target)| {
                            (Processor::Device(place), target.record.label.clone())
                        })
                        .collect(),
                };
                for (on, device_label) in places {
                    cells.push(Cell {
                        index,
                        twins: index,
                        program: 0,
                        case: case.clone(),
                        choice: choice.clone(),
                        entry: *entry,
                        on,
                        device_label,
                    });
                    index += 1;
                }
            }
            // The reference leads: the others' predictions and answers lean on it.
            cells.sort_by_key(|cell| {
                (
                    cell.on != Processor::Host,
                    !cell.is_reference(),
                    cell.entry.kind,
                    cell.index,
                )
            });
            groups.push(CaseGroup {
                case: case.clone(),
                cells,
            });
        }
        Plan { groups }
    }

    /// All cells, in order.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.groups.iter().flat_map(|group| &group.cells)
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.groups.iter().map(|group| group.cells.len()).sum()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A cell as `--dry-run --json` prints it.
#[derive(Serialize)]
pub struct PlannedCell<'a> {
    /// The case.
    pub case: String,
    /// The technique's label.
    pub technique: &'a str,
    /// The device's label.
    pub device: &'a str,
}

impl<'a> From<&'a Cell> for PlannedCell<'a> {
    fn from(cell: &'a Cell) -> Self {
        Self {
            case: cell.case.to_string(),
            technique: &cell.choice.label,
            device: &cell.device_label,
        }
    }
}
