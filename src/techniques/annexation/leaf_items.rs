//! Playouts from the leaves of a tree on a processor as OpenCL device (`cl/annexation/leaf_items.cl`).

use std::sync::Arc;

use super::item_tables::{self, DeviceTables, LANE_WORDS, Tables};
use super::seats::{SEAT_RESULTS, Seats, bit_words, leaf_words, most_seats};
use super::tasks::Wanted;
use crate::games::annexation::{Ground, Light};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, Outcomes, Runner, prm};
use crate::random::block_key;
use crate::search::LeafPlayouts;
use crate::techniques::Setup;
use crate::techniques::tasks::mcts::{LeafPlayer, Settings};
use crate::words::{Fault, Telemetry};

/// Seats per work-item, each one word of a cell's lanes.
const SEATS: usize = LANE_WORDS;

/// A work-item plays 32 seats of 32 playouts, of leaves with the same player to move, like
/// [`SlicedLeaves`](crate::search::annexation::SlicedLeaves).
pub struct LeafItems {
    run: Runner,
    tables: DeviceTables,
    leaves: Buffer<u32>,
    seats: Buffer<u32>,
    results: Outcomes,
    playouts: u32,
    /// The tree whose tables are on the device.
    ground: Option<Arc<Ground>>,
    packed: Seats,
}

impl LeafItems {
    /// Builds the program, allocates the tables, and launches once: some drivers compile at first use. Fails with
    /// [`Fault::Memory`] if the device has no space, or a build error.
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
        let mut run = Runner::new(device, &program, program.kernel("leaf_items")?, 1)?;
        let tables = DeviceTables::new(device, wanted)?;
        run.notes = format!(
            "{} work-items of {SEATS} x 32 playouts, built with {}",
            tables.items, run.options
        );
        let cells = wanted.most_cells();
        let most = settings.leaves as usize;
        let leaves = device.buffer::<u32>(most * leaf_words(cells), Access::Read)?;
        let seats = device.buffer::<u32>(Seats::room(settings, SEATS), Access::Read)?;
        let most = most_seats(settings, SEATS);
        let mut results = Outcomes::new(device, "seat", most, SEAT_RESULTS)?;
        let kernel = &mut run.kernel;
        tables.set(kernel)?;
        let [low, high] = block_key(setup.seed);
        kernel.set_from(8, &[&prm::Uint2::new(low, high), &leaves])?;
        kernel.set_buffer(11, &seats)?;
        kernel.set_from(14, &[&tables.state, &tables.open, &tables.open_counts])?;
        results.bind(kernel, 17)?;
        let mut player = LeafItems {
            run,
            tables,
            leaves,
            seats,
            results,
            playouts: settings.playouts,
            ground: None,
            packed: Seats::default(),
        };
        let start = wanted.first_leaf();
        player.begin(0, &[start])?;
        player.finish(&mut Vec::new())?;
        player.run.telemetry();
        Ok(player)
    }

    /// Uploads a tree's board, unless it is there.
    fn take(&mut self, ground: &Arc<Ground>) -> Result<(), Fault> {
        let known = self.ground.take();
        let known = known.filter(|known| Arc::ptr_eq(known, ground));
        if known.is_none() {
            let tables = Tables::new(ground.board());
            let Runner { kernel, queue, .. } = &mut self.run;
            self.tables.write(queue, kernel, &tables)?;
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
        let run = &mut self.run;
        run.queue.write(&self.leaves, &self.packed.leaves)?;
        run.queue.write(&self.seats, &self.packed.seats)?;
        let seats = self.packed.count();
        let groups = seats / SEATS;
        run.set_from(12, &[&(groups as i32), &self.results.mark(seats)])?;
        run.launch_groups(self.tables.items.min(groups))?;
        run.queue.flush()
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        self.packed
            .add_up(&mut self.results, &mut self.run.queue, points)?;
        Ok(0)
    }
}

impl LeafPlayer<Light> for LeafItems {
    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}
