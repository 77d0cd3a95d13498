//! What the techniques have in common whose work-items search alone (`cl/gomoku/item.clh`): how many
//! of them make a work-group, the root that all of them share, and what each of them writes.

use super::device_board::{defines, pack_relative, packed_len, square_word};
use crate::games::gomoku::{Evaluation, MoveRule, Position, Size, Square, lost};
use crate::opencl::{BuildNeeds, Device, Program};
use crate::words::{Counters, Fault, Params, Value};

/// The parameter `group`: work-items in a work-group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Group {
    /// The technique's own rule.
    #[default]
    Auto,
    /// So many.
    Items(usize),
}

/// What `group` may be, for messages.
pub const GROUPS_ALLOWED: &str =
    "`auto`, or the number of work-items in a work-group, from 1 to 1024";

impl Group {
    /// Reads the parameter; [`Group::Auto`] where it is not given.
    ///
    /// # Errors
    /// One line that names the key, the value and what is allowed.
    pub fn read(params: &Params) -> Result<Group, String> {
        params.get("group").map_or(Ok(Group::Auto), Group::parse)
    }

    /// Reads one value of the parameter.
    ///
    /// # Errors
    /// As [`Group::read`].
    pub fn parse(value: &Value) -> Result<Group, String> {
        match (value.as_text(), value.as_int()) {
            (Some("auto"), _) => Ok(Group::Auto),
            (_, Some(items @ 1..=1024)) => Ok(Group::Items(items as usize)),
            _ => Err(format!("group: `{value}`; allowed is {GROUPS_ALLOWED}")),
        }
    }
}

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
    pub constants: Vec<(&'static str, String)>,
    /// What it asks of the build.
    pub needs: BuildNeeds,
}

impl Plan<'_> {
    /// Builds the program for groups of `auto` work-items, or of as many as are asked for. Where
    /// nobody asked, and device or kernel cannot have so many, half as many are taken, until they
    /// can.
    ///
    /// # Errors
    /// [`Fault::Unsupported`] where device or kernel takes no group of the size asked for, and what
    /// building fails with.
    pub fn build(
        &self,
        device: &Device,
        folder: Option<&std::path::Path>,
        group: Group,
        auto: usize,
    ) -> Result<ItemProgram, Fault> {
        let most = device.info().max_work_group;
        let mut items = match group {
            Group::Items(items) if items > most => return Err(too_large(items, "device", most)),
            Group::Items(items) => items,
            Group::Auto => auto.clamp(1, most.max(1)),
        };
        loop {
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
            if items <= most {
                return Ok(ItemProgram { program, items });
            }
            if group != Group::Auto || items == 1 {
                return Err(too_large(items, "compiled kernel", most));
            }
            items = (items / 2).min(most.max(1));
        }
    }
}

fn too_large(items: usize, whose: &str, most: usize) -> Fault {
    Fault::Unsupported(format!(
        "group: {items} work-items; the {whose} takes at most {most}"
    ))
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

/// Words that a work-item writes (`OUTCOME_WORDS`): value, nodes (low word, high word), leaves (low,
/// high), stamp.
pub const OUTCOME_WORDS: usize = 6;

/// What one work-item found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The value of its position, from the side to move there.
    pub value: i32,
    /// What it searched; nothing where it had no position.
    pub counters: Counters,
}

impl Outcome {
    /// Reads what a work-item wrote; `None` where it did not get to its end.
    pub fn read(words: &[i32], stamp: u32) -> Option<Outcome> {
        let wide = |low: i32, high: i32| u64::from(high as u32) << 32 | u64::from(low as u32);
        let [value, nodes, nodes_high, leaves, leaves_high, stamped] = words else {
            return None;
        };
        (*stamped as u32 == stamp).then(|| Outcome {
            value: *value,
            counters: Counters {
                nodes: wide(*nodes, *nodes_high),
                leaves: wide(*leaves, *leaves_high),
                ..Counters::default()
            },
        })
    }
}
