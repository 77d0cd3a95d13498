//! What reversi's techniques have in common: the tasks, as a [`Sampler`] over any [`Searcher`].

use std::time::Instant;

use super::{Asked, line};
use crate::games::reversi::{Colour, PASS, Position, Representation, Square, Visit, fastest};
use crate::search::{Found, value_of_move};
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Case, Counters, Fault, MatchScore, Parts, Searched, Task, Value};

/// How a technique searches. All that a new technique must bring.
pub trait Searcher {
    /// Lays positions out as the technique wants them, in place of those before. Never timed.
    ///
    /// # Errors
    /// Where a device refuses.
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault>;

    /// Searches one of the loaded positions.
    ///
    /// # Errors
    /// Where a device fails.
    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault>;

    /// Searches several of the loaded positions one after another, and adds what it finds to
    /// `found`, in order.
    ///
    /// # Errors
    /// As [`Searcher::search`].
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        found: &mut Vec<Found<Square>>,
    ) -> Result<(), Fault> {
        for index in indices {
            found.push(self.search(*index, depth)?);
        }
        Ok(())
    }

    /// Counts the move sequences of exactly `depth` plies from one of the loaded positions, as
    /// leaves.
    ///
    /// # Errors
    /// Where the technique cannot, or a device fails.
    fn perft(&mut self, _index: usize, _depth: u32) -> Result<Counters, Fault> {
        Err(Fault::Unsupported(
            "this technique does not count sequences".into(),
        ))
    }

    /// Where the time since the last call of this went.
    fn parts(&mut self) -> Parts {
        Parts::default()
    }

    /// Program build time, ns.
    fn build_ns(&self) -> u64 {
        0
    }

    /// What it chose or used, for the row.
    fn notes(&self) -> String {
        String::new()
    }
}

/// Makes a technique ready for a cell: reads what is asked, makes its searcher and loads the
/// positions.
///
/// # Errors
/// [`Fault::Input`] where the case, an option or the position makes no sense, and what `searcher`
/// fails with.
pub fn prepare(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&Asked) -> Result<Box<dyn Searcher>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let mut facts = Vec::new();
    let positions = match setup.task {
        Task::Search | Task::Perft => {
            let parsed = Position::parse(asked.size(), setup.position.unwrap_or_default());
            vec![parsed.map_err(|error| Fault::Input(error.to_string()))?]
        }
        Task::Game => {
            let line = line(&asked.evaluation, asked.line_depth);
            let board = Case(vec![(
                "board".into(),
                Value::Text(asked.size().to_string()),
            )])
            .to_string();
            facts.push((
                board.clone(),
                "branching-factor".into(),
                line.branching_factor(),
            ));
            facts.push((board, "positions".into(), line.positions.len() as f64));
            line.positions.clone()
        }
        Task::Match => Vec::new(),
        task @ (Task::Playouts | Task::Choose) => {
            return Err(Fault::Unsupported(format!("reversi has no task `{task}`")));
        }
    };
    let opponent = match setup.opponent {
        None => None,
        Some((technique, params)) => {
            let its = Setup {
                task: Task::Search,
                params,
                position: None,
                opponent: None,
                ..setup.clone()
            };
            Some((technique.prepare)(&its)?)
        }
    };
    if setup.task == Task::Match && opponent.is_none() {
        return Err(Fault::Input(
            "opponent: none given; allowed is the label of another technique".into(),
        ));
    }
    let mut searcher = searcher(&asked)?;
    searcher.load(&positions)?;
    let names = asked
        .size()
        .all()
        .map(|square| asked.size().name(square))
        .collect();
    let mut cell = Cell {
        task: setup.task,
        asked,
        names,
        positions,
        chosen: Vec::new(),
        found: Vec::new(),
        searcher,
        opponent,
        facts,
    };
    cell.limit_units(setup.positions.unwrap_or(usize::MAX));
    Ok(Box::new(cell))
}

/// A technique made ready for one cell of reversi.
struct Cell {
    task: Task,
    asked: Asked,
    /// Every square's name, so that a sample spends no time on spelling.
    names: Vec<String>,
    positions: Vec<Position>,
    /// Which of the positions a sample searches.
    chosen: Vec<usize>,
    /// Room for what a sample finds.
    found: Vec<Found<Square>>,
    searcher: Box<dyn Searcher>,
    opponent: Option<Box<dyn Sampler>>,
    facts: Vec<(String, String, f64)>,
}

impl Cell {
    fn answer(&self, found: &Found<Square>) -> Searched {
        let best = found.best.map(|square| self.names[square.index()].clone());
        Searched {
            value: i64::from(found.value),
            best,
        }
    }

    fn search_chosen(&mut self) -> Result<(Answer, Counters), Fault> {
        self.found.clear();
        self.searcher
            .search_each(&self.chosen, self.asked.depth, &mut self.found)?;
        let mut counters = Counters::default();
        for found in &self.found {
            counters += found.counters;
        }
        Ok((
            Answer::Searched(self.found.iter().map(|found| self.answer(found)).collect()),
            counters,
        ))
    }

