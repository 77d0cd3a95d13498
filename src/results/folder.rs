use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::csv_file::CsvFile;
use super::environment::add_invocations;
use super::{
    ENVIRONMENT, EXPERIMENT, FACTS, FactRow, Invocation, LOCK, LOGS, MEASUREMENTS, MeasurementRow,
    RESOURCES, ResourceRow, ResultsError, Run, SAMPLES, SampleRow, is_ours, read_environment,
};

/// Longest name of a log, in characters: file systems take 255 bytes, the ending included.
const LONGEST_NAME: usize = 200;

/// A run folder that this process alone writes to, until it is dropped.
///
/// Rows are on their way to the disk when an append returns: a process that is killed a moment
/// later loses nothing, and a row that it was writing is dropped by the next reader.
pub struct RunFolder {
    path: PathBuf,
    /// Holds the lock; the system lets go of it when the process ends, however it ends.
    _lock: File,
    samples: CsvFile<SampleRow>,
    measurements: CsvFile<MeasurementRow>,
    facts: CsvFile<FactRow>,
    resources: CsvFile<ResourceRow>,
    warnings: Vec<String>,
}

impl RunFolder {
    /// Opens a folder for writing: creates it if it does not exist, and continues a run of this format.
    ///
    /// # Errors
    ///
    /// If another run writes to it, if it holds anything but a run, if another version of the program wrote it, if a
    /// row before the last line is damaged, or if the system refuses.
    pub fn create(path: &Path) -> Result<RunFolder, ResultsError> {
        std::fs::create_dir_all(path).map_err(ResultsError::io("made", path))?;
        refuse_strangers(path)?;
        RunFolder::take(path)
    }

    /// Opens an existing run folder for writing.
    ///
    /// # Errors
    ///
    /// As [`RunFolder::create`], and if there is no run.
    pub fn open(path: &Path) -> Result<RunFolder, ResultsError> {
        read_environment(path)?;
        RunFolder::take(path)
    }

    /// Opens a folder for writing and removes what an earlier run of any format left in it, but nothing else:
    /// `--fresh`.
    ///
    /// # Errors
    ///
    /// As [`RunFolder::create`], except for the format and the rows.
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

    fn take(path: &Path) -> Result<RunFolder, ResultsError> {
        let lock = lock(path)?;
        let has_run = path.join(ENVIRONMENT).exists();
        if has_run {
            read_environment(path)?;
        }
        let mut folder = RunFolder::with_lock(path, lock)?;
        if !has_run {
            folder.drop_nobodys_rows()?;
        }
        Ok(folder)
    }

    /// Drops the rows of a folder whose environment was removed: what made them is unknown.
    fn drop_nobodys_rows(&mut self) -> Result<(), ResultsError> {
        let dropped = [
            self.samples.clear()?,
            self.measurements.clear()?,
            self.facts.clear()?,
            self.resources.clear()?,
        ];
        if dropped.contains(&true) {
            self.warnings.push(format!(
                "{}: rows without an {ENVIRONMENT} are dropped: what made them is unknown",
                self.path.display()
            ));
        }
        Ok(())
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
            warnings,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether an earlier run left anything to go on with.
    pub fn has_run(&self) -> bool {
        self.path.join(ENVIRONMENT).exists()
    }

    /// The repairs made when the folder was opened, one line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Reads back what the folder holds.
    ///
    /// # Errors
    ///
    /// As [`Run::read`].
    pub fn read(&self) -> Result<Run, ResultsError> {
        Run::read(&self.path)
    }

    /// Appends the samples of a cell. Sample number 0 starts the cell anew: a reader forgets the
    /// samples with the same key before it.
    ///
    /// # Errors
    ///
    /// Where the system refuses; nothing is appended then.
    pub fn append_samples(&mut self, rows: &[SampleRow]) -> Result<(), ResultsError> {
        self.samples.append(&named_once(rows))
    }

    /// Appends a cell.
    ///
    /// # Errors
    ///
    /// Where the system refuses; nothing is appended then.
    pub fn append_measurement(&mut self, row: &MeasurementRow) -> Result<(), ResultsError> {
        self.measurements.append([row])
    }

    /// Appends cells, all or none.
    ///
    /// # Errors
    ///
    /// Where the system refuses; nothing is appended then.
    pub fn append_measurements(&mut self, rows: &[MeasurementRow]) -> Result<(), ResultsError> {
        self.measurements.append(rows)
    }

    /// Appends facts.
    ///
    /// # Errors
    ///
    /// Where the system refuses; nothing is appended then.
    pub fn append_facts(&mut self, rows: &[FactRow]) -> Result<(), ResultsError> {
        self.facts.append(rows)
    }

    /// Appends what techniques take of their devices.
    ///
    /// # Errors
    ///
    /// Where the system refuses; nothing is appended then.
    pub fn append_resources(&mut self, rows: &[ResourceRow]) -> Result<(), ResultsError> {
        self.resources.append(rows)
    }

    /// Keeps the rows that `valid` accepts, with their samples, and drops all others from the files, including
    /// samples without a row. A resumed run drops rows of another driver, host or kernel. Returns the number of
    /// dropped rows.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written; each file is then either unchanged or fully updated.
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
        let keys: HashSet<&str> = run
            .measurements
            .iter()
            .map(|row| row.key.as_str())
            .collect();
        let samples = run.samples.len();
        run.samples
            .retain(|sample| keys.contains(sample.key.as_str()));
        if run.samples.len() < samples || run.has_loose_samples {
            self.samples.replace(&named_once(&run.samples))?;
        }
        Ok(dropped)
    }

