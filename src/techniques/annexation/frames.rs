//! `frames`: plays playouts as rows of pixels, in images or buffers (`cl/annexation/frames.cl`).

use std::ops::Range;

use super::hard::{FLAT, PLAYOUTS, SMALL};
use super::play::Annexation;
use super::sliced::{next_launch, tally};
use super::tasks::{self, RandomPlayer, root};
use super::{Asked, Standing};
use crate::games::annexation::{Board, PLAYOUTS_A_DRAW, Position};
use crate::opencl::{Image, Kernel, SetArgument, bytes_in_words, prm};
use crate::random::block_key;
use crate::techniques::prelude::*;
use crate::words::resource;

/// The paper's method, with a board texture, two alternating state textures, one launch per turn and a final count.
pub const FRAMES: Technique = Technique {
    entry: TechniqueEntry {
        name: "frames",
        summary: "playouts as rows of pixels, with two alternating textures and one launch per turn",
        paper: "The awesome GPU, \"GPU Calculations\"",
        needs: "images of four 8-bit numbers",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[ROWS, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", PLAYOUTS), Trial::new("", FLAT)],
    prepare: |setup| prepare(setup, true, false),
};

/// A variant of `frames` that uses buffers instead of images.
pub const BUFFER: Technique = Technique {
    entry: TechniqueEntry {
        name: "frames-buffer",
        summary: "frames with buffers instead of images",
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

/// Like `frames-buffer`, but the host checks after every turn whether all cells have an owner, and stops if they do.
pub const READBACK: Technique = Technique {
    entry: TechniqueEntry {
        name: "frames-readback",
        summary: "frames-buffer with a check after each turn whether all rows are settled",
        paper: "The awesome GPU, \"Important to note\", 3 (which advises against it)",
        ..BUFFER.entry
    },
    prepare: |setup| prepare(setup, false, true),
    ..FRAMES
};

/// Sizes of the first batch of a choice and of the largest batch, in playouts.
const BATCHES: Range<u64> = 4_096..1_048_576;

const TILE_ITEMS: usize = 128;

/// Returns the numbers of cells and playouts per work-group. Frames are padded to whole groups, so narrow boards get
/// narrow groups.
fn tile(cells: usize) -> [usize; 2] {
    let width = if cells < 32 { 8 } else { 32 };
    [width, TILE_ITEMS / width]
}

/// Entry of the board texture for a missing neighbour (`NO_CELL`).
const NO_CELL: u32 = u32::MAX;

/// Number of totals: rows won, rows lost, rows counted, and the last turn with an unsettled row.
const TOTALS: usize = 4;

const ROWS: ParamEntry = ParamEntry {
    name: "rows",
    allowed: "a multiple of 32 from 32 to 65536: rows of a state texture, one per playout; fewer if the device has \
     too little memory",
    default: "16384",
    check: |value| read_rows(value).map(drop),
};

fn read_rows(value: &Value) -> Result<usize, String> {
    match value.as_int() {
        Some(rows @ 32..=65_536) if rows % 32 == 0 => Ok(rows as usize),
        _ => Err(ROWS.refused(value)),
    }
}

/// Prepares a technique with images or buffers. If `reads_back` is set, the host reads the totals after every turn.
fn prepare(setup: &Setup<'_>, images: bool, reads_back: bool) -> Prepared {
    tasks::prepare_flat(setup, BATCHES, |play| {
        Ok(Box::new(Frames::new(images, reads_back, setup, play)?))
    })
}

type Texture = Box<dyn SetArgument + Send>;

/// An image of the board or of states.
struct Painted(Image);

impl SetArgument for Painted {
    fn set(&self, kernel: &mut Kernel, index: u32) -> Result<(), Fault> {
        kernel.set_image(index, &self.0)
    }
}

/// Plays playouts as rows of pixels, with one launch per turn.
struct Frames {
    asked: Asked,
    reads_back: bool,
    /// The kernel that paints the board image, and the image itself. Without images, `numbers` is the board texture.
    paint: Option<(Kernel, Texture)>,
    begin: Kernel,
    turn: Runner,
    count: Kernel,
    numbers: Buffer<u32>,
    states: [Texture; 2],
    totals: Buffer<u32>,
    rows: usize,
    /// For each position, the root of its playouts and its board texture.
    loaded: Vec<(Position, Vec<u32>)>,
}

/// Builds the board texture: a row of colours, then rows of neighbours.
fn numbers_of(board: &Board) -> Vec<u32> {
    let (cells, starts) = (board.cells(), board.starts());
    // A start cell may have many neighbours. The kernel does not need them, because a start cell has an owner.
    let others = (0..cells).filter(|cell| !starts.contains(cell));
    let lengths = others.map(|cell| board.neighbours(cell).len());
    let neighbours = lengths.max().unwrap_or(0);
    let mut numbers = vec![NO_CELL; cells * (1 + neighbours)];
    for cell in 0..cells {
        numbers[cell] = board.colour(cell) as u32;
        for (place, other) in board.neighbours(cell).iter().take(neighbours).enumerate() {
            numbers[(1 + place) * cells + cell] = u32::from(*other);
        }
    }
    numbers
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
        let mut what = "buffers";
        if images {
            rows = rows.min(device.largest_image()?[1] / 32 * 32);
            what = "images";
        }
        // Merging a player's cells adds neighbours only to the start cell.
        let heights = play.boards.iter().map(|it| 1 + it.most_neighbours());
        let (width, height) = (play.most_cells(), heights.fold(2, usize::max));
        let flag = |name, set| (name, u8::from(set).to_string());
        let defines = [flag("IMAGES", images), flag("ASKS", reads_back)];
        let (path, needs) = ("annexation/frames.cl", BuildNeeds::default());
        let program = device.build(path, &defines, setup.kernels, needs)?;
        let kernel = |name: &str| program.kernel(name);
        let texture = |height| -> Result<Texture, Fault> {
            Ok(match images {
                true => Box::new(Painted(device.image([width, height], Access::ReadWrite)?)),
                false => Box::new(device.buffer::<u32>(width * height, Access::ReadWrite)?),
            })
        };
        let numbers = device.buffer::<u32>(width * height, Access::Read)?;
        let paint = match images {
            true => Some((kernel("paint_board")?, texture(height)?)),
            false => None,
        };
        let totals = device.buffer::<u32>(TOTALS, Access::ReadWrite)?;
        let mut turn = Runner::new(device, &program, kernel("turn")?, TILE_ITEMS)?;
        let begin = kernel("begin")?;
        begin.check_group(TILE_ITEMS)?;
        let [low, high] = block_key(setup.seed);
        let board: &dyn SetArgument = match &paint {
            Some((_, board)) => board.as_ref(),
            None => &numbers,
        };
        let key = prm::Uint2::new(low, high);
        turn.set(&[("board", board), ("key", &key), ("totals", &totals)])?;
        let bytes = bytes_in_words(2 * 4 * (width * rows) as u64);
        let [tile_width, tile_height] = tile(width);
        turn.notes = format!(
            "{what}: textures of {rows} rows, {bytes} together, tiles of {tile_width}x{tile_height}"
        );
        Ok(Frames {
            asked: play.asked,
            reads_back,
            paint,
            begin,
            turn,
            count: kernel("count")?,
            numbers,
            states: [texture(rows)?, texture(rows)?],
            totals,
            rows,
            loaded: Vec::new(),
        })
    }

    /// Writes a position's board texture to the device.
    fn take(&mut self, index: usize) -> Result<(), Fault> {
        let (root, numbers) = &self.loaded[index];
        let (width, height) = (root.board().cells(), numbers.len() / root.board().cells());
        let (cells, neighbours) = (width as i32, height as i32 - 1);
        let Runner { kernel, queue, .. } = &mut self.turn;
        queue.write(&self.numbers, numbers)?;
        if let Some((paint, board)) = &mut self.paint {
            let numbers = &self.numbers;
            paint.set(&[
                ("numbers", numbers),
                ("cells", &cells),
                ("board", board.as_ref()),
            ])?;
            queue.launch(paint, [width, height], None)?;
        }
        kernel.set(&[("cells", &cells), ("neighbours", &neighbours)])
    }

    /// Plays one playout per row of a texture, starting with playout 32 x `block`. Returns the wins and losses of the
    /// rows in `asked`.
    fn picture(
        &mut self,
        index: usize,
        block: u64,
        asked: Range<usize>,
    ) -> Result<(u64, u64), Fault> {
        let root = &self.loaded[index].0;
        let board = root.board();
        let (tile, cells) = (tile(board.cells()), board.cells() as i32);
        let rows = asked.end.next_multiple_of(tile[1]);
        let pixels = [board.cells().next_multiple_of(tile[0]), rows];
        let starts = pair(board.starts());
        let more = pair(board.start_cells.map(|cells| cells as usize - 1));
        let range = pair([asked.start, asked.end]);
        let [mut before, mut after] = self.states.each_ref().map(Texture::as_ref);
        let Runner { kernel, queue, .. } = &mut self.turn;
        queue.fill(&self.totals, 0_u32)?;
        self.begin
            .set(&[("state", before), ("cells", &cells), ("starts", &starts)])?;
        queue.launch(&self.begin, pixels, Some(tile))?;
        kernel.set(&[("block", &block), ("rows", &range)])?;
        let mut read = [0_u32; TOTALS];
        for turn in 0..root.turns {
            kernel.set(&[("before", before), ("after", after), ("number", &turn)])?;
            queue.launch(kernel, pixels, Some(tile))?;
            (before, after) = (after, before);
            if self.reads_back {
                queue.read(&self.totals, &mut read)?;
                if read[3] <= turn {
                    break;
                }
            }
        }
        let count = &mut self.count;
        count.set(&[
            ("state", before),
            ("cells", &cells),
            ("rows", &range),
            ("more", &more),
            ("totals", &self.totals),
        ])?;
        queue.launch(count, [rows], None)?;
        queue.read(&self.totals, &mut read)?;
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
        let texture = |position| {
            let root = root(&self.asked, position);
            let numbers = numbers_of(root.board());
            (root, numbers)
        };
        self.loaded = positions.iter().map(texture).collect();
        Ok(())
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
        let mut telemetry = self.turn.telemetry_and_resources();
        let rows = (resource::ROWS.to_owned(), self.rows as u64);
        telemetry.resources.push(rows);
        telemetry
    }
}
