//! Implements techniques with user-supplied programs.

use std::ops::Range;

use super::messages::{CellAsked, ChooseAnswer, OfEach, PerftAnswer, SearchAnswer, What};
use super::params::comparison;
use super::{Program, lacks, shown};
use crate::techniques::prelude::*;
use crate::techniques::tasks::{
    self, At, Cased, Choice, Chooser, Effort, Made, Play, RandomPlayer, Searches, needs_effort,
};
use crate::words::resource;

/// Plays a game with a user-supplied program, in every task that the program supports.
pub struct ProgramPlayer<P: Play> {
    program: Program,
    /// The rules, used to parse the program's moves.
    play: P,
    /// The positions, each with its text in the game's notation.
    positions: Vec<(P::Position, String)>,
    notes: String,
    round_trip_ns: u64,
}

impl<P: Play> ProgramPlayer<P> {
    /// Starts the program for a cell. Fails if the program does not start or does not support the task.
    pub fn start(setup: &Setup<'_>, play: P) -> Result<ProgramPlayer<P>, Fault> {
        let mut program = Program::start_noted(setup.params)?;
        let reply = program.ask(What::Prepare(CellAsked {
            game: P::GAME.to_owned(),
            task: asked_of_each(setup),
            case: setup.case.0.iter().cloned().collect(),
            options: setup.options.clone(),
            seed: setup.seed,
            threads: setup.threads,
        }))?;
        let prepared = reply.prepared.ok_or_else(|| lacks("prepared"))?;
        let round_trip_ns = program.round_trip_ns()?;
        let round_trip = format!("round trip {:.1} µs", round_trip_ns as f64 / 1e3);
        let mut notes = vec![program.title.clone(), prepared.notes, round_trip];
        notes.extend(comparison(setup.params));
        notes.retain(|note| !note.is_empty());
        Ok(ProgramPlayer {
            program,
            play,
            positions: Vec::new(),
            notes: notes.join(", "),
            round_trip_ns,
        })
    }

    /// Searches several positions with one request.
    fn searched(&mut self, indices: &[usize], depth: u32) -> Result<Vec<Found<P::Move>>, Fault> {
        let asked = indices.iter().map(|at| &self.positions[*at]);
        let texts = asked.clone().map(|(_, text)| text.clone()).collect();
        let answers: Vec<SearchAnswer> = self.program.sample(texts, OfEach::ToDepth { depth })?;
        let found = asked.zip(answers).map(|((position, _), answer)| {
            Ok(Found {
                value: answer.value,
                best: read_move(&self.play, position, answer.choice.best)?,
                by_move: Vec::new(),
                counters: answer.choice.counters,
            })
        });
        found.collect()
    }
}

/// Prepares a program for a cell. Fails if the case or the position is invalid, or if the program fails.
pub fn prepare<P: Cased>(setup: &Setup<'_>) -> Prepared {
    tasks::prepare(setup, |play: &P, _| {
        if setup.task == Task::Choose {
            needs_effort(play.amount().effort)?;
        }
        let player = Box::new(ProgramPlayer::start(setup, play.clone())?);
        Ok(match asked_of_each(setup) {
            Task::Playouts => Made::Games(player, 1..2),
            Task::Choose => Made::Choose(player),
            _ => Made::Search(player),
        })
    })
}

/// Returns the program's task for each position. A `game` consists of searches, and a `match` of searches or choices.
fn asked_of_each(setup: &Setup<'_>) -> Task {
    match setup.task {
        Task::Game => Task::Search,
        Task::Match if setup.case.get("effort").is_some() => Task::Choose,
        Task::Match => Task::Search,
        task => task,
    }
}

/// Parses the move that a program named.
fn read_move<P: Play>(
    play: &P,
    position: &P::Position,
    name: Option<String>,
) -> Result<Option<P::Move>, Fault> {
    let Some(name) = name else { return Ok(None) };
    let wrong = || {
        let name = shown(&name);
        Fault::Wrong(format!(
            "answered `{name}` at `{position}`, which is no move"
        ))
    };
    play.find(position, &name).map(Some).ok_or_else(wrong)
}

impl<P: Play> Searcher<P> for ProgramPlayer<P> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        let positions = positions.iter();
        self.positions = positions.map(|it| (it.clone(), it.to_string())).collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<P::Move>, Fault> {
        let found = self.searched(&[index], depth)?.pop();
        found.ok_or_else(|| lacks("answers"))
    }

    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<P::Move>,
    ) -> Result<(), Fault> {
        done.found = self.searched(indices, depth)?;
        Ok(())
    }

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        let text = self.positions[index].1.clone();
        let answer: PerftAnswer = self.program.answer(text, OfEach::ToDepth { depth })?;
        Ok(Counters::of_search(answer.nodes, answer.leaves))
    }

    fn telemetry(&mut self) -> Telemetry {
        let mut told = Telemetry {
            notes: self.notes.clone(),
            resources: vec![(resource::ROUND_TRIP.to_owned(), self.round_trip_ns)],
            ..Telemetry::default()
        };
        // The program itself measures this time.
        told.parts.kernel_ns = std::mem::take(&mut self.program.own_ns);
        told
    }
}

impl<P: Play> RandomPlayer<P> for ProgramPlayer<P> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        Searcher::load(self, positions)
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let (first, count) = (playouts.start, playouts.end - playouts.start);
        let asked = OfEach::Playouts { first, count };
        let text = self.positions[index].1.clone();
        let tally: Tally = self.program.answer(text, asked)?;
        let told = [tally.wins, tally.draws, tally.losses];
        let sum = told
            .iter()
            .try_fold(0_u64, |sum, own| sum.checked_add(*own));
        if sum != Some(count) {
            let why =
                format!("tallied {told:?} (wins, draws, losses), asked were {count} playouts");
            return Err(Fault::Wrong(why));
        }
        Ok(tally)
    }

    fn telemetry(&mut self) -> Telemetry {
        Searcher::telemetry(self)
    }
}

impl<P: Play> Chooser<P> for ProgramPlayer<P> {
    fn choose(&mut self, at: &At<'_, P>, effort: Effort) -> Result<Choice<P::Move>, Fault> {
        let At { play, position } = *at;
        let asked = match effort {
            Effort::Time(time) => {
                let time_ms = time.as_millis() as u64;
                OfEach::InTime { time_ms }
            }
            Effort::Iterations(iterations) => OfEach::Iterations { iterations },
        };
        let answer: ChooseAnswer = self.program.answer(position.to_string(), asked)?;
        Ok(Choice {
            // The move only has to be legal, because other algorithms choose other moves.
            best: read_move(play, position, answer.best)?,
            counters: answer.counters,
            ..Choice::none()
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        Searcher::telemetry(self)
    }
}
