//! `dynamic`: a kernel per node, enqueued by its parent's kernel, down to `levels` plies; work-items search the rest
//! alone. A node reads its ancestors' bounds when it starts (`bounds = "ancestors"`), or none: Algorithm 1.

use super::device_items::{GROUP, read_group};
use super::device_tree::{DeviceTree, MOST_LEVELS, TreePlan};
use super::hard::{DEEP, SEARCH, SMALL};
use super::tasks::{self, Gomoku};
use crate::techniques::hard::Trial;
use crate::techniques::list::{choices, whole_numbers};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// A kernel per node (Kawakami and Wang, section 5.4).
pub const DYNAMIC: Technique = Technique {
    entry: TechniqueEntry {
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

/// The kernels of `dynamic`, enqueued by the host depth first, for devices without device-side enqueue. Every inner
/// node costs a round trip, but each kernel sees all earlier results.
pub const BY_HOST: Technique = Technique {
    entry: TechniqueEntry {
        name: "dynamic-by-host",
        summary: "a kernel a node, as dynamic, but the host enqueues a node's children from what its kernel wrote",
        paper: "ours, in place of Kawakami and Wang, section 5.4",
        needs: "",
        counts: Counts::Own,
        ..DYNAMIC.entry
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("levels=1 bounds=none group=16", SMALL),
        Trial::new("levels=2 group=5", DEEP),
    ],
    prepare: |setup| prepare_tree(setup, true),
};

whole_numbers! {
    number LEVELS, read_levels: "levels", 1..=MOST_LEVELS.into(), "3",
        "a whole number from 1 to 3: the plies below the root whose nodes have \
              kernels of their own, less than the depth";
}

choices! {
    BOUNDS, read_bounds -> bool: "bounds", {"ancestors" => true, "none" => false}, "ancestors",
        "`ancestors`: a node is bounded by what they have when it begins; or `none`: plain minimax";
}

/// Prepares a tree of kernels that the device or the host enqueues.
fn prepare_tree(setup: &Setup<'_>, by_host: bool) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_search::<Gomoku>(setup, |asked| {
        let plan = TreePlan {
            evaluation: &asked.evaluation,
            depth: asked.depth,
            levels: LEVELS.given(setup.params, MOST_LEVELS as usize, read_levels)? as u32,
            bounds: BOUNDS.given(setup.params, true, read_bounds)?,
            by_host,
            group: GROUP.given(setup.params, None, read_group)?,
        };
        let device = setup.on_device()?;
        Ok(Box::new(DeviceTree::new(plan, device, setup.kernels)?))
    })
}
