//! Bit-sliced playouts on a GPU (`cl/annexation/sliced_groups.cl`).

use std::ops::Range;
use std::path::Path;

use super::device::{PLAYOUTS_A_LAUNCH, TALLY_WORDS, add_up, launches, tally};
use super::tasks::{Annexation, RandomPlayer, Root, Wanted};
use super::{Asked, Standing};
use crate::games::annexation::{COLOURS, PLAYOUTS_A_DRAW};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, Kernel, Queue, bytes_in_words, prm};
use crate::random::block_key;
use crate::search::annexation::moves_to;
use crate::words::{Fault, Parts, Resource, Tally};

/// Neighbours of a row that the kernel keeps in registers (`NEAR`): all, on a grid of hexagons.
const NEAR: usize = 6;

/// Most work-items of a group.
const MOST_ITEMS: usize = 1024;

/// Work-items of a group where nobody says.
const GOOD_ITEMS: usize = 128;

/// Most rows of a work-item where nobody says.
const USUAL_HELD: usize = 8;

/// Most rows of a work-item: each more lengthens the kernel.
const MOST_HELD: usize = 16;

/// Moves that no cell takes: "cannot be reached" in the kernel's table, and more than any chunk's end.
const NEVER: u32 = 4095;

/// A kernel whose work-groups play a few playouts at a time, a work-item some cells of them.
pub struct GroupPlan {
    /// The kernel file.
    pub path: &'static str,
    /// The kernel in it.
    pub kernel: &'static str,
    /// Bytes of local memory of a group, with room for so many rows, for so many words and turns of a
    /// chunk.
    pub local_bytes: fn(usize, usize, usize) -> usize,
    /// Whether it asks from which chunk on it is to look which playouts are decided.
    pub looks: bool,
}

/// What an experiment can set.
#[derive(Clone, Copy, Debug)]
pub struct GroupShape {
    /// Words of 32 playouts of a group; `None`: the most that there is room for.
    pub words: Option<usize>,
    /// Rows of a work-item at the least; `None`: as leaves [`GOOD_ITEMS`] to a group.
    pub held: Option<usize>,
    /// Turns between looks at the rows.
    pub chunk: usize,
    /// Chunks between looks at the playouts.
    pub look: usize,
    /// Most work-groups for each compute unit.
    pub groups_a_unit: usize,
}

/// A work-group plays 32 x words playouts at a time, a work-item a cell of them.
///
/// What bounds it is local memory: a turn of a cell reads its six neighbours' words, 96 bytes for 128
/// playouts, and the named colour's, 16 bytes; and it writes its own where it has gained something. At 128
/// bytes a clock a turn of 32 rows takes 24 clocks, 27 to 31 with what banks wait for each other, and about 6
/// more. On 196 cells an eighth of a warp (the rows of an access) reads in 62 % of its turns before the last
/// playout is decided, on 992 cells in 45 %: of 128 playouts' 32,000 and 190,000 clocks an H200 (132
/// units, 1.7 GHz) cannot play more than 0.9 and 0.15 billion a second. The shares were counted by a program that
/// plays so and counts. Fewer words have fewer rows in the way (of 32 playouts' accesses 52 % and 40 %), but read each
/// neighbour's number and the barrier more often.
///
/// An H200 plays 755 million a second on 196 cells and, with a row a work-item, 96 million on 992: 0.84 and 0.64 of
/// that bound. Eight rows a work-item, groups of 128 instead of 992, give 114 million there (two 105, four 96), and on 196
/// cells one, two and four rows are alike, eight 697. Words: one 66, two 86, four 96 million on 992 cells. Chunks of 2
/// turns 335 million on 196 cells, 8 655, 32 748. Looks at the decided after 1, 2 and 4 chunks or never: 701, 755,
/// 768, 752. Groups a unit: 1 395, 4 704, 16 738, 64 754.
///
/// What the rows' order gives was counted too: by their distance from the starts, warps read in 66 % and 44 % of
/// their turns instead of 70 % and 55 %, but banks wait as much longer.
pub struct Groups {
    asked: Asked,
    /// The kernel's name.
    name: &'static str,
    kernels: Vec<(usize, Kernel)>,
    queue: Queue,
    near: Buffer<u16>,
    cells: Buffer<u32>,
    far_begins: Buffer<u32>,
    far: Buffer<u16>,
    tallies: Buffer<u32>,
    items: usize,
    held: usize,
    units: usize,
    groups_a_unit: usize,
    chunk: usize,
    looks: bool,
    /// Whether every kernel was launched once.
    warm: bool,
    stamp: u32,
    loaded: Vec<Tables>,
    /// Whose tables the device has.
    current: Option<usize>,
    read: Vec<u32>,
    build_ns: u64,
    notes: String,
}

