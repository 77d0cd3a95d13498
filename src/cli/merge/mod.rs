//! `bench merge`: merges the shards of an experiment into one run folder.

mod likeness;
mod pairs;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};

use anyhow::anyhow;

use super::check;
use super::exit::{Exit, Failure};
use super::results_args::MergeArgs;
use crate::config::{Experiment, Selection, Shard};
use crate::report::{self, RunData};
use crate::results::{
    self, CellId, Conformance, FactRow, Invocation, MeasurementRow, PeakRow, ResourceRow, Run,
    RunFolder, Sample,
};
use crate::techniques::registry;
use crate::words::{Catalogue, Task};
use likeness::First;
use pairs::Part;

const NAMED: usize = 10;

pub fn run(args: &MergeArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let folders = shards(&args.shards)?;
    keep_apart(&args.out, &folders, args.replace)?;
    let mut merge = Merge::default();
    for folder in &folders {
        merge.add(folder, &catalogue)?;
    }
    // OUT keeps its files until the merged run is whole.
    let parent = args.out.parent().filter(|it| !it.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    results::make_folder(parent)?;
    let whole = tempfile::Builder::new()
        .prefix(".unfinished-merge-")
        .tempdir_in(parent)
        .map_err(|error| Failure::files(anyhow!("{}: {error}", parent.display())))?;
    let shards_lack = merge.write(whole.path())?;
    for folder in &folders {
        for name in ["published", "logs"] {
            copy_missing(&folder.join(name), &whole.path().join(name))?;
        }
    }
    put(whole.path(), &args.out)?;

    let data = RunData::read(&args.out, &catalogue).map_err(Failure::files)?;
    let counts = [data.measurements.len(), data.samples.len()];
    let analysis = report::analyse(data);
    let paths = report::write_from(&analysis, &args.out).map_err(Failure::files)?;
    println!(
        "{}: {} rows and {} samples of {} folders",
        args.out.display(),
        counts[0],
        counts[1],
        folders.len()
    );
    println!("{}", paths.markdown.display());
    println!("{}", paths.page.display());
    let cells = analysis.data.not_measured();
    if shards_lack.is_empty() && cells.is_empty() {
        return Ok(Exit::Good);
    }
    for shard in &shards_lack {
        eprintln!("bench: shard {shard} is not there: its cells are not measured");
    }
    for (case, technique) in cells.iter().take(NAMED) {
        eprintln!("bench: {case} {technique}: was asked for and has no row: run its shard again");
    }
    if cells.len() > NAMED {
        eprintln!("bench: and {} more", cells.len() - NAMED);
    }
    Ok(Exit::Failed)
}

/// The run folders at or below the given ones, each once, in the order of their numbers.
fn shards(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for root in given {
        found.extend(check::some_run_folders(root)?);
    }
    let mut known = BTreeSet::new();
    found.retain(|folder| known.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())));
    // `10-of-12` after `9-of-12`: the merged folder does not depend on the order of the arguments.
    found.sort_by_key(|folder| {
        let name = folder.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| name.split('-').next()?.parse::<u64>().ok());
        (number, folder.clone())
    });
    Ok(found)
}

/// Refuses a folder that is not empty, unless `replace`, and one that is, contains or lies in a shard.
fn keep_apart(out: &Path, shards: &[PathBuf], replace: bool) -> Result<(), Failure> {
    let own = resolved(out).map_err(Failure::files)?;
    let within = |shard: &&PathBuf| {
        let shard = shard.canonicalize();
        shard.is_ok_and(|shard| shard.starts_with(&own) || own.starts_with(&shard))
    };
    let shown = out.display();
    if let Some(shard) = shards.iter().find(within) {
        return Err(Failure::usage(anyhow!(
            "{shown}: would be written over or into the shard {}; name another folder",
            shard.display()
        )));
    }
    let is_empty = || own.read_dir().is_ok_and(|mut all| all.next().is_none());
    if !replace && own.exists() && !is_empty() {
        let why = anyhow!("{shown}: is there already; --replace puts this in its place");
        return Err(Failure::usage(why));
    }
    Ok(())
}

