use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::csv_file::{self, CsvFile};
use super::environment::add_invocations;
use super::private::Secrets;
use super::seal::Sealing;
use super::{
    CellId, ENVIRONMENT, EXPERIMENT, FACTS, FactRow, Invocation, LOCK, LOGS, MEASUREMENTS,
    MeasurementRow, NO_DEVICE, RESOURCES, ResourceRow, ResultsError, Run, SAMPLES, Sample,
    TECHNIQUES, is_of_run, read_environment,
};
use crate::words::{Status, TechniqueRecord};

/// Maximum length of a log's file name, in characters. File systems allow 255 bytes, including the extension.
const LONGEST_NAME: usize = 200;

/// A run folder that only this process writes to until it is dropped. Killing the process loses at most one row.
pub struct RunFolder {
    path: PathBuf,
    /// Holds the lock. The system releases it when the process ends.
    _lock: File,
    samples: CsvFile<Sample>,
    measurements: CsvFile<MeasurementRow>,
    facts: CsvFile<FactRow>,
    resources: CsvFile<ResourceRow>,
    /// Hashes of each cell's samples so far, to seal the cell's row.
    sealing: HashMap<CellId, Sealing>,
    /// Private names, which no file in the folder may contain.
    private: Secrets,
    warnings: Vec<String>,
}

impl RunFolder {
    /// Opens or creates a folder for writing, and continues a run in the current format. Drops rows if there is no
    /// `environment.toml`, because the program that measured them is unknown. Fails if another run writes to the
    /// folder, if the folder contains foreign files, if a row before the last line is damaged, or on an I/O error.
    pub fn create(path: &Path) -> Result<RunFolder, ResultsError> {
        if !path.join(ENVIRONMENT).exists() {
            let has_rows = std::fs::read_to_string(path.join(MEASUREMENTS));
            let has_rows = has_rows.is_ok_and(|text| text.lines().count() > 1);
            let mut folder = RunFolder::fresh(path)?;
            let path = path.display();
            let dropped = || format!("{path}: rows without an {ENVIRONMENT} are dropped");
            folder.warnings.extend(has_rows.then(dropped));
            return Ok(folder);
        }
        let lock = lock(path)?;
        read_environment(path)?;
        let mut folder = RunFolder::with_lock(path, lock)?;
        let samples = folder.read()?.samples;
        folder.seal_anew(&samples)?;
        Ok(folder)
    }

    /// Implements `--fresh`: removes a run in any format, but no other files. Fails as [`RunFolder::create`] does,
    /// except that any format is accepted.
    pub fn fresh(path: &Path) -> Result<RunFolder, ResultsError> {
        std::fs::create_dir_all(path).map_err(ResultsError::io("made", path))?;
        refuse_strangers(path)?;
        let lock = lock(path)?;
        for entry in std::fs::read_dir(path).map_err(ResultsError::io("read", path))? {
            let entry = entry.map_err(ResultsError::io("read", path))?;
            let name = entry.file_name();
            if name == LOCK || !is_of_run(&name) {
                continue;
            }
            let path = entry.path();
            let gone = match path.is_dir() {
                true => std::fs::remove_dir_all(&path),
                false => std::fs::remove_file(&path),
            };
            gone.map_err(ResultsError::io("removed", path))?;
        }
        RunFolder::with_lock(path, lock)
    }

