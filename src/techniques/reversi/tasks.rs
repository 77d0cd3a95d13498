//! Reversi for the tasks that all games share: its notation, its line of play, and what a technique
//! starts from.

use std::sync::Arc;

use super::Asked;
use crate::games::Keyed;
use crate::games::reversi::{
    Colour, Evaluation, PASS, Position, Representation, Square, Visit, VisitKeyed, as_published,
    fastest,
};
use crate::search::{Sibling, Siblings, Window, value_of_move};
use crate::techniques::lanes::counted;
use crate::techniques::program::prepare_searched;
use crate::techniques::tasks::host::SharedWindow;
use crate::techniques::tasks::random_games;
use crate::techniques::tasks::remembering::{self, needs_depth, remembering, value_with_table};
use crate::techniques::tasks::{
    self, Line, Lines, Loads, Play, RandomPlayer, Splits, Splitting, Timed, Turn, openings_after,
    self_play,
};
use crate::techniques::{Sampler, Setup};
use crate::words::{Case, Counters, Fault, Telemetry, Value};

/// How a technique of reversi searches.
pub use crate::techniques::tasks::Searcher;

/// Reversi as it is played in one case.
pub struct Reversi {
    pub(super) asked: Asked,
}

/// Makes a technique ready for a cell: reads what is asked, makes its searcher and loads the
/// positions.
///
/// # Errors
/// [`Fault::Input`] where the case, an option or the position makes no sense, and what `searcher`
/// fails with.
pub fn prepare(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&Asked) -> Result<Box<dyn Searcher<Reversi>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    needs_depth(asked.effort)?;
    tasks::prepare(setup, Reversi { asked }, |play| searcher(&play.asked))
}

/// Searches the siblings of principal-variation nodes on a device, whatever represents the board.
pub trait DeviceSplit: 'static {
    /// As [`Siblings::search`], at `(depth, ply)`.
    ///
    /// # Errors
    /// Where the device fails.
    fn split<R: Representation>(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        at: (u32, u32),
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault>;

    /// Where the time since the last call of this went, and what it chose and used.
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

/// [`prepare`] for a technique whose search is PV-split, of which it brings the siblings.
///
/// # Errors
/// As [`prepare`].
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

/// [`prepare_split`] for siblings that may count how full a device's lanes are: they are told how many share
/// instructions, or `None`.
pub(super) fn prepare_counted_split<S: DeviceSplit>(
    setup: &Setup<'_>,
    siblings: impl Fn(&Asked, Option<usize>) -> Result<S, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |asked| {
        let depth = asked.depth;
        counted(setup, depth, |width| {
            let siblings = siblings(asked, width)?;
            fastest(&asked.evaluation, Split { siblings, depth })
        })
    })
}

/// [`prepare_split`] with the host's part on the paper's boards of bytes, as `serial-as-published` is.
///
/// # Errors
/// As [`prepare`].
pub(super) fn prepare_split_as_published<S: DeviceSplit>(
    setup: &Setup<'_>,
    siblings: impl FnOnce(&Asked) -> Result<S, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |asked| {
        let siblings = siblings(asked)?;
        let depth = asked.depth;
        as_published(&asked.evaluation, Split { siblings, depth })
    })
}

/// Makes the searcher on whatever representation it visits.
struct Split<S> {
    siblings: S,
    depth: u32,
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

/// [`prepare`] for a technique that also searches for a time.
///
/// # Errors
/// As [`prepare`].
pub(super) fn prepare_timed(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&Reversi) -> Result<Box<dyn Timed<Reversi>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let effort = asked.effort;
    remembering::prepare_timed(setup, Reversi { asked }, effort, searcher)
}

/// [`prepare`] for a technique with a table of positions: on one core where `threads` is `None`, or else
/// in a pool of its own.
pub(super) fn prepare_table(
    setup: &Setup<'_>,
    threads: Option<usize>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_timed(setup, |play| {
        fastest(&play.asked.evaluation, OnTable { threads, setup })
    })
}

/// Makes the searcher on whatever representation it visits.
struct OnTable<'a> {
    threads: Option<usize>,
    setup: &'a Setup<'a>,
}

impl VisitKeyed for OnTable<'_> {
    type Output = Result<Box<dyn Timed<Reversi>>, Fault>;

    fn visit_keyed<R: Representation + Keyed + Clone>(self, game: R) -> Self::Output {
        remembering(game, self.threads, self.setup)
    }
}

/// The line of play of a board: `serial`'s game against itself at a fixed depth, whose positions
/// the paper's Table 1 counts moves in. Kept for the life of the process.
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

/// Makes a technique that plays at random ready for the task `playouts`.
///
/// # Errors
/// As [`prepare`].
pub(super) fn prepare_random(
    setup: &Setup<'_>,
    player: impl FnOnce(&Position, u64) -> Result<Box<dyn RandomPlayer<Reversi>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let count = asked.playouts;
    random_games::prepare(setup, Reversi { asked }, count, |start| {
        player(start, count)
    })
}

/// Makes a program ready for a cell.
///
/// # Errors
/// As [`prepare`], and where the program fails.
pub fn prepare_program(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let rules = || Reversi {
        asked: asked.clone(),
    };
    prepare_searched(setup, rules, asked.playouts, asked.effort)
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

    /// Under a clock, where players seldom do the same twice but begin alike, the different positions
    /// after four plies, in an order that was drawn once for all. A game's record begins with its
    /// board.
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
        position.mover() == Colour::Black
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

/// The depth from which a move's value is searched with a table: without one, depth 12 takes seconds, and depth 14 minutes.
const WITH_TABLE_FROM: u32 = 11;

struct ValueOf<'a> {
    position: &'a Position,
    mv: Square,
    depth: u32,
}

impl VisitKeyed for ValueOf<'_> {
    type Output = i64;

    fn visit_keyed<R: Representation + Keyed + Clone>(self, game: R) -> i64 {
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
