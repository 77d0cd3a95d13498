//! Trees grown by random games.

use std::sync::Arc;

use super::hard::TREE;
use super::leaves::DeviceLeaves;
use super::sliced::SHAPE;
use super::tasks;
use crate::games::annexation::{Board, Draws, Position};
use crate::search::LeafPlayouts;
use crate::search::annexation::{Frontiers, Sliced};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::mcts::{LEAVES, LeafPlayer, PLAYOUTS, Settings};
use crate::techniques::tasks::tree_search;
use crate::words::{DEVICES, Fault, TechniqueEntry};

/// The strong serial baseline of tree search: one leaf at a time with one playout.
pub const SERIAL: Technique = Technique::on_host(tree_search::SERIAL, |setup| {
    tasks::prepare_tree(setup, Ok(Settings::TEXTBOOK), 1, |_, _| {
        Ok(one_by_one(setup.seed))
    })
});

/// Batches of leaves in vectors ([`Sliced`](crate::search::annexation::Sliced)), selected ahead: device
/// techniques can have the same batches.
pub const BATCHED_SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        summary: "UCT in batches, the playouts of 32 leaves at a time on one core, a bit each",
        params: &[LEAVES, PLAYOUTS, DEVICES],
        ..tree_search::BATCHED_SERIAL
    },
    |setup| {
        let settings = Settings::read(setup.params);
        tasks::prepare_tree(setup, settings, 1, |_, settings| {
            Ok(bit_by_bit(settings.playouts, setup.seed))
        })
    },
);

/// The host selects a batch of leaves while the device plays the previous batch bit-sliced, as `sliced` does.
pub const MCTS: Technique = Technique {
    entry: TechniqueEntry {
        summary: "UCT with its tree on the host and the playouts of many leaves at once on the device, a bit each",
        needs: "local memory: 8 bytes a cell and word, 6.3 KB on hex200 and 32 KB on hex1000 with 4 words",
        like: "mcts-batched-serial",
        params: &[LEAVES, PLAYOUTS, SHAPE, DEVICES],
        splits: false,
        ..tree_search::DEVICE
    },
    trials: &[
        Trial::new("", TREE),
        Trial::new("leaves=33 playouts=64 shape=groups", TREE),
        Trial::new("leaves=100 playouts=45 shape=groups", TREE),
        Trial::new("leaves=64 playouts=1 shape=items", TREE),
    ],
    prepare: |setup| {
        let (settings, threads) = (Settings::read(setup.params), setup.tree_threads());
        tasks::prepare_tree(setup, settings, threads, |play, settings| {
            DeviceLeaves::new(setup, play, settings)
        })
    },
};

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
