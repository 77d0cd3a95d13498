//! Playouts from the leaves of a tree on a GPU (`cl/annexation/leaf_groups.cl`).

use std::sync::Arc;

use super::group_kernels::{GroupKernels, GroupPlan, GroupShape};
use super::group_tables::Tables;
use super::seats::{SEAT_RESULTS, Seats, bit_words, leaf_words, most_seats};
use super::sliced_groups::{first_look, local_bytes};
use super::tasks::Wanted;
use crate::games::annexation::{Ground, Light};
use crate::opencl::{Access, Buffer, Device, Outcomes, Queue, prm};
use crate::random::block_key;
use crate::search::LeafPlayouts;
use crate::techniques::Setup;
use crate::techniques::tasks::mcts::{LeafPlayer, Settings};
use crate::words::{Fault, Telemetry};

/// Limit of words per group.
const MOST_WORDS: usize = 4;

const LEAF_GROUPS: GroupPlan = GroupPlan {
    path: "annexation/leaf_groups.cl",
    kernel: "leaf_groups",
    local_bytes: |capacity, words, chunk| local_bytes(capacity, words, chunk) + 4 * words,
};

/// A work-group plays a few words of 32 playouts, each from any leaf with the same player to move. Small batches get
/// groups of fewer words. The bound equals [`Groups`](super::sliced_groups::Groups) if the leaves occupy all units.
pub struct LeafGroups {
    kernels: GroupKernels,
    queue: Queue,
    numbers: Buffer<u16>,
    leaves: Buffer<u32>,
    seats: Buffer<u32>,
    results: Outcomes,
    playouts: u32,
    /// The tree whose tables are on the device.
    ground: Option<Arc<Ground>>,
    packed: Seats,
}

impl LeafGroups {
    /// Builds the programs, allocates the tables, and launches each kernel once: some drivers compile at first use.
    /// Fails as [`GroupKernels::new`].
    pub fn new(
        setup: &Setup<'_>,
        device: &Device,
        wanted: &Wanted<'_>,
        settings: Settings,
        shape: GroupShape,
    ) -> Result<LeafGroups, Fault> {
        let mut kernels = GroupKernels::new(device, setup.kernels, wanted, &LEAF_GROUPS, shape)?;
        let cells = wanted.most_cells();
        let most = settings.leaves as usize;
        let seats = most_seats(settings, MOST_WORDS);
        let numbers = device.buffer::<u16>(kernels.capacity(), Access::Read)?;
        let leaves = device.buffer::<u32>(most * leaf_words(cells), Access::Read)?;
        let seat_words = device.buffer::<u32>(Seats::room(settings, MOST_WORDS), Access::Read)?;
        let mut results = Outcomes::new(device, "seat", seats, SEAT_RESULTS)?;
        let [low, high] = block_key(setup.seed);
        for (_, kernel) in kernels.each() {
            kernel.set_from(6, &[&numbers, &prm::Uint2::new(low, high), &leaves])?;
            kernel.set_buffer(10, &seat_words)?;
            results.bind(kernel, 12)?;
        }
        let mut player = LeafGroups {
            kernels,
            queue: device.queue()?,
            numbers,
            leaves,
            seats: seat_words,
            results,
            playouts: settings.playouts,
            ground: None,
            packed: Seats::default(),
        };
        let start = wanted.first_leaf();
        for place in 0..player.kernels.each().count() {
            player.launch(0, std::slice::from_ref(&start), Some(place))?;
            player.finish(&mut Vec::new())?;
        }
        player.queue.take_parts();
        Ok(player)
    }

    /// Uploads a tree's board, unless it is there.
    fn take(&mut self, ground: &Arc<Ground>) -> Result<(), Fault> {
        let known = self.ground.take();
        let known = known.filter(|known| Arc::ptr_eq(known, ground));
        if known.is_none() {
            let tables = Tables::new(ground.board(), self.kernels.capacity());
            self.kernels.tables.write(&mut self.queue, &tables)?;
            self.queue.write(&self.numbers, &tables.numbers)?;
            let [first, second] = tables.start_cells;
            let words = bit_words(ground.board().cells()) as i32;
            let look_at = ground.turns as i32 - first_look(tables.rows) as i32;
            for (_, kernel) in self.kernels.each() {
                kernel.set_scalar(4, tables.rows as i32)?;
                kernel.set_scalar(5, prm::Int2::new(first as i32, second as i32))?;
                kernel.set_scalar(9, words)?;
                kernel.set_scalar(13, look_at)?;
            }
        }
        self.ground = Some(Arc::clone(ground));
        Ok(())
    }

    /// Launches a batch with the kernel at `place`, or with the kernel for its size.
    fn launch(&mut self, first: u64, leaves: &[Light], place: Option<usize>) -> Result<(), Fault> {
        let Some(ground) = leaves.first().map(Light::ground) else {
            return Ok(());
        };
        self.take(ground)?;
        let number = first * u64::from(self.playouts);
        let LeafGroups {
            kernels, packed, ..
        } = self;
        let mut chosen = 0;
        packed.pack(leaves, self.playouts, number, |seats| {
            chosen = place.unwrap_or_else(|| kernels.place_for(seats as u64));
            kernels.at(chosen).0
        });
        self.queue.write(&self.leaves, &packed.leaves)?;
        self.queue.write(&self.seats, &packed.seats)?;
        let items = kernels.items;
        let (words, kernel) = kernels.at(chosen);
        kernel.set_scalar(11, self.results.mark(packed.count()))?;
        let global = packed.count() / words * items;
        self.queue.launch(kernel, [global], Some([items]))?;
        self.queue.flush()
    }
}

impl LeafPlayouts<Light> for LeafGroups {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Light]) -> Result<(), Fault> {
        self.launch(first, leaves, None)
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        self.packed
            .add_up(&mut self.results, &mut self.queue, points)?;
        Ok(0)
    }
}

impl LeafPlayer<Light> for LeafGroups {
    fn telemetry(&mut self) -> Telemetry {
        self.kernels.telemetry(&mut self.queue)
    }
}
