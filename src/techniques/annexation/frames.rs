//! `frames`: playouts as rows of pixels, in images or buffers.

use super::device_frames::{FramesPlan, ROWS};
use super::hard::{FLAT, PLAYOUTS, SMALL};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{DEVICES, Task, TechniqueEntry};

/// The paper's method: a board texture, two alternating state textures, one launch per turn, one count at the end.
pub const FRAMES: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "frames",
        summary: "playouts as rows of pixels, two state textures in turn, a launch a turn",
        paper: "The awesome GPU, \"GPU Calculations\"",
        needs: "images of four 8-bit numbers",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[ROWS, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", PLAYOUTS), Trial::new("", FLAT)],
    prepare: |setup| plan(true, false).prepare(setup),
};

/// `frames` with buffers instead of images.
pub const BUFFER: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
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
    prepare: |setup| plan(false, false).prepare(setup),
};

/// `frames-buffer` with a check after every turn: the host stops if every cell has an owner. The paper says, without a
/// figure, that playing on is faster.
pub const READBACK: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "frames-readback",
        summary: "frames-buffer that asks every turn whether all rows are settled",
        paper: "The awesome GPU, \"Important to note\", 3: what it advises against",
        ..BUFFER.entry
    },
    prepare: |setup| plan(false, true).prepare(setup),
    ..FRAMES
};

const fn plan(images: bool, reads_back: bool) -> FramesPlan {
    FramesPlan { images, reads_back }
}
