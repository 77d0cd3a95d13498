//! `bench search`, `perft`, `playouts` and `choose`: one position, one technique, one answer.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use serde_json::json;

use super::cache;
use super::exit::{Exit, Failure, print_json};
use super::position_args::{ChooseArgs, OneArgs, PerftArgs, PlayoutsArgs, SearchArgs};
use super::{session, targets};
use crate::games::annexation::read_board;
use crate::harness::{self, CellSpec, Executor, Lost, ProcessExecutor, Sampled, Target};
use crate::techniques::registry;
use crate::words::{
    Answer, Case, Fault, GameEntry, Kind, Params, Tally, Task, TechniqueEntry, Understood, Value,
};

/// A year: no limit in practice; Ctrl-C ends the wait.
const PATIENCE: Duration = Duration::from_secs(365 * 24 * 3600);

const POSITION: &str = "position";

const START: &str = "start";

const PLAIN: [&str; 5] = ["start", "empty", "moves", "board", "fen"];

pub fn search(args: &SearchArgs) -> Result<Exit, Failure> {
    let depth = Said::depth(args.depth);
    let done = answer(&args.one, &args.technique, Task::Search, &depth)?;
    let Answer::Searched(found) = &done.answer else {
        return Err(strange(&done.answer));
    };
    let [found] = found.as_slice() else {
        return Err(strange(&done.answer));
    };
    let counters = done.sample.counters;
    if args.one.json {
        print_json(&json!({
            "game": args.one.game, "technique": args.technique, "device": done.device,
            "form": done.understood.form, "depth": args.depth, "value": found.value, "best": found.best,
            "by_move": found.by_move, "nodes": counters.nodes, "leaves": counters.leaves,
            "time_ns": done.sample.total_ns, "notes": done.notes,
        }))?;
    } else {
        print_form(&done.understood);
        println!(
            "value {}, best {}, {} nodes, {} leaves, {}",
            found.value,
            found.best.as_deref().unwrap_or("none"),
            counters.nodes,
            counters.leaves,
            time(done.sample.total_ns)
        );
    }
    Ok(Exit::Good)
}

pub fn perft(args: &PerftArgs) -> Result<Exit, Failure> {
    let depth = Said::depth(args.depth);
    let done = answer(&args.one, &args.technique, Task::Perft, &depth)?;
    let Answer::Leaves(leaves) = done.answer else {
        return Err(strange(&done.answer));
    };
    if args.one.json {
        print_json(&json!({
            "game": args.one.game, "technique": args.technique, "device": done.device,
            "form": done.understood.form, "depth": args.depth, "leaves": leaves,
            "time_ns": done.sample.total_ns, "notes": done.notes,
        }))?;
    } else {
        print_form(&done.understood);
        println!("{leaves} leaves, {}", time(done.sample.total_ns));
    }
    Ok(Exit::Good)
}

pub fn playouts(args: &PlayoutsArgs) -> Result<Exit, Failure> {
    let count = Said {
        axis: "playouts",
        option: "--count",
        value: Value::Int(args.count as i64),
        seed: args.seed,
    };
    let one = on_board(&args.one, args.board.as_deref())?;
    let done = answer(&one, &args.technique, Task::Playouts, &count)?;
    let Answer::Tallies(tallies) = &done.answer else {
        return Err(strange(&done.answer));
    };
    let ns = done.sample.total_ns;
    if args.one.json {
        print_json(&json!({
            "game": args.one.game, "technique": args.technique, "device": done.device,
            "form": done.understood.form, "count": args.count, "seed": args.seed,
            "tallies": tallies, "time_ns": ns, "notes": done.notes,
        }))?;
        return Ok(Exit::Good);
    }
    print_form(&done.understood);
    let mut all = Tally::default();
    for tally in tallies {
        all += tally;
        for (place, (wins, draws, losses)) in tally.by_first_move.iter().enumerate() {
            println!(
                "first move {}: {wins} won, {draws} drawn, {losses} lost",
                place + 1
            );
        }
        let Tally {
            wins,
            draws,
            losses,
            plies,
            ..
        } = tally;
        print!("{wins} won, {draws} drawn, {losses} lost");
        // Some games have no plies: techniques end a playout when its winner is known.
        match plies {
            0 => println!(),
            _ => println!(", {plies} plies"),
        }
    }
    let rate = all.playouts() as f64 / (ns.max(1) as f64 / 1e9);
    println!(
        "{} playouts, {}, {rate:.0} a second",
        all.playouts(),
        time(ns)
    );
    Ok(Exit::Good)
}

