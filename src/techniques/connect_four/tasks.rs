//! Connect Four for the common tasks.

use std::sync::Arc;

use super::Stage;
pub use super::case::ConnectFour;
use super::hard::{FEW_PLAYOUTS, PLAYOUTS, SMALL_TREE, TREE};
use crate::games::connect_four::{
    Bits, Board, COLUMNS, Column, Evaluation, Player, Position, RandomBoard, RandomColumns,
};
use crate::games::random_games::Root;
use crate::opencl::{Defines, Device};
use crate::techniques::hard::Trial;
use crate::techniques::tasks::blocks::{BlockGame, BlockLayout, board_layout, halves, trials};
use crate::techniques::tasks::flat_refill::{self, OnDevice};
use crate::techniques::tasks::host::SharedWindow;
use crate::techniques::tasks::kit::{self, Kit, OnGame, OnOrdered, own_line};
use crate::techniques::tasks::mcts::Roots;
use crate::techniques::tasks::random_games::Rooted;
use crate::techniques::tasks::tree_search::BoardTree;
use crate::techniques::tasks::{Line, LineAndFacts, Lines, Loads, Play, Turn, openings_after};
/// Searches and their preparation.
pub use crate::techniques::tasks::{Searcher, prepare_search};
use crate::words::{Fault, Params, TechniqueEntry};

impl Kit for ConnectFour {
    type SelfPlay = SharedWindow;
    const WITH_TABLE_FROM: u32 = 13;

    fn on_fastest<V: OnGame<ConnectFour>>(&self, visitor: V) -> V::Output {
        visitor.on(self.game.clone())
    }

    fn on_ordered<V: OnOrdered<ConnectFour>>(&self, visitor: V) -> V::Output {
        visitor.on_ordered(self.game.clone())
    }
}

impl Rooted<ConnectFour> for RandomColumns {
    fn root(&self, position: &Position) -> Root<RandomBoard> {
        RandomColumns::root(self, position)
    }
}

impl OnDevice<ConnectFour> for RandomColumns {
    const RULES: RandomColumns = RandomColumns;
    const ENTRY: TechniqueEntry = TechniqueEntry {
        game: "connect-four",
        needs: "local memory for three words a first move",
        ..flat_refill::ENTRY
    };
    const TRIALS: &'static [Trial] = &[
        Trial::new("", PLAYOUTS),
        Trial::new("lanes=1 group=48", FEW_PLAYOUTS),
        Trial::new("lanes=8", FEW_PLAYOUTS),
        Trial::new("lanes=16 group=16", FEW_PLAYOUTS),
    ];
    const PATH: &'static str = "connect_four/flat_refill.cl";

    fn most_moves(&self) -> usize {
        COLUMNS
    }

    fn child_words(&self) -> usize {
        4
    }

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        words.extend([board.own, board.stones, board.live, board.won]);
    }
}

impl Roots<ConnectFour> for RandomColumns {
    fn root(&self, position: &Position) -> [u64; 2] {
        position.words()
    }
}

impl BoardTree for RandomColumns {
    type Play = ConnectFour;

    const GAME: &'static str = super::GAME.name;
    const LEAF_KERNEL: &'static str = "connect_four/leaf_playouts.cl";
    const LEAF_TRIALS: &'static [Trial] = &[
        Trial::new("", TREE),
        Trial::new("leaves=100 playouts=5", SMALL_TREE),
        Trial::new("leaves=7 playouts=64 lanes=1 group=48", SMALL_TREE),
        Trial::new("leaves=50 playouts=9 lanes=8", SMALL_TREE),
    ];

    fn rules(_: &ConnectFour) -> Result<RandomColumns, Fault> {
        Ok(RandomColumns)
    }
}

impl BlockGame for RandomColumns {
    const KERNEL: &'static str = "connect_four/mcts_block.cl";
    const WORDS: usize = 4;
    const TRIALS: &'static [Trial] =
        &trials(TREE, SMALL_TREE, "groups=1 group=16 lanes=8 nodes=300");

    fn pack(&self, stones: &[u64; 2], words: &mut Vec<u32>) {
        words.extend(halves(*stones));
    }

    fn layout(&self, params: &Params, device: &Device) -> Result<BlockLayout, Fault> {
        board_layout::<Self>(params, device, Defines::new())
    }
}

impl Loads<ConnectFour> for Bits {
    fn load(&self, position: &Position) -> Board {
        Bits::load(self, position)
    }
}

const NAMES: [&str; COLUMNS] = ["1", "2", "3", "4", "5", "6", "7"];

impl Play for ConnectFour {
    type Position = Position;
    type Move = Column;

    fn game(&self) -> &'static str {
        super::GAME.name
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn start(&self) -> Position {
        Position::start()
    }

    fn identity(&self, position: &Position) -> String {
        format!("{:?}", self.game.load(position).stones())
    }

    /// The distinct positions after three plies, in a fixed random order.
    fn openings(&self) -> Result<Vec<Position>, Fault> {
        Ok(openings_after(self, 3))
    }

    fn moves(&self, position: &Position) -> Vec<Column> {
        position.legal_moves().into_iter().collect()
    }

    fn parse(&self, text: &str) -> Result<Position, String> {
        Position::parse(text).map_err(|error| error.to_string())
    }

    fn name(&self, mv: Column) -> String {
        NAMES[mv.index()].to_owned()
    }

    fn find(&self, _: &Position, name: &str) -> Option<Column> {
        Column::new(NAMES.iter().position(|known| *known == name)?)
    }

    fn first_to_move(&self, position: &Position) -> bool {
        position.mover() == Player::First
    }

    fn turn(&self, position: &Position) -> Turn<Position> {
        match position.winner {
            Some(Player::First) => Turn::Over(1),
            Some(Player::Second) => Turn::Over(-1),
            None if position.is_over() => Turn::Over(0),
            None => Turn::Move,
        }
    }

    fn play(&self, position: &Position, mv: Column) -> Option<Position> {
        position.play(mv)
    }

    fn value_of(&self, position: &Position, mv: Column) -> Result<i64, Fault> {
        Ok(kit::value_of(self, position, mv))
    }

    /// The game of `serial` against itself at the option `line-depth`. The stage selects the positions to search.
    fn line(&self) -> Result<LineAndFacts<Position>, Fault> {
        static LINES: Lines<(Evaluation, u32), Position> = Lines::new();
        let key = (self.evaluation.clone(), self.line_depth);
        let whole = LINES.get(key, || own_line(self, self.line_depth));
        let last = whole.positions.len().saturating_sub(1);
        let line = match self.stage {
            Stage::First => part(&whole, 0..1),
            Stage::Last => part(&whole, last..last + 1),
            Stage::Average => whole,
        };
        let case = format!("stage={}", self.stage.word());
        let factor = line.branching_factor();
        let facts = vec![
            kit::positions(case.clone(), &line),
            (case, "branching-factor".into(), factor),
        ];
        Ok((line, facts))
    }
}

/// Some of a line's positions, with the moves of the whole game.
fn part(whole: &Line<Position>, places: std::ops::Range<usize>) -> Arc<Line<Position>> {
    Arc::new(Line {
        positions: whole.positions[places.clone()].to_vec(),
        choices: whole.choices[places].to_vec(),
        moves: whole.moves.clone(),
    })
}
