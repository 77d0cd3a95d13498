//! A tree of kernels on an OpenCL device (`cl/gomoku/nodes.clh`): they enqueue each other where the device can, or the
//! host enqueues them.
//!
//! A launch searches some of the root's moves. Its kernel is the root: it enqueues a kernel for each
//! of them, those enqueue theirs, and the last of a node's children to end goes on as the node. The
//! host waits for the root, which is all that comes back.
//!
//! Where the host enqueues them, it reads after each node that has children how many they are, and goes down to them
//! in their order, each with all that is below it before the next. All else is the device's, as above: which child a
//! kernel is, its bounds, and who goes on as the node.
//!
//! # Why bounds that come and go leave the answer alone
//!
//! A node's window is what its ancestors have found by then: between the best of its own side's and
//! that of the other's. Call two values equal in a window if they are once cut to it, and let any
//! two be equal in an empty one. What a node has when it ends is equal, in its window of that
//! moment, to its true value: by induction it has the largest of its children's, each equal to the
//! true one in a window whose lower end was the node's own or what the node had by then; and what
//! ancestors and node have only grows, so that values equal in a window are equal in every later
//! one. A child that is not searched had an empty window. It does not matter either that ancestors
//! are read one after another and without order: what is read is at most what they have. The root
//! has no bound, hence its true value.
//!
//! For the first of equal moves, the root compares keys: values, and the places of moves below them.
//! A move before the best so far is bounded one lower than a move behind it, for it would win with
//! the same value.
//!
//! So values and moves are the same on every run, and which nodes were searched for them is not.
//!
//! # Memory
//!
//! A node above the leaves has a slot of 32 bytes, and sets one aside for each square. How many a
//! root move's nodes take at the most is known before, whatever the device does first: 32 MiB at
//! 32x32 with three plies of kernels. A launch gets as many root moves as fit. What waits in the
//! device's queue is bounded by the same number; on Intel, which begins with what came last, it is
//! some hundreds: 273 in a tree of 60 children in each of three plies, on two cores.

use super::device_board::tables;
use super::device_items::{Group, ItemProgram, Plan, Root};
use super::naive::decided;
use super::tasks::{Gomoku, Searcher};
use crate::games::gomoku::{Evaluation, Position, Size, Square, WIN};
use crate::opencl::{
    Access, Buffer, BuildNeeds, Device, DeviceInfo, DeviceKind, Runner, bytes_in_words,
};
use crate::search::Found;
use crate::techniques::tasks::built_for;
use crate::words::{Counters, Fault, Telemetry};

/// The largest number of plies whose nodes have kernels of their own: their moves and the number of moves fit
/// a slot's word.
pub const MOST_LEVELS: u32 = 3;

/// Words of a node's slot (`slot_t`).
const SLOT_WORDS: usize = 8;
/// What a slot has in place of a parent, at the root.
const NO_PARENT: u32 = u32::MAX;
/// Where the kernels add up what they count, and words of one such place (`counts_t`).
const STRIPES: usize = 16;
const COUNT_WORDS: usize = 8;
/// Words of a search before the first slot (`search_t`).
const HEAD_WORDS: usize = 8 + STRIPES * COUNT_WORDS;
/// Words that a node's kernel tells the host.
const REPORT_WORDS: usize = 2;
/// Numbers of local memory that a group has.
const ROOM: usize = 4;
/// One more than the largest place of a root move in a key.
const PLACES: i32 = 1024;

/// Slots of one launch, where one root move does not need more: 32 MiB, of which a device that
/// begins with what was enqueued last fills few. More root moves in a launch would not help a
/// device: it is full.
const MOST_SLOTS: usize = 1 << 20;

/// What a tree of kernels is built for.
#[derive(Clone, Copy, Debug)]
pub struct TreePlan<'a> {
    /// Board, evaluation and moves.
    pub evaluation: &'a Evaluation,
    /// Plies that are searched, at least 1.
    pub depth: u32,
    /// Plies whose nodes have kernels of their own, 1 to [`MOST_LEVELS`]: at most `depth` - 1 have.
    pub levels: u32,
    /// Whether nodes are bounded by their ancestors.
    pub bounds: bool,
    /// Whether the host enqueues the nodes' kernels.
    pub by_host: bool,
    /// Work-items of a node.
    pub group: Group,
}

/// Searches with a kernel a node.
pub struct DeviceTree {
    evaluation: Evaluation,
    depth: u32,
    bounds: bool,
    levels: u32,
    run: Runner,
    /// What a node's kernel says of its children, where the host enqueues their kernels: its slot, and their
    /// number.
    report: Option<Buffer<u32>>,
    position: Buffer<u32>,
    /// The head of the search and its slots.
    search: Buffer<u32>,
    slots: usize,
    /// What the next launch writes at its end.
    stamp: u32,
    roots: Vec<Root>,
    /// The head and the root's slot, on their way; in a simulator all slots too.
    head: Vec<u32>,
    /// Words of them.
    written: usize,
    kernels: u64,
}

/// Slots that a root move's nodes take at most: its own, and where they have kernels too its
/// replies', and their replies'. Every node sets a slot aside for each square.
fn slots_per_move(squares: usize, levels: u32) -> usize {
    match levels {
        0 => 0,
        1 => 1,
        2 => 1 + squares,
        _ => 1 + squares * squares,
    }
}

