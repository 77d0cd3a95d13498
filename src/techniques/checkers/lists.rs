//! The techniques that list every ply's moves, with `cl/checkers/lists.cl`.

use super::device_games::{self, GROUP, ROOM, ROOMS, Root};
use super::flat::{self, Program};
use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use crate::games::checkers::{
    Capture, Position, Rules, STRAIGHT_EVEN_STEPS, STRAIGHT_JUMP_INSIDE, STRAIGHT_KING_ROWS,
    STRAIGHT_ODD_STEPS, STRAIGHT_STEP_INSIDE, StraightPlayouts,
};
use crate::opencl::Defines;
use crate::random::DRAW_ROUNDS;
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{Counts, DEVICES, Fault, Params, Task, TechniqueEntry};

/// The paper's shorter move ("Ruch"): a word of the squares between and the captured pieces, start and end.
///
/// Games are distributed and counted as in `flat`, and are those of `serial`; but every ply lists all moves,
/// as in the paper's structures, and selects one, while `flat` makes no list. A list has space for 64 moves:
/// 512 bytes of private memory per work-item, which GPUs keep in device memory behind their caches. A step
/// writes 6 bytes of it, a selection reads 6.
pub const LISTS_8: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "lists-8",
        summary: "as flat, but every ply lists its moves, of eight bytes each, and picks one",
        paper: "\"Plansza\", \"Ruch\"",
        needs: "four bytes a game, 512 private bytes a work-item",
        tasks: &[Task::Playouts],
        params: &[GROUP, ROOM, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("group=24", FEW_PLAYOUTS),
    ],
    prepare: |setup| flat::prepare_with(setup, &ROTATED_8),
};

/// The paper's longer move ("Ruch"): every square on the piece's path, their number, and the captured pieces.
///
/// It differs from `lists-8` only in the move. A list takes 1,024 bytes of private memory per work-item, but
/// a step writes only 7 bytes of its move, one more than in `lists-8`, and a selection reads 7; all sixteen
/// are never used. So the cost of the longer move is cache space.
pub const LISTS_16: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "lists-16",
        summary: "as lists-8 with moves of sixteen bytes",
        needs: "four bytes a game, 1,024 private bytes a work-item",
        ..LISTS_8.entry
    },
    trials: &[Trial::new("", PLAYOUTS)],
    prepare: |setup| flat::prepare_with(setup, &ROTATED_16),
};

/// The index that the paper rejects ("Plansza"): rows of four squares, where a step is ±4 one way and ±3 or
/// ±5 the other, by the row's parity.
///
/// It differs from `lists-8` only in the index. The cost of the index: sets of squares that are moved back by
/// a step, four for captures and four for steps, are moved in two ways, one for each parity, and joined; and
/// the step of a piece depends on its row. A jump crosses both parities and costs nothing more. Its moves
/// have a separate order, so its games are those of `serial-straight`.
pub const LISTS_STRAIGHT: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "lists-straight",
        summary: "as lists-8 with squares counted row by row: steps of 3, 4 or 5 by the row's parity",
        like: "serial-straight",
        reference: "serial-straight",
        counts: Counts::As("serial-straight"),
        ..LISTS_8.entry
    },
    trials: &[Trial::new("", PLAYOUTS)],
    prepare: |setup| flat::prepare_with(setup, &STRAIGHT_8),
};

/// Default capacity of a list, in moves. Twelve kings have at most 48 steps. No bound is known for captures,
/// but a search for positions with more than this found none.
const MOST_MOVES: u32 = 64;

/// Rotated index, moves of eight bytes.
const ROTATED_8: Program = Program {
    path: "checkers/lists.cl",
    kernel: "lists",
    defines: |rules, params| rotated(rules, params, 8),
    lanes: Some(1),
    root: Root::new,
};

/// Rotated index, moves of sixteen bytes.
const ROTATED_16: Program = Program {
    defines: |rules, params| rotated(rules, params, 16),
    ..ROTATED_8
};

/// Straight index, moves of eight bytes.
const STRAIGHT_8: Program = Program {
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
