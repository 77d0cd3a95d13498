use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{
    CellId, EXPERIMENT, Environment, FACTS, FactRow, MEASUREMENTS, MeasurementRow, RESOURCES,
    ResourceRow, ResultsError, SAMPLES, Sample, TECHNIQUES, csv_file, read_environment,
};
use crate::words::{Status, TechniqueRecord};

/// The contents of a run folder. The run may be incomplete.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The folder's path.
    pub path: PathBuf,
    /// The host, the devices, the program and the commands.
    pub environment: Environment,
    /// The text of `experiment.toml`, which `config` parses.
    pub experiment: String,
    /// The techniques of the game.
    pub techniques: Vec<TechniqueRecord>,
    /// The last row of each measured cell, in the order in which the cells ended.
    pub measurements: Vec<MeasurementRow>,
    /// The rows of cells that were planned but not measured.
    pub pending: Vec<MeasurementRow>,
    /// All samples in file order. A cell that was measured again has only the samples of its last measurement.
    pub samples: Vec<Sample>,
    /// Sequence numbers of all samples in the file, including replaced ones.
    pub orders: Vec<u64>,
    /// The facts. If a fact has several rows, the last one counts.
    pub facts: Vec<FactRow>,
    /// The device resources of techniques. If a resource has several rows, the last one counts.
    pub resources: Vec<ResourceRow>,
    /// One line for each skipped error in the files.
    pub warnings: Vec<String>,
}

impl Run {
    /// Reads a run folder without checking it, even while the run is in progress. Fails if the folder contains no run
    /// or a run in another format, or if a line other than the last is damaged. The error names the file and the line.
    pub fn read(path: &Path) -> Result<Run, ResultsError> {
        let mut run = Run {
            path: path.to_owned(),
            environment: read_environment(path)?,
            ..Run::default()
        };
        let rows: Vec<MeasurementRow> =
            csv_file::read(&path.join(MEASUREMENTS), &mut run.warnings)?;
        let rows = last_by(rows, |row| row.cell.clone()).into_iter();
        (run.pending, run.measurements) = rows.partition(|row| row.status == Status::Pending);
        let all: Vec<Sample> = csv_file::read(&path.join(SAMPLES), &mut run.warnings)?;
        run.orders = all.iter().map(|sample| sample.order).collect();
        run.samples = last_samples(all);
        let text = |name: &str| {
            let path = path.join(name);
            crate::words::read_text(&path).map_err(ResultsError::io("read", path))
        };
        run.experiment = text(EXPERIMENT)?;
        let techniques = serde_json::from_str(&text(TECHNIQUES)?);
        let wrong = ResultsError::io("read", path.join(TECHNIQUES));
        run.techniques = techniques.map_err(wrong)?;
        let facts: Vec<FactRow> = csv_file::read(&path.join(FACTS), &mut run.warnings)?;
        run.facts = last_by(facts, |row| (row.case.clone(), row.fact.clone()));
        let resources: Vec<ResourceRow> = csv_file::read(&path.join(RESOURCES), &mut run.warnings)?;
        run.resources = last_by(resources, |row| (row.cell.clone(), row.resource.clone()));
        Ok(run)
    }
}

/// Keeps only the last of the rows with the same id. The rows stay in order.
fn last_by<Row, Id: std::hash::Hash + Eq>(rows: Vec<Row>, id: impl Fn(&Row) -> Id) -> Vec<Row> {
    let places = rows.iter().enumerate();
    let last: HashMap<Id, usize> = places.map(|(i, row)| (id(row), i)).collect();
    let mut place = 0..;
    let mut rows = rows;
    rows.retain(|row| place.next() == last.get(&id(row)).copied());
    rows
}

/// For each cell, drops the samples that precede its last sample with number 0.
fn last_samples(mut rows: Vec<Sample>) -> Vec<Sample> {
    let firsts = rows.iter().enumerate().filter(|(_, row)| row.sample == 0);
    let starts: HashMap<CellId, usize> = firsts.map(|(i, row)| (row.cell.clone(), i)).collect();
    let mut places = 0..;
    rows.retain(|row| places.next() >= starts.get(&row.cell).copied());
    rows
}
