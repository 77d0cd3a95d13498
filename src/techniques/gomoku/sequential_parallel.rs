//! `sequential-parallel`: the upper part of the tree on the host, a work-item a leaf of it.
//!
//! # Where it leaves the paper
//!
//! The paper stores every leaf's board and ran out of memory at 11 million leaves. Here leaves are
//! never stored: the host expands all plies of the upper part but the last and sends the parents, a
//! word each, in chunks that fit the device; a work-item's place says which leaf of which parent it
//! searches. With one ply left the device takes a parent's outcomes together too, else the host does
//! while the device works on the next chunk. So host and device hold one chunk whatever the tree's
//! size: at most 16 MiB of outcomes and, with one ply left, some 100 MB of what parents share.
//!
//! # What bounds it
//!
//! With one ply left below the leaves, (2,1), (3,2) and (4,3), nothing can be pruned: at 24x24 the
//! split 3 of depth 4 is 575 * 574 * 573 = 189 million leaves of 572 evaluations each, 108 thousand
//! million. An evaluation from scratch is some 65 operations and 17 loads. But a leaf's last stone
//! is seen from at most 40 squares; everywhere else what a stone changes is the same for all leaves
//! of a parent. So `parents` computes that once, and `last_ply` reads it: compiled for NVIDIA, a row
//! of 24 squares is 132 instructions, and a square in sight, where one of four lines is looked up
//! again, about 45. That is 5,200 a leaf, 9 an evaluation, and 1.0 * 10^12 for the whole tree: 60 ms
//! at the H200's 16.7 * 10^12 a second, if look-ups do not hold it up (7.6 * 10^9 squares in sight
//! with four each, at addresses that differ among neighbours).
//!
//! With more plies left, work-items search as those of `naive` do, and what bounds them is that
//! neighbours wait for each other wherever one is pruned and the other is not.
//!
//! # What was tried
//!
//! On an H200 the kernels of that search take 41 ms. At first every leaf's word went to the host: 46 ms
//! of transfers and 111 ms of the host's work, 200 ms in all. Now the device folds them.
//!
//! On pocl, split 3 of depth 4 at 24x24 takes 41 s of processor time in all, 21 s for each of two
//! cores: 4.6 million leaves, or 2.6 thousand million evaluations, a core and second, in 360 MB of
//! the host's memory. A search that evaluates every square from scratch, `search_leaves` with two
//! plies left at 12x12, does some ten million evaluations a second on cores shared with other work.

use super::device_board::square_word;
use super::device_items::{GROUP, Group, Root};
use super::device_leaves::DeviceLeaves;
use super::hard::{DEEP, SEARCH, SMALL};
use super::naive::decided;
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{Evaluation, MOST, Position, Representation, Square, Visit, fastest};
use crate::search::{Found, Window, descend};
use crate::techniques::hard::Trial;
use crate::techniques::tasks::built_for;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{
    Case, Counters, Counts, Fault, ParamEntry, Params, Task, TechniqueEntry, Telemetry, Value,
};

/// One work-item a leaf of the upper tree (Kawakami and Wang, section 5.2, after Rocki and Suda
/// 2010).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "sequential-parallel",
        summary: "the host expands the upper plies, one work-item searches below each leaf of them",
        paper: "Kawakami and Wang, section 5.2",
        like: "rayon-as-published",
        counts: Counts::Model,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[SPLIT_PARAM, GROUP],
        check,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("split=1 group=5", SMALL),
        Trial::new("split=2", DEEP),
    ],
    prepare,
};

/// The parameter `split`.
pub(super) const SPLIT_PARAM: ParamEntry = ParamEntry {
    name: "split",
    allowed: "a whole number from 1 to 3, less than the depth: the plies that the host expands",
    default: "one less than the depth, at most 3",
    check: |value| read_split(value).map(drop),
};

/// The most plies that the host expands: a parent's two moves and its leaf's fit a word.
const MOST_SPLIT: i64 = 3;

fn read_split(value: &Value) -> Result<u32, String> {
    let split = SPLIT_PARAM.whole(value, 1..=MOST_SPLIT)?;
    Ok(split as u32)
}

