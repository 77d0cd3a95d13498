//! Runs a tree of kernels on an OpenCL device (`cl/gomoku/nodes.clh`). Other kernels or the host enqueue each kernel.
//!
//! A launch searches some of the root's moves. The kernel of the child that ends last continues as the parent's kernel.
//! If the host enqueues the kernels, it reads the number of children of each inner node, and visits them depth first.
//!
//! The answer does not depend on when bounds change. A node's window lies between the best values that its ancestors
//! have found so far. These values only grow, so a value that is exact in one window stays exact in all later windows.
//! A child is skipped only if its window is empty. To find the first of equal moves, the root compares keys that
//! combine value and index. Moves before the best one get a bound that is lower by one. Only node counts vary.
//!
//! Each node above the leaves has a slot of 32 bytes, and reserves a slot per square for its children. A launch gets as
//! many root moves as fit into the slots.

use super::device_board::{GROUP, Root, decided, defines, read_group, tables};
use super::hard::{DEEP, SEARCH, SMALL};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{Evaluation, MoveRule, Position, Size, Square, WIN};
use crate::opencl::{DeviceInfo, bytes_in_words};
use crate::techniques::prelude::*;
use crate::techniques::tasks::built_for;

/// Maximum number of plies whose nodes have kernels. One word must hold the moves to a node and their number.
pub const MOST_LEVELS: u32 = 3;

const SLOT_WORDS: usize = 8;
const NO_PARENT: u32 = u32::MAX;
/// Number of stripes of counters, and number of words per stripe (`counts_t`).
const STRIPES: usize = 16;
const COUNT_WORDS: usize = 8;
const HEAD_WORDS: usize = 8 + STRIPES * COUNT_WORDS;
const REPORT_WORDS: usize = 2;
const ROOM: usize = 4;
/// Exclusive upper limit for the index of a root move in a key.
const PLACES: i32 = 1024;

/// Maximum number of slots per launch (32 MiB), unless one root move needs more.
const MOST_SLOTS: usize = 1 << 20;

/// Inputs for building a tree of kernels.
#[derive(Clone, Copy, Debug)]
pub struct TreePlan<'a> {
    /// Board, evaluation and moves.
    pub evaluation: &'a Evaluation,
    /// Number of plies of the search, at least 1.
    pub depth: u32,
    /// Number of plies whose nodes have kernels, from 1 to [`MOST_LEVELS`] and at most `depth` - 1.
    pub levels: u32,
    /// Whether a node uses its ancestors' bounds.
    pub bounds: bool,
    /// Whether the host enqueues the nodes' kernels.
    pub by_host: bool,
    /// Number of work-items per node.
    pub group: Option<usize>,
}

/// Searches with one kernel per node.
pub struct DeviceTree {
    evaluation: Evaluation,
    depth: u32,
    bounds: bool,
    levels: u32,
    run: Runner,
    /// If the host enqueues kernels, the kernel reports a node's slot and number of children here.
    report: Option<Buffer<u32>>,
    position: Buffer<u32>,
    /// The head of the search, followed by the slots.
    search: Buffer<u32>,
    slots: usize,
    /// The stamp that the next launch writes at its end.
    stamp: u32,
    roots: Vec<Root>,
    /// The head and the root's slot, for upload. On a simulator, all slots are uploaded.
    head: Vec<u32>,
    written: usize,
    kernels: u64,
}

/// Returns the maximum number of slots for a root move and its descendants. A node reserves a slot per square for its
/// children.
fn slots_per_move(squares: usize, levels: u32) -> usize {
    match levels {
        0 => 0,
        1 => 1,
        2 => 1 + squares,
        _ => 1 + squares * squares,
    }
}

