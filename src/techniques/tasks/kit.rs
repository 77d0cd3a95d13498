//! Games whose boards have several representations, and what the host does on any of them.

use std::sync::Arc;

pub use super::host::OnGame;
use super::host::{Algorithm, Runs};
use super::line::line_of;
use super::random_games::Rooted;
use super::remembering::{remembering, value_with_table};
use super::{
    Cased, Line, Loads, Play, Searcher, prepare_random_on_host, prepare_search, prepare_timed,
};
use crate::games::OrderedGame;
use crate::search::value_of_move;
use crate::techniques::{Sampler, Setup, pool_of};
use crate::words::{Fault, Task};

/// A game that the host searches.
pub trait Kit: Cased {
    /// A search on all threads that finds `serial`'s moves.
    type SelfPlay: Algorithm + Default;
    /// Depth from which a move's value is searched with a table: without one, it takes minutes.
    const WITH_TABLE_FROM: u32;

    /// Calls a visitor with the fastest representation of the case's board.
    fn on_fastest<V: OnGame<Self>>(&self, visitor: V) -> V::Output;

    /// Calls a visitor with the fastest representation that orders moves.
    fn on_ordered<V: OnOrdered<Self>>(&self, visitor: V) -> V::Output;
}

/// A function of any representation that orders moves.
pub trait OnOrdered<P: Play> {
    /// Its result.
    type Output;

    /// Calls it.
    fn on_ordered<G: Loads<P> + OrderedGame + Clone>(self, game: G) -> Self::Output;
}

/// Prepares a search on the calling thread, or in a pool.
pub fn prepare_on_host<P: Kit>(
    setup: &Setup<'_>,
    runs: Runs<impl Algorithm>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_search(setup, |play: &P| play.on_fastest(runs))
}

/// [`prepare_on_host`] of a baseline, which also plays `random` games.
pub fn prepare_baseline<P: Kit>(
    setup: &Setup<'_>,
    runs: Runs<impl Algorithm>,
    random: impl Rooted<P>,
) -> Result<Box<dyn Sampler>, Fault> {
    if setup.task != Task::Playouts {
        return prepare_on_host::<P>(setup, runs);
    }
    let pool = runs.1.map(pool_of).transpose()?;
    prepare_random_on_host(setup, random, pool)
}

/// Prepares a search with a transposition table on the calling thread, or in a pool.
pub fn prepare_table<P: Kit>(
    setup: &Setup<'_>,
    threads: Option<usize>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_timed(setup, |play: &P| {
        play.on_ordered(OnTable { threads, setup })
    })
}

struct OnTable<'a> {
    threads: Option<usize>,
    setup: &'a Setup<'a>,
}

impl<P: Play> OnOrdered<P> for OnTable<'_> {
    type Output = Result<Box<dyn Searcher<P>>, Fault>;

    fn on_ordered<G: Loads<P> + OrderedGame + Clone>(self, game: G) -> Self::Output {
        remembering(game, self.threads, self.setup)
    }
}

/// [`Play::value_of`] of a kit.
pub fn value_of<P: Kit>(play: &P, position: &P::Position, mv: P::Move) -> i64 {
    let value = ValueOf(play, position, mv);
    if play.depth() < P::WITH_TABLE_FROM {
        play.on_fastest(value)
    } else {
        play.on_ordered(value)
    }
}

struct ValueOf<'a, P: Play>(&'a P, &'a P::Position, P::Move);

impl<P: Play> OnGame<P> for ValueOf<'_, P> {
    type Output = i64;

    fn on<G: Loads<P>>(self, game: G) -> i64 {
        let ValueOf(play, position, mv) = self;
        value_of_move(&game, &game.load(position), mv, play.depth()).into()
    }
}

impl<P: Play> OnOrdered<P> for ValueOf<'_, P> {
    type Output = i64;

    fn on_ordered<G: Loads<P> + OrderedGame + Clone>(self, game: G) -> i64 {
        let ValueOf(play, position, mv) = self;
        value_with_table(&game, &game.load(position), mv, play.depth())
    }
}

/// The game of `serial` against itself at a depth, searched on all threads by an algorithm with the same moves.
pub fn own_line<P: Kit>(play: &P, depth: u32) -> Result<Line<P::Position>, Fault> {
    let mut search = play.on_fastest(Runs(P::SelfPlay::default(), None))?;
    line_of(play, &mut |position| {
        search.load(std::slice::from_ref(position))?;
        Ok(search.search(0, depth)?.best)
    })
}

/// A fact of a line of play: its number of positions.
pub fn positions<P>(axes: String, line: &Arc<Line<P>>) -> (String, String, f64) {
    (axes, "positions".into(), line.positions.len() as f64)
}
