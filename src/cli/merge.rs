//! `bench merge`: merges the shards of an experiment into one run folder.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args::MergeArgs;
use super::check;
use super::exit::{Exit, Failure};
use crate::config::{Experiment, Selection, Shard, distinct};
use crate::harness::{pairs_of, unmet_of_match};
use crate::report::{self, RunData};
use crate::results::{
    self, ADDRESS, CellId, Difference, FactRow, Invocation, MeasurementRow, Provenance,
    ResourceRow, ResultsError, RunFolder, Sample, by_cell,
};
use crate::techniques::registry;
use crate::words::{Case, DEVICES, Limit, MatchScore, Reason, Status, Task};

const NAMED: usize = 10;

pub fn run(args: &MergeArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let folders = shards(&args.shards)?;
    keep_apart(&args.out, &folders, args.replace)?;
    let mut runs: Vec<RunData> = Vec::new();
    for folder in &folders {
        let data = RunData::read(folder, &catalogue)?;
        let folder = folder.display();
        if check::show(&data.findings, NAMED) > 0 {
            fail!(
                Files,
                "{folder}: does not agree with itself, and nothing is merged; run this shard again"
            );
        }
        for warning in &data.warnings {
            eprintln!("{folder}: {warning}");
        }
        if let Some(first) = runs.first() {
            refuse_unlike(first, &data)?;
        }
        runs.push(data);
    }
    // Leaves the files in OUT unchanged until the merged run is complete.
    let parent = args.out.parent().filter(|it| !it.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    results::make_folder(parent)?;
    let whole = tempfile::Builder::new()
        .prefix(".unfinished-merge-")
        .tempdir_in(parent)
        .map_err(ResultsError::io("written", parent))?;
    write(&runs, whole.path())?;
    put(whole.path(), &args.out)?;
    // Frees up to a million samples before the merged run is read, so that they are in memory only once.
    drop(runs);

    let data = RunData::read(&args.out, &catalogue)?;
    let (rows, samples) = (data.measurements.len(), data.samples.len());
    let shards_lack = absent(&data.environment.invocations, &data.experiment);
    let analysis = report::analyse(data);
    let made = report::write_from(&analysis, &args.out)?;
    let (out, folders) = (args.out.display(), folders.len());
    println!("{out}: {rows} rows and {samples} samples of {folders} folders");
    for page in &made.pages {
        println!("{}", page.display());
    }
    let cells = analysis.data.not_measured().into_iter();
    let cells = cells.map(|(case, technique)| {
        format!("bench: {case} {technique}: was asked for and has no row: run its shard again")
    });
    for shard in &shards_lack {
        eprintln!("bench: shard {shard} is not there: its cells are not measured");
    }
    let lacking = check::show(&cells.collect::<Vec<_>>(), NAMED) + shards_lack.len();
    Ok(Exit::Failed.when(lacking > 0))
}

/// Returns the run folders at or below the given folders, without duplicates, sorted by shard number.
fn shards(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = check::some_run_folders(given)?;
    let mut known = BTreeSet::new();
    found.retain(|folder| known.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())));
    // Sorts `9-of-12` before `10-of-12`. The merged folder does not depend on the order of the arguments.
    found.sort_by_key(|folder| {
        let name = folder.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| name.split('-').next()?.parse::<u64>().ok());
        (number, folder.clone())
    });
    Ok(found)
}

/// Fails if `out` is, contains or lies in a shard. Without `replace`, also fails if it is not empty.
fn keep_apart(out: &Path, shards: &[PathBuf], replace: bool) -> Result<(), Failure> {
    let own = report::resolved(out);
    let within = |shard: &&PathBuf| {
        let shard = shard.canonicalize();
        shard.is_ok_and(|shard| shard.starts_with(&own) || own.starts_with(&shard))
    };
    let shown = out.display();
    if let Some(shard) = shards.iter().find(within) {
        let shard = shard.display();
        usage!("{shown}: would be written over or into the shard {shard}; name another folder");
    }
    let is_empty = || own.read_dir().is_ok_and(|mut all| all.next().is_none());
    if !replace && own.exists() && !is_empty() {
        usage!("{shown}: is there already; --replace puts this in its place");
    }
    Ok(())
}

