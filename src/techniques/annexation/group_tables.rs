//! Board tables for kernels whose work-groups play together (`cl/annexation/groups.clh`).

use super::tasks::Wanted;
use crate::games::annexation::Board;
use crate::opencl::{Access, Buffer, Device, Kernel, Queue};
use crate::search::annexation::moves_to;
use crate::words::Fault;

/// Neighbours of a row in registers (`NEAR`): all of them on a grid of hexagons.
pub const NEAR: usize = 6;

/// Means "cannot be reached": more moves than any chunk has.
const NEVER: u32 = 4095;

/// A board in the kernels' form.
pub struct Tables {
    near: Vec<u16>,
    cells: Vec<u32>,
    far_begins: Vec<u32>,
    far: Vec<u16>,
    /// Cell number per row.
    pub numbers: Vec<u16>,
    /// Rows in use.
    pub rows: usize,
    /// Number of cells per start.
    pub start_cells: [u32; 2],
}

impl Tables {
    /// Converts a board for kernels of `capacity` rows. A row is an unowned cell. Rows are sorted by their number of
    /// neighbours, so that adjacent work-items have equal work.
    pub fn new(board: &Board, capacity: usize) -> Tables {
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
        let mut tables = Tables {
            // A row with fewer neighbours names itself, which has no effect.
            near: (0..NEAR)
                .flat_map(|_| (0..capacity).map(|row| row as u16))
                .collect(),
            cells: vec![NEVER << 8 | NEVER << 20; capacity],
            far_begins: Vec::with_capacity(capacity + 1),
            far: Vec::new(),
            numbers: order.iter().map(|cell| *cell as u16).collect(),
            rows: order.len(),
            start_cells: board.start_cells,
        };
        let mut banks = Banks::default();
        for (row, cell) in order.iter().enumerate() {
            tables.far_begins.push(tables.far.len() as u32);
            let others = board.neighbours(*cell).iter();
            let mut others: Vec<u16> = others.map(|other| places[usize::from(*other)]).collect();
            tables.far.extend(others.drain(NEAR.min(others.len())..));
            others.resize(NEAR, row as u16);
            if row % BANKS == 0 {
                banks = Banks::default();
            }
            for (at, place) in banks.spread(others).enumerate() {
                tables.near[at * capacity + row] = place;
            }
            let [first, second] = [0, 1].map(|player: usize| {
                soonest[player][*cell].map_or(NEVER, |moves| moves.min(NEVER))
            });
            tables.cells[row] = board.colour(*cell) as u32 | first << 8 | second << 20;
        }
        let end = tables.far.len() as u32;
        tables.far_begins.resize(capacity + 1, end);
        tables.numbers.resize(capacity, 0);
        tables
    }
}

/// Banks of 16-byte words in local memory. Each serves one access at a time.
const BANKS: usize = 8;

/// For each neighbour index and bank, the words that earlier rows read in the same step. Reads of different words in
/// one bank are serialised, so the order of a row's neighbours, which is free, avoids them.
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

/// The maximum sizes over a case's boards.
pub struct Need {
    /// Rows: cells without an owner.
    pub rows: usize,
    /// Neighbours of a row beyond the first [`NEAR`].
    pub far: usize,
}

impl Need {
    /// The maximum over the boards of a technique.
    pub fn of(wanted: &Wanted<'_>) -> Need {
        let mut need = Need { rows: 1, far: 0 };
        for board in &wanted.boards {
            let more = |cell: usize| board.neighbours(cell).len().saturating_sub(NEAR);
            need.rows = need.rows.max(board.cells() - 2);
            need.far = need.far.max((0..board.cells()).map(more).sum());
        }
        need
    }
}

/// A board's tables on a device.
pub struct DeviceTables {
    near: Buffer<u16>,
    cells: Buffer<u32>,
    far_begins: Buffer<u32>,
    far: Buffer<u16>,
}

impl DeviceTables {
    /// Allocates tables for `capacity` rows. Fails with [`Fault::Memory`] if the device has no space.
    pub fn new(device: &Device, need: &Need, capacity: usize) -> Result<DeviceTables, Fault> {
        Ok(DeviceTables {
            near: device.buffer::<u16>(NEAR * capacity, Access::Read)?,
            cells: device.buffer::<u32>(capacity, Access::Read)?,
            far_begins: device.buffer::<u32>(capacity + 1, Access::Read)?,
            far: device.buffer::<u16>(need.far, Access::Read)?,
        })
    }

    /// Sets the kernel's first four arguments. Fails if the driver refuses.
    pub fn set(&self, kernel: &mut Kernel) -> Result<(), Fault> {
        kernel.set_from(0, &[&self.near, &self.cells, &self.far_begins, &self.far])
    }

    /// Writes a board's tables to the device. Fails with [`Fault::Device`].
    pub fn write(&self, queue: &mut Queue, tables: &Tables) -> Result<(), Fault> {
        queue.write(&self.near, &tables.near)?;
        queue.write(&self.cells, &tables.cells)?;
        queue.write(&self.far_begins, &tables.far_begins)?;
        queue.write(&self.far, &tables.far)
    }
}
