//! The device's part of bit-sliced playouts, for both ways of sharing them among work-items.

use std::ops::Range;

use super::play::Annexation;
use crate::games::annexation::Board;
use crate::opencl::{Access, Buffer, BuildNeeds, Device, Kernel, Outcomes, Queue, prm};
use crate::random::block_key;
use crate::search::annexation::{BANDS_A_LOOK, HEAD, MOVES_A_LOOK, Rows, rows_of};
use crate::techniques::Setup;
use crate::words::{Fault, Telemetry};

/// What a launch plays.
pub enum Job<'a> {
    /// The playouts of a range, from one position.
    Playouts {
        /// Turns until the game ends.
        turns: u32,
        /// Number of the range's first draw of 32 playouts.
        block: u64,
        range: &'a Range<u64>,
    },
    /// The seats of a batch of leaves.
    Leaves {
        /// Turns of the tree's game.
        turns: u32,
        leaves: &'a Buffer<u32>,
        /// 32-bit words of a player's cells.
        words: i32,
        seats: &'a Buffer<u32>,
    },
}

/// Which kernel of a shape plays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// Playouts of one position.
    Playouts,
    /// Playouts of a tree's leaves.
    Leaves,
}

/// How the work-items share playouts: the boards in the kernels' form, and the order of the arguments.
pub trait Shape: Send {
    /// Converts boards, which replace the earlier ones.
    fn load(&mut self, boards: &mut dyn Iterator<Item = &Board>);

    /// Uploads a loaded board. Fails with [`Fault::Device`].
    fn upload(&self, queue: &mut Queue, index: usize) -> Result<(), Fault>;

    /// Sets all arguments for a launch with a loaded board. Fails if the driver refuses.
    fn set(
        &self,
        kernel: &mut Kernel,
        index: usize,
        key_stamp_and_groups: (prm::Uint2, u32, usize),
        job: &Job<'_>,
        outcomes: &mut Outcomes,
    ) -> Result<(), Fault>;
}

/// A shape as it is built.
pub struct Built {
    pub shape: Box<dyn Shape>,
    pub path: &'static str,
    pub kernel: &'static str,
    /// For each kernel the words of 32 playouts per group, largest first, and its constants.
    pub defines: Vec<(usize, Vec<(&'static str, String)>)>,
    pub barriers_in_loops: bool,
    pub items: usize,
    /// Limit of the groups of a launch.
    pub most_groups: usize,
    /// The notes before the options of the first program.
    pub notes: String,
}

/// The kernels of a shape, one for each number of words per group, largest first.
pub struct Kernels {
    built: Built,
    kernels: Vec<(usize, Kernel)>,
    pub queue: Queue,
    units: usize,
    key: prm::Uint2,
    build_ns: u64,
}

impl Kernels {
    /// Builds the programs. [`Fault::Unsupported`] if the device refuses the group size, or a build error.
    pub fn new(setup: &Setup<'_>, mut built: Built) -> Result<Kernels, Fault> {
        let device = setup.on_device()?;
        let (mut kernels, mut build_ns) = (Vec::new(), 0);
        for (words, defines) in &built.defines {
            let needs = BuildNeeds {
                barriers_in_loops: built.barriers_in_loops,
                ..BuildNeeds::default()
            };
            let program = device.build(built.path, defines, setup.kernels, needs)?;
            let kernel = program.kernel(built.kernel)?;
            kernel.check_group(built.items)?;
            if kernels.is_empty() {
                built.notes.push_str(program.options());
            }
            build_ns += program.build_ns();
            kernels.push((*words, kernel));
        }
        let [low, high] = block_key(setup.seed);
        Ok(Kernels {
            built,
            kernels,
            queue: device.queue()?,
            units: device.info().compute_units.max(1) as usize,
            key: prm::Uint2::new(low, high),
            build_ns,
        })
    }

    /// Words per group of each kernel, largest first.
    pub fn words(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.kernels.iter().map(|(words, _)| *words)
    }

    /// Limit of the groups of a launch.
    pub fn most_groups(&self) -> usize {
        self.built.most_groups
    }

    /// Index of the kernel for `count` words of 32 playouts: the largest groups that still occupy every compute unit.
    pub fn place_for(&self, count: u64) -> usize {
        let fills = |words: usize| count.div_ceil(words as u64) >= self.units as u64;
        let found = self.words().position(fills);
        found.unwrap_or(self.kernels.len() - 1)
    }

    /// Converts boards, which replace the earlier ones.
    pub fn load<'b>(&mut self, mut boards: impl Iterator<Item = &'b Board>) {
        self.built.shape.load(&mut boards);
    }

    /// Uploads a loaded board. Fails with [`Fault::Device`].
    pub fn upload(&mut self, index: usize) -> Result<(), Fault> {
        self.built.shape.upload(&mut self.queue, index)
    }

    /// Launches the kernel at `place` for `count` words of 32 playouts, with the loaded board at `index`.
    pub fn launch(
        &mut self,
        (place, index): (usize, usize),
        count: usize,
        job: &Job<'_>,
        outcomes: &mut Outcomes,
    ) -> Result<(), Fault> {
        let (words, kernel) = &mut self.kernels[place];
        let groups = count.div_ceil(*words);
        let launched = groups.min(self.built.most_groups);
        let stamp = outcomes.mark(match job {
            Job::Playouts { .. } => launched,
            Job::Leaves { .. } => count,
        });
        let common = (self.key, stamp, groups);
        let Built { shape, items, .. } = &self.built;
        shape.set(kernel, index, common, job, outcomes)?;
        self.queue
            .launch(kernel, [launched * items], Some([*items]))
    }

    /// Telemetry since the last call.
    pub fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            parts: self.queue.take_parts(),
            build_ns: self.build_ns,
            notes: self.built.notes.clone(),
            resources: self.kernels[0].1.resources(self.built.items),
            ..Telemetry::default()
        }
    }
}

