//! Bit-sliced playouts on a GPU (`cl/annexation/sliced_groups.cl`).

use std::ops::Range;
use std::path::Path;

use super::device::{PLAYOUTS_A_LAUNCH, TALLY_WORDS, add_up, launches, tally};
use super::group_kernels::{GroupKernels, GroupPlan, GroupShape};
use super::group_tables::Tables;
use super::play::Annexation;
use super::tasks::{RandomPlayer, Root, Wanted};
use super::{Asked, Standing};
use crate::games::annexation::{COLOURS, PLAYOUTS_A_DRAW};
use crate::opencl::{Device, Outcomes, Queue, prm};
use crate::random::block_key;
use crate::words::{Fault, Tally, Telemetry};

/// A work-group plays 32 x words playouts at a time, with some cells per work-item.
///
/// The bound is local memory: in a turn a cell reads its six neighbours' words, 96 bytes for 128 playouts,
/// and the named colour's, 16 bytes; and it writes its own word if it has gained something. At 128 bytes a
/// clock a turn of 32 rows takes 24 clocks, 27 to 31 with bank conflicts, and about 6 for other work. On 196
/// cells an eighth of a warp (the rows of one access) reads in 62 % of its turns before the last playout is
/// decided, on 992 cells in 45 %. With 32,000 and 190,000 clocks for 128 playouts, an H200 (132 units, 1.7
/// GHz) is limited to 0.9 and 0.15 billion a second. An instrumented program counted these shares. Fewer
/// words mean fewer rows to read (for 32 playouts 52 % and 40 % of accesses), but each neighbour's index is
/// read, and each barrier passed, more often per playout.
///
/// An H200 plays 755 million a second on 196 cells and, with one row per work-item, 96 million on 992: 0.84
/// and 0.64 of the bound. With eight rows per work-item, groups of 128 instead of 992, it is 114 million
/// there (two rows 105, four 96); on 196 cells one, two and four rows are equal, eight give 697. Words: one
/// 66, two 86, four 96 million on 992 cells. On 196 cells, chunks of 2 turns 335 million, 8 655, 32 748;
/// looks for decided playouts after 1, 2 and 4 chunks or never 701, 755, 768, 752; groups per unit 1 395, 4
/// 704, 16 738, 64 754.
///
/// The effect of the rows' order was counted too: sorted by their distance from the starts, warps read in 66
/// % and 44 % of their turns instead of 70 % and 55 %, but bank conflicts take as much longer.
pub struct Groups {
    asked: Asked,
    kernels: GroupKernels,
    queue: Queue,
    tallies: Outcomes,
    groups_a_unit: usize,
    chunk: usize,
    looks: bool,
    /// Whether every kernel has been launched.
    warm: bool,
    /// For each position, its board and its turns.
    loaded: Vec<(Tables, u32)>,
    /// Index of the position whose tables are on the device.
    current: Option<usize>,
}

/// `sliced` on GPUs.
pub const SLICED: GroupPlan = GroupPlan {
    path: "annexation/sliced_groups.cl",
    kernel: "sliced",
    local_bytes,
    looks: true,
};

/// The turn, approximately, before which counting cells does not pay: on 196 cells the last of 128 playouts
/// is decided after 144 to 200 turns, on 992 after 256 to 288. A count costs as much as a few turns.
pub fn first_look(rows: usize) -> usize {
    8 * rows.isqrt()
}

/// Size of the kernel's local arrays, bytes.
pub fn local_bytes(capacity: usize, words: usize, chunk: usize) -> usize {
    let word = 4 * words;
    2 * (capacity + 2) * word + chunk * COLOURS * word + 4 * words + 2 * 32 * words * 4 + 16
}

