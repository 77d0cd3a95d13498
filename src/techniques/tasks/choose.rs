//! The task `choose`: a technique chooses a move within a time limit or a number of iterations, also in matches.

use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

use super::{Play, RandomPlayer, Searcher, Turn};
use crate::random::MOST_PLAYOUTS;
use crate::techniques::prelude::*;
use crate::techniques::{Division, Part, Reply};
use crate::words::Chosen;

/// The effort of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Wall-clock time per move.
    Time(Duration),
    /// Number of leaves that a tree search selects, or number of playouts in flat Monte Carlo. At least 1.
    Iterations(u64),
}

impl Effort {
    /// Allowed values of the axis `effort`, for messages.
    pub const ALLOWED: &str =
        "a time per move, 1ms to 1h (`100ms`), or a number of iterations, 1 to 10^12";

    /// Parses a value of the axis. The error is one line with the allowed values.
    pub fn read(value: &Value) -> Result<Effort, String> {
        let wrong = || format!("effort: `{value}`; allowed is {}", Effort::ALLOWED);
        match value {
            Value::Int(iterations @ 1..=1_000_000_000_000) => {
                Ok(Effort::Iterations(*iterations as u64))
            }
            Value::Text(text) => {
                let time = humantime::parse_duration(text).map_err(|_| wrong())?;
                let allowed = Duration::from_millis(1)..=Duration::from_secs(3600);
                allowed
                    .contains(&time)
                    .then_some(Effort::Time(time))
                    .ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Effort::Time(time) => write!(f, "{}", humantime::format_duration(*time)),
            Effort::Iterations(iterations) => write!(f, "{iterations} iterations"),
        }
    }
}

/// A choice and its statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move, or `None` if the game is over.
    pub best: Option<M>,
    /// Number of visits to each legal move, in the game's move order.
    pub visits: Vec<u64>,
    /// Wins minus losses for each legal move if they decide the choice, otherwise empty.
    pub gains: Vec<i64>,
    /// Number of positions in the tree, including the root, or 0 without a tree.
    pub tree_nodes: u64,
    /// Number of plies from the root to the tree's deepest position.
    pub tree_depth: u64,
    /// Counts of playouts and their plies.
    pub counters: Counters,
}

impl<M> Choice<M> {
    /// Returns the choice in a finished game.
    pub fn none() -> Choice<M> {
        Choice {
            best: None,
            visits: Vec::new(),
            gains: Vec::new(),
            tree_nodes: 0,
            tree_depth: 0,
            counters: Counters::default(),
        }
    }
}

/// A position at which a move is chosen.
pub struct At<'a, P: Play> {
    /// The rules.
    pub play: &'a P,
    /// The position.
    pub position: &'a P::Position,
}

/// Chooses moves of the game `P`.
pub trait Chooser<P: Play>: Send {
    /// Chooses a move at a position. For an effort in iterations, the result is reproducible. Fails if a device fails.
    fn choose(&mut self, at: &At<'_, P>, effort: Effort) -> Result<Choice<P::Move>, Fault>;

    /// Returns how a choice is divided among several devices.
    fn division(&self) -> Division {
        Division::Trees
    }

    /// Sets the number of a choice's first playout if several devices divide the choice by ranges.
    fn number_from(&mut self, _first: u64) {}

    /// Returns the telemetry since the last call.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry::default()
    }
}

/// Returns the index of the first move with the most wins minus losses per visit. Ratios are compared exactly.
pub(super) fn best_mean(gains: &[i64], visits: &[u64]) -> Option<usize> {
    let better = |a: usize, b: usize| {
        i128::from(gains[a]) * i128::from(visits[b]) > i128::from(gains[b]) * i128::from(visits[a])
    };
    let tried = (0..visits.len()).filter(|place| visits[*place] > 0);
    tried.reduce(|best, place| if better(place, best) { place } else { best })
}

/// Returns the index of the first largest value.
pub(super) fn first_largest<T: Ord>(values: &[T]) -> Option<usize> {
    (0..values.len()).rev().max_by_key(|place| &values[*place])
}