    fn with_lock(path: &Path, lock: File) -> Result<RunFolder, ResultsError> {
        let mut warnings = Vec::new();
        let samples = path.join(SAMPLES);
        let zipped = csv_file::zipped(&samples);
        if zipped.exists() {
            if let Some(bytes) = csv_file::read_bytes(&samples)? {
                super::write_atomically(&samples, &bytes)?;
            }
            std::fs::remove_file(&zipped).map_err(ResultsError::io("removed", zipped))?;
        }
        Ok(RunFolder {
            samples: CsvFile::open(samples, &mut warnings)?,
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

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if the folder contains a run to resume.
    pub fn has_run(&self) -> bool {
        self.path.join(ENVIRONMENT).exists()
    }

    /// Returns the repairs made when the folder was opened, one line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Reads the folder. Fails as [`Run::read`] does.
    pub fn read(&self) -> Result<Run, ResultsError> {
        Run::read(&self.path)
    }

    /// Writes a pending row for each planned cell without a row. Drops pending rows with [`NO_DEVICE`] that are no
    /// longer planned, because there is a device now. Fails on an I/O error.
    pub fn plan(&mut self, planned: Vec<MeasurementRow>) -> Result<(), ResultsError> {
        let mut run = self.read()?;
        let cells: HashSet<&CellId> = planned.iter().map(|row| &row.cell).collect();
        let before = run.pending.len();
        let is_due = |row: &MeasurementRow| row.cell.device != NO_DEVICE;
        run.pending
            .retain(|row| is_due(row) || cells.contains(&row.cell));
        if run.pending.len() < before {
            self.measurements
                .replace(run.pending.iter().chain(&run.measurements))?;
        }
        let known = run.pending.iter().chain(&run.measurements);
        let known: HashSet<&CellId> = known.map(|row| &row.cell).collect();
        let new = planned.iter().filter(|row| !known.contains(&row.cell));
        let new = new.map(|row| self.sealed(row));
        let new = new.collect::<Result<Vec<_>, _>>()?;
        self.measurements.append(&new)
    }

    /// Appends samples. If this fails, appends none of them. A sample with number 0 restarts its cell.
    pub fn append_samples(&mut self, rows: &[Sample]) -> Result<(), ResultsError> {
        self.samples.append(rows)?;
        self.seal_anew(rows)
    }

    fn seal_anew(&mut self, samples: &[Sample]) -> Result<(), ResultsError> {
        for sample in samples {
            let own = self.sealing.entry(sample.cell.clone()).or_default();
            if sample.sample == 0 {
                *own = Sealing::default();
            }
            own.add(sample)?;
        }
        Ok(())
    }

    /// Returns the row with its seal, and without private names.
    fn sealed(&self, row: &MeasurementRow) -> Result<MeasurementRow, ResultsError> {
        let mut row = row.clone();
        self.private.scrub_row(&mut row);
        // A row must fit on one line.
        for text in [&mut row.reason, &mut row.notes, &mut row.warnings] {
            *text = text.replace(['\n', '\r'], " ");
        }
        let own = self.sealing.get(&row.cell);
        let own = own.filter(|_| row.status == Status::Ok);
        row.seal = own.cloned().unwrap_or_default().seal(&row)?;
        Ok(row)
    }

    /// Appends a cell's row. On an I/O error, appends nothing and fails.
    pub fn append_measurement(&mut self, row: &MeasurementRow) -> Result<(), ResultsError> {
        let row = self.sealed(row)?;
        self.measurements.append([&row])
    }

    /// Appends facts. On an I/O error, appends nothing and fails.
    pub fn append_facts(&mut self, rows: &[FactRow]) -> Result<(), ResultsError> {
        self.facts.append(rows)
    }

    /// Appends device resources. On an I/O error, appends nothing and fails.
    pub fn append_resources(&mut self, rows: &[ResourceRow]) -> Result<(), ResultsError> {
        self.resources.append(rows)
    }

    /// Replaces rows that `valid` rejects with pending rows, but drops them for [`NO_DEVICE`]. Drops samples that no
    /// `ok` row counts. Returns the number of rejected rows. If this fails, each file is unchanged or fully updated.
    pub fn retain(
        &mut self,
        valid: impl FnMut(&MeasurementRow) -> bool,
    ) -> Result<usize, ResultsError> {
        let mut run = self.read()?;
        let rows = std::mem::take(&mut run.measurements).into_iter();
        let (kept, refused): (Vec<_>, Vec<_>) = rows.partition(valid);
        if !refused.is_empty() {
            let pending = refused.iter().filter(|row| row.cell.device != NO_DEVICE);
            let pending = pending.map(|row| self.sealed(&row.pending()));
            let pending = pending.collect::<Result<Vec<_>, _>>()?;
            let rows = run.pending.iter().chain(&pending).chain(&kept);
            self.measurements.replace(rows)?;
        }
        let ok = kept.iter().filter(|row| row.status == Status::Ok);
        let mut left: HashMap<&CellId, u64> = ok.map(|row| (&row.cell, row.samples)).collect();
        let before = run.samples.len();
        run.samples
            .retain(|sample| match left.get_mut(&sample.cell) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    true
                }
                _ => false,
            });
        if run.samples.len() < before {
            self.samples.replace(&run.samples)?;
            self.sealing.clear();
            self.seal_anew(&run.samples)?;
        }
        Ok(refused.len())
    }

    /// Drops superseded rows and samples. Fails as [`RunFolder::retain`] does.
    pub fn drop_superseded(&mut self) -> Result<(), ResultsError> {
        let run = self.read()?;
        let rows = run.pending.iter().chain(&run.measurements);
        self.measurements.replace(rows)?;
        if run.orders.len() > run.samples.len() {
            self.samples.replace(&run.samples)?;
        }
        Ok(())
    }

    /// Adds an invocation to `environment.toml`, atomically. Fails on an I/O error.
    pub fn add_invocation(&self, invocation: &Invocation) -> Result<(), ResultsError> {
        self.add_invocations(std::slice::from_ref(invocation))
    }

    /// Adds several invocations, oldest first, in one write. Fails on an I/O error.
    pub fn add_invocations(&self, invocations: &[Invocation]) -> Result<(), ResultsError> {
        add_invocations(&self.path, invocations)
    }

    /// Stores a compiler's output in `logs/`, and returns its path within the folder. Fails on an I/O error.
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

    /// Writes `experiment.toml` and `techniques.json`, each atomically. Fails on an I/O error.
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

/// Rejects a folder with files but without a run, so that `--out .` does not scatter files over a home folder.
fn refuse_strangers(path: &Path) -> Result<(), ResultsError> {
    if path.join(ENVIRONMENT).exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(ResultsError::io("read", path))? {
        let name = entry.map_err(ResultsError::io("read", path))?.file_name();
        if !is_of_run(&name) {
            let found = format!("it has {:?} but no {ENVIRONMENT}", name.to_string_lossy());
            let problem = format!("not a run folder ({found}); use an empty or a new one");
            return Err(ResultsError::new(path, problem));
        }
    }
    Ok(())
}

/// Locks the folder and writes the process id to the lock file, so that another run can name this process.
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
    match take_lock(&mut file) {
        Ok(Some(holder)) => {
            let remedy = "wait for it to end or use another folder with --out";
            let problem = format!("another run{holder} is writing here; {remedy}");
            Err(ResultsError::new(folder, problem))
        }
        // On a file system without locks, running without a lock is better than not running.
        Err(error) if error.kind() != ErrorKind::Unsupported => {
            Err(ResultsError::io("locked", &path)(error))
        }
        _ => Ok(file),
    }
}

/// Locks a file without waiting, and writes this process's id to it. If another process has the lock, returns a text that
/// names it, such as ` (process 12)`. The text is empty if the file names no process.
pub fn take_lock(file: &mut File) -> io::Result<Option<String>> {
    match file.try_lock() {
        Ok(()) => {
            // The id is optional. Another user's file may be read-only.
            let signed = file.set_len(0).and_then(|()| file.rewind());
            let _ = signed.and_then(|()| writeln!(file, "{}", std::process::id()));
            Ok(None)
        }
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            // Some systems do not allow reading a locked file.
            let _ = file.rewind().and_then(|()| file.read_to_string(&mut text));
            let pid = text.trim().parse::<u32>();
            Ok(Some(
                pid.map_or(String::new(), |pid| format!(" (process {pid})")),
            ))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}
