//! Plays bit-sliced playouts on a device. Depending on the shape, a work-group or a single work-item plays each game.

use std::ops::Range;

use super::groups::groups;
use super::play::Annexation;
use crate::games::annexation::{Board, PLAYOUTS_A_DRAW, Position};
use crate::opencl::{Kernel, Queue, SetArgument, prm};
use crate::random::block_key;
use crate::search::annexation::{BANDS_A_LOOK, HEAD, MOVES_A_LOOK, Rows, rows_of};
use crate::techniques::prelude::*;

choices! {
    /// The parameter `shape`: true for items, false for groups, `None` for `auto`.
    pub SHAPE, shape -> Option<bool>:
        "shape", {"auto" => None, "groups" => Some(false), "items" => Some(true)}, "auto",
        "`auto` (items on a CPU, otherwise groups), `groups` or `items`";
}

/// Returns true if the device is a CPU that can use [`items`].
pub fn on_processor(device: &Device) -> bool {
    device.info().kind == DeviceKind::Cpu && device.quirks().wide_vectors().is_ok()
}

/// A board in the kernel's form: the contents of the first buffers, and the numeric arguments after the buffers.
pub struct Tables {
    pub shorts: Vec<Vec<u16>>,
    pub words: Vec<Vec<u32>>,
    pub numbers: Vec<(&'static str, Box<dyn SetArgument + Send>)>,
}

/// The kernels of one shape, which determines how playouts are divided among work-items.
pub struct Built {
    /// Converts a board.
    pub convert: Box<dyn Fn(&Board) -> Tables + Send>,
    /// Buffer arguments with 16-bit and with 32-bit numbers. Buffers without a table are the kernel's scratch memory.
    pub shorts: Vec<(&'static str, Buffer<u16>)>,
    pub words: Vec<(&'static str, Buffer<u32>)>,
    /// Name of the kernel and of its file.
    pub kernel: &'static str,
    /// For each kernel, the number of seats per group and the constants, largest group first.
    pub defines: Vec<(usize, Defines)>,
    /// Whether the kernel reads the whole leaf from which a range starts, instead of only the header.
    pub reads_leaf: bool,
    /// Number of work-items per group.
    pub items: usize,
    /// Maximum number of groups per launch.
    pub most_groups: usize,
    /// Notes for the row. The build options of the first program are appended.
    pub notes: String,
}

/// Returns the number of words for a leaf on a board with `cells` cells: a header, then both players' cells.
pub fn leaf_words(cells: usize) -> usize {
    1 + 4 * cells.div_ceil(u64::BITS as usize)
}

/// Appends the words of a leaf.
pub fn pack_leaf(leaf: &Position, words: &mut Vec<u32>) {
    words.push(header(leaf));
    for word in leaf.owner_sets() {
        words.extend([*word as u32, (*word >> 32) as u32]);
    }
}

/// Returns the header, which is the first word of a leaf.
///
/// | bits | field |
/// | --- | --- |
/// | 0 | the player to move |
/// | 1–16 | turns until the end |
/// | 17–31 | turns since the root |
fn header(leaf: &Position) -> u32 {
    // A case has at most 65,535 turns.
    let played = leaf.turn.min(0x7fff);
    played << 17 | leaf.turns_left() << 1 | leaf.mover().index() as u32
}

/// Number of words per seat: the leaf, the block (low word, high word), and a bit mask of the requested playouts.
pub const SEAT_WORDS: usize = 4;

/// The kernels of a shape by seats per group, largest first. A seat is a block of 32 playouts from the same leaf.
pub struct Kernels {
    built: Built,
    kernels: Vec<(usize, Kernel)>,
    loaded: Vec<Tables>,
    /// Whether the host lists seats. If so, each seat has a result. Otherwise, each work-group has a result.
    lists_seats: bool,
    pub queue: Queue,
    units: usize,
    key: prm::Uint2,
    pub leaves: Buffer<u32>,
    pub seats: Buffer<u32>,
    pub results: Outcomes,
    build_ns: u64,
}

impl Kernels {
    /// Builds the programs, and launches each kernel once, because some drivers compile at first use. `listed` gives
    /// the maximum numbers of leaves and of seats (without padding), or is `None` for ranges of playouts. Fails with
    /// [`Fault::Unsupported`] if the device refuses the group size, or with a build error.
    pub fn new(
        setup: &Setup<'_>,
        play: &Annexation,
        listed: Option<(usize, usize)>,
    ) -> Result<Kernels, Fault> {
        let device = setup.on_device()?;
        let by_items = SHAPE.given(setup.params, None, shape)?;
        let mut built = if by_items.unwrap_or_else(|| on_processor(device)) {
            items(device, play, listed.is_some())?
        } else {
            groups(device, play, listed.is_some())?
        };
        let path = format!("annexation/{}.cl", built.kernel);
        let (mut kernels, mut build_ns) = (Vec::new(), 0);
        for (seats, defines) in &mut built.defines {
            let needs = BuildNeeds {
                barriers_in_loops: built.items > 1,
                ..BuildNeeds::default()
            };
            defines.push(("LEAVES", u8::from(listed.is_some()).to_string()));
            let program = device.build(&path, defines, setup.kernels, needs)?;
            let mut kernel = program.kernel(built.kernel)?;
            kernel.check_group(built.items)?;
            for (name, buffer) in &built.shorts {
                kernel.set(&[(*name, buffer)])?;
            }
            for (name, buffer) in &built.words {
                kernel.set(&[(*name, buffer)])?;
            }
            if kernels.is_empty() {
                built.notes.push_str(program.options());
            }
            build_ns += program.build_ns();
            kernels.push((*seats, kernel));
        }
        let [low, high] = block_key(setup.seed);
        // The last group of each player may need padding.
        let most = kernels.first().map_or(1, |(seats, _)| *seats);
        let (leaves, seats) = listed.unwrap_or((1, 0));
        let seats = seats + 2 * most;
        let mut made = Kernels {
            kernels,
            lists_seats: listed.is_some(),
            queue: device.queue()?,
            units: device.info().compute_units.max(1) as usize,
            key: prm::Uint2::new(low, high),
            leaves: device.buffer(leaves * leaf_words(play.most_cells()), Access::Read)?,
            seats: device.buffer(seats * SEAT_WORDS, Access::Read)?,
            results: match listed {
                Some(_) => Outcomes::new(device, built.kernel, "seat", seats, SEAT_RESULT)?,
                None => {
                    let most = built.most_groups;
                    Outcomes::new(device, built.kernel, "part", most, GROUP_RESULT)?
                }
            },
            built,
            loaded: Vec::new(),
            build_ns,
        };
        made.warm_up(&play.first_leaf())?;
        Ok(made)
    }

    fn warm_up(&mut self, leaf: &Position) -> Result<(), Fault> {
        self.load([leaf]);
        let mut words = Vec::new();
        pack_leaf(leaf, &mut words);
        self.upload(0)?;
        self.queue.write(&self.leaves, &words)?;
        self.queue.fill(&self.seats, 0)?;
        for place in 0..self.kernels.len() {
            let playouts = PLAYOUTS_A_DRAW * self.seats_of(place) as u64;
            self.launch((place, 0), leaf, &(0..playouts))?;
            self.results.read(&mut self.queue, |_| ())?;
        }
        self.queue.take_parts();
        Ok(())
    }

    /// Uploads a loaded board, and `leaf` if the kernel reads it. Fails with [`Fault::Device`].
    pub fn upload_range(&mut self, index: usize, leaf: &Position) -> Result<(), Fault> {
        self.upload(index)?;
        if !self.built.reads_leaf {
            return Ok(());
        }
        let mut words = Vec::new();
        pack_leaf(leaf, &mut words);
        self.queue.write(&self.leaves, &words)
    }

    /// Returns the index of the kernel with the largest groups for which `count` seats still occupy every compute unit.
    pub fn place_for(&self, count: usize) -> usize {
        let fills = |(seats, _): &(usize, Kernel)| count.div_ceil(*seats) >= self.units;
        let found = self.kernels.iter().position(fills);
        found.unwrap_or(self.kernels.len() - 1)
    }

    /// Returns the number of seats per group in the kernel at `place`.
    pub fn seats_of(&self, place: usize) -> usize {
        self.kernels[place].0
    }

    /// Converts the boards of these positions. They replace the earlier boards.
    pub fn load<'p>(&mut self, positions: impl IntoIterator<Item = &'p Position>) {
        let boards = positions.into_iter().map(Position::board);
        self.loaded = boards.map(|board| (self.built.convert)(board)).collect();
    }

    /// Uploads a loaded board. Fails with [`Fault::Device`].
    pub fn upload(&mut self, index: usize) -> Result<(), Fault> {
        let (built, tables) = (&self.built, &self.loaded[index]);
        for ((_, buffer), table) in built.shorts.iter().zip(&tables.shorts) {
            self.queue.write(buffer, table)?;
        }
        let mut words = built.words.iter().zip(&tables.words);
        words.try_for_each(|((_, buffer), table)| self.queue.write(buffer, table))
    }

    /// Launches the kernel at `place` on the loaded board at `index`. It plays `playouts` from `leaf` or, if seats are
    /// listed, the same number of playouts from these seats.
    pub fn launch(
        &mut self,
        (place, index): (usize, usize),
        leaf: &Position,
        playouts: &Range<u64>,
    ) -> Result<(), Fault> {
        let (seats, kernel) = &mut self.kernels[place];
        let first_seat = playouts.start / PLAYOUTS_A_DRAW;
        let count = (playouts.end.div_ceil(PLAYOUTS_A_DRAW) - first_seat) as usize;
        let launched = count.div_ceil(*seats).min(self.built.most_groups);
        let results = if self.lists_seats { count } else { launched };
        let (built, stamp) = (&self.built, self.results.mark(results));
        for (name, number) in &self.loaded[index].numbers {
            kernel.set(&[(*name, number.as_ref())])?;
        }
        kernel.set(&[
            ("key", &self.key),
            ("header", &header(leaf)),
            ("leaves", &self.leaves),
            ("bit_words", &(leaf.owner_sets().len() as i32)),
            ("seats", &self.seats),
            ("first", &playouts.start),
            ("end", &playouts.end),
            ("stamp", &stamp),
            ("results", &self.results),
        ])?;
        let items = built.items;
        self.queue.launch(kernel, [launched * items], Some([items]))
    }

    /// Returns the telemetry since the last call.
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

/// Number of words per result (`RESULT_WORDS`): half points and a stamp, or wins, losses and a stamp.
const SEAT_RESULT: usize = 2;
const GROUP_RESULT: usize = 3;

/// Number of vectors of 512 playouts per work-item (`PARTS`). A work-item reads each row once for all of them.
const PARTS: usize = 2;

/// Number of 32-bit words per cell (one bit per playout).
const LANE_WORDS: usize = 16 * PARTS;

/// Number of words that describe a row group (`GROUP_WORDS`).
const GROUP_WORDS: usize = 5;

/// Number of work-items per compute unit. Several work-items per unit balance the load at the end.
const ITEMS_A_UNIT: usize = 4;

/// Builds a board's tables for single work-items.
fn tables(board: &Board) -> Tables {
    let sides = board.starts().map(|start| rows_of(board, start));
    let (mut rows, mut bands, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for group in sides.iter().flatten() {
        groups.extend([
            u32::from(group.waits),
            group.length as u32,
            rows.len() as u32,
            group.bands.len() as u32,
            bands.len() as u32,
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
    let row_count = bands.len() as i32;
    Tables {
        shorts: vec![rows, bands],
        words: vec![groups],
        numbers: vec![
            ("group_counts", Box::new(pair(sides.map(|side| side.len())))),
            ("row_count", Box::new(row_count)),
            ("cells", Box::new(board.cells() as i32)),
            ("waiting", Box::new(waiting)),
            ("more", Box::new(prm::Uint2::new(first, second))),
        ],
    }
}

/// Returns both players' maximum table sizes for any remaining part of a board: row entries, rows, and row groups.
fn room(board: &Board) -> [usize; 3] {
    let cells = board.cells();
    // Rows are padded to 6, 8 or a multiple of 4 neighbours. Rows of the same length form a group.
    let filled = |cell: usize| HEAD + (board.neighbours(cell).len() + 3).max(8);
    let numbers: usize = (0..cells).map(filled).sum();
    let lengths = 2 + board.most_neighbours().div_ceil(4);
    [2 * numbers, 2 * cells, 2 * 2 * lengths]
}

/// Builds the kernel for single work-items on a case's boards.
fn items(device: &Device, play: &Annexation, lists_seats: bool) -> Result<Built, Fault> {
    device.quirks().wide_vectors()?;
    let rooms = play.boards.iter().map(|board| room(board));
    let [numbers, rows, groups] = rooms.fold([1; 3], |most: [usize; 3], room| {
        std::array::from_fn(|place| most[place].max(room[place]))
    });
    let items = device.info().compute_units.max(1) as usize * ITEMS_A_UNIT;
    let lanes = items * 3 * play.most_cells();
    let share = if lists_seats { "32 x 32" } else { "1024" };
    let defines = vec![
        ("PARTS", PARTS.to_string()),
        ("MOVES_A_LOOK", MOVES_A_LOOK.to_string()),
        ("BANDS_A_LOOK", BANDS_A_LOOK.to_string()),
    ];
    Ok(Built {
        convert: Box::new(tables),
        shorts: vec![
            ("rows", device.buffer(numbers, Access::Read)?),
            ("bands", device.buffer(rows, Access::Read)?),
            ("open", device.buffer(items * rows, Access::ReadWrite)?),
        ],
        // The state consists of each cell's words for each player, and the gains of waiting cells.
        words: vec![
            ("groups", device.buffer(groups * GROUP_WORDS, Access::Read)?),
            (
                "state",
                device.buffer(lanes * LANE_WORDS, Access::ReadWrite)?,
            ),
            (
                "open_counts",
                device.buffer(items * groups, Access::ReadWrite)?,
            ),
        ],
        kernel: "sliced_items",
        reads_leaf: true,
        defines: vec![(LANE_WORDS, defines)],
        items: 1,
        most_groups: items,
        notes: format!("{items} work-items of {share} playouts, built with "),
    })
}
