//! Shared host code for device playouts: the distribution of games over work-items, and the root in the kernels' form.

use crate::games::checkers::{
    Capture, Checkers, Colour, JUMP_INSIDE, KING_ROWS, Playouts, Position, ROTATIONS, Rules,
    STEP_INSIDE,
};
use crate::random::{DRAW_ROUNDS, draw_key};
use crate::techniques::prelude::*;
pub(super) use crate::techniques::tasks::flat_refill::GROUP;
use crate::techniques::tasks::flat_refill::read_group;

/// Number of words per first move (`CHILD_WORDS` in the kernels): both sides' pieces, kings, plies since a capture.
pub(super) const CHILD_WORDS: usize = 4;

/// Names of the constants, per direction, for the squares from which a step (or a jump) stays on the board.
pub(super) const INSIDE_NAMES: [[&str; 4]; 2] = [
    [
        "STEP_INSIDE_0",
        "STEP_INSIDE_1",
        "STEP_INSIDE_2",
        "STEP_INSIDE_3",
    ],
    [
        "JUMP_INSIDE_0",
        "JUMP_INSIDE_1",
        "JUMP_INSIDE_2",
        "JUMP_INSIDE_3",
    ],
];

/// Returns the constants for the rules. `king_rows` depends on the square numbering.
pub(super) fn defines_of_rules(rules: &Rules, king_rows: u32) -> Defines {
    let longest = rules.capture == Capture::Longest;
    vec![
        ("LONGEST", u32::from(longest).to_string()),
        ("DRAW_AFTER", rules.draw_after.to_string()),
        ("DRAW_ROUNDS", DRAW_ROUNDS.to_string()),
        ("KING_ROWS", format!("{king_rows:#x}u")),
    ]
}

/// Returns the constants for kernels that number the squares by the rotated index.
pub(super) fn defines(rules: &Rules) -> Defines {
    let mut defines = defines_of_rules(rules, KING_ROWS);
    let rotations = ["ROTATION_0", "ROTATION_1", "ROTATION_2", "ROTATION_3"];
    let [steps, jumps] = INSIDE_NAMES;
    for way in 0..4 {
        defines.push((rotations[way], ROTATIONS[way].to_string()));
        defines.push((steps[way], format!("{:#x}u", STEP_INSIDE[way])));
        defines.push((jumps[way], format!("{:#x}u", JUMP_INSIDE[way])));
    }
    defines
}

/// Returns the mover's pieces, the opponent's pieces, and the kings.
pub(super) fn words(position: &Position) -> [u32; 3] {
    let (own, other) = match position.mover {
        Colour::Black => (position.black, position.white),
        Colour::White => (position.white, position.black),
    };
    [own, other, position.kings]
}

/// Returns all ones if the mover's men move down the board, otherwise 0.
pub(super) fn down(position: &Position) -> u32 {
    match position.mover {
        Colour::Black => u32::MAX,
        Colour::White => 0,
    }
}

/// A root of playouts in the kernels' form.
pub(super) struct Root {
    /// [`CHILD_WORDS`] words per first move, in order. Empty if the game is over.
    pub children: Vec<u32>,
    pub moves: u32,
    pub down: u32,
    pub key: u32,
    /// Plays the same playouts on the host, for games that are over at the root.
    pub host: Playouts,
}

impl Root {
    pub fn new(rules: Rules, position: &Position, seed: u64) -> Root {
        let host = Playouts::new(rules, position, seed);
        let game = Checkers::new(rules);
        let mut children = Vec::new();
        if host.first_moves() > 0 {
            for mv in game.legal_moves(position) {
                let child = game.play(position, mv);
                children.extend(words(&child));
                children.push(child.quiet);
            }
        }
        Root {
            moves: (children.len() / CHILD_WORDS) as u32,
            children,
            down: !down(position),
            key: draw_key(seed),
            host,
        }
    }
}

choices! {
    /// Number of games that a work-item plays in lockstep.
    pub(super) LANES, read_lanes -> Option<usize>:
        "lanes", {"auto" => None, "1" => Some(1), "16" => Some(16)}, "auto",
        "`auto` (1, or 16 on a CPU), 1 or 16: games that a work-item plays in lockstep";
}

/// The layout of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub group: usize,
    /// Number of games that a work-item plays in lockstep: 1 or 16.
    pub lanes: usize,
    /// Number of steps between two rounds that continue unfinished captures.
    pub steps: usize,
    /// Estimated number of work-items in lockstep (warp or SIMD width).
    pub width: usize,
}

impl Layout {
    /// Reads [`GROUP`] and [`LANES`]. Fails if a value is invalid or if the device refuses the group size.
    pub fn read(params: &Params, device: &Device) -> Result<Layout, Fault> {
        let group = GROUP.given(params, None, read_group)?;
        let lanes = LANES.given(params, None, read_lanes)?;
        let processor = device.info().kind == DeviceKind::Cpu;
        let multiple = device.preferred_multiple().max(1);
        let most = device.info().max_work_group.max(1);
        let group = match group {
            Some(group) => WorkGroup::Exactly(group).on(device.info())?,
            None if processor => device.quirks().whole_vectors().min(most),
            None => (4 * multiple).min(most),
        };
        Ok(Layout {
            group,
            lanes: lanes.unwrap_or(if processor { 16 } else { 1 }),
            steps: if processor { 4 } else { 6 },
            width: if processor { 1 } else { multiple.min(group) },
        })
    }

    /// Checks the group size for kernels whose work-items take games from a shared counter until none are left.
    pub fn of_whole_vectors(self, device: &Device) -> Result<Layout, Fault> {
        let vector = device.quirks().whole_vectors();
        if self.group.is_multiple_of(vector) {
            return Ok(self);
        }
        Err(Fault::Unsupported(format!(
            "group: {}; this driver loses playouts where it is no multiple of {vector}",
            self.group
        )))
    }

    pub fn define(&self, defines: &mut Defines) {
        defines.extend([
            ("GROUP", self.group.to_string()),
            ("LANES", self.lanes.to_string()),
            ("STEPS", self.steps.to_string()),
            ("WIDTH", self.width.to_string()),
        ]);
    }

    /// Returns the number of games that a group plays at a time.
    pub fn games(&self) -> u64 {
        (self.group * self.lanes) as u64
    }

    pub fn notes(&self) -> String {
        let (group, lanes, steps) = (self.group, self.lanes, self.steps);
        format!("group {group}, lanes {lanes}, steps {steps}")
    }
}