/// The split of a search to some depth.
///
/// # Errors
/// One line that names the key, the value and what is allowed.
pub(super) fn split_of(depth: i64, params: &Params) -> Result<u32, String> {
    let split = match params.get(SPLIT_PARAM.name) {
        Some(value) => read_split(value)?,
        None => (depth - 1).clamp(1, MOST_SPLIT) as u32,
    };
    if i64::from(split) < depth {
        return Ok(split);
    }
    Err(match depth {
        ..=1 => format!(
            "split: `{split}` at depth {depth}; allowed is less than the depth, so that the \
             depth must be at least 2"
        ),
        _ => format!(
            "split: `{split}` at depth {depth}; allowed is a whole number from 1 to {}",
            (depth - 1).min(MOST_SPLIT)
        ),
    })
}

pub(super) fn check(case: &Case, params: &Params) -> Result<(), String> {
    // A case without a depth is refused by the game.
    let depth = case.get("depth").and_then(Value::as_int);
    depth.map_or(Ok(()), |depth| split_of(depth, params).map(drop))
}

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let group = Group::read(setup.params, &GROUP)?;
        let depth = asked.depth;
        let split = split_of(i64::from(depth), setup.params).map_err(Fault::Input)?;
        let device = setup.on_device()?;
        let evaluation = &asked.evaluation;
        let leaves = DeviceLeaves::new(
            evaluation,
            device,
            group,
            split,
            depth - split,
            setup.kernels,
        )?;
        Ok(fastest(evaluation, Make { leaves }))
    })
}

/// The same on the host: for its counts, which are those of the device.
///
/// # Errors
/// As the technique, without those of a device.
pub fn model(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let split = split_of(i64::from(asked.depth), setup.params).map_err(Fault::Input)?;
        Ok(fastest(&asked.evaluation, MakeModel { split }))
    })
}

struct MakeModel {
    split: u32,
}

impl Visit for MakeModel {
    type Output = Box<dyn Searcher<Gomoku>>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        Box::new(Model {
            game,
            split: self.split,
            positions: Vec::new(),
        })
    }
}

struct Model<R: Representation> {
    game: R,
    split: u32,
    positions: Vec<R::Position>,
}

impl<R: Representation> Model<R> {
    /// The value of a node of the upper part, or of a leaf of it, for its mover.
    fn value(&self, board: &R::Position, (ply, depth): (u32, u32), counters: &mut Counters) -> i32 {
        let value = self.game.decided(board, ply);
        if ply == self.split || value.is_some() {
            let window = Window::FULL;
            return descend(&self.game, board, depth - ply, ply, window, counters);
        }
        counters.nodes += 1;
        let moves = self.game.moves(board);
        let values = moves.map(|mv| {
            let child = self.game.play(board, mv);
            -self.value(&child, (ply + 1, depth), counters)
        });
        values.max().unwrap_or(0)
    }
}

impl<R: Representation> Searcher<Gomoku> for Model<R> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let laid_out = positions
            .iter()
            .map(|position| Representation::load(&self.game, position));
        self.positions = laid_out.collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        let mut counters = Counters::default();
        let value = self.value(&self.positions[index], (0, depth), &mut counters);
        Ok(Found::new(value, None, counters))
    }
}

/// Makes the searcher for a board's representation.
struct Make {
    leaves: DeviceLeaves,
}

impl Visit for Make {
    type Output = Box<dyn Searcher<Gomoku>>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let evaluation = self.leaves.evaluation();
        let size = evaluation.size();
        Box::new(SequentialParallel {
            evaluation: evaluation.clone(),
            words: size.all().map(|square| square_word(size, square)).collect(),
            game,
            leaves: self.leaves,
            positions: Vec::new(),
        })
    }
}

struct SequentialParallel<R: Representation> {
    game: R,
    evaluation: Evaluation,
    /// Each square as kernels have it, by index.
    words: Vec<u32>,
    leaves: DeviceLeaves,
    positions: Vec<(R::Position, Root)>,
}

