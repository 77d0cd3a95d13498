//! Techniques that are a program in any language, which is spoken to in lines of JSON (`docs/PROTOCOL.md`).
//!
//! The program is a child of the worker, so that a deadline that kills the worker ends it too. It is started
//! again for each cell.

mod child;
mod messages;
pub mod params;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use self::child::Child;
pub use self::child::{sweep_after, sweep_of, sweep_own};
use self::messages::{
    CellAsked, ChooseAnswer, PerftAnswer, PlayoutsAnswer, Reply, Request, SampleAsked,
    SearchAnswer, What,
};
pub use self::messages::{Hello, PROTOCOL};
use self::params::{OWN_RANDOM, PARAMS, RULES_DIFFER, command_of, is_set};
use super::hard::Trial;
use super::tasks::{Choice, Chooser, Effort, Play, RandomPlayer, Searcher, Searches};
use super::{Sampler, Setup, Technique};
use crate::search::Found;
use crate::words::{
    Counters, Counts, Fault, GameEntry, Kind, PROGRAM, Tally, Task, TechniqueEntry, Telemetry,
    resource,
};

/// How often one that waits for a program looks whether it is to stop.
const POLL: Duration = Duration::from_millis(100);

/// What the programs of all games have in common. How many threads one uses is its own; it is told how many
/// it may.
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
pub const fn technique(
    game: GameEntry,
    trials: &'static [Trial],
    prepare: fn(&Setup<'_>) -> Result<Box<dyn Sampler>, Fault>,
) -> Technique {
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

/// Starts a command and hears who it is.
///
/// # Errors
/// Where it cannot be started, dies or speaks another protocol.
pub fn hello(command: &[String]) -> Result<Hello, Fault> {
    Program::start(command).map(|program| program.who)
}

/// The same within a time, and until `stop` is raised. A program that says nothing is killed.
///
/// # Errors
/// As [`hello`], and where it is late.
pub fn hello_within(
    command: &[String],
    patience: Duration,
    stop: &AtomicBool,
) -> Result<Hello, Fault> {
    let (sender, heard) = channel();
    let words = command.to_vec();
    std::thread::spawn(move || {
        // The one that asks may have lost its patience.
        let _ = sender.send(hello(&words));
    });
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

    fn ask(&mut self, what: What<'_>) -> Result<Reply, Fault> {
        self.asked += 1;
        let id = self.asked;
        let line = serde_json::to_string(&Request { id, what })
            .map_err(|error| Fault::Input(format!("a request that cannot be said: {error}")))?;
        let said = self.child.ask(&line)?;
        let reply: Reply = serde_json::from_str(said).map_err(|error| {
            let shown: String = said.chars().take(SHOWN).collect();
            Fault::Device(format!(
                "it said what is no reply: `{}` ({error})",
                shown.escape_debug()
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

fn lacks(key: &str) -> Fault {
    Fault::Device(format!("its reply has no `{key}`"))
}

/// A program as a technique of a game: it does every task that it says it can.
pub struct ProgramPlayer<P: Play> {
    program: Program,
    /// The rules: they read the moves that it names.
    play: P,
    loaded: Vec<String>,
    positions: Vec<P::Position>,
    own_ns: u64,
    notes: String,
    round_trip_ns: u64,
}

impl<P: Play> ProgramPlayer<P> {
    /// Starts the experiment's program for a cell.
    ///
    /// # Errors
    /// Where it cannot be started, or cannot do what is asked.
    pub fn start(setup: &Setup<'_>, play: P) -> Result<ProgramPlayer<P>, Fault> {
        let mut program = Program::start(&command_of(setup.params))?;
        let case = setup.case.0.iter();
        let reply = program.ask(What::Prepare(CellAsked {
            game: play.game(),
            task: asked_of_each(setup),
            case: case
                .map(|(axis, value)| (axis.as_str(), value))
                .collect::<BTreeMap<_, _>>(),
            options: setup.options,
            seed: setup.seed,
            threads: setup.threads,
        }))?;
        let prepared = reply.prepared.ok_or_else(|| lacks("prepared"))?;
        let round_trip_ns = program.round_trip_ns()?;
        let Hello { name, version, .. } = &program.who;
        let mut notes = vec![
            format!("{name} {version}").trim().to_owned(),
            prepared.notes,
            format!("round trip {:.1} µs", round_trip_ns as f64 / 1e3),
        ];
        if let Some(how) = setup.params.get(RULES_DIFFER) {
            notes.push(format!("rules differ: {how}"));
        } else if is_set(setup.params, OWN_RANDOM) {
            notes.push("checked: statistics".to_owned());
        }
        notes.retain(|note| !note.is_empty());
        Ok(ProgramPlayer {
            program,
            play,
            loaded: Vec::new(),
            positions: Vec::new(),
            own_ns: 0,
            notes: notes.join(", "),
            round_trip_ns,
        })
    }

    fn load_all(&mut self, positions: &[P::Position]) {
        self.loaded = positions.iter().map(P::Position::to_string).collect();
        self.positions = positions.to_vec();
    }

    fn search_together(
        &mut self,
        indices: &[usize],
        depth: u32,
    ) -> Result<Vec<Found<P::Move>>, Fault> {
        let positions: Vec<String> = indices.iter().map(|at| self.loaded[*at].clone()).collect();
        let sample = SampleAsked {
            positions: &positions,
            depth: Some(depth),
            ..SampleAsked::default()
        };
        let answers: Vec<SearchAnswer> = self.program.sample(sample, &mut self.own_ns)?;
        let both = indices.iter().zip(answers);
        both.map(|(index, answer)| self.found(*index, answer))
            .collect()
    }

    fn found(&self, index: usize, answer: SearchAnswer) -> Result<Found<P::Move>, Fault> {
        let position = &self.positions[index];
        Ok(Found {
            value: answer.value,
            best: read_move(&self.play, position, answer.best)?,
            by_move: Vec::new(),
            counters: Counters {
                nodes: answer.nodes,
                leaves: answer.leaves,
                ..Counters::default()
            },
        })
    }

    fn told(&mut self) -> Telemetry {
        let mut told = Telemetry {
            notes: self.notes.clone(),
            resources: vec![(resource::ROUND_TRIP.to_owned(), self.round_trip_ns)],
            ..Telemetry::default()
        };
        // By its own word: the notes of a cell with a program say whose the part is.
        told.parts.kernel_ns = std::mem::take(&mut self.own_ns);
        told
    }
}

/// What each position is asked for: a game is made of searches, a match of searches or choices.
fn asked_of_each(setup: &Setup<'_>) -> &'static str {
    let task = match setup.task {
        Task::Game => Task::Search,
        Task::Match if setup.case.get("effort").is_some() => Task::Choose,
        Task::Match => Task::Search,
        task => task,
    };
    task.word()
}

/// A move that a program named.
fn read_move<P: Play>(
    play: &P,
    position: &P::Position,
    name: Option<String>,
) -> Result<Option<P::Move>, Fault> {
    let Some(name) = name else { return Ok(None) };
    let found = play.find(position, &name);
    found.map(Some).ok_or_else(|| {
        let shown: String = name.chars().take(SHOWN).collect();
        Fault::Wrong(format!(
            "answered `{}` at `{position}`, which is no move",
            shown.escape_debug()
        ))
    })
}

impl<P: Play> Searcher<P> for ProgramPlayer<P> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.load_all(positions);
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<P::Move>, Fault> {
        let mut found = self.search_together(&[index], depth)?;
        found.pop().ok_or_else(|| lacks("answers"))
    }

    /// One request for all of them.
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<P::Move>,
    ) -> Result<(), Fault> {
        done.found.extend(self.search_together(indices, depth)?);
        Ok(())
    }

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        let sample = SampleAsked {
            positions: std::slice::from_ref(&self.loaded[index]),
            depth: Some(depth),
            ..SampleAsked::default()
        };
        let answers: Vec<PerftAnswer> = self.program.sample(sample, &mut self.own_ns)?;
        let answer = answers.first().ok_or_else(|| lacks("answers"))?;
        Ok(Counters {
            nodes: answer.nodes,
            leaves: answer.leaves,
            ..Counters::default()
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.told()
    }
}

impl<P: Play> RandomPlayer<P> for ProgramPlayer<P> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.load_all(positions);
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let count = playouts.end - playouts.start;
        let sample = SampleAsked {
            positions: std::slice::from_ref(&self.loaded[index]),
            first: Some(playouts.start),
            count: Some(count),
            ..SampleAsked::default()
        };
        let mut answers: Vec<PlayoutsAnswer> = self.program.sample(sample, &mut self.own_ns)?;
        let answer = answers.pop().ok_or_else(|| lacks("answers"))?;
        let tally = Tally {
            wins: answer.wins,
            draws: answer.draws,
            losses: answer.losses,
            plies: answer.plies,
            by_first_move: answer.by_first_move,
        };
        let told = [tally.wins, tally.draws, tally.losses];
        let sum = told
            .iter()
            .try_fold(0_u64, |sum, one| sum.checked_add(*one));
        match sum {
            Some(sum) if sum == count => Ok(tally),
            _ => Err(Fault::Wrong(format!(
                "tallied {told:?} (wins, draws, losses), asked were {count} playouts"
            ))),
        }
    }

    fn telemetry(&mut self) -> Telemetry {
        self.told()
    }
}

impl<P: Play> Chooser<P> for ProgramPlayer<P> {
    fn choose(
        &mut self,
        play: &P,
        position: &P::Position,
        effort: Effort,
    ) -> Result<Choice<P::Move>, Fault> {
        let (time_ms, iterations) = match effort {
            Effort::Time(time) => (Some(time.as_millis() as u64), None),
            Effort::Iterations(iterations) => (None, Some(iterations)),
        };
        let sample = SampleAsked {
            positions: &[position.to_string()],
            time_ms,
            iterations,
            ..SampleAsked::default()
        };
        let mut answers: Vec<ChooseAnswer> = self.program.sample(sample, &mut self.own_ns)?;
        let answer = answers.pop().ok_or_else(|| lacks("answers"))?;
        Ok(Choice {
            best: read_move(play, position, answer.best)?,
            // Another way of choosing tries other moves: only the legality of its move is checked.
            visits: Vec::new(),
            tree_nodes: 0,
            tree_depth: 0,
            counters: Counters {
                nodes: answer.nodes,
                playouts: answer.playouts,
                plies: answer.plies,
                ..Counters::default()
            },
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.told()
    }
}
