//! Common parts of the techniques that list every ply's moves: `cl/checkers/lists.cl` and its constants.

use super::device_games::{self, ROOMS, Root};
use super::flat::Program;
use crate::games::checkers::{
    Capture, Position, Rules, STRAIGHT_EVEN_STEPS, STRAIGHT_JUMP_INSIDE, STRAIGHT_KING_ROWS,
    STRAIGHT_ODD_STEPS, STRAIGHT_STEP_INSIDE, StraightPlayouts,
};
use crate::opencl::Defines;
use crate::random::DRAW_ROUNDS;
use crate::words::{Fault, Params};

/// Default capacity of a list, in moves. Twelve kings have at most 48 steps. No bound is known for captures,
/// but a search for positions with more than this found none.
const MOST_MOVES: u32 = 64;

/// Rotated index, moves of eight bytes.
pub(super) const ROTATED_8: Program = Program {
    path: "checkers/lists.cl",
    kernel: "lists",
    defines: |rules, params| rotated(rules, params, 8),
    lanes: Some(1),
    root: Root::new,
};

/// Rotated index, moves of sixteen bytes.
pub(super) const ROTATED_16: Program = Program {
    defines: |rules, params| rotated(rules, params, 16),
    ..ROTATED_8
};

/// Straight index, moves of eight bytes.
pub(super) const STRAIGHT_8: Program = Program {
    defines: straight,
    root: straight_root,
    ..ROTATED_8
};

/// The constant for the capacity of a list.
fn room(params: &Params) -> Result<(&'static str, String), Fault> {
    let room = ROOMS.read(params).map_err(Fault::Input)?;
    Ok(("MOST_MOVES", room.unwrap_or(MOST_MOVES).to_string()))
}

fn rotated(rules: &Rules, params: &Params, bytes: u32) -> Result<Defines, Fault> {
    let mut defines = device_games::defines(rules);
    defines.push(("MOVE_BYTES", bytes.to_string()));
    defines.push(room(params)?);
    Ok(defines)
}

fn straight(rules: &Rules, params: &Params) -> Result<Defines, Fault> {
    let longest = rules.capture() == Capture::Longest;
    // One byte per direction, as the kernel reads them.
    let rotations = |steps: [i32; 4]| {
        let bytes = steps.map(|step| step.rem_euclid(32) as u8);
        format!("{:#x}u", u32::from_le_bytes(bytes))
    };
    let mut defines = vec![
        ("STRAIGHT", "1".to_owned()),
        ("MOVE_BYTES", "8".to_owned()),
        room(params)?,
        ("LONGEST", u32::from(longest).to_string()),
        ("DRAW_AFTER", rules.draw_after().to_string()),
        ("DRAW_ROUNDS", DRAW_ROUNDS.to_string()),
        ("KING_ROWS", format!("{STRAIGHT_KING_ROWS:#x}u")),
        ("EVEN_ROTATIONS", rotations(STRAIGHT_EVEN_STEPS)),
        ("ODD_ROTATIONS", rotations(STRAIGHT_ODD_STEPS)),
    ];
    let words = |names: [&'static str; 4], squares: [u32; 4]| {
        let texts = squares.map(|squares| format!("{squares:#x}u"));
        names.into_iter().zip(texts)
    };
    let [steps, jumps] = device_games::INSIDE_NAMES;
    defines.extend(words(steps, STRAIGHT_STEP_INSIDE));
    defines.extend(words(jumps, STRAIGHT_JUMP_INSIDE));
    Ok(defines)
}

fn straight_root(rules: Rules, position: &Position, seed: u64) -> Root {
    let children = StraightPlayouts::new(rules, position, seed);
    Root {
        children: children.children().flatten().collect(),
        ..Root::new(rules, position, seed)
    }
}
