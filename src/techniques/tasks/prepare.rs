//! Prepares every technique: reads the cell's case, and makes its tasks of what the technique brings.

use std::ops::Range;

use rayon::ThreadPool;

use super::cell::Cell;
use super::choose::Choices;
use super::play::lacks;
use super::playouts::Playouts;
use super::random_games::{Rooted, on_host};
use super::{Chooser, Effort, Flat, Play, RandomPlayer, Searcher, Timed, matches, replay};
use crate::techniques::{Sampler, Setup};
use crate::words::{Case, Fault, Params, Task};

/// A game that a case describes.
pub trait Cased: Play + Clone {
    /// Reads a case and the game's options. Fails with one line that names the key, the value and the allowed values.
    fn read(case: &Case, options: &Params) -> Result<Self, String>;

    /// Effort per move, if the case has one.
    fn effort(&self) -> Option<Effort>;

    /// Playouts per sample, or 0.
    fn playouts(&self) -> u64;

    /// Refuses cases without random games. Fails with one line that names the key, the value and the allowed values.
    fn takes_random_games(_case: &Case) -> Result<(), String> {
        Ok(())
    }

    /// The game of a cell, and the positions of its samples. Fails with [`Fault::Input`].
    fn of_cell(setup: &Setup<'_>) -> Result<(Self, Vec<Self::Position>), Fault> {
        let play = Self::read(setup.case, setup.options).map_err(Fault::Input)?;
        let position = setup.position.map(|text| play.parse(text)).transpose();
        let position = position.map_err(Fault::Input)?;
        let position = position.unwrap_or_else(|| play.start());
        Ok((play, vec![position]))
    }
}

/// What a technique brings.
pub enum Made<P: Play> {
    /// Searches to a depth.
    Search(Box<dyn Searcher<P>>),
    /// Searches to a depth or for a time.
    Timed(Box<dyn Timed<P>>),
    /// Random games. Choices are by flat Monte Carlo: the playouts of the first batch, and the limit of a batch.
    Games(Box<dyn RandomPlayer<P>>, Range<u64>),
    /// Choices.
    Choose(Box<dyn Chooser<P>>),
}

impl<P: Play> Made<P> {
    /// The task by which it replies in a match, of a case with an effort or without.
    pub(super) fn replies_by(&self, has_effort: bool) -> Task {
        match self {
            Made::Search(_) => Task::Search,
            Made::Timed(_) if !has_effort => Task::Search,
            _ => Task::Choose,
        }
    }
}

/// Makes what a technique brings, for the game of a case and the positions of its samples.
pub(super) type Make<'a, P> =
    Box<dyn FnOnce(&P, &[<P as Play>::Position]) -> Result<Made<P>, Fault> + 'a>;

/// Prepares a technique for a cell.
pub fn prepare<P: Cased>(
    setup: &Setup<'_>,
    make: impl FnOnce(&P, &[P::Position]) -> Result<Made<P>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_made(setup, Box::new(make))
}

/// [`prepare`], compiled once a game and not once a technique.
fn prepare_made<P: Cased>(setup: &Setup<'_>, make: Make<'_, P>) -> Result<Box<dyn Sampler>, Fault> {
    let (play, positions) = P::of_cell(setup)?;
    if setup.task == Task::Match {
        return matches::prepare(setup, play, positions, make);
    }
    let made = make(&play, &positions)?;
    sampler(setup, setup.task, play, positions, made)
}

/// What a technique brings, as a sampler of a task other than a match.
pub(super) fn sampler<P: Cased>(
    setup: &Setup<'_>,
    task: Task,
    play: P,
    positions: Vec<P::Position>,
    made: Made<P>,
) -> Result<Box<dyn Sampler>, Fault> {
    let chooser: Box<dyn Chooser<P>> = match (made, task) {
        (Made::Games(player, _), Task::Playouts) => {
            return Ok(Box::new(Playouts::new(
                &positions,
                play.playouts(),
                player,
            )?));
        }
        (Made::Games(player, batches), Task::Choose) => Box::new(Flat::new(player, batches)),
        (Made::Choose(chooser), Task::Choose) => chooser,
        (Made::Timed(search), Task::Choose) => search,
        (Made::Timed(search), Task::Search | Task::Game | Task::Perft) => {
            return Ok(Box::new(Cell::new(setup, task, play, positions, search)?));
        }
        (Made::Search(search), Task::Search | Task::Game | Task::Perft) => {
            return Ok(Box::new(Cell::new(setup, task, play, positions, search)?));
        }
        _ => return Err(lacks(play.game(), task.word())),
    };
    Ok(Box::new(Choices {
        chooser,
        positions,
        effort: needs_effort(play.effort())?,
        play,
    }))
}

/// The effort of a case. Fails with [`Fault::Input`] if there is none.
pub fn needs_effort(effort: Option<Effort>) -> Result<Effort, Fault> {
    effort.ok_or_else(|| Fault::Input("effort: the case does not say".into()))
}

/// [`prepare`] for a technique that searches to a depth. Fails with [`Fault::Unsupported`] if the case has an effort.
pub fn prepare_search<P: Cased>(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&P) -> Result<Box<dyn Searcher<P>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |play: &P, _| match play.effort() {
        None => searcher(play).map(Made::Search),
        Some(effort) => Err(Fault::Unsupported(format!(
            "effort: `{effort}`; it searches to a depth and looks at no clock"
        ))),
    })
}

/// [`prepare`] for a technique that also searches for a time.
pub fn prepare_timed<P: Cased>(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&P) -> Result<Box<dyn Timed<P>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |play: &P, _| {
        if setup.task == Task::Choose {
            needs_effort(play.effort())?;
        }
        searcher(play).map(Made::Timed)
    })
}

/// [`prepare`] for random play in the task `playouts`; `player` gets the position and the playouts of the case.
pub fn prepare_random<P: Cased>(
    setup: &Setup<'_>,
    player: impl FnOnce(&P::Position, u64) -> Result<Box<dyn RandomPlayer<P>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    P::takes_random_games(setup.case).map_err(Fault::Unsupported)?;
    prepare(setup, |play: &P, positions| {
        let player = player(&positions[0], play.playouts())?;
        Ok(Made::Games(player, 1..2))
    })
}

/// [`prepare_random`] on one core, or in a pool.
pub fn prepare_random_on_host<P: Cased, G: Rooted<P>>(
    setup: &Setup<'_>,
    game: G,
    pool: Option<ThreadPool>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_random(setup, |_, _| Ok(on_host(game, setup.seed, pool)))
}

/// Replays the games of a match. Fails with one line that names the first wrong game.
pub fn replay_match<P: Cased>(
    case: &Case,
    options: &Params,
    games: &[(i64, String)],
) -> Result<usize, String> {
    replay(&P::read(case, options)?, games)
}
