//! The runs of a site by experiment, machine and device.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::report::analysis::Analysis;
use crate::report::data::{HOST, RunData, is_device};
use crate::report::files::Report;
use crate::report::grid::Entry;
use crate::report::ladder::{Ladder, Question};
use crate::report::{ReportError, names};

pub(super) struct Run {
    pub analysis: Analysis,
    pub report: Report,
    pub machine: String,
}

impl Run {
    pub(super) fn experiment(&self) -> &str {
        &self.data().experiment.name
    }

    /// The folder of its page from the site's folder, with a trailing slash.
    pub(super) fn way(&self) -> String {
        format!("{}/{}/", escaped(&self.machine), escaped(self.experiment()))
    }

    pub(super) fn title(&self) -> &str {
        match self.data().experiment.title.as_str() {
            "" => self.experiment(),
            title => title,
        }
    }

    pub(super) fn data(&self) -> &RunData {
        &self.analysis.data
    }

    /// The entry, its cell named with this run's folder.
    pub(super) fn cell_of(&self, entry: Entry) -> Entry {
        let (machine, experiment) = (&self.machine, self.experiment());
        let cell = entry.cell.as_ref();
        let cell = cell.map(|cell| format!("{machine}/{experiment}{cell}"));
        Entry { cell, ..entry }
    }

    fn kind(&self, device: &str) -> u8 {
        match self.analysis.record(device) {
            Some(record) if record.kind == "gpu" => 2,
            _ if device == HOST => 0,
            _ => 1,
        }
    }

    pub(super) fn device_title(&self, device: &str) -> String {
        format!("{} ({})", self.device_name(device), self.machine)
    }

    /// A device's name; the host's processor is named by its OpenCL vendor, or as the CPU programs' processor.
    fn device_name(&self, device: &str) -> String {
        let cpu = &self.data().environment.host.cpu;
        let words = ["(R)", "(TM)", " Processor", " CPU"].into_iter();
        let cpu = words.fold(cpu.clone(), |cpu, word| cpu.replace(word, ""));
        match self.analysis.record(device) {
            Some(record) if record.kind == "cpu" => match record.platform.as_str() {
                "Portable Computing Language" => format!("pocl on {cpu}"),
                platform => format!("{} on {cpu}", platform.replace("(R)", "")),
            },
            None if device == HOST => format!("CPU programs on {cpu}"),
            _ => device.to_owned(),
        }
    }
}

pub(super) struct Paper<'r> {
    pub run: &'r Run,
    pub question: &'r Question,
    /// On the device that all papers are shown on; `None` if the run lacks it.
    pub ladder: Option<&'r Ladder>,
}

impl Paper<'_> {
    pub(super) fn title(&self) -> String {
        let game = names::capitalised(&self.question.game);
        match self.ladder {
            Some(ladder) => format!("{game}: {}", ladder.name),
            None => self.run.experiment().to_owned(),
        }
    }
}

pub(super) struct Runs {
    pub all: Vec<Run>,
}

impl Runs {
    /// Sorts the runs and refuses two runs with one page.
    pub(super) fn new(loaded: Vec<(Analysis, Report)>) -> Result<Self, ReportError> {
        let runs = loaded.into_iter().map(|(analysis, report)| Run {
            machine: machine(&settled(&analysis.data.folder)),
            analysis,
            report,
        });
        let mut all: Vec<Run> = runs.collect();
        all.sort_by_key(|run| {
            let experiment = &run.data().experiment;
            let names = (experiment.game.clone(), experiment.name.clone());
            (names, run.machine.clone())
        });
        let twins = all.windows(2).find(|pair| pair[0].way() == pair[1].way());
        if let Some([one, other]) = twins {
            let (name, machine) = (one.experiment(), &one.machine);
            let [one, other] = [one, other].map(|run| run.data().folder.display());
            return Err(ReportError::Together(format!(
                "{name} on {machine}: is in both {one} and {other}; leave one of them out"
            )));
        }
        Ok(Runs { all })
    }

