//! Playouts from the leaves of a tree, on the calling core.

use std::sync::Arc;

use crate::games::annexation::{Board, Draws, Position};
use crate::search::LeafPlayouts;
use crate::search::annexation::{Frontiers, Sliced};
use crate::techniques::tasks::mcts::LeafPlayer;
use crate::words::Fault;

/// Plays every batch with a function of the first playout's number and the leaves, which writes a number per leaf.
struct OnCore<F> {
    playouts: u32,
    play: F,
    points: Vec<u32>,
}

/// One playout per leaf under a seed, with frontier lists.
pub fn one_by_one(seed: u64) -> impl LeafPlayer<Position> + Send + 'static {
    let draws = Draws::new(seed);
    let mut laid_out: Option<(Arc<Board>, Frontiers)> = None;
    OnCore {
        playouts: 1,
        points: Vec::new(),
        play: move |first, leaves: &[Position], points: &mut Vec<u32>| {
            points.clear();
            for (number, leaf) in (first..).zip(leaves) {
                let board = leaf.board();
                let known = laid_out.take();
                let known = known.filter(|(known, _)| Arc::ptr_eq(known, board));
                let new = || (Arc::clone(board), Frontiers::new(board));
                let (_, frontiers) = laid_out.insert(known.unwrap_or_else(new));
                points.push(frontiers.play_from(leaf, &draws, number));
            }
        },
    }
}

/// Bit-sliced playouts of a batch under a seed, 1024 at a time, `playouts` per leaf.
pub fn bit_by_bit(playouts: u32, seed: u64) -> impl LeafPlayer<Position> + Send + 'static {
    let draws = Draws::new(seed);
    let mut laid_out: Option<Sliced> = None;
    OnCore {
        playouts,
        points: Vec::new(),
        play: move |first, leaves: &[Position], points: &mut Vec<u32>| {
            let Some(board) = leaves.first().map(Position::board) else {
                return;
            };
            let known = laid_out.take().filter(|known| known.is_on(board));
            let sliced = laid_out.insert(known.unwrap_or_else(|| Sliced::on(board)));
            sliced.play_leaves(leaves, draws, (playouts, first), points);
        },
    }
}

impl<F: FnMut(u64, &[Position], &mut Vec<u32>)> LeafPlayouts<Position> for OnCore<F> {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Position]) -> Result<(), Fault> {
        (self.play)(first * u64::from(self.playouts), leaves, &mut self.points);
        Ok(())
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        std::mem::swap(points, &mut self.points);
        Ok(0)
    }
}

impl<F: FnMut(u64, &[Position], &mut Vec<u32>)> LeafPlayer<Position> for OnCore<F> {}
