//! PV-split with its siblings on a device.

use super::{Loads, Play, Searcher};
use crate::games::Game;
use crate::search::{Found, Siblings, pv_split};
use crate::words::{Fault, Telemetry};

/// What searches the siblings of principal-variation nodes on a device. All that a technique brings whose search is
/// PV-split.
pub trait Splits<G: Game>: Siblings<G, Fault = Fault> + 'static {
    /// Where the time since the last call of this went, and what it chose and used.
    fn telemetry(&mut self) -> Telemetry;
}

/// PV-split on one representation.
pub struct Splitting<G: Game, S> {
    game: G,
    positions: Vec<G::Position>,
    siblings: S,
}

impl<G: Game, S: Splits<G>> Splitting<G, S> {
    /// Makes it, and lets it search a position so deep that siblings are launched: some drivers compile for a
    /// work-group size when they first see it.
    ///
    /// # Errors
    /// What the siblings fail with.
    pub fn warmed(
        game: G,
        mut siblings: S,
        start: &G::Position,
        depth: u32,
    ) -> Result<Splitting<G, S>, Fault> {
        pv_split(&game, start, depth, &mut siblings)?;
        siblings.telemetry();
        Ok(Splitting {
            game,
            positions: Vec::new(),
            siblings,
        })
    }
}

impl<P: Play, G: Loads<P>, S: Splits<G>> Searcher<P> for Splitting<G, S> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        let loaded = positions.iter().map(|position| self.game.load(position));
        self.positions = loaded.collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<P::Move>, Fault> {
        let position = &self.positions[index];
        pv_split(&self.game, position, depth, &mut self.siblings)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.siblings.telemetry()
    }
}