pub fn choose(args: &ChooseArgs) -> Result<Exit, Failure> {
    let effort = Said {
        axis: "effort",
        option: "--effort",
        value: Value::parse(&args.effort),
        seed: args.seed,
    };
    let one = on_board(&args.one, args.board.as_deref())?;
    let done = answer(&one, &args.technique, Task::Choose, &effort)?;
    let Answer::Chosen(choices) = &done.answer else {
        return Err(strange(&done.answer));
    };
    let counters = done.sample.counters;
    if args.one.json {
        print_json(&json!({
            "game": args.one.game, "technique": args.technique, "device": done.device,
            "form": done.understood.form, "effort": args.effort, "seed": args.seed,
            "choices": choices,
            "playouts": counters.playouts, "plies": counters.plies,
            "time_ns": done.sample.total_ns, "notes": done.notes,
        }))?;
        return Ok(Exit::Good);
    }
    print_form(&done.understood);
    for chosen in choices {
        let best = chosen.best.as_deref().unwrap_or("none: the game is over");
        print!("best {best}, {} playouts", counters.playouts);
        if chosen.tree_nodes > 0 {
            print!(
                ", tree of {} positions, {} plies deep",
                chosen.tree_nodes, chosen.tree_depth
            );
        }
        println!(", {}", time(done.sample.total_ns));
    }
    Ok(Exit::Good)
}

fn print_form(understood: &Understood) {
    let Understood {
        form,
        position,
        note,
    } = understood;
    if let Some(position) = position
        && !PLAIN.contains(form)
    {
        println!("position read as {form}: {position}");
    }
    if !note.is_empty() {
        println!("{note}");
    }
}

fn on_board(args: &OneArgs, board: Option<&Path>) -> Result<OneArgs, Failure> {
    let mut one = args.clone();
    if let Some(file) = board {
        if let Some(case) = args.cases.iter().find(|case| case.starts_with("board=")) {
            return Err(Failure::usage(anyhow!(
                "--case {case}: the board is given by --board {}; allowed is one of the two",
                file.display()
            )));
        }
        one.position = Some(board_text(file, &one.game)?);
    }
    Ok(one)
}

/// The command's option for an axis of the case.
struct Said {
    axis: &'static str,
    option: &'static str,
    value: Value,
    seed: u64,
}

impl Said {
    fn depth(depth: u32) -> Said {
        Said {
            axis: "depth",
            option: "--depth",
            value: Value::Int(i64::from(depth)),
            seed: 1,
        }
    }
}

struct Done {
    answer: Answer,
    sample: Sampled,
    device: String,
    notes: String,
    understood: Understood,
}

fn answer(args: &OneArgs, technique: &str, task: Task, said: &Said) -> Result<Done, Failure> {
    let catalogue = registry::catalogue();
    let game = catalogue.game(&args.game).ok_or_else(|| {
        let names = catalogue.games.iter().map(|game| game.name);
        Failure::usage(anyhow!(
            "{}: no such game; allowed: {}",
            args.game,
            list(names)
        ))
    })?;
    let entry = catalogue.technique(game.name, technique).ok_or_else(|| {
        let names = catalogue.of_game(game.name).map(|technique| technique.name);
        Failure::usage(anyhow!("--technique {technique}: allowed: {}", list(names)))
    })?;
    if !entry.tasks.contains(&task) {
        let able = catalogue
            .of_game(game.name)
            .filter(|t| t.tasks.contains(&task));
        return Err(Failure::usage(anyhow!(
            "--technique {technique}: cannot do {task}; allowed: {}",
            list(able.map(|technique| technique.name))
        )));
    }
    let case = case(args, game, task, said).map_err(Failure::usage)?;
    let mut set = args.set.clone();
    set.extend(args.capture.iter().map(|rule| format!("capture={rule}")));
    let (options, params) = settings(&set, game, entry).map_err(Failure::usage)?;
    (game.check)(&case, &options).map_err(|error| Failure::usage(anyhow!(error)))?;
    (entry.check)(&case, &params).map_err(|error| Failure::usage(anyhow!(error)))?;
    let text = args.position.as_deref();
    let text = text.filter(|text| !text.trim().eq_ignore_ascii_case(START));
    let understood = (game.understand)(&case, &options, text);
    let understood = understood.map_err(|error| Failure::usage(anyhow!(error)))?;

    let target = match entry.kind {
        Kind::Serial | Kind::Threads => None,
        Kind::Device => Some(targets::one(args.device.as_deref())?),
    };
    let mut executor = executor(args, target.as_ref())?;
    let spec = CellSpec {
        cell: 0,
        game: game.name.to_owned(),
        technique: technique.to_owned(),
        task,
        case,
        options,
        params,
        seed: said.seed,
        position: understood.position.clone(),
        positions: None,
        opponent: None,
        share: None,
    };
    let prepared = settle(executor.prepare(&spec, PATIENCE))?;
    let samples = settle(executor.sample(0, (0, 1), PATIENCE, PATIENCE))?;
    let sample = samples.into_iter().next();
    let (Some(answer), Some(sample)) = (
        sample.as_ref().and_then(|sample| sample.answer.clone()),
        sample,
    ) else {
        return Err(Failure::failed(anyhow!(
            "the worker answered without an answer"
        )));
    };
    let device = target.map_or_else(|| harness::HOST.to_owned(), |target| target.record.label);
    Ok(Done {
        answer,
        sample,
        device,
        notes: prepared.notes,
        understood,
    })
}

