//! `dynamic-by-host`: the kernels of `dynamic`, enqueued by the host.
//!
//! Few OpenCL devices let kernels enqueue kernels; NVIDIA's do not. This variant gives the paper's section 5.4 a value
//! there. The host reads a kernel's number of children and enqueues a kernel per child, depth first, like the paper's
//! recursion.
//!
//! The paper measured something else: its launches cost the device microseconds, and the host does not wait. Here every
//! inner node costs a round trip, and kernels run one at a time on a nearly idle device. In return each kernel sees all
//! earlier results, and the search has the fewest nodes.

use super::device_items::GROUP;
use super::dynamic::{BOUNDS, LEVELS, prepare_tree};
use super::hard::{DEEP, SEARCH, SMALL};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{Counts, Task, TechniqueEntry};

/// A kernel per node (Kawakami and Wang, section 5.4), for devices without device-side enqueue.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "dynamic-by-host",
        summary: "a kernel a node, as dynamic, but the host enqueues a node's children from what its kernel wrote",
        paper: "ours, in place of Kawakami and Wang, section 5.4",
        counts: Counts::Own,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[LEVELS, BOUNDS, GROUP],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("levels=1 bounds=none group=16", SMALL),
        Trial::new("levels=2 group=5", DEEP),
    ],
    prepare: |setup| prepare_tree(setup, true),
};
