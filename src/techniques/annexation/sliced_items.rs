//! Bit-sliced playouts on a processor as OpenCL device (`cl/annexation/sliced_items.cl`).

use std::ops::Range;
use std::path::Path;

use super::device::{FIRST, TALLY_WORDS, add_up, next_launch, tally};
use super::item_tables::{self, DeviceTables, PARTS, Tables};
use super::play::Annexation;
use super::tasks::{RandomPlayer, Root, Wanted};
use super::{Asked, Standing};
use crate::games::annexation::PLAYOUTS_A_DRAW;
use crate::opencl::{BuildNeeds, Device, LaunchBudget, Outcomes, Runner, prm};
use crate::random::block_key;
use crate::techniques::tasks::sums::in_launches;
use crate::words::{Fault, Tally, Telemetry};

/// Playouts per work-item.
const PLAYOUTS: u64 = 512 * PARTS as u64;

/// A work-item plays groups of 1024 playouts like `serial-sliced`, in OpenCL vectors. On a processor, the barriers of
/// [`Groups`](super::sliced_groups::Groups) cost more than sharing the work gains.
pub struct Items {
    asked: Asked,
    run: Runner,
    tables: DeviceTables,
    tallies: Outcomes,
    budget: LaunchBudget,
    /// Board and turns per position.
    loaded: Vec<(Tables, u32)>,
    /// Index of the position whose tables are on the device.
    current: Option<usize>,
}

impl Items {
    /// Builds the program and allocates the tables. Fails with [`Fault::Memory`] if the device has no space,
    /// [`Fault::Unsupported`] if its compiler takes too long, or a build error.
    pub fn new(
        device: &Device,
        kernels: Option<&Path>,
        wanted: &Wanted<'_>,
    ) -> Result<Items, Fault> {
        device.quirks().wide_vectors()?;
        let path = "annexation/sliced_items.cl";
        let defines = item_tables::defines();
        let program = device.build(path, &defines, kernels, BuildNeeds::default())?;
        let mut run = Runner::new(device, &program, program.kernel("sliced")?, 1)?;
        let tables = DeviceTables::new(device, wanted)?;
        run.notes = format!(
            "{} work-items of {PLAYOUTS} playouts, built with {}",
            tables.items, run.options
        );
        let mut tallies = Outcomes::new(device, "part", tables.items, TALLY_WORDS)?;
        let kernel = &mut run.kernel;
        tables.set(kernel)?;
        let [low, high] = block_key(wanted.seed);
        kernel.set_scalar(10, prm::Uint2::new(low, high))?;
        kernel.set_from(15, &[&tables.state, &tables.open, &tables.open_counts])?;
        tallies.bind(kernel, 18)?;
        Ok(Items {
            asked: *wanted.asked,
            run,
            tables,
            tallies,
            budget: LaunchBudget::new(device, FIRST),
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
        let Runner { kernel, queue, .. } = &mut self.run;
        self.tables.write(queue, kernel, tables)?;
        let [first, second] = tables.starts;
        kernel.set_scalar(7, prm::Int2::new(first as i32, second as i32))?;
        let [first, second] = tables.more;
        kernel.set_from(8, &[&prm::Uint2::new(first, second), turns])?;
        self.current = Some(index);
        Ok(())
    }

    fn launch(&mut self, part: &Range<u64>, sums: &mut (u64, u64)) -> Result<(), Fault> {
        let groups = (part.end - part.start / PLAYOUTS_A_DRAW * PLAYOUTS_A_DRAW).div_ceil(PLAYOUTS);
        let items = self.tables.items.min(groups as usize);
        let kernel = &mut self.run.kernel;
        kernel.set_from(11, &[&(part.start / PLAYOUTS_A_DRAW), &part.start])?;
        kernel.set_from(13, &[&part.end, &self.tallies.mark(items)])?;
        self.run.launch_groups(items)?;
        add_up(&mut self.tallies, &mut self.run.queue, sums)
    }
}

impl RandomPlayer<Annexation> for Items {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        let tables = |position| {
            let Root { board, turns } = Root::new(&self.asked, position);
            (Tables::new(&board), turns)
        };
        self.loaded = positions.iter().map(tables).collect();
        self.current = None;
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
        self.run.telemetry_and_resources()
    }
}