/// Fails if two shards are not from the same run, and names each difference.
fn refuse_unlike(first: &RunData, other: &RunData) -> Result<(), Failure> {
    let both = [first, other].map(measured);
    let mut choices = first.experiment.techniques.iter();
    let shares = choices.any(|choice| choice.params.contains_key(DEVICES.name));
    let [own, its] = both.each_ref().map(|it| {
        let others = it.others.iter().filter(|_| shares);
        Provenance {
            beside: it.devices.iter().chain(others).collect(),
            ..Provenance::of_host(&it.program, &it.host)
        }
    });
    // Identical GPUs in different nodes may have different addresses.
    let mut unlike = own.differences(&its);
    unlike.retain(|it| it.name != ADDRESS);
    let told = |it: &Difference| format!("{}: {}", it.name, it.values.join(", and "));
    let unlike = unlike.iter().map(told);
    let shards = |data: &RunData| {
        let mut all = data.environment.invocations.iter().rev();
        all.find_map(|it| Some(it.selection.shard?.of))
    };
    let labels = |at: usize| both[at].devices.iter().map(|it| &it.label);
    let differs = |name: &str, is_equal: bool| (!is_equal).then(|| format!("{name} differs"));
    let more = [
        differs("number of shards", shards(first) == shards(other)),
        differs("devices", labels(0).eq(labels(1))),
        differs("experiment.toml", first.experiment == other.experiment),
    ];
    let unlike: Vec<String> = unlike.chain(more.into_iter().flatten()).collect();
    if unlike.is_empty() {
        return Ok(());
    }
    let (first, other) = (first.folder.display(), other.folder.display());
    let unlike = unlike.join("; ");
    usage!("{first} and {other} are not of one run; {unlike}")
}

/// Returns the last invocation with rows. An interrupted invocation may have none.
fn measured(data: &RunData) -> Invocation {
    let all = &data.environment.invocations;
    let has_rows = |it: &&Invocation| data.measurements.iter().any(|row| row.invocation == it.id);
    let last = all.iter().rev().find(has_rows).or(all.last());
    last.cloned().unwrap_or_default()
}

/// Writes the merged run folder with the cells in the experiment's order.
fn write(runs: &[RunData], out: &Path) -> Result<(), Failure> {
    let experiment = &runs[0].experiment;
    let is_match = experiment.task == Task::Match;
    let cases = experiment.cases.iter().map(ToString::to_string).zip(0..);
    let cases: HashMap<String, usize> = cases.collect();
    let place = |cell: &CellId| {
        let mut choices = experiment.techniques.iter();
        let technique = choices.position(|it| it.label == cell.technique);
        (cases.get(&cell.case).copied(), technique, cell.clone())
    };
    let mut cells: BTreeMap<_, Vec<Part<'_>>> = BTreeMap::new();
    let mut resources = Vec::new();
    for data in runs {
        let samples = by_cell(&data.samples);
        for row in &data.measurements {
            let invocation = data.environment.invocation(&row.invocation);
            let shard = invocation.and_then(|it| it.selection.shard);
            let part = Part {
                row,
                samples: samples.get(&row.cell).cloned().unwrap_or_default(),
                shard: shard.filter(|_| is_match),
                folder: &data.folder,
            };
            part.add_to(cells.entry(place(&row.cell)).or_default())?;
        }
        let first = |cell: &CellId| cells.get(&place(cell)).map(|parts| parts[0].folder);
        let is_first = |it: &&ResourceRow| first(&it.cell) == Some(&data.folder);
        resources.extend(data.resources.iter().filter(is_first).cloned());
    }
    let invocations = runs.iter().flat_map(|data| &data.environment.invocations);
    let invocations: Vec<Invocation> = distinct(invocations.cloned());
    let pending = runs.iter().flat_map(|data| data.pending.iter().cloned());
    // If several shards have the same fact, the first shard's value counts.
    let facts = runs.iter().rev().flat_map(|data| &data.facts);
    let facts: BTreeMap<_, _> = facts.map(|it| ([&it.case, &it.fact], it)).collect();
    let facts: Vec<FactRow> = facts.into_values().cloned().collect();
    let mut folder = RunFolder::fresh(out)?;
    for data in runs {
        for name in ["experiment.toml", "techniques.json", "published", "logs"] {
            copy_missing(&data.folder.join(name), &out.join(name))?;
        }
    }
    folder.add_invocations(&invocations)?;
    folder.plan(pending.collect())?;
    for parts in cells.into_values() {
        let (row, samples) = joined(parts, experiment)?;
        folder.append_samples(&samples)?;
        folder.append_measurement(&row)?;
    }
    folder.append_facts(&facts)?;
    Ok(folder.append_resources(&resources)?)
}

