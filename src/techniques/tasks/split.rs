//! Runs PV-split with the siblings on a device.

use super::{Loads, Play, Searcher};
use crate::opencl::Queue;
use crate::search::pv_split;
use crate::techniques::prelude::*;

/// Searches the siblings of principal-variation nodes on a device. A new PV-split technique implements only this trait.
pub trait Splits<G: Game>: Siblings<G, Fault = Fault> + Send + 'static {
    /// Returns the telemetry since the last call.
    fn telemetry(&mut self) -> Telemetry;
}

/// Waits for the siblings' scores and appends them. Returns their counters. Fails like [`Outcomes::read`].
pub fn read_scores(
    outcomes: &mut Outcomes,
    queue: &mut Queue,
    scores: &mut Vec<i32>,
) -> Result<Counters, Fault> {
    let mut counters = Counters::default();
    outcomes.read(queue, |outcome| {
        let (score, searched) = outcome.searched();
        scores.push(score);
        counters += searched;
    })?;
    Ok(counters)
}

/// Returns the mover's minimax value and the first of the best moves. `below` evaluates the positions at ply `split`.
pub fn minimax_above<G: Game>(
    game: &G,
    position: &G::Position,
    (ply, split): (u32, u32),
    below: &mut impl FnMut(&G::Position) -> (i32, Counters),
    counters: &mut Counters,
) -> (i32, Option<G::Move>) {
    if ply == split {
        let (value, searched) = below(position);
        *counters += searched;
        return (value, None);
    }
    if let Some(value) = game.decided(position, ply) {
        *counters += Counters::of_leaves(1);
        return (value, None);
    }
    counters.nodes += 1;
    let mut best: Option<(i32, G::Move)> = None;
    for mv in game.moves(position) {
        let child = game.play(position, mv);
        let value = -minimax_above(game, &child, (ply + 1, split), below, counters).0;
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, mv));
        }
    }
    best.map_or((0, None), |(value, mv)| (value, Some(mv)))
}

/// Searches by PV-split on one representation. This type is compiled once for all kinds of siblings.
pub struct Splitting<G: Game> {
    game: G,
    positions: Vec<G::Position>,
    siblings: Box<dyn Splits<G>>,
}

impl<G: Game + 'static> Splitting<G> {
    /// Creates the search and runs it once, deep enough to launch siblings, because some drivers compile at first use.
    pub fn warmed(
        game: G,
        mut siblings: Box<dyn Splits<G>>,
        start: &G::Position,
        depth: u32,
    ) -> Result<Splitting<G>, Fault> {
        pv_split(&game, start, depth, &mut *siblings)?;
        siblings.telemetry();
        Ok(Splitting {
            game,
            positions: Vec::new(),
            siblings,
        })
    }
}

impl<P: Play, G: Loads<P>> Searcher<P> for Splitting<G> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        let loaded = positions.iter().map(|position| self.game.load(position));
        self.positions = loaded.collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<P::Move>, Fault> {
        let position = &self.positions[index];
        pv_split(&self.game, position, depth, &mut *self.siblings)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.siblings.telemetry()
    }
}