    /// The paper's two symmetric rounds, once as black and once as white (section 4), each player
    /// with its own moves and its own time.
    fn play_match(&mut self) -> Result<(Answer, Counters), Fault> {
        let mut score = MatchScore::default();
        let mut counters = Counters::default();
        for own in [Colour::Black, Colour::White] {
            let (difference, moves) = self.play_game(own, &mut score, &mut counters)?;
            match difference.signum() {
                1 => score.wins += 1,
                0 => score.draws += 1,
                _ => score.losses += 1,
            }
            score.games.push((difference, moves));
        }
        Ok((Answer::Match(score), counters))
    }

    /// One game: the final difference of discs from this technique's side, and the moves.
    fn play_game(
        &mut self,
        own: Colour,
        score: &mut MatchScore,
        counters: &mut Counters,
    ) -> Result<(i64, String), Fault> {
        let size = self.asked.size();
        let mut position = Position::start(size);
        let mut moves = String::new();
        loop {
            if position.legal_moves().is_empty() {
                if position.is_over() {
                    let discs = |colour| i64::from(position.discs(colour));
                    return Ok((discs(own) - discs(own.other()), moves));
                }
                moves.push_str(PASS);
                position = position.pass();
                continue;
            }
            let best = if position.mover() == own {
                let (found, time) = self.search_at(&position)?;
                *counters += found.counters;
                score.own_ns += time;
                self.answer(&found).best
            } else {
                let Some(opponent) = &mut self.opponent else {
                    return Err(Fault::Input("opponent: none given".into()));
                };
                let (searched, time) = opponent.reply(&position.to_string())?;
                score.opponent_ns += time;
                searched.best
            };
            let name = best.unwrap_or_default();
            position = size
                .find(&name)
                .and_then(|square| position.play(square))
                .ok_or_else(|| {
                    Fault::Wrong(format!(
                        "answered `{name}` at {position}, which is no legal move"
                    ))
                })?;
            moves.push_str(&name);
        }
    }

    /// Searches a position that was not loaded before: what it finds, and the time of the search
    /// alone, ns.
    fn search_at(&mut self, position: &Position) -> Result<(Found<Square>, u64), Fault> {
        self.searcher.load(std::slice::from_ref(position))?;
        let start = Instant::now();
        let found = self.searcher.search(0, self.asked.depth)?;
        Ok((found, start.elapsed().as_nanos() as u64))
    }
}

impl Sampler for Cell {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        match self.task {
            Task::Match => self.play_match(),
            Task::Perft => {
                let counters = self.searcher.perft(0, self.asked.depth)?;
                Ok((Answer::Leaves(counters.leaves), counters))
            }
            _ => self.search_chosen(),
        }
    }

    fn parts(&mut self) -> Parts {
        self.searcher.parts()
    }

    /// Positions; for a match, its two games.
    fn units(&self) -> u64 {
        if self.task == Task::Match {
            2
        } else {
            self.chosen.len() as u64
        }
    }

    fn limit_units(&mut self, most: usize) {
        let all = self.positions.len();
        let kept = all.min(most.max(1));
        // The middles of equal stretches: a line's first position is far cheaper than the rest.
        self.chosen = (0..kept)
            .map(|place| (2 * place + 1) * all / (2 * kept))
            .collect();
    }

    fn value_of(&mut self, unit: usize, best: &str) -> Result<i64, Fault> {
        let position = self.chosen.get(unit).map(|index| &self.positions[*index]);
        let position = position.ok_or_else(|| {
            Fault::Input(format!(
                "unit: `{unit}`; allowed are {} units",
                self.chosen.len()
            ))
        })?;
        let square = self
            .asked
            .size()
            .find(best)
            .filter(|square| !position.flips(*square).is_empty())
            .ok_or_else(|| Fault::Input(format!("move `{best}` is not legal at {position}")))?;
        Ok(i64::from(fastest(
            &self.asked.evaluation,
            ValueOf {
                position,
                square,
                depth: self.asked.depth,
            },
        )))
    }

    fn reply(&mut self, position: &str) -> Result<(Searched, u64), Fault> {
        let parsed = Position::parse(self.asked.size(), position);
        let (found, time) =
            self.search_at(&parsed.map_err(|error| Fault::Input(error.to_string()))?)?;
        Ok((self.answer(&found), time))
    }

    fn build_ns(&self) -> u64 {
        self.searcher.build_ns()
    }

    fn notes(&self) -> String {
        self.searcher.notes()
    }

    fn facts(&self) -> Vec<(String, String, f64)> {
        self.facts.clone()
    }
}

struct ValueOf<'a> {
    position: &'a Position,
    square: Square,
    depth: u32,
}

impl Visit for ValueOf<'_> {
    type Output = i32;

    fn visit<R: Representation>(self, game: R) -> i32 {
        value_of_move(&game, &game.load(self.position), self.square, self.depth)
    }
}
