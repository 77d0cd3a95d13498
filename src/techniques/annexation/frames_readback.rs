//! `frames-readback`: frames until every row is settled.

use super::device_frames::{FramesPlan, ROWS};
use super::hard::{FLAT, PLAYOUTS};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{Task, TechniqueEntry};

/// `frames-buffer`, whose host asks after every turn whether a row has an unowned cell left, and stops at
/// none. The paper says without a figure that playing on is faster.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "frames-readback",
        summary: "frames-buffer that asks every turn whether all rows are settled",
        paper: "The awesome GPU, \"Important to note\", 3: what it advises against",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[ROWS],
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", PLAYOUTS), Trial::new("", FLAT)],
    prepare: |setup| PLAN.prepare(setup),
};

const PLAN: FramesPlan = FramesPlan {
    images: false,
    reads_back: true,
};
