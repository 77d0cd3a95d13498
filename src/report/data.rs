//! Reads, indexes and groups the data of a report.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::ReportError;
use super::ratios::Ratio;
use crate::check::{Finding, check};
pub(crate) use crate::config::distinct;
use crate::config::{Experiment, parse_stored};
use crate::results::{
    CellId, DeviceRecord, Environment, FactRow, MeasurementRow, ResourceRow, Run, Sample, by_cell,
};
use crate::words::{Case, Catalogue, Kind, Status, Task, Value, cost_fs};

pub(crate) use crate::results::{HOST, NO_DEVICE};

/// The label of the technique whose question the headlines answer. Node counts and rates are compared with it.
pub(crate) const SERIAL: &str = "serial";

/// The contents of a run folder. If the run was interrupted, its missing cells count as not measured.
#[derive(Clone, Debug)]
pub struct RunData {
    /// The run folder. Numbers in its `published/` take precedence over the shared ones.
    pub folder: PathBuf,
    /// Host, devices and program.
    pub environment: Environment,
    /// The experiment.
    pub experiment: Experiment,
    /// The last row of each measured cell.
    pub measurements: Vec<MeasurementRow>,
    /// The rows of cells that the run planned but did not measure.
    pub pending: Vec<MeasurementRow>,
    /// One row per timed repetition of the measured cells.
    pub samples: Vec<Sample>,
    /// Facts about the cases.
    pub facts: Vec<FactRow>,
    /// Device resources that the techniques use.
    pub resources: Vec<ResourceRow>,
    /// The final reference of each technique, by label.
    pub references: HashMap<String, String>,
    /// The kind of each technique, by label.
    pub kinds: HashMap<String, Kind>,
    /// Faults in the folder that were repaired, one line each.
    pub warnings: Vec<String>,
    /// Contradictions in the folder, for example between a row and its samples.
    pub findings: Vec<Finding>,
}

impl RunData {
    /// Reads a run folder, finished or not. Fails if the folder or its experiment is damaged or from another version.
    pub fn read(folder: &Path, catalogue: &Catalogue) -> Result<Self, ReportError> {
        let run = Run::read(folder)?;
        let file = run.path.join("experiment.toml").display().to_string();
        let (experiment, _) = parse_stored(&run.experiment, &file, catalogue, &run.techniques)?;
        Ok(Self::of_experiment(run, experiment, catalogue))
    }

    /// Converts a run whose experiment has been parsed.
    pub fn of_experiment(mut run: Run, experiment: Experiment, catalogue: &Catalogue) -> Self {
        let catalogue = &catalogue.with(&experiment.game, &run.techniques);
        let find = |name: &str| catalogue.technique(&experiment.game, name);
        let (mut references, mut kinds) = (HashMap::new(), HashMap::new());
        for choice in &experiment.techniques {
            let Some(entry) = find(&choice.technique) else {
                continue;
            };
            kinds.insert(choice.label.clone(), entry.kind);
            // A reference may have a reference itself. The last one in the chain defines the question.
            let chain = std::iter::successors(Some(entry), |entry| find(entry.reference));
            let last = chain.take(catalogue.techniques.len()).last();
            references.extend(last.map(|it| (choice.label.clone(), it.reference.to_owned())));
        }
        let findings = check(&mut run, &experiment, catalogue);
        RunData {
            references,
            kinds,
            experiment,
            folder: run.path,
            environment: run.environment,
            measurements: run.measurements,
            pending: run.pending,
            samples: run.samples,
            facts: run.facts,
            resources: run.resources,
            warnings: run.warnings,
            findings,
        }
    }

    /// Returns the planned cases and techniques that have no row on any device because the run ended before them.
    pub fn not_measured(&self) -> Vec<(&str, &str)> {
        let measured: HashSet<_> = self.measurements.iter().map(names).collect();
        let pending = self.pending.iter().map(names);
        distinct(pending.filter(|cell| !measured.contains(cell)))
    }

    pub(crate) fn record(&self, device: &str) -> Option<&DeviceRecord> {
        let mut records = self.environment.devices.iter();
        records.find(|record| record.label == device)
    }

    /// Returns true if a device is a CPU, so that it shares its cores with the CPU programs.
    pub(crate) fn is_cpu(&self, device: &str) -> bool {
        self.record(device).is_some_and(|own| own.kind == "cpu")
    }

