//! A game that a case describes, and what a technique brings to it.

use std::ops::Range;

use super::cell::Cell;
use super::choose::{Choices, Deepening};
use super::play::lacks;
use super::playouts::Playouts;
use super::{Chooser, Effort, Flat, Play, RandomPlayer, Searcher};
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
    /// Searches to a depth or for a time.
    Search(Box<dyn Searcher<P>>),
    /// Random games. Choices are by flat Monte Carlo: the playouts of the first batch, and the limit of a batch.
    Games(Box<dyn RandomPlayer<P>>, Range<u64>),
    /// Choices.
    Choose(Box<dyn Chooser<P>>),
}

impl<P: Play> Made<P> {
    /// The task by which it replies in a match, of a case with an effort or without.
    pub(super) fn replies_by(&self, has_effort: bool) -> Task {
        match self {
            Made::Search(_) if !has_effort => Task::Search,
            _ => Task::Choose,
        }
    }
}

/// Makes what a technique brings, for the game of a case and the positions of its samples.
pub(super) type Make<'a, P> =
    Box<dyn FnOnce(&P, &[<P as Play>::Position]) -> Result<Made<P>, Fault> + 'a>;

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
        (Made::Search(search), Task::Choose) => Box::new(Deepening(search)),
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