/// Returns the number of slots on a device: for all root moves, or for as many as [`MOST_SLOTS`] and the memory allow.
fn slots(info: &DeviceInfo, size: Size, levels: u32) -> Result<usize, Fault> {
    let per_move = slots_per_move(size.squares(), levels);
    let all = 1 + per_move * size.squares();
    let wanted = all.min(MOST_SLOTS.max(1 + per_move));
    let bytes = |slots: usize| 4 * (HEAD_WORDS + slots * SLOT_WORDS) as u64;
    let most = info.max_allocation_bytes.min(info.global_memory_bytes);
    if bytes(1 + per_move) > most {
        return Err(Fault::Memory(format!(
            "the nodes of one root move in {levels} plies of kernels need {}, device has {}; fewer \
             `levels` need less",
            bytes_in_words(bytes(1 + per_move)),
            bytes_in_words(most)
        )));
    }
    let fitting = (most / 4) as usize;
    Ok(wanted.min((fitting - HEAD_WORDS) / SLOT_WORDS))
}

/// Enqueues the children of the node that was launched last, depth first. That node is `ply` plies below the root.
fn go_down(run: &mut Runner, report: &Buffer<u32>, ply: u32, levels: u32) -> Result<(), Fault> {
    if ply == levels {
        return Ok(());
    }
    let mut told = [0; REPORT_WORDS];
    run.queue.read(report, &mut told)?;
    let [slot, children] = told;
    for _ in 0..children {
        run.set(&[("parent", &slot)])?;
        run.launch_groups(1)?;
        go_down(run, report, ply + 1, levels)?;
    }
    Ok(())
}

impl DeviceTree {
    /// Builds the program and uploads the tables.
    pub fn new(
        plan: TreePlan<'_>,
        device: &Device,
        folder: Option<&std::path::Path>,
    ) -> Result<DeviceTree, Fault> {
        let TreePlan {
            evaluation, depth, ..
        } = plan;
        let size = evaluation.size();
        let levels = plan.levels.min(depth.saturating_sub(1));
        let auto = match device.info().kind {
            DeviceKind::Cpu => 1,
            _ => device.preferred_multiple(),
        };
        let path = if plan.by_host {
            "gomoku/dynamic_by_host.cl"
        } else {
            "gomoku/dynamic.cl"
        };
        let needs = BuildNeeds {
            device_enqueue: !plan.by_host,
            ..BuildNeeds::default()
        };
        let (program, items) = WorkGroup::given(plan.group, auto).fit(device.info(), |items| {
            let mut constants = defines(evaluation);
            constants.extend([
                ("BOUNDS", u32::from(plan.bounds).to_string()),
                ("PREFIX", (levels + 1).to_string()),
                ("PLIES", depth.saturating_sub(1 + levels).to_string()),
                ("GROUP", items.to_string()),
            ]);
            if evaluation.moves == MoveRule::Adjacent {
                constants.push(("ADJACENT", "1".into()));
            }
            let program = device.build(path, &constants, folder, needs)?;
            let most = program.kernel("node")?.max_group();
            Ok((program, most))
        })?;
        let slots = slots(device.info(), size, levels)?;
        let written_slots = if device.quirks().host_writes() {
            slots
        } else {
            1
        };
        let mut run = Runner::new(device, &program, program.kernel("node")?, items)?;
        run.notes = format!("{levels} plies of kernels, {}", run.notes);
        run.upload("tables", &tables(&evaluation.shapes))?;
        let position = run.buffer("position", Root::most_words(size), Access::Read)?;
        let words = HEAD_WORDS + slots * SLOT_WORDS;
        let search = run.buffer("search", words, Access::ReadWrite)?;
        let room = local_memory::<i32>(ROOM);
        run.set(&[("parent", &NO_PARENT), ("room", &room)])?;
        let report = plan
            .by_host
            .then(|| run.buffer("report", REPORT_WORDS, Access::ReadWrite));
        let report = report.transpose()?;
        run.queue.finish()?;
        run.telemetry();
        Ok(DeviceTree {
            evaluation: evaluation.clone(),
            depth,
            bounds: plan.bounds,
            levels,
            run,
            report,
            position,
            search,
            slots,
            stamp: 1,
            roots: Vec::new(),
            head: Vec::with_capacity(HEAD_WORDS + SLOT_WORDS),
            written: HEAD_WORDS + SLOT_WORDS * written_slots,
            kernels: 0,
        })
    }

