//! The runs of a report by experiment, machine and device, and where they lie from the report on.

use std::path::{Path, PathBuf};

use super::unlike::differences;
use crate::report::claims::Judged;
use crate::report::data::{HOST, Index, RunData, is_device};
use crate::report::document::Report;
use crate::report::first::players;
use crate::report::grid::Link;
use crate::report::headline::{self, Best};
use crate::report::{ReportError, claims};
use crate::results::Host;
use crate::stats::Verdict;
use crate::words::Task;

/// The page that a reader sees first in a folder: the report's first screen.
pub(super) const README: &str = "README.md";

/// A run folder, read, and its own report.
pub(super) struct Loaded {
    pub data: RunData,
    pub report: Report,
}

/// A machine's device, or its processor where a run had no device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub machine: String,
    pub device: String,
    /// `gpu`, `cpu` and so on; empty for the host.
    pub kind: String,
    /// Whose OpenCL it is; empty for the host.
    pub platform: String,
}

impl Column {
    /// A device of a run, or its host.
    pub(super) fn of(part: &Part<'_>, device: &str) -> Self {
        let records = &part.data().environment.devices;
        let record = records.iter().find(|record| record.label == device);
        Column {
            machine: part.machine.clone(),
            device: device.to_owned(),
            kind: record.map_or(String::new(), |record| record.kind.clone()),
            platform: record.map_or(String::new(), |record| record.platform.clone()),
        }
    }

    /// `NVIDIA H200 (nvidia-h200)`; a processor goes by whose OpenCL it is, because its name is the host's:
    /// `pocl (nvidia-h200)`.
    pub(super) fn title(&self) -> String {
        let name = match (self.kind.as_str(), self.platform.as_str()) {
            ("cpu", "Portable Computing Language") => "pocl",
            ("cpu", platform) if !platform.is_empty() => platform,
            _ => claims::place(&self.device),
        };
        format!("{name} ({})", self.machine)
    }

    pub(super) fn is_device(&self) -> bool {
        is_device(&self.device)
    }

    pub(super) fn is_gpu(&self) -> bool {
        self.kind == "gpu"
    }
}

/// A machine whose processor ran baselines.
pub(super) struct Machine {
    pub name: String,
    pub host: Host,
    /// Operating system and kernel, each that one of its runs had.
    pub systems: Vec<String>,
}

/// One run.
pub(super) struct Part<'a> {
    pub machine: String,
    /// The way from the report to the run folder, with a slash at its end.
    pub folder: String,
    pub index: Index<'a>,
    pub report: &'a Report,
    /// Which of the experiment's groups of like runs it is in.
    pub group: usize,
    /// The best technique of each case, by device; a case that no technique answered is not there.
    bests: Vec<(String, Vec<Best>)>,
}

impl<'a> Part<'a> {
    pub(super) fn data(&self) -> &'a RunData {
        self.index.data
    }

    pub(super) fn experiment(&self) -> &'a str {
        &self.data().experiment.name
    }

    pub(super) fn is_match(&self) -> bool {
        self.data().experiment.task == Task::Match
    }

    /// The devices that it has anything to say of; the host where that is all it ran on.
    pub(super) fn devices(&self) -> Vec<&str> {
        let of_lines = self
            .report
            .headlines
            .iter()
            .map(|line| line.device.as_str());
        let all_players = players(&self.index);
        let on_devices = all_players.iter().any(|player| is_device(player.device));
        let of_players = all_players
            .iter()
            .map(|player| player.device)
            .filter(|device| is_device(device) == on_devices);
        let mut devices: Vec<&str> = Vec::new();
        for device in of_lines.chain(of_players) {
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        devices
    }

    /// The best technique of a case on a device.
    pub(super) fn best(&self, device: &str, case: &str) -> Option<&Best> {
        let (_, bests) = self.bests.iter().find(|(known, _)| known == device)?;
        bests.iter().find(|best| best.case.to_string() == case)
    }

    /// In how many cases the best technique on a device is faster than best CPU, of those with a ratio.
    pub(super) fn cases_faster(&self, device: &str) -> (usize, usize) {
        let own = self.bests.iter().filter(|(known, _)| known == device);
        let verdicts = own.flat_map(|(_, bests)| bests).filter_map(Best::verdict);
        let verdicts: Vec<Verdict> = verdicts.collect();
        let faster = verdicts.iter().filter(|own| **own == Verdict::Faster);
        (faster.count(), verdicts.len())
    }

    /// The run's report at the section that shows a claim's table.
    pub(super) fn link_of(&self, judged: &Judged) -> Link {
        let section =
            crate::report::document::section_of(&self.report.shown_in, &judged.claim.table);
        self.link(section)
    }

    /// The run's report at a section, or its beginning.
    pub(super) fn link(&self, section: Option<&str>) -> Link {
        Link::Run {
            folder: self.folder.clone(),
            section: section.map(str::to_owned),
        }
    }
}