/// The case of `--case` and of the command's options.
fn case(args: &OneArgs, game: &GameEntry, task: Task, said: &Said) -> anyhow::Result<Case> {
    let of_task = || game.axes.iter().filter(|axis| axis.belongs_to(task));
    let mut given: Vec<(String, Value)> = Vec::new();
    for text in &args.cases {
        let (axis, value) = text
            .split_once('=')
            .with_context(|| format!("--case {text}: AXIS=VALUE is wanted"))?;
        if axis == said.axis {
            bail!("--case {text}: the {axis} is given by {}", said.option);
        }
        if axis == POSITION && args.position.is_some() {
            bail!("--case {text}: the {axis} is given by --position");
        }
        if !of_task().any(|entry| entry.name == axis) {
            let axes = of_task()
                .map(|entry| entry.name)
                .filter(|name| *name != said.axis);
            bail!("--case {text}: no axis `{axis}`; allowed: {}", list(axes));
        }
        if given.iter().any(|(name, _)| name == axis) {
            bail!("--case {text}: the {axis} is given twice; allowed is one value of each axis");
        }
        given.push((axis.to_owned(), Value::parse(value)));
    }
    given.push((said.axis.to_owned(), said.value.clone()));
    let mut case = Vec::new();
    for axis in of_task() {
        let said = given.iter().find(|(name, _)| name == axis.name);
        let value = match (said, axis.default) {
            (Some((_, value)), _) => value.clone(),
            (None, Some(default)) => Value::parse(default),
            (None, None) => bail!("--case {}=VALUE is wanted: {}", axis.name, axis.allowed),
        };
        (game.check_axis)(axis.name, &value).map_err(|error| anyhow!(error))?;
        case.push((axis.name.to_owned(), value));
    }
    Ok(Case(case))
}

/// Splits `--set KEY=VALUE` into the game's options and the technique's parameters.
fn settings(
    set: &[String],
    game: &GameEntry,
    technique: &TechniqueEntry,
) -> anyhow::Result<(Params, Params)> {
    let (mut options, mut params) = (Params::new(), Params::new());
    for text in set {
        let (key, value) = text
            .split_once('=')
            .with_context(|| format!("--set {text}: KEY=VALUE is wanted"))?;
        let value = Value::parse(value);
        let (entries, into) = if game.options.iter().any(|entry| entry.name == key) {
            (game.options, &mut options)
        } else {
            (technique.params, &mut params)
        };
        let entry = entries
            .iter()
            .find(|entry| entry.name == key)
            .with_context(|| {
                let keys = game
                    .options
                    .iter()
                    .chain(technique.params)
                    .map(|entry| entry.name);
                format!("--set {text}: no key `{key}`; allowed: {}", list(keys))
            })?;
        (entry.check)(&value).map_err(|error| anyhow!(error))?;
        if into.insert(key.to_owned(), value).is_some() {
            bail!("--set {text}: {key} is given twice; allowed is one value of each key");
        }
    }
    Ok((options, params))
}

fn executor(args: &OneArgs, target: Option<&Target>) -> Result<ProcessExecutor, Failure> {
    let cache = cache::chosen(&args.workers.cache);
    let executable = targets::executable()?;
    let stop_now = Arc::default();
    let workers = session::workers(&executable, &args.workers, cache.as_deref(), &stop_now);
    Ok(workers.worker(target))
}

fn settle<T>(outcome: Result<Result<T, Fault>, Lost>) -> Result<T, Failure> {
    match outcome {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(fault @ Fault::Input(_))) => Err(Failure::usage(fault)),
        Ok(Err(fault)) => Err(Failure::failed(fault)),
        Err(lost) => Err(Failure::failed(lost)),
    }
}

fn strange(answer: &Answer) -> Failure {
    Failure::failed(anyhow!("an answer of another kind than asked: {answer:?}"))
}

fn time(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns as f64 / 1e6),
        _ => format!("{:.2} s", ns as f64 / 1e9),
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        "none".into()
    } else {
        names.join(", ")
    }
}

fn board_text(file: &Path, game: &str) -> Result<String, Failure> {
    let name = file.display().to_string();
    if game != "annexation" {
        return Err(Failure::usage(anyhow!(
            "--board {name}: {game} has no board files; allowed with annexation"
        )));
    }
    let text = crate::words::read_text(file);
    let text = text.with_context(|| name.clone()).map_err(Failure::files)?;
    read_board(&name, &text).map_err(Failure::usage)?;
    Ok(text)
}