impl Groups {
    /// Builds a program for each possible number of words, and allocates the board tables.
    ///
    /// # Errors
    /// As [`GroupKernels::new`].
    pub fn new(
        device: &Device,
        kernels: Option<&Path>,
        wanted: &Wanted<'_>,
        plan: &GroupPlan,
        shape: GroupShape,
    ) -> Result<Groups, Fault> {
        let mut kernels = GroupKernels::new(device, kernels, wanted, plan, shape)?;
        let most_groups = kernels.units * shape.groups_a_unit;
        let mut tallies = Outcomes::new(device, "part", most_groups, TALLY_WORDS)?;
        let [low, high] = block_key(wanted.seed);
        for (_, kernel) in kernels.each() {
            kernel.set_scalar(7, prm::Uint2::new(low, high))?;
            tallies.bind(kernel, 12)?;
        }
        Ok(Groups {
            asked: *wanted.asked,
            kernels,
            queue: device.queue()?,
            tallies,
            groups_a_unit: shape.groups_a_unit,
            chunk: shape.chunk,
            looks: plan.looks,
            warm: false,
            loaded: Vec::new(),
            current: None,
        })
    }

    /// Writes a position's tables to the device, unless they are there.
    fn take(&mut self, index: usize) -> Result<(), Fault> {
        if self.current == Some(index) {
            return Ok(());
        }
        self.current = None;
        let (tables, turns) = &self.loaded[index];
        self.kernels.tables.write(&mut self.queue, tables)?;
        let [first, second] = tables.start_cells;
        for (_, kernel) in self.kernels.each() {
            kernel.set_scalar(4, tables.rows as i32)?;
            kernel.set_scalar(5, prm::Int2::new(first as i32, second as i32))?;
            kernel.set_scalar(6, *turns)?;
            if self.looks {
                kernel.set_scalar(13, (first_look(tables.rows) / self.chunk) as i32)?;
            }
        }
        self.current = Some(index);
        Ok(())
    }

    /// Launches every kernel once, with nothing to play: some drivers compile for a work-group size at its
    /// first use, and the kernel to use depends on the number of playouts requested.
    fn warm_up(&mut self) -> Result<(), Fault> {
        self.take(0)?;
        let items = self.kernels.items;
        for (_, kernel) in self.kernels.each() {
            kernel.set_scalar(8, 0_u64)?;
            kernel.set_scalar(9, 0_u64)?;
            kernel.set_scalar(10, 0_u64)?;
            kernel.set_scalar(11, 0_u32)?;
            self.queue.launch(kernel, [items], Some([items]))?;
        }
        self.queue.take_parts();
        self.warm = true;
        Ok(())
    }
}

impl RandomPlayer<Annexation> for Groups {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        let capacity = self.kernels.capacity();
        let tables = |position| {
            let Root { board, turns } = Root::new(&self.asked, position);
            (Tables::new(&board, capacity), turns)
        };
        self.loaded = positions.iter().map(tables).collect();
        self.current = None;
        if !self.warm && !self.loaded.is_empty() {
            self.warm_up()?;
        }
        Ok(())
    }

    fn begin_sample(&mut self) {
        self.current = None;
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        self.take(index)?;
        let mut sums = (0, 0);
        for part in launches(&playouts, PLAYOUTS_A_LAUNCH) {
            let block = part.start / PLAYOUTS_A_DRAW;
            let count = part.end - block * PLAYOUTS_A_DRAW;
            let place = self.kernels.place_for(count.div_ceil(PLAYOUTS_A_DRAW));
            let (items, units) = (self.kernels.items, self.kernels.units);
            let (words, kernel) = self.kernels.at(place);
            let groups = count.div_ceil(PLAYOUTS_A_DRAW * words as u64) as usize;
            let groups = groups.min(units * self.groups_a_unit);
            kernel.set_scalar(8, block)?;
            kernel.set_scalar(9, part.start)?;
            kernel.set_scalar(10, part.end)?;
            kernel.set_scalar(11, self.tallies.mark(groups))?;
            self.queue.launch(kernel, [groups * items], Some([items]))?;
            add_up(&mut self.tallies, &mut self.queue, &mut sums)?;
        }
        Ok(tally(playouts.end.saturating_sub(playouts.start), sums))
    }

    fn telemetry(&mut self) -> Telemetry {
        self.kernels.telemetry(&mut self.queue)
    }
}
