//! Random games from the leaves of a tree on a device (`cl/checkers/leaf_playouts.cl`).

use crate::games::checkers::{
    Capture, Colour, JUMP_INSIDE, KING_ROWS, Position, ROTATIONS, Rules, STEP_INSIDE,
};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, DeviceKind, Kernel, Queue};
use crate::random::{DRAW_ROUNDS, draw_key};
use crate::search::LeafPlayouts;
use crate::techniques::Setup;
use crate::techniques::tasks::mcts::{LeafPlayer, Settings};
use crate::words::{Fault, Parts, Resource};

/// `SUM_PLIES`, `SUM_GAMES` and `SUM_POINTS` in the kernel.
const SUM_PLIES: usize = 0;
const SUM_GAMES: usize = 2;
const SUM_POINTS: usize = 4;

/// `LEAF_DOWN` in the kernel.
const LEAF_DOWN: u32 = 1 << 31;

/// Words of a leaf.
const LEAF_WORDS: usize = 4;

/// Games that a work-item plays in step on a processor (`LANES`); on a GPU one.
const LANES_OF_PROCESSORS: usize = 16;

/// Work-items of a group on a GPU.
const GROUP: usize = 64;

/// Groups for each of a processor's cores: one that is late then keeps the others waiting for a fraction
/// of a share.
const GROUPS_A_CORE: usize = 4;

/// Work-items for each of a GPU's units, of which each takes more than one game only where there are
/// more.
const ITEMS_A_UNIT: usize = 1024;

/// The fewest games of a lane on a processor: fewer leave lanes empty most of the time.
const LEAST_OF_A_LANE: usize = 4;

/// Plays batches on a device.
pub struct DeviceLeaves {
    kernel: Kernel,
    queue: Queue,
    leaves: Buffer<u32>,
    sums: Buffer<u32>,
    playouts: u32,
    group: usize,
    /// Groups that a batch of all leaves is shared out to at the most.
    groups: usize,
    /// The fewest games of a group.
    least: usize,
    packed: Vec<u32>,
    read: Vec<u32>,
    /// Leaves of the batch that is played.
    playing: usize,
    build_ns: u64,
    notes: String,
}

impl DeviceLeaves {
    /// Builds the program and launches it once: some drivers compile for a work-group size when they
    /// first see it.
    ///
    /// # Errors
    /// [`Fault::Unsupported`] without a device or where it does not take the group, [`Fault::Memory`]
    /// and what building fails with.
    pub fn new(
        setup: &Setup<'_>,
        rules: &Rules,
        settings: Settings,
    ) -> Result<DeviceLeaves, Fault> {
        let device = setup
            .device
            .ok_or_else(|| Fault::Unsupported("no OpenCL device".into()))?;
        let layout = Layout::of(device);
        let program = device.build(
            "checkers/leaf_playouts.cl",
            &defines(rules, &layout),
            setup.kernels,
            // Barriers before and after the loop, none in it.
            BuildNeeds::default(),
        )?;
        let mut kernel = program.kernel("leaf_playouts")?;
        if layout.group > kernel.max_group() {
            return Err(Fault::Unsupported(format!(
                "{} work-items in a group; the compiled kernel takes at most {}",
                layout.group,
                kernel.max_group()
            )));
        }
        let most = settings.leaves as usize;
        let leaves = device.buffer::<u32>(most * LEAF_WORDS, Access::Read)?;
        let sums = device.buffer::<u32>(SUM_POINTS + most, Access::ReadWrite)?;
        kernel.set_buffer(0, &leaves)?;
        kernel.set_scalar(1, settings.playouts)?;
        kernel.set_scalar(2, draw_key(setup.seed))?;
        kernel.set_buffer(8, &sums)?;
        let mut player = DeviceLeaves {
            queue: device.queue()?,
            leaves,
            sums,
            playouts: settings.playouts,
            group: layout.group,
            groups: layout.groups,
            least: layout.least(),
            packed: Vec::with_capacity(most * LEAF_WORDS),
            read: vec![0; SUM_POINTS + most],
            playing: 0,
            build_ns: program.build_ns(),
            notes: format!(
                "group {}, {} games a work-item in step, at most {} groups, private {} bytes, built with {}",
                layout.group,
                layout.lanes,
                layout.groups,
                kernel.private_bytes(),
                program.options()
            ),
            kernel,
        };
        player.begin(0, &[Position::start()])?;
        player.finish(&mut Vec::new())?;
        player.queue.take_parts();
        Ok(player)
    }

    /// Launches the games from `first` to `end` of the batch, whose first game has this number.
    fn launch(&mut self, number: u64, first: u32, end: u32) -> Result<(), Fault> {
        let count = (end - first) as usize;
        let share = count.div_ceil(self.groups).max(self.least);
        self.kernel.set_scalar(3, number as u32)?;
        let high = ((number + u64::from(first)) >> 32) as u32;
        self.kernel.set_scalar(4, high << 16)?;
        self.kernel.set_scalar(5, first)?;
        self.kernel.set_scalar(6, end)?;
        self.kernel.set_scalar(7, share as u32)?;
        let items = count.div_ceil(share) * self.group;
        self.queue.launch(&self.kernel, [items], Some([self.group]))
    }
}

