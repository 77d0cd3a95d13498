//! `bench search`, `perft`, `playouts` and `choose`: one position, one technique, one answer.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use serde_json::json;

use super::args::{ChooseArgs, DepthArgs, OneArgs, PlayoutsArgs};
use super::exit::{Exit, Failure, print_json};
use super::terminal::list;
use super::{session, targets};
use crate::harness::{self, CellSpec, Executor};
use crate::report::Unit;
use crate::techniques::registry;
use crate::words::{
    Answer, Case, Catalogue, Counters, Fault, GameEntry, Kind, Params, Tally, Task, TechniqueEntry,
    Understood, Value,
};

/// A year: no limit in practice; Ctrl-C ends the wait.
const PATIENCE: Duration = Duration::from_secs(365 * 24 * 3600);

/// The axis of the start position, which `--position` sets.
pub const POSITION: &str = "position";

const PLAIN: [&str; 5] = ["start", "empty", "moves", "board", "fen"];

pub fn search(args: &DepthArgs) -> Result<Exit, Failure> {
    let done = answer(&args.one, Task::Search, Value::Int(args.depth.into()))?;
    let found = match &done.answer {
        Answer::Searched(all) if all.len() == 1 => &all[0],
        other => return Err(strange(other)),
    };
    let Counters { nodes, leaves, .. } = done.counters;
    let fields = json!({
        "depth": args.depth, "value": found.value, "best": found.best, "by_move": found.by_move,
        "nodes": nodes, "leaves": leaves,
    });
    done.print(fields, |time| {
        let (value, best) = (found.value, found.best.as_deref().unwrap_or("none"));
        println!("value {value}, best {best}, {nodes} nodes, {leaves} leaves, {time}");
    })
}

pub fn perft(args: &DepthArgs) -> Result<Exit, Failure> {
    let done = answer(&args.one, Task::Perft, Value::Int(args.depth.into()))?;
    let Answer::Leaves(leaves) = done.answer else {
        return Err(strange(&done.answer));
    };
    done.print(json!({"depth": args.depth, "leaves": leaves}), |time| {
        println!("{leaves} leaves, {time}");
    })
}

pub fn playouts(args: &PlayoutsArgs) -> Result<Exit, Failure> {
    let done = answer(&args.one, Task::Playouts, Value::Int(args.count as i64))?;
    let Answer::Tallies(tallies) = &done.answer else {
        return Err(strange(&done.answer));
    };
    let fields = json!({"count": args.count, "seed": args.one.seed, "tallies": tallies});
    done.print(fields, |time| {
        for tally in tallies {
            for (place, (wins, draws, losses)) in (1..).zip(&tally.by_first_move) {
                println!("first move {place}: {wins} won, {draws} drawn, {losses} lost");
            }
            print!(
                "{} won, {} drawn, {} lost",
                tally.wins, tally.draws, tally.losses
            );
            // Some games have no plies: techniques end a playout when its winner is known.
            match tally.plies {
                0 => println!(),
                plies => println!(", {plies} plies"),
            }
        }
        let count: u64 = tallies.iter().map(Tally::playouts).sum();
        let rate = count as f64 / (done.time_ns.max(1) as f64 / 1e9);
        println!("{count} playouts, {time}, {rate:.0} a second");
    })
}

pub fn choose(args: &ChooseArgs) -> Result<Exit, Failure> {
    let done = answer(&args.one, Task::Choose, Value::parse(&args.effort))?;
    let Answer::Chosen(choices) = &done.answer else {
        return Err(strange(&done.answer));
    };
    let Counters {
        playouts, plies, ..
    } = done.counters;
    let fields = json!({
        "effort": args.effort, "seed": args.one.seed, "choices": choices, "playouts": playouts, "plies": plies,
    });
    done.print(fields, |time| {
        for chosen in choices {
            let best = chosen.best.as_deref().unwrap_or("none: the game is over");
            print!("best {best}, {playouts} playouts");
            let (nodes, depth) = (chosen.tree_nodes, chosen.tree_depth);
            if nodes > 0 {
                print!(", tree of {nodes} positions, {depth} plies deep");
            }
            println!(", {time}");
        }
    })
}

