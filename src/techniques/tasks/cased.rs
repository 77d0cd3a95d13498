//! Prepares techniques for a game that a case describes, from the parts that the techniques provide.

use std::ops::Range;

use rayon::ThreadPool;

use super::cell::Cell;
use super::choose::{Choices, Deepening};
use super::host_table::{EFFORT, effort_of, read_effort};
use super::matches::{self, replay};
use super::play::{PLIES, lacks, read_plies};
use super::random_games::{PlayoutCell, Rooted, on_host};
use super::{
    Chooser, Effort, Flat, PLAYOUTS, Play, Playing, RandomPlayer, Searcher, Searching,
    read_playouts,
};
use crate::games::text::Form;
use crate::techniques::prelude::*;
use crate::words::{AxisEntry, Understood};

/// A game that a case describes.
pub trait Cased: Play + Clone {
    /// Reads a case and the options of the game. The error is one line with the key, the value and the allowed values.
    fn read(case: &Case, options: &Params) -> Result<Self, String>;

    /// Returns the amount of work per sample.
    fn amount(&self) -> Amount;

    /// Refuses cases that do not support random games. The error is one line with key, value and allowed values.
    fn takes_random_games(_case: &Case) -> Result<(), String> {
        Ok(())
    }

    /// Returns the game of a cell and the positions of its samples. Fails with [`Fault::Input`].
    fn of_cell(setup: &Setup<'_>) -> Result<(Self, Vec<Self::Position>), Fault> {
        let play = Self::read(setup.case, setup.options).map_err(Fault::Input)?;
        let position = setup.position.map(|text| play.parse(text)).transpose();
        let position = position.map_err(Fault::Input)?;
        let position = position.unwrap_or_else(|| play.start());
        Ok((play, vec![position]))
    }
}

/// The part that a technique provides for its tasks.
pub enum Made<P: Play> {
    /// A search to a depth or for a time.
    Search(Box<dyn Searcher<P>>),
    /// Random games, and the range of batch sizes in flat Monte Carlo, from the first batch to the largest.
    Games(Box<dyn RandomPlayer<P>>, Range<u64>),
    /// Choices of moves.
    Choose(Box<dyn Chooser<P>>),
}

impl<P: Play> Made<P> {
    /// Returns the task of each move in a match: a search or a choice. It depends on whether the case has an effort.
    pub(super) fn replies_by(&self, has_effort: bool) -> Task {
        match self {
            Made::Search(_) if !has_effort => Task::Search,
            _ => Task::Choose,
        }
    }
}

/// A function that creates a technique's part, given the game of a case and the positions of its samples.
pub(super) type Make<'a, P> =
    Box<dyn FnOnce(&P, &[<P as Play>::Position]) -> Result<Made<P>, Fault> + 'a>;

/// Turns a technique's part into a sampler for any task except a match.
pub(super) fn sampler<P: Cased>(
    setup: &Setup<'_>,
    task: Task,
    play: P,
    positions: Vec<P::Position>,
    made: Made<P>,
) -> Prepared {
    let chooser: Box<dyn Chooser<P>> = match (made, task) {
        (Made::Games(player, _), Task::Playouts) => {
            return Ok(Box::new(PlayoutCell::new(
                &positions,
                play.amount().playouts,
                player,
            )?));
        }
        (Made::Games(player, batches), Task::Choose) => Box::new(Flat::new(player, batches)),
        (Made::Choose(chooser), Task::Choose) => chooser,
        (Made::Search(search), Task::Choose) => Box::new(Deepening(search)),
        (Made::Search(search), Task::Search | Task::Game | Task::Perft) => {
            return Ok(Box::new(Cell::new(setup, task, play, positions, search)?));
        }
        _ => return Err(lacks(P::GAME, task.word())),
    };
    Ok(Box::new(Choices {
        chooser,
        positions,
        effort: needs_effort(play.amount().effort)?,
        play,
    }))
}

/// Returns the effort of a case. Fails with [`Fault::Input`] if there is none.
pub fn needs_effort(effort: Option<Effort>) -> Result<Effort, Fault> {
    effort.ok_or_else(|| Fault::Input("effort: the case does not say".into()))
}

/// Prepares a technique for a cell.
pub fn prepare<P: Cased>(
    setup: &Setup<'_>,
    make: impl FnOnce(&P, &[P::Position]) -> Result<Made<P>, Fault>,
) -> Prepared {
    prepare_made(setup, Box::new(make))
}

/// Implements [`prepare`]. This function is compiled once per game instead of once per technique.
fn prepare_made<P: Cased>(setup: &Setup<'_>, make: Make<'_, P>) -> Prepared {
    let (play, positions) = P::of_cell(setup)?;
    if setup.task == Task::Match {
        return matches::prepare(setup, play, positions, make);
    }
    let made = make(&play, &positions)?;
    sampler(setup, setup.task, play, positions, made)
}

/// Prepares a technique that searches to a depth. Fails with [`Fault::Unsupported`] if the case has an effort.
pub fn prepare_search<P: Cased>(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&P) -> Searching<P>,
) -> Prepared {
    prepare(setup, |play: &P, _| match play.amount().effort {
        None => searcher(play).map(Made::Search),
        Some(effort) => Err(Fault::Unsupported(format!(
            "effort: `{effort}`; it searches to a depth and looks at no clock"
        ))),
    })
}

