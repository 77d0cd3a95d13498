//! `bench worker --echo`: `serial` as a program that speaks `docs/PROTOCOL.md`, to measure the protocol's cost.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Write};

use anyhow::{Context, anyhow};
use serde::Deserialize;
use serde_json::json;

use super::exit::{Exit, Failure};
use crate::techniques::program::PROTOCOL;
use crate::techniques::{Sampler, Setup, registry};
use crate::words::{Answer, Case, Fault, Params, Task, Value};

#[derive(Deserialize)]
struct Request {
    id: u64,
    hello: Option<serde_json::Value>,
    prepare: Option<Cell>,
    sample: Option<Sample>,
}

#[derive(Deserialize)]
struct Cell {
    game: String,
    task: Task,
    case: BTreeMap<String, Value>,
    options: Params,
    seed: u64,
    threads: usize,
}

#[derive(Deserialize)]
struct Sample {
    positions: Vec<String>,
}

pub fn run() -> Result<Exit, Failure> {
    let (mut cell, mut ready) = (None, HashMap::new());
    for line in std::io::stdin().lock().lines() {
        let line = line.context("stdin").map_err(Failure::files)?;
        let request: Request = serde_json::from_str(&line).map_err(Failure::usage)?;
        let mut reply = if request.hello.is_some() {
            let version = env!("CARGO_PKG_VERSION");
            json!({"hello": {"protocol": PROTOCOL, "name": "serial", "version": version}})
        } else if let Some(prepare) = request.prepare {
            ready.clear();
            cell = Some(prepare);
            json!({"prepared": {}})
        } else if let (Some(sample), Some(cell)) = (request.sample, &cell) {
            let positions = sample.positions.iter();
            let answers = positions.map(|position| answer(cell, &mut ready, position));
            match answers.collect::<Result<Vec<_>, Fault>>() {
                Ok(answers) => json!({"answers": answers}),
                Err(fault) => json!({"error": fault.to_string()}),
            }
        } else {
            return Err(Failure::usage(anyhow!("no request: {line}")));
        };
        reply["id"] = request.id.into();
        let mut out = std::io::stdout().lock();
        let said = writeln!(out, "{reply}").and_then(|()| out.flush());
        said.context("stdout").map_err(Failure::files)?;
    }
    Ok(Exit::Good)
}

/// The answer of `serial`; prepares each position once.
fn answer(
    cell: &Cell,
    ready: &mut HashMap<String, Box<dyn Sampler>>,
    position: &str,
) -> Result<serde_json::Value, Fault> {
    let sampler = match ready.entry(position.to_owned()) {
        Entry::Occupied(it) => it.into_mut(),
        Entry::Vacant(it) => {
            let unknown = || Fault::Unsupported(format!("no game {}", cell.game));
            let serial = registry::find(&cell.game, "serial").ok_or_else(unknown)?;
            it.insert((serial.prepare)(&Setup {
                task: cell.task,
                case: &Case(cell.case.clone().into_iter().collect()),
                options: &cell.options,
                params: &Params::new(),
                seed: cell.seed,
                threads: cell.threads,
                device: None,
                kernels: None,
                position: Some(position),
                positions: None,
                opponent: None,
            })?)
        }
    };
    match sampler.sample()? {
        (Answer::Searched(found), counters) if found.len() == 1 => Ok(json!({
            "value": found[0].value, "best": found[0].best,
            "nodes": counters.nodes, "leaves": counters.leaves,
        })),
        (Answer::Leaves(leaves), counters) => {
            Ok(json!({"leaves": leaves, "nodes": counters.nodes}))
        }
        _ => Err(Fault::Unsupported("only searches and sequences".into())),
    }
}
