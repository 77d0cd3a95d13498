//! Plays bit-sliced playouts in work-groups. Each work-item handles a few cells (`cl/annexation/sliced_groups.cl`).

use super::play::Annexation;
use super::shapes::{Built, Tables};
use crate::games::annexation::{Board, COLOURS};
use crate::opencl::prm;
use crate::search::annexation::moves_to;
use crate::techniques::prelude::*;

/// Number of neighbours per row that are kept in registers (`NEAR`). On a hexagonal grid, no cell has more neighbours.
const NEAR: usize = 6;

/// Number of moves that stands for an unreachable cell. It is larger than the number of moves in any chunk.
const NEVER: u32 = 4095;

const MOST_ITEMS: usize = 1024;
const GOOD_ITEMS: usize = 128;
const USUAL_HELD: usize = 8;
/// Maximum number of rows per work-item. Each row lengthens the kernel.
const MOST_HELD: usize = 16;
/// Number of words per group (32 playouts each), for each kernel, largest first.
const SIZES: [usize; 3] = [4, 2, 1];
/// Number of turns between two updates of the open rows.
const CHUNK: usize = 16;
/// Number of chunks between two checks for decided playouts.
const LOOK: usize = 2;
/// Maximum number of work-groups per compute unit.
const GROUPS_A_UNIT: usize = 64;

/// Builds a board's tables for `capacity` rows, with cell numbers if `lists_seats` is set. The longest rows come first.
fn tables(board: &Board, capacity: usize, lists_seats: bool) -> Tables {
    let starts = board.starts();
    let soonest = starts.map(|start| moves_to(board, start));
    let mut order: Vec<usize> = (0..board.cells())
        .filter(|cell| !starts.contains(cell))
        .collect();
    order.sort_by_key(|cell| std::cmp::Reverse(board.neighbours(*cell).len().max(NEAR)));
    let mut places = vec![0_u16; board.cells()];
    for (place, cell) in order.iter().enumerate() {
        places[*cell] = place as u16;
    }
    for (player, start) in starts.iter().enumerate() {
        places[*start] = (capacity + player) as u16;
    }
    // A row with fewer neighbours is padded with its own cell, which has no effect.
    let mut near: Vec<u16> = (0..NEAR)
        .flat_map(|_| (0..capacity).map(|row| row as u16))
        .collect();
    let (mut far, mut far_begins) = (Vec::new(), Vec::with_capacity(capacity + 1));
    let mut cells = vec![NEVER << 8 | NEVER << 20; capacity];
    let mut numbers: Vec<u16> = order.iter().map(|cell| *cell as u16).collect();
    let mut banks = Banks::default();
    for (row, cell) in order.iter().enumerate() {
        far_begins.push(far.len() as u32);
        let others = board.neighbours(*cell).iter();
        let mut others: Vec<u16> = others.map(|other| places[usize::from(*other)]).collect();
        far.extend(others.drain(NEAR.min(others.len())..));
        others.resize(NEAR, row as u16);
        if row % BANKS == 0 {
            banks = Banks::default();
        }
        for (at, place) in banks.spread(others).enumerate() {
            near[at * capacity + row] = place;
        }
        let [first, second] = [0, 1]
            .map(|player: usize| soonest[player][*cell].map_or(NEVER, |moves| moves.min(NEVER)));
        cells[row] = board.colour(*cell) as u32 | first << 8 | second << 20;
    }
    far_begins.resize(capacity + 1, far.len() as u32);
    // Only leaves need cell numbers. Without leaves, the cells of all rows start without an owner.
    numbers.resize(if lists_seats { capacity } else { 0 }, 0);
    let [first, second] = board.start_cells.map(|cells| cells as i32);
    // Approximate first turn at which counting the cells pays off. A count costs as much as a few turns.
    let first_look = 8 * order.len().isqrt() as i32;
    Tables {
        shorts: vec![near, far, numbers],
        words: vec![cells, far_begins],
        numbers: vec![
            ("rows", Box::new(order.len() as i32)),
            ("start_cells", Box::new(prm::Int2::new(first, second))),
            ("look_at", Box::new(first_look)),
        ],
    }
}

