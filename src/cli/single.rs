//! `bench search`, `perft`, `playouts` and `choose`: run one technique on one position and print the answer.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value as Json, json};

use super::args::OneArgs;
use super::exit::{Exit, Failure, print_json};
use super::terminal::list;
use super::{session, targets};
use crate::harness::{self, CellSpec, Executor};
use crate::report::Unit;
use crate::results::Sample;
use crate::techniques::registry;
use crate::words::{
    Answer, Case, Catalogue, Fault, GameEntry, Kind, Params, Tally, Task, TechniqueEntry, Value,
};

/// Timeout of one year, which is effectively none. Ctrl-C ends the wait.
const PATIENCE: Duration = Duration::from_secs(365 * 24 * 3600);

/// Name of the axis that `--position` sets.
pub const POSITION: &str = "position";

const PLAIN: [&str; 5] = ["start", "empty", "moves", "board", "fen"];

/// Returns a task's command, the main axis of its cases, and the option that sets this axis.
pub fn command_of(task: Task) -> [&'static str; 3] {
    match task {
        Task::Perft => ["perft", "depth", "--depth"],
        Task::Playouts => ["playouts", "playouts", "--count"],
        Task::Choose => ["choose", "effort", "--effort"],
        _ => ["search", "depth", "--depth"],
    }
}

/// Returns true if a task's answer depends on the seed.
pub fn has_seed(task: Task) -> bool {
    matches!(task, Task::Playouts | Task::Choose)
}

/// Runs one technique on one position. Prints JSON, or the position's format and the answer. `value` is the value of
/// the axis that the command's option sets.
pub fn run(args: &OneArgs, task: Task, value: Value) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let (game, entry) = entries(args, task, &catalogue)?;
    let case = case_of(args, task, game, value.clone())?;
    let (options, params) = settings(&args.set, game, entry)?;
    (game.check)(&case, &options).map_err(anyhow::Error::msg)?;
    (entry.check)(&case, &params).map_err(anyhow::Error::msg)?;
    let text = args.position.as_deref();
    let text = text.filter(|text| !text.trim().eq_ignore_ascii_case("start"));
    let understood = (game.understand)(&case, &options, text).map_err(anyhow::Error::msg)?;

    let needs_device = entry.kind == Kind::Device;
    let target = needs_device.then(|| targets::one(&args.device));
    let target = target.transpose()?;
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
    let (json, lines) = shown(&answer, &sample)?;
    let it = &understood;
    if args.json {
        let device = target.map_or_else(|| harness::HOST.to_owned(), |it| it.record.label);
        let [_, _, option] = command_of(task);
        let mut all = json!({
            "game": args.game, "technique": args.technique, "device": device, "form": it.form,
            "time_ns": sample.total_ns, "notes": prepared.notes, (&option[2..]): value,
        });
        if task == Task::Choose {
            all["effort"] = value.to_string().into();
        }
        if has_seed(task) {
            all["seed"] = args.seed.into();
        }
        if let (Some(all), Json::Object(answer)) = (all.as_object_mut(), json) {
            all.extend(answer);
        }
        print_json(&all)?;
        return Ok(Exit::Good);
    }
    if let Some(position) = it.position.as_ref().filter(|_| !PLAIN.contains(&it.form)) {
        println!("position read as {}: {position}", it.form);
    }
    if !it.note.is_empty() {
        println!("{}", it.note);
    }
    print!("{lines}");
    Ok(Exit::Good)
}

