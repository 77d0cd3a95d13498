//! Reversi for the common tasks.

pub use super::case::Reversi;
use crate::games::OrderedGame;
use crate::games::reversi::{
    Colour, Evaluation, PASS, Position, Representation, Square, Visit, VisitOrdered, fastest,
};
use crate::search::{Sibling, Siblings, Window};
/// Searches in reversi.
pub use crate::techniques::tasks::Searcher;
use crate::techniques::tasks::host::SharedWindow;
use crate::techniques::tasks::kit::{self, Kit, OnGame, OnOrdered};
use crate::techniques::tasks::{
    LineAndFacts, Lines, Loads, Play, Splits, Splitting, Turn, kept_line, openings_after,
    prepare_search,
};
use crate::techniques::{Sampler, Setup};
use crate::words::{Case, Counters, Fault, Telemetry, Value};

/// Searches the siblings of principal-variation nodes on a device, for any representation of the board.
pub trait DeviceSplit: Send + 'static {
    /// As [`Siblings::search`], at `(depth, ply)`. Fails if the device fails.
    fn split<R: Representation>(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        at: (u32, u32),
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault>;

    /// Telemetry since the last call.
    fn telemetry(&mut self) -> Telemetry;
}

impl<R: Representation, S: DeviceSplit> Siblings<R> for S {
    type Fault = Fault;

    fn search(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        depth: u32,
        ply: u32,
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        self.split(game, siblings, (depth, ply), window, scores)
    }
}

impl<R: Representation, S: DeviceSplit> Splits<R> for S {
    fn telemetry(&mut self) -> Telemetry {
        DeviceSplit::telemetry(self)
    }
}

/// Prepares PV-split with the technique's siblings. Fails as [`prepare_search`].
pub fn prepare_split<S: DeviceSplit>(
    setup: &Setup<'_>,
    siblings: impl FnOnce(&Reversi) -> Result<S, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_search(setup, |play: &Reversi| {
        let siblings = siblings(play)?;
        let depth = play.depth;
        fastest(&play.evaluation, Split { siblings, depth })
    })
}

/// Makes the searcher of PV-split with a technique's siblings, for a depth.
pub(super) struct Split<S> {
    pub siblings: S,
    pub depth: u32,
}

impl<S: DeviceSplit> Visit for Split<S> {
    type Output = Result<Box<dyn Searcher<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let start = Representation::load(&game, &Position::start(game.size()));
        Ok(Box::new(Splitting::warmed(
            game,
            Box::new(self.siblings),
            &start,
            self.depth.min(1),
        )?))
    }
}

impl<R: Representation> Loads<Reversi> for R {
    fn load(&self, position: &Position) -> R::Position {
        Representation::load(self, position)
    }
}

/// Passes a board's representation on.
pub(super) struct On<V>(pub V);

impl<V: OnGame<Reversi>> Visit for On<V> {
    type Output = V::Output;

    fn visit<R: Representation>(self, game: R) -> V::Output {
        self.0.on(game)
    }
}

struct Ordered<V>(V);

impl<V: OnOrdered<Reversi>> VisitOrdered for Ordered<V> {
    type Output = V::Output;

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> V::Output {
        self.0.on_ordered(game)
    }
}

impl Kit for Reversi {
    type SelfPlay = SharedWindow;
    const WITH_TABLE_FROM: u32 = 11;

    fn on_fastest<V: OnGame<Reversi>>(&self, visitor: V) -> V::Output {
        fastest(&self.evaluation, On(visitor))
    }

    fn on_ordered<V: OnOrdered<Reversi>>(&self, visitor: V) -> V::Output {
        fastest(&self.evaluation, Ordered(visitor))
    }
}

impl Play for Reversi {
    type Position = Position;
    type Move = Square;

    fn game(&self) -> &'static str {
        super::GAME.name
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn start(&self) -> Position {
        Position::start(self.size())
    }

    /// With an effort, the distinct positions after four plies, in a fixed random order, as players open equally and
    /// differ later. A game's record starts with its board.
    fn openings(&self) -> Result<Vec<Position>, Fault> {
        Ok(match self.effort {
            Some(_) => openings_after(self, 4),
            None => vec![self.start()],
        })
    }

    fn moves(&self, position: &Position) -> Vec<Square> {
        position.legal_moves()
    }

    fn parse(&self, text: &str) -> Result<Position, String> {
        Position::parse(self.size(), text).map_err(|error| error.to_string())
    }

    fn name(&self, mv: Square) -> String {
        self.size().name(mv)
    }

    fn find(&self, _: &Position, name: &str) -> Option<Square> {
        self.size().find(name)
    }

    fn first_to_move(&self, position: &Position) -> bool {
        position.mover == Colour::Black
    }

    fn turn(&self, position: &Position) -> Turn<Position> {
        if !position.legal_moves().is_empty() {
            Turn::Move
        } else if position.is_over() {
            let discs = |colour| i64::from(position.discs(colour));
            Turn::Over(discs(Colour::Black) - discs(Colour::White))
        } else {
            Turn::Pass(position.pass(), PASS)
        }
    }

    fn play(&self, position: &Position, mv: Square) -> Option<Position> {
        position.play(mv)
    }

    fn value_of(&self, position: &Position, mv: Square) -> Result<i64, Fault> {
        Ok(kit::value_of(self, position, mv))
    }

    /// The game of `serial` against itself at the option `line-depth` (the paper's Table 1 counts its moves).
    fn line(&self) -> Result<LineAndFacts<Position>, Fault> {
        static LINES: Lines<Evaluation, Position> = Lines::new(Default::default);
        let line = kept_line(&LINES, self, (self.evaluation.clone(), self.line_depth))?;
        let board = Value::Text(self.size().to_string());
        let board = Case(vec![("board".into(), board)]).to_string();
        let factor = line.branching_factor();
        let facts = vec![
            (board.clone(), "branching-factor".into(), factor),
            kit::positions(board, &line),
        ];
        Ok((line, facts))
    }
}