/// Prepares a technique that searches to a depth or for a time.
pub fn prepare_timed<P: Cased>(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&P) -> Searching<P>,
) -> Prepared {
    prepare(setup, |play: &P, _| {
        if setup.task == Task::Choose {
            needs_effort(play.amount().effort)?;
        }
        searcher(play).map(Made::Search)
    })
}

/// Prepares random games for the task `playouts`. `player` gets the case's position and number of playouts.
pub fn prepare_random<P: Cased>(
    setup: &Setup<'_>,
    player: impl FnOnce(&P::Position, u64) -> Playing<P>,
) -> Prepared {
    P::takes_random_games(setup.case).map_err(Fault::Unsupported)?;
    prepare(setup, |play: &P, positions| {
        let player = player(&positions[0], play.amount().playouts)?;
        Ok(Made::Games(player, 1..2))
    })
}

/// Prepares random games on one core, or in a pool.
pub fn prepare_random_on_host<P: Cased, G: Rooted<P>>(
    setup: &Setup<'_>,
    game: G,
    pool: Option<ThreadPool>,
) -> Prepared {
    prepare_random(setup, |_, _| Ok(on_host(game, setup.seed, pool)))
}

/// Replays the games of a match. The error is one line about the first wrong game.
pub fn replay_match<P: Cased>(
    case: &Case,
    options: &Params,
    games: &[(i64, String)],
) -> Result<usize, String> {
    replay(&P::read(case, options)?, games)
}

/// The depths, from 1 upwards, that a game allows in its cases.
pub struct Depths {
    /// Description of the allowed values.
    pub allowed: &'static str,
    most: i64,
}

impl Depths {
    /// Allows depths from 1 to `most`. `allowed` describes them.
    pub const fn up_to(most: i64, allowed: &'static str) -> Depths {
        Depths { allowed, most }
    }

    /// Returns the axis. A match may have an effort instead of a depth.
    pub const fn axis(&self) -> AxisEntry {
        AxisEntry {
            name: DEPTH,
            allowed: self.allowed,
            default: Some("6"),
            tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        }
    }

    /// Reads a value. The error is one line with the key, the value and the allowed values.
    pub fn read(&self, value: &Value) -> Result<u32, String> {
        let depth = value
            .as_int()
            .filter(|depth| (1..=self.most).contains(depth));
        let depth = depth.map(|depth| depth as u32);
        depth.ok_or_else(|| format!("{DEPTH}: `{value}`; allowed is {}", self.allowed))
    }
}

const DEPTH: &str = "depth";

/// The amount of work per sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Number of plies of a search or of perft, or 0 if the case has playouts or an effort.
    pub depth: u32,
    /// Number of playouts per position, or 0.
    pub playouts: u64,
    /// Effort per move, if the case has one.
    pub effort: Option<Effort>,
}

/// Reads the amount of work in a case of a game with searches.
pub fn amount_of(case: &Case, depth: &Depths) -> Result<Amount, String> {
    let effort = effort_of(case)?;
    let playouts = case.get(PLAYOUTS.name).map(read_playouts).transpose()?;
    let depth = match (effort, playouts) {
        (None, None) => depth.read(axis_of(case, DEPTH)?)?,
        _ => 0,
    };
    Ok(Amount {
        depth,
        playouts: playouts.unwrap_or(0),
        effort,
    })
}

/// Returns the value on an axis. If the case lacks the axis, the error is one line with its name.
pub fn axis_of<'c>(case: &'c Case, name: &str) -> Result<&'c Value, String> {
    case.get(name)
        .ok_or_else(|| format!("{name}: the case does not say"))
}

/// Implements [`GameEntry::understand`](crate::words::GameEntry::understand) for a position read from the text.
pub fn understood<P: ToString, E: ToString>(
    read: Result<(P, Form), E>,
) -> Result<Understood, String> {
    let (position, form) = read.map_err(|error| error.to_string())?;
    Ok(Understood {
        form: form.word(),
        position: Some(position.to_string()),
        note: "",
    })
}

/// Checks a value with the reader of its axis. `first` is the first axis of the game.
pub fn check_axis(
    (game, axis, value): (&str, &str, &Value),
    (first, read): (&str, impl FnOnce(&Value) -> Result<(), String>),
    depth: &Depths,
) -> Result<(), String> {
    match axis {
        _ if axis == first => read(value),
        DEPTH => depth.read(value).map(drop),
        _ if axis == PLIES.name => read_plies(value).map(drop),
        _ if axis == EFFORT.name => read_effort(value).map(drop),
        _ if axis == PLAYOUTS.name => read_playouts(value).map(drop),
        _ => Err(format!(
            "{axis}: no axis of {game}; allowed are {first}, depth, plies, effort and playouts"
        )),
    }
}

/// Implements [`ParamEntry::check`](crate::words::ParamEntry::check) with the result of a reader.
pub fn checked<T, E: ToString>(read: Result<T, E>) -> Result<(), String> {
    read.map(drop).map_err(|error| error.to_string())
}
