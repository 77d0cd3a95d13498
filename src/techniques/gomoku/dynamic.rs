//! `dynamic`: a kernel a node, enqueued by its parent's.
//!
//! The paper gives no more than a sentence: its kernel "launches new kernels for each node to be
//! searched". Here every node above the leaves is one, down to `levels` plies below the root; a
//! node's leaves are its own work-items' share, as a kernel for each would do nothing but start.
//! Where the depth is more than `levels` + 1, work-items search what is left alone, by alpha-beta.
//!
//! Algorithm 2, which the paper's other searches follow, has bounds; a child that is launched beside
//! its siblings cannot have theirs from its launch. So a node looks at its ancestors when it begins
//! (`bounds = "ancestors"`), and finds nothing to do where they have enough already;
//! `bounds = "none"` is Algorithm 1, plain minimax, and every node of it.
//!
//! # What bounds it
//!
//! The number of kernels times the cost of launching one, and with `bounds = "none"` the leaves. A
//! node's children are all enqueued before one of them has ended, so that bounds save leaves but no
//! launches of siblings: at 12x12 depth 3 all 20,450 kernels run, most of which find nothing to do,
//! for 22,543 leaves of 2.9 million. On Intel's runtime a kernel costs 0.6 to 1 µs, so 12 to 20 ms;
//! the leaves cost 20 ns each, so half a millisecond. That is the paper's trade-off, "the overhead of
//! launching so many kernels", and `levels` moves it: with 1, only the root's moves are kernels.
//!
//! # What was measured
//!
//! Median ms on Intel's runtime 2026.2, two cores of an EPYC, another load beside it; `naive` on the
//! same device:
//!
//! | board, depth | `dynamic` | `bounds = "none"` | `levels = 1` | `naive` |
//! | --- | --- | --- | --- | --- |
//! | 6x6, 1 | 0.013 | 0.013 | 0.013 | 0.012 |
//! | 6x6, 2 | 0.036 | 0.043 | 0.036 | 0.021 |
//! | 6x6, 3 | 0.52 | 0.72 | 0.048 | 0.061 |
//! | 9x9, 1 | 0.013 | 0.013 | 0.013 | 0.014 |
//! | 9x9, 2 | 0.098 | 0.10 | 0.098 | 0.040 |
//! | 9x9, 3 | 4.2 | 11.7 | 0.13 | 0.33 |
//! | 12x12, 1 | 0.015 | 0.015 | 0.015 | 0.018 |
//! | 12x12, 2 | 0.16 | 0.20 | 0.16 | 0.11 |
//! | 12x12, 3 | 19.7 | 67.0 | 0.29 | 1.2 |
//!
//! - Nodes are few on Intel, 57,716 to 57,760 leaves at 12x12 depth 4 for `serial`'s 57,720, as two
//!   cores begin nodes nearly in the order of `serial`. Two things see to it. A kernel takes the
//!   first child that is not begun, where one bound to the child that it was enqueued for would
//!   begin with the last, as Intel's queue does. And the first root move is launched alone, for all
//!   others to have its value: without that, searches of depth 4 took 1.2 to 1.4 times as long.
//! - A group of more than one item searches more leaves and gains nothing on a processor: 8 items at
//!   12x12 depth 3 took twice the time of one.

use super::device_items::{GROUP, Group};
use super::device_tree::{DeviceTree, MOST_LEVELS, TreePlan};
use super::hard::{DEEP, SEARCH, SMALL};
use super::tasks;
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, ParamEntry, Task, TechniqueEntry, Value};

/// A kernel a node (Kawakami and Wang, section 5.4).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "dynamic",
        summary: "a kernel a node, which enqueues its children's; the last child to end goes on as the node",
        paper: "Kawakami and Wang, section 5.4",
        needs: "device-side enqueue (OpenCL C 2.0, optional in 3.0)",
        counts: Counts::Vary,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[LEVELS, BOUNDS, GROUP],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("levels=1 bounds=none group=16", SMALL),
        Trial::new("levels=2 group=1", DEEP),
    ],
    prepare: |setup| prepare_tree(setup, false),
};

pub(super) const LEVELS: ParamEntry = ParamEntry {
    name: "levels",
    allowed: "a whole number from 1 to 3: the plies below the root whose nodes have \
              kernels of their own, less than the depth",
    default: "3",
    check: |value| read_levels(value).map(drop),
};

fn read_levels(value: &Value) -> Result<usize, String> {
    LEVELS.whole(value, 1..=MOST_LEVELS.into())
}

pub(super) const BOUNDS: ParamEntry = ParamEntry {
    name: "bounds",
    allowed: "`ancestors`: a node is bounded by what they have when it begins; or `none`: plain minimax",
    default: "ancestors",
    check: |value| read_bounds(value).map(drop),
};

fn read_bounds(value: &Value) -> Result<bool, String> {
    match value.as_text() {
        Some("ancestors") => Ok(true),
        Some("none") => Ok(false),
        _ => Err(BOUNDS.refused(value)),
    }
}

/// Makes a tree of kernels ready, which the device enqueues or the host.
pub(super) fn prepare_tree(setup: &Setup<'_>, by_host: bool) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let plan = TreePlan {
            evaluation: &asked.evaluation,
            depth: asked.depth,
            levels: LEVELS.given(setup.params, MOST_LEVELS as usize, read_levels)? as u32,
            bounds: BOUNDS.given(setup.params, true, read_bounds)?,
            by_host,
            group: Group::read(setup.params, &GROUP)?,
        };
        let device = setup.on_device()?;
        Ok(Box::new(DeviceTree::new(plan, device, setup.kernels)?))
    })
}
