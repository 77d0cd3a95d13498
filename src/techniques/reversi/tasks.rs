//! Reversi for the common tasks.

use std::sync::Arc;

use super::{Asked, check_board};
use crate::games::OrderedGame;
use crate::games::reversi::{
    Colour, Evaluation, PASS, Position, Representation, Square, Visit, VisitOrdered, fastest,
};
use crate::search::{Sibling, Siblings, Window, value_of_move};
use crate::techniques::tasks::host::SharedWindow;
use crate::techniques::tasks::remembering::{remembering, value_with_table};
use crate::techniques::tasks::{
    self, Cased, Effort, Line, Lines, Loads, Play, Splits, Splitting, Timed, Turn, openings_after,
    prepare_search, prepare_timed, self_play,
};
use crate::techniques::{Sampler, Setup};
use crate::words::{Case, Counters, Fault, Params, Telemetry, Value};

/// Searches in reversi.
pub use crate::techniques::tasks::Searcher;

/// Reversi in one case.
#[derive(Clone)]
pub struct Reversi {
    pub(super) asked: Asked,
}

impl Cased for Reversi {
    fn read(case: &Case, options: &Params) -> Result<Reversi, String> {
        Asked::new(case, options).map(|asked| Reversi { asked })
    }

    fn effort(&self) -> Option<Effort> {
        self.asked.effort
    }

    fn playouts(&self) -> u64 {
        self.asked.playouts
    }

    /// A side's discs are one word.
    fn takes_random_games(case: &Case) -> Result<(), String> {
        check_board(case)
    }
}

/// [`prepare_search`] from the case.
pub fn prepare(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&Asked) -> Result<Box<dyn Searcher<Reversi>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_search(setup, |play: &Reversi| searcher(&play.asked))
}

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

/// [`prepare`] for PV-split with the technique's siblings. Fails as [`prepare`].
pub fn prepare_split<S: DeviceSplit>(
    setup: &Setup<'_>,
    siblings: impl FnOnce(&Asked) -> Result<S, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |asked| {
        let siblings = siblings(asked)?;
        let depth = asked.depth;
        fastest(&asked.evaluation, Split { siblings, depth })
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
        let splitting =
            Splitting::warmed(game, Box::new(self.siblings), &start, self.depth.min(1))?;
        Ok(Box::new(splitting))
    }
}

/// [`prepare`] with a transposition table: on one core, or in a pool of `threads`.
pub(super) fn prepare_table(
    setup: &Setup<'_>,
    threads: Option<usize>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_timed(setup, |play: &Reversi| {
        fastest(&play.asked.evaluation, OnTable { threads, setup })
    })
}

struct OnTable<'a> {
    threads: Option<usize>,
    setup: &'a Setup<'a>,
}

impl VisitOrdered for OnTable<'_> {
    type Output = Result<Box<dyn Timed<Reversi>>, Fault>;

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> Self::Output {
        remembering(game, self.threads, self.setup)
    }
}

/// A board's line of play: the game of `serial` against itself at a fixed depth, cached for the process. The paper's
/// Table 1 counts moves in its positions.
pub fn line(evaluation: &Evaluation, depth: u32) -> Arc<Line<Position>> {
    static LINES: Lines<(Evaluation, u32), Position> = Lines::new();
    LINES.get((evaluation.clone(), depth), || {
        let play = Reversi {
            asked: Asked {
                evaluation: evaluation.clone(),
                depth,
                playouts: 0,
                effort: None,
                line_depth: depth,
            },
        };
        fastest(evaluation, SelfPlay { play })
    })
}

struct SelfPlay {
    play: Reversi,
}

impl Visit for SelfPlay {
    type Output = Line<Position>;

    fn visit<R: Representation>(self, game: R) -> Line<Position> {
        self_play::<SharedWindow, _, _>(&self.play, &game, self.play.asked.line_depth)
    }
}

impl<R: Representation> Loads<Reversi> for R {
    fn load(&self, position: &Position) -> R::Position {
        Representation::load(self, position)
    }
}

impl Play for Reversi {
    type Position = Position;
    type Move = Square;

