//! Common host parts of techniques whose work-items search alone (`cl/gomoku/item.clh`): the group size, and the common
//! root.

use super::device_board::{defines, pack_relative, packed_len, square_word};
use crate::games::gomoku::{Evaluation, MoveRule, Position, Size, Square, lost};
use crate::opencl::{BuildNeeds, Defines, Device, Program, WorkGroup};
use crate::search::Found;
pub use crate::techniques::group::Group;
use crate::words::{Counters, Fault, ParamEntry};

/// The parameter `group`.
pub const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`auto`, or the number of work-items in a work-group, from 1 to 1024",
    default: "auto",
    check: |value| Group::parse(value, &GROUP).map(drop),
};

/// A program for work-items, with its group size.
pub struct ItemProgram {
    /// The program.
    pub program: Program,
    /// Work-items in a work-group.
    pub items: usize,
}

/// Inputs of a build, apart from the device.
pub struct Plan<'a> {
    /// The kernel file.
    pub path: &'a str,
    /// The kernels in it that use these groups.
    pub kernels: &'a [&'a str],
    /// Board, evaluation and moves.
    pub evaluation: &'a Evaluation,
    /// Stones from the root to a work-item's position.
    pub prefix: u32,
    /// Plies of the search below it.
    pub plies: u32,
    /// Other constants of the file.
    pub constants: Defines,
    /// Requirements of the build.
    pub needs: BuildNeeds,
}

impl Plan<'_> {
    /// Builds the program for groups of that size. Fails as [`WorkGroup::fit`], or with a build error.
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

/// A root in the kernels' form.
pub struct Root {
    /// Its lines, its empty squares and its moves.
    pub words: Vec<u32>,
    /// Its empty squares, in the order of moves.
    pub empty: Vec<Square>,
    /// The mover's shapes less the opponent's.
    pub balance: i32,
    /// The moves to try, in order; empty if the game is over.
    pub moves: Vec<Square>,
    /// Its value if the game is over.
    pub decided: Option<i32>,
}

/// Marks an empty square beside a stone, above the square's number (`NEAR_ROOT`).
const NEAR: u32 = 1 << 10;

impl Root {
    /// Converts a position.
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

    /// Most words of a root on a board.
    pub fn most_words(size: Size) -> usize {
        packed_len(size) + 2 * size.squares()
    }
}

/// The search result of a finished game.
pub(super) fn decided(value: i32) -> Found<Square> {
    Found::new(value, None, Counters::of_leaves(1))
}
