//! Makes the site with its landing page, and parts of the repository's pages. No ratio compares two hosts or two runs.

mod landing;
mod rates;

use std::path::{Component, Path, PathBuf};

use rayon::prelude::*;

pub(crate) use rates::DeviceRate;

use super::analysis::{Analysis, analyse};
use super::data::{HOST, grouped, is_device};
use super::document::document;
use super::files::Made;
use super::grid::{Document, Entry};
use super::headline::Headline;
use super::ladder::Ladder;
use super::page::{self, PAGE};
use super::{ReportError, RunData};
use crate::results::ResultsError;
use crate::words::{Catalogue, read_file, read_text};

const RAW: [&str; 7] = [
    "samples.csv",
    "samples.csv.gz",
    "measurements.csv",
    "facts.csv",
    "resources.csv",
    "environment.toml",
    "experiment.toml",
];

/// The text at the end of every generated page. A page without it is not overwritten.
const MADE: &str = "Made by Plybench from";

/// Outputs that combine several runs.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Site {
    /// Write a site with all runs to this folder. Files from an earlier site are kept
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Insert the results into this Markdown file between `<!-- reports:begin -->` and `<!-- reports:end -->`, or the
    /// list of runs between `<!-- runs:begin -->` and `<!-- runs:end -->`
    #[arg(long, value_name = "FILE")]
    pub insert: Vec<PathBuf>,
    /// Write a chart of the results to this file
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
    /// Write the best rate of each device in the runs of `bench score` to this file
    #[arg(long, value_name = "FILE")]
    pub scores: Option<PathBuf>,
}

/// Makes the report of each run, or the requested outputs for all runs, without writing them. The same folders give the
/// same bytes in any order. Fails for a damaged folder, two runs of the same experiment on the same machine, an
/// unsuitable site folder, or a page without marks.
pub fn make(
    folders: &[PathBuf],
    site: Option<&Site>,
    catalogue: &Catalogue,
) -> Result<Made, ReportError> {
    let read = |folder: &PathBuf| -> Result<Run, ReportError> {
        let analysis = analyse(RunData::read(folder, catalogue)?);
        let place = resolved(&analysis.data.folder);
        // `reports/<machine>/<experiment>`.
        let machine = place.parent().and_then(Path::file_name);
        let machine = machine.map(|name| name.to_string_lossy().into_owned());
        Ok(Run {
            document: document(&analysis),
            machine: machine.unwrap_or("machine".to_owned()),
            analysis,
        })
    };
    // The system may not have enough threads left for a pool.
    let loaded: Vec<_> = match rayon::ThreadPoolBuilder::new().build() {
        Ok(pool) => pool.install(|| folders.par_iter().map(read).collect()),
        Err(_) => folders.iter().map(read).collect(),
    };
    let loaded = loaded.into_iter().collect::<Result<Vec<Run>, _>>()?;
    let mut made = Made::default();
    loaded.iter().for_each(|own| made.warn(&own.analysis));
    let Some(site) = site else {
        for run in &loaded {
            made.add_report(&run.analysis, &run.document, &run.data().folder);
        }
        return Ok(made);
    };
    let runs = sorted(loaded)?;
    if let Some(out) = &site.out {
        refuse_strangers(out, &runs)?;
        for run in &runs {
            add_page(run, out, &mut made)?;
        }
        let landing = page::render(&landing::landing(&runs));
        made.pages = vec![made.add(out.join(PAGE), landing)];
    }
    if let Some(path) = &site.chart {
        let svg = landing::chart(&runs).map(|chart| chart.svg);
        made.add(path.to_owned(), svg.unwrap_or_default());
    }
    if let Some(path) = &site.scores {
        made.add(path.to_owned(), rates::csv(&runs));
    }
    for page in &site.insert {
        let text = landing::into(page, &runs).map_err(ReportError::Together)?;
        made.add(page.clone(), text);
    }
    Ok(made)
}

/// Fails if the site would overwrite a run folder, or a page that another program made.
fn refuse_strangers(out: &Path, runs: &[Run]) -> Result<(), ReportError> {
    let refuse = |why: String| {
        let out = out.display();
        let why = format!("--out {out}: {why}; name another folder for the site");
        Err(ReportError::Together(why))
    };
    let page_folder = |run: &Run| out.join(&run.machine).join(run.experiment());
    // The site contains copies of the runs' files. They must not replace the originals.
    for folder in runs.iter().map(page_folder).chain([out.to_owned()]) {
        let mut originals = runs.iter().map(|run| resolved(&run.data().folder));
        let is_run = originals.any(|own| own == resolved(&folder));
        let has = |name: &str| folder.join(name).exists();
        if is_run || has("lock") || folder == *out && has("environment.toml") {
            return refuse(format!("{} is a run folder", folder.display()));
        }
    }
    match read_text(&out.join(PAGE)) {
        Ok(text) if !text.contains(MADE) => {
            refuse(format!("holds an {PAGE} that bench report did not make"))
        }
        _ => Ok(()),
    }
}

