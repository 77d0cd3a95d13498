//! Techniques that are a program in any language, which is spoken to in lines of JSON (`docs/PROTOCOL.md`).
//!
//! The program is a child of the worker, so that a deadline that kills the worker ends it too. It is started again for
//! each cell.

mod child;
mod messages;
pub mod params;
mod player;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use self::child::Child;
pub use self::child::{sweep_after, sweep_of, sweep_own};
pub use self::messages::{Hello, PROTOCOL};
use self::messages::{Reply, Request, SampleAsked, What};
use self::params::{PARAMS, VERSION, as_noted, command_of};
pub use self::player::{ProgramPlayer, prepare_searched};
use super::hard::Trial;
use super::{Prepare, Technique};
use crate::words::{Counts, Fault, GameEntry, Kind, PROGRAM, Params, TechniqueEntry, Value};

/// How often one that waits for a program looks whether it is to stop.
const POLL: Duration = Duration::from_millis(100);

/// What the programs of all games have in common. How many threads one uses is its own; it is told how many it may.
const ENTRY: TechniqueEntry = TechniqueEntry {
    name: PROGRAM,
    kind: Kind::Threads,
    summary: "a program of yours, in any language: docs/PROTOCOL.md",
    paper: "yours",
    like: "serial",
    counts: Counts::Vary,
    params: PARAMS,
    ..TechniqueEntry::DEVICE
};

/// A program in any language, for a game.
pub const fn technique(game: GameEntry, trials: &'static [Trial], prepare: Prepare) -> Technique {
    Technique {
        entry: TechniqueEntry {
            game: game.name,
            tasks: game.tasks,
            ..ENTRY
        },
        trials,
        prepare,
    }
}

/// Empty requests whose round trip is measured, after as many untimed ones.
const ROUND_TRIPS: usize = 25;

/// Characters of what a program says that are shown.
const SHOWN: usize = 80;

/// Starts a command and hears who it is. Fails if it cannot be started, dies or speaks another protocol.
pub fn hello(command: &[String]) -> Result<Hello, Fault> {
    Program::start(command).map(|program| program.who)
}

/// The same within a time, and until `stop` is raised. A program that says nothing is killed. Fails as [`hello`], and
/// where it is late.
pub fn hello_within(
    command: &[String],
    patience: Duration,
    stop: &AtomicBool,
) -> Result<Hello, Fault> {
    let (sender, heard) = channel();
    let words = command.to_vec();
    let asks = std::thread::Builder::new().spawn(move || {
        // The one that asks may have lost its patience.
        let _ = sender.send(hello(&words));
    });
    asks.map_err(|error| Fault::Device(format!("no thread to ask it: {error}")))?;
    let begun = Instant::now();
    while begun.elapsed() < patience && !stop.load(Ordering::Relaxed) {
        let left = patience.saturating_sub(begun.elapsed());
        match heard.recv_timeout(left.min(POLL)) {
            Ok(said) => return said,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    sweep_own();
    let waited = Duration::from_secs(begun.elapsed().as_secs());
    let waited = humantime::format_duration(waited);
    Err(Fault::Device(format!("it said no hello within {waited}")))
}

/// A program that has said hello.
struct Program {
    child: Child,
    who: Hello,
    asked: u64,
}

impl Program {
    fn start(command: &[String]) -> Result<Program, Fault> {
        let mut program = Program {
            child: Child::start(command)?,
            who: Hello::default(),
            asked: 0,
        };
        let reply = program.ask(What::Hello { protocol: PROTOCOL })?;
        program.who = reply.hello.ok_or_else(|| lacks("hello"))?;
        match program.who.protocol {
            PROTOCOL => Ok(program),
            other => Err(Fault::Unsupported(format!(
                "it speaks protocol {other}; this program speaks {PROTOCOL}"
            ))),
        }
    }

    /// Starts the program of a cell. It must be the one that the run noted, in its files and in its own words.
    fn start_noted(params: &Params) -> Result<Program, Fault> {
        as_noted(params)?;
        let program = Program::start(&command_of(params))?;
        // An interpreter reads its file after the start.
        as_noted(params)?;
        let found = program.who.title();
        match params.get(VERSION).and_then(Value::as_text) {
            Some(noted) if noted != found => Err(Fault::Input(format!(
                "it is `{}` now and was `{}` when the run began; run it again",
                shown(&found),
                shown(noted)
            ))),
            _ => Ok(program),
        }
    }

    fn ask(&mut self, what: What<'_>) -> Result<Reply, Fault> {
        self.asked += 1;
        let id = self.asked;
        let line = serde_json::to_string(&Request { id, what })
            .map_err(|error| Fault::Input(format!("a request that cannot be said: {error}")))?;
        let said = self.child.ask(&line)?;
        let reply: Reply = serde_json::from_str(said).map_err(|error| {
            Fault::Device(format!(
                "it said what is no reply: `{}` ({error})",
                shown(said)
            ))
        })?;
        if reply.id != id {
            return Err(Fault::Device(format!(
                "it answered request {}, asked was {id}",
                reply.id
            )));
        }
        if let Some(why) = reply.unsupported {
            return Err(Fault::Unsupported(why));
        }
        match reply.error {
            Some(why) => Err(Fault::Input(why)),
            None => Ok(reply),
        }
    }

    /// Asks for answers, one for each position.
    fn sample<T: DeserializeOwned>(
        &mut self,
        sample: SampleAsked<'_>,
        own_ns: &mut u64,
    ) -> Result<Vec<T>, Fault> {
        let asked = sample.positions.len();
        let start = Instant::now();
        let reply = self.ask(What::Sample(sample))?;
        // No part is longer than the whole, whatever it says.
        let took = start.elapsed().as_nanos() as u64;
        *own_ns += reply.own_ns.unwrap_or(0).min(took);
        let answers = reply.answers.ok_or_else(|| lacks("answers"))?;
        if answers.len() != asked {
            return Err(Fault::Wrong(format!(
                "{} positions answered, {asked} asked",
                answers.len()
            )));
        }
        let read = |answer| {
            serde_json::from_value(answer)
                .map_err(|error| Fault::Wrong(format!("an answer that is none: {error}")))
        };
        answers.into_iter().map(read).collect()
    }

    /// What an empty request takes, ns, median.
    fn round_trip_ns(&mut self) -> Result<u64, Fault> {
        let mut times = Vec::with_capacity(ROUND_TRIPS);
        for _ in 0..2 * ROUND_TRIPS {
            let start = Instant::now();
            let none: Vec<serde_json::Value> = self.sample(SampleAsked::default(), &mut 0)?;
            drop(none);
            times.push(start.elapsed().as_nanos() as u64);
        }
        let mut times = times.split_off(ROUND_TRIPS);
        times.sort_unstable();
        Ok(times[times.len() / 2])
    }
}

/// The beginning of what a program says, on one line.
fn shown(said: &str) -> String {
    let short: String = said.chars().take(SHOWN).collect();
    short.escape_debug().to_string()
}

fn lacks(key: &str) -> Fault {
    Fault::Device(format!("its reply has no `{key}`"))
}