/// Puts a whole run in the place of another.
fn put(made: &Path, out: &Path) -> Result<(), Failure> {
    drop(RunFolder::fresh(out)?);
    let moved = std::fs::read_dir(made).and_then(|mut all| {
        all.try_for_each(|entry| {
            let entry = entry?;
            std::fs::rename(entry.path(), out.join(entry.file_name()))
        })
    });
    moved.map_err(|error| Failure::files(anyhow!("{}: {error}", out.display())))
}

/// A path without links and dots; its last parts may be missing.
fn resolved(path: &Path) -> std::io::Result<PathBuf> {
    let mut whole = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        if part == Component::ParentDir {
            whole.pop();
        } else {
            whole.push(part);
        }
        whole = whole.canonicalize().unwrap_or(whole);
    }
    Ok(whole)
}

/// The shards so far.
#[derive(Default)]
struct Merge {
    first: Option<First>,
    invocations: Vec<Invocation>,
    rows: HashMap<CellId, Vec<Part>>,
    /// By case and name.
    facts: BTreeMap<[String; 2], FactRow>,
    resources: Vec<ResourceRow>,
    pending: Vec<MeasurementRow>,
    verified: Vec<Conformance>,
    peaks: Vec<PeakRow>,
}

impl Merge {
    fn add(&mut self, folder: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
        let run = Run::read(folder)?;
        let (text, techniques) = (run.experiment.clone(), run.techniques.clone());
        let data = match &self.first {
            Some(first) if first.text == text => {
                RunData::of_experiment(run, first.experiment.clone(), catalogue)
            }
            _ => RunData::from_run(run, catalogue).map_err(Failure::files)?,
        };
        if check::show(&data.findings, NAMED) > 0 {
            return Err(Failure::files(anyhow!(
                "{}: does not agree with itself, and nothing is merged; run this shard again",
                folder.display()
            )));
        }
        for warning in &data.warnings {
            eprintln!("{}: {warning}", folder.display());
        }
        let first = self.first.get_or_insert_with(|| First {
            folder: folder.to_owned(),
            text,
            techniques,
            experiment: data.experiment.clone(),
            measured: likeness::measured(&data),
        });
        first.refuse_unlike(&data).map_err(Failure::usage)?;
        let mut samples: HashMap<CellId, Vec<Sample>> = HashMap::new();
        for sample in data.samples {
            samples.entry(sample.cell.clone()).or_default().push(sample);
        }
        let is_match = data.experiment.task == Task::Match;
        for row in data.measurements {
            let invocation = data.environment.invocation(&row.invocation);
            let shard = invocation.and_then(|it| it.selection.shard);
            let parts = self.rows.entry(row.cell.clone()).or_default();
            let part = Part {
                samples: samples.remove(&row.cell).unwrap_or_default(),
                row,
                shard: shard.filter(|_| is_match),
                folder: folder.to_owned(),
            };
            add_row(parts, part)?;
        }
        for fact in data.facts {
            let name = [&fact.case, &fact.fact].map(Clone::clone);
            self.facts.entry(name).or_insert(fact);
        }
        let is_first = |parts: &Vec<Part>| parts.first().is_some_and(|it| it.folder == folder);
        let resources = data.resources.into_iter();
        let resources = resources.filter(|it| self.rows.get(&it.cell).is_some_and(is_first));
        self.resources.extend(resources);
        self.pending.extend(data.pending);
        self.verified.extend(data.verified);
        for invocation in data.environment.invocations {
            if !self.invocations.contains(&invocation) {
                self.invocations.push(invocation);
            }
        }
        let mut peaks = results::read_peaks(folder, &mut Vec::new())?.unwrap_or_default();
        let of =
            |row: &PeakRow| [&row.host, &row.platform, &row.device, &row.driver].map(Clone::clone);
        peaks.retain(|row| self.peaks.iter().all(|known| of(known) != of(row)));
        self.peaks.append(&mut peaks);
        Ok(())
    }

