//! `frames-readback`: frames until every row is settled.

use super::device_frames::{FramesPlan, ROWS};
use super::hard::{FLAT, PLAYOUTS};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{DEVICES, Task, TechniqueEntry};

/// `frames-buffer` whose host reads after every turn whether any row has a cell without an owner, and stops
/// if none has. The paper says, without a figure, that it is faster to play on.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "frames-readback",
        summary: "frames-buffer that asks every turn whether all rows are settled",
        paper: "The awesome GPU, \"Important to note\", 3: what it advises against",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        params: &[ROWS, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", PLAYOUTS), Trial::new("", FLAT)],
    prepare: |setup| PLAN.prepare(setup),
};

const PLAN: FramesPlan = FramesPlan {
    images: false,
    reads_back: true,
};
