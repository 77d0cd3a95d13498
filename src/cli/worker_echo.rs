//! `bench worker --echo`: `serial` as a program that speaks `docs/PROTOCOL.md`, to measure the protocol's cost.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{BufRead, Write};

use anyhow::{Context, anyhow};
use serde_json::json;

use super::exit::{Exit, Failure};
use crate::techniques::program::{CellAsked, PROTOCOL, Request, What};
use crate::techniques::{Sampler, Setup, registry};
use crate::words::{Answer, Case, Fault, Params};

pub fn run() -> Result<Exit, Failure> {
    let (mut cell, mut ready) = (None, HashMap::new());
    for line in std::io::stdin().lock().lines() {
        let line = line.context("stdin").map_err(Failure::files)?;
        let request: Request = serde_json::from_str(&line).map_err(Failure::usage)?;
        let mut reply = match (request.what, &cell) {
            (What::Hello { .. }, _) => {
                let version = env!("CARGO_PKG_VERSION");
                json!({"hello": {"protocol": PROTOCOL, "name": "serial", "version": version}})
            }
            (What::Prepare(asked), _) => {
                ready.clear();
                cell = Some(asked);
                json!({"prepared": {}})
            }
            (What::Sample { positions, .. }, Some(cell)) => {
                let positions = positions.iter();
                let answers = positions.map(|position| answer(cell, &mut ready, position));
                match answers.collect::<Result<Vec<_>, Fault>>() {
                    Ok(answers) => json!({"answers": answers}),
                    Err(fault) => json!({"error": fault.to_string()}),
                }
            }
            _ => return Err(Failure::usage(anyhow!("nothing is prepared: {line}"))),
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
    cell: &CellAsked,
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