/// Replaces the run in `out` with the complete run in `made`.
fn put(made: &Path, out: &Path) -> Result<(), Failure> {
    drop(RunFolder::fresh(out)?);
    let mut all = check::entries(made).into_iter();
    let to = |from: &Path| out.join(from.file_name().unwrap_or_default());
    let moved = all.try_for_each(|it| std::fs::rename(&it, to(&it)));
    Ok(moved.map_err(ResultsError::io("written", out))?)
}

/// Copies a file or a folder. Keeps existing files, which come from an earlier shard.
fn copy_missing(from: &Path, to: &Path) -> Result<(), Failure> {
    let kind = from.symlink_metadata();
    if kind.as_ref().is_ok_and(|it| it.is_dir()) {
        results::make_folder(to)?;
        let mut all = check::entries(from).into_iter();
        all.try_for_each(|it| copy_missing(&it, &to.join(it.file_name().unwrap_or_default())))?;
    } else if kind.is_ok_and(|it| it.is_file()) && !to.exists() {
        std::fs::copy(from, to).map_err(ResultsError::io("copied", from))?;
    }
    Ok(())
}

/// Returns the missing shards, which have cases but no invocations.
fn absent(invocations: &[Invocation], experiment: &Experiment) -> Vec<Shard> {
    let there = invocations.iter().filter_map(|it| it.selection.shard);
    let there: BTreeSet<Shard> = there.collect();
    let has_work = |shard: Shard| {
        let mut selections = invocations.iter().map(|it| Selection {
            shard: Some(shard),
            ..it.selection.clone()
        });
        selections.any(|own| own.of(experiment).is_ok_and(|part| !part.cases.is_empty()))
    };
    let of = there.first().map_or(0, |shard| shard.of);
    let all = (1..=of).map(|number| Shard { of, number });
    all.filter(|it| !there.contains(it) && has_work(*it))
        .collect()
}

struct Part<'a> {
    row: &'a MeasurementRow,
    samples: Vec<&'a Sample>,
    shard: Option<Shard>,
    folder: &'a Path,
}

impl<'a> Part<'a> {
    /// Adds this part to the parts of its cell, unless an earlier folder has the same row.
    fn add_to(self, parts: &mut Vec<Part<'a>>) -> Result<(), Failure> {
        if parts.iter().any(|known| known.row == self.row) {
            return Ok(());
        }
        let is_other = |known: &&Part<'_>| self.shard.is_none() || known.shard == self.shard;
        if let Some(other) = parts.iter().find(is_other) {
            let (one, other) = (other.folder.display(), self.folder.display());
            let it = &self.row.cell;
            let cell = [&*it.case, &it.technique, &it.device].join(" ");
            usage!(
                "{one} and {other} have both measured {cell}: a cell is of one shard; leave one of the folders out"
            );
        }
        parts.push(self);
        Ok(())
    }
}

