//! `table-search`: [`table_search`] for gomoku.
//!
//! A group handles a node with two plies left in four steps: it builds the lines, computes the gains, orders the
//! replies, and tries the moves. The gains take the most time. Each node recomputes them, so that records stay small. A
//! work-item handles two squares.

use super::device_board::{defines, tables};
use super::hard::TABLE as HARD;
use super::tasks::Gomoku;
use crate::games::gomoku::{
    Evaluation, MOST, MoveRule, Position, Representation, Size, Square, VisitOrdered, WIN, carried,
};
use crate::techniques::prelude::*;
use crate::techniques::tasks::table_search::game::{ENTRY, Shape};
use crate::techniques::tasks::table_search::{Root, TableGame, scheduler_bytes, table_search};
use crate::techniques::tasks::{Play, prepare_timed};

/// The technique for this game (see [`ENTRY`]).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        needs: "a board of at most 15x15; 76 bytes of global memory per record, and the table",
        ..ENTRY
    },
    trials: &[
        Trial::new("", HARD),
        Trial::new("group=5 table=1 thresholds=3", HARD),
    ],
    prepare,
};

/// Maximum side of a board. It is limited because the kernel encodes a move in eight bits.
const LONGEST: usize = 15;
/// Marks the absence of a move. No square has this number.
const NO_MOVE: u32 = 127;

fn prepare(setup: &Setup<'_>) -> Prepared {
    prepare_timed(setup, |play: &Gomoku| {
        let size = play.size();
        if size.side() > LONGEST {
            return Err(Fault::Unsupported(format!(
                "board: `{size}`; table-search takes boards of at most {LONGEST}x{LONGEST}"
            )));
        }
        carried(&play.evaluation, Prepare(setup, play))
    })
}

struct Prepare<'a>(&'a Setup<'a>, &'a Gomoku);

impl VisitOrdered for Prepare<'_> {
    type Output = Result<Box<dyn Searcher<Gomoku>>, Fault>;

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> Self::Output {
        let Prepare(setup, play) = self;
        let evaluation = play.evaluation.clone();
        table_search(setup, TableBoards { evaluation, game }, &play.start())
    }
}

/// Converts boards for the kernel. A win is worth [`WIN`] minus the number of stones on the board, regardless of the
/// root.
struct TableBoards<R> {
    evaluation: Evaluation,
    game: R,
}

fn move_on(square: Square) -> u32 {
    let number = u32::from(square.0);
    number + u32::from(number >= NO_MOVE)
}

/// Returns a stone's key in the hash of a position, as in the kernel (SplitMix64: Steele, Lea and Flood 2014).
fn key_of_stone(square: Square, colour: usize) -> u64 {
    let seed = 2 * u64::from(square.0) + colour as u64 + 1;
    let key = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let key = (key ^ key >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ key >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ key >> 31
}

fn places(size: Size) -> Vec<i32> {
    let mut places = vec![0; size.squares()];
    for (place, square) in size.order().iter().enumerate() {
        places[square.index()] = place as i32;
    }
    places
}

impl<R: Representation + OrderedGame + Clone> TableGame for TableBoards<R> {
    type Play = Gomoku;
    type Host = R;
    type Worth = i32;

    const KERNEL: &'static str = "gomoku/table_search.cl";
    const ON_GPUS: Shape = Shape {
        group: 128,
        workers: 8,
        thresholds: 4,
        table_mib: 256,
        records: 64,
    };
    const FIRST_DEPTH: u32 = 2;
    const CLOSE_ENOUGH: i32 = 200;
    /// Distance between thresholds: the value of a live two.
    const STRIDE: i32 = 100;
    /// Maximum length of a path, and maximum depth of a case.
    const MOST_DEPTH: u32 = 8;

    fn defines(&self) -> Defines {
        let mut all = defines(&self.evaluation);
        let adjacent = self.evaluation.moves == MoveRule::Adjacent;
        all.push(("ADJACENT", u8::from(adjacent).to_string()));
        all
    }

    fn local_bytes(&self, group: usize) -> usize {
        let size = self.evaluation.size();
        // Local memory holds two words per line, two gains per square, the fields from `tops`, and a best move per
        // item.
        let lines = 8 * (6 * size.side() - 2);
        let alone = lines + 8 * size.squares() + 64 + 8 * group;
        scheduler_bytes(size.squares(), size.squares()) + alone
    }

    fn worths(&self) -> Vec<i32> {
        let mut worths = tables(&self.evaluation.shapes);
        worths.extend(places(self.evaluation.size()));
        worths
    }

    fn host(&self) -> R {
        self.game.clone()
    }

    fn root(&self, position: &Position) -> Root {
        let size = position.size();
        let (stones, mover) = (position.moves().len(), position.mover());
        let (mut rows, mut key) = ([0; 16], 0);
        for (number, square) in position.moves().iter().enumerate() {
            let side = u32::from(number % 2 != stones % 2) * 16;
            rows[size.y(*square)] |= 1 << (size.x(*square) as u32 + side);
            key ^= key_of_stone(*square, number % 2);
        }
        let over = position.is_over();
        let ended = over.then(|| match position.has_five() {
            true => stones as i32 - WIN,
            false => 0,
        });
        let weight = ended.unwrap_or_else(|| self.evaluation.balance(position.cells(), mover));
        // A finished game counts as a full board.
        let counted = if over { size.squares() } else { stones };
        let board = self.game.load(position);
        let first = (!over).then(|| self.game.moves(&board).next()).flatten();
        Root {
            // No move yet.
            own: u64::MAX,
            other: key,
            moves: (counted as u64) << 32,
            weight,
            value: ended.unwrap_or(weight.clamp(-MOST, MOST)),
            first: first.map(move_on),
            rows,
        }
    }

    fn mv(number: u32) -> Option<Square> {
        let index = number - u32::from(number > NO_MOVE);
        Some(Square(index as u16))
    }

    fn value(root: &Root, value: i32) -> i32 {
        let stones: u32 = root.rows.iter().map(|row| row.count_ones()).sum();
        match value {
            value if value > MOST => value + stones as i32,
            value if value < -MOST => value - stones as i32,
            value => value,
        }
    }
}
