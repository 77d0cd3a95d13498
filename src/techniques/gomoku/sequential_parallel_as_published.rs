//! `sequential-parallel-as-published`: the paper's second device program (section 5.2; docs/papers/gomoku.md). The host
//! stores the boards below the upper plies. A work-item searches each board. Then the host walks the upper plies again.

use super::device_board::decided;
use super::device_cells::{
    BLOCK, BLOCK_GROUP, CellsPlan, NO_WORK, ORDER, Order, cells, empty, int_of, read_block_group,
};
use super::hard::{DEEP, SEARCH, SMALL};
use super::tasks::{self, Gomoku, On, Searcher};
use crate::games::gomoku::{Position, Representation, Square, Visit, as_published, fastest};
use crate::search::descend;
use crate::techniques::lanes::{EFFICIENCY, Lanes};
use crate::techniques::prelude::*;
use crate::techniques::tasks::host::{Algorithm, Runs};
use crate::techniques::tasks::{built_for, minimax_above};

/// Searches each stored board with one work-item (Kawakami and Wang, section 5.2, after Rocki and Suda 2010).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "sequential-parallel-as-published",
        summary: "the paper's program, in which the host stores the boards after the upper plies and each work-item searches one",
        paper: "Kawakami and Wang, section 5.2",
        needs: "memory for every leaf of the upper plies: on 15x15, 45 MB for two plies and 10 GB for three",
        like: "rayon-as-published",
        counts: Counts::Model,
        params: &[SPLIT_PARAM, BLOCK_GROUP, ORDER, EFFICIENCY],
        check,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("split=1 group=5 order=children", SMALL),
        Trial::new("split=2 group=64 order=children efficiency=true", DEEP),
    ],
    prepare: |setup| {
        tasks::prepare_search::<Gomoku>(setup, |asked| {
            let split =
                split_of(i64::from(asked.amount.depth), setup.params).map_err(Fault::Input)?;
            let boards = Boards::new(setup, asked, split)?;
            Ok(as_published(&asked.evaluation, boards))
        })
    },
};

whole_numbers! {
    number SPLIT_PARAM, read_split: "split", 1..=MOST_SPLIT, "one less than the depth, at most 3",
        "a whole number from 1 to 3, less than the depth: plies that the host expands";
}

/// Maximum number of plies that the host expands. More plies would need too much memory for the leaves.
const MOST_SPLIT: i64 = 3;

/// Returns how many plies the host plays. The error is one line with the key, the value and the allowed values.
fn split_of(depth: i64, params: &Params) -> Result<u32, String> {
    let split = match params.get(SPLIT_PARAM.name) {
        Some(value) => read_split(value)? as u32,
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

fn check(case: &Case, params: &Params) -> Result<(), String> {
    // The game refuses cases without a depth.
    let depth = case.get("depth").and_then(Value::as_int);
    depth.map_or(Ok(()), |depth| split_of(depth, params).map(drop))
}

/// Prepares the host model, which counts the same nodes as the device. Fails like the technique, except for device
/// errors.
pub fn model(setup: &Setup<'_>) -> Prepared {
    tasks::prepare_search::<Gomoku>(setup, |asked| {
        let split = split_of(i64::from(asked.amount.depth), setup.params).map_err(Fault::Input)?;
        fastest(&asked.evaluation, On(Runs(Model { split }, None)))
    })
}

struct Model {
    split: u32,
}

impl Algorithm for Model {
    fn search<G: Game>(&self, game: &G, root: &G::Position, depth: u32) -> Found<G::Move> {
        let (split, mut counters) = (self.split, Counters::default());
        let mut below = |board: &G::Position| {
            let mut counters = Counters::default();
            let left = depth - split;
            let value = descend(game, board, left, split, Window::FULL, &mut counters);
            (value, counters)
        };
        let (value, _) = minimax_above(game, root, (0, split), &mut below, &mut counters);
        Found::new(value, None, counters)
    }
}

struct Boards {
    split: u32,
    depth: u32,
    order: Order,
    run: Runner,
    device: Buffer<i32>,
    outcomes: Outcomes,
    /// All boards in the order of the walk.
    stored: Vec<i32>,
    /// Number of children of each board, if the order needs it.
    children: Vec<usize>,
    found: Vec<(i32, Counters)>,
    lanes: Option<Lanes>,
    counting: bool,
}

impl Boards {
    /// Builds the program, and allocates space for the maximum number of boards in the upper part.
    fn new(setup: &Setup<'_>, asked: &Gomoku, split: u32) -> Result<Boards, Fault> {
        let (device, evaluation, depth) =
            (setup.on_device()?, &asked.evaluation, asked.amount.depth);
        let squares = evaluation.size().squares();
        let plan = CellsPlan {
            path: "gomoku/sequential_parallel_as_published.cl",
            kernel: "sequential_parallel_as_published",
            evaluation,
            block: BLOCK,
            group: BLOCK_GROUP.given(setup.params, None, read_block_group)?,
            constants: vec![
                ("PLIES", (depth - split).to_string()),
                ("PLY", split.to_string()),
            ],
            local: 0,
            barriers_in_loops: false,
        };
        let mut run = plan.build(device, setup)?;
        let most: usize = (0..split as usize).map(|ply| squares - ply).product();
        let boards = run.buffer("boards", most * squares, Access::ReadWrite)?;
        let outcomes = run.outcomes("board", most, SEARCHED_WORDS)?;
        run.warm_up(NO_WORK)?;
        run.notes = format!("split {split}+{}, {}", depth - split, run.notes);
        Ok(Boards {
            split,
            depth,
            order: Order::read(setup.params)?,
            lanes: Lanes::asked_for(setup.params, device, &run)?,
            counting: false,
            run,
            device: boards,
            outcomes,
            stored: Vec::new(),
            children: Vec::new(),
            found: Vec::new(),
        })
    }

    /// Searches all stored boards. On each board, `mover` is to move and `empty` squares are left.
    fn search(&mut self, squares: usize, mover: i32, empty: usize) -> Result<(), Fault> {
        let count = self.stored.len() / squares;
        self.found.clear();
        self.found.resize(count, (0, Counters::default()));
        if count == 0 {
            return Ok(());
        }
        let places = self.order.places(count, |place| self.children[place]);
        if self.order != Order::Moves {
            let board = |place: &u32| &self.stored[*place as usize * squares..][..squares];
            self.stored = places.iter().flat_map(board).copied().collect();
        }
        let run = &mut self.run;
        run.set(&[
            ("count", &(count as i32)),
            ("mover", &mover),
            ("empty", &(empty as i32)),
        ])?;
        run.stamp(&mut self.outcomes, count)?;
        run.queue.write(&self.device, &self.stored)?;
        run.launch_items(count)?;
        let found = &mut self.found;
        let mut nodes = Vec::new();
        let counting = self.counting;
        self.outcomes.read(&mut run.queue, |outcome| {
            let (value, counters) = outcome.searched();
            found[places[outcome.place] as usize] = (value, counters);
            if counting {
                nodes.push(counters.nodes);
            }
        })?;
        if let Some(lanes) = self.lanes.as_mut().filter(|_| counting) {
            lanes.add(&nodes);
        }
        Ok(())
    }
}

impl Visit for Boards {
    type Output = Box<dyn Searcher<Gomoku>>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        Box::new(AsPublished {
            game,
            boards: self,
            positions: Vec::new(),
        })
    }
}

struct AsPublished<R: Representation> {
    game: R,
    boards: Boards,
    positions: Vec<(R::Position, Position)>,
}

/// A walk through the upper part of the tree, without pruning.
struct Upper<'a, R: Representation> {
    game: &'a R,
    boards: &'a mut Boards,
    /// The board as ints, including the moves to the current node.
    cells: Vec<i32>,
    /// The mover at the root and the opponent, as ints.
    colours: [i32; 2],
}