/// The command of a task, the axis of its cases that an option gives, and the option.
pub fn command_of(task: Task) -> [&'static str; 3] {
    match task {
        Task::Perft => ["perft", "depth", "--depth"],
        Task::Playouts => ["playouts", "playouts", "--count"],
        Task::Choose => ["choose", "effort", "--effort"],
        _ => ["search", "depth", "--depth"],
    }
}

struct Done<'a> {
    one: &'a OneArgs,
    answer: Answer,
    counters: Counters,
    time_ns: u64,
    device: String,
    notes: String,
    understood: Understood,
}

impl Done<'_> {
    /// Prints JSON with the command's own fields, or the position's form and the command's lines, which have the time.
    fn print(
        &self,
        fields: serde_json::Value,
        lines: impl FnOnce(String),
    ) -> Result<Exit, Failure> {
        let Understood {
            form,
            position,
            note,
        } = &self.understood;
        if self.one.json {
            let mut all = json!({
                "game": self.one.game, "technique": self.one.technique, "device": self.device,
                "form": form, "time_ns": self.time_ns, "notes": self.notes,
            });
            if let (Some(all), serde_json::Value::Object(fields)) = (all.as_object_mut(), fields) {
                all.extend(fields);
            }
            print_json(&all)?;
            return Ok(Exit::Good);
        }
        if let Some(position) = position
            && !PLAIN.contains(form)
        {
            println!("position read as {form}: {position}");
        }
        if !note.is_empty() {
            println!("{note}");
        }
        lines(Unit::Time.show(self.time_ns as f64));
        Ok(Exit::Good)
    }
}

/// Asks one technique about one position. `value`: of the axis that the command's option gives.
fn answer(args: &OneArgs, task: Task, value: Value) -> Result<Done<'_>, Failure> {
    let catalogue = registry::catalogue();
    let (game, entry) = entries(args, task, &catalogue)?;
    let case = case_of(args, task, game, value)?;
    let (options, params) = settings(&args.set, game, entry)?;
    (game.check)(&case, &options).map_err(anyhow::Error::msg)?;
    (entry.check)(&case, &params).map_err(anyhow::Error::msg)?;
    let text = args.position.as_deref();
    let text = text.filter(|text| !text.trim().eq_ignore_ascii_case("start"));
    let understood = (game.understand)(&case, &options, text).map_err(anyhow::Error::msg)?;

    let target = match entry.kind {
        Kind::Serial | Kind::Threads => None,
        Kind::Device => Some(targets::one(args.device.as_deref())?),
    };
    let workers = session::workers(&args.workers, &Arc::default())?;
    let mut executor = workers.worker(target.as_ref());
    let spec = CellSpec {
        position: understood.position.clone(),
        ..CellSpec::of(entry, task, case, [options, params], args.seed)
    };
    let prepared = executor.prepare(&spec, PATIENCE).map_err(settle)?;
    let samples = executor.sample(0, (0, 1), PATIENCE, PATIENCE);
    let samples = samples.map_err(settle)?;
    let sample = samples.into_iter().next();
    let Some((answer, sample)) = sample.and_then(|it| Some((it.answer?, it.sample))) else {
        fail!(Failed, "the worker answered without an answer");
    };
    Ok(Done {
        one: args,
        answer,
        counters: sample.counters(),
        time_ns: sample.total_ns,
        device: target.map_or_else(|| harness::HOST.to_owned(), |it| it.record.label),
        notes: prepared.notes,
        understood,
    })
}

