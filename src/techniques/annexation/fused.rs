//! `fused`: all turns of the frames in one launch.

use std::ops::Range;

use super::group_kernels::{GroupPlan, GroupShape};
use super::hard::{FLAT, PLAYOUTS};
use super::sliced_groups::Groups;
use super::tasks;
use crate::games::annexation::COLOURS;
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{DEVICES, Fault, Task, TechniqueEntry};

/// Shows the cost of passing frames through global memory between turns: here 32 rows of pixels stay in a
/// work-group's local memory until the last turn. Only pixels of the named colour without an owner, at most
/// one in eight, read their neighbours.
///
/// The bound is local memory again, but in accesses: on 196 cells at most 196 x 200 / 8 pixels of a playout
/// read six bytes each, 29,400 reads; at 32 a clock an H200 (132 units, 1.7 GHz) could play 240 million
/// playouts a second. Work-items in lock step read in different playouts, and wait for the one with the most
/// reads.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "fused",
        summary: "all frames in one launch: a work-group 32 rows of pixels, in local memory",
        paper: "ours; the frames are those of \"The awesome GPU\"",
        needs: "local memory: 32 bytes a cell, 7 KB on hex200 and 33 KB on hex1000",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", PLAYOUTS), Trial::new("", FLAT)],
    prepare,
};

/// Playouts of a choice's first batch, and the limit of a batch.
const BATCHES: Range<u64> = 16_384..16_777_216;

/// Turns whose colours are drawn at once.
const CHUNK: usize = 16;

const FUSED: GroupPlan = GroupPlan {
    path: "annexation/fused.cl",
    kernel: "fused",
    local_bytes: |capacity, _, chunk| 32 * (capacity + 2) + 4 * chunk * COLOURS + 4 * 2 * 32 + 8,
    looks: false,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_flat(setup, BATCHES, |wanted| {
        let device = setup.on_device()?;
        let shape = GroupShape {
            words: Some(1),
            held: Some(1),
            chunk: CHUNK,
            look: 1,
            groups_a_unit: 64,
        };
        let groups = Groups::new(device, setup.kernels, wanted, &FUSED, shape)?;
        Ok(Box::new(groups))
    })
}
