//! Board tables and state for kernels whose work-items play alone (`cl/annexation/items.clh`).

use super::tasks::Wanted;
use crate::games::annexation::Board;
use crate::opencl::{Access, Buffer, Device, Kernel, Queue, prm};
use crate::search::annexation::{BANDS_A_LOOK, HEAD, MOVES_A_LOOK, Rows, rows_of};
use crate::words::Fault;

/// Vectors of 512 playouts per work-item (`PARTS`). They share the reading of a row.
pub const PARTS: usize = 2;

/// 32-bit words of a cell's lanes.
pub const LANE_WORDS: usize = 16 * PARTS;

/// Numbers that describe a row group (`GROUP_WORDS`).
const GROUP_WORDS: usize = 5;

/// Several work-items per compute unit, so that the last one delays the others less.
pub const ITEMS_A_UNIT: usize = 4;

/// The constants of `cl/annexation/items.clh`.
pub fn defines() -> [(&'static str, String); 3] {
    [
        ("PARTS", PARTS.to_string()),
        ("MOVES_A_LOOK", MOVES_A_LOOK.to_string()),
        ("BANDS_A_LOOK", BANDS_A_LOOK.to_string()),
    ]
}

/// A board in the kernels' form.
pub struct Tables {
    rows: Vec<u16>,
    bands: Vec<u16>,
    groups: Vec<i32>,
    group_counts: [usize; 2],
    cells: usize,
    waiting: usize,
    /// The players' starts.
    pub starts: [usize; 2],
    /// Cells per start beyond its own cell.
    pub more: [u32; 2],
}

impl Tables {
    /// Converts a board.
    pub fn new(board: &Board) -> Tables {
        let sides = board.starts().map(|start| rows_of(board, start));
        let (mut rows, mut bands, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for group in sides.iter().flatten() {
            groups.extend([
                i32::from(group.waits),
                group.length as i32,
                rows.len() as i32,
                group.bands.len() as i32,
                bands.len() as i32,
            ]);
            rows.extend_from_slice(&group.rows);
            bands.extend(group.bands.iter().map(|band| *band as u16));
        }
        let waiting = |side: &Vec<Rows>| -> usize {
            let waits = side.iter().filter(|group| group.waits);
            waits.map(|group| group.bands.len()).sum()
        };
        Tables {
            rows,
            bands,
            groups,
            group_counts: [sides[0].len(), sides[1].len()],
            cells: board.cells(),
            waiting: sides.iter().map(waiting).max().unwrap_or(0),
            starts: board.starts(),
            more: board.start_cells.map(|cells| cells - 1),
        }
    }
}

/// Table limits for any rest of a board: numbers in rows, rows of both players, row groups of both.
fn room(board: &Board) -> [usize; 3] {
    let cells = board.cells();
    // Rows are padded to 6, 8 or a multiple of 4 neighbours. Each length has one group.
    let filled = |cell: usize| HEAD + (board.neighbours(cell).len() + 3).max(8);
    let numbers: usize = (0..cells).map(filled).sum();
    let lengths = 2 + board.most_neighbours().div_ceil(4);
    [2 * numbers, 2 * cells, 2 * 2 * lengths]
}

/// A board's tables and the work-items' state on a device.
pub struct DeviceTables {
    rows: Buffer<u16>,
    bands: Buffer<u16>,
    groups: Buffer<i32>,
    /// Lanes per cell and player, and the gains of waiting cells.
    pub state: Buffer<u32>,
    /// The open rows.
    pub open: Buffer<u16>,
    /// Open rows per row group.
    pub open_counts: Buffer<i32>,
    /// Limit of the work-items.
    pub items: usize,
}

impl DeviceTables {
    /// Allocates space for a technique's boards. Fails with [`Fault::Memory`] if the device has no space.
    pub fn new(device: &Device, wanted: &Wanted<'_>) -> Result<DeviceTables, Fault> {
        let rooms = wanted.boards.iter().map(|board| room(board));
        let [numbers, rows, groups] = rooms.fold([1; 3], |most: [usize; 3], room| {
            std::array::from_fn(|place| most[place].max(room[place]))
        });
        let cells = wanted.most_cells();
        let items = device.info().compute_units.max(1) as usize * ITEMS_A_UNIT;
        let lanes = items * 3 * cells;
        Ok(DeviceTables {
            rows: device.buffer::<u16>(numbers, Access::Read)?,
            bands: device.buffer::<u16>(rows, Access::Read)?,
            groups: device.buffer::<i32>(groups * GROUP_WORDS, Access::Read)?,
            state: device.buffer::<u32>(lanes * LANE_WORDS, Access::ReadWrite)?,
            open: device.buffer::<u16>(items * rows, Access::ReadWrite)?,
            open_counts: device.buffer::<i32>(items * groups, Access::ReadWrite)?,
            items,
        })
    }

    /// Sets the kernel's first three arguments. Fails if the driver refuses.
    pub fn set(&self, kernel: &mut Kernel) -> Result<(), Fault> {
        kernel.set_from(0, &[&self.rows, &self.bands, &self.groups])
    }

    /// Uploads a board's tables, and sets the sizes, arguments 3 to 6. Fails with [`Fault::Device`].
    pub fn write(
        &self,
        queue: &mut Queue,
        kernel: &mut Kernel,
        tables: &Tables,
    ) -> Result<(), Fault> {
        queue.write(&self.rows, &tables.rows)?;
        queue.write(&self.bands, &tables.bands)?;
        queue.write(&self.groups, &tables.groups)?;
        let [first, second] = tables.group_counts;
        kernel.set_scalar(3, prm::Int2::new(first as i32, second as i32))?;
        kernel.set_from(4, &[&(tables.bands.len() as i32), &(tables.cells as i32)])?;
        kernel.set_scalar(6, tables.waiting as i32)
    }
}
