//! The device's part of bit-sliced playouts, for both ways of sharing them among work-items.

use std::ops::Range;

use crate::games::annexation::Board;
use crate::opencl::{Buffer, BuildNeeds, Kernel, Outcomes, Queue, prm};
use crate::random::block_key;
use crate::techniques::Setup;
use crate::words::{Fault, Telemetry};

/// What a launch plays.
pub enum Job<'a> {
    /// The playouts of a range, from one position.
    Playouts {
        /// Turns until the game ends.
        turns: u32,
        /// Number of the range's first draw of 32 playouts.
        block: u64,
        /// The playouts.
        range: &'a Range<u64>,
    },
    /// The seats of a batch of leaves.
    Leaves {
        /// Turns of the tree's game.
        turns: u32,
        /// The packed leaves.
        leaves: &'a Buffer<u32>,
        /// 32-bit words of a player's cells.
        words: i32,
        /// The packed seats.
        seats: &'a Buffer<u32>,
    },
}

/// Which kernel of a shape plays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// Playouts of one position.
    Playouts,
    /// Playouts of a tree's leaves.
    Leaves,
}

/// How the work-items share playouts: the boards in the kernels' form, and the order of the arguments.
pub trait Shape: Send {
    /// Converts boards, which replace the earlier ones.
    fn load(&mut self, boards: &mut dyn Iterator<Item = &Board>);

    /// Uploads a loaded board. Fails with [`Fault::Device`].
    fn upload(&self, queue: &mut Queue, index: usize) -> Result<(), Fault>;

    /// Sets all arguments for a launch with a loaded board. Fails if the driver refuses.
    fn set(
        &self,
        kernel: &mut Kernel,
        index: usize,
        key_stamp_and_groups: (prm::Uint2, u32, usize),
        job: &Job<'_>,
        outcomes: &mut Outcomes,
    ) -> Result<(), Fault>;
}

/// A shape as it is built.
pub struct Built {
    /// The boards and their tables.
    pub shape: Box<dyn Shape>,
    /// The kernel file.
    pub path: &'static str,
    /// The kernel in it.
    pub kernel: &'static str,
    /// For each kernel the words of 32 playouts per group, largest first, and its constants.
    pub defines: Vec<(usize, Vec<(&'static str, String)>)>,
    /// Whether it has barriers in loops.
    pub barriers_in_loops: bool,
    /// Work-items per group.
    pub items: usize,
    /// Limit of the groups of a launch.
    pub most_groups: usize,
    /// The notes before the options of the first program.
    pub notes: String,
}

/// The kernels of a shape, one for each number of words per group, largest first.
pub struct Kernels {
    shape: Box<dyn Shape>,
    kernels: Vec<(usize, Kernel)>,
    /// The queue of all kernels.
    pub queue: Queue,
    items: usize,
    most_groups: usize,
    units: usize,
    key: prm::Uint2,
    build_ns: u64,
    notes: String,
}

impl Kernels {
    /// Builds the programs. [`Fault::Unsupported`] if the device refuses the group size, or a build error.
    pub fn new(setup: &Setup<'_>, built: Built) -> Result<Kernels, Fault> {
        let device = setup.on_device()?;
        let (mut kernels, mut build_ns, mut notes) = (Vec::new(), 0, built.notes);
        for (words, defines) in built.defines {
            let needs = BuildNeeds {
                barriers_in_loops: built.barriers_in_loops,
                ..BuildNeeds::default()
            };
            let program = device.build(built.path, &defines, setup.kernels, needs)?;
            let kernel = program.kernel(built.kernel)?;
            kernel.check_group(built.items)?;
            if kernels.is_empty() {
                notes.push_str(program.options());
            }
            build_ns += program.build_ns();
            kernels.push((words, kernel));
        }
        let [low, high] = block_key(setup.seed);
        Ok(Kernels {
            shape: built.shape,
            kernels,
            queue: device.queue()?,
            items: built.items,
            most_groups: built.most_groups,
            units: device.info().compute_units.max(1) as usize,
            key: prm::Uint2::new(low, high),
            build_ns,
            notes,
        })
    }

    /// Words per group of each kernel, largest first.
    pub fn words(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.kernels.iter().map(|(words, _)| *words)
    }

    /// Limit of the groups of a launch.
    pub fn most_groups(&self) -> usize {
        self.most_groups
    }

    /// Index of the kernel for `count` words of 32 playouts: the largest groups that still occupy every compute unit.
    pub fn place_for(&self, count: u64) -> usize {
        let fills = |words: usize| count.div_ceil(words as u64) >= self.units as u64;
        let found = self.words().position(fills);
        found.unwrap_or(self.kernels.len() - 1)
    }

    /// Converts boards, which replace the earlier ones.
    pub fn load<'b>(&mut self, mut boards: impl Iterator<Item = &'b Board>) {
        self.shape.load(&mut boards);
    }

    /// Uploads a loaded board. Fails with [`Fault::Device`].
    pub fn upload(&mut self, index: usize) -> Result<(), Fault> {
        self.shape.upload(&mut self.queue, index)
    }

    /// Launches the kernel at `place` for `count` words of 32 playouts, with the loaded board at `index`.
    pub fn launch(
        &mut self,
        (place, index): (usize, usize),
        count: usize,
        job: &Job<'_>,
        outcomes: &mut Outcomes,
    ) -> Result<(), Fault> {
        let (words, kernel) = &mut self.kernels[place];
        let groups = count.div_ceil(*words);
        let launched = groups.min(self.most_groups);
        let stamp = outcomes.mark(match job {
            Job::Playouts { .. } => launched,
            Job::Leaves { .. } => count,
        });
        let common = (self.key, stamp, groups);
        self.shape.set(kernel, index, common, job, outcomes)?;
        let global = [launched * self.items];
        self.queue.launch(kernel, global, Some([self.items]))
    }

    /// Telemetry since the last call.
    pub fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            parts: self.queue.take_parts(),
            build_ns: self.build_ns,
            notes: self.notes.clone(),
            resources: self.kernels[0].1.resources(self.items),
            ..Telemetry::default()
        }
    }
}
