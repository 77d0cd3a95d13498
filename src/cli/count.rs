//! `bench count`: what kernels do, counted in the simulator Oclgrind. `scripts/count-operations` calls it
//! three times: to build the programs, to run them, whose every operation the script has marked by then,
//! and to read what the simulator said.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};

use super::args::CountArgs;
use super::exit::{Exit, Failure};
use super::{run, tally};
use crate::config::{self, Experiment, TechniqueChoice};
use crate::opencl::{self, Cache, Device};
use crate::results::{self, OperationRow};
use crate::techniques::{Sampler, Setup, registry};
use crate::words::{
    AxisEntry, Case, Counters, Fault, GameEntry, Kind, Params, Task, TechniqueEntry, Value,
};

/// The axes that say how much is done, with what is counted of each, as far as there is time for it.
/// Playouts are many enough for those that are done 32 at a time, and few for those that are dear.
const AMOUNTS: [(&str, &[i64]); 3] = [
    ("depth", &[1, 2, 3, 4]),
    ("playouts", &[2, 32]),
    ("effort", &[8, 48]),
];
/// After a case that took longer than this, or a depth whose next one should, the next is not counted, s.
const LONGEST_S: f64 = 10.0;

/// What stands in the log before and after each sample.
pub const MARKER: &str = "@plybench-count ";

/// What a marker says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// What follows is this sample's.
    Begin,
    /// That was it; an empty row to be filled.
    End {
        /// Whose it was.
        row: Box<OperationRow>,
        /// What it did.
        counters: Counters,
    },
}

/// Lists, builds or runs what is to be counted, or reads the logs.
pub fn run(args: &CountArgs) -> Result<Exit, Failure> {
    if args.read {
        return read(&args.files);
    }
    let catalogue = registry::catalogue();
    let mut counter = None;
    for file in &args.files {
        for (_, experiment) in config::load(file, &catalogue).map_err(run::load_failure)? {
            for choice in &experiment.techniques {
                let entry = catalogue.technique(&experiment.game, &choice.technique);
                let entry = entry.filter(|entry| entry.kind == Kind::Device);
                let wanted = args.technique.as_ref().is_none_or(|it| *it == choice.label);
                let (Some(game), Some(entry)) = (catalogue.game(&experiment.game), entry) else {
                    continue;
                };
                if args.list {
                    println!("{}", choice.label);
                } else if wanted {
                    let counter = match &mut counter {
                        Some(counter) => counter,
                        none => none.insert(Counter::new(args)?),
                    };
                    counter.count(&experiment, choice, game, entry);
                }
            }
        }
    }
    Ok(Exit::Good)
}

/// The simulator, whose programs come from that folder.
fn simulator(cache: &Path) -> Result<Device, Failure> {
    let devices = opencl::list().map_err(Failure::no_device)?;
    let info = devices.iter().find(|info| info.platform == "Oclgrind");
    let info = info.ok_or_else(|| {
        Failure::no_device(anyhow!(
            "no Oclgrind here: start with scripts/count-operations, or as `oclgrind bench count …`"
        ))
    })?;
    let device = opencl::open(info).map_err(Failure::no_device)?;
    device.keep_programs_in(Cache::new(cache));
    Ok(device)
}

/// The task that is counted: in the place of a whole game, of which a node costs the same, one search.
fn task(experiment: &Experiment, entry: &TechniqueEntry) -> Task {
    match experiment.task {
        Task::Game if entry.tasks.contains(&Task::Search) => Task::Search,
        task => task,
    }
}

/// A technique's cases with each amount: the axes on which counts depend, and the whole cases.
fn cases(
    experiment: &Experiment,
    choice: &TechniqueChoice,
    axes: &[AxisEntry],
    task: Task,
) -> Vec<(Case, Vec<Case>)> {
    let mut found: Vec<(Case, Vec<Case>)> = Vec::new();
    for case in experiment.cases.iter().filter(|case| choice.takes(case)) {
        let mut case = case.clone();
        case.0.retain(|(name, _)| {
            let axis = axes.iter().find(|axis| axis.name == name);
            axis.is_some_and(|axis| axis.belongs_to(task))
        });
        let mut key = case.clone();
        key.0
            .retain(|(axis, _)| AMOUNTS.iter().all(|(name, _)| name != axis));
        if found.iter().any(|(known, _)| *known == key) {
            continue;
        }
        let amount = AMOUNTS.iter().find(|(name, _)| case.get(name).is_some());
        let whole = amount.map_or_else(
            || vec![case.clone()],
            |(name, values)| {
                let with = |&value: &i64| {
                    let mut case = case.clone();
                    for (axis, own) in &mut case.0 {
                        if axis == name {
                            *own = Value::Int(value);
                        }
                    }
                    case
                };
                values.iter().map(with).collect()
            },
        );
        found.push((key, whole));
    }
    found
}

/// What counts: the simulator, and the hash of the kernels that it runs.
struct Counter {
    device: Device,
    kernel_hash: String,
    builds: bool,
}

impl Counter {
    fn new(args: &CountArgs) -> Result<Counter, Failure> {
        let cache = args.cache.as_deref();
        let cache = cache.ok_or_else(|| Failure::usage(anyhow!("--cache: is missing")))?;
        Ok(Counter {
            device: simulator(cache)?,
            kernel_hash: run::program(None)?.kernel_hash,
            builds: args.build,
        })
    }