    /// Returns true if two techniques have the same final reference.
    pub(crate) fn asks_the_same(&self, technique: &str, other: &str) -> bool {
        let [one, other] = [technique, other].map(|own| self.references.get(own));
        one.is_none() || other.is_none() || one == other
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place<'a> {
    pub technique: &'a str,
    /// The label of a device, [`HOST`] or [`NO_DEVICE`]. Empty if the run ended before the device was known.
    pub device: &'a str,
}

fn names(row: &MeasurementRow) -> (&str, &str) {
    (&row.cell.case, &row.cell.technique)
}

/// Returns true if the label is not empty, [`HOST`] or [`NO_DEVICE`].
pub(crate) fn is_device(label: &str) -> bool {
    ![HOST, NO_DEVICE, ""].contains(&label)
}

pub(crate) type Row<'a> = Option<&'a MeasurementRow>;

pub(crate) struct Index<'a> {
    pub data: &'a RunData,
    rows: HashMap<(&'a str, &'a str, &'a str), &'a MeasurementRow>,
    samples: HashMap<&'a CellId, Vec<&'a Sample>>,
    /// Empty unless this index was made by [`indexed`](super::ratios::indexed).
    pub ratios: Vec<Ratio>,
    /// Index of each ratio, by its cell and its baseline or role.
    pub ratio_places: HashMap<(&'a CellId, &'a str), usize>,
    on_device: HashMap<&'a str, bool>,
    /// The labels of the devices, starting with GPUs.
    pub devices: Vec<&'a str>,
    /// The cases and techniques of measured and pending cells.
    planned: HashSet<(&'a str, &'a str)>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(data: &'a RunData) -> Self {
        let mut records: Vec<&DeviceRecord> = data.environment.devices.iter().collect();
        records.sort_by_key(|device| device.kind != "gpu");
        let devices = records.iter().map(|device| device.label.as_str());
        let rows = || data.measurements.iter();
        let on_device = |row: &'a MeasurementRow| (names(row).1, row.cell.device != HOST);
        let place = |row: &'a MeasurementRow| {
            let (case, technique) = names(row);
            ((case, technique, row.cell.device.as_str()), row)
        };
        Index {
            data,
            rows: rows().map(place).collect(),
            samples: by_cell(&data.samples),
            ratios: Vec::new(),
            ratio_places: HashMap::new(),
            on_device: rows().map(on_device).collect(),
            devices: devices.collect(),
            planned: rows().chain(&data.pending).map(names).collect(),
        }
    }

    pub(crate) fn on_device(&self, technique: &str) -> Option<bool> {
        self.on_device.get(technique).copied()
    }

    /// Returns the places of a technique: the host, all devices, [`NO_DEVICE`], or an empty label if it has no row yet.
    pub(crate) fn places(&self, technique: &str) -> Vec<&'a str> {
        match self.on_device(technique) {
            Some(true) if self.devices.is_empty() => vec![NO_DEVICE],
            Some(true) => self.devices.clone(),
            Some(false) => vec![HOST],
            None => vec![""],
        }
    }

    pub(crate) fn row(&self, case: &str, technique: &str, device: &str) -> Row<'a> {
        self.rows.get(&(case, technique, device)).copied()
    }

    /// Returns the row of a baseline, on `device` if the baseline runs on devices, otherwise on the host.
    pub(crate) fn baseline(&self, case: &str, technique: &str, device: &str) -> Row<'a> {
        let row = |device| self.row(case, technique, device);
        row(device).or_else(|| row(HOST))
    }

    pub(crate) fn is_asked(&self, case: &str, technique: &str) -> bool {
        self.planned.contains(&(case, technique))
    }

    /// Returns a measured cell's samples, in the order in which they were measured.
    pub(crate) fn samples(&self, row: &MeasurementRow) -> &[&'a Sample] {
        let own = self.samples.get(&row.cell);
        let own = own.filter(|_| row.status == Status::Ok);
        own.map_or(&[], Vec::as_slice)
    }

    /// Groups [`Index::costs`] by invocation and pass.
    pub(crate) fn passes(&self, row: &MeasurementRow) -> Vec<((&'a str, u64), Vec<u64>)> {
        let costs = self.costs(row);
        let samples = self.samples(row).iter().zip(costs);
        grouped(samples.map(|(sample, cost)| (sample.pass(), cost)))
    }

    /// Returns the values that ratios compare: times in ns or, if the clock ends a sample, times per playout in fs.
    pub(crate) fn costs(&self, row: &MeasurementRow) -> Vec<u64> {
        let by_playouts = self.is_by_playouts(row);
        let cost = |sample: &&Sample| match by_playouts {
            true => cost_fs(sample.total_ns, sample.playouts),
            false => Some(sample.total_ns),
        };
        self.samples(row).iter().filter_map(cost).collect()
    }

    /// Returns true if a clock ends the samples of a cell, so that its number of playouts shows its speed.
    pub(crate) fn is_by_playouts(&self, row: &MeasurementRow) -> bool {
        self.data.experiment.task == Task::Choose
            && Case::parse(&row.cell.case).is_some_and(|case| case.is_clocked())
    }

    /// Returns every cell of the experiment with its row, case by case, in the experiment's order.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (&'a Case, Place<'a>, Row<'a>)> {
        self.data.experiment.cases.iter().flat_map(move |case| {
            let text = case.to_string();
            let mut cells = Vec::new();
            let choices = self.data.experiment.techniques.iter();
            for choice in choices.filter(|choice| choice.takes(case)) {
                let technique = choice.label.as_str();
                for device in self.places(technique) {
                    let row = self.row(&text, technique, device);
                    cells.push((case, Place { technique, device }, row));
                }
            }
            cells
        })
    }
}

pub(crate) fn grouped<K: PartialEq, T>(
    things: impl IntoIterator<Item = (K, T)>,
) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, thing) in things {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, own)) => own.push(thing),
            None => groups.push((key, vec![thing])),
        }
    }
    groups
}

/// Returns the distinct values. Numbers are sorted, and words keep the order in which they first occur.
pub(crate) fn in_order(all: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut values = distinct(all);
    if values.iter().all(|value| value.as_int().is_some()) {
        values.sort();
    }
    values
}