/// How games are shared out on a device.
struct Layout {
    group: usize,
    /// Games that a work-item plays in step.
    lanes: usize,
    groups: usize,
}

impl Layout {
    fn of(device: &Device) -> Layout {
        let info = device.info();
        let units = (info.compute_units as usize).max(1);
        match info.kind {
            DeviceKind::Cpu => Layout {
                group: 1,
                lanes: LANES_OF_PROCESSORS,
                groups: units * GROUPS_A_CORE,
            },
            _ => Layout {
                group: GROUP.min(info.max_work_group.max(1)),
                lanes: 1,
                groups: (units * ITEMS_A_UNIT).div_ceil(GROUP),
            },
        }
    }

    /// The fewest games of a group.
    fn least(&self) -> usize {
        match self.lanes {
            1 => self.group,
            lanes => self.group * lanes * LEAST_OF_A_LANE,
        }
    }
}

fn defines(rules: &Rules, layout: &Layout) -> Vec<(&'static str, String)> {
    let words = |names: [&'static str; 4], values: [u32; 4]| {
        let pairs = names.into_iter().zip(values);
        pairs.map(|(name, value)| (name, format!("{value}u")))
    };
    let longest = rules.capture() == Capture::Longest;
    let mut defines = vec![
        ("LANES", layout.lanes.to_string()),
        ("GROUP", layout.group.to_string()),
        ("LONGEST", u8::from(longest).to_string()),
        ("DRAW_AFTER", rules.draw_after().to_string()),
        ("DRAW_ROUNDS", DRAW_ROUNDS.to_string()),
        ("KING_ROWS", format!("{KING_ROWS}u")),
        ("LEAF_DOWN", format!("{LEAF_DOWN}u")),
        ("SUM_PLIES", SUM_PLIES.to_string()),
        ("SUM_GAMES", SUM_GAMES.to_string()),
        ("SUM_POINTS", SUM_POINTS.to_string()),
    ];
    let rotations = ["ROTATION_0", "ROTATION_1", "ROTATION_2", "ROTATION_3"];
    let plain = |(name, value): (&'static str, u32)| (name, value.to_string());
    defines.extend(rotations.into_iter().zip(ROTATIONS).map(plain));
    defines.extend(words(
        [
            "STEP_INSIDE_0",
            "STEP_INSIDE_1",
            "STEP_INSIDE_2",
            "STEP_INSIDE_3",
        ],
        STEP_INSIDE,
    ));
    defines.extend(words(
        [
            "JUMP_INSIDE_0",
            "JUMP_INSIDE_1",
            "JUMP_INSIDE_2",
            "JUMP_INSIDE_3",
        ],
        JUMP_INSIDE,
    ));
    defines
}

/// A leaf as the kernel reads it.
#[inline(always)]
fn pack(position: &Position) -> [u32; LEAF_WORDS] {
    let (own, other, down) = match position.mover() {
        Colour::Black => (position.black(), position.white(), LEAF_DOWN),
        Colour::White => (position.white(), position.black(), 0),
    };
    [own, other, position.kings(), position.quiet() | down]
}

impl LeafPlayouts<Position> for DeviceLeaves {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Position]) -> Result<(), Fault> {
        self.packed.clear();
        self.packed.extend(leaves.iter().flat_map(pack));
        self.queue.write(&self.leaves, &self.packed)?;
        self.queue.fill(&self.sums, 0)?;
        let number = first * u64::from(self.playouts);
        let count = leaves.len() as u32 * self.playouts;
        // The games of a launch share the high words of their numbers.
        let same_high = (1 << 32) - (number & u64::from(u32::MAX));
        let middle = u64::from(count).min(same_high) as u32;
        self.launch(number, 0, middle)?;
        if middle < count {
            self.launch(number, middle, count)?;
        }
        self.playing = leaves.len();
        self.queue.flush()
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        let read = &mut self.read[..SUM_POINTS + self.playing];
        self.queue.read(&self.sums, read)?;
        if read[SUM_GAMES] != self.playing as u32 * self.playouts {
            return Err(Fault::Device(
                "kernel `leaf_playouts` did not finish".into(),
            ));
        }
        points.clear();
        points.extend_from_slice(&read[SUM_POINTS..]);
        Ok(u64::from(read[SUM_PLIES]) | u64::from(read[SUM_PLIES + 1]) << 32)
    }
}

impl LeafPlayer<Position> for DeviceLeaves {
    fn parts(&mut self) -> Parts {
        self.queue.take_parts()
    }

    fn build_ns(&self) -> u64 {
        self.build_ns
    }

    fn notes(&self) -> String {
        self.notes.clone()
    }

    fn resources(&self) -> Vec<Resource> {
        self.kernel.resources(self.group)
    }
}