fn add_page(run: &Run, out: &Path, made: &mut Made) -> Result<(), ReportError> {
    let folder = out.join(&run.machine).join(run.experiment());
    let mut page = run.document.clone();
    let all = ("All results".to_owned(), format!("../../{PAGE}"));
    page.links.insert(0, all);
    for name in RAW {
        let path = run.data().folder.join(name);
        if path.is_file() {
            let bytes = read_file(&path).map_err(ResultsError::io("read", &path))?;
            made.add(folder.join(name), bytes);
        }
    }
    made.add_page(&run.analysis, &page, &folder);
    Ok(())
}

struct Run {
    analysis: Analysis,
    document: Document,
    machine: String,
}

impl Run {
    fn experiment(&self) -> &str {
        &self.data().experiment.name
    }

    /// Returns the page's folder relative to the site's folder, with a trailing slash.
    fn way(&self) -> String {
        format!("{}/{}/", escaped(&self.machine), escaped(self.experiment()))
    }

    fn data(&self) -> &RunData {
        &self.analysis.data
    }

    fn headline(&self, device: &str) -> Option<&Headline> {
        let mut headlines = self.analysis.headlines.iter();
        headlines.find(|own| own.device == device)
    }

    /// Adds this run's folder to an entry's cell.
    fn cell_of(&self, entry: Entry) -> Entry {
        let (machine, experiment) = (&self.machine, self.experiment());
        let cell = entry.cell.as_ref();
        let cell = cell.map(|cell| format!("{machine}/{experiment}{cell}"));
        Entry { cell, ..entry }
    }

    /// Returns 2 for a GPU, 1 for another device and 0 for the host.
    fn kind(&self, device: &str) -> u8 {
        let record = self.data().record(device);
        record.map_or(0, |own| if own.kind == "gpu" { 2 } else { 1 })
    }

    fn device_title(&self, device: &str) -> String {
        format!("{} ({})", self.device_name(device), self.machine)
    }

    /// Returns a device's name. For a CPU, it includes the OpenCL platform, or `CPU programs` without OpenCL.
    fn device_name(&self, device: &str) -> String {
        let cpu = &self.data().environment.host.cpu;
        let words = ["(R)", "(TM)", " Processor", " CPU"].into_iter();
        let cpu = words.fold(cpu.clone(), |cpu, word| cpu.replace(word, ""));
        match self.data().record(device) {
            Some(record) if record.kind == "cpu" => match record.platform.as_str() {
                "Portable Computing Language" => format!("pocl on {cpu}"),
                platform => format!("{} on {cpu}", platform.replace("(R)", "")),
            },
            None if device == HOST => format!("CPU programs on {cpu}"),
            _ => device.to_owned(),
        }
    }
}

/// A run for a paper, with its ladder on the device that is used for all papers.
struct Paper<'r> {
    run: &'r Run,
    game: &'r str,
    ladder: &'r Ladder,
}

impl Paper<'_> {
    fn title(&self) -> String {
        format!("{}: {}", self.game, self.ladder.name)
    }
}

/// Sorts the runs by game, experiment and machine. Fails if two runs would have the same page.
fn sorted(mut runs: Vec<Run>) -> Result<Vec<Run>, ReportError> {
    runs.sort_by_key(|run| {
        let experiment = &run.data().experiment;
        let (game, name) = (experiment.game.clone(), experiment.name.clone());
        (game, name, run.machine.clone())
    });
    let twins = runs.windows(2).find(|pair| pair[0].way() == pair[1].way());
    if let Some([one, other]) = twins {
        let (name, machine) = (one.experiment(), &one.machine);
        let [one, other] = [one, other].map(|run| run.data().folder.display());
        return Err(ReportError::Together(format!(
            "{name} on {machine}: is in both {one} and {other}; leave one of them out"
        )));
    }
    Ok(runs)
}

/// Returns the runs for the papers on the machine and device with the most ladders, preferably a GPU.
fn shown_papers(runs: &[Run]) -> Vec<Paper<'_>> {
    let papers = runs.iter().flat_map(|run| {
        let game = run.analysis.question.as_ref().map_or("", |own| &own.game);
        let ladders = run.analysis.ladders.iter();
        let ladders = ladders.filter(|ladder| is_device(&ladder.device));
        ladders.map(move |ladder| ((&run.machine, &ladder.device), Paper { run, game, ladder }))
    });
    let places = grouped(papers).into_iter().rev();
    let first = places.max_by_key(|((_, device), own)| (own[0].run.kind(device), own.len()));
    first.map_or(Vec::new(), |(_, papers)| papers)
}

/// Resolves links and dots in a path. The last components of the path need not exist.
pub fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut resolved = PathBuf::new();
    for part in whole.components() {
        if part == Component::ParentDir {
            resolved.pop();
        } else {
            resolved.push(part);
        }
        resolved = resolved.canonicalize().unwrap_or(resolved);
    }
    resolved
}

fn way_from_page(page: &Path, to: &Path) -> String {
    let (page, to) = (resolved(page), resolved(to));
    let from = page.parent().unwrap_or(Path::new("/"));
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..].iter().map(|part| part.as_os_str());
    let parts = up.chain(down.map(|part| escaped(&part.to_string_lossy())));
    parts.collect::<Vec<_>>().join("/")
}

/// Escapes a path component for use in links.
fn escaped(text: &str) -> String {
    let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let shown = text.bytes().map(|byte| match kept(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    shown.collect()
}
