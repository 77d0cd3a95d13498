use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::csv_file::CsvFile;
use super::environment::add_invocations;
use super::private::Secrets;
use super::run::read_samples;
use super::seal::Sealing;
use super::{
    ENVIRONMENT, EXPERIMENT, FACTS, FactRow, Invocation, LOCK, LOGS, MEASUREMENTS, MeasurementRow,
    RESOURCES, ResourceRow, ResultsError, Run, SAMPLES, SampleRow, TECHNIQUES, is_ours,
    read_environment,
};
use crate::words::{Status, TechniqueRecord};

/// Longest name of a log, in characters: file systems take 255 bytes with the extension.
const LONGEST_NAME: usize = 200;

/// A run folder that only this process writes to, until it is dropped. A kill loses at most an incomplete row.
pub struct RunFolder {
    path: PathBuf,
    /// Holds the lock; the system releases it when the process ends.
    _lock: File,
    samples: CsvFile<SampleRow>,
    measurements: CsvFile<MeasurementRow>,
    facts: CsvFile<FactRow>,
    resources: CsvFile<ResourceRow>,
    /// The samples of each cell so far, by key, for the seals of their rows.
    sealing: HashMap<String, Sealing>,
    /// Names that no file of the folder may contain.
    private: Secrets,
    warnings: Vec<String>,
}

impl RunFolder {
    /// Opens or creates a folder for writing, and continues a run of this format. Fails if another run writes to it, if
    /// it holds anything else, if a row before the last line is damaged, or if the system refuses.
    pub fn create(path: &Path) -> Result<RunFolder, ResultsError> {
        std::fs::create_dir_all(path).map_err(ResultsError::io("made", path))?;
        refuse_strangers(path)?;
        let lock = lock(path)?;
        let has_run = path.join(ENVIRONMENT).exists();
        if has_run {
            read_environment(path)?;
        }
        let mut folder = RunFolder::with_lock(path, lock)?;
        // The program of rows without an environment is unknown.
        let dropped = !has_run
            && [
                folder.samples.clear()?,
                folder.measurements.clear()?,
                folder.facts.clear()?,
                folder.resources.clear()?,
            ]
            .contains(&true);
        if dropped {
            folder.warnings.push(format!(
                "{}: rows without an {ENVIRONMENT} are dropped: what made them is unknown",
                path.display()
            ));
        }
        Ok(folder)
    }

    /// `--fresh`: removes a run of any format, but no other file. Fails as [`RunFolder::create`], except for the
    /// format.
    pub fn fresh(path: &Path) -> Result<RunFolder, ResultsError> {
        std::fs::create_dir_all(path).map_err(ResultsError::io("made", path))?;
        refuse_strangers(path)?;
        let lock = lock(path)?;
        for entry in std::fs::read_dir(path).map_err(ResultsError::io("read", path))? {
            let entry = entry.map_err(ResultsError::io("read", path))?;
            let name = entry.file_name();
            if name == LOCK || !is_ours(&name) {
                continue;
            }
            let gone = if entry.path().is_dir() {
                std::fs::remove_dir_all(entry.path())
            } else {
                std::fs::remove_file(entry.path())
            };
            gone.map_err(ResultsError::io("removed", entry.path()))?;
        }
        RunFolder::with_lock(path, lock)
    }

