use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{
    Conformance, EXPERIMENT, Environment, FACTS, FactRow, MEASUREMENTS, MeasurementRow, RESOURCES,
    ResourceRow, ResultsError, SAMPLES, SampleRow, agreement, csv_file, read_environment,
};

/// Everything that a run folder holds, as far as the run got.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The folder.
    pub path: PathBuf,
    /// Where and with what it was made.
    pub environment: Environment,
    /// `experiment.toml` as it stands there: the resolved experiment, for `config` to parse.
    pub experiment: String,
    /// The cells, one row each, in the order in which they ended. Where a cell was measured again,
    /// its last row. A row that does not agree with its samples or its invocation is
    /// [`Status::Damaged`].
    pub measurements: Vec<MeasurementRow>,
    /// The samples of these rows, in the order of the file. Where a cell was measured anew, its last
    /// ones.
    pub samples: Vec<SampleRow>,
    /// Whether the file has samples that no row speaks of: a row was lost, or the run was killed after
    /// their pass.
    pub has_loose_samples: bool,
    /// The facts, each once: the last.
    pub facts: Vec<FactRow>,
    /// What techniques take of their devices; of each, the last row.
    pub resources: Vec<ResourceRow>,
    /// What `bench verify` had found of its devices.
    pub verified: Vec<Conformance>,
    /// What was wrong with the files and could be passed over, a line each.
    pub warnings: Vec<String>,
}

impl Run {
    /// Reads a run folder, also one that a run is still writing to, and sees whether rows, samples and
    /// invocations agree.
    ///
    /// # Errors
    ///
    /// Where it is no run folder, where another version of the program wrote it, or where a line
    /// before the last is damaged: the error names file and line.
    pub fn read(path: &Path) -> Result<Run, ResultsError> {
        let mut warnings = Vec::new();
        let experiment = path.join(EXPERIMENT);
        let environment = read_environment(path)?;
        let mut measurements = last_by(
            csv_file::read(&path.join(MEASUREMENTS), &mut warnings)?,
            |row: &MeasurementRow| (row.case.clone(), row.technique.clone(), row.device.clone()),
        );
        let mut samples = last_samples(named(csv_file::read(&path.join(SAMPLES), &mut warnings)?));
        let before = samples.len();
        warnings.extend(agreement::drop_loose(&measurements, &mut samples));
        let has_loose_samples = samples.len() < before;
        warnings.extend(agreement::check(&environment, &mut measurements, &samples));
        Ok(Run {
            environment,
            experiment: crate::words::read_text(&experiment)
                .map_err(ResultsError::io("read", &experiment))?,
            samples,
            has_loose_samples,
            measurements,
            facts: last_by(
                csv_file::read(&path.join(FACTS), &mut warnings)?,
                |row: &FactRow| (row.case.clone(), row.fact.clone()),
            ),
            resources: last_by(
                csv_file::read(&path.join(RESOURCES), &mut warnings)?,
                |row: &ResourceRow| {
                    let ResourceRow {
                        case,
                        technique,
                        device,
                        resource,
                        ..
                    } = row;
                    [case, technique, device, resource].map(Clone::clone)
                },
            ),
            verified: Conformance::of_run(path)?,
            path: path.to_owned(),
            warnings,
        })
    }

    /// Reads only the environment, the experiment, the rows and the facts of a run folder. Nothing is checked: for
    /// readers that need only what the rows say.
    ///
    /// # Errors
    ///
    /// As [`Run::read`].
    pub fn read_rows(path: &Path) -> Result<Run, ResultsError> {
        let mut warnings = Vec::new();
        let experiment = path.join(EXPERIMENT);
        Ok(Run {
            environment: read_environment(path)?,
            experiment: crate::words::read_text(&experiment)
                .map_err(ResultsError::io("read", &experiment))?,
            measurements: csv_file::read(&path.join(MEASUREMENTS), &mut warnings)?,
            samples: Vec::new(),
            has_loose_samples: false,
            facts: csv_file::read(&path.join(FACTS), &mut warnings)?,
            resources: Vec::new(),
            verified: Vec::new(),
            path: path.to_owned(),
            warnings,
        })
    }
}

/// Keeps the last row of each identity, in the order of those last rows.
fn last_by<Row, Id: std::hash::Hash + Eq>(rows: Vec<Row>, id: impl Fn(&Row) -> Id) -> Vec<Row> {
    let last: HashMap<Id, usize> = rows
        .iter()
        .enumerate()
        .map(|(i, row)| (id(row), i))
        .collect();
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

/// Drops the samples of a cell that stand before its last sample number 0.
fn last_samples(rows: Vec<SampleRow>) -> Vec<SampleRow> {
    let starts: HashMap<String, usize> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.sample == 0)
        .map(|(i, row)| (row.key.clone(), i))
        .collect();
    rows.into_iter()
        .enumerate()
        .filter(|(i, row)| starts.get(&row.key).is_none_or(|start| start <= i))
        .map(|(_, row)| row)
        .collect()
}
