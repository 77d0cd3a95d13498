//! Bit-sliced playouts on a processor that OpenCL drives (`cl/annexation/sliced_items.cl`).

use std::ops::Range;
use std::path::Path;

use super::device::{PLAYOUTS_A_LAUNCH, TALLY_WORDS, add_up, launches, tally};
use super::tasks::{Annexation, RandomPlayer, Root, Wanted};
use super::{Asked, Standing};
use crate::games::annexation::{Board, PLAYOUTS_A_DRAW};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, Kernel, Queue, prm};
use crate::random::block_key;
use crate::search::annexation::{BANDS_A_LOOK, HEAD, MOVES_A_LOOK, Rows, rows_of};
use crate::words::{Fault, Parts, Resource, Tally};

/// Vectors of 512 playouts of a work-item (`PARTS`): one reading of a row serves them all.
const PARTS: usize = 2;

/// Playouts of a work-item.
const PLAYOUTS: u64 = 512 * PARTS as u64;

/// Words of 32 bits of a cell's lanes.
const LANE_WORDS: usize = 16 * PARTS;

/// Numbers of a group of rows (`GROUP_WORDS`).
const GROUP_WORDS: usize = 5;

/// Work-items a compute unit, so that none waits long for another.
const ITEMS_A_UNIT: usize = 4;

/// A work-item plays 1024 playouts after another as `serial-sliced` does, row by row with the vectors of
/// the kernel's language and without a barrier: what the groups' shape shares out over work-items costs
/// a processor more in barriers than it gives.
///
/// The bound is that of [`crate::search::annexation::Sliced`], its like, on each core. Measured beside
/// `rayon-sliced` (pocl 3.1, two cores with AVX-512 that others used too, three runs in turn): 3.2 to 3.6
/// million playouts a second on 196 cells, `rayon-sliced` 2.9 to 3.1; 0.46 to 0.50 million on 992 cells, `rayon-sliced` 0.45 to
/// 0.48.
pub struct Items {
    asked: Asked,
    kernel: Kernel,
    queue: Queue,
    rows: Buffer<u16>,
    bands: Buffer<u16>,
    groups: Buffer<i32>,
    tallies: Buffer<u32>,
    items: usize,
    stamp: u32,
    loaded: Vec<Tables>,
    /// Whose tables the device has.
    current: Option<usize>,
    read: Vec<u32>,
    build_ns: u64,
    notes: String,
}

/// A position as the kernel takes it.
struct Tables {
    rows: Vec<u16>,
    bands: Vec<u16>,
    groups: Vec<i32>,
    group_counts: [usize; 2],
    cells: usize,
    waiting: usize,
    starts: [usize; 2],
    more: [u32; 2],
    turns: u32,
}

impl Tables {
    fn new(Root { board, turns }: &Root) -> Tables {
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
            more: board.start_cells().map(|cells| cells - 1),
            turns: *turns,
        }
    }
}

/// The most that the tables of what is left of a board can take: numbers in rows, rows of both players,
/// groups of both.
fn room(board: &Board) -> [usize; 3] {
    let cells = board.cells();
    // Rows are filled up to 6, 8 or a multiple of 4 neighbours, and groups are told apart by that.
    let filled = |cell: usize| HEAD + (board.neighbours(cell).len() + 3).max(8);
    let numbers: usize = (0..cells).map(filled).sum();
    let lengths = 2 + board.most_neighbours().div_ceil(4);
    [2 * numbers, 2 * cells, 2 * 2 * lengths]
}