/// Number of banks of 16-byte words in local memory. Each bank serves one access at a time.
const BANKS: usize = 8;

/// Orders each row's neighbours to avoid bank conflicts. `words` lists the words that earlier rows read, per step and
/// bank.
#[derive(Default)]
struct Banks {
    words: [[Vec<u16>; BANKS]; NEAR],
}

impl Banks {
    fn spread(&mut self, mut others: Vec<u16>) -> impl Iterator<Item = u16> + '_ {
        self.words.iter_mut().map_while(move |banks| {
            let waits = |place: &u16| {
                let words = &banks[usize::from(*place) % BANKS];
                words.len() + usize::from(!words.contains(place))
            };
            let best = (0..others.len()).min_by_key(|at| waits(&others[*at]))?;
            let place = others.remove(best);
            let words = &mut banks[usize::from(place) % BANKS];
            if !words.contains(&place) {
                words.push(place);
            }
            Some(place)
        })
    }
}

/// Builds the kernels with work-groups for a case's boards: one for each number of words that fits in local memory.
pub fn groups(device: &Device, play: &Annexation, lists_seats: bool) -> Result<Built, Fault> {
    let info = device.info();
    // Maximum number of unowned cells on any board, and maximum number of neighbours beyond the near ones.
    let (mut rows, mut far) = (1, 0);
    for board in &play.boards {
        let more = |cell: usize| board.neighbours(cell).len().saturating_sub(NEAR);
        rows = rows.max(board.cells() - 2);
        far = far.max((0..board.cells()).map(more).sum());
    }
    let multiple = device.preferred_multiple().clamp(1, MOST_ITEMS);
    let most = info.max_work_group.clamp(1, MOST_ITEMS);
    let usual = rows.div_ceil(GOOD_ITEMS).clamp(1, USUAL_HELD);
    let held = rows.div_ceil(most).max(usual);
    if held > MOST_HELD {
        return Err(Fault::Unsupported(format!(
            "{} cells; groups of {most} work-items play on at most {}",
            rows + 2,
            most * MOST_HELD + 2
        )));
    }
    let items = rows.div_ceil(held).next_multiple_of(multiple).min(most);
    let capacity = items * held;
    let local_bytes = |words: usize| {
        // Local memory holds owners, colours, decided playouts, wins and losses, counts, and the reach of both players.
        let lanes = 2 * (capacity + 2) + CHUNK * COLOURS + 1 + 2 + 2 * 32;
        (4 * words * lanes + 8) as u64
    };
    info.check_local(local_bytes(1), format!("{} cells need", rows + 2))?;
    let fits = |words: &usize| local_bytes(*words) <= info.local_memory_bytes;
    let sizes: Vec<usize> = SIZES.into_iter().filter(fits).collect();
    let words = sizes[0];
    let notes = format!("groups of {items} x {held} cells, {words} words, built with ");
    let defines = |words: usize| {
        let defines = vec![
            ("GROUP", items.to_string()),
            ("HELD", held.to_string()),
            ("WORDS", words.to_string()),
            ("NEAR", NEAR.to_string()),
            ("FAR", u8::from(far > 0).to_string()),
            ("CHUNK", CHUNK.to_string()),
            ("LOOK", LOOK.to_string()),
        ];
        (words, defines)
    };
    Ok(Built {
        convert: Box::new(move |board| tables(board, capacity, lists_seats)),
        // Each row's near neighbours, further neighbours and cell number.
        shorts: vec![
            ("near", device.buffer(NEAR * capacity, Access::Read)?),
            ("far_rows", device.buffer(far, Access::Read)?),
            ("numbers", device.buffer(capacity, Access::Read)?),
        ],
        // Each row's colour and distances, and the start of its further neighbours.
        words: vec![
            ("cells", device.buffer(capacity, Access::Read)?),
            ("far_begins", device.buffer(capacity + 1, Access::Read)?),
        ],
        kernel: "sliced_groups",
        reads_leaf: lists_seats,
        defines: sizes.into_iter().map(defines).collect(),
        items,
        most_groups: match lists_seats {
            true => usize::MAX,
            false => info.compute_units.max(1) as usize * GROUPS_A_UNIT,
        },
        notes,
    })
}
