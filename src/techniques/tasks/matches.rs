//! The task `match`: two techniques play each other, with both sides of each opening.

use super::{Play, Turn};
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Counters, DEVICES, Devices, Fault, MatchScore, Task, Telemetry};

/// A player's reply at a position.
pub(super) struct Replied<M> {
    /// Its move; `None` only if there is none.
    pub best: Option<M>,
    /// Its counters.
    pub counters: Counters,
    /// Its thinking time, ns.
    pub ns: u64,
}

/// A player of a match.
pub(super) trait Player<P: Play>: Send {
    /// Its move at a position where it is to move.
    fn reply(&mut self, play: &P, position: &P::Position) -> Result<Replied<P::Move>, Fault>;

    /// Where the time since the last call went, and the technique's choices.
    fn telemetry(&mut self) -> Telemetry;
}

/// What makes a technique's player; boxed, so that a match is compiled once a game and not once a technique.
pub(super) type MakePlayer<'a, P> = Box<dyn FnOnce(&P) -> Result<Box<dyn Player<P>>, Fault> + 'a>;

/// Prepares a match: this technique, and its opponent, which is prepared for the task by which it replies.
pub(super) fn prepare<P: Play>(
    setup: &Setup<'_>,
    play: P,
    player: MakePlayer<'_, P>,
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
    let chooses = technique.entry.tasks.contains(&Task::Choose)
        && (setup.case.get("effort").is_some() || !technique.entry.tasks.contains(&Task::Search));
    let opponent = (technique.prepare)(&Setup {
        task: if chooses { Task::Choose } else { Task::Search },
        params,
        position: None,
        opponent: None,
        ..setup.clone()
    })?;
    Ok(Box::new(Match {
        openings: play.openings()?,
        opening: 0,
        player: player(&play)?,
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
    player: Box<dyn Player<P>>,
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
        let mut moves = if self.openings.len() > 1 {
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
            let name = if self.play.first_to_move(&position) == begins {
                let replied = self.player.reply(&self.play, &position)?;
                *counters += replied.counters;
                score.own_ns += replied.ns;
                replied.best.map(|mv| self.play.name(mv))
            } else {
                let reply = self.opponent.reply(&position.to_string())?;
                score.opponent_ns += reply.ns;
                reply.best
            };
            let name = name.unwrap_or_default();
            let next = self.play.find(&position, &name);
            let next = next.and_then(|mv| self.play.play(&position, mv));
            position = next.ok_or_else(|| {
                Fault::Wrong(format!(
                    "answered `{name}` at {position}, which is no legal move"
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

    /// Two games from one opening, one with each side, with each player's own moves and time (Strnad and Guid, section
    /// 4).
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

    fn telemetry(&mut self) -> Telemetry {
        self.player.telemetry()
    }
}
