//! What a report is made from, and how its parts find each other.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::ReportError;
use super::asked::Asked;
use super::ratios::Ratios;
use super::series::grouped;
use crate::config::{Experiment, parse};
use crate::results::{
    CellIdentity, Conformance, DeviceRecord, Environment, FactRow, Invocation, MeasurementRow,
    ResourceRow, Run, SampleRow,
};
use crate::words::{Case, Catalogue, Kind, Status, Task, TechniqueEntry, cost_fs};

/// The device label of everything that runs on the host alone.
pub(crate) const HOST: &str = "host";
/// What stands for the device of a cell that needs one, in a run that has none.
pub(crate) const NO_DEVICE: &str = "none";
/// The technique whose question the headlines are about, and by which nodes and rates are compared.
pub(crate) const SERIAL: &str = "serial";

/// Everything a run folder says; what an interrupted run lacks is shown as not measured.
#[derive(Clone, Debug)]
pub struct RunData {
    /// The run folder. Published tables are looked for in its `published/` first.
    pub folder: PathBuf,
    /// Where and with what the run was made.
    pub environment: Environment,
    /// What was asked.
    pub experiment: Experiment,
    /// One row a cell, its last.
    pub measurements: Vec<MeasurementRow>,
    /// One row a timed repetition of these.
    pub samples: Vec<SampleRow>,
    /// What is true of the cases themselves.
    pub facts: Vec<FactRow>,
    /// What techniques take of their devices.
    pub resources: Vec<ResourceRow>,
    /// What `bench verify` had found of its devices.
    pub verified: Vec<Conformance>,
    /// The technique whose answers a technique's must equal in the end, by labels.
    pub references: HashMap<String, String>,
    /// How each technique runs, by labels.
    pub kinds: HashMap<String, Kind>,
    /// What was wrong with the folder but could be mended, one line each.
    pub warnings: Vec<String>,
}

impl RunData {
    /// Reads a run folder, finished or not.
    ///
    /// # Errors
    ///
    /// Where it is no run folder, where its files are damaged or another version's, or where its
    /// experiment names what the catalogue does not have.
    pub fn read(folder: &Path, catalogue: &Catalogue) -> Result<Self, ReportError> {
        Self::from_run(Run::read(folder)?, catalogue)
    }

    /// What was read from a run folder, its experiment understood.
    ///
    /// # Errors
    ///
    /// Where the experiment names what the catalogue does not have.
    pub fn from_run(run: Run, catalogue: &Catalogue) -> Result<Self, ReportError> {
        let file = run.path.join("experiment.toml").display().to_string();
        let experiment = parse(&run.experiment, &file, catalogue)?;
        Ok(Self::of_experiment(run, experiment, catalogue))
    }

    /// What was read from a run folder whose `experiment.toml` is known: the same text is read once for all shards.
    pub fn of_experiment(run: Run, experiment: Experiment, catalogue: &Catalogue) -> Self {
        let entries = || {
            experiment.techniques.iter().filter_map(|choice| {
                let entry = catalogue.technique(&experiment.game, &choice.technique)?;
                Some((choice.label.clone(), entry))
            })
        };
        // A reference that is held against another one answers that one's question.
        let last = |entry| {
            let next = |it: &&TechniqueEntry| catalogue.technique(&experiment.game, it.reference);
            let chain = std::iter::successors(Some(entry), next);
            chain.take(catalogue.techniques.len()).last()
        };
        let references =
            entries().filter_map(|(label, entry)| Some((label, last(entry)?.reference.to_owned())));
        let kinds = entries().map(|(label, entry)| (label, entry.kind));
        let mut run = run;
        for row in &mut run.measurements {
            if run.environment.invocations.is_empty() {
                // Format 1 made intervals of one stretch of time.
                (row.low_ns, row.high_ns) = (None, None);
            }
            if let Some(why) = unlike_its_key(&experiment, &run.environment, row) {
                let (case, technique, device) = (&row.case, &row.technique, &row.device);
                let warning = format!("{case} {technique} on {device}: {why}");
                run.warnings.push(warning);
                row.damage(why);
            }
            if row.status == Status::Damaged {
                row.drop_numbers();
            }
        }
        RunData {
            references: references.collect(),
            kinds: kinds.collect(),
            experiment,
            folder: run.path,
            environment: run.environment,
            measurements: run.measurements,
            samples: run.samples,
            facts: run.facts,
            resources: run.resources,
            verified: run.verified,
            warnings: run.warnings,
        }
    }