/// Joins the parts of a cell into one row and its samples, labelled with the first part's device. If one part failed,
/// the cell failed. In a match, each shard plays some of the pairs of games.
fn joined(
    mut parts: Vec<Part<'_>>,
    experiment: &Experiment,
) -> anyhow::Result<(MeasurementRow, Vec<Sample>)> {
    if parts.len() > 1 {
        // A shard is `Unsupported` if no opening was left for it.
        let rank = |part: &Part<'_>| match part.row.status {
            Status::Mismatch => 0,
            Status::Ok => 2,
            Status::Unsupported => 3,
            _ => 1,
        };
        parts.sort_by_key(|part| (rank(part), part.shard));
        match parts[0].row.status {
            Status::Ok => parts.retain(|part| part.row.status == Status::Ok),
            _ => return Ok((parts[0].row.clone(), Vec::new())),
        }
    }
    let mut row = parts[0].row.clone();
    let samples = parts.iter().flat_map(|part| part.samples.iter().copied());
    let mut samples: Vec<Sample> = samples.cloned().collect();
    if parts.len() == 1 {
        return Ok((row, samples));
    }
    let mut games: BTreeMap<u64, MatchScore> = BTreeMap::new();
    for part in &parts {
        let (folder, it) = (part.folder.display(), &part.row.cell);
        let cell = format!("{folder}: {} {}", it.case, it.technique);
        let score = part.row.match_score();
        let own = score.and_then(|score| pairs_of(score, part.shard));
        let own = own.with_context(|| format!("{cell}: its score is no list of games"))?;
        for (opening, pair) in own {
            if games.insert(opening, pair).is_some() {
                bail!("{cell}: opening {opening} was played by two shards");
            }
        }
    }
    let mut whole = MatchScore::default();
    games.values().for_each(|pair| whole.add(pair));
    row.score = whole.to_string();
    for (number, sample) in (0..).zip(&mut samples) {
        sample.cell.clone_from(&row.cell);
        sample.sample = number;
    }
    let trusted = parts.iter().all(|part| part.row.kernel_ns.is_some());
    row.sum_up(&samples.iter().collect::<Vec<_>>(), trusted);
    // Keeps the reason of a shard that was cut off. Otherwise, derives the reason from all games together.
    let mut limit = Limit::Samples;
    let cut_off = parts.iter().find_map(|part| match part.row.why() {
        Reason::Met => None,
        Reason::Wide { limit: own, .. } => {
            limit = own;
            None
        }
        cut_off => Some(cut_off),
    });
    let case = Case::parse(&row.cell.case).unwrap_or_default();
    let reason =
        cut_off.unwrap_or_else(|| unmet_of_match(&games, &case, &samples, (experiment, limit)));
    row.reason = reason.to_string();
    row.reason_code = Some(reason);
    let mut known = HashSet::new();
    let warnings = parts.iter().flat_map(|part| part.row.warned());
    row.warn(warnings.filter(|it| known.insert(it.to_string())).collect());
    Ok((row, samples))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{DeviceRecord, Environment, Run};
    use crate::techniques::registry;

    #[test]
    fn all_of_two_devices_are_not_all_of_four() {
        let text = "name = \"x\"\ngame = \"reversi\"\ntask = \"playouts\"\n\
            cases = [{ board = \"8x8\", playouts = 8 }]\n[[technique]]\nname = \"flat-refill\"\n";
        let catalogue = registry::catalogue();
        for (devices, is_refused) in [("devices = \"all\"\n", true), ("", false)] {
            let text = format!("{text}{devices}");
            let experiment = crate::config::parse(&text, "x.toml", &catalogue).unwrap();
            let of = |all: usize| {
                let mut devices = vec![DeviceRecord::default(); all];
                let others = devices.split_off(1);
                let invocation = Invocation {
                    devices,
                    others,
                    ..Invocation::default()
                };
                let run = Run {
                    environment: Environment::of(vec![invocation]),
                    ..Run::default()
                };
                RunData::of_experiment(run, experiment.clone(), &catalogue)
            };
            assert!(refuse_unlike(&of(2), &of(2)).is_ok());
            let said = refuse_unlike(&of(2), &of(4)).err();
            let said = said.map(|why| why.error.to_string()).unwrap_or_default();
            let names = said.contains("device: none, and ");
            assert_eq!(
                (names, said.is_empty()),
                (is_refused, !is_refused),
                "{said}"
            );
        }
    }
}
