use std::sync::Arc;
use std::time::Instant;

use super::choose::first_largest;
use super::matches::{self, MakePlayer, Player, Replied};
use super::play::lacks;
use super::{CASE_SEED, Line, Play, Plies, Searcher, Searches, plies_of, random_positions};
use crate::search::Found;
use crate::techniques::part::{Division, Part};
use crate::techniques::{Reply, Sampler, Setup};
use crate::words::{Answer, Counters, Fact, Fault, Searched, Task, Telemetry};

/// Prepares a technique for a cell: reads the position or the line of play, makes the searcher, and loads the
/// positions. Fails with [`Fault::Input`] for an invalid position, [`Fault::Unsupported`] for a task that does not
/// consist of searches, and any error of `searcher`.
pub fn prepare<P: Play>(
    setup: &Setup<'_>,
    play: P,
    searcher: impl FnOnce(&P) -> Result<Box<dyn Searcher<P>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_made(setup, play, Box::new(searcher))
}

/// What makes a technique's searcher.
type MakeSearcher<'a, P> = Box<dyn FnOnce(&P) -> Result<Box<dyn Searcher<P>>, Fault> + 'a>;

/// [`prepare`], compiled once a game and not once a technique.
fn prepare_made<P: Play>(
    setup: &Setup<'_>,
    play: P,
    searcher: MakeSearcher<'_, P>,
) -> Result<Box<dyn Sampler>, Fault> {
    let mut facts = Vec::new();
    let positions = match setup.task {
        Task::Search | Task::Perft => Positions::One(match setup.position {
            Some(text) => play.parse(text).map_err(Fault::Input)?,
            None => play.start(),
        }),
        Task::Game => {
            let plies = plies_of(setup.case).map_err(Fault::Input)?;
            if let Plies::Random(count) = plies {
                Positions::Line(Arc::new(random_positions(&play, count, CASE_SEED)?))
            } else {
                let (line, shown) = play.line()?;
                facts = shown;
                Positions::Line(match plies {
                    Plies::After(plies) => Arc::new(line.at(&plies)?),
                    _ => line,
                })
            }
        }
        Task::Match => {
            let player: MakePlayer<'_, P> =
                Box::new(|play| Ok(Box::new(Searching(searcher(play)?))));
            return matches::prepare(setup, play, player);
        }
        task @ (Task::Playouts | Task::Choose) => {
            return Err(lacks(play.game(), task.word()));
        }
    };
    let mut searcher = searcher(&play)?;
    searcher.load(positions.all())?;
    let mut cell = Cell {
        task: setup.task,
        play,
        positions,
        chosen: Vec::new(),
        done: Searches::new(),
        searcher,
        facts,
    };
    cell.limit_units(setup.positions.unwrap_or(usize::MAX));
    Ok(Box::new(cell))
}

/// The positions of a cell.
enum Positions<P> {
    One(P),
    Line(Arc<Line<P>>),
}

impl<P> Positions<P> {
    fn all(&self) -> &[P] {
        match self {
            Positions::One(position) => std::slice::from_ref(position),
            Positions::Line(line) => &line.positions,
        }
    }
}

/// A technique, prepared for one cell.
struct Cell<P: Play> {
    task: Task,
    play: P,
    positions: Positions<P::Position>,
    /// Indices of the positions that a sample searches.
    chosen: Vec<usize>,
    /// The last sample's results.
    done: Searches<P::Move>,
    searcher: Box<dyn Searcher<P>>,
    facts: Vec<Fact>,
}

impl<P: Play> Cell<P> {
    fn answer(&self, found: &Found<P::Move>) -> Searched {
        Searched {
            value: found.value,
            best: found.best.map(|mv| self.play.name(mv)),
            by_move: found.by_move.clone(),
        }
    }

    fn search_chosen(&mut self) -> Result<(Answer, Counters), Fault> {
        self.done.clear();
        let depth = self.play.depth();
        self.searcher
            .search_each(&self.chosen, depth, &mut self.done)?;
        let found = &self.done.found;
        let mut counters = Counters::default();
        for found in found {
            counters += found.counters;
        }
        Ok((
            Answer::Searched(found.iter().map(|found| self.answer(found)).collect()),
            counters,
        ))
    }
}

/// A searcher as a player in a match.
struct Searching<P: Play>(Box<dyn Searcher<P>>);

impl<P: Play> Player<P> for Searching<P> {
    fn reply(&mut self, play: &P, position: &P::Position) -> Result<Replied<P::Move>, Fault> {
        let (found, ns) = search_at(&mut *self.0, position, play.depth())?;
        Ok(Replied {
            best: found.best,
            counters: found.counters,
            ns,
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.0.telemetry()
    }
}

/// Searches a position that was not loaded before; returns the result, and the time of the search alone, ns.
fn search_at<P: Play>(
    searcher: &mut dyn Searcher<P>,
    position: &P::Position,
    depth: u32,
) -> Result<(Found<P::Move>, u64), Fault> {
    searcher.load(std::slice::from_ref(position))?;
    let start = Instant::now();
    let found = searcher.search(0, depth)?;
    Ok((found, start.elapsed().as_nanos() as u64))
}

impl<P: Play> Sampler for Cell<P> {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        match self.task {
            Task::Perft => self.part(&Part::WHOLE),
            _ => self.search_chosen(),
        }
    }

    fn division(&self) -> Option<Division> {
        let divides = self.task == Task::Perft || self.searcher.divides();
        divides.then_some(Division::Ranges)
    }

    fn part(&mut self, part: &Part) -> Result<(Answer, Counters), Fault> {
        let depth = self.play.depth();
        if self.task == Task::Perft {
            let counters = self.searcher.perft(0, depth, part)?;
            return Ok((Answer::Leaves(counters.leaves), counters));
        }
        let (mut answers, mut counters) = (Vec::new(), Counters::default());
        for index in &self.chosen {
            let found = self.searcher.search_part(*index, depth, part)?;
            counters += found.counters;
            answers.push(self.answer(&found));
        }
        Ok((Answer::Searched(answers), counters))
    }

    /// Chooses the first move with the largest sum. A position without sums has the same answer in each part.
    fn joined(&self, mut sum: Answer) -> Answer {
        if let Answer::Searched(sums) = &mut sum {
            for (index, sum) in self.chosen.iter().zip(sums) {
                if let Some(place) = first_largest(&sum.by_move) {
                    let mv = self.play.moves(&self.positions.all()[*index])[place];
                    (sum.value, sum.best) = (sum.by_move[place], Some(self.play.name(mv)));
                }
            }
        }
        sum
    }

    fn units(&self) -> u64 {
        self.chosen.len() as u64
    }

    fn limit_units(&mut self, most: usize) {
        let all = self.positions.all().len();
        let kept = all.min(most.max(1));
        // The middles of equal stretches, because a line's first position is often far cheaper than the others.
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
            .find(position, best)
            .filter(|mv| self.play.play(position, *mv).is_some())
            .ok_or_else(|| Fault::Input(format!("move `{best}` is not legal at {position}")))?;
        self.play.value_of(position, mv)
    }

    fn reply(&mut self, position: &str) -> Result<Reply, Fault> {
        let parsed = self.play.parse(position).map_err(Fault::Input)?;
        let (found, ns) = search_at(&mut *self.searcher, &parsed, self.play.depth())?;
        let searched = self.answer(&found);
        Ok(Reply {
            best: searched.best.clone(),
            searched: Some(searched),
            ns,
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            facts: self.facts.clone(),
            positions_ns: self.done.take_ns(),
            ..self.searcher.telemetry()
        }
    }
}