    /// Drops the rows that readers ignore: the row of a cell that a later pass or command measured again, and samples
    /// that were taken again. Returns the number of dropped rows.
    ///
    /// # Errors
    ///
    /// As [`RunFolder::retain`].
    pub fn drop_superseded(&mut self) -> Result<usize, ResultsError> {
        let run = self.read()?;
        let (measurements, samples) = (run.measurements.len(), run.samples.len());
        let mut dropped = self.measurements.rows()? - measurements;
        if dropped > 0 {
            self.measurements.replace(&run.measurements)?;
        }
        let old = self.samples.rows()? - samples;
        if old > 0 {
            self.samples.replace(&named_once(&run.samples))?;
        }
        dropped += old;
        Ok(dropped)
    }

    /// Adds an invocation to `environment.toml`, atomically. What stands there stays as it is, to the
    /// byte; a file of format 1 goes, and with it what it cannot tell of its rows.
    ///
    /// # Errors
    ///
    /// Where the system refuses.
    pub fn add_invocation(&self, invocation: &Invocation) -> Result<(), ResultsError> {
        self.add_invocations(std::slice::from_ref(invocation))
    }

    /// Adds several, oldest first, by one write.
    ///
    /// # Errors
    ///
    /// Where the system refuses.
    pub fn add_invocations(&self, invocations: &[Invocation]) -> Result<(), ResultsError> {
        add_invocations(&self.path, invocations)
    }

    /// Stores a compiler's output in `logs/`, and returns the path of its file within the folder. Replaces an earlier
    /// log of that name.
    ///
    /// # Errors
    ///
    /// Where the system refuses.
    pub fn write_log(&self, name: &str, text: &str) -> Result<String, ResultsError> {
        let logs = self.path.join(LOGS);
        super::make_folder(&logs)?;
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || "-_=.".contains(c) {
                c
            } else {
                '-'
            }
        };
        let mut file: String = name.chars().map(plain).take(LONGEST_NAME).collect();
        file.push_str(".txt");
        super::write_atomically(&logs.join(&file), text.as_bytes())?;
        Ok(format!("{LOGS}/{file}"))
    }

    /// Writes `experiment.toml`, the resolved experiment, atomically.
    ///
    /// # Errors
    ///
    /// Where the system refuses.
    pub fn write_experiment(&self, text: &str) -> Result<(), ResultsError> {
        super::write_atomically(&self.path.join(EXPERIMENT), text.as_bytes())
    }
}

/// The rows as the file has them: names and invocation, which would be half of it, where they begin
/// alone. The reader fills them in by the key.
fn named_once(rows: &[SampleRow]) -> Vec<SampleRow> {
    let place = |row: &SampleRow| (row.key.clone(), row.invocation.clone());
    let mut before = None;
    let mut named = rows.to_vec();
    for row in &mut named {
        let own = Some(place(row));
        if row.sample > 0 && own == before {
            for name in [
                &mut row.case,
                &mut row.technique,
                &mut row.device,
                &mut row.invocation,
            ] {
                name.clear();
            }
        }
        before = own;
    }
    named
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

/// Locks the folder for this process, and writes its number into the lock file for the message
/// that a second run gets.
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
            // Some systems refuse to read a locked file; the process number is a courtesy.
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