fn entries<'c>(
    args: &OneArgs,
    task: Task,
    catalogue: &'c Catalogue,
) -> anyhow::Result<(&'c GameEntry, &'c TechniqueEntry)> {
    let (name, technique) = (&args.game, &args.technique);
    let game = catalogue.game(name).with_context(|| {
        let names = catalogue.games.iter().map(|game| game.name);
        format!("{name}: no such game; allowed: {}", list(names))
    })?;
    let of_game = || catalogue.of_game(game.name);
    let entry = catalogue.technique(game.name, technique);
    let entry = entry.with_context(|| {
        let names = list(of_game().map(|it| it.name));
        format!("--technique {technique}: allowed: {names}")
    })?;
    let does = |it: &&TechniqueEntry| it.tasks.contains(&task);
    if !does(&entry) {
        let able = list(of_game().filter(does).map(|it| it.name));
        bail!("--technique {technique}: cannot do {task}; allowed: {able}");
    }
    Ok((game, entry))
}

/// The case of `--case` and of the command's options.
fn case_of(args: &OneArgs, task: Task, game: &GameEntry, own: Value) -> anyhow::Result<Case> {
    let [_, own_axis, option] = command_of(task);
    let of_task = || game.axes.iter().filter(|axis| axis.belongs_to(task));
    let mut given: Vec<(&str, Value)> = Vec::new();
    for text in &args.cases {
        let pair = text.split_once('=');
        let (axis, value) = pair.with_context(|| format!("--case {text}: AXIS=VALUE is wanted"))?;
        if axis == own_axis {
            bail!("--case {text}: the {axis} is given by {option}");
        }
        if axis == POSITION && args.position.is_some() {
            bail!("--case {text}: the {axis} is given by --position");
        }
        if !of_task().any(|entry| entry.name == axis) {
            let axes = of_task().map(|entry| entry.name);
            let axes = list(axes.filter(|name| *name != own_axis));
            bail!("--case {text}: no axis `{axis}`; allowed: {axes}");
        }
        if given.iter().any(|(name, _)| *name == axis) {
            bail!("--case {text}: the {axis} is given twice; allowed is one value of each axis");
        }
        given.push((axis, Value::parse(value)));
    }
    given.push((own_axis, own));
    let mut case = Case::default();
    for axis in of_task() {
        let said = given.iter().find(|(name, _)| *name == axis.name);
        let value = match (said, axis.default) {
            (Some((_, value)), _) => value.clone(),
            (None, Some(default)) => Value::parse(default),
            (None, None) => bail!("--case {}=VALUE is wanted: {}", axis.name, axis.allowed),
        };
        (game.check_axis)(axis.name, &value).map_err(anyhow::Error::msg)?;
        case.0.push((axis.name.to_owned(), value));
    }
    Ok(case)
}

/// Splits `--set KEY=VALUE` into the game's options and the technique's parameters.
fn settings(
    set: &[String],
    game: &GameEntry,
    technique: &TechniqueEntry,
) -> anyhow::Result<(Params, Params)> {
    let (mut options, mut params) = (Params::new(), Params::new());
    for text in set {
        let pair = text.split_once('=');
        let (key, value) = pair.with_context(|| format!("--set {text}: KEY=VALUE is wanted"))?;
        let all = game.options.iter().chain(technique.params);
        let Some(entry) = all.clone().find(|entry| entry.name == key) else {
            let keys = list(all.map(|entry| entry.name));
            bail!("--set {text}: no key `{key}`; allowed: {keys}");
        };
        let value = Value::parse(value);
        (entry.check)(&value).map_err(anyhow::Error::msg)?;
        let is_option = game.options.iter().any(|entry| entry.name == key);
        let into = if is_option { &mut options } else { &mut params };
        if into.insert(key.to_owned(), value).is_some() {
            bail!("--set {text}: {key} is given twice; allowed is one value of each key");
        }
    }
    Ok((options, params))
}

fn settle(failure: harness::Failure) -> Failure {
    match failure {
        harness::Failure::Fault(fault @ Fault::Input(_)) => Failure::usage(fault),
        failure => Failure::new(Exit::Failed, failure),
    }
}

fn strange(answer: &Answer) -> Failure {
    let why = anyhow!("an answer of another kind than asked: {answer:?}");
    Failure::new(Exit::Failed, why)
}
