//! Runs techniques that are programs in any language. They exchange lines of JSON with the worker (`docs/PROTOCOL.md`).
//!
//! A program is a child of the worker, so it ends when a deadline kills the worker. It is restarted for each cell.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use self::child::Child;
pub use self::child::{sweep_own, sweep_worker};
use self::messages::{OfEach, Reply};
pub(crate) use self::messages::{PROTOCOL, Request, What};
use self::params::{PARAMS, VERSION, as_noted, command_of};
use super::Technique;
use super::hard::Trial;
use super::tasks::Cased;
use crate::techniques::prelude::*;
use crate::words::{GameEntry, Kind, PROGRAM};

mod child;
mod messages;
pub mod params;
mod player;

/// Interval between checks for a stop request while waiting for a program.
const POLL: Duration = Duration::from_millis(100);

/// Creates the technique for a user-supplied program. The program receives a maximum number of threads.
pub const fn technique<P: Cased>(game: GameEntry, trials: &'static [Trial]) -> Technique {
    Technique {
        entry: TechniqueEntry {
            name: PROGRAM,
            game: game.name,
            kind: Kind::Threads,
            summary: "your own program, in any language (docs/PROTOCOL.md)",
            paper: "yours",
            like: "serial",
            counts: Counts::Vary,
            tasks: game.tasks,
            params: PARAMS,
            ..TechniqueEntry::DEVICE
        },
        trials,
        prepare: player::prepare::<P>,
    }
}

/// Number of empty requests for measuring the round trip. The same number of warm-up requests precede them.
const ROUND_TRIPS: usize = 25;

/// Maximum number of characters of a program's output that messages show.
const SHOWN: usize = 80;

/// Returns the name and version of a program that says hello in time and before `stop` is set. Otherwise, kills it.
pub fn hello_within(command: &[String], patience: Duration, stop: &AtomicBool) -> Option<String> {
    let (sender, heard) = channel();
    let command = command.to_vec();
    let asks = std::thread::Builder::new().spawn(move || {
        // The receiver may be gone.
        let _ = sender.send(Program::start(&command).map(|program| program.title));
    });
    asks.ok()?;
    let begun = Instant::now();
    while begun.elapsed() < patience && !stop.load(Ordering::Relaxed) {
        match heard.recv_timeout(POLL) {
            Err(RecvTimeoutError::Timeout) => {}
            said => return said.ok()?.ok(),
        }
    }
    sweep_own();
    None
}

/// A running program that has said hello.
struct Program {
    child: Child,
    /// Name and version of the program, as written to rows.
    title: String,
    asked: u64,
    /// Time that the program reported for its answers, in ns.
    own_ns: u64,
}

impl Program {
    /// Starts a command and requests its name. Fails if the program cannot start, dies or uses another protocol.
    fn start(command: &[String]) -> Result<Program, Fault> {
        let mut program = Program {
            child: Child::start(command)?,
            title: String::new(),
            asked: 0,
            own_ns: 0,
        };
        let reply = program.ask(What::Hello { protocol: PROTOCOL })?;
        let hello = reply.hello.ok_or_else(|| lacks("hello"))?;
        if hello.protocol != PROTOCOL {
            let its = hello.protocol;
            let why = format!("it speaks protocol {its}; this program speaks {PROTOCOL}");
            return Err(Fault::Unsupported(why));
        }
        let title = format!("{} {}", hello.name, hello.version);
        title.trim().clone_into(&mut program.title);
        Ok(program)
    }

    /// Starts the program of a cell. The program's files, name and version must match the run's notes.
    fn start_noted(params: &Params) -> Result<Program, Fault> {
        as_noted(params, None)?;
        let program = Program::start(&command_of(params))?;
        // Check again, because an interpreter reads its file only after it has started.
        as_noted(params, None)?;
        let noted = params.get(VERSION.name).and_then(Value::as_text);
        if let Some(noted) = noted.filter(|noted| *noted != program.title) {
            let [now, was] = [&program.title, noted].map(shown);
            let why = format!("it is `{now}` now and was `{was}` when the run began; run it again");
            return Err(Fault::Input(why));
        }
        Ok(program)
    }

    fn ask(&mut self, what: What) -> Result<Reply, Fault> {
        self.asked += 1;
        let id = self.asked;
        let line = serde_json::to_string(&Request { id, what })
            .map_err(|error| Fault::Input(format!("a request that cannot be said: {error}")))?;
        let said = self.child.ask(&line)?;
        let mut reply: Reply = serde_json::from_str(said).map_err(|error| {
            let said = shown(said);
            Fault::Device(format!("it said what is no reply: `{said}` ({error})"))
        })?;
        let other = reply.id;
        if other != id {
            let why = format!("it answered request {other}, asked was {id}");
            return Err(Fault::Device(why));
        }
        let unsupported = reply.unsupported.take().map(Fault::Unsupported);
        let refused = unsupported.or_else(|| reply.error.take().map(Fault::Input));
        refused.map_or(Ok(reply), Err)
    }

    /// Requests one answer per position.
    fn sample<T: DeserializeOwned>(
        &mut self,
        positions: Vec<String>,
        of_each: OfEach,
    ) -> Result<Vec<T>, Fault> {
        let (start, asked) = (Instant::now(), positions.len());
        let reply = self.ask(What::Sample { positions, of_each })?;
        // Limit the reported time to the measured time.
        let took = start.elapsed().as_nanos() as u64;
        self.own_ns += reply.own_ns.unwrap_or(0).min(took);
        let answers = reply.answers.ok_or_else(|| lacks("answers"))?;
        let answered = answers.len();
        if answered != asked {
            let why = format!("it sent {answered} answers instead of {asked}");
            return Err(Fault::Wrong(why));
        }
        let read: Result<_, _> = answers.into_iter().map(serde_json::from_value).collect();
        read.map_err(|error| Fault::Wrong(format!("an answer is malformed: {error}")))
    }

    /// Requests the answer for a single position.
    fn answer<T: DeserializeOwned>(&mut self, only: String, of_it: OfEach) -> Result<T, Fault> {
        let mut answers = self.sample(vec![only], of_it)?;
        answers.pop().ok_or_else(|| lacks("answers"))
    }

    /// Measures the median round-trip time of an empty request, in ns.
    fn round_trip_ns(&mut self) -> Result<u64, Fault> {
        let mut times = [0; 2 * ROUND_TRIPS];
        for time in &mut times {
            let start = Instant::now();
            self.sample::<serde_json::Value>(Vec::new(), OfEach::Nothing {})?;
            *time = start.elapsed().as_nanos() as u64;
        }
        self.own_ns = 0;
        let measured = &mut times[ROUND_TRIPS..];
        measured.sort_unstable();
        Ok(measured[ROUND_TRIPS / 2])
    }
}

/// Returns the beginning of a program's output, escaped, on one line.
fn shown(said: &str) -> String {
    let short: String = said.chars().take(SHOWN).collect();
    short.escape_debug().to_string()
}

fn lacks(key: &str) -> Fault {
    Fault::Device(format!("its reply has no `{key}`"))
}