impl<R: Representation> Searcher<Gomoku> for SequentialParallel<R> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let laid_out = |position| {
            let board = Representation::load(&self.game, position);
            (board, Root::new(&self.evaluation, position))
        };
        self.positions = positions.iter().map(laid_out).collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        let (split, plies) = self.leaves.split();
        built_for(split + plies, depth)?;
        let (board, root) = &self.positions[index];
        if let Some(value) = root.decided {
            return Ok(decided(value));
        }
        self.leaves.begin(root)?;
        let mut upper = Upper {
            game: &self.game,
            words: &self.words,
            parents: split - 1,
            left: root.empty.len() as u32,
            leaves: &mut self.leaves,
            values: vec![i32::MAX; root.moves.len()],
            whole: None,
            counters: Counters::default(),
        };
        upper.expand(board, 0, 0, 0)?;
        upper.leaves.finish()?;
        upper.take();
        let mut counters = upper.counters;
        let (value, best) = match upper.whole {
            Some((value, place)) => (value, root.empty.get(place)),
            None => {
                // The first of equals.
                let ranked = upper.values.iter().zip(&root.moves).rev();
                let best = ranked.max_by_key(|(value, _)| **value);
                best.map_or((0, None), |(value, mv)| (*value, Some(mv)))
            }
        };
        counters += self.leaves.counters();
        Ok(Found::new(value, best.copied(), counters))
    }

    fn telemetry(&mut self) -> Telemetry {
        let (split, plies) = self.leaves.split();
        let told = self.leaves.telemetry();
        Telemetry {
            notes: format!("split {split}+{plies}, {}", told.notes),
            ..told
        }
    }
}

/// The upper part of the tree while it is expanded. What lies below a move of the root is taken
/// together as it comes, so that nothing is kept but a number a move.
struct Upper<'a, R> {
    game: &'a R,
    words: &'a [u32],
    /// The ply of the leaves' parents.
    parents: u32,
    /// The root's empty squares.
    left: u32,
    leaves: &'a mut DeviceLeaves,
    /// The value of each move of the root so far, from the root's side.
    values: Vec<i32>,
    /// The root's value and the place of its best move among the empty squares, where the root is
    /// itself the leaves' parent.
    whole: Option<(i32, usize)>,
    counters: Counters,
}

impl<R: Representation> Upper<'_, R> {
    /// Expands a node, without pruning. `path` are the moves that lead to it, the first of them the
    /// root's move number `place`.
    fn expand(
        &mut self,
        board: &R::Position,
        ply: u32,
        path: u32,
        place: usize,
    ) -> Result<(), Fault> {
        self.counters.nodes += 1;
        if ply == self.parents {
            return self.leaves.push(path, place);
        }
        for (child, mv) in self.game.moves(board).enumerate() {
            let place = if ply == 0 { child } else { place };
            // Most moves decide nothing, and the leaves' parents need no board here.
            let value = self.game.value_after(board, mv, ply + 1);
            let last = self.left == ply + 1;
            if value.abs() > MOST || last {
                self.counters.nodes += 1;
                self.counters.leaves += 1;
                self.fold(ply + 1, place, value);
            } else {
                let path = path | self.words[mv.index()] << (10 * ply);
                if ply + 1 == self.parents {
                    self.counters.nodes += 1;
                    self.leaves.push(path, place)?;
                    self.take();
                } else {
                    self.expand(&self.game.play(board, mv), ply + 1, path, place)?;
                }
            }
        }
        Ok(())
    }

    /// Takes over what has been found of parents.
    fn take(&mut self) {
        let found: Vec<_> = self.leaves.drain().collect();
        for parent in found {
            if self.parents == 0 {
                self.whole = Some((parent.value, parent.best));
            } else {
                self.fold(self.parents, parent.name, parent.value);
            }
        }
    }

    /// Takes over the value of a node, from its mover, in ply 1 or 2.
    fn fold(&mut self, ply: u32, place: usize, value: i32) {
        // The opponent chooses what is least for the root's side.
        let seen = if ply == 1 { -value } else { value };
        self.values[place] = self.values[place].min(seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_is_less_than_the_depth() {
        let given = |split: i64| Params::from([(SPLIT_PARAM.name.to_owned(), Value::Int(split))]);
        let none = Params::new();
        assert_eq!(split_of(2, &none), Ok(1));
        assert_eq!(split_of(8, &none), Ok(3));
        assert_eq!(split_of(4, &given(2)), Ok(2));
        let refused = |depth, params: &Params| split_of(depth, params).unwrap_err();
        assert_eq!(
            refused(2, &given(2)),
            "split: `2` at depth 2; allowed is a whole number from 1 to 1"
        );
        assert!(refused(3, &given(3)).ends_with("from 1 to 2"));
        assert!(refused(1, &none).contains("depth must be at least 2"));
        assert!(refused(8, &given(4)).starts_with("split: `4`; allowed is"));
        let case = |text| Case::parse(text).unwrap();
        assert!(check(&case("board=6x6 depth=2"), &given(2)).is_err());
        assert!(check(&case("board=6x6 depth=3"), &given(2)).is_ok());
    }
}