    /// The papers' runs on one machine, with their ladders on the device with the most ladders, preferably a GPU.
    pub(super) fn papers(&self) -> Vec<Paper<'_>> {
        let own = self.all.iter().filter_map(|run| {
            let question = run.analysis.question.as_ref();
            Some((run, question.filter(|own| !own.game.is_empty())?))
        });
        let mut own: Vec<(&Run, &Question)> = own.collect();
        let places = own.iter().flat_map(|(run, _)| {
            let devices = run.analysis.ladders.iter().map(|own| own.device.as_str());
            devices.map(|device| (*run, device))
        });
        let rank = |(run, device): &(&Run, &str)| {
            let of_machine = own.iter().filter(|(other, _)| other.machine == run.machine);
            let has = of_machine.filter(|(other, _)| other.analysis.ladder_on(device).is_some());
            (run.kind(device), has.count())
        };
        let places: Vec<(&Run, &str)> = places.filter(|(_, device)| is_device(device)).collect();
        let first = places.iter().rev().max_by_key(|place| rank(place)).copied();
        let shown = first.map(|(run, _)| run).or(own.first().map(|own| own.0));
        own.retain(|(run, _)| shown.is_some_and(|shown| shown.machine == run.machine));
        let papers = own.into_iter().map(|(run, question)| Paper {
            ladder: first.and_then(|(_, device)| run.analysis.ladder_on(device)),
            run,
            question,
        });
        papers.collect()
    }

    /// A paper's ladder on a device of a machine, with its run.
    pub(super) fn ladder(
        &self,
        paper: &Paper<'_>,
        machine: &str,
        device: &str,
    ) -> Option<(&Run, &Ladder)> {
        let own = self.of(paper.run.experiment());
        let mut own = own.filter(|run| run.machine == machine);
        let own = own.find_map(|run| Some((run, run.analysis.ladder_on(device)?)));
        own.filter(|(_, ladder)| ladder.case.to_string() == paper.question.case)
    }

    pub(super) fn of(&self, experiment: &str) -> impl Iterator<Item = &Run> {
        let own = move |run: &&Run| run.experiment() == experiment;
        self.all.iter().filter(own)
    }

    /// The machines, each once, machines with a GPU first.
    pub(super) fn machines(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.all.iter().map(|run| run.machine.as_str()).collect();
        let has_gpu = |machine: &str| {
            let of_machine = self.all.iter().filter(|run| run.machine == machine);
            let mut devices = of_machine.flat_map(|run| &run.data().environment.devices);
            devices.any(|own| own.kind == "gpu")
        };
        names.sort_by_key(|name| (!has_gpu(name), *name));
        names.dedup();
        names
    }

    /// The devices of the papers' ladders, each with the run of the machine with the most papers: GPUs first.
    pub(super) fn places(&self) -> Vec<(&Run, &str)> {
        let mut seen: HashSet<(&str, &str)> = HashSet::new();
        let papers = self.papers();
        let places = papers.iter().flat_map(|paper| {
            let runs = self.of(paper.run.experiment());
            let ladders =
                runs.flat_map(|run| run.analysis.ladders.iter().map(move |own| (run, own)));
            let case = &paper.question.case;
            ladders.filter(move |(_, ladder)| ladder.case.to_string() == *case)
        });
        let places = places.map(|(run, ladder)| (run, ladder.device.as_str()));
        let new = places.filter(|&(run, device)| seen.insert((&run.machine, device)));
        let mut places: Vec<(&Run, &str)> = new.collect();
        let shown = papers.first().map(|paper| paper.run.machine.as_str());
        places.sort_by_key(|(run, device)| {
            let has = papers.iter();
            let has = has.filter(|paper| self.ladder(paper, &run.machine, device).is_some());
            let machine = (shown != Some(&run.machine), &run.machine);
            (Reverse(run.kind(device)), Reverse(has.count()), machine)
        });
        let mut named = HashSet::new();
        places.retain(|(run, device)| named.insert(run.device_name(device)));
        places
    }
}

/// The folder above a run folder names the machine: `reports/<machine>/<experiment>`.
fn machine(folder: &Path) -> String {
    let name = folder.parent().and_then(Path::file_name);
    let name = name.map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or("machine".to_owned())
}

/// The path without links; what is not there yet stays as it is.
fn settled(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let settled = whole.ancestors().find_map(|there| {
        let (base, rest) = (there.canonicalize().ok()?, whole.strip_prefix(there).ok()?);
        Some(base.components().chain(rest.components()).collect())
    });
    settled.unwrap_or(whole)
}

pub(super) fn way_from_page(page: &Path, to: &Path) -> String {
    let (page, to) = (settled(page), settled(to));
    let from = page.parent().unwrap_or(Path::new("/"));
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut parts = vec!["..".to_owned(); from.len() - common];
    let down = to[common..].iter().map(|part| part.as_os_str());
    parts.extend(down.map(|part| escaped(&part.to_string_lossy())));
    parts.join("/")
}

/// A path component, escaped for links.
fn escaped(text: &str) -> String {
    let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let shown = text.bytes().map(|byte| match kept(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    shown.collect()
}
