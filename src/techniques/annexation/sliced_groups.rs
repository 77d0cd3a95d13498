//! Bit-sliced playouts on a GPU (`cl/annexation/sliced_groups.cl`).

use std::ops::Range;
use std::path::Path;

use super::device::{FIRST, TALLY_WORDS, add_up, next_launch, tally};
use super::group_kernels::{GroupKernels, GroupPlan, GroupShape};
use super::group_tables::Tables;
use super::play::Annexation;
use super::tasks::{RandomPlayer, Root, Wanted};
use super::{Asked, Standing};
use crate::games::annexation::{COLOURS, PLAYOUTS_A_DRAW};
use crate::opencl::{Device, LaunchBudget, Outcomes, Queue, prm};
use crate::random::block_key;
use crate::techniques::tasks::sums::in_launches;
use crate::words::{Fault, Tally, Telemetry};

/// A work-group plays 32 x words playouts together, with some of the cells per work-item.
pub struct Groups {
    asked: Asked,
    kernels: GroupKernels,
    queue: Queue,
    tallies: Outcomes,
    budget: LaunchBudget,
    groups_a_unit: usize,
    chunk: usize,
    /// True after every kernel has been launched.
    warm: bool,
    /// Board and turns per position.
    loaded: Vec<(Tables, u32)>,
    /// Index of the position whose tables are on the device.
    current: Option<usize>,
}

const SLICED: GroupPlan = GroupPlan {
    path: "annexation/sliced_groups.cl",
    kernel: "sliced",
    local_bytes,
};

/// The first turn, roughly, at which counting cells pays. A count costs a few turns.
pub fn first_look(rows: usize) -> usize {
    8 * rows.isqrt()
}

/// Bytes of the kernel's local arrays.
pub fn local_bytes(capacity: usize, words: usize, chunk: usize) -> usize {
    let word = 4 * words;
    2 * (capacity + 2) * word + chunk * COLOURS * word + 4 * words + 2 * 32 * words * 4 + 16
}

impl Groups {
    /// Builds a program per possible number of words, and allocates the tables. Fails as [`GroupKernels::new`].
    pub fn new(
        device: &Device,
        kernels: Option<&Path>,
        wanted: &Wanted<'_>,
        shape: GroupShape,
    ) -> Result<Groups, Fault> {
        let mut kernels = GroupKernels::new(device, kernels, wanted, &SLICED, shape)?;
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
            budget: LaunchBudget::new(device, FIRST),
            groups_a_unit: shape.groups_a_unit,
            chunk: shape.chunk,
            warm: false,
            loaded: Vec::new(),
            current: None,
        })
    }

    /// Uploads a position's tables, unless they are there.
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
            kernel.set_scalar(13, (first_look(tables.rows) / self.chunk) as i32)?;
        }
        self.current = Some(index);
        Ok(())
    }

    /// Launches every kernel once with no playouts: some drivers compile at first use.
    fn warm_up(&mut self) -> Result<(), Fault> {
        self.take(0)?;
        let items = self.kernels.items;
        for (_, kernel) in self.kernels.each() {
            kernel.set_from(8, &[&0_u64, &0_u64, &0_u64, &0_u32])?;
            self.queue.launch(kernel, [items], Some([items]))?;
        }
        self.queue.take_parts();
        self.warm = true;
        Ok(())
    }

    fn launch(&mut self, part: &Range<u64>, sums: &mut (u64, u64)) -> Result<(), Fault> {
        let block = part.start / PLAYOUTS_A_DRAW;
        let count = part.end - block * PLAYOUTS_A_DRAW;
        let place = self.kernels.place_for(count.div_ceil(PLAYOUTS_A_DRAW));
        let (items, units) = (self.kernels.items, self.kernels.units);
        let (words, kernel) = self.kernels.at(place);
        let groups = count.div_ceil(PLAYOUTS_A_DRAW * words as u64) as usize;
        let groups = groups.min(units * self.groups_a_unit);
        kernel.set_from(8, &[&block, &part.start, &part.end])?;
        kernel.set_scalar(11, self.tallies.mark(groups))?;
        self.queue.launch(kernel, [groups * items], Some([items]))?;
        add_up(&mut self.tallies, &mut self.queue, sums)
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
        let count = playouts.end.saturating_sub(playouts.start);
        let launch = |it: &mut Self, part| it.launch(&part, &mut sums);
        in_launches(self, |it| &mut it.budget, playouts, next_launch, launch)?;
        Ok(tally(count, sums))
    }

    fn telemetry(&mut self) -> Telemetry {
        self.kernels.telemetry(&mut self.queue)
    }
}
