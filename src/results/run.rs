use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::agreement::Loose;
use super::{
    Conformance, EXPERIMENT, Environment, FACTS, FactRow, MEASUREMENTS, MeasurementRow, RESOURCES,
    ResourceRow, ResultsError, SAMPLES, SampleRow, TECHNIQUES, agreement, csv_file,
    read_environment,
};
use crate::words::TechniqueRecord;

/// The contents of a run folder, complete or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The folder.
    pub path: PathBuf,
    /// Host, devices, program and commands.
    pub environment: Environment,
    /// The text of `experiment.toml`, for `config` to parse.
    pub experiment: String,
    /// Its techniques; empty in a folder of an older program.
    pub techniques: Vec<TechniqueRecord>,
    /// The last row of each cell, in the order in which cells ended. A contradictory row is [`Status::Damaged`].
    pub measurements: Vec<MeasurementRow>,
    /// The samples of these rows, in the order of the file; the last ones of a repeated cell.
    pub samples: Vec<SampleRow>,
    /// True if the file has samples without rows.
    pub has_loose_samples: bool,
    /// The cells of these samples, without failed cells.
    pub loose: Vec<Loose>,
    /// Order numbers of all samples of the file.
    pub orders: Vec<u64>,
    /// The facts, each once: the last.
    pub facts: Vec<FactRow>,
    /// Device resources of techniques; the last row of each.
    pub resources: Vec<ResourceRow>,
    /// Results of `bench verify` for its devices.
    pub verified: Vec<Conformance>,
    /// Skipped faults of the files, one line each.
    pub warnings: Vec<String>,
    /// Contradictions between rows, samples and invocations, one line each.
    pub disagreements: Vec<String>,
}

impl Run {
    /// Reads a run folder, also during a run, and checks it. Fails if it is none or another version's, or if a line
    /// before the last is damaged: the error names file and line.
    pub fn read(path: &Path) -> Result<Run, ResultsError> {
        let mut run = Run {
            path: path.to_owned(),
            environment: read_environment(path)?,
            ..Run::default()
        };
        let rows = csv_file::read(&path.join(MEASUREMENTS), &mut run.warnings)?;
        run.measurements = last_by(rows, |row: &MeasurementRow| {
            [&row.case, &row.technique, &row.device].map(Clone::clone)
        });
        let all: Vec<SampleRow> = csv_file::read(&path.join(SAMPLES), &mut run.warnings)?;
        run.orders = all.iter().map(|sample| sample.order).collect();
        run.samples = last_samples(named(all));
        let before = run.samples.len();
        run.loose = agreement::drop_loose(&run.measurements, &mut run.samples);
        run.has_loose_samples = run.samples.len() < before;
        let (environment, rows) = (&run.environment, &mut run.measurements);
        let disagreements = agreement::check(environment, rows, &run.samples);
        let loose = run.loose.iter().map(Loose::to_string);
        run.disagreements = loose.chain(disagreements).collect();
        run.experiment = read_experiment(path)?;
        run.techniques = read_techniques(path)?;
        let facts = csv_file::read(&path.join(FACTS), &mut run.warnings)?;
        run.facts = last_by(facts, |row: &FactRow| {
            [&row.case, &row.fact].map(Clone::clone)
        });
        let resources = csv_file::read(&path.join(RESOURCES), &mut run.warnings)?;
        run.resources = last_by(resources, |row: &ResourceRow| {
            [&row.case, &row.technique, &row.device, &row.resource].map(Clone::clone)
        });
        run.verified = Conformance::of_run(path)?;
        Ok(run)
    }

    /// Reads only environment, experiment, rows and facts of a run folder, unchecked. Fails as [`Run::read`].
    pub fn read_rows(path: &Path) -> Result<Run, ResultsError> {
        let mut warnings = Vec::new();
        Ok(Run {
            environment: read_environment(path)?,
            experiment: read_experiment(path)?,
            techniques: read_techniques(path)?,
            measurements: csv_file::read(&path.join(MEASUREMENTS), &mut warnings)?,
            facts: csv_file::read(&path.join(FACTS), &mut warnings)?,
            path: path.to_owned(),
            warnings,
            ..Run::default()
        })
    }
}

fn read_experiment(folder: &Path) -> Result<String, ResultsError> {
    let path = folder.join(EXPERIMENT);
    crate::words::read_text(&path).map_err(ResultsError::io("read", &path))
}

/// The techniques of a run folder; empty in a folder of an older program.
fn read_techniques(folder: &Path) -> Result<Vec<TechniqueRecord>, ResultsError> {
    let path = folder.join(TECHNIQUES);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = crate::words::read_text(&path).map_err(ResultsError::io("read", &path))?;
    serde_json::from_str(&text).map_err(|error| {
        let error = std::io::Error::other(error);
        ResultsError::io("read", &path)(error)
    })
}

/// All samples of a run folder; the last ones of a repeated cell.
pub(super) fn read_samples(path: &Path) -> Result<Vec<SampleRow>, ResultsError> {
    let all = csv_file::read(&path.join(SAMPLES), &mut Vec::new())?;
    Ok(last_samples(named(all)))
}

/// Keeps the last row of each identity, in the order of those last rows.
fn last_by<Row, Id: std::hash::Hash + Eq>(rows: Vec<Row>, id: impl Fn(&Row) -> Id) -> Vec<Row> {
    let places = rows.iter().enumerate();
    let last: HashMap<Id, usize> = places.map(|(i, row)| (id(row), i)).collect();
    let mut place = 0..;
    let mut rows = rows;
    rows.retain(|row| place.next() == last.get(&id(row)).copied());
    rows
}

/// Fills in the names of every sample from the last row of its key that has them.
fn named(mut rows: Vec<SampleRow>) -> Vec<SampleRow> {
    let mut names: HashMap<String, [String; 4]> = HashMap::new();
    for row in &mut rows {
        if row.technique.is_empty() {
            if let Some(known) = names.get(&row.key) {
                [row.case, row.technique, row.device, row.invocation] = known.clone();
            }
        } else {
            let own = [&row.case, &row.technique, &row.device, &row.invocation];
            names.insert(row.key.clone(), own.map(Clone::clone));
        }
    }
    rows
}

/// Drops the samples of a cell before its last sample number 0.
fn last_samples(mut rows: Vec<SampleRow>) -> Vec<SampleRow> {
    let firsts = rows.iter().enumerate().filter(|(_, row)| row.sample == 0);
    let starts: HashMap<String, usize> = firsts.map(|(i, row)| (row.key.clone(), i)).collect();
    let mut places = 0..;
    rows.retain(|row| places.next() >= starts.get(&row.key).copied());
    rows
}