/// All runs of a report.
pub(super) struct Parts<'a> {
    /// By game, experiment and machine.
    pub all: Vec<Part<'a>>,
    /// GPUs first, then other devices, then processors; each by machine.
    pub columns: Vec<Column>,
    /// By name.
    pub machines: Vec<Machine>,
}

impl<'a> Parts<'a> {
    /// Sorts the runs, and refuses those that cannot stand together.
    pub(super) fn new(loaded: &'a [Loaded], out: &Path) -> Result<Self, ReportError> {
        let refused = ReportError::Together;
        if loaded.len() < 2 {
            let count = loaded.len();
            return Err(refused(format!(
                "--out: a report of runs together needs two run folders or more, not {count}"
            )));
        }
        let mut all: Vec<Part<'a>> = loaded
            .iter()
            .map(|own| {
                let folder = settled(&own.data.folder);
                Part {
                    machine: machine(&folder),
                    folder: way(&settled(out), &folder),
                    index: Index::new(&own.data),
                    report: &own.report,
                    group: 0,
                    bests: Vec::new(),
                }
            })
            .collect();
        let place = |part: &Part<'_>| {
            let experiment = &part.data().experiment;
            let names = (experiment.game.clone(), experiment.name.clone());
            (names, part.machine.clone(), part.folder.clone())
        };
        all.sort_by_key(place);
        let machines = machines(&all).map_err(refused)?;
        let columns = columns(&all).map_err(refused)?;
        group(&mut all);
        for part in &mut all {
            part.bests = bests(part);
        }
        Ok(Parts {
            all,
            columns,
            machines,
        })
    }

    /// The experiments by name, each with its runs.
    pub(super) fn experiments(&self) -> Vec<(&'a str, Vec<&Part<'a>>)> {
        let mut experiments: Vec<(&str, Vec<&Part<'a>>)> = Vec::new();
        for part in &self.all {
            match experiments.last_mut() {
                Some((name, parts)) if *name == part.experiment() => parts.push(part),
                _ => experiments.push((part.experiment(), vec![part])),
            }
        }
        experiments
    }
}

/// The run among these that is of a column.
pub(super) fn of_column<'p, 'a>(parts: &[&'p Part<'a>], column: &Column) -> Option<&'p Part<'a>> {
    let mut parts = parts.iter();
    let is_own = |part: &&&Part<'_>| {
        part.machine == column.machine && part.devices().contains(&column.device.as_str())
    };
    parts.find(is_own).copied()
}

fn bests(part: &Part<'_>) -> Vec<(String, Vec<Best>)> {
    if part.is_match() {
        return Vec::new();
    }
    let cases = &part.data().experiment.cases;
    let of_device = |device: &str| {
        let found = cases
            .iter()
            .filter_map(|case| headline::best_of(&part.index, case, device));
        (device.to_owned(), found.collect())
    };
    part.devices().into_iter().map(of_device).collect()
}

