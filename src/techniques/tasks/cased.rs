//! Games as cases describe them, and what all techniques of a game prepare alike.

use rayon::ThreadPool;

use super::random_games::{self, Rooted, on_host};
use super::remembering;
use super::{Effort, Play, RandomPlayer, Searcher, Timed, prepare, replay};
use crate::techniques::{Sampler, Setup};
use crate::words::{Case, Fault, Params};

/// A game that a case describes.
pub trait Cased: Play + Sized {
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
}

/// The game of a cell. Fails with [`Fault::Input`] for an invalid case or option.
pub fn game_of<P: Cased>(setup: &Setup<'_>) -> Result<P, Fault> {
    P::read(setup.case, setup.options).map_err(Fault::Input)
}

/// The effort of a case. Fails with [`Fault::Input`] if there is none.
pub fn needs_effort(effort: Option<Effort>) -> Result<Effort, Fault> {
    effort.ok_or_else(|| Fault::Input("effort: the case does not say".into()))
}

/// Prepares a technique that searches to a depth: makes its searcher and loads the positions. Fails as [`game_of`],
/// with [`Fault::Unsupported`] if the case has an effort, or as `searcher`.
pub fn prepare_search<P: Cased>(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&P) -> Result<Box<dyn Searcher<P>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let play: P = game_of(setup)?;
    if let Some(effort) = play.effort() {
        let why = format!("effort: `{effort}`; it searches to a depth and looks at no clock");
        return Err(Fault::Unsupported(why));
    }
    prepare(setup, play, searcher)
}

/// [`prepare_search`] for a technique that also searches for a time.
pub fn prepare_timed<P: Cased>(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&P) -> Result<Box<dyn Timed<P>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let play: P = game_of(setup)?;
    let effort = play.effort();
    remembering::prepare_timed(setup, play, effort, searcher)
}

/// Prepares random play for the task `playouts`; `player` gets the position and the playouts of the case. Fails with
/// [`Fault::Unsupported`] for a case without random games, as [`game_of`], or as `player`.
pub fn prepare_random<P: Cased>(
    setup: &Setup<'_>,
    player: impl FnOnce(&P::Position, u64) -> Result<Box<dyn RandomPlayer<P>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    P::takes_random_games(setup.case).map_err(Fault::Unsupported)?;
    let play: P = game_of(setup)?;
    let count = play.playouts();
    random_games::prepare(setup, play, count, |start| player(start, count))
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