impl<R: Representation> Upper<'_, R> {
    /// Stores the boards of the upper part's leaves (step 1).
    fn store(&mut self, board: &R::Position, ply: u32) {
        if ply == self.boards.split {
            self.boards.stored.extend_from_slice(&self.cells);
            if self.boards.order == Order::Children {
                let children = self.game.moves(board).count();
                self.boards.children.push(children);
            }
        } else if self.game.decided(board, ply).is_none() {
            for mv in self.game.moves(board) {
                let child = self.game.play(board, mv);
                self.cells[mv.index()] = self.colours[ply as usize % 2];
                self.store(&child, ply + 1);
                self.cells[mv.index()] = 0;
            }
        }
    }
}

impl<R: Representation> Searcher<Gomoku> for AsPublished<R> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let laid_out = |position: &Position| {
            let board = Representation::load(&self.game, position);
            (board, position.clone())
        };
        self.positions = positions.iter().map(laid_out).collect();
        if self.boards.lanes.is_some() && !self.positions.is_empty() {
            self.boards.counting = true;
            self.search(0, self.boards.depth)?;
            self.boards.counting = false;
            self.boards.run.telemetry();
        }
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        built_for(self.boards.depth, depth)?;
        let (board, position) = &self.positions[index];
        if let Some(value) = self.game.decided(board, 0) {
            return Ok(decided(value));
        }
        let squares = position.size().squares();
        let (split, empty) = (self.boards.split as usize, empty(position));
        let mover = position.mover();
        self.boards.stored.clear();
        self.boards.children.clear();
        let mut upper = Upper {
            game: &self.game,
            boards: &mut self.boards,
            cells: cells(position),
            colours: [int_of(mover), int_of(mover.other())],
        };
        upper.store(board, 0);
        // If there are fewer empty squares than plies, every line ends in the upper part.
        let below = empty.saturating_sub(split);
        let to_move = upper.colours[split % 2];
        upper.boards.search(squares, to_move, below)?;
        // Step 3: compute the values of the upper nodes.
        let mut found = upper.boards.found.iter().copied();
        let mut below = |_: &R::Position| found.next().unwrap_or_default();
        let (plies, mut counters) = ((0, split as u32), Counters::default());
        let (value, best) = minimax_above(&self.game, board, plies, &mut below, &mut counters);
        Ok(Found::new(value, best, counters))
    }

    fn telemetry(&mut self) -> Telemetry {
        Lanes::telemetry(self.boards.lanes.as_ref(), &mut self.boards.run)
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
        let expected = "split: `2` at depth 2; allowed is a whole number from 1 to 1";
        assert_eq!(refused(2, &given(2)), expected);
        assert!(refused(3, &given(3)).ends_with("from 1 to 2"));
        assert!(refused(1, &none).contains("depth must be at least 2"));
        assert!(refused(8, &given(4)).starts_with("split: `4`; allowed is"));
        let case = |text| Case::parse(text).unwrap();
        assert!(check(&case("board=6x6 depth=2"), &given(2)).is_err());
        assert!(check(&case("board=6x6 depth=3"), &given(2)).is_ok());
    }
}
