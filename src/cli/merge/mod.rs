//! `bench merge`: merges the shards of an experiment into one run folder.

mod likeness;
mod pairs;

use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};

use anyhow::anyhow;

use super::exit::{Exit, Failure};
use super::results_args::MergeArgs;
use super::validate;
use crate::check::Finding;
use crate::config::{Overrides, Shard};
use crate::report::{self, RunData};
use crate::results::{
    self, Conformance, FactRow, Invocation, MeasurementRow, ResourceRow, ResultsError, Run,
    RunFolder, SampleRow,
};
use crate::techniques::registry;
use crate::words::{Catalogue, Task};
use likeness::Likeness;
use pairs::Part;

const FOLDERS: [&str; 2] = ["published", "logs"];
const NAMED: usize = 10;

pub fn run(args: &MergeArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let folders = shards(&args.shards)?;
    keep_apart(&args.out, &folders, args.replace)?;
    // A refusal half way leaves nothing behind.
    let parent = args.out.parent().filter(|it| !it.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(Failure::files)?;
    let unfinished = tempfile::Builder::new()
        .prefix(".unfinished-merge-")
        .tempdir_in(parent)
        .map_err(|error| Failure::files(anyhow!("{}: {error}", parent.display())))?;
    let mut merge = Merge::new(unfinished.path()).map_err(Failure::files)?;
    for folder in &folders {
        merge.add(folder, &catalogue)?;
    }
    let shards_lack = merge.absent();
    merge.end()?;
    keep_peaks(&folders, unfinished.path())?;
    put(unfinished.path(), &args.out)?;

    let data = RunData::read(&args.out, &catalogue).map_err(Failure::files)?;
    let paths = report::write_from(&data, &args.out).map_err(Failure::files)?;
    println!(
        "{}: {} rows and {} samples of {} folders",
        args.out.display(),
        data.measurements.len(),
        data.samples.len(),
        folders.len()
    );
    println!("{}", paths.markdown.display());
    println!("{}", paths.page.display());
    let cells = data.not_measured();
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

fn keep_peaks(shards: &[PathBuf], to: &Path) -> Result<(), Failure> {
    let mut rows: Vec<results::PeakRow> = Vec::new();
    for shard in shards {
        let read = results::read_peaks(shard, &mut Vec::new()).map_err(Failure::files)?;
        let key = |row: &results::PeakRow| {
            [&row.host, &row.platform, &row.device, &row.driver].map(Clone::clone)
        };
        let known: BTreeSet<_> = rows.iter().map(key).collect();
        rows.extend(
            read.into_iter()
                .flatten()
                .filter(|row| !known.contains(&key(row))),
        );
    }
    match rows.is_empty() {
        true => Ok(()),
        false => results::write_peaks(to, &rows).map_err(Failure::files),
    }
}

/// The run folders at or below the given ones, each once, in the order of their numbers.
fn shards(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for root in given {
        let below = validate::some_run_folders(root)?;
        let new = below.into_iter().filter(|folder| {
            let path = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            known.insert(path)
        });
        found.extend(new);
    }
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
    if !own.exists() {
        return Ok(());
    }
    let is_empty = own.read_dir().is_ok_and(|mut all| all.next().is_none());
    if !replace && !is_empty {
        return Err(Failure::usage(anyhow!(
            "{shown}: is there already; --replace puts this in its place"
        )));
    }
    Ok(())
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

fn put(made: &Path, out: &Path) -> Result<(), Failure> {
    drop(RunFolder::fresh(out).map_err(Failure::files)?);
    let moved = std::fs::read_dir(made).and_then(|all| {
        for entry in all {
            let entry = entry?;
            std::fs::rename(entry.path(), out.join(entry.file_name()))?;
        }
        Ok(())
    });
    moved.map_err(|error| Failure::files(anyhow!("{}: {error}", out.display())))
}

/// Case, technique and device of a row: unique in a run; a divided match has one per shard.
type Place = [String; 3];

/// The merged folder in progress. Samples go to disk per shard, except a match's; rows are kept for sorting.
struct Merge {
    folder: RunFolder,
    /// Properties that the other shards must share, and `experiment.toml`.
    first: Option<(Likeness, String)>,
    invocations: Vec<Invocation>,
    rows: HashMap<Place, Vec<Part>>,
    facts: HashMap<[String; 2], (FactRow, PathBuf)>,
    resources: Vec<ResourceRow>,
    verified: Vec<Conformance>,
}

impl Merge {
    fn new(path: &Path) -> Result<Self, ResultsError> {
        Ok(Self {
            folder: RunFolder::create(path)?,
            first: None,
            invocations: Vec::new(),
            rows: HashMap::new(),
            facts: HashMap::new(),
            resources: Vec::new(),
            verified: Vec::new(),
        })
    }

    fn add(&mut self, folder: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
        let run = Run::read(folder).map_err(Failure::files)?;
        let (text, techniques) = (run.experiment.clone(), run.techniques.clone());
        let data = match &self.first {
            Some((first, known)) if *known == text => {
                RunData::of_experiment(run, first.experiment().clone(), catalogue)
            }
            _ => RunData::from_run(run, catalogue).map_err(Failure::files)?,
        };
        refuse(folder, &data.findings)?;
        for warning in &data.warnings {
            eprintln!("{}: {warning}", folder.display());
        }
        let likeness = Likeness::of(&data);
        match &self.first {
            None => {
                self.folder
                    .write_experiment(&text, &techniques)
                    .map_err(Failure::files)?;
                self.first = Some((likeness, text));
            }
            Some((first, _)) => first.refuse_unlike(&likeness).map_err(Failure::usage)?,
        }
        for invocation in &data.environment.invocations {
            if !self.invocations.contains(invocation) {
                self.invocations.push(invocation.clone());
            }
        }
        let is_match = data.experiment.task == Task::Match;
        let mut new = BTreeSet::new();
        for row in &data.measurements {
            let invocation = data.environment.invocation(&row.invocation);
            let shard = invocation.and_then(|it| it.shard.as_deref()?.parse().ok());
            let own = data.samples.iter().filter(|_| is_match);
            let part = Part {
                row: row.clone(),
                samples: own.filter(|it| it.key == row.key).cloned().collect(),
                shard: shard.filter(|_| is_match),
                folder: folder.to_owned(),
            };
            if self.add_row(part)? && !is_match {
                new.insert(row.key.as_str());
            }
        }
        let samples = data.samples.iter();
        let samples: Vec<_> = samples
            .filter(|sample| new.contains(sample.key.as_str()))
            .cloned()
            .collect();
        self.folder
            .append_samples(&samples)
            .map_err(Failure::files)?;
        for fact in &data.facts {
            self.add_fact(fact, folder)?;
        }
        let of_new = |it: &ResourceRow| {
            let place = [&it.case, &it.technique, &it.device].map(Clone::clone);
            let parts = self.rows.get(&place);
            parts.is_some_and(|parts| parts[0].folder == folder)
        };
        let resources = data.resources.into_iter().filter(of_new);
        let resources: Vec<ResourceRow> = resources.collect();
        self.resources.extend(resources);
        self.verified.extend(data.verified);
        copy_folders(folder, self.folder.path())
    }

    /// True if the row is new. A row equal to an earlier shard's is skipped.
    fn add_row(&mut self, part: Part) -> Result<bool, Failure> {
        let row = &part.row;
        let place = [&row.case, &row.technique, &row.device].map(Clone::clone);
        let parts = self.rows.entry(place).or_default();
        if parts.iter().any(|known| known.row == *row) {
            return Ok(false);
        }
        let is_other = |known: &&Part| part.shard.is_none() || known.shard == part.shard;
        if let Some(other) = parts.iter().find(is_other) {
            return Err(Failure::usage(anyhow!(
                "{} and {} have both measured {} {} {}: a cell is of one shard; leave one of the folders out",
                other.folder.display(),
                part.folder.display(),
                row.case,
                row.technique,
                row.device
            )));
        }
        parts.push(part);
        Ok(true)
    }

    fn add_fact(&mut self, fact: &FactRow, folder: &Path) -> Result<(), Failure> {
        let place = [&fact.case, &fact.fact].map(Clone::clone);
        let known = self
            .facts
            .entry(place)
            .or_insert_with(|| (fact.clone(), folder.to_owned()));
        if known.0 == *fact {
            return Ok(());
        }
        Err(Failure::usage(anyhow!(
            "{} and {} differ in {} of {}: {} and {}",
            known.1.display(),
            folder.display(),
            fact.fact,
            fact.case,
            known.0.value,
            fact.value
        )))
    }

    /// The shards without invocations, among those with work: families may be fewer than shards.
    fn absent(&self) -> Vec<Shard> {
        let of = self.invocations.iter().filter_map(|it| it.shard.as_deref());
        let there: BTreeSet<Shard> = of.filter_map(|text| text.parse().ok()).collect();
        let (Some(of), Some((first, _))) = (there.iter().next().map(|it| it.of), &self.first)
        else {
            return Vec::new();
        };
        let filters = self.invocations.iter().map(filters_of);
        let filters: BTreeSet<(Option<String>, Vec<String>)> = filters.collect();
        let has_something = |shard: &Shard| {
            filters.iter().any(|(technique, cases)| {
                let asked = Overrides {
                    technique: technique.clone(),
                    cases: cases.clone(),
                    shard: Some(*shard),
                    ..Overrides::default()
                };
                first.experiment().clone().apply(&asked).is_ok()
            })
        };
        let all = (1..=of).map(|number| Shard { of, number });
        all.filter(|shard| !there.contains(shard) && has_something(shard))
            .collect()
    }

    fn end(mut self) -> Result<(), Failure> {
        let added = self.folder.add_invocations(&self.invocations);
        added.map_err(Failure::files)?;
        let experiment = self.first.as_ref().map(|(first, _)| first.experiment());
        let cases = experiment.map_or(&[][..], |it| &it.cases);
        let cases = cases.iter().enumerate();
        let cases: HashMap<String, usize> = cases.map(|(at, it)| (it.to_string(), at)).collect();
        let techniques = experiment.map_or(&[][..], |it| &it.techniques);
        let technique = |label: &str| techniques.iter().position(|it| it.label == label);
        let rank = |[case, label, device]: &Place| {
            (cases.get(case).copied(), technique(label), device.clone())
        };
        let mut rows: Vec<_> = std::mem::take(&mut self.rows).into_iter().collect();
        rows.sort_by_cached_key(|(place, _)| rank(place));
        let mut joined = Vec::new();
        for (_, mut parts) in rows {
            joined.push(match (parts.len(), experiment) {
                (2.., Some(experiment)) => {
                    pairs::joined(parts, experiment).map_err(Failure::usage)?
                }
                _ => {
                    let only = parts.swap_remove(0);
                    (only.row, only.samples)
                }
            });
        }
        let (rows, samples): (Vec<MeasurementRow>, Vec<_>) = joined.into_iter().unzip();
        let samples: Vec<SampleRow> = samples.into_iter().flatten().collect();
        self.write(&rows, &samples).map_err(Failure::files)
    }

    fn write(mut self, rows: &[MeasurementRow], samples: &[SampleRow]) -> Result<(), ResultsError> {
        self.folder.append_samples(samples)?;
        self.folder.append_measurements(rows)?;
        let mut facts: Vec<_> = self.facts.into_values().map(|(fact, _)| fact).collect();
        facts.sort_by_key(|fact| (fact.case.clone(), fact.fact.clone()));
        self.folder.append_facts(&facts)?;
        self.folder.append_resources(&self.resources)?;
        Conformance::add_to_run(self.folder.path(), self.verified)
    }
}

fn filters_of(invocation: &Invocation) -> (Option<String>, Vec<String>) {
    let given = invocation.given();
    let of = |name| given.values(name).map(str::to_owned).collect::<Vec<_>>();
    (of("technique").pop(), of("case"))
}

fn refuse(folder: &Path, findings: &[Finding]) -> Result<(), Failure> {
    if validate::show(findings, NAMED) == 0 {
        return Ok(());
    }
    Err(Failure::files(anyhow!(
        "{}: does not agree with itself, and nothing is merged; run this shard again",
        folder.display()
    )))
}

/// Copies the papers' numbers and the compilers' logs; files of earlier shards stay.
fn copy_folders(shard: &Path, to: &Path) -> Result<(), Failure> {
    let mut left: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).collect();
    while let Some(name) = left.pop() {
        let Ok(entries) = std::fs::read_dir(shard.join(&name)) else {
            continue;
        };
        results::make_folder(&to.join(&name)).map_err(Failure::files)?;
        for entry in entries.flatten() {
            let name = name.join(entry.file_name());
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                left.push(name);
            } else if kind.is_file() && !to.join(&name).exists() {
                let copied = std::fs::copy(entry.path(), to.join(&name));
                copied.map_err(|error| {
                    Failure::files(anyhow!("{}: {error}", entry.path().display()))
                })?;
            }
        }
    }
    Ok(())
}
