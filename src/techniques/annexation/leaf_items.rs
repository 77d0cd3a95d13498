//! Playouts from the leaves of a tree on a processor that OpenCL drives (`cl/annexation/leaf_items.cl`).

use std::sync::Arc;

use super::item_tables::{self, DeviceTables, LANE_WORDS, Tables};
use super::seats::{SEAT_RESULTS, Seats, bit_words, leaf_words, most_seats};
use super::tasks::Wanted;
use crate::games::annexation::{Ground, Light};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, Kernel, Queue, prm};
use crate::random::block_key;
use crate::search::LeafPlayouts;
use crate::techniques::Setup;
use crate::techniques::tasks::mcts::{LeafPlayer, Settings};
use crate::words::{Fault, Parts, Resource};

/// Seats of a work-item: each has a word of a cell's lanes.
const SEATS: usize = LANE_WORDS;

/// A work-item 32 seats of 32 playouts, of leaves with the same player to move, as
/// [`SlicedLeaves`](crate::search::annexation::SlicedLeaves) plays on the host.
pub struct LeafItems {
    kernel: Kernel,
    queue: Queue,
    tables: DeviceTables,
    leaves: Buffer<u32>,
    seats: Buffer<u32>,
    results: Buffer<u32>,
    playouts: u32,
    /// Whose tables the device has.
    ground: Option<Arc<Ground>>,
    packed: Seats,
    stamp: u32,
    read: Vec<u32>,
    build_ns: u64,
    notes: String,
}

impl LeafItems {
    /// Builds the program, makes room for the boards, and launches it once: some drivers compile for a
    /// work-group size when they first see it.
    ///
    /// # Errors
    /// [`Fault::Memory`] where the device has no room, and what building fails with.
    pub fn new(
        setup: &Setup<'_>,
        device: &Device,
        wanted: &Wanted<'_>,
        settings: Settings,
    ) -> Result<LeafItems, Fault> {
        device.quirks().wide_vectors()?;
        let path = "annexation/leaf_items.cl";
        let defines = item_tables::defines();
        let program = device.build(path, &defines, setup.kernels, BuildNeeds::default())?;
        let mut kernel = program.kernel("leaf_items")?;
        let tables = DeviceTables::new(device, wanted)?;
        let cells = wanted.boards.iter().map(|board| board.cells());
        let cells = cells.max().unwrap_or(2);
        let most = settings.leaves as usize;
        let leaves = device.buffer::<u32>(most * leaf_words(cells), Access::Read)?;
        let seats = device.buffer::<u32>(Seats::room(settings, SEATS), Access::Read)?;
        let results = most_seats(settings, SEATS) * SEAT_RESULTS;
        let results = device.buffer::<u32>(results, Access::Write)?;
        tables.set(&mut kernel)?;
        let [low, high] = block_key(setup.seed);
        kernel.set_scalar(8, prm::Uint2::new(low, high))?;
        kernel.set_buffer(9, &leaves)?;
        kernel.set_buffer(11, &seats)?;
        kernel.set_buffer(14, &tables.state)?;
        kernel.set_buffer(15, &tables.open)?;
        kernel.set_buffer(16, &tables.open_counts)?;
        kernel.set_buffer(17, &results)?;
        let mut player = LeafItems {
            notes: format!(
                "{} work-items of {SEATS} x 32 playouts, built with {}",
                tables.items,
                program.options()
            ),
            kernel,
            queue: device.queue()?,
            tables,
            leaves,
            seats,
            results,
            playouts: settings.playouts,
            ground: None,
            packed: Seats::default(),
            stamp: 1,
            read: Vec::new(),
            build_ns: program.build_ns(),
        };
        let board = Arc::clone(&wanted.boards[0]);
        let turns = wanted.asked.turns_on(&board);
        let start = Light::start(&Arc::new(Ground::new((*board).clone(), turns)));
        player.begin(0, &[start])?;
        player.finish(&mut Vec::new())?;
        player.queue.take_parts();
        Ok(player)
    }

    /// Gives the device a tree's board, unless it has it.
    fn take(&mut self, ground: &Arc<Ground>) -> Result<(), Fault> {
        let known = self.ground.take();
        let known = known.filter(|known| Arc::ptr_eq(known, ground));
        if known.is_none() {
            let tables = Tables::new(ground.board());
            let kernel = &mut self.kernel;
            self.tables.write(&mut self.queue, kernel, &tables)?;
            let [first, second] = tables.more;
            kernel.set_scalar(7, prm::Uint2::new(first, second))?;
            kernel.set_scalar(10, bit_words(ground.board().cells()) as i32)?;
        }
        self.ground = Some(Arc::clone(ground));
        Ok(())
    }
}

impl LeafPlayouts<Light> for LeafItems {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Light]) -> Result<(), Fault> {
        let Some(ground) = leaves.first().map(Light::ground) else {
            return Ok(());
        };
        self.take(ground)?;
        let number = first * u64::from(self.playouts);
        self.packed.pack(leaves, self.playouts, number, |_| SEATS);
        self.queue.write(&self.leaves, &self.packed.leaves)?;
        self.queue.write(&self.seats, &self.packed.seats)?;
        let groups = self.packed.count() / SEATS;
        self.kernel.set_scalar(12, groups as i32)?;
        self.kernel.set_scalar(13, self.stamp)?;
        let items = self.tables.items.min(groups);
        self.queue.launch(&self.kernel, [items], Some([1]))?;
        self.queue.flush()
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        let seats = self.packed.count();
        self.read.resize(seats * SEAT_RESULTS, 0);
        self.queue.read(&self.results, &mut self.read)?;
        let stamp = self.stamp;
        self.stamp = stamp.wrapping_add(seats as u32);
        self.packed
            .add_up("leaf_items", &self.read, stamp, points)?;
        Ok(0)
    }
}

impl LeafPlayer<Light> for LeafItems {
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