    /// Runs each of a technique's cases between marks, those that take long last and some not at all. What
    /// the simulator cannot do is said and passed over.
    fn count(
        &self,
        experiment: &Experiment,
        choice: &TechniqueChoice,
        game: &GameEntry,
        entry: &TechniqueEntry,
    ) {
        let task = task(experiment, entry);
        let mut planned: Vec<Planned> = cases(experiment, choice, game.axes, task)
            .into_iter()
            .map(|(key, cases)| Planned {
                key,
                cases,
                before: 1,
                ended: false,
            })
            .collect();
        // Small amounts of all cases first: what is cut off later costs none of those.
        let most = planned.iter().map(|it| it.cases.len()).max();
        for place in 0..most.unwrap_or(0) {
            for planned in planned.iter_mut().filter(|it| !it.ended) {
                let Some(case) = planned.cases.get(place) else {
                    continue;
                };
                let name = format!("{} {} {case}", experiment.game, choice.label);
                match self.one(experiment, choice, (task, &planned.key, case)) {
                    Ok((counters, took)) => {
                        let work = tally::unit(&counters).1;
                        eprintln!("{name}: {work} in {took:.1} s");
                        // The next depth grows at least as this one did.
                        let growth = match case.int("depth") {
                            Some(_) => work as f64 / planned.before.max(1) as f64,
                            None => 1.0,
                        };
                        planned.ended = took * growth > LONGEST_S;
                        planned.before = work;
                    }
                    Err(fault) => eprintln!("{name}: {fault}"),
                }
            }
        }
    }

    /// One sample of a case, between marks: what it did, and what it took, s.
    fn one(
        &self,
        experiment: &Experiment,
        choice: &TechniqueChoice,
        (task, key, case): (Task, &Case, &Case),
    ) -> Result<(Counters, f64), Fault> {
        let built = self.device.programs().built;
        let mut sampler = prepare(experiment, choice, (task, case), &self.device)?;
        if !self.builds && self.device.programs().built > built {
            // Its operations are not marked.
            return Err(Fault::Unsupported("was not built before".into()));
        }
        let row = OperationRow {
            game: experiment.game.clone(),
            technique: choice.technique.clone(),
            params: params_text(&choice.params),
            case: key.to_string(),
            task: task.word().to_owned(),
            counted: case.to_string(),
            kernel_hash: self.kernel_hash.clone(),
            by: self.device.info().platform_version.clone(),
            ..tally::empty_row()
        };
        sampler.limit_units(1);
        sampler.begin(0);
        say(&Mark::Begin);
        let began = Instant::now();
        let (_, counters) = sampler.sample()?;
        let took = began.elapsed().as_secs_f64();
        say(&Mark::End {
            row: Box::new(row),
            counters,
        });
        Ok((counters, took))
    }
}

/// What is to be counted of a case: smaller amounts first.
struct Planned {
    /// The axes on which the counts depend.
    key: Case,
    /// The whole cases.
    cases: Vec<Case>,
    /// The work of the last one.
    before: u64,
    /// Whether the next would take too long.
    ended: bool,
}

fn prepare(
    experiment: &Experiment,
    choice: &TechniqueChoice,
    (task, case): (Task, &Case),
    device: &Device,
) -> Result<Box<dyn Sampler>, Fault> {
    let (game, name) = (&experiment.game, &choice.technique);
    let technique = registry::find(game, name)
        .ok_or_else(|| Fault::Input(format!("{game} has no technique `{name}`")))?;
    (technique.prepare)(&Setup {
        task,
        case,
        options: &experiment.options,
        params: &choice.params,
        seed: experiment.seed,
        threads: 1,
        device: Some(device),
        kernels: None,
        position: None,
        positions: Some(1),
        opponent: None,
    })
}

/// Prints the table that the logs make, of each task's case its last row.
fn read(logs: &[PathBuf]) -> Result<Exit, Failure> {
    let mut rows: Vec<OperationRow> = Vec::new();
    for log in logs {
        let at = || format!("{}: cannot be read", log.display());
        let text = std::fs::read_to_string(log)
            .with_context(at)
            .map_err(Failure::files)?;
        let counted = tally::rows(&text).with_context(|| log.display().to_string());
        for row in counted.map_err(Failure::usage)? {
            let whose = |row: &OperationRow| {
                let OperationRow {
                    game,
                    technique,
                    params,
                    case,
                    task,
                    ..
                } = row;
                [game, technique, params, case, task].map(Clone::clone)
            };
            match rows.iter_mut().find(|known| whose(known) == whose(&row)) {
                Some(known) => *known = row,
                None => rows.push(row),
            }
        }
    }
    let file = results::operations_file(&rows).map_err(Failure::usage)?;
    std::io::stdout().write_all(&file).map_err(Failure::files)?;
    Ok(Exit::Good)
}

/// Parameters as rows have them.
fn params_text(params: &Params) -> String {
    let words: Vec<String> = params
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    words.join(" ")
}

/// On stdout, between what the simulator prints there.
fn say(mark: &Mark) {
    if let Ok(text) = serde_json::to_string(mark) {
        println!("\n{MARKER}{text}");
        let _ = std::io::stdout().flush();
    }
}
