use std::sync::Arc;
use std::time::Instant;

use super::{Line, Play, Searcher, Turn};
use crate::search::Found;
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Counters, Fault, MatchScore, Parts, Resource, Searched, Task};

/// Makes a technique ready for a cell: reads the position or the line of play, makes the searcher
/// and loads it.
///
/// # Errors
/// [`Fault::Input`] where the position makes no sense, [`Fault::Unsupported`] for a task that is
/// not made of searches, and what `searcher` fails with.
pub fn prepare<P: Play>(
    setup: &Setup<'_>,
    play: P,
    searcher: impl FnOnce(&P) -> Result<Box<dyn Searcher<P>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let mut facts = Vec::new();
    let positions = match setup.task {
        Task::Search | Task::Perft => Positions::One(match setup.position {
            Some(text) => play.parse(text).map_err(Fault::Input)?,
            None => play.start(),
        }),
        Task::Game => {
            let (line, shown) = play.line()?;
            facts = shown;
            Positions::Line(line)
        }
        Task::Match => Positions::Openings(play.openings()),
        task @ (Task::Playouts | Task::Choose) => {
            let game = play.game();
            return Err(Fault::Unsupported(format!("{game} has no task `{task}`")));
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
    let mut searcher = searcher(&play)?;
    // A match loads each position when it comes to it.
    if setup.task != Task::Match {
        searcher.load(positions.all())?;
    }
    let mut cell = Cell {
        task: setup.task,
        play,
        positions,
        chosen: Vec::new(),
        opening: 0,
        found: Vec::new(),
        searcher,
        opponent,
        facts,
    };
    cell.limit_units(setup.positions.unwrap_or(usize::MAX));
    Ok(Box::new(cell))
}

/// What a cell searches.
enum Positions<P> {
    One(P),
    Openings(Vec<P>),
    Line(Arc<Line<P>>),
}

impl<P> Positions<P> {
    fn all(&self) -> &[P] {
        match self {
            Positions::One(position) => std::slice::from_ref(position),
            Positions::Openings(positions) => positions,
            Positions::Line(line) => &line.positions,
        }
    }
}

/// A technique made ready for one cell.
struct Cell<P: Play> {
    task: Task,
    play: P,
    positions: Positions<P::Position>,
    /// Which of the positions a sample searches.
    chosen: Vec<usize>,
    /// Which of the openings the next sample of a match begins from.
    opening: usize,
    /// Room for what a sample finds.
    found: Vec<Found<P::Move>>,
    searcher: Box<dyn Searcher<P>>,
    opponent: Option<Box<dyn Sampler>>,
    facts: Vec<(String, String, f64)>,
}

impl<P: Play> Cell<P> {
    fn answer(&self, found: &Found<P::Move>) -> Searched {
        Searched {
            value: found.value,
            best: found.best.map(|mv| self.play.name(mv).to_owned()),
            by_move: found.by_move.clone(),
        }
    }

    fn search_chosen(&mut self) -> Result<(Answer, Counters), Fault> {
        self.found.clear();
        let depth = self.play.depth();
        self.searcher
            .search_each(&self.chosen, depth, &mut self.found)?;
        let mut counters = Counters::default();
        for found in &self.found {
            counters += found.counters;
        }
        Ok((
            Answer::Searched(self.found.iter().map(|found| self.answer(found)).collect()),
            counters,
        ))
    }

    /// Two symmetric rounds from one opening, once as the side that begins and once as the other,
    /// each player with its own moves and its own time (as Strnad and Guid, section 4, have them).
    fn play_match(&mut self) -> Result<(Answer, Counters), Fault> {
        let mut score = MatchScore {
            opening: self.opening as u64,
            ..MatchScore::default()
        };
        let mut counters = Counters::default();
        for begins in [true, false] {
            let (own_score, moves) = self.play_game(begins, &mut score, &mut counters)?;
            match own_score.signum() {
                1 => score.wins += 1,
                0 => score.draws += 1,
                _ => score.losses += 1,
            }
            score.games.push((own_score, moves));
        }
        Ok((Answer::Match(score), counters))
    }

    /// One game: its score from this technique's side, and the moves.
    fn play_game(
        &mut self,
        begins: bool,
        score: &mut MatchScore,
        counters: &mut Counters,
    ) -> Result<(i64, String), Fault> {
        let mut position = self.positions.all()[self.opening].clone();
        // From the game's start, so that anybody can play it again.
        let mut moves = if self.positions.all().len() > 1 {
            position.to_string()
        } else {
            String::new()
        };
        loop {
            match self.play.turn(&position) {
                Turn::Over(score) => return Ok((if begins { score } else { -score }, moves)),
                Turn::Pass(passed, name) => {
                    moves.push_str(name);
                    position = passed;
                    continue;
                }
                Turn::Move => {}
            }
            let best = if self.play.first_to_move(&position) == begins {
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
            let next = self.play.find(&name);
            let next = next.and_then(|mv| self.play.play(&position, mv));
            position = next.ok_or_else(|| {
                Fault::Wrong(format!(
                    "answered `{name}` at {position}, which is no legal move"
                ))
            })?;
            moves.push_str(&name);
        }
    }

    /// Searches a position that was not loaded before: what it finds, and the time of the search
    /// alone, ns.
    fn search_at(&mut self, position: &P::Position) -> Result<(Found<P::Move>, u64), Fault> {
        self.searcher.load(std::slice::from_ref(position))?;
        let start = Instant::now();
        let found = self.searcher.search(0, self.play.depth())?;
        Ok((found, start.elapsed().as_nanos() as u64))
    }
}

impl<P: Play> Sampler for Cell<P> {
    fn begin(&mut self, taken: u64) {
        self.opening = (taken % self.positions.all().len().max(1) as u64) as usize;
    }

    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        match self.task {
            Task::Match => self.play_match(),
            Task::Perft => {
                let counters = self.searcher.perft(0, self.play.depth())?;
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
        let all = self.positions.all().len();
        let kept = all.min(most.max(1));
        // The middles of equal stretches: a line's first position is often far cheaper than the
        // rest.
        self.chosen = (0..kept)
            .map(|place| (2 * place + 1) * all / (2 * kept))
            .collect();
    }

    fn value_of(&mut self, unit: usize, best: &str) -> Result<i64, Fault> {
        let position = self
            .chosen
            .get(unit)
            .map(|index| &self.positions.all()[*index]);
        let position = position.ok_or_else(|| {
            Fault::Input(format!(
                "unit: `{unit}`; allowed are {} units",
                self.chosen.len()
            ))
        })?;
        let mv = self
            .play
            .find(best)
            .filter(|mv| self.play.play(position, *mv).is_some())
            .ok_or_else(|| Fault::Input(format!("move `{best}` is not legal at {position}")))?;
        Ok(self.play.value_of(position, mv))
    }

    fn reply(&mut self, position: &str) -> Result<(Searched, u64), Fault> {
        let parsed = self.play.parse(position).map_err(Fault::Input)?;
        let (found, time) = self.search_at(&parsed)?;
        Ok((self.answer(&found), time))
    }

    fn build_ns(&self) -> u64 {
        self.searcher.build_ns()
    }

    fn notes(&self) -> String {
        self.searcher.notes()
    }

    fn resources(&self) -> Vec<Resource> {
        self.searcher.resources()
    }

    fn facts(&self) -> Vec<(String, String, f64)> {
        self.facts.clone()
    }
}