/// Formats the answer as JSON and as lines of text.
fn shown(answer: &Answer, it: &Sample) -> Result<(Json, String), Failure> {
    let time = Unit::Time.show(it.total_ns as f64);
    let mut lines = String::new();
    let json = match answer {
        Answer::Searched(all) if all.len() == 1 => {
            let (value, best) = (all[0].value, &all[0].best);
            let shown = best.as_deref().unwrap_or("none");
            lines = format!(
                "value {value}, best {shown}, {} nodes, {} leaves, {time}\n",
                it.nodes, it.leaves
            );
            json!({
                "value": value, "best": best, "by_move": all[0].by_move, "nodes": it.nodes, "leaves": it.leaves,
            })
        }
        Answer::Leaves(leaves) => {
            lines = format!("{leaves} leaves, {time}\n");
            json!({"leaves": leaves})
        }
        Answer::Tallies(tallies) => {
            let outcome =
                |(wins, draws, losses)| format!("{wins} won, {draws} drawn, {losses} lost");
            for it in tallies {
                for (place, one) in (1..).zip(&it.by_first_move) {
                    lines += &format!("first move {place}: {}\n", outcome(*one));
                }
                lines += &outcome((it.wins, it.draws, it.losses));
                // The number is 0 in games in which a technique may end a playout as soon as the winner is known.
                lines += &match it.plies {
                    0 => "\n".to_owned(),
                    plies => format!(", {plies} plies\n"),
                };
            }
            let count: u64 = tallies.iter().map(Tally::playouts).sum();
            let rate = count as f64 / (it.total_ns.max(1) as f64 / 1e9);
            lines += &format!("{count} playouts, {time}, {rate:.0} a second\n");
            json!({"tallies": tallies})
        }
        Answer::Chosen(choices) => {
            for chosen in choices {
                let best = chosen.best.as_deref().unwrap_or("none: the game is over");
                lines += &format!("best {best}, {} playouts", it.playouts);
                let (nodes, depth) = (chosen.tree_nodes, chosen.tree_depth);
                if nodes > 0 {
                    lines += &format!(", tree of {nodes} positions, {depth} plies deep");
                }
                lines += &format!(", {time}\n");
            }
            json!({"choices": choices, "playouts": it.playouts, "plies": it.plies})
        }
        other => fail!(Failed, "an answer of another kind than asked: {other:?}"),
    };
    Ok((json, lines))
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

/// Returns the case that `--case` and the command's options describe.
fn case_of(args: &OneArgs, task: Task, game: &GameEntry, own: Value) -> anyhow::Result<Case> {
    let [_, own_axis, option] = command_of(task);
    let of_task = || game.axes.iter().filter(|axis| axis.belongs_to(task));
    let mut given: HashMap<&str, Value> = HashMap::new();
    for text in &args.cases {
        let pair = text.split_once('=');
        let (axis, value) = pair.with_context(|| format!("--case {text}: AXIS=VALUE is wanted"))?;
        let by_position = (axis == POSITION && args.position.is_some()).then_some("--position");
        if let Some(option) = (axis == own_axis).then_some(option).or(by_position) {
            bail!("--case {text}: the {axis} is given by {option}");
        }
        if !of_task().any(|entry| entry.name == axis) {
            let axes = of_task().map(|entry| entry.name);
            let axes = list(axes.filter(|name| *name != own_axis));
            bail!("--case {text}: no axis `{axis}`; allowed: {axes}");
        }
        if given.insert(axis, Value::parse(value)).is_some() {
            bail!("--case {text}: the {axis} is given twice; allowed is one value of each axis");
        }
    }
    given.insert(own_axis, own);
    let mut case = Case::default();
    for axis in of_task() {
        let value = match (given.remove(axis.name), axis.default) {
            (Some(value), _) => value,
            (None, Some(default)) => Value::parse(default),
            (None, None) => bail!("--case {}=VALUE is wanted: {}", axis.name, axis.allowed),
        };
        (game.check_axis)(axis.name, &value).map_err(anyhow::Error::msg)?;
        case.0.push((axis.name.to_owned(), value));
    }
    Ok(case)
}

/// Splits `--set KEY=VALUE` into game options and technique parameters.
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
        harness::Failure::Fault(fault @ Fault::Input(_)) => Failure::new(Exit::Usage, fault),
        failure => Failure::new(Exit::Failed, failure),
    }
}
