//! Playouts from the leaves of a tree, on the calling core.

use std::sync::Arc;

use crate::games::annexation::{Draws, Ground, Light};
use crate::search::LeafPlayouts;
use crate::search::annexation::{Frontiers, SlicedLeaves};
use crate::techniques::tasks::mcts::LeafPlayer;
use crate::words::Fault;

/// One playout per leaf, with frontier lists.
pub struct OneByOne {
    draws: Draws,
    laid_out: Option<(Arc<Ground>, Frontiers)>,
    points: Vec<u32>,
}

impl OneByOne {
    /// Playouts under a seed.
    pub fn new(seed: u64) -> OneByOne {
        OneByOne {
            draws: Draws::new(seed),
            laid_out: None,
            points: Vec::new(),
        }
    }
}

impl LeafPlayouts<Light> for OneByOne {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        1
    }

    fn begin(&mut self, first: u64, leaves: &[Light]) -> Result<(), Fault> {
        self.points.clear();
        for (number, leaf) in (first..).zip(leaves) {
            let ground = leaf.ground();
            let known = self.laid_out.take();
            let known = known.filter(|(known, _)| Arc::ptr_eq(known, ground));
            let known =
                known.unwrap_or_else(|| (Arc::clone(ground), Frontiers::new(ground.board())));
            let (_, frontiers) = self.laid_out.insert(known);
            self.points
                .push(frontiers.play_from(leaf, &self.draws, number));
        }
        Ok(())
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        std::mem::swap(points, &mut self.points);
        Ok(0)
    }
}

impl LeafPlayer<Light> for OneByOne {}

/// Bit-sliced playouts of a batch, 1024 at a time.
pub struct BitByBit {
    seed: u64,
    playouts: u32,
    laid_out: Option<SlicedLeaves>,
    points: Vec<u32>,
}

impl BitByBit {
    /// Plays `playouts` playouts per leaf, under a seed.
    pub fn new(playouts: u32, seed: u64) -> BitByBit {
        BitByBit {
            seed,
            playouts,
            laid_out: None,
            points: Vec::new(),
        }
    }
}

impl LeafPlayouts<Light> for BitByBit {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Light]) -> Result<(), Fault> {
        let Some(ground) = leaves.first().map(Light::ground) else {
            return Ok(());
        };
        let known = self.laid_out.take().filter(|known| known.is_of(ground));
        let known = known.unwrap_or_else(|| SlicedLeaves::new(ground, self.seed));
        let number = first * u64::from(self.playouts);
        let sliced = self.laid_out.insert(known);
        sliced.play(leaves, self.playouts, number, &mut self.points);
        Ok(())
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        std::mem::swap(points, &mut self.points);
        Ok(0)
    }
}

impl LeafPlayer<Light> for BitByBit {}
