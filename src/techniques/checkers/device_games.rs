//! Common parts of device playouts: distribution of games over work-items, and the root in the kernels' form.

use std::fmt;

use crate::games::Game;
use crate::games::checkers::{
    Capture, Checkers, Colour, JUMP_INSIDE, KING_ROWS, Playouts, Position, ROTATIONS, Rules,
    STEP_INSIDE,
};
use crate::opencl::{Defines, Device, DeviceKind, Program, Runner, WorkGroup};
use crate::random::{DRAW_ROUNDS, draw_key};
use crate::techniques::list::whole_numbers;
use crate::words::{Fault, Params};

/// Words per first move (`CHILD_WORDS` in the kernels): mover, other side, kings, plies since the last capture.
pub(super) const CHILD_WORDS: usize = 4;

/// Constants for the squares from which a step, or a jump, in each direction stays on the board.
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

pub(super) fn defines(rules: &Rules) -> Defines {
    let longest = rules.capture == Capture::Longest;
    let mut defines = vec![
        ("LONGEST", u32::from(longest).to_string()),
        ("DRAW_AFTER", rules.draw_after.to_string()),
        ("DRAW_ROUNDS", DRAW_ROUNDS.to_string()),
        ("KING_ROWS", format!("{KING_ROWS:#x}u")),
    ];
    let rotations = ["ROTATION_0", "ROTATION_1", "ROTATION_2", "ROTATION_3"];
    let [steps, jumps] = INSIDE_NAMES;
    for way in 0..4 {
        defines.push((rotations[way], ROTATIONS[way].to_string()));
        defines.push((steps[way], format!("{:#x}u", STEP_INSIDE[way])));
        defines.push((jumps[way], format!("{:#x}u", JUMP_INSIDE[way])));
    }
    defines
}

/// The mover's pieces, the other side's and the kings.
pub(super) fn words(position: &Position) -> [u32; 3] {
    let (own, other) = match position.mover {
        Colour::Black => (position.black, position.white),
        Colour::White => (position.white, position.black),
    };
    [own, other, position.kings]
}

/// All ones if the mover's men go down the board, else 0.
pub(super) fn down(position: &Position) -> u32 {
    match position.mover {
        Colour::Black => u32::MAX,
        Colour::White => 0,
    }
}

/// The root of playouts.
pub(super) struct Root {
    /// [`CHILD_WORDS`] per first move, in order; empty if the game is over.
    pub children: Vec<u32>,
    /// Number of first moves.
    pub moves: u32,
    pub down: u32,
    pub key: u32,
    /// The same playouts on the host, for a game that is over at the root.
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

whole_numbers! {
    pub(super) auto GROUP, read_group: "group", 1..=1024, "auto",
        "`auto`: 4 times the device's preferred multiple, on a processor 1, or 16 where its driver needs whole vectors; \
         or the number of work-items, from 1 to 1024";

    /// Games that a work-item plays in lockstep.
    pub(super) auto LANES, read_lanes: "lanes", 1..=16, "auto",
        "`auto`: 1, on a processor 16; or 1 or 16: games that a work-item plays in step";

    /// Steps between two passes over unfinished captures.
    pub(super) auto STEPS, read_steps: "steps", 1..=64, "auto",
        "`auto`: 6, on a processor 4; or a number from 1 to 64: steps of all games between two turns of the captures \
         that go on after their first jump";

    /// Capacity of a list, in moves.
    pub(super) auto ROOM, read_room: "room", 1..=256, "auto",
        "`auto`: 64; or a number from 1 to 256: moves that a list has room for; a cell with a position that has more \
         fails";
}

/// Layout of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub group: usize,
    /// Games per work-item in lockstep: 1 or 16.
    pub lanes: usize,
    /// Steps between two passes over unfinished captures.
    pub steps: usize,
    /// Work-items that probably execute in lockstep, for example a warp.
    pub width: usize,
}

impl Layout {
    /// Reads [`GROUP`], [`LANES`] and [`STEPS`]. Fails on an invalid value or a group size that the device refuses.
    pub fn read(params: &Params, device: &Device) -> Result<Layout, Fault> {
        let group = GROUP.given(params, None, read_group)?;
        let lanes = LANES.given(params, None, read_lanes)?;
        let steps = STEPS.given(params, None, read_steps)?;
        let processor = device.info().kind == DeviceKind::Cpu;
        if let Some(lanes) = lanes.filter(|lanes| ![1, 16].contains(lanes)) {
            let wrong = format!("lanes: `{lanes}`; allowed is {}", LANES.allowed);
            return Err(Fault::Input(wrong));
        }
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
            steps: steps.unwrap_or(if processor { 4 } else { 6 }),
            width: if processor { 1 } else { multiple.min(group) },
        })
    }

    /// The same, for kernels whose work-items draw from a counter until it is empty. Fails with [`Fault::Unsupported`]
    /// if the driver would lose work with this group size.
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

    pub fn defines(&self) -> [(&'static str, String); 4] {
        [
            ("GROUP", self.group.to_string()),
            ("LANES", self.lanes.to_string()),
            ("STEPS", self.steps.to_string()),
            ("WIDTH", self.width.to_string()),
        ]
    }

    /// Makes kernel and queue of a program built with [`Layout::defines`]. Notes: the layout, `more`, private memory
    /// and the program's options. Fails without such a kernel, or if it refuses the group size.
    pub fn runner(
        &self,
        device: &Device,
        program: &Program,
        kernel: &str,
        more: &str,
    ) -> Result<Runner, Fault> {
        let kernel = program.kernel(kernel)?;
        let private = kernel.private_bytes();
        let run = Runner::new(device, program, kernel, self.group)?;
        let options = &run.options;
        Ok(Runner {
            notes: format!("{self}{more}, private {private} bytes, built with {options}"),
            ..run
        })
    }

    /// Games per group in lockstep.
    pub fn games(&self) -> u64 {
        (self.group * self.lanes) as u64
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layout {
            group,
            lanes,
            steps,
            ..
        } = self;
        write!(f, "group {group}, lanes {lanes}, steps {steps}")
    }
}
