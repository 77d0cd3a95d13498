//! Defines tree searches with random playouts for Annexation.

use std::sync::{Arc, Mutex, PoisonError};

use super::hard::TREE;
use super::leaves::DeviceLeaves;
use super::shapes::SHAPE;
use super::tasks;
use crate::games::annexation::{Board, Draws, Position};
use crate::games::leaf_games::PlaysLeaves;
use crate::search::annexation::{Frontiers, Sliced};
use crate::techniques::prelude::*;
use crate::techniques::tasks::host_leaves::OnCore;
use crate::techniques::tasks::mcts::{LEAVES, PLAYOUTS, Settings};
use crate::techniques::tasks::tree_search;

/// The strong serial baseline for tree search. It plays one playout from one leaf at a time.
pub const SERIAL: Technique = Technique::on_host(tree_search::SERIAL, |setup| {
    tasks::prepare_tree(setup, Ok(Settings::TEXTBOOK), 1, |_, _| {
        Ok(on_core(setup, 1))
    })
});

/// Plays batches of leaves in vectors ([`Sliced`](crate::search::annexation::Sliced)). It selects each batch before the
/// previous one is credited, as device techniques do, so that their trees are equal.
pub const BATCHED_SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        summary: "UCT in batches on one core, with 32 leaves at a time and one bit per playout",
        params: &[LEAVES, PLAYOUTS, DEVICES],
        ..tree_search::BATCHED_SERIAL
    },
    |setup| {
        let settings = Settings::read(setup.params);
        tasks::prepare_tree(setup, settings, 1, |_, settings| {
            Ok(on_core(setup, settings.playouts))
        })
    },
);

/// The host selects a batch of leaves while the device plays the previous batch, bit-sliced as in `sliced`.
pub const MCTS: Technique = Technique {
    entry: TechniqueEntry {
        summary: "UCT with the tree on the host and the playouts from many leaves on the device, with one bit per playout",
        needs: "local memory: 8 bytes per cell and word, with 4 words 6.3 KB on hex200 and 32 KB on hex1000",
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

/// Plays playouts from leaves. A single playout uses frontier lists, and several playouts are bit-sliced.
#[derive(Clone)]
struct HostLeaves {
    draws: Draws,
    lists: Known<Frontiers>,
    sliced: Known<Sliced>,
}

/// Caches the board of the last leaf together with its conversion to `B`.
type Known<B> = Arc<Mutex<Option<(Arc<Board>, B)>>>;

fn on_board<B, T>(
    known: &Known<B>,
    board: &Arc<Board>,
    new: impl FnOnce(&Arc<Board>) -> B,
    play: impl FnOnce(&mut B) -> T,
) -> T {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = known.take().filter(|(kept, _)| Arc::ptr_eq(kept, board));
    let kept = kept.unwrap_or_else(|| (Arc::clone(board), new(board)));
    play(&mut known.insert(kept).1)
}

impl PlaysLeaves<Position> for HostLeaves {
    fn play(&self, leaf: &Position, number: u64) -> (u32, u32) {
        let new = |board: &Arc<Board>| Frontiers::new(board);
        let play = |lists: &mut Frontiers| lists.play_from(leaf, &self.draws, number);
        (on_board(&self.lists, leaf.board(), new, play), 0)
    }

    fn play_each(&self, leaves: &[Position], each: u32, first: u64, points: &mut Vec<u32>) -> u64 {
        points.clear();
        if let Some(leaf) = leaves.first() {
            on_board(&self.sliced, leaf.board(), Sliced::on, |sliced| {
                sliced.play_leaves(leaves, self.draws, (each.into(), first), points);
            });
        }
        0
    }
}

/// Creates a player for leaves on one core.
fn on_core(setup: &Setup<'_>, playouts: u32) -> OnCore<HostLeaves> {
    let games = HostLeaves {
        draws: Draws::new(setup.seed),
        lists: Known::default(),
        sliced: Known::default(),
    };
    OnCore::new(games, playouts)
}