    /// Whether a row of the folder does not agree with its samples, its key or its invocation.
    pub fn has_damage(&self) -> bool {
        let mut rows = self.measurements.iter();
        rows.any(|row| row.status == Status::Damaged)
    }

    /// The cases and techniques that the commands asked for and that have no row: the run was ended before.
    pub fn not_measured(&self) -> Vec<(String, String)> {
        let asked = Asked::new(&self.experiment, &self.environment.given());
        let rows = self.measurements.iter();
        let rows = rows.map(|row| (row.case.as_str(), row.technique.as_str()));
        let rows: HashSet<(&str, &str)> = rows.collect();
        let mut missing = Vec::new();
        for case in &self.experiment.cases {
            let name = case.to_string();
            for choice in self.experiment.techniques.iter() {
                let is_asked = choice.takes(case) && asked.has(&name, &choice.label);
                if is_asked && !rows.contains(&(name.as_str(), choice.label.as_str())) {
                    missing.push((name.clone(), choice.label.clone()));
                }
            }
        }
        missing
    }

    /// Whether two techniques are held against the same reference in the end.
    pub(crate) fn asks_the_same(&self, technique: &str, other: &str) -> bool {
        let [one, other] = [technique, other].map(|own| self.references.get(own));
        one.is_none() || other.is_none() || one == other
    }
}

/// What of a row its key does not bear out; `None` in format 1, which hashed fewer things.
fn unlike_its_key(
    experiment: &Experiment,
    environment: &Environment,
    row: &MeasurementRow,
) -> Option<String> {
    let invocation = environment.invocation(&row.invocation)?;
    let choice = experiment.choice(&row.technique)?;
    let case = Case::parse(&row.case)?;
    if row.status != Status::Ok {
        return None;
    }
    let (label, address) = (&row.device, &row.address);
    let mut devices = invocation.devices.iter();
    let device = devices.find(|own| own.address == *address && own.label == *label);
    if device.is_none() && label != HOST {
        return Some(format!("its invocation used no device {label} ({address})"));
    }
    let device = device.filter(|_| label != HOST);
    let identity = CellIdentity {
        question: experiment.question(choice, &case),
        program: &invocation.program,
        host: &invocation.host,
        beside: device.map_or(Vec::new(), |own| invocation.beside(&choice.params, own)),
        device,
    };
    let is_own = (identity.key(), identity.id()) == (row.key.clone(), row.cell.clone());
    let why = "its key is not that of its case, technique, options, program, machine and device";
    (!is_own).then(|| why.to_owned())
}

/// What made some samples, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The drivers of their device; none of the host.
    pub drivers: BTreeSet<String>,
    /// In ISO's form; none where the folder does not say.
    pub days: BTreeSet<String>,
}

impl Origin {
    /// Adds that of other samples.
    pub(crate) fn add(&mut self, other: &Origin) {
        self.drivers.extend(other.drivers.iter().cloned());
        self.days.extend(other.days.iter().cloned());
    }

    /// Adds the day of an invocation, where it says one.
    pub(crate) fn add_day(&mut self, invocation: &Invocation) {
        let day = invocation.utc.split('T').next().unwrap_or_default();
        let day = Some(day).filter(|day| !day.is_empty());
        self.days.extend(day.map(str::to_owned));
    }

    /// A day, or the first and the last.
    pub(crate) fn dates(&self) -> String {
        match (self.days.first(), self.days.last()) {
            (Some(first), Some(last)) if first == last => first.clone(),
            (Some(first), Some(last)) => format!("{first} to {last}"),
            _ => "not recorded".to_owned(),
        }
    }
}

/// One technique on one device, or on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place<'a> {
    pub technique: &'a str,
    /// A device's label, [`HOST`], [`NO_DEVICE`], or empty where the run has not got so far as to tell.
    pub device: &'a str,
}

/// Whether a label is a device's: neither the host's nor empty nor [`NO_DEVICE`].
pub(crate) fn is_device(label: &str) -> bool {
    ![HOST, NO_DEVICE, ""].contains(&label)
}

/// A text, and the device that it is about: `pv-split on NVIDIA H200`.
pub(crate) fn on(text: &str, device: &str) -> String {
    match is_device(device) {
        true => format!("{text} on {device}"),
        false => text.to_owned(),
    }
}

