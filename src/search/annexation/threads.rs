//! Playouts on all threads of a pool.

use rayon::prelude::*;

use super::{Frontiers, Playouts, Sliced, Tally};
use crate::games::annexation::{PLAYOUTS_A_DRAW, PLAYOUTS_A_GROUP};

/// Plays the playouts asked for on the threads of the current rayon pool, each with a copy of the
/// board of its own: `rayon`.
pub fn tally_on_threads(board: &Frontiers, playouts: &Playouts) -> Tally {
    on_threads(
        playouts,
        PLAYOUTS_A_DRAW,
        || board.clone(),
        Frontiers::tally,
    )
}

/// The like of [`tally_on_threads`] with 1024 playouts at a time: `rayon-sliced`.
pub fn tally_sliced_on_threads(board: &Sliced, playouts: &Playouts) -> Tally {
    on_threads(playouts, PLAYOUTS_A_GROUP, || board.clone(), Sliced::tally)
}

/// Hands out parts of so many playouts, which begin at multiples of 32 so that none draws what
/// another draws too.
fn on_threads<P: Send>(
    playouts: &Playouts,
    part: u64,
    player: impl Fn() -> P + Sync + Send,
    tally: impl Fn(&mut P, &Playouts) -> Tally + Sync + Send,
) -> Tally {
    let begin = playouts.first - playouts.first % PLAYOUTS_A_DRAW;
    let parts = (playouts.end() - begin).div_ceil(part);
    let one = |player: &mut P, index: u64| {
        let from = begin + index * part;
        let first = from.max(playouts.first);
        let end = from.saturating_add(part).min(playouts.end());
        tally(
            player,
            &Playouts {
                first,
                count: end - first,
                ..*playouts
            },
        )
    };
    let add = |mut sum: Tally, one: Tally| {
        sum += one;
        sum
    };
    (0..parts)
        .into_par_iter()
        .map_init(player, one)
        .reduce(Tally::default, add)
}