impl Items {
    /// Builds the program and makes room for the boards.
    ///
    /// # Errors
    /// [`Fault::Memory`] where the device has no room, [`Fault::Unsupported`] where its compiler takes too
    /// long, and what building fails with.
    pub fn new(
        device: &Device,
        kernels: Option<&Path>,
        wanted: &Wanted<'_>,
    ) -> Result<Items, Fault> {
        device.quirks().wide_vectors()?;
        let info = device.info();
        let defines = [
            ("PARTS", PARTS.to_string()),
            ("MOVES_A_LOOK", MOVES_A_LOOK.to_string()),
            ("BANDS_A_LOOK", BANDS_A_LOOK.to_string()),
        ];
        let path = "annexation/sliced_items.cl";
        let program = device.build(path, &defines, kernels, BuildNeeds::default())?;
        let mut kernel = program.kernel("sliced")?;
        let rooms = wanted.boards.iter().map(|board| room(board));
        let [numbers, rows, groups] = rooms.fold([1; 3], |most: [usize; 3], room| {
            std::array::from_fn(|place| most[place].max(room[place]))
        });
        let cells = wanted.boards.iter().map(|board| board.cells());
        let cells = cells.max().unwrap_or(2);
        let items = info.compute_units.max(1) as usize * ITEMS_A_UNIT;
        let lanes = items * 3 * cells;
        let state = device.buffer::<u32>(lanes * LANE_WORDS, Access::ReadWrite)?;
        let open = device.buffer::<u16>(items * rows, Access::ReadWrite)?;
        let open_counts = device.buffer::<i32>(items * groups, Access::ReadWrite)?;
        let tables = (
            device.buffer::<u16>(numbers, Access::Read)?,
            device.buffer::<u16>(rows, Access::Read)?,
            device.buffer::<i32>(groups * GROUP_WORDS, Access::Read)?,
        );
        let tallies = device.buffer::<u32>(items * TALLY_WORDS, Access::Write)?;
        kernel.set_buffer(0, &tables.0)?;
        kernel.set_buffer(1, &tables.1)?;
        kernel.set_buffer(2, &tables.2)?;
        let [low, high] = block_key(wanted.seed);
        kernel.set_scalar(10, prm::Uint2::new(low, high))?;
        kernel.set_buffer(15, &state)?;
        kernel.set_buffer(16, &open)?;
        kernel.set_buffer(17, &open_counts)?;
        kernel.set_buffer(18, &tallies)?;
        Ok(Items {
            asked: *wanted.asked,
            notes: format!(
                "{items} work-items of {PLAYOUTS} playouts, built with {}",
                program.options()
            ),
            kernel,
            queue: device.queue()?,
            rows: tables.0,
            bands: tables.1,
            groups: tables.2,
            tallies,
            items,
            stamp: 1,
            loaded: Vec::new(),
            current: None,
            read: Vec::new(),
            build_ns: program.build_ns(),
        })
    }

    /// Gives the device a position's tables, unless it has them.
    fn take(&mut self, index: usize) -> Result<(), Fault> {
        if self.current == Some(index) {
            return Ok(());
        }
        self.current = None;
        let tables = &self.loaded[index];
        self.queue.write(&self.rows, &tables.rows)?;
        self.queue.write(&self.bands, &tables.bands)?;
        self.queue.write(&self.groups, &tables.groups)?;
        let pair = |[a, b]: [usize; 2]| prm::Int2::new(a as i32, b as i32);
        self.kernel.set_scalar(3, pair(tables.group_counts))?;
        self.kernel.set_scalar(4, tables.bands.len() as i32)?;
        self.kernel.set_scalar(5, tables.cells as i32)?;
        self.kernel.set_scalar(6, tables.waiting as i32)?;
        self.kernel.set_scalar(7, pair(tables.starts))?;
        let [first, second] = tables.more;
        self.kernel.set_scalar(8, prm::Uint2::new(first, second))?;
        self.kernel.set_scalar(9, tables.turns)?;
        self.current = Some(index);
        Ok(())
    }
}

impl RandomPlayer<Annexation> for Items {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        let tables = |position| Tables::new(&Root::new(&self.asked, position));
        self.loaded = positions.iter().map(tables).collect();
        self.current = None;
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        self.take(index)?;
        let (mut wins, mut losses) = (0, 0);
        for part in launches(&playouts, PLAYOUTS_A_LAUNCH) {
            let stamp = self.stamp;
            self.stamp = stamp.wrapping_add(self.items as u32);
            self.kernel.set_scalar(11, part.start / PLAYOUTS_A_DRAW)?;
            self.kernel.set_scalar(12, part.start)?;
            self.kernel.set_scalar(13, part.end)?;
            self.kernel.set_scalar(14, stamp)?;
            let groups =
                (part.end - part.start / PLAYOUTS_A_DRAW * PLAYOUTS_A_DRAW).div_ceil(PLAYOUTS);
            let items = self.items.min(groups as usize);
            self.queue.launch(&self.kernel, [items], Some([1]))?;
            self.read.clear();
            self.read.resize(items * TALLY_WORDS, 0);
            self.queue.read(&self.tallies, &mut self.read)?;
            let added = add_up("sliced", &self.read, stamp)?;
            (wins, losses) = (wins + added.0, losses + added.1);
        }
        Ok(tally(
            playouts.end.saturating_sub(playouts.start),
            (wins, losses),
        ))
    }

    fn parts(&mut self) -> Parts {
        self.queue.take_parts()
    }

    fn build_ns(&self) -> u64 {
        self.build_ns
    }

    fn notes(&self) -> String {
        self.notes.clone()
    }

    fn resources(&self) -> Vec<Resource> {
        self.kernel.resources(1)
    }
}