    /// Searches the root moves `from..to`, given the best key so far. Returns the best key.
    fn launch(
        &mut self,
        balance: i32,
        from: usize,
        to: usize,
        best: u32,
        counters: &mut Counters,
    ) -> Result<u32, Fault> {
        let stamp = self.stamp;
        self.stamp = stamp.checked_add(1).unwrap_or(1);
        self.head.clear();
        // `used`, `refused`, `from`, `to`, `stamp`.
        self.head.extend([1, 0, from as u32, to as u32, stamp]);
        self.head.resize(HEAD_WORDS, 0);
        // `best`, `missing`, `next`, `first`, `parent`, `path`, `balance`, `place`.
        let root = [
            best,
            self.run.items as u32,
            0,
            0,
            NO_PARENT,
            0,
            balance as u32,
            0,
        ];
        self.head.extend(root);
        self.head.resize(self.written, 0);
        self.run.queue.write(&self.search, &self.head)?;
        self.run.launch_groups(1)?;
        if let Some(report) = &self.report {
            go_down(&mut self.run, report, 0, self.levels)?;
            self.run.set(&[("parent", &NO_PARENT)])?;
        }
        self.run.queue.read(&self.search, &mut self.head)?;
        let (head, root) = self.head.split_at(HEAD_WORDS);
        let (head, counts) = head.split_at(HEAD_WORDS - STRIPES * COUNT_WORDS);
        let mut kernels = 0;
        for stripe in counts.chunks_exact(COUNT_WORDS) {
            let wide = |low: usize| u64::from(stripe[low + 1]) << 32 | u64::from(stripe[low]);
            counters.nodes += wide(0);
            counters.leaves += wide(2);
            kernels += u64::from(stripe[4]);
        }
        self.kernels += kernels;
        let (refused, finished) = (head[1], head[5]);
        if refused > 0 {
            return Err(Fault::Memory(format!(
                "the device's queue was full: it refused {refused} kernels after {kernels}; fewer \
                 `levels` enqueue fewer"
            )));
        }
        if finished != stamp {
            let why = format!("kernel `node` did not come back to the root after {kernels} nodes");
            return Err(Fault::Device(why));
        }
        Ok(root[0])
    }

    /// Returns the number of kernels in the last search, including kernels whose node had no work because of a bound.
    pub fn kernels(&self) -> u64 {
        self.kernels
    }

    fn share(&self) -> usize {
        let per_move = slots_per_move(self.evaluation.size().squares(), self.levels);
        (self.slots - 1).checked_div(per_move).unwrap_or(usize::MAX)
    }
}

impl Searcher<Gomoku> for DeviceTree {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let root = |position| Root::new(&self.evaluation, position);
        self.roots = positions.iter().map(root).collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        built_for(self.depth, depth)?;
        let root = &self.roots[index];
        if let Some(value) = root.decided {
            return Ok(decided(value));
        }
        let (balance, count) = (root.balance, root.moves.len());
        let empty = root.empty.len() as i32;
        self.run.set(&[("empty", &empty), ("balance", &balance)])?;
        self.run.queue.write(&self.position, &root.words)?;
        self.kernels = 0;
        let mut counters = Counters::default();
        let (share, mut from, mut best) = (self.share(), 0, 0);
        let mut launches = 0;
        while from < count {
            // The first move is searched alone, so that its value bounds the others.
            let alone = from == 0 && self.bounds && self.levels > 1;
            let to = count.min(from.saturating_add(if alone { 1 } else { share }));
            best = self.launch(balance, from, to, best, &mut counters)?;
            from = to;
            launches += 1;
        }
        // Every launch enters the root and runs its kernel, but the root counts only once.
        counters.nodes -= launches - 1;
        self.kernels -= launches - 1;
        let place = PLACES - 1 - best as i32 % PLACES;
        let mv = self.roots[index].moves.get(place as usize).copied();
        Ok(Found::new(best as i32 / PLACES - WIN, mv, counters))
    }

    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry()
    }
}

