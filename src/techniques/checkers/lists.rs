//! Techniques that list the moves of every ply (`cl/checkers/lists.cl`).

use super::device_games::{self, GROUP, Root};
use super::flat::{self, Program};
use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use crate::games::checkers::{
    Position, Rules, STRAIGHT_EVEN_STEPS, STRAIGHT_JUMP_INSIDE, STRAIGHT_KING_ROWS,
    STRAIGHT_ODD_STEPS, STRAIGHT_STEP_INSIDE, StraightPlayouts,
};
use crate::techniques::prelude::*;

/// The paper's shorter encoding of a move ("Ruch"): one word with the intermediate squares and the captured pieces,
/// plus a start square and an end square. Each ply lists all moves, as in the paper, and selects one. A list takes 512
/// bytes of private memory (device memory on GPUs).
pub const LISTS_8: Technique = Technique {
    entry: TechniqueEntry {
        name: "lists-8",
        summary: "flat with a list of moves in each ply and eight bytes per move",
        paper: "\"Plansza\", \"Ruch\"",
        needs: "four bytes per game, 512 private bytes per work-item",
        tasks: &[Task::Playouts],
        params: &[GROUP, DEVICES],
        splits: true,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("group=24", FEW_PLAYOUTS),
    ],
    prepare: |setup| flat::prepare_with(setup, &ROTATED_8),
};

/// The paper's longer encoding of a move ("Ruch"): all squares of its path and the captured pieces. See `lists-8`.
pub const LISTS_16: Technique = Technique {
    entry: TechniqueEntry {
        name: "lists-16",
        summary: "lists-8 with sixteen bytes per move",
        needs: "four bytes per game, 1,024 private bytes per work-item",
        ..LISTS_8.entry
    },
    trials: &[Trial::new("", PLAYOUTS)],
    prepare: |setup| flat::prepare_with(setup, &ROTATED_16),
};

/// The square numbering that the paper rejects ("Plansza"), with rows of four squares. A step shifts a set of squares
/// in two ways, one per row parity, and combines the results. Moves have the same order as in `serial-straight`.
pub const LISTS_STRAIGHT: Technique = Technique {
    entry: TechniqueEntry {
        name: "lists-straight",
        summary: "lists-8 with squares numbered by rows, so that steps are 3, 4 or 5 depending on the row",
        like: "serial-straight",
        reference: "serial-straight",
        counts: Counts::As("serial-straight"),
        ..LISTS_8.entry
    },
    trials: &[Trial::new("", PLAYOUTS)],
    prepare: |setup| flat::prepare_with(setup, &STRAIGHT_8),
};

/// Capacity of a list. An overflow makes the cell fail. Twelve kings have up to 48 steps. We found positions with up to
/// 64 captures.
const MOST_MOVES: usize = 64;

const ROTATED_8: Program = Program {
    kernel: ("checkers/lists.cl", "lists"),
    defines: |rules| rotated(rules, 8),
    lanes: Some(1),
    root: Root::new,
    by_thread: false,
};

const ROTATED_16: Program = Program {
    defines: |rules| rotated(rules, 16),
    ..ROTATED_8
};

const STRAIGHT_8: Program = Program {
    defines: straight,
    root: straight_root,
    ..ROTATED_8
};

fn rotated(rules: &Rules, bytes: u32) -> Defines {
    let mut defines = device_games::defines(rules);
    defines.extend([
        ("MOVE_BYTES", bytes.to_string()),
        ("MOST_MOVES", MOST_MOVES.to_string()),
    ]);
    defines
}

fn straight(rules: &Rules) -> Defines {
    // Store one byte per direction, because the kernel reads bytes.
    let rotations = |steps: [i32; 4]| {
        let bytes = steps.map(|step| step.rem_euclid(32) as u8);
        format!("{:#x}u", u32::from_le_bytes(bytes))
    };
    let mut defines = device_games::defines_of_rules(rules, STRAIGHT_KING_ROWS);
    defines.extend([
        ("STRAIGHT", "1".to_owned()),
        ("MOVE_BYTES", "8".to_owned()),
        ("MOST_MOVES", MOST_MOVES.to_string()),
        ("EVEN_ROTATIONS", rotations(STRAIGHT_EVEN_STEPS)),
        ("ODD_ROTATIONS", rotations(STRAIGHT_ODD_STEPS)),
    ]);
    let inside = [STRAIGHT_STEP_INSIDE, STRAIGHT_JUMP_INSIDE];
    for (names, squares) in device_games::INSIDE_NAMES.into_iter().zip(inside) {
        let texts = squares.map(|squares| format!("{squares:#x}u"));
        defines.extend(names.into_iter().zip(texts));
    }
    defines
}

fn straight_root(rules: Rules, position: &Position, seed: u64) -> Root {
    let children = StraightPlayouts::new(rules, position, seed);
    Root {
        children: children.children().flatten().collect(),
        ..Root::new(rules, position, seed)
    }
}
