//! The matrix of a folder of run folders: every technique on every OpenCL implementation.
//!
//! The folder has a folder for each implementation, by name. In it, at any depth, are run folders;
//! beside a run folder `x` may stand `x.log`, what a simulator said of the kernels meanwhile. `verify.json`
//! says what `bench verify` found there: rows of the task `verify`. The
//! file `missing` says in a line why there are none; `failures` has a line for each run that broke off.

mod findings;
mod show;

use std::fs;
use std::path::{Path, PathBuf};

use findings::Finding;

use super::series::distinct;

use crate::results::{Conformance, ResultsError, Run};
use crate::words::{Kind, Status, counted};

/// Says in a line why an implementation has no runs.
const MISSING: &str = "missing";
/// A line for each run that broke off.
const FAILURES: &str = "failures";
/// What `bench verify` wrote.
const VERIFIED: &str = "verify.json";
/// The task of the rows that it makes: no experiment's.
const VERIFY: &str = "verify";
/// The column of the techniques that run on the host.
const HOST: &str = "host";
/// Implementations in this order, others after them by name.
const ORDER: [&str; 4] = ["pocl", "intel", "rusticl", "oclgrind"];

/// What became of a technique on an implementation.
struct Outcome {
    /// `ok`; `ok in part`, where the implementation lacks what some cases need; `unsupported`; `findings`, where every
    /// answer is right; `not run`, where another implementation has a row; or how the worst case failed.
    word: &'static str,
    reason: String,
    /// Whether it is right or honestly unsupported.
    is_good: bool,
}

/// A technique as the experiments name it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    game: String,
    task: String,
    technique: String,
}

/// What became of one case, or with `bench verify` of all hard cases.
#[derive(Debug)]
struct Row {
    name: Name,
    status: Status,
    reason: String,
}

/// One implementation: a column.
#[derive(Debug, Default)]
struct Column {
    name: String,
    missing: Option<String>,
    failures: Vec<String>,
    rows: Vec<Row>,
    findings: Vec<(Name, Finding)>,
}

impl Column {
    /// Whether it was verified: a simulator, which takes hours for it, is not.
    fn is_verified(&self) -> bool {
        self.rows.iter().any(|row| row.name.task == VERIFY)
    }

    fn names(&self) -> impl Iterator<Item = &Name> {
        self.rows.iter().map(|row| &row.name)
    }

    fn of(&self, name: &Name) -> Outcome {
        let rows = || self.rows.iter().filter(|row| row.name == *name);
        let findings = self.findings.iter().filter(|(other, _)| other == name);
        let findings = findings.filter(|(_, it)| it.suppressed(&name.technique).is_none());
        let findings = findings.count();
        let worst = rows().max_by_key(|row| gravity(row.status));
        let (word, reason, is_good) = match worst.map(|row| (gravity(row.status), row)) {
            None => ("not run", String::new(), false),
            Some((0, _)) if findings > 0 => ("findings", counted(findings, "finding"), false),
            Some((0, _)) => ("ok", String::new(), true),
            Some((1, row)) => {
                let word = match rows().all(|row| gravity(row.status) == 1) {
                    true => "unsupported",
                    false => "ok in part",
                };
                (word, row.reason.clone(), true)
            }
            Some((_, row)) => (row.status.word(), row.reason.clone(), false),
        };
        Outcome {
            word,
            reason,
            is_good,
        }
    }
}

/// 0: right; 1: the device lacks something, and says so; more: worse.
fn gravity(status: Status) -> u32 {
    match status {
        Status::Ok => 0,
        Status::Unsupported | Status::Memory => 1,
        Status::Skipped => 2,
        Status::Timeout => 3,
        Status::BuildFailed => 4,
        Status::Crashed | Status::Failed | Status::Damaged => 5,
        Status::Mismatch => 6,
    }
}

/// Techniques by implementation, and what became of each.
#[derive(Debug)]
pub struct Matrix {
    /// The implementations.
    columns: Vec<Column>,
    /// The techniques that run on the host.
    host: Column,
}