    fn with_lock(path: &Path, lock: File) -> Result<RunFolder, ResultsError> {
        let mut warnings = Vec::new();
        Ok(RunFolder {
            samples: CsvFile::open(path.join(SAMPLES), &mut warnings)?,
            measurements: CsvFile::open(path.join(MEASUREMENTS), &mut warnings)?,
            facts: CsvFile::open(path.join(FACTS), &mut warnings)?,
            resources: CsvFile::open(path.join(RESOURCES), &mut warnings)?,
            path: path.to_owned(),
            _lock: lock,
            sealing: HashMap::new(),
            private: Secrets::of_here(),
            warnings,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if there is a run to resume.
    pub fn has_run(&self) -> bool {
        self.path.join(ENVIRONMENT).exists()
    }

    /// The repairs made when the folder was opened, one line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Reads the folder. Fails as [`Run::read`].
    pub fn read(&self) -> Result<Run, ResultsError> {
        Run::read(&self.path)
    }

    /// Appends the samples of a cell, or nothing if it fails. Sample number 0 restarts the cell.
    pub fn append_samples(&mut self, rows: &[SampleRow]) -> Result<(), ResultsError> {
        // Before the append, which changes the file.
        for row in rows {
            match row.sample {
                0 => drop(self.sealing.insert(row.key.clone(), Sealing::default())),
                _ => self.know(&row.key)?,
            }
        }
        self.samples.append(&named_once(rows))?;
        for row in rows {
            self.sealing.entry(row.key.clone()).or_default().add(row);
        }
        Ok(())
    }

    fn know(&mut self, key: &str) -> Result<(), ResultsError> {
        if self.sealing.contains_key(key) {
            return Ok(());
        }
        let mut own = Sealing::default();
        let samples = read_samples(&self.path)?;
        let samples = samples.iter().filter(|sample| sample.key == key);
        samples.for_each(|sample| own.add(sample));
        self.sealing.insert(key.to_owned(), own);
        Ok(())
    }

    /// The row without private names, and with its seal.
    fn sealed(&mut self, row: &MeasurementRow) -> Result<MeasurementRow, ResultsError> {
        let mut row = row.clone();
        self.private.scrub_row(&mut row);
        let own = match row.status {
            Status::Ok => {
                self.know(&row.key)?;
                self.sealing[&row.key].clone()
            }
            _ => Sealing::default(),
        };
        row.seal = own.seal(&row);
        Ok(row)
    }

    /// Appends a cell. If the system refuses, appends nothing and fails.
    pub fn append_measurement(&mut self, row: &MeasurementRow) -> Result<(), ResultsError> {
        let row = self.sealed(row)?;
        self.measurements.append([&row])
    }

    /// Appends facts. If the system refuses, appends nothing and fails.
    pub fn append_facts(&mut self, rows: &[FactRow]) -> Result<(), ResultsError> {
        self.facts.append(rows)
    }

    /// Appends device resources. If the system refuses, appends nothing and fails.
    pub fn append_resources(&mut self, rows: &[ResourceRow]) -> Result<(), ResultsError> {
        self.resources.append(rows)
    }

    /// Keeps the rows that `valid` accepts, with their samples. Returns the number of dropped rows. If it fails, each
    /// file is either unchanged or fully updated.
    pub fn retain(
        &mut self,
        mut valid: impl FnMut(&MeasurementRow) -> bool,
    ) -> Result<usize, ResultsError> {
        let mut run = self.read()?;
        let before = run.measurements.len();
        run.measurements.retain(|row| valid(row));
        let dropped = before - run.measurements.len();
        if dropped > 0 {
            self.measurements.replace(&run.measurements)?;
        }
        let keys = run.measurements.iter().map(|row| row.key.as_str());
        let keys: HashSet<&str> = keys.collect();
        let samples = run.samples.len();
        let is_kept = |sample: &SampleRow| keys.contains(sample.key.as_str());
        run.samples.retain(is_kept);
        if run.samples.len() < samples || run.has_loose_samples {
            self.samples.replace(&named_once(&run.samples))?;
        }
        Ok(dropped)
    }

    /// Drops superseded rows and samples. Returns the number of dropped rows. Fails as [`RunFolder::retain`].
    pub fn drop_superseded(&mut self) -> Result<usize, ResultsError> {
        let run = self.read()?;
        let rows = self.measurements.rows()? - run.measurements.len();
        if rows > 0 {
            self.measurements.replace(&run.measurements)?;
        }
        let samples = self.samples.rows()? - run.samples.len();
        if samples > 0 {
            self.samples.replace(&named_once(&run.samples))?;
        }
        Ok(rows + samples)
    }

    /// Adds an invocation to `environment.toml`, atomically. Fails if the system refuses.
    pub fn add_invocation(&self, invocation: &Invocation) -> Result<(), ResultsError> {
        self.add_invocations(std::slice::from_ref(invocation))
    }

    /// Adds several, oldest first, by one write. Fails if the system refuses.
    pub fn add_invocations(&self, invocations: &[Invocation]) -> Result<(), ResultsError> {
        add_invocations(&self.path, invocations)
    }

    /// Stores a compiler's output in `logs/`, and returns its path within the folder. Fails if the system refuses.
    pub fn write_log(&self, name: &str, text: &str) -> Result<String, ResultsError> {
        let logs = self.path.join(LOGS);
        super::make_folder(&logs)?;
        let plain = |c: char| match c.is_ascii_alphanumeric() || "-_=.".contains(c) {
            true => c,
            false => '-',
        };
        let mut file: String = name.chars().map(plain).take(LONGEST_NAME).collect();
        file.push_str(".txt");
        let text = self.private.scrub(text);
        super::write_atomically(&logs.join(&file), text.as_bytes())?;
        Ok(format!("{LOGS}/{file}"))
    }

    /// Writes `experiment.toml` and `techniques.json`, each atomically. Fails if the system refuses.
    pub fn write_experiment(
        &self,
        text: &str,
        techniques: &[TechniqueRecord],
    ) -> Result<(), ResultsError> {
        let lines = techniques.iter().map(serde_json::to_string);
        let lines: Vec<String> = lines.flatten().collect();
        let all = format!("[\n{}\n]\n", lines.join(",\n"));
        super::write_atomically(&self.path.join(TECHNIQUES), all.as_bytes())?;
        super::write_atomically(&self.path.join(EXPERIMENT), text.as_bytes())
    }
}

/// Names and invocation only where they change, which halves the file. The reader fills them in by the key.
fn named_once(rows: &[SampleRow]) -> Vec<SampleRow> {
    let mut before = None;
    let named = rows.iter().cloned().map(|mut row| {
        let own = Some((row.key.clone(), row.invocation.clone()));
        if row.sample > 0 && own == before {
            [row.case, row.technique, row.device, row.invocation] = Default::default();
        }
        before = own;
        row
    });
    named.collect()
}

/// Refuses a folder that holds files but no run: `--out .` must not scatter files over a home.
fn refuse_strangers(path: &Path) -> Result<(), ResultsError> {
    if path.join(ENVIRONMENT).exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(ResultsError::io("read", path))? {
        let name = entry.map_err(ResultsError::io("read", path))?.file_name();
        if !is_ours(&name) {
            let found = name.to_string_lossy().into_owned();
            return Err(ResultsError::NotARunFolder {
                path: path.to_owned(),
                found,
            });
        }
    }
    Ok(())
}

/// Locks the folder, and writes the process id into the lock file for other runs' messages.
fn lock(folder: &Path) -> Result<File, ResultsError> {
    let path = folder.join(LOCK);
    super::write::refuse_others(&path)?;
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(ResultsError::io("opened", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            // Some systems refuse to read a locked file; the process id is optional.
            let _ = file.read_to_string(&mut text);
            let holder = text.trim().parse().ok();
            return Err(ResultsError::Locked {
                path: folder.to_owned(),
                holder,
            });
        }
        // A file system without locks: better no guard than no run.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(ResultsError::io("locked", &path)(error)),
    }
    let written = file
        .set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()));
    written.map_err(ResultsError::io("written", &path))?;
    Ok(file)
}