/// A position as the kernel takes it.
struct Tables {
    near: Vec<u16>,
    cells: Vec<u32>,
    far_begins: Vec<u32>,
    far: Vec<u16>,
    rows: usize,
    start_cells: [u32; 2],
    turns: u32,
}

impl Tables {
    /// Lays a board out for a kernel with room for so many rows. A row is a cell that nobody owns; those
    /// with most neighbours come first, so that work-items beside each other have as much to do.
    fn new(Root { board, turns }: &Root, capacity: usize) -> Tables {
        let starts = board.starts();
        let soonest = starts.map(|start| moves_to(board, start));
        let mut order: Vec<usize> = (0..board.cells())
            .filter(|cell| !starts.contains(cell))
            .collect();
        order.sort_by_key(|cell| std::cmp::Reverse(board.neighbours(*cell).len().max(NEAR)));
        let mut places = vec![0_u16; board.cells()];
        for (place, cell) in order.iter().enumerate() {
            places[*cell] = place as u16;
        }
        for (player, start) in starts.iter().enumerate() {
            places[*start] = (capacity + player) as u16;
        }
        let mut tables = Tables {
            // A row without so many neighbours names itself, which gives it nothing new.
            near: (0..NEAR)
                .flat_map(|_| (0..capacity).map(|row| row as u16))
                .collect(),
            cells: vec![NEVER << 8 | NEVER << 20; capacity],
            far_begins: Vec::with_capacity(capacity + 1),
            far: Vec::new(),
            rows: order.len(),
            start_cells: board.start_cells(),
            turns: *turns,
        };
        let mut banks = Banks::default();
        for (row, cell) in order.iter().enumerate() {
            tables.far_begins.push(tables.far.len() as u32);
            let others = board.neighbours(*cell).iter();
            let mut others: Vec<u16> = others.map(|other| places[usize::from(*other)]).collect();
            tables.far.extend(others.drain(NEAR.min(others.len())..));
            others.resize(NEAR, row as u16);
            if row % BANKS == 0 {
                banks = Banks::default();
            }
            for (at, place) in banks.spread(others).enumerate() {
                tables.near[at * capacity + row] = place;
            }
            let [first, second] = [0, 1].map(|player: usize| {
                soonest[player][*cell].map_or(NEVER, |moves| moves.min(NEVER))
            });
            tables.cells[row] = board.colour(*cell) as u32 | first << 8 | second << 20;
        }
        let end = tables.far.len() as u32;
        tables.far_begins.resize(capacity + 1, end);
        tables
    }
}

/// Words of 16 bytes that local memory gives in one access, of which it has so many banks.
const BANKS: usize = 8;

/// What the rows before have asked of the banks, in the same access: for each place of a neighbour and
/// each bank, which words.
///
/// Rows whose n-th neighbours are in one bank read them one after another, unless it is the same word. Which
/// neighbour is the n-th is free: on the first board of each kind this makes 1.12 (`hex1000`) to 1.6
/// (merged) accesses of a read that takes them in ascending order 1.17 to 2.2.
#[derive(Default)]
struct Banks {
    words: [[Vec<u16>; BANKS]; NEAR],
}

impl Banks {
    /// A row's neighbours in an order in which they wait for few.
    fn spread(&mut self, mut others: Vec<u16>) -> impl Iterator<Item = u16> + '_ {
        self.words.iter_mut().map_while(move |banks| {
            let waits = |place: &u16| {
                let words = &banks[usize::from(*place) % BANKS];
                words.len() + usize::from(!words.contains(place))
            };
            let best = (0..others.len()).min_by_key(|at| waits(&others[*at]))?;
            let place = others.remove(best);
            let words = &mut banks[usize::from(place) % BANKS];
            if !words.contains(&place) {
                words.push(place);
            }
            Some(place)
        })
    }
}

/// The most that a case's boards need.
struct Need {
    rows: usize,
    far: usize,
}

impl Need {
    fn of(wanted: &Wanted<'_>) -> Need {
        let mut need = Need { rows: 1, far: 0 };
        for board in &wanted.boards {
            let more = |cell: usize| board.neighbours(cell).len().saturating_sub(NEAR);
            need.rows = need.rows.max(board.cells() - 2);
            need.far = need.far.max((0..board.cells()).map(more).sum());
        }
        need
    }
}