/// A cell's row, where it has one.
pub(crate) type Row<'a> = Option<&'a MeasurementRow>;
/// A cell: its case, where it is measured, and its row.
pub(crate) type Cell<'a> = (&'a Case, Place<'a>, Row<'a>);

/// The rows of a run by what they are about.
pub(crate) struct Index<'a> {
    pub data: &'a RunData,
    rows: HashMap<(&'a str, &'a str, &'a str), &'a MeasurementRow>,
    /// By the keys of their cells, in the order in which they were taken.
    samples: HashMap<&'a str, Vec<&'a SampleRow>>,
    /// Made when the first is asked for.
    pub(super) ratios: OnceLock<Ratios>,
    on_device: HashMap<&'a str, bool>,
    devices: Vec<&'a str>,
    asked: Asked,
    /// The places of the cases that have a value on an axis, both as they are written.
    with: HashMap<(&'a str, String), Vec<usize>>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(data: &'a RunData) -> Self {
        let mut rows = HashMap::new();
        let mut on_device = HashMap::new();
        // Readers ask for the GPU first.
        let mut records: Vec<&DeviceRecord> = data.environment.devices.iter().collect();
        records.sort_by_key(|device| device.kind != "gpu");
        let mut devices: Vec<&str> = records.iter().map(|device| device.label.as_str()).collect();
        for row in &data.measurements {
            let device = row.device.as_str();
            rows.insert((row.case.as_str(), row.technique.as_str(), device), row);
            on_device.insert(row.technique.as_str(), device != HOST);
            if is_device(device) && !devices.contains(&device) {
                devices.push(device);
            }
        }
        let mut samples: HashMap<&str, Vec<&SampleRow>> = HashMap::new();
        for sample in &data.samples {
            samples.entry(&sample.key).or_default().push(sample);
        }
        let mut with: HashMap<(&str, String), Vec<usize>> = HashMap::new();
        for (at, case) in data.experiment.cases.iter().enumerate() {
            for (axis, value) in &case.0 {
                let own = with.entry((axis.as_str(), value.to_string())).or_default();
                own.push(at);
            }
        }
        Index {
            with,
            data,
            rows,
            samples,
            ratios: OnceLock::new(),
            on_device,
            devices,
            asked: Asked::new(&data.experiment, &data.environment.given()),
        }
    }

    /// The devices of the run, GPUs first, else in its order.
    pub(crate) fn devices(&self) -> &[&'a str] {
        &self.devices
    }

    /// Whether a technique runs on devices; `None` while it has no row.
    pub(crate) fn on_device(&self, technique: &str) -> Option<bool> {
        self.on_device.get(technique).copied()
    }

    /// Where a technique runs: the host, or every device of the run, or [`NO_DEVICE`]; empty while it has no row.
    pub(crate) fn places(&self, technique: &str) -> Vec<&'a str> {
        match self.on_device(technique) {
            Some(true) if self.devices.is_empty() => vec![NO_DEVICE],
            Some(true) => self.devices.clone(),
            Some(false) => vec![HOST],
            None => vec![""],
        }
    }

    /// The cell's row.
    pub(crate) fn row(&self, case: &str, technique: &str, device: &str) -> Row<'a> {
        self.rows.get(&(case, technique, device)).copied()
    }

    /// The cases that have every value of a partial one, in the experiment's order.
    pub(crate) fn cases_of(&self, partial: &Case) -> Vec<&'a Case> {
        let cases = &self.data.experiment.cases;
        let lists = partial.0.iter().map(|(axis, value)| {
            let list = self.with.get(&(axis.as_str(), value.to_string()));
            list.map_or(&[][..], Vec::as_slice)
        });
        // Few have the rarest value.
        match lists.min_by_key(|list| list.len()) {
            Some(list) => {
                let own = list.iter().map(|at| &cases[*at]);
                own.filter(|case| agrees(case, partial)).collect()
            }
            None => cases.iter().collect(),
        }
    }

    /// The row of a technique that others on `device` are compared with: on the same device
    /// where it runs on devices, else on the host.
    pub(crate) fn baseline(&self, case: &str, technique: &str, device: &str) -> Row<'a> {
        self.row(case, technique, device)
            .or_else(|| self.row(case, technique, HOST))
    }

    /// Whether a cell without a row belongs to the run: whether its commands asked for it.
    pub(crate) fn is_asked(&self, case: &str, technique: &str) -> bool {
        self.asked.has(case, technique)
    }

    /// Whether the run's commands asked for any cell of a case.
    pub(crate) fn is_chosen(&self, case: &str) -> bool {
        let mut choices = self.data.experiment.techniques.iter();
        choices.any(|choice| self.is_asked(case, &choice.label))
    }

    /// The samples of a measured cell, in the order in which they were taken.
    pub(crate) fn samples(&self, row: &MeasurementRow) -> &[&'a SampleRow] {
        let own = self.samples.get(row.key.as_str());
        let own = own.filter(|_| row.status == Status::Ok);
        own.map_or(&[], Vec::as_slice)
    }

    /// Those by invocation and pass.
    pub(crate) fn by_pass(
        &self,
        row: &MeasurementRow,
    ) -> Vec<((&'a str, u64), Vec<&'a SampleRow>)> {
        let samples = self.samples(row).iter();
        grouped(samples.map(|sample| (sample.pass(), *sample)))
    }

    /// What a measured cell cost, as in [`Index::costs`], by invocation and pass.
    pub(crate) fn passes(&self, row: &MeasurementRow) -> Vec<((&'a str, u64), Vec<u64>)> {
        let costs = self.costs(row);
        let samples = self.samples(row).iter().zip(costs);
        grouped(samples.map(|(sample, cost)| (sample.pass(), cost)))
    }

    /// What its invocation shares with the one sampled together with it ([`Invocation::together`]).
    pub(crate) fn together(&self, row: &MeasurementRow) -> Option<&'a str> {
        let invocation = self.data.environment.invocation(&row.invocation)?;
        invocation.together.as_deref()
    }

    /// Where the samples of a cell are from.
    pub(crate) fn origin(&self, row: &MeasurementRow) -> Origin {
        let environment = &self.data.environment;
        let samples = self.samples(row).iter();
        let ids: BTreeSet<&str> = samples.map(|sample| sample.invocation.as_str()).collect();
        let mut origin = Origin::default();
        let own = ids.into_iter().filter_map(|id| environment.invocation(id));
        let own: Vec<&Invocation> = own.collect();
        let of_own = own.iter().flat_map(|invocation| &invocation.devices);
        // Folders of format 1 know no invocations.
        let of_all = environment.devices.iter().filter(|_| own.is_empty());
        let devices = of_all.chain(of_own).filter(|own| own.label == row.device);
        origin.drivers.extend(devices.map(|own| own.driver.clone()));
        own.iter().for_each(|invocation| origin.add_day(invocation));
        origin
    }

    /// What a ratio of two cells compares: times, ns, or where the clock decides, the cost of a playout, fs.
    pub(crate) fn costs(&self, row: &MeasurementRow) -> Vec<u64> {
        let by_playouts = self.is_by_playouts(row);
        let cost = |sample: &&SampleRow| match by_playouts {
            true => cost_fs(sample.total_ns, sample.playouts),
            false => Some(sample.total_ns),
        };
        self.samples(row).iter().filter_map(cost).collect()
    }

    /// Whether a cell's playouts tell how fast it was, because its time does not.
    pub(crate) fn is_by_playouts(&self, row: &MeasurementRow) -> bool {
        self.data.experiment.task == Task::Choose
            && Case::parse(&row.case).is_some_and(|case| case.is_clocked())
    }

    /// The cells that were measured or are still to be, as in [`Index::whole`].
    pub(crate) fn cells(&self) -> impl Iterator<Item = Cell<'a>> {
        self.whole().filter(|(case, place, row)| {
            row.is_some() || self.is_asked(&case.to_string(), place.technique)
        })
    }

    /// How many cells of the experiment are not in this run, for a reader; `None` where all are.
    pub(crate) fn left_out(&self) -> Option<String> {
        let (own, all) = (self.cells().count(), self.whole().count());
        (own < all).then(|| format!("not in this run: {} of {all} cells", all - own))
    }

    /// Every cell of the experiment with its row, case by case, in the experiment's order.
    pub(crate) fn whole(&self) -> impl Iterator<Item = Cell<'a>> {
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

/// Whether a case has every value of a partial one, as they are written: rows hold them so.
pub(crate) fn agrees(case: &Case, partial: &Case) -> bool {
    partial.0.iter().all(|(axis, value)| {
        case.get(axis)
            .is_some_and(|own| own == value || own.to_string() == value.to_string())
    })
}
