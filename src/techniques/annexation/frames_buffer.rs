//! `frames-buffer`: playouts as rows of pixels in buffers.

use super::device_frames::{FramesPlan, ROWS};
use super::hard::{FLAT, PLAYOUTS, SMALL};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{DEVICES, Task, TechniqueEntry};

/// `frames` for devices without images, and a comparison with images on the others.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "frames-buffer",
        summary: "frames with buffers in the place of images",
        paper: "The awesome GPU, \"GPU Calculations\", without textures",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[ROWS, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("", FLAT),
        Trial::new("rows=64", SMALL),
    ],
    prepare: |setup| PLAN.prepare(setup),
};

const PLAN: FramesPlan = FramesPlan {
    images: false,
    reads_back: false,
};
