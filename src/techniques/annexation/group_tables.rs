//! Boards as the kernels take them in which a work-group plays and a work-item has some of the cells
//! (`cl/annexation/groups.clh`).

use super::tasks::Wanted;
use crate::games::annexation::Board;
use crate::opencl::{Access, Buffer, Device, Kernel, Queue};
use crate::search::annexation::moves_to;
use crate::words::Fault;

/// Neighbours of a row that the kernel keeps in registers (`NEAR`): all, on a grid of hexagons.
pub const NEAR: usize = 6;

/// Moves that no cell takes: "cannot be reached" in the kernel's table, and more than any chunk's end.
const NEVER: u32 = 4095;

/// A board as the kernels take it.
pub struct Tables {
    near: Vec<u16>,
    cells: Vec<u32>,
    far_begins: Vec<u32>,
    far: Vec<u16>,
    /// The number of each row's cell.
    pub numbers: Vec<u16>,
    /// Rows that are a cell's.
    pub rows: usize,
    /// Cells that each start stands for.
    pub start_cells: [u32; 2],
}

impl Tables {
    /// Lays a board out for a kernel with room for so many rows. A row is a cell that nobody owns; those
    /// with most neighbours come first, so that work-items beside each other have as much to do.
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
            // A row without so many neighbours names itself, which gives it nothing new.
            near: (0..NEAR)
                .flat_map(|_| (0..capacity).map(|row| row as u16))
                .collect(),
            cells: vec![NEVER << 8 | NEVER << 20; capacity],
            far_begins: Vec::with_capacity(capacity + 1),
            far: Vec::new(),
            numbers: order.iter().map(|cell| *cell as u16).collect(),
            rows: order.len(),
            start_cells: board.start_cells(),
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

/// Words of 16 bytes that local memory gives in one access, of which it has so many banks.
const BANKS: usize = 8;

/// What the rows before have asked of the banks, in the same access: for each place of a neighbour and
/// each bank, which words.
///
/// Rows whose n-th neighbours are in one bank read them one after another, unless it is the same word. Which
/// neighbour is the n-th is free: on the first board of each kind this makes 1.12 (`hex1000`) to 1.6
/// (merged) accesses of a read that takes them in ascending order 1.17 to 2.2.
#[derive(Default)]
struct Banks {
    words: [[Vec<u16>; BANKS]; NEAR],
}

impl Banks {
    /// A row's neighbours in an order in which they wait for few.
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

/// The most that a case's boards need.
pub struct Need {
    /// Rows: cells that nobody owns.
    pub rows: usize,
    /// Neighbours of a row beyond the [`NEAR`].
    pub far: usize,
}

impl Need {
    /// Of the boards that a technique may come to.
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

/// Where a device keeps a board's tables.
pub struct DeviceTables {
    near: Buffer<u16>,
    cells: Buffer<u32>,
    far_begins: Buffer<u32>,
    far: Buffer<u16>,
}

impl DeviceTables {
    /// Room for boards of at most so many rows.
    ///
    /// # Errors
    /// [`Fault::Memory`] where the device has none.
    pub fn new(device: &Device, need: &Need, capacity: usize) -> Result<DeviceTables, Fault> {
        Ok(DeviceTables {
            near: device.buffer::<u16>(NEAR * capacity, Access::Read)?,
            cells: device.buffer::<u32>(capacity, Access::Read)?,
            far_begins: device.buffer::<u32>(capacity + 1, Access::Read)?,
            far: device.buffer::<u16>(need.far, Access::Read)?,
        })
    }

    /// Makes them a kernel's first four arguments.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn set(&self, kernel: &mut Kernel) -> Result<(), Fault> {
        kernel.set_buffer(0, &self.near)?;
        kernel.set_buffer(1, &self.cells)?;
        kernel.set_buffer(2, &self.far_begins)?;
        kernel.set_buffer(3, &self.far)
    }

    /// Gives the device a board's tables.
    ///
    /// # Errors
    /// [`Fault::Device`].
    pub fn write(&self, queue: &mut Queue, tables: &Tables) -> Result<(), Fault> {
        queue.write(&self.near, &tables.near)?;
        queue.write(&self.cells, &tables.cells)?;
        queue.write(&self.far_begins, &tables.far_begins)?;
        queue.write(&self.far, &tables.far)
    }
}
