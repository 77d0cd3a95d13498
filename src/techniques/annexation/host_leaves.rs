//! Playouts from the leaves of a tree, on the calling core.

use std::sync::Arc;

use crate::games::annexation::{Draws, Ground, Light};
use crate::search::LeafPlayouts;
use crate::search::annexation::{Frontiers, SlicedLeaves};
use crate::techniques::tasks::mcts::LeafPlayer;
use crate::words::Fault;

/// Plays every batch with a function of the first playout's number and the leaves, which writes a number per leaf.
struct OnCore<F> {
    playouts: u32,
    play: F,
    points: Vec<u32>,
}

/// One playout per leaf under a seed, with frontier lists.
pub fn one_by_one(seed: u64) -> impl LeafPlayer<Light> + Send + 'static {
    let draws = Draws::new(seed);
    let mut laid_out: Option<(Arc<Ground>, Frontiers)> = None;
    OnCore {
        playouts: 1,
        points: Vec::new(),
        play: move |first, leaves: &[Light], points: &mut Vec<u32>| {
            points.clear();
            for (number, leaf) in (first..).zip(leaves) {
                let ground = leaf.ground();
                let known = laid_out.take();
                let known = known.filter(|(known, _)| Arc::ptr_eq(known, ground));
                let new = || (Arc::clone(ground), Frontiers::new(ground.board()));
                let (_, frontiers) = laid_out.insert(known.unwrap_or_else(new));
                points.push(frontiers.play_from(leaf, &draws, number));
            }
        },
    }
}

/// Bit-sliced playouts of a batch under a seed, 1024 at a time, `playouts` per leaf.
pub fn bit_by_bit(playouts: u32, seed: u64) -> impl LeafPlayer<Light> + Send + 'static {
    let mut laid_out: Option<SlicedLeaves> = None;
    OnCore {
        playouts,
        points: Vec::new(),
        play: move |first, leaves: &[Light], points: &mut Vec<u32>| {
            let Some(ground) = leaves.first().map(Light::ground) else {
                return;
            };
            let known = laid_out.take().filter(|known| known.is_of(ground));
            let sliced = laid_out.insert(known.unwrap_or_else(|| SlicedLeaves::new(ground, seed)));
            sliced.play(leaves, playouts, first, points);
        },
    }
}

impl<F: FnMut(u64, &[Light], &mut Vec<u32>)> LeafPlayouts<Light> for OnCore<F> {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Light]) -> Result<(), Fault> {
        (self.play)(first * u64::from(self.playouts), leaves, &mut self.points);
        Ok(())
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        std::mem::swap(points, &mut self.points);
        Ok(0)
    }
}

impl<F: FnMut(u64, &[Light], &mut Vec<u32>)> LeafPlayer<Light> for OnCore<F> {}
