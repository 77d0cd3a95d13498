use std::sync::Arc;
use std::time::Instant;

use super::{CASE_SEED, Cased, Line, Plies, Searcher, Searches, plies_of, random_positions};
use crate::techniques::Reply;
use crate::techniques::prelude::*;
use crate::words::{Fact, Searched};

/// A search technique, prepared for one cell.
pub(super) struct Cell<P: Cased> {
    task: Task,
    play: P,
    line: Arc<Line<P::Position>>,
    /// Indices of the positions that a sample searches.
    chosen: Vec<usize>,
    done: Searches<P::Move>,
    searcher: Box<dyn Searcher<P>>,
    facts: Vec<Fact>,
}

impl<P: Cased> Cell<P> {
    /// Loads the positions of a sample: the line of play for the task `game`, otherwise `start`.
    pub(super) fn new(
        setup: &Setup<'_>,
        task: Task,
        play: P,
        start: Vec<P::Position>,
        mut searcher: Box<dyn Searcher<P>>,
    ) -> Result<Cell<P>, Fault> {
        let mut facts = Vec::new();
        let line = match task {
            Task::Game => match plies_of(setup.case).map_err(Fault::Input)? {
                Plies::Random(count) => Arc::new(random_positions(&play, count, CASE_SEED)?),
                plies => {
                    let (line, shown) = play.line()?;
                    facts = shown;
                    match plies {
                        Plies::After(plies) => Arc::new(line.at(&plies)?),
                        _ => line,
                    }
                }
            },
            _ => Arc::new(Line {
                positions: start,
                choices: Vec::new(),
                moves: String::new(),
            }),
        };
        searcher.load(&line.positions)?;
        let mut cell = Cell {
            task,
            play,
            line,
            chosen: Vec::new(),
            done: Searches::default(),
            searcher,
            facts,
        };
        cell.limit_units(setup.positions.unwrap_or(usize::MAX));
        Ok(cell)
    }

    fn answer(&self, found: &Found<P::Move>) -> Searched {
        Searched {
            value: found.value,
            best: found.best.map(|mv| self.play.name(mv)),
            by_move: found.by_move.clone(),
        }
    }

    fn search_chosen(&mut self) -> Result<(Answer, Counters), Fault> {
        self.done.clear();
        let depth = self.play.amount().depth;
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

impl<P: Cased> Sampler for Cell<P> {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        if self.task != Task::Perft {
            return self.search_chosen();
        }
        let counters = self.searcher.perft(0, self.play.amount().depth)?;
        Ok((Answer::Leaves(counters.leaves), counters))
    }

    fn units(&self) -> u64 {
        self.chosen.len() as u64
    }

    fn limit_units(&mut self, most: usize) {
        let all = self.line.positions.len();
        let kept = all.min(most.max(1));
        // Select the middle of each of `kept` equal parts, because a line's first position is often much cheaper.
        self.chosen = (0..kept)
            .map(|place| (2 * place + 1) * all / (2 * kept))
            .collect();
    }

    fn value_of(&mut self, unit: usize, best: &str) -> Result<i64, Fault> {
        let position = self
            .chosen
            .get(unit)
            .map(|index| &self.line.positions[*index]);
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
        self.searcher.load(std::slice::from_ref(&parsed))?;
        let start = Instant::now();
        let found = self.searcher.search(0, self.play.amount().depth)?;
        let ns = start.elapsed().as_nanos() as u64;
        let searched = self.answer(&found);
        Ok(Reply {
            best: searched.best.clone(),
            searched: Some(searched),
            counters: found.counters,
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
