//! `frames`: playouts as rows of pixels, in images or buffers (`cl/annexation/frames*.cl`).

use std::ops::Range;

use super::hard::{FLAT, PLAYOUTS, SMALL};
use super::play::Annexation;
use super::sliced::{next_launch, tally};
use super::tasks::{self, RandomPlayer, Root};
use super::{Asked, Standing};
use crate::games::annexation::PLAYOUTS_A_DRAW;
use crate::opencl::{
    Access, Buffer, BuildNeeds, Device, Image, Kernel, Queue, SetArgument, bytes_in_words, prm,
};
use crate::random::block_key;
use crate::techniques::hard::Trial;
use crate::techniques::{Prepared, Setup, Technique};
use crate::words::{
    DEVICES, Fault, ParamEntry, Tally, Task, TechniqueEntry, Telemetry, Value, resource,
};

/// The paper's method: a board texture, two alternating state textures, one launch per turn, one count at the end.
pub const FRAMES: Technique = Technique {
    entry: TechniqueEntry {
        name: "frames",
        summary: "playouts as rows of pixels, two state textures in turn, a launch a turn",
        paper: "The awesome GPU, \"GPU Calculations\"",
        needs: "images of four 8-bit numbers",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[ROWS, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", PLAYOUTS), Trial::new("", FLAT)],
    prepare: |setup| prepare(setup, true, false),
};

/// `frames` with buffers instead of images.
pub const BUFFER: Technique = Technique {
    entry: TechniqueEntry {
        name: "frames-buffer",
        summary: "frames with buffers in the place of images",
        paper: "The awesome GPU, \"GPU Calculations\", without textures",
        needs: "",
        ..FRAMES.entry
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("", FLAT),
        Trial::new("rows=64", SMALL),
    ],
    prepare: |setup| prepare(setup, false, false),
};

/// `frames-buffer` with a check after every turn: the host stops if every cell has an owner.
pub const READBACK: Technique = Technique {
    entry: TechniqueEntry {
        name: "frames-readback",
        summary: "frames-buffer that asks every turn whether all rows are settled",
        paper: "The awesome GPU, \"Important to note\", 3: what it advises against",
        ..BUFFER.entry
    },
    prepare: |setup| prepare(setup, false, true),
    ..FRAMES
};

/// Playouts of a choice's first batch, and the limit of a batch.
const BATCHES: Range<u64> = 4_096..1_048_576;

const TILE_ITEMS: usize = 128;

/// Work-group of pixels: cells and playouts. Frames are padded to whole groups, so narrow boards get narrow groups.
fn tile(cells: usize) -> [usize; 2] {
    let width = if cells < 32 { 8 } else { 32 };
    [width, TILE_ITEMS / width]
}

/// The board texture's entry for a missing neighbour (`NO_CELL`).
const NO_CELL: u32 = u32::MAX;

/// Totals: rows won, lost, counted; last turn with an unsettled row.
const TOTALS: usize = 4;

/// The parameter `rows`.
const ROWS: ParamEntry = ParamEntry {
    name: "rows",
    allowed: "rows of a state texture, a playout each: a multiple of 32 from 32 to 65536; fewer where the device \
     has less room",
    default: "16384",
    check: |value| read_rows(value).map(drop),
};

fn read_rows(value: &Value) -> Result<usize, String> {
    match value.as_int() {
        Some(rows @ 32..=65_536) if rows % 32 == 0 => Ok(rows as usize),
        _ => Err(ROWS.refused(value)),
    }
}

/// Prepares a technique. `images`: as published, else buffers. `reads_back`: the host reads after every turn.
fn prepare(setup: &Setup<'_>, images: bool, reads_back: bool) -> Prepared {
    tasks::prepare_flat(setup, BATCHES, |play| {
        Ok(Box::new(Frames::new(images, reads_back, setup, play)?))
    })
}

enum Texture {
    Image(Image),
    Buffer(Buffer<u32>),
}

impl Texture {
    fn new(device: &Device, images: bool, [width, height]: [usize; 2]) -> Result<Texture, Fault> {
        Ok(if images {
            Texture::Image(device.image([width, height], Access::ReadWrite)?)
        } else {
            Texture::Buffer(device.buffer::<u32>(width * height, Access::ReadWrite)?)
        })
    }
}

impl SetArgument for Texture {
    fn set(&self, kernel: &mut Kernel, index: u32) -> Result<(), Fault> {
        match self {
            Texture::Image(image) => kernel.set_image(index, image),
            Texture::Buffer(buffer) => kernel.set_buffer(index, buffer),
        }
    }
}

/// Playouts as rows of pixels, one launch per turn.
struct Frames {
    asked: Asked,
    reads_back: bool,
    /// Paints the board's image.
    paint: Option<Kernel>,
    begin: Kernel,
    turn: Kernel,
    count: Kernel,
    queue: Queue,
    numbers: Buffer<u32>,
    board: Texture,
    states: [Texture; 2],
    totals: Buffer<u32>,
    rows: usize,
    loaded: Vec<Picture>,
    /// Index of the position whose board is on the device.
    current: Option<usize>,
    build_ns: u64,
    notes: String,
}

struct Picture {
    numbers: Vec<u32>,
    cells: usize,
    neighbours: usize,
    starts: prm::Int2,
    /// Cells per start beyond its own cell.
    more: prm::Int2,
    turns: u32,
}

impl Picture {
    fn new(Root { board, turns }: &Root) -> Picture {
        let (cells, starts) = (board.cells(), board.starts());
        let others = (0..cells).filter(|cell| !starts.contains(cell));
        let lengths = others.map(|cell| board.neighbours(cell).len());
        let neighbours = lengths.max().unwrap_or(0);
        let mut numbers = vec![NO_CELL; cells * (1 + neighbours)];
        for cell in 0..cells {
            numbers[cell] = board.colour(cell) as u32;
            // A start may have very many neighbours. The kernel needs none of them, as a start has an owner.
            for (place, other) in board.neighbours(cell).iter().take(neighbours).enumerate() {
                numbers[(1 + place) * cells + cell] = u32::from(*other);
            }
        }
        Picture {
            numbers,
            cells,
            neighbours,
            starts: pair(starts),
            more: pair(board.start_cells.map(|cells| cells as usize - 1)),
            turns: *turns,
        }
    }
}

fn pair([a, b]: [usize; 2]) -> prm::Int2 {
    prm::Int2::new(a as i32, b as i32)
}

impl Frames {
    fn new(
        images: bool,
        reads_back: bool,
        setup: &Setup<'_>,
        play: &Annexation,
    ) -> Result<Frames, Fault> {
        let device = setup.on_device()?;
        let mut rows = ROWS.given(setup.params, 16_384, read_rows)?;
        let (mut path, mut what) = ("annexation/frames_buffer.cl", "buffers");
        if images {
            rows = rows.min(device.largest_image()?[1] / 32 * 32);
            (path, what) = ("annexation/frames.cl", "images");
        }
        // Only the starts of a rest can have more neighbours.
        let heights = play.boards.iter().map(|it| 1 + it.most_neighbours());
        let (width, height) = (play.most_cells(), heights.fold(2, usize::max));
        let program = device.build(path, &[], setup.kernels, BuildNeeds::default())?;
        let kernel = |name: &str| -> Result<Kernel, Fault> {
            let kernel = program.kernel(name)?;
            kernel.check_group(TILE_ITEMS)?;
            Ok(kernel)
        };
        let mut turn = kernel(if reads_back { "turn_and_ask" } else { "turn" })?;
        let [low, high] = block_key(setup.seed);
        turn.set_scalar(5, prm::Uint2::new(low, high))?;
        let bytes = bytes_in_words(2 * 4 * (width * rows) as u64);
        let [tile_width, tile_height] = tile(width);
        let texture = |height| Texture::new(device, images, [width, height]);
        Ok(Frames {
            asked: play.asked,
            reads_back,
            paint: images.then(|| kernel("paint_board")).transpose()?,
            begin: kernel("begin")?,
            turn,
            count: kernel("count")?,
            queue: device.queue()?,
            numbers: device.buffer::<u32>(width * height, Access::Read)?,
            board: texture(height)?,
            states: [texture(rows)?, texture(rows)?],
            totals: device.buffer::<u32>(TOTALS, Access::ReadWrite)?,
            rows,
            loaded: Vec::new(),
            current: None,
            build_ns: program.build_ns(),
            notes: format!(
                "{what}: textures of {rows} rows, {bytes} together, tiles of {tile_width}x{tile_height}"
            ),
        })
    }

    /// Writes a position's board texture to the device, unless it is there.
    fn take(&mut self, index: usize) -> Result<(), Fault> {
        if self.current == Some(index) {
            return Ok(());
        }
        self.current = None;
        let picture = &self.loaded[index];
        let cells = picture.cells as i32;
        match (&mut self.paint, &self.board) {
            (None, Texture::Buffer(board)) => self.queue.write(board, &picture.numbers)?,
            (None, Texture::Image(_)) => {
                return Err(Fault::Device("no kernel that paints the board".into()));
            }
            (Some(paint), board) => {
                self.queue.write(&self.numbers, &picture.numbers)?;
                paint.set_from(0, &[&self.numbers, &cells, board])?;
                let size = [picture.cells, 1 + picture.neighbours];
                self.queue.launch(paint, size, None)?;
            }
        }
        self.turn.set_scalar(3, cells)?;
        self.turn.set_scalar(4, picture.neighbours as i32)?;
        self.current = Some(index);
        Ok(())
    }

    /// Plays one texture from playout 32 x `block` on. Returns wins and losses of `asked.start..asked.end`.
    fn picture(
        &mut self,
        index: usize,
        block: u64,
        asked: Range<usize>,
    ) -> Result<(u64, u64), Fault> {
        let picture = &self.loaded[index];
        let (tile, cells) = (tile(picture.cells), picture.cells as i32);
        let rows = asked.end.next_multiple_of(tile[1]);
        let pixels = [picture.cells.next_multiple_of(tile[0]), rows];
        let range = pair([asked.start, asked.end]);
        let states = &self.states;
        self.queue.fill(&self.totals, 0_u32)?;
        self.begin
            .set_from(0, &[&states[0], &cells, &picture.starts])?;
        self.queue.launch(&self.begin, pixels, Some(tile))?;
        self.turn.set_from(0, &[&self.board])?;
        self.turn.set_scalar(6, block)?;
        if self.reads_back {
            self.turn.set_from(8, &[&range, &self.totals])?;
        }
        let mut now = 0;
        let mut read = [0_u32; TOTALS];
        for turn in 0..picture.turns {
            self.turn.set_from(1, &[&states[now], &states[1 - now]])?;
            self.turn.set_scalar(7, turn)?;
            self.queue.launch(&self.turn, pixels, Some(tile))?;
            now = 1 - now;
            if self.reads_back {
                self.queue.read(&self.totals, &mut read)?;
                if read[3] <= turn {
                    break;
                }
            }
        }
        let count = &mut self.count;
        count.set_from(
            0,
            &[&states[now], &cells, &range, &picture.more, &self.totals],
        )?;
        self.queue.launch(count, [rows], None)?;
        self.queue.read(&self.totals, &mut read)?;
        let [won, lost, counted, _] = read;
        if counted as usize != asked.len() {
            let why = format!("kernel `count` counted {counted} of {} rows", asked.len());
            return Err(Fault::Device(why));
        }
        Ok((u64::from(won), u64::from(lost)))
    }
}

impl RandomPlayer<Annexation> for Frames {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        let picture = |position| Picture::new(&Root::new(&self.asked, position));
        self.loaded = positions.iter().map(picture).collect();
        self.current = None;
        Ok(())
    }

    fn begin_sample(&mut self) {
        self.current = None;
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        self.take(index)?;
        let mut sums = (0, 0);
        let mut rest = playouts.clone();
        while !rest.is_empty() {
            let part = next_launch(&rest, self.rows as u64);
            rest.start = part.end;
            let block = part.start / PLAYOUTS_A_DRAW;
            let row = |playout: u64| (playout - block * PLAYOUTS_A_DRAW) as usize;
            let (won, lost) = self.picture(index, block, row(part.start)..row(part.end))?;
            sums = (sums.0 + won, sums.1 + lost);
        }
        Ok(tally(playouts.end.saturating_sub(playouts.start), sums))
    }

    fn telemetry(&mut self) -> Telemetry {
        let mut resources = self.turn.resources(TILE_ITEMS);
        resources.push((resource::ROWS.to_owned(), self.rows as u64));
        Telemetry {
            parts: self.queue.take_parts(),
            build_ns: self.build_ns,
            notes: self.notes.clone(),
            resources,
            ..Telemetry::default()
        }
    }
}