    fn game(&self) -> &'static str {
        super::GAME.name
    }

    fn depth(&self) -> u32 {
        self.asked.depth
    }

    fn start(&self) -> Position {
        Position::start(self.asked.size())
    }

    /// With an effort, the distinct positions after four plies, in a fixed random order, as players open equally and
    /// differ later. A game's record starts with its board.
    fn openings(&self) -> Result<Vec<Position>, Fault> {
        Ok(match self.asked.effort {
            Some(_) => openings_after(self, 4),
            None => vec![self.start()],
        })
    }

    fn moves(&self, position: &Position) -> Vec<Square> {
        position.legal_moves()
    }

    fn parse(&self, text: &str) -> Result<Position, String> {
        Position::parse(self.asked.size(), text).map_err(|error| error.to_string())
    }

    fn name(&self, mv: Square) -> String {
        self.asked.size().name(mv)
    }

    fn find(&self, _: &Position, name: &str) -> Option<Square> {
        self.asked.size().find(name)
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
        let depth = self.asked.depth;
        let value = ValueOf {
            position,
            mv,
            depth,
        };
        Ok(fastest(&self.asked.evaluation, value))
    }

    fn line(&self) -> Result<tasks::LineAndFacts<Position>, Fault> {
        let line = line(&self.asked.evaluation, self.asked.line_depth);
        let board = Value::Text(self.asked.size().to_string());
        let board = Case(vec![("board".into(), board)]).to_string();
        let facts = vec![
            (
                board.clone(),
                "branching-factor".into(),
                line.branching_factor(),
            ),
            (board, "positions".into(), line.positions.len() as f64),
        ];
        Ok((line, facts))
    }
}

/// Depth from which a move's value is searched with a table. Without one, depth 14 takes minutes.
const WITH_TABLE_FROM: u32 = 11;

struct ValueOf<'a> {
    position: &'a Position,
    mv: Square,
    depth: u32,
}

impl VisitOrdered for ValueOf<'_> {
    type Output = i64;

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> i64 {
        let position = Representation::load(&game, self.position);
        if self.depth < WITH_TABLE_FROM {
            value_of_move(&game, &position, self.mv, self.depth).into()
        } else {
            value_with_table(&game, &position, self.mv, self.depth)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::search::alpha_beta;
    use crate::techniques::tasks::{CASE_SEED, random_positions};
    use crate::words::Params;

    #[test]
    fn a_line_is_a_whole_legal_game() {
        for size in ["4x4", "6x6", "8x8", "16x8"] {
            let evaluation = Evaluation::new(size.parse().unwrap(), &Params::new()).unwrap();
            let line = line(&evaluation, 2);
            assert_eq!(line.positions[0], Position::start(evaluation.size()));
            assert!(
                Position::parse(evaluation.size(), &line.moves)
                    .unwrap()
                    .is_over()
            );
            for (position, choices) in line.positions.iter().zip(&line.choices) {
                assert_eq!(position.legal_moves().len() as u32, *choices);
            }
            let serial = fastest(
                &evaluation,
                SerialMoves {
                    line: &line,
                    depth: 2,
                },
            );
            assert_eq!(serial, line.moves, "the line is the serial player's");
            let discs = line.choices.iter().filter(|choices| **choices > 0).count() + 4;
            assert!(discs <= evaluation.size().squares());
            assert!(line.branching_factor() > 1.0);
        }
    }

    #[test]
    fn random_positions_are_distinct() {
        let case = Case::parse("board=8x8 depth=1").unwrap();
        let play = Reversi {
            asked: Asked::new(&case, &Params::new()).unwrap(),
        };
        // About three games of 200 give the start.
        let drawn = random_positions(&play, 200, CASE_SEED).unwrap();
        let distinct: HashSet<String> = drawn.positions.iter().map(Position::to_string).collect();
        assert_eq!((distinct.len(), drawn.choices.len()), (200, 200));
    }

    /// What `serial` plays at each position of a line.
    struct SerialMoves<'a> {
        line: &'a Line<Position>,
        depth: u32,
    }

    impl Visit for SerialMoves<'_> {
        type Output = String;

        fn visit<R: Representation>(self, game: R) -> String {
            let best = |position| {
                alpha_beta(&game, &Representation::load(&game, position), self.depth).best
            };
            let name = |mv: Option<_>| mv.map_or(PASS.to_owned(), |mv| game.size().name(mv));
            self.line
                .positions
                .iter()
                .map(|position| name(best(position)))
                .collect()
        }
    }
}