/// Runs one kernel per node (Kawakami and Wang, section 5.4).
pub const DYNAMIC: Technique = Technique {
    entry: TechniqueEntry {
        name: "dynamic",
        summary: "one kernel per node, which enqueues the kernels for its children",
        paper: "Kawakami and Wang, section 5.4",
        needs: "device-side enqueue (OpenCL C 2.0, optional in 3.0)",
        counts: Counts::Vary,
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

/// Runs the kernels of `dynamic`, but the host enqueues them, depth first. It suits devices without device-side
/// enqueue. Every inner node costs a round trip to the host, but each kernel sees all earlier results.
pub const BY_HOST: Technique = Technique {
    entry: TechniqueEntry {
        name: "dynamic-by-host",
        summary: "one kernel per node as in dynamic, but the host enqueues the kernels",
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
        "a whole number from 1 to 3, less than the depth: plies below the root whose nodes have one kernel each";
}

choices! {
    BOUNDS, read_bounds -> bool: "bounds", {"ancestors" => true, "none" => false}, "ancestors",
        "`ancestors` (a node uses the bounds that its ancestors have when it begins) or `none` (plain minimax)";
}

/// Prepares a tree of kernels, which the device or the host enqueues.
fn prepare_tree(setup: &Setup<'_>, by_host: bool) -> Prepared {
    tasks::prepare_search::<Gomoku>(setup, |asked| {
        let plan = TreePlan {
            evaluation: &asked.evaluation,
            depth: asked.amount.depth,
            levels: LEVELS.given(setup.params, MOST_LEVELS as usize, read_levels)? as u32,
            bounds: BOUNDS.given(setup.params, true, read_bounds)?,
            by_host,
            group: GROUP.given(setup.params, None, read_group)?,
        };
        let device = setup.on_device()?;
        Ok(Box::new(DeviceTree::new(plan, device, setup.kernels)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::example;

    fn device(largest_buffer: u64) -> DeviceInfo {
        DeviceInfo {
            max_allocation_bytes: largest_buffer,
            global_memory_bytes: 1 << 40,
            ..example(0, 0, "device")
        }
    }

    #[test]
    fn a_launch_has_slots_for_all_it_may_need() {
        let size = |side| Size::new(side).unwrap();
        let large = device(1 << 32);
        // One slot for the root, and one for each of its moves.
        assert_eq!(slots(&large, size(15), 1), Ok(1 + 225));
        assert_eq!(slots(&large, size(15), 2), Ok(1 + 225 * 226));
        // The slots suffice for one move, but not for all.
        assert_eq!(slots(&large, size(15), 3), Ok(MOST_SLOTS));
        assert_eq!(slots(&large, size(32), 3), Ok(2 + 1024 * 1024));
        // The device has memory for the slots of only this many moves.
        let head = 4 * HEAD_WORDS as u64;
        let small = device(head + 32 * (2 + 225 * 225));
        assert_eq!(slots(&small, size(15), 3), Ok(2 + 225 * 225));
    }

    #[test]
    fn a_device_without_room_for_a_root_move_says_what_it_has() {
        let fault = slots(&device(1 << 20), Size::new(15).unwrap(), 3);
        let Err(Fault::Memory(why)) = fault else {
            panic!("{fault:?}")
        };
        assert_eq!(
            why,
            "the nodes of one root move in 3 plies of kernels need 1.5 MiB, device has 1.0 MiB; \
             fewer `levels` need less"
        );
    }
}