    /// Writes the run folder, with cells in the order of the experiment. Returns the shards that are not there.
    fn write(mut self, out: &Path) -> Result<Vec<Shard>, Failure> {
        let Some(first) = self.first.take() else {
            return Ok(Vec::new());
        };
        let (absent, experiment) = (self.absent(&first.experiment), &first.experiment);
        let cases = experiment.cases.iter().map(ToString::to_string).zip(0..);
        let cases: HashMap<String, usize> = cases.collect();
        let mut cells: Vec<(CellId, Vec<Part>)> = self.rows.into_iter().collect();
        cells.sort_by_cached_key(|(cell, _)| {
            let mut choices = experiment.techniques.iter();
            let technique = choices.position(|it| it.label == cell.technique);
            (cases.get(&cell.case).copied(), technique, cell.clone())
        });
        let cells = cells
            .into_iter()
            .map(|(_, parts)| pairs::joined(parts, experiment));
        let cells: Vec<_> = cells.collect::<Result<_, _>>().map_err(Failure::usage)?;
        let mut folder = RunFolder::fresh(out)?;
        folder.write_experiment(&first.text, &first.techniques)?;
        folder.add_invocations(&self.invocations)?;
        folder.plan(self.pending)?;
        for (row, samples) in cells {
            folder.append_samples(&samples)?;
            folder.append_measurement(&row)?;
        }
        let facts: Vec<FactRow> = self.facts.into_values().collect();
        folder.append_facts(&facts)?;
        folder.append_resources(&self.resources)?;
        Conformance::add_to_run(out, self.verified)?;
        if !self.peaks.is_empty() {
            results::write_peaks(out, &self.peaks)?;
        }
        Ok(absent)
    }

    /// The shards without invocations, among those with work: families may be fewer than shards.
    fn absent(&self, experiment: &Experiment) -> Vec<Shard> {
        let shards = self.invocations.iter().filter_map(|it| it.selection.shard);
        let there: BTreeSet<Shard> = shards.collect();
        let has_work = |shard: Shard| {
            let mut selections = self.invocations.iter().map(|it| Selection {
                shard: Some(shard),
                ..it.selection.clone()
            });
            selections.any(|own| own.of(experiment).is_ok())
        };
        let of = there.first().map_or(0, |shard| shard.of);
        let all = (1..=of).map(|number| Shard { of, number });
        all.filter(|shard| !there.contains(shard) && has_work(*shard))
            .collect()
    }
}

/// Adds a shard's part to a cell. A row equal to an earlier shard's is skipped.
fn add_row(parts: &mut Vec<Part>, part: Part) -> Result<(), Failure> {
    if parts.iter().any(|known| known.row == part.row) {
        return Ok(());
    }
    let is_other = |known: &&Part| part.shard.is_none() || known.shard == part.shard;
    if let Some(other) = parts.iter().find(is_other) {
        let (row, folder) = (&part.row, part.folder.display());
        return Err(Failure::usage(anyhow!(
            "{} and {folder} have both measured {} {} {}: a cell is of one shard; leave one of the folders out",
            other.folder.display(),
            row.cell.case,
            row.cell.technique,
            row.cell.device
        )));
    }
    parts.push(part);
    Ok(())
}

/// Copies a folder's files; those of earlier shards stay.
fn copy_missing(from: &Path, to: &Path) -> Result<(), Failure> {
    let Ok(entries) = std::fs::read_dir(from) else {
        return Ok(());
    };
    results::make_folder(to)?;
    for entry in entries.flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            copy_missing(&path, &to)?;
        } else if kind.is_file() && !to.exists() {
            let copied = std::fs::copy(&path, &to);
            copied.map_err(|error| Failure::files(anyhow!("{}: {error}", path.display())))?;
        }
    }
    Ok(())
}
