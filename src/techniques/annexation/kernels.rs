//! Defines the techniques for user-supplied kernels, and packs positions for them.

use super::hard;
use super::notation::Standing;
use super::play::Annexation;
use super::tasks::{prepare_flat, root};
use crate::games::annexation::Board;
use crate::random::block_key;
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::own_kernel::{PLAYOUTS, Packing, playing, technique};

const TRIALS: &[Trial] = &[Trial::new("", hard::PLAYOUTS)];

/// One technique per contract for user-supplied kernels.
pub static KERNELS: &[Technique] = &[technique("annexation", PLAYOUTS, TRIALS, |setup| {
    prepare_flat(setup, 1..2, |play| {
        playing(setup, packing(play, setup.seed))
    })
})];

const FIRST: usize = 8;

/// Returns the packing of a position: the number of cells, the turns left, the start cells of the mover and the
/// opponent, the number of cells that each start counts as, and the seed (low word, high word). A colour per cell
/// follows, then the offset of each cell's neighbours and the end offset, and then the neighbours.
fn packing(play: &Annexation, seed: u64) -> Packing<Annexation> {
    let (asked, seed) = (play.asked, block_key(seed));
    let words = |board: &Board| FIRST + 2 * board.cells() + 1 + 2 * board.edges().count();
    Packing {
        words: play.boards.iter().map(|it| words(it)).max().unwrap_or(0),
        constants: vec![("MOST_CELLS", play.most_cells().to_string())],
        // The host plays nothing. The kernel picks even the first colour, and counts the cells even if no turns are
        // left.
        host: None,
        pack: Box::new(move |standing: &Standing, packed| {
            let root = root(&asked, standing);
            let board = root.board();
            packed.extend([board.cells() as u32, root.turns]);
            packed.extend(board.starts().map(|cell| cell as u32));
            packed.extend(board.start_cells);
            packed.extend(seed);
            packed.extend(board.colours().iter().map(|colour| u32::from(*colour)));
            let lists = (0..board.cells()).map(|cell| board.neighbours(cell));
            let mut end = 0;
            packed.push(end);
            packed.extend(lists.clone().map(|list| {
                end += list.len() as u32;
                end
            }));
            packed.extend(lists.flatten().map(|cell| u32::from(*cell)));
        }),
    }
}
