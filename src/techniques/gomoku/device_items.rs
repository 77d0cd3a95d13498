//! What the techniques have in common whose work-items search alone (`cl/gomoku/item.clh`): how many
//! of them make a work-group, and the root that all of them share.

use super::device_board::{defines, pack_relative, packed_len, square_word};
use crate::games::gomoku::{Evaluation, MoveRule, Position, Size, Square, lost};
use crate::opencl::{BuildNeeds, Defines, Device, Program, WorkGroup};
pub use crate::techniques::group::Group;
use crate::words::{Fault, ParamEntry};

/// The parameter `group`, as techniques list it.
pub const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`auto`, or the number of work-items in a work-group, from 1 to 1024",
    default: "auto",
    check: |value| Group::parse(value, &GROUP).map(drop),
};

/// A program for work-items, and how many of them make a group.
pub struct ItemProgram {
    /// The program.
    pub program: Program,
    /// Work-items in a work-group.
    pub items: usize,
}

/// What a program is built from, apart from the device.
pub struct Plan<'a> {
    /// The kernel file.
    pub path: &'a str,
    /// The kernels in it that will be launched in these groups.
    pub kernels: &'a [&'a str],
    /// Board, evaluation and moves.
    pub evaluation: &'a Evaluation,
    /// Stones that lead to a work-item's position.
    pub prefix: u32,
    /// Plies that it searches there.
    pub plies: u32,
    /// Other constants that the file takes.
    pub constants: Defines,
    /// What it asks of the build.
    pub needs: BuildNeeds,
}

impl Plan<'_> {
    /// Builds the program for groups of that size.
    ///
    /// # Errors
    /// As [`WorkGroup::fit`], and what building fails with.
    pub fn build(
        &self,
        device: &Device,
        folder: Option<&std::path::Path>,
        group: WorkGroup,
    ) -> Result<ItemProgram, Fault> {
        let (program, items) = group.fit(device.info(), |items| {
            let mut constants = defines(self.evaluation);
            constants.extend(self.constants.iter().cloned());
            constants.extend([
                ("PREFIX", self.prefix.to_string()),
                ("PLIES", self.plies.to_string()),
                ("GROUP", items.to_string()),
            ]);
            if self.evaluation.moves() == MoveRule::Adjacent {
                constants.push(("ADJACENT", "1".into()));
            }
            let program = device.build(self.path, &constants, folder, self.needs)?;
            let mut most = usize::MAX;
            for name in self.kernels {
                most = most.min(program.kernel(name)?.max_group());
            }
            Ok((program, most))
        })?;
        Ok(ItemProgram { program, items })
    }
}

/// A position that is searched, as the kernels have it.
pub struct Root {
    /// Its lines, its empty squares and its moves.
    pub words: Vec<u32>,
    /// Its empty squares, in the order of moves.
    pub empty: Vec<Square>,
    /// The mover's shapes less the opponent's.
    pub balance: i32,
    /// The moves to try, in order; none where it is decided.
    pub moves: Vec<Square>,
    /// Its value where the game is over.
    pub decided: Option<i32>,
}

/// Above a square's number in the list of empty squares: a stone lies beside it (`NEAR_ROOT`).
const NEAR: u32 = 1 << 10;

impl Root {
    /// Lays a position out.
    pub fn new(evaluation: &Evaluation, position: &Position) -> Root {
        let size = evaluation.size();
        let mut words = Vec::with_capacity(Root::most_words(size));
        pack_relative(position, &mut words);
        let stone = |square| position.at(square).is_some();
        let empty = size.order().iter().copied();
        let empty: Vec<_> = empty.filter(|square| !stone(*square)).collect();
        words.extend(empty.iter().map(|square| {
            let near = size.neighbours(*square).any(stone);
            square_word(size, *square) | if near { NEAR } else { 0 }
        }));
        let moves = evaluation.candidates(position);
        words.extend(moves.iter().map(|mv| square_word(size, *mv)));
        Root {
            words,
            empty,
            balance: evaluation.balance(position.cells(), position.mover()),
            moves,
            decided: position
                .is_over()
                .then(|| if position.has_five() { lost(0) } else { 0 }),
        }
    }

    /// The most words that a root of a board has.
    pub fn most_words(size: Size) -> usize {
        packed_len(size) + 2 * size.squares()
    }
}
