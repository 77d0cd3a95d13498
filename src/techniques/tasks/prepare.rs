//! Prepares every technique: reads the cell's case, and makes its tasks of what the technique brings.

use rayon::ThreadPool;

use super::cased::{Cased, Made, Make, needs_effort, sampler};
use super::random_games::{Rooted, on_host};
use super::{RandomPlayer, Searcher, matches, replay};
use crate::techniques::{Sampler, Setup};
use crate::words::{Case, Fault, Params, Task};

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
    searcher: impl FnOnce(&P) -> Result<Box<dyn Searcher<P>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |play: &P, _| {
        if setup.task == Task::Choose {
            needs_effort(play.effort())?;
        }
        searcher(play).map(Made::Search)
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
