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

/// A work-group plays 32 x words playouts at a time, a work-item a cell of them.
///
/// What bounds it is local memory: a turn of a cell reads its six neighbours' words, 96 bytes for 128
/// playouts, and the named colour's, 16 bytes; and it writes its own where it has gained something. At 128
/// bytes a clock a turn of 32 rows takes 24 clocks, 27 to 31 with what banks wait for each other, and about 6
/// more. On 196 cells an eighth of a warp (the rows of an access) reads in 62 % of its turns before the last
/// playout is decided, on 992 cells in 45 %: of 128 playouts' 32,000 and 190,000 clocks an H200 (132
/// units, 1.7 GHz) cannot play more than 0.9 and 0.15 billion a second. The shares were counted by a program that
/// plays so and counts. Fewer words have fewer rows in the way (of 32 playouts' accesses 52 % and 40 %), but read each
/// neighbour's number and the barrier more often.
///
/// An H200 plays 755 million a second on 196 cells and, with a row a work-item, 96 million on 992: 0.84 and 0.64 of
/// that bound. Eight rows a work-item, groups of 128 instead of 992, give 114 million there (two 105, four 96), and on 196
/// cells one, two and four rows are alike, eight 697. Words: one 66, two 86, four 96 million on 992 cells. Chunks of 2
/// turns 335 million on 196 cells, 8 655, 32 748. Looks at the decided after 1, 2 and 4 chunks or never: 701, 755,
/// 768, 752. Groups a unit: 1 395, 4 704, 16 738, 64 754.
///
/// What the rows' order gives was counted too: by their distance from the starts, warps read in 66 % and 44 % of
/// their turns instead of 70 % and 55 %, but banks wait as much longer.
pub struct Groups {
    asked: Asked,
    kernels: GroupKernels,
    queue: Queue,
    tallies: Outcomes,
    groups_a_unit: usize,
    chunk: usize,
    looks: bool,
    /// Whether every kernel was launched once.
    warm: bool,
    /// Positions: the board of each, and its turns.
    loaded: Vec<(Tables, u32)>,
    /// Whose tables the device has.
    current: Option<usize>,
}

/// `sliced` on GPUs.
pub const SLICED: GroupPlan = GroupPlan {
    path: "annexation/sliced_groups.cl",
    kernel: "sliced",
    local_bytes,
    looks: true,
};

/// About the turn before which it is not worth to count who has more cells: on 196 cells the last of 128
/// playouts is decided after 144 to 200 turns, on 992 after 256 to 288. A look costs as much as a
/// few turns.
pub fn first_look(rows: usize) -> usize {
    8 * rows.isqrt()
}

/// The arrays of the kernel.
pub fn local_bytes(capacity: usize, words: usize, chunk: usize) -> usize {
    let word = 4 * words;
    2 * (capacity + 2) * word + chunk * COLOURS * word + 4 * words + 2 * 32 * words * 4 + 16
}

impl Groups {
    /// Builds a program for each number of words that there is room for, and makes room for the boards.
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

    /// Gives the device a position's tables, unless it has them.
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

    /// Launches every kernel once, with nothing to play: some drivers compile for a work-group size when they
    /// first see it, and which kernel plays is only known when playouts are asked for.
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