/// Chooses a move by a search that deepens until the time is up.
pub(super) struct Deepening<P: Play>(pub Box<dyn Searcher<P>>);

impl<P: Play> Chooser<P> for Deepening<P> {
    fn choose(&mut self, at: &At<'_, P>, effort: Effort) -> Result<Choice<P::Move>, Fault> {
        let At { play, position } = *at;
        let start = Instant::now();
        let Effort::Time(time) = effort else {
            return Err(Fault::Unsupported(format!(
                "{effort}: it searches for a time, not for a number of iterations"
            )));
        };
        if !matches!(play.turn(position), Turn::Move) {
            return Ok(Choice::none());
        }
        let (found, depth) = self.0.search_until(position, start + time)?;
        Ok(Choice {
            best: found.best,
            tree_depth: depth.into(),
            counters: found.counters,
            ..Choice::none()
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.0.telemetry()
    }
}

pub(super) struct Choices<P: Play> {
    pub play: P,
    pub positions: Vec<P::Position>,
    pub effort: Effort,
    pub chooser: Box<dyn Chooser<P>>,
}

impl<P: Play> Choices<P> {
    /// Removes visits if they depend on the clock, because such visits are not compared.
    fn shown(&self, mut answer: Answer) -> Answer {
        if let (Effort::Time(_), Answer::Chosen(answers)) = (self.effort, &mut answer) {
            answers.iter_mut().for_each(|own| own.visits.clear());
        }
        answer
    }
}

impl<P: Play> Sampler for Choices<P> {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        let (answer, counters) = self.part(&Part::WHOLE)?;
        Ok((self.shown(answer), counters))
    }

    fn division(&self) -> Option<Division> {
        Some(self.chooser.division())
    }

    /// Chooses a move at each position, with the part's iterations and playout numbers, or until the time is up.
    fn part(&mut self, part: &Part) -> Result<(Answer, Counters), Fault> {
        let numbers = part.of_things(match self.effort {
            Effort::Iterations(all) => all,
            Effort::Time(_) => MOST_PLAYOUTS / 2,
        });
        let effort = match self.effort {
            Effort::Iterations(_) => Effort::Iterations(numbers.end - numbers.start),
            time => time,
        };
        self.chooser.number_from(numbers.start);
        let mut counters = Counters::default();
        let mut answers = Vec::with_capacity(self.positions.len());
        for position in &self.positions {
            if effort == Effort::Iterations(0) {
                answers.push(Chosen::default());
                continue;
            }
            let play = &self.play;
            let choice = self.chooser.choose(&At { play, position }, effort)?;
            let best = choice.best.map(|mv| self.play.name(mv));
            let legal = match choice.best {
                Some(mv) => self.play.play(position, mv).is_some(),
                None => !matches!(self.play.turn(position), Turn::Move),
            };
            if !legal {
                let best = best.unwrap_or_else(|| "none".into());
                let why = format!("chose `{best}` at {position}, which is no legal move");
                return Err(Fault::Wrong(why));
            }
            counters += choice.counters;
            answers.push(Chosen {
                best,
                visits: choice.visits,
                gains: choice.gains,
                tree_nodes: choice.tree_nodes,
                tree_depth: choice.tree_depth,
            });
        }
        Ok((Answer::Chosen(answers), counters))
    }

    /// Chooses the move with the most visits over all parts, or, for flat Monte Carlo, the move with the best mean.
    fn joined(&self, mut sum: Answer) -> Answer {
        if let Answer::Chosen(sums) = &mut sum {
            for (position, sum) in self.positions.iter().zip(sums) {
                let best = match sum.gains.is_empty() {
                    true => first_largest(&sum.visits),
                    false => best_mean(&sum.gains, &sum.visits),
                };
                let moves = self.play.moves(position);
                sum.best = best.map(|place| self.play.name(moves[place]));
            }
        }
        self.shown(sum)
    }

    fn units(&self) -> u64 {
        self.positions.len() as u64
    }

    fn reply(&mut self, position: &str) -> Result<Reply, Fault> {
        let parsed = self.play.parse(position).map_err(Fault::Input)?;
        let start = Instant::now();
        let (play, position) = (&self.play, &parsed);
        let choice = self.chooser.choose(&At { play, position }, self.effort)?;
        let ns = start.elapsed().as_nanos() as u64;
        Ok(Reply {
            best: choice.best.map(|mv| self.play.name(mv)),
            searched: None,
            counters: choice.counters,
            ns,
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.chooser.telemetry()
    }
}

/// Chooses moves by the tallies of a [`RandomPlayer`] (flat Monte Carlo).
///
/// Playouts are numbered so that they spread evenly over the moves. If the effort is a time, each batch is as large as
/// all earlier batches together, or smaller if the playouts would exceed the time limit. If it is a number of
/// iterations, batches do not depend on the clock.
pub struct Flat<P: Play> {
    player: Box<dyn RandomPlayer<P>>,
    /// Number of playouts in the first batch.
    first: u64,
    /// Maximum number of playouts in a batch.
    most: u64,
    /// Number of the first playout.
    from: u64,
}

impl<P: Play> Flat<P> {
    /// Creates a chooser. `batch` ranges from the size of the first batch to the maximum size. Both are at least 1.
    pub fn new(player: Box<dyn RandomPlayer<P>>, batch: Range<u64>) -> Flat<P> {
        Flat {
            player,
            first: batch.start.max(1),
            most: batch.end.max(1),
            from: 0,
        }
    }

    /// Returns the size of the next batch, predicted from the average rate so far, or 0 if the effort is spent.
    fn next(&self, effort: Effort, done: u64, started: Instant) -> u64 {
        match effort {
            Effort::Iterations(all) => self.most.min(all - done),
            Effort::Time(time) => {
                if done == 0 {
                    return self.first;
                }
                let spent = started.elapsed();
                let left = time.saturating_sub(spent);
                let fits = left.as_nanos() * u128::from(done) / spent.as_nanos().max(1);
                let next = fits.min(u128::from(done)).min(u128::from(self.most)) as u64;
                if next < self.first { 0 } else { next }
            }
        }
    }
}

impl<P: Play> Chooser<P> for Flat<P> {
    fn choose(&mut self, at: &At<'_, P>, effort: Effort) -> Result<Choice<P::Move>, Fault> {
        let At { play, position } = *at;
        let started = Instant::now();
        if !matches!(play.turn(position), Turn::Move) {
            return Ok(Choice::none());
        }
        let moves = play.moves(position);
        self.player.load(std::slice::from_ref(position))?;
        let mut tally = Tally::default();
        let mut done = 0;
        loop {
            let batch = self.next(effort, done, started);
            if batch == 0 {
                break;
            }
            let next = self.from + done;
            tally += &self.player.play(0, next..next + batch)?;
            done += batch;
        }
        let by_move = tally.by_first_move.iter();
        let visits: Vec<u64> = by_move
            .map(|(won, drawn, lost)| won + drawn + lost)
            .collect();
        let by_move = tally.by_first_move.iter();
        let gains: Vec<i64> = by_move
            .map(|(won, _, lost)| *won as i64 - *lost as i64)
            .collect();
        Ok(Choice {
            best: Some(moves[best_mean(&gains, &visits).unwrap_or(0)]),
            visits,
            gains,
            counters: Counters {
                playouts: tally.playouts(),
                plies: tally.plies,
                ..Counters::default()
            },
            ..Choice::none()
        })
    }

    fn division(&self) -> Division {
        Division::Ranges
    }

    fn number_from(&mut self, first: u64) {
        self.from = first;
    }

    fn telemetry(&mut self) -> Telemetry {
        self.player.telemetry()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_is_a_time_or_a_number() {
        let read = |text: &str| Effort::read(&Value::parse(text));
        assert_eq!(read("100ms"), Ok(Effort::Time(Duration::from_millis(100))));
        assert_eq!(read("4096"), Ok(Effort::Iterations(4096)));
        for text in "0 -1 0s 1us 2h soon true 1000000000001".split(' ') {
            let wrong = read(text).unwrap_err();
            let part = format!("effort: `{text}`; allowed is a time");
            assert!(wrong.starts_with(&part), "{wrong}");
        }
    }
}