/// `sliced` on GPUs.
pub const SLICED: GroupPlan = GroupPlan {
    path: "annexation/sliced_groups.cl",
    kernel: "sliced",
    local_bytes,
    looks: true,
};

/// About the turn before which it is not worth to count who has more cells: on 196 cells the last of 128
/// playouts is decided after 144 to 200 turns, on 992 after 256 to 288. A look costs as much as a
/// few turns.
fn first_look(rows: usize) -> usize {
    8 * rows.isqrt()
}

/// The arrays of the kernel.
fn local_bytes(capacity: usize, words: usize, chunk: usize) -> usize {
    let word = 4 * words;
    2 * (capacity + 2) * word + chunk * COLOURS * word + 4 * words + 2 * 32 * words * 4 + 16
}

impl Groups {
    /// Builds a program for each number of words that there is room for, and makes room for the boards.
    ///
    /// # Errors
    /// [`Fault::Memory`] where local memory is too small for the board, [`Fault::Unsupported`] where the
    /// device takes no such group, and what building fails with.
    pub fn new(
        device: &Device,
        kernels: Option<&Path>,
        wanted: &Wanted<'_>,
        plan: &GroupPlan,
        shape: GroupShape,
    ) -> Result<Groups, Fault> {
        let info = device.info();
        let need = Need::of(wanted);
        let multiple = device.preferred_multiple().clamp(1, MOST_ITEMS);
        let most = info.max_work_group.clamp(1, MOST_ITEMS);
        let usual = need.rows.div_ceil(GOOD_ITEMS).clamp(1, USUAL_HELD);
        let held = need.rows.div_ceil(most).max(shape.held.unwrap_or(usual));
        if held > MOST_HELD {
            return Err(Fault::Unsupported(format!(
                "{} cells; groups of {most} work-items play on at most {}",
                need.rows + 2,
                most * MOST_HELD + 2
            )));
        }
        let items = need
            .rows
            .div_ceil(held)
            .next_multiple_of(multiple)
            .min(most);
        let capacity = items * held;
        let fits = |words: &usize| {
            (plan.local_bytes)(capacity, *words, shape.chunk) as u64 <= info.local_memory_bytes
        };
        let asked = shape.words.map_or(vec![4, 2, 1], |words| vec![words]);
        let sizes: Vec<usize> = asked.iter().copied().filter(fits).collect();
        if sizes.is_empty() {
            let least = (plan.local_bytes)(capacity, asked[asked.len() - 1], shape.chunk) as u64;
            return Err(Fault::Memory(format!(
                "{} cells need {} of local memory, device has {}",
                need.rows + 2,
                bytes_in_words(least),
                bytes_in_words(info.local_memory_bytes)
            )));
        }
        let units = info.compute_units.max(1) as usize;
        let queue = device.queue()?;
        let tables = (
            device.buffer::<u16>(NEAR * capacity, Access::Read)?,
            device.buffer::<u32>(capacity, Access::Read)?,
            device.buffer::<u32>(capacity + 1, Access::Read)?,
            device.buffer::<u16>(need.far, Access::Read)?,
        );
        let tallies =
            device.buffer::<u32>(units * shape.groups_a_unit * TALLY_WORDS, Access::Write)?;
        let [low, high] = block_key(wanted.seed);
        let mut built = Vec::new();
        let mut build_ns = 0;
        let mut notes = String::new();
        for words in sizes {
            let defines = [
                ("GROUP", items.to_string()),
                ("HELD", held.to_string()),
                ("WORDS", words.to_string()),
                ("NEAR", NEAR.to_string()),
                ("FAR", u8::from(need.far > 0).to_string()),
                ("CHUNK", shape.chunk.to_string()),
                ("LOOK", shape.look.to_string()),
            ];
            let needs = BuildNeeds {
                barriers_in_loops: true,
                ..BuildNeeds::default()
            };
            let program = device.build(plan.path, &defines, kernels, needs)?;
            let mut kernel = program.kernel(plan.kernel)?;
            if items > kernel.max_group() {
                return Err(Fault::Unsupported(format!(
                    "a group of {items} work-items; the compiled kernel takes at most {}",
                    kernel.max_group()
                )));
            }
            kernel.set_buffer(0, &tables.0)?;
            kernel.set_buffer(1, &tables.1)?;
            kernel.set_buffer(2, &tables.2)?;
            kernel.set_buffer(3, &tables.3)?;
            kernel.set_scalar(7, prm::Uint2::new(low, high))?;
            kernel.set_buffer(12, &tallies)?;
            build_ns += program.build_ns();
            if notes.is_empty() {
                notes = format!(
                    "groups of {items} x {held} cells, {words} words, built with {}",
                    program.options()
                );
            }
            built.push((words, kernel));
        }
        Ok(Groups {
            asked: *wanted.asked,
            name: plan.kernel,
            kernels: built,
            queue,
            near: tables.0,
            cells: tables.1,
            far_begins: tables.2,
            far: tables.3,
            tallies,
            items,
            held,
            units,
            groups_a_unit: shape.groups_a_unit,
            chunk: shape.chunk,
            looks: plan.looks,
            warm: false,
            stamp: 1,
            loaded: Vec::new(),
            current: None,
            read: Vec::new(),
            build_ns,
            notes,
        })
    }

