//! `dynamic`: a kernel a node, enqueued by its parent's.

use super::device_items::{GROUPS_ALLOWED, Group};
use super::device_tree::{DeviceTree, MOST_LEVELS, TreePlan};
use super::tasks;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{
    Fault, Kind, ParamEntry, Params, Task, TechniqueEntry, Value, takes_every_case,
};

/// A kernel a node (Kawakami and Wang, section 5.4).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "dynamic",
        kind: Kind::Device,
        summary: "a kernel a node, which enqueues its children's; the last child to end goes on as the node",
        paper: "Kawakami and Wang, section 5.4",
        needs: "device-side enqueue (OpenCL C 2.0, optional in 3.0)",
        like: "rayon",
        reference: "serial",
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[
            ParamEntry {
                name: LEVELS,
                allowed: LEVELS_ALLOWED,
                default: "3",
                check: |value| read_levels(value).map(drop),
            },
            ParamEntry {
                name: BOUNDS,
                allowed: BOUNDS_ALLOWED,
                default: "ancestors",
                check: |value| read_bounds(value).map(drop),
            },
            ParamEntry {
                name: "group",
                allowed: GROUPS_ALLOWED,
                default: "auto",
                check: |value| Group::parse(value).map(drop),
            },
        ],
        check: takes_every_case,
    },
    prepare,
};

const LEVELS: &str = "levels";
const LEVELS_ALLOWED: &str = "a whole number from 1 to 3: the plies below the root whose nodes have \
                              kernels of their own, less than the depth";

fn read_levels(value: &Value) -> Result<u32, String> {
    value
        .as_int()
        .filter(|levels| (1..=i64::from(MOST_LEVELS)).contains(levels))
        .map(|levels| levels as u32)
        .ok_or_else(|| format!("{LEVELS}: `{value}`; allowed is {LEVELS_ALLOWED}"))
}

const BOUNDS: &str = "bounds";
const BOUNDS_ALLOWED: &str =
    "`ancestors`: a node is bounded by what they have when it begins; or `none`: plain minimax";

fn read_bounds(value: &Value) -> Result<bool, String> {
    match value.as_text() {
        Some("ancestors") => Ok(true),
        Some("none") => Ok(false),
        _ => Err(format!("{BOUNDS}: `{value}`; allowed is {BOUNDS_ALLOWED}")),
    }
}

fn given<T>(
    params: &Params,
    name: &str,
    read: fn(&Value) -> Result<T, String>,
    default: T,
) -> Result<T, Fault> {
    let value = params.get(name).map_or(Ok(default), read);
    value.map_err(Fault::Input)
}

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let plan = TreePlan {
            evaluation: &asked.evaluation,
            depth: asked.depth,
            levels: given(setup.params, LEVELS, read_levels, MOST_LEVELS)?,
            bounds: given(setup.params, BOUNDS, read_bounds, true)?,
            group: Group::read(setup.params).map_err(Fault::Input)?,
        };
        let device = setup
            .device
            .ok_or_else(|| Fault::Unsupported("no OpenCL device".into()))?;
        Ok(Box::new(DeviceTree::new(plan, device, setup.kernels)?))
    })
}
