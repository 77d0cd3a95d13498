//! The task `match`: two techniques play each other, with both sides of each opening.

use super::cased::{Cased, Make, sampler};
use super::{Play, Turn};
use crate::techniques::{Sampler, Setup};
use crate::words::{
    Answer, Counters, DEVICES, Devices, Fault, MatchScore, Params, Task, Telemetry,
};

/// Prepares a match: this technique, and its opponent, each for the task by which it replies.
pub(super) fn prepare<P: Cased>(
    setup: &Setup<'_>,
    play: P,
    positions: Vec<P::Position>,
    make: Make<'_, P>,
) -> Result<Box<dyn Sampler>, Fault> {
    let Some((technique, params)) = setup.opponent else {
        return Err(Fault::Input(
            "opponent: none given; allowed is the label of another technique".into(),
        ));
    };
    if Devices::of(params).map_err(Fault::Input)?.is_some() {
        let (key, name) = (DEVICES.name, technique.entry.name);
        let why = format!("{key}: the opponent {name} has one device");
        return Err(Fault::Unsupported(why));
    }
    // A technique that can do both searches to a depth if the case has no effort.
    let has_effort = play.effort().is_some();
    let tasks = technique.entry.tasks;
    let chooses = tasks.contains(&Task::Choose) && (has_effort || !tasks.contains(&Task::Search));
    let opponent = (technique.prepare)(&Setup {
        task: if chooses { Task::Choose } else { Task::Search },
        params,
        position: None,
        opponent: None,
        ..setup.clone()
    })?;
    let made = make(&play, &positions)?;
    let task = made.replies_by(has_effort);
    Ok(Box::new(Match {
        openings: play.openings()?,
        opening: 0,
        player: sampler(setup, task, play.clone(), positions, made)?,
        opponent,
        play,
    }))
}

/// A match, prepared. A sample is two games from one opening.
struct Match<P: Play> {
    play: P,
    openings: Vec<P::Position>,
    /// Index of the opening of the next sample.
    opening: usize,
    player: Box<dyn Sampler>,
    opponent: Box<dyn Sampler>,
}

impl<P: Play> Match<P> {
    /// Plays one game; returns its score from this technique's side, and its moves.
    fn play_game(
        &mut self,
        begins: bool,
        score: &mut MatchScore,
        counters: &mut Counters,
    ) -> Result<(i64, String), Fault> {
        let mut position = self.openings[self.opening].clone();
        // From the game's start, so that the game can be replayed.
        let mut moves = match self.openings.len() {
            1 => String::new(),
            _ => position.to_string(),
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
            let text = position.to_string();
            let reply = if self.play.first_to_move(&position) == begins {
                let reply = self.player.reply(&text)?;
                *counters += reply.counters;
                score.own_ns += reply.ns;
                reply
            } else {
                let reply = self.opponent.reply(&text)?;
                score.opponent_ns += reply.ns;
                reply
            };
            let name = reply.best.unwrap_or_default();
            let next = self.play.find(&position, &name);
            let next = next.and_then(|mv| self.play.play(&position, mv));
            position = next.ok_or_else(|| {
                Fault::Wrong(format!(
                    "answered `{name}` at {text}, which is no legal move"
                ))
            })?;
            if !moves.is_empty() {
                moves.push_str(P::SEPARATOR);
            }
            moves.push_str(&name);
        }
    }
}

impl<P: Play> Sampler for Match<P> {
    fn begin(&mut self, taken: u64) {
        self.opening = (taken % self.openings.len().max(1) as u64) as usize;
    }

    /// Two games from one opening, one with each side, with each player's own time (Strnad and Guid, section 4).
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
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

    /// The two games.
    fn units(&self) -> u64 {
        2
    }

    /// A match has no reference, so it needs no shape.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            shape: Params::new(),
            ..self.player.telemetry()
        }
    }
}