    /// Gives the device a position's tables, unless it has them.
    fn take(&mut self, index: usize) -> Result<(), Fault> {
        if self.current == Some(index) {
            return Ok(());
        }
        self.current = None;
        let tables = &self.loaded[index];
        self.queue.write(&self.near, &tables.near)?;
        self.queue.write(&self.cells, &tables.cells)?;
        self.queue.write(&self.far_begins, &tables.far_begins)?;
        self.queue.write(&self.far, &tables.far)?;
        let [first, second] = tables.start_cells;
        for (_, kernel) in &mut self.kernels {
            kernel.set_scalar(4, tables.rows as i32)?;
            kernel.set_scalar(5, prm::Int2::new(first as i32, second as i32))?;
            kernel.set_scalar(6, tables.turns)?;
            if self.looks {
                kernel.set_scalar(13, (first_look(tables.rows) / self.chunk) as i32)?;
            }
        }
        self.current = Some(index);
        Ok(())
    }

    /// Launches every kernel once, with nothing to play: some drivers compile for a work-group size when they
    /// first see it, and which kernel plays is only known when playouts are asked for.
    fn warm_up(&mut self) -> Result<(), Fault> {
        self.take(0)?;
        for (_, kernel) in &mut self.kernels {
            kernel.set_scalar(8, 0_u64)?;
            kernel.set_scalar(9, 0_u64)?;
            kernel.set_scalar(10, 0_u64)?;
            kernel.set_scalar(11, 0_u32)?;
            self.queue
                .launch(kernel, [self.items], Some([self.items]))?;
        }
        self.queue.take_parts();
        self.warm = true;
        Ok(())
    }

    /// Which kernel plays so many playouts: that with most words of which each compute unit still has a
    /// group.
    fn kernel_for(&self, playouts: u64) -> usize {
        let fills = |(words, _): &(usize, Kernel)| {
            playouts.div_ceil(32 * *words as u64) >= self.units as u64
        };
        let found = self.kernels.iter().position(fills);
        found.unwrap_or(self.kernels.len() - 1)
    }
}

impl RandomPlayer<Annexation> for Groups {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        let capacity = self.items * self.held;
        let tables = |position| Tables::new(&Root::new(&self.asked, position), capacity);
        self.loaded = positions.iter().map(tables).collect();
        self.current = None;
        if !self.warm && !self.loaded.is_empty() {
            self.warm_up()?;
        }
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        self.take(index)?;
        let (mut wins, mut losses) = (0, 0);
        for part in launches(&playouts, PLAYOUTS_A_LAUNCH) {
            let block = part.start / PLAYOUTS_A_DRAW;
            let count = part.end - block * PLAYOUTS_A_DRAW;
            let chosen = self.kernel_for(count);
            let (words, kernel) = &mut self.kernels[chosen];
            let groups = count.div_ceil(PLAYOUTS_A_DRAW * *words as u64) as usize;
            let groups = groups.min(self.units * self.groups_a_unit);
            let stamp = self.stamp;
            self.stamp = stamp.wrapping_add(groups as u32);
            kernel.set_scalar(8, block)?;
            kernel.set_scalar(9, part.start)?;
            kernel.set_scalar(10, part.end)?;
            kernel.set_scalar(11, stamp)?;
            let global = [groups * self.items];
            self.queue.launch(kernel, global, Some([self.items]))?;
            self.read.clear();
            self.read.resize(groups * TALLY_WORDS, 0);
            self.queue.read(&self.tallies, &mut self.read)?;
            let added = add_up(self.name, &self.read, stamp)?;
            (wins, losses) = (wins + added.0, losses + added.1);
        }
        Ok(tally(
            playouts.end.saturating_sub(playouts.start),
            (wins, losses),
        ))
    }

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
        self.kernels[0].1.resources(self.items)
    }
}
