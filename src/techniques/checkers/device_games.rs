//! Common parts of the techniques that play at random on a device: the distribution of games over work-items,
//! and the root of the playouts in the kernels' form.

use std::fmt;

use crate::games::Game;
use crate::games::checkers::{
    Capture, Checkers, Colour, JUMP_INSIDE, KING_ROWS, Playouts, Position, ROTATIONS, Rules,
    STEP_INSIDE,
};
use crate::opencl::{Defines, Device, DeviceKind, Program, Runner, WorkGroup};
use crate::random::{DRAW_ROUNDS, draw_key};
use crate::words::{Fault, ParamEntry, Params, Value};

/// Words of a first move (`CHILD_WORDS` in the kernels): own, other, kings, plies since the last capture.
pub(super) const CHILD_WORDS: usize = 4;

/// The constants of the squares from which a step in each direction stays on the board, and of those for a
/// jump.
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

/// The constants of the rules, for kernels.
pub(super) fn defines(rules: &Rules) -> Defines {
    let longest = rules.capture() == Capture::Longest;
    let mut defines = vec![
        ("LONGEST", u32::from(longest).to_string()),
        ("DRAW_AFTER", rules.draw_after().to_string()),
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

/// The pieces of the side to move, the other side's and the kings, as in kernels.
pub(super) fn words(position: &Position) -> [u32; 3] {
    let (own, other) = match position.mover() {
        Colour::Black => (position.black(), position.white()),
        Colour::White => (position.white(), position.black()),
    };
    [own, other, position.kings()]
}

/// All ones if the men of the side to move go down the board, else 0.
pub(super) fn down(position: &Position) -> u32 {
    match position.mover() {
        Colour::Black => u32::MAX,
        Colour::White => 0,
    }
}

/// The root of playouts.
pub(super) struct Root {
    /// [`CHILD_WORDS`] for each first move, in order; empty if the game is over.
    pub children: Vec<u32>,
    /// Number of first moves.
    pub moves: u32,
    /// [`down`] of the positions after the first moves.
    pub down: u32,
    /// The playouts' key.
    pub key: u32,
    /// The same playouts on the host, for the case that the game is over at the root.
    pub host: Playouts,
}

impl Root {
    /// The playouts from a position under a seed.
    pub fn new(rules: Rules, position: &Position, seed: u64) -> Root {
        let host = Playouts::new(rules, position, seed);
        let game = Checkers::new(rules);
        let mut children = Vec::new();
        if host.first_moves() > 0 {
            for mv in game.legal_moves(position) {
                let child = game.play(position, mv);
                children.extend(words(&child));
                children.push(child.quiet());
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

/// A parameter that is a whole number, or `auto`.
pub(super) struct Number {
    name: &'static str,
    allowed: &'static str,
    range: std::ops::RangeInclusive<i64>,
}

impl Number {
    /// The number; `None` if it is not given or `auto`.
    ///
    /// # Errors
    /// One line that names the key, the value and what is allowed.
    pub fn read(&self, params: &Params) -> Result<Option<u32>, String> {
        params
            .get(self.name)
            .map_or(Ok(None), |value| self.parse(value))
    }

    fn parse(&self, value: &Value) -> Result<Option<u32>, String> {
        match (value.as_text(), value.as_int()) {
            (Some("auto"), _) => Ok(None),
            (_, Some(number)) if self.range.contains(&number) => Ok(Some(number as u32)),
            _ => Err(format!(
                "{}: `{value}`; allowed is {}",
                self.name, self.allowed
            )),
        }
    }
}

/// Declares a [`Number`] and its parameter entry.
macro_rules! numbers {
    ($($(#[$doc:meta])* $number:ident, $entry:ident, $name:literal, $range:expr, $allowed:expr;)*) => {$(
        pub(super) const $number: Number = Number { name: $name, allowed: $allowed, range: $range };
        $(#[$doc])*
        pub(super) const $entry: ParamEntry = ParamEntry {
            name: $name,
            allowed: $allowed,
            default: "auto",
            check: |value| $number.parse(value).map(drop),
        };
    )*};
}

numbers! {
    /// Work-items of a group.
    GROUPS, GROUP, "group", 1..=1024,
        "`auto`: 4 times the device's preferred multiple, on a processor 1, or 16 where its driver needs whole vectors; \
         or the number of work-items, from 1 to 1024";
    /// Games that a work-item plays in step.
    LANE_COUNTS, LANES, "lanes", 1..=16,
        "`auto`: 1, on a processor 16; or 1 or 16: games that a work-item plays in step";
    /// Steps between two passes over the captures that go on.
    STEP_COUNTS, STEPS, "steps", 1..=64,
        "`auto`: 6, on a processor 4; or a number from 1 to 64: steps of all games between two turns of the captures \
         that go on after their first jump";
    /// Capacity of a list in moves.
    ROOMS, ROOM, "room", 1..=256,
        "`auto`: 64; or a number from 1 to 256: moves that a list has room for; a cell with a position that has more \
         fails";
}

/// How a device's work-items play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Work-items of a group.
    pub group: usize,
    /// Games that a work-item plays in step: 1 or 16.
    pub lanes: usize,
    /// Steps between two passes over the captures that go on.
    pub steps: u32,
    /// Work-items that probably execute in lock step (a warp's).
    pub width: usize,
}

impl Layout {
    /// Reads the parameters [`GROUP`], [`LANES`] and [`STEPS`].
    ///
    /// # Errors
    /// One line that names the key, the value and what is allowed; [`Fault::Unsupported`] if the device does
    /// not allow the group size.
    pub fn read(params: &Params, device: &Device) -> Result<Layout, Fault> {
        let group = GROUPS.read(params).map_err(Fault::Input)?;
        let lanes = LANE_COUNTS.read(params).map_err(Fault::Input)?;
        let steps = STEP_COUNTS.read(params).map_err(Fault::Input)?;
        let processor = device.info().kind == DeviceKind::Cpu;
        if let Some(lanes) = lanes.filter(|lanes| ![1, 16].contains(lanes)) {
            let wrong = format!("lanes: `{lanes}`; allowed is {}", LANES.allowed);
            return Err(Fault::Input(wrong));
        }
        let multiple = device.preferred_multiple().max(1);
        let most = device.info().max_work_group.max(1);
        let group = match group {
            Some(group) => WorkGroup::Exactly(group as usize).on(device.info())?,
            None if processor => device.quirks().whole_vectors().min(most),
            None => (4 * multiple).min(most),
        };
        Ok(Layout {
            group,
            lanes: lanes.map_or(if processor { 16 } else { 1 }, |lanes| lanes as usize),
            steps: steps.unwrap_or(if processor { 4 } else { 6 }),
            width: if processor { 1 } else { multiple.min(group) },
        })
    }

    /// The same, for kernels whose items take work from a counter until it runs out.
    ///
    /// # Errors
    /// [`Fault::Unsupported`] if the driver would lose work with this group size.
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

    /// The kernel's constants.
    pub fn defines(&self) -> [(&'static str, String); 4] {
        [
            ("GROUP", self.group.to_string()),
            ("LANES", self.lanes.to_string()),
            ("STEPS", self.steps.to_string()),
            ("WIDTH", self.width.to_string()),
        ]
    }

    /// A kernel, with a queue, of a program that was built with [`Layout::defines`]. Its notes are the
    /// layout, `more`, its private memory, and the program's options.
    ///
    /// # Errors
    /// [`Fault::Build`] if there is no such kernel; [`Fault::Unsupported`] if it does not allow the group
    /// size.
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

    /// Games that a group plays in step.
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

/// Playouts with which a technique warms up and its efficiency is counted, at most: 10 ms on a GPU.
const WARM_UP: u64 = 1 << 22;

/// The same on a processor.
const PROCESSOR_WARM_UP: u64 = 1 << 16;

/// Playouts of the warm-up: as many as a sample has, within the limits.
pub(super) fn warm_up(playouts: u64, layout: &Layout, device: &Device) -> u64 {
    let most = match device.info().kind {
        DeviceKind::Cpu => PROCESSOR_WARM_UP,
        _ => WARM_UP,
    };
    match playouts {
        0 => layout.games(),
        playouts => playouts.min(most),
    }
}

/// The plies played on a device, and the steps of its lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps {
    /// Plies, without each game's first, which the host plays.
    pub plies: u64,
    /// For each lane, the largest number of steps among the lanes in lock step with it.
    pub steps: u64,
}

impl Steps {
    /// The share of steps in which a ply was played, in millionths.
    pub fn efficiency_ppm(self) -> u64 {
        self.plies * 1_000_000 / self.steps.max(1)
    }
}