/// How many slots a device is asked for: those of every root move at once, or of as many as fit
/// [`MOST_SLOTS`], but of one move at least.
///
/// # Errors
/// [`Fault::Memory`] where they do not fit a buffer.
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

/// Enqueues the kernels of the children of the node that was launched last, `ply` plies below the root, and what is below
/// each before the next.
fn go_down(run: &mut Runner, report: &Buffer<u32>, ply: u32, levels: u32) -> Result<(), Fault> {
    if ply == levels {
        return Ok(());
    }
    let mut told = [0; REPORT_WORDS];
    run.queue.read(report, &mut told)?;
    let [slot, children] = told;
    for _ in 0..children {
        run.kernel.set_scalar(5, slot)?;
        run.launch_groups(1)?;
        go_down(run, report, ply + 1, levels)?;
    }
    Ok(())
}

impl DeviceTree {
    /// Builds the program, makes the buffers and writes the tables.
    ///
    /// # Errors
    /// [`Fault::Unsupported`], before anything else is tried, where the device's kernels cannot
    /// enqueue kernels, or where device or kernel takes no group of the size asked for;
    /// [`Fault::Memory`] where it cannot hold the nodes of one root move; and what building fails
    /// with.
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
        let items = Plan {
            path: if plan.by_host {
                "gomoku/dynamic_by_host.cl"
            } else {
                "gomoku/dynamic.cl"
            },
            kernels: &["node"],
            evaluation,
            prefix: levels + 1,
            plies: depth.saturating_sub(1 + levels),
            constants: vec![("BOUNDS", u32::from(plan.bounds).to_string())],
            needs: BuildNeeds {
                device_enqueue: !plan.by_host,
                ..BuildNeeds::default()
            },
        };
        let auto = match device.info().kind {
            DeviceKind::Cpu => 1,
            _ => device.preferred_multiple(),
        };
        let ItemProgram { program, items } = items.build(device, folder, plan.group.or(auto))?;
        let slots = slots(device.info(), size, levels)?;
        let tables = tables(evaluation.shapes());
        let table_buffer = device.buffer::<i32>(tables.len(), Access::Read)?;
        let position = device.buffer::<u32>(Root::most_words(size), Access::Read)?;
        let search = device.buffer::<u32>(HEAD_WORDS + slots * SLOT_WORDS, Access::ReadWrite)?;
        let written_slots = if device.quirks().host_writes() {
            slots
        } else {
            1
        };
        let mut run = Runner::new(device, &program, program.kernel("node")?, items)?;
        run.notes = format!("{levels} plies of kernels, {}", run.notes);
        run.queue.write(&table_buffer, &tables)?;
        run.kernel.set_buffer(0, &table_buffer)?;
        run.kernel.set_buffer(1, &position)?;
        run.kernel.set_buffer(4, &search)?;
        run.kernel.set_scalar(5, NO_PARENT)?;
        let report = if plan.by_host {
            let report = device.buffer::<u32>(REPORT_WORDS, Access::ReadWrite)?;
            run.kernel.set_buffer(6, &report)?;
            Some(report)
        } else {
            None
        };
        let room = if plan.by_host { 7 } else { 6 };
        run.kernel.set_local::<i32>(room, ROOM)?;
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

    /// Searches the root's moves from place `from` to before `to`, given the best key so far;
    /// returns the best key then.
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
            self.run.kernel.set_scalar(5, NO_PARENT)?;
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
            return Err(Fault::Device(format!(
                "kernel `node` did not come back to the root after {kernels} nodes"
            )));
        }
        Ok(root[0])
    }

    /// Kernels that ran in the last search, the root's among them: one a node above the leaves, and
    /// one for each that a bound left nothing to do.
    pub fn kernels(&self) -> u64 {
        self.kernels
    }

    /// Root moves of a launch: as many as have slots.
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
        self.run.kernel.set_scalar(2, root.empty.len() as i32)?;
        self.run.kernel.set_scalar(3, balance)?;
        self.run.queue.write(&self.position, &root.words)?;
        self.kernels = 0;
        let mut counters = Counters::default();
        let (share, mut from, mut best) = (self.share(), 0, 0);
        let mut launches = 0;
        while from < count {
            // The first move alone, so that all others have its value.
            let alone = from == 0 && self.bounds && self.levels > 1;
            let to = count.min(from.saturating_add(if alone { 1 } else { share }));
            best = self.launch(balance, from, to, best, &mut counters)?;
            from = to;
            launches += 1;
        }
        // Every launch counts the root, and runs a kernel for it.
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
        // The root's, and one for each of its moves.
        assert_eq!(slots(&large, size(15), 1), Ok(1 + 225));
        assert_eq!(slots(&large, size(15), 2), Ok(1 + 225 * 226));
        // Not all moves at once, but one at least.
        assert_eq!(slots(&large, size(15), 3), Ok(MOST_SLOTS));
        assert_eq!(slots(&large, size(32), 3), Ok(2 + 1024 * 1024));
        // As many as the device holds.
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
