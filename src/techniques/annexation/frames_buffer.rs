//! `frames-buffer`: playouts as rows of pixels in buffers.

use super::device_frames::{FramesPlan, ROWS};
use crate::techniques::Technique;
use crate::words::{Kind, Task, TechniqueEntry, takes_every_case};

/// `frames` where the device has no images, and what images give or take where it has.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "frames-buffer",
        kind: Kind::Device,
        summary: "frames with buffers in the place of images",
        paper: "The awesome GPU, \"GPU Calculations\", without textures",
        needs: "",
        like: "rayon",
        reference: "serial",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[ROWS],
        check: takes_every_case,
    },
    prepare: |setup| PLAN.prepare(setup),
};

const PLAN: FramesPlan = FramesPlan {
    images: false,
    reads_back: false,
};
