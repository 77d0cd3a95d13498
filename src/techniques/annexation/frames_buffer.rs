//! `frames-buffer`: playouts as rows of pixels in buffers.

use super::device_frames::{FramesPlan, ROWS};
use super::hard::{FLAT, PLAYOUTS, SMALL};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{Counts, Kind, Task, TechniqueEntry, takes_every_case};

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
        counts: Counts::As("serial"),
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[ROWS],
        check: takes_every_case,
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
