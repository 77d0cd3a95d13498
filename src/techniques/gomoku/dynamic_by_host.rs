//! `dynamic-by-host`: the kernels of `dynamic`, enqueued by the host.
//!
//! Few OpenCL devices let kernels enqueue kernels; NVIDIA's do not. So that the paper's section 5.4 has a value there, the
//! host does what a parent's kernel would: it reads how many children the kernel has left, and enqueues a kernel for
//! each. It goes down to each child and all below it before the next, as the paper's recursion reads.
//!
//! It is not what the paper measured. There a launch costs the device some microseconds and the host does not wait; here
//! every node that has children costs the host a way to the device and back, and all kernels run one after
//! another, a work-group at a time. So the device is nearly idle, however large it is. Against that, each kernel sees all that
//! was found before it, so that it searches the fewest nodes.
//!
//! # What bounds it
//!
//! The number of kernels times the cost of a launch: 1 + 224 kernels on 15x15 at depth 2, some 50,000 at depth 3,
//! 11 million at depth 4 with three plies of kernels. `levels` moves it, as it does in [`super::dynamic`]. On pocl 3.1 with two
//! cores, both busy with other work, 15x15 at depth 2 takes 0.63 ms, 2.8 µs a kernel, of which the device's events have 0.05 ms;
//! 12x12 at depth 3 takes 75 ms for 20,450 kernels. In groups of one it searches the nodes of `serial`: 23,006 there.

use super::device_items::GROUP;
use super::dynamic::{BOUNDS, LEVELS, prepare_tree};
use super::hard::{DEEP, SEARCH, SMALL};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{Counts, Task, TechniqueEntry};

/// A kernel a node (Kawakami and Wang, section 5.4), for devices without device-side enqueue.
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