/// Vectors of 512 playouts per work-item (`PARTS`). They share the reading of a row.
const PARTS: usize = 2;

/// 32-bit words of a cell's lanes.
const LANE_WORDS: usize = 16 * PARTS;

/// Numbers that describe a row group (`GROUP_WORDS`).
const GROUP_WORDS: usize = 5;

/// Several work-items per compute unit, so that the last one delays the others less.
const ITEMS_A_UNIT: usize = 4;

/// A board in the kernels' form.
struct Tables {
    rows: Vec<u16>,
    bands: Vec<u16>,
    groups: Vec<i32>,
    group_counts: prm::Int2,
    cells: i32,
    waiting: i32,
    starts: prm::Int2,
    /// Cells per start beyond its own cell.
    more: prm::Uint2,
}

impl Tables {
    fn new(board: &Board) -> Tables {
        let sides = board.starts().map(|start| rows_of(board, start));
        let (mut rows, mut bands, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for group in sides.iter().flatten() {
            groups.extend([
                i32::from(group.waits),
                group.length as i32,
                rows.len() as i32,
                group.bands.len() as i32,
                bands.len() as i32,
            ]);
            rows.extend_from_slice(&group.rows);
            bands.extend(group.bands.iter().map(|band| *band as u16));
        }
        let waiting = |side: &Vec<Rows>| -> usize {
            let waits = side.iter().filter(|group| group.waits);
            waits.map(|group| group.bands.len()).sum()
        };
        let waiting = sides.iter().map(waiting).max().unwrap_or(0) as i32;
        let pair = |[a, b]: [usize; 2]| prm::Int2::new(a as i32, b as i32);
        let [first, second] = board.start_cells.map(|cells| cells - 1);
        Tables {
            rows,
            bands,
            groups,
            group_counts: pair(sides.map(|side| side.len())),
            cells: board.cells() as i32,
            waiting,
            starts: pair(board.starts()),
            more: prm::Uint2::new(first, second),
        }
    }
}

/// Table limits for any rest of a board: numbers in rows, rows of both players, row groups of both.
fn room(board: &Board) -> [usize; 3] {
    let cells = board.cells();
    // Rows are padded to 6, 8 or a multiple of 4 neighbours. Each length has one group.
    let filled = |cell: usize| HEAD + (board.neighbours(cell).len() + 3).max(8);
    let numbers: usize = (0..cells).map(filled).sum();
    let lengths = 2 + board.most_neighbours().div_ceil(4);
    [2 * numbers, 2 * cells, 2 * 2 * lengths]
}

/// A board's tables and the work-items' state on a device.
struct Items {
    rows: Buffer<u16>,
    bands: Buffer<u16>,
    groups: Buffer<i32>,
    /// Lanes per cell and player, and the gains of waiting cells.
    state: Buffer<u32>,
    open: Buffer<u16>,
    open_counts: Buffer<i32>,
    loaded: Vec<Tables>,
}

/// Work-items for a case's boards.
pub fn items(device: &Device, play: &Annexation, function: Function) -> Result<Built, Fault> {
    device.quirks().wide_vectors()?;
    let rooms = play.boards.iter().map(|board| room(board));
    let [numbers, rows, groups] = rooms.fold([1; 3], |most: [usize; 3], room| {
        std::array::from_fn(|place| most[place].max(room[place]))
    });
    let items = device.info().compute_units.max(1) as usize * ITEMS_A_UNIT;
    let lanes = items * 3 * play.most_cells();
    let (path, kernel, share) = match function {
        Function::Playouts => ("annexation/sliced_items.cl", "sliced", "1024"),
        Function::Leaves => ("annexation/leaf_items.cl", "leaf_items", "32 x 32"),
    };
    let defines = vec![
        ("PARTS", PARTS.to_string()),
        ("MOVES_A_LOOK", MOVES_A_LOOK.to_string()),
        ("BANDS_A_LOOK", BANDS_A_LOOK.to_string()),
    ];
    Ok(Built {
        shape: Box::new(Items {
            rows: device.buffer(numbers, Access::Read)?,
            bands: device.buffer(rows, Access::Read)?,
            groups: device.buffer(groups * GROUP_WORDS, Access::Read)?,
            state: device.buffer(lanes * LANE_WORDS, Access::ReadWrite)?,
            open: device.buffer(items * rows, Access::ReadWrite)?,
            open_counts: device.buffer(items * groups, Access::ReadWrite)?,
            loaded: Vec::new(),
        }),
        path,
        kernel,
        defines: vec![(LANE_WORDS, defines)],
        barriers_in_loops: false,
        items: 1,
        most_groups: items,
        notes: format!("{items} work-items of {share} playouts, built with "),
    })
}

impl Shape for Items {
    fn load(&mut self, boards: &mut dyn Iterator<Item = &Board>) {
        self.loaded = boards.map(Tables::new).collect();
    }