impl Matrix {
    /// Reads a folder that has a folder for each implementation.
    ///
    /// # Errors
    ///
    /// Where a file cannot be read, or a run folder is damaged.
    pub fn read(folder: &Path) -> Result<Matrix, ResultsError> {
        let mut folders = subfolders(folder)?;
        folders.sort_by_key(|path| {
            let name = file_name(path);
            let place = ORDER.iter().position(|known| *known == name);
            (place.unwrap_or(ORDER.len()), name)
        });
        let mut columns = Vec::new();
        let mut host = Column {
            name: HOST.to_owned(),
            ..Column::default()
        };
        for path in folders {
            let mut column = Column {
                name: file_name(&path),
                missing: lines(&path.join(MISSING))?.into_iter().next(),
                failures: lines(&path.join(FAILURES))?,
                ..Column::default()
            };
            gather(&path, &mut column, &mut host)?;
            columns.push(column);
        }
        Ok(Matrix { columns, host })
    }

    /// The implementations that ran anything.
    pub fn ran(&self) -> usize {
        let ran = |own: &&Column| !own.rows.is_empty() || !own.failures.is_empty();
        self.columns.iter().filter(ran).count()
    }

    /// Whether everything that ran is right or honestly unsupported.
    pub fn is_good(&self) -> bool {
        let whole = self.columns.iter().all(|column| column.failures.is_empty());
        whole && self.outcomes().all(|(.., outcome)| outcome.is_good)
    }

    /// Whether an answer was wrong.
    pub fn is_wrong(&self) -> bool {
        let mut outcomes = self.outcomes();
        outcomes.any(|(.., outcome)| outcome.word == Status::Mismatch.word())
    }

    /// The techniques of devices, in the order in which the experiments have them.
    fn names(&self) -> Vec<&Name> {
        distinct(self.columns.iter().flat_map(Column::names))
    }

    /// Every technique on every implementation that is there, then those of the host.
    fn outcomes(&self) -> impl Iterator<Item = (&Name, &Column, Outcome)> {
        let there = self.columns.iter().filter(|it| it.missing.is_none());
        let of_devices = there.flat_map(|column| {
            let names = self.names().into_iter();
            let asked = names.filter(|name| name.task != VERIFY || column.is_verified());
            asked.map(move |name| (name, column, column.of(name)))
        });
        of_devices.chain(self.host_outcomes())
    }

    fn host_outcomes(&self) -> impl Iterator<Item = (&Name, &Column, Outcome)> {
        let names = distinct(self.host.names()).into_iter();
        names.map(|name| (name, &self.host, self.host.of(name)))
    }
}

/// Adds what was verified, and the run folders at or below a folder, in the order of their names.
fn gather(folder: &Path, column: &mut Column, host: &mut Column) -> Result<(), ResultsError> {
    if folder.join("measurements.csv").exists() {
        let run = Run::read(folder)?;
        let mut log = folder.as_os_str().to_owned();
        log.push(".log");
        let found = findings::read(&lines(Path::new(&log))?.join("\n"));
        let mut devices: Vec<Name> = Vec::new();
        for row in run.measurements {
            let name = Name {
                game: row.game.clone(),
                task: row.task.clone(),
                technique: row.technique.clone(),
            };
            let of_device = row.kind == Kind::Device.word();
            if of_device && !devices.contains(&name) {
                devices.push(name.clone());
            }
            let of_it = if of_device { &mut *column } else { &mut *host };
            of_it.rows.push(Row {
                name,
                status: row.status,
                reason: row.reason,
            });
        }
        // A log is of a run of one technique of a device; of several, each has all that is in it.
        for name in devices {
            let of_it = found.iter().map(|finding| (name.clone(), finding.clone()));
            column.findings.extend(of_it);
        }
        return Ok(());
    }
    let verified = folder.join(VERIFIED);
    if verified.exists() {
        let rows = Conformance::read(&verified)?.techniques.into_iter();
        column.rows.extend(rows.map(|it| Row {
            name: Name {
                game: it.game,
                task: VERIFY.to_owned(),
                technique: it.technique,
            },
            status: it.status,
            reason: it.reason,
        }));
    }
    for below in subfolders(folder)? {
        gather(&below, column, host)?;
    }
    Ok(())
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> ResultsError + '_ {
    |error| ResultsError::Io {
        path: path.to_owned(),
        what: "read",
        error,
    }
}

/// The folders in a folder, by name.
fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let entries = fs::read_dir(folder).map_err(unreadable(folder))?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut found = paths.map_err(unreadable(folder))?;
    found.retain(|path| path.is_dir());
    found.sort();
    Ok(found)
}

/// The lines of a file that may be missing, and may hold anything.
fn lines(path: &Path) -> Result<Vec<String>, ResultsError> {
    match crate::words::read_file(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            Ok(text.lines().map(str::to_owned).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(unreadable(path)(error)),
    }
}

#[cfg(test)]
mod tests;
