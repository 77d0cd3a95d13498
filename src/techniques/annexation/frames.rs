//! `frames`: playouts as rows of pixels in images.

use super::device_frames::{FramesPlan, ROWS};
use super::hard::{FLAT, PLAYOUTS};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{DEVICES, Task, TechniqueEntry};

/// The paper's method: a board texture, two state textures that are read and written alternately, one launch
/// a turn, and a count only at the end.
pub const TECHNIQUE: Technique = Technique {
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
    prepare: |setup| PLAN.prepare(setup),
};

const PLAN: FramesPlan = FramesPlan {
    images: true,
    reads_back: false,
};