    fn upload(&self, queue: &mut Queue, index: usize) -> Result<(), Fault> {
        let tables = &self.loaded[index];
        queue.write(&self.rows, &tables.rows)?;
        queue.write(&self.bands, &tables.bands)?;
        queue.write(&self.groups, &tables.groups)
    }

    fn set(
        &self,
        kernel: &mut Kernel,
        index: usize,
        (key, stamp, groups): (prm::Uint2, u32, usize),
        job: &Job<'_>,
        outcomes: &mut Outcomes,
    ) -> Result<(), Fault> {
        let it = &self.loaded[index];
        let (bands, groups) = (it.bands.len() as i32, groups as i32);
        kernel.set_from(0, &[&self.rows, &self.bands, &self.groups])?;
        kernel.set_from(3, &[&it.group_counts, &bands, &it.cells, &it.waiting])?;
        let next = match job {
            Job::Playouts {
                turns,
                block,
                range,
            } => {
                let (from, to) = (range.start, range.end);
                kernel.set_from(7, &[&it.starts, &it.more, turns, &key, block, &from, &to])?;
                14
            }
            Job::Leaves {
                leaves,
                words,
                seats,
                ..
            } => {
                kernel.set_from(7, &[&it.more, &key, *leaves, words, *seats, &groups])?;
                13
            }
        };
        kernel.set_from(next, &[&stamp, &self.state, &self.open, &self.open_counts])?;
        outcomes.bind(kernel, next + 4)
    }
}
