//! A program as a technique of a game.

use std::collections::BTreeMap;
use std::ops::Range;

use super::messages::{
    CellAsked, ChooseAnswer, PerftAnswer, PlayoutsAnswer, SampleAsked, SearchAnswer, What,
};
use super::params::{OWN_RANDOM, RULES_DIFFER, is_set};
use super::{Program, lacks, shown};
use crate::search::Found;
use crate::techniques::tasks::remembering::prepare_timed;
use crate::techniques::tasks::{
    Choice, Chooser, Effort, Play, RandomPlayer, Searcher, Searches, random_games,
};
use crate::techniques::{Sampler, Setup};
use crate::words::{Counters, Fault, Tally, Task, Telemetry, resource};

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
    /// Starts the experiment's program for a cell. Fails if it cannot be started, or cannot do what is asked.
    pub fn start(setup: &Setup<'_>, play: P) -> Result<ProgramPlayer<P>, Fault> {
        let mut program = Program::start_noted(setup.params)?;
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
        let mut notes = vec![
            program.who.title(),
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
            counters: Counters::of_search(answer.nodes, answer.leaves),
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

/// Makes a program ready for a cell of a game that is searched, with its rules of that cell. Fails if the position
/// makes no sense, and if the program fails.
pub fn prepare_searched<P: Play>(
    setup: &Setup<'_>,
    rules: impl Fn() -> P,
    playouts: u64,
    effort: Option<Effort>,
) -> Result<Box<dyn Sampler>, Fault> {
    let start = || ProgramPlayer::start(setup, rules()).map(Box::new);
    match setup.task {
        Task::Playouts => random_games::prepare(setup, rules(), playouts, |_| Ok(start()?)),
        _ => prepare_timed(setup, rules(), effort, |_| Ok(start()?)),
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
        let name = shown(&name);
        Fault::Wrong(format!(
            "answered `{name}` at `{position}`, which is no move"
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
        Ok(Counters::of_search(answer.nodes, answer.leaves))
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
