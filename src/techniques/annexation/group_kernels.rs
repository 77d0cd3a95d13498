//! Kernels whose work-groups play together, with some of the cells per work-item, built for a case's boards.

use std::path::Path;

use super::group_tables::{DeviceTables, NEAR, Need};
use super::tasks::Wanted;
use crate::opencl::{BuildNeeds, Device, Kernel, Queue, bytes_in_words};
use crate::words::{Fault, Telemetry};

const MOST_ITEMS: usize = 1024;

const GOOD_ITEMS: usize = 128;

const USUAL_HELD: usize = 8;

/// Each row lengthens the kernel.
const MOST_HELD: usize = 16;

/// A kernel whose work-groups play together, with some of the cells per work-item.
pub struct GroupPlan {
    /// The kernel file.
    pub path: &'static str,
    /// The kernel in it.
    pub kernel: &'static str,
    /// Bytes of local memory per group, by its capacity in rows, its words and its turns per chunk.
    pub local_bytes: fn(usize, usize, usize) -> usize,
}

/// The settings of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct GroupShape {
    /// Words of 32 playouts per group; `None` for the largest possible number.
    pub words: Option<usize>,
    /// Minimum rows per work-item; `None` for groups of [`GOOD_ITEMS`].
    pub held: Option<usize>,
    /// Turns between two updates of the open rows.
    pub chunk: usize,
    /// Chunks between two checks for decided playouts.
    pub look: usize,
    /// Limit of work-groups per compute unit.
    pub groups_a_unit: usize,
}

/// The kernels of a plan, with their board tables.
pub struct GroupKernels {
    /// Kernels by words per group, largest first.
    kernels: Vec<(usize, Kernel)>,
    /// The board tables, arguments 0 to 3 of each kernel.
    pub tables: DeviceTables,
    /// Work-items per group.
    pub items: usize,
    /// Rows per work-item.
    held: usize,
    /// Compute units of the device.
    pub units: usize,
    build_ns: u64,
    notes: String,
}

impl GroupKernels {
    /// Builds a program per possible number of words, and allocates the board tables. Fails with [`Fault::Memory`] if
    /// local memory is too small, [`Fault::Unsupported`] if the device refuses the group size, or a build error.
    pub fn new(
        device: &Device,
        kernels: Option<&Path>,
        wanted: &Wanted<'_>,
        plan: &GroupPlan,
        shape: GroupShape,
    ) -> Result<GroupKernels, Fault> {
        let info = device.info();
        let need = Need::of(wanted);
        let multiple = device.preferred_multiple().clamp(1, MOST_ITEMS);
        let most = info.max_work_group.clamp(1, MOST_ITEMS);
        let usual = need.rows.div_ceil(GOOD_ITEMS).clamp(1, USUAL_HELD);
        let held = need.rows.div_ceil(most).max(shape.held.unwrap_or(usual));
        if held > MOST_HELD {
            return Err(Fault::Unsupported(format!(
                "{} cells; groups of {most} work-items play on at most {}",
                need.rows + 2,
                most * MOST_HELD + 2
            )));
        }
        let items = need
            .rows
            .div_ceil(held)
            .next_multiple_of(multiple)
            .min(most);
        let capacity = items * held;
        let fits = |words: &usize| {
            (plan.local_bytes)(capacity, *words, shape.chunk) as u64 <= info.local_memory_bytes
        };
        let asked = shape.words.map_or(vec![4, 2, 1], |words| vec![words]);
        let sizes: Vec<usize> = asked.iter().copied().filter(fits).collect();
        if sizes.is_empty() {
            let least = (plan.local_bytes)(capacity, asked[asked.len() - 1], shape.chunk) as u64;
            return Err(Fault::Memory(format!(
                "{} cells need {} of local memory, device has {}",
                need.rows + 2,
                bytes_in_words(least),
                bytes_in_words(info.local_memory_bytes)
            )));
        }
        let tables = DeviceTables::new(device, &need, capacity)?;
        let mut built = Vec::new();
        let mut build_ns = 0;
        let mut notes = String::new();
        for words in sizes {
            let defines = [
                ("GROUP", items.to_string()),
                ("HELD", held.to_string()),
                ("WORDS", words.to_string()),
                ("NEAR", NEAR.to_string()),
                ("FAR", u8::from(need.far > 0).to_string()),
                ("CHUNK", shape.chunk.to_string()),
                ("LOOK", shape.look.to_string()),
            ];
            let needs = BuildNeeds {
                barriers_in_loops: true,
                ..BuildNeeds::default()
            };
            let program = device.build(plan.path, &defines, kernels, needs)?;
            let mut kernel = program.kernel(plan.kernel)?;
            kernel.check_group(items)?;
            tables.set(&mut kernel)?;
            build_ns += program.build_ns();
            if notes.is_empty() {
                notes = format!(
                    "groups of {items} x {held} cells, {words} words, built with {}",
                    program.options()
                );
            }
            built.push((words, kernel));
        }
        Ok(GroupKernels {
            kernels: built,
            tables,
            items,
            held,
            units: info.compute_units.max(1) as usize,
            build_ns,
            notes,
        })
    }

    /// Capacity of a group in rows. Tables are made for it.
    pub fn capacity(&self) -> usize {
        self.items * self.held
    }

    /// All kernels with their words per group.
    pub fn each(&mut self) -> impl Iterator<Item = (usize, &mut Kernel)> {
        self.kernels
            .iter_mut()
            .map(|(words, kernel)| (*words, kernel))
    }

    /// Index of the kernel for `count` words of 32 playouts: the largest groups that still occupy every compute unit.
    pub fn place_for(&self, count: u64) -> usize {
        let fills =
            |(words, _): &(usize, Kernel)| count.div_ceil(*words as u64) >= self.units as u64;
        let found = self.kernels.iter().position(fills);
        found.unwrap_or(self.kernels.len() - 1)
    }

    /// Words per group and kernel at an index.
    pub fn at(&mut self, place: usize) -> (usize, &mut Kernel) {
        let (words, kernel) = &mut self.kernels[place];
        (*words, kernel)
    }

    /// Telemetry since the last call.
    pub fn telemetry(&self, queue: &mut Queue) -> Telemetry {
        Telemetry {
            parts: queue.take_parts(),
            build_ns: self.build_ns,
            notes: self.notes.clone(),
            resources: self.kernels[0].1.resources(self.items),
            ..Telemetry::default()
        }
    }
}