/// The machines by name. One name is one processor and one memory; its system may have been renewed.
fn machines(parts: &[Part<'_>]) -> Result<Vec<Machine>, String> {
    let mut machines: Vec<(Machine, &str)> = Vec::new();
    for part in parts {
        let environment = &part.data().environment;
        let invocations = environment.invocations.iter().map(|own| &own.host);
        for host in std::iter::once(&environment.host).chain(invocations) {
            let system = format!("{}, kernel {}", host.os, host.kernel);
            let mut known = machines.iter_mut();
            let Some((known, first)) = known.find(|(known, _)| known.name == part.machine) else {
                let machine = Machine {
                    name: part.machine.clone(),
                    host: host.clone(),
                    systems: vec![system],
                };
                machines.push((machine, &part.folder));
                continue;
            };
            let like = |host: &Host| {
                let (cpus, memory) = (host.logical_cpus, host.memory_gib());
                format!("{}, {cpus} logical processors, {memory} GiB", host.cpu)
            };
            if like(&known.host) != like(host) {
                return Err(format!(
                    "{}: {first} was made on {}, {} on {}; put runs of two machines into folders of two names",
                    part.machine,
                    like(&known.host),
                    part.folder,
                    like(host)
                ));
            }
            if !known.systems.contains(&system) {
                known.systems.push(system);
            }
        }
    }
    machines.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    Ok(machines.into_iter().map(|(machine, _)| machine).collect())
}

/// The columns. An experiment is there once for each.
fn columns(parts: &[Part<'_>]) -> Result<Vec<Column>, String> {
    let mut columns: Vec<Column> = Vec::new();
    let mut taken: Vec<(String, Column, &str)> = Vec::new();
    for part in parts {
        for device in part.devices() {
            let column = Column::of(part, device);
            let experiment = part.experiment();
            let before = taken
                .iter()
                .find(|(name, own, _)| name == experiment && *own == column);
            if let Some((_, _, folder)) = before {
                return Err(format!(
                    "{experiment} on {}: is in both {folder} and {}; leave one of them out",
                    column.title(),
                    part.folder
                ));
            }
            if !columns.contains(&column) {
                columns.push(column.clone());
            }
            taken.push((experiment.to_owned(), column, &part.folder));
        }
    }
    let rank = |column: &Column| match column.device.as_str() {
        _ if column.is_gpu() => 0,
        HOST => 2,
        _ => 1,
    };
    columns.sort_by_key(|column| (rank(column), column.machine.clone()));
    Ok(columns)
}

/// The folder above a run folder names the machine: `reports/<machine>/<experiment>`.
fn machine(folder: &Path) -> String {
    let name = folder.parent().and_then(Path::file_name);
    name.map_or("machine".to_owned(), |name| {
        name.to_string_lossy().into_owned()
    })
}

/// A path without links and detours, as far as it is there.
fn settled(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for there in whole.ancestors() {
        if let (Ok(base), Ok(rest)) = (there.canonicalize(), whole.strip_prefix(there)) {
            // Joined with nothing, a path gets a slash at its end.
            return match rest.as_os_str().is_empty() {
                true => base,
                false => base.join(rest),
            };
        }
    }
    whole
}

/// The way from one folder to another as a link, with a slash at its end.
pub(super) fn way(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut way = "../".repeat(from.len() - common);
    for part in &to[common..] {
        way += &escaped(&part.as_os_str().to_string_lossy());
        way.push('/');
    }
    way
}

/// The way from the folder of a page to a folder.
pub(super) fn way_from_page(page: &Path, to: &Path) -> String {
    let page = settled(page);
    way(page.parent().unwrap_or(Path::new("/")), &settled(to))
}

/// A part of a path as links have it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// Gives each run the group of runs of its experiment that it is like. The first group is that of the
/// first run.
fn group(parts: &mut [Part<'_>]) {
    for at in 0..parts.len() {
        let (before, rest) = parts.split_at_mut(at);
        let Some(part) = rest.first_mut() else { break };
        let same: Vec<&Part<'_>> = before
            .iter()
            .filter(|other| other.experiment() == part.experiment())
            .collect();
        let like = same
            .iter()
            .find(|other| differences(other.data(), part.data()).is_empty());
        let next = same.iter().map(|other| other.group + 1).max().unwrap_or(0);
        part.group = like.map_or(next, |other| other.group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_folder_to_folder() {
        let way = |from: &str, to: &str| way(Path::new(from), Path::new(to));
        assert_eq!(way("/a/reports", "/a/reports/m x/run"), "m%20x/run/");
        assert_eq!(way("/a/b/c", "/a/d"), "../../d/");
        assert_eq!(way("/a", "/a"), "");
    }

    #[test]
    fn the_folder_above_names_the_machine() {
        assert_eq!(machine(Path::new("/x/nvidia-h200/reversi")), "nvidia-h200");
        assert_eq!(machine(Path::new("/reversi")), "machine");
    }
}
