//! The task `match`: two techniques play each other, on both sides of each opening.

use std::collections::{HashMap, HashSet};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::cased::{Cased, Make, sampler};
use super::{Line, Play, Turn};
use crate::techniques::prelude::*;
use crate::words::{Devices, MatchScore};

/// Prepares a match between this technique and its opponent. Each is prepared for the task that it uses to reply.
pub(super) fn prepare<P: Cased>(
    setup: &Setup<'_>,
    play: P,
    positions: Vec<P::Position>,
    make: Make<'_, P>,
) -> Prepared {
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
    // If a technique supports both tasks and the case has no effort, it searches to a depth.
    let has_effort = play.amount().effort.is_some();
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

/// A prepared match. A sample is two games from one opening.
struct Match<P: Play> {
    play: P,
    openings: Vec<P::Position>,
    /// Index of the next sample's opening.
    opening: usize,
    player: Box<dyn Sampler>,
    opponent: Box<dyn Sampler>,
}

impl<P: Play> Match<P> {
    /// Plays one game. Returns the score from this technique's point of view, and the moves.
    fn play_game(
        &mut self,
        begins: bool,
        score: &mut MatchScore,
        counters: &mut Counters,
    ) -> Result<(i64, String), Fault> {
        let mut position = self.openings[self.opening].clone();
        // The record begins with the opening, so that the game can be replayed. A single opening is omitted.
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

    /// Plays two games from one opening with sides swapped, and times each player (Strnad and Guid, section 4).
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

    /// Always returns 2, because a sample has two games.
    fn units(&self) -> u64 {
        2
    }

    /// Returns the player's telemetry without a shape, because a match has no reference.
    fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            shape: Params::new(),
            ..self.player.telemetry()
        }
    }
}

/// Replays the games of a match in pairs. Each game must be legal, finish and have the listed score. The games of a
/// pair must have the same opening, and pairs must have different openings. Returns the number of openings in the game.
pub fn replay<P: Play>(play: &P, games: &[(i64, String)]) -> Result<usize, String> {
    let openings = play.openings().map_err(|fault| fault.to_string())?;
    let starts: Vec<String> = match &openings[..] {
        // If there is only one opening, it is not part of the record.
        [_] => vec![String::new()],
        all => all.iter().map(ToString::to_string).collect(),
    };
    let mut played = HashSet::new();
    // Two deterministic players may play the same game with sides swapped.
    let mut known: HashMap<&str, i64> = HashMap::new();
    for (number, pair) in games.chunks(2).enumerate() {
        let mut of_pair = None;
        for (side, (listed, moves)) in pair.iter().enumerate() {
            let game = 2 * number + side + 1;
            // Take the longest opening, because `h8h1` is also a prefix of `h8h10`.
            let own = (0..starts.len()).filter(|at| moves.starts_with(&starts[*at]));
            let opening = own.max_by_key(|at| starts[*at].len());
            let opening =
                opening.ok_or_else(|| format!("game {game} has no opening of a match"))?;
            if *of_pair.get_or_insert(opening) != opening {
                return Err(format!(
                    "game {game} has another opening than game {}",
                    game - 1
                ));
            }
            let score = match known.get(moves.as_str()) {
                Some(score) => *score,
                None => {
                    let rest = &moves[starts[opening].len()..];
                    let score = result(play, openings[opening].clone(), rest);
                    let score = score.map_err(|why| format!("game {game}: {why}"))?;
                    known.insert(moves, score);
                    score
                }
            };
            let own = if side == 0 { score } else { -score };
            if own != *listed {
                return Err(format!(
                    "game {game} ends with {own:+}, and {listed:+} is listed"
                ));
            }
        }
        let opening = of_pair.unwrap_or_default();
        if !played.insert(opening) {
            let game = 2 * number + 1;
            return Err(format!("game {game} has the opening of an earlier pair"));
        }
    }
    Ok(openings.len())
}

/// Returns the score for the side that moved first.
fn result<P: Play>(play: &P, mut position: P::Position, record: &str) -> Result<i64, String> {
    let mut rest = record.strip_prefix(P::SEPARATOR).unwrap_or(record);
    for ply in 1.. {
        match play.turn(&position) {
            Turn::Over(_) if !rest.is_empty() => {
                return Err(format!("`{}` follows its end", shown(rest)));
            }
            Turn::Over(score) => return Ok(score),
            Turn::Pass(passed, name) => {
                rest = rest
                    .strip_prefix(name)
                    .ok_or_else(|| format!("ply {ply} is a pass, `{name}`"))?;
                position = passed;
            }
            Turn::Move => {
                let (name, after) = first_move(rest, P::SEPARATOR);
                if name.is_empty() {
                    return Err(format!("it ends before its end, after {} plies", ply - 1));
                }
                let found = play.find(&position, name);
                position = found
                    .and_then(|mv| play.play(&position, mv))
                    .ok_or_else(|| format!("ply {ply}, `{}`, is no legal move", shown(name)))?;
                rest = after;
            }
        }
    }
    unreachable!("a ply follows each ply")
}

/// Splits off a record's first move. Without a separator, a move is one character, or letters followed by a number.
fn first_move<'r>(record: &'r str, separator: &str) -> (&'r str, &'r str) {
    if !separator.is_empty() {
        return record.split_once(separator).unwrap_or((record, ""));
    }
    let letters = record.find(|c: char| !c.is_ascii_alphabetic());
    let end = match letters.unwrap_or(record.len()) {
        0 => record.chars().next().map_or(0, char::len_utf8),
        letters => {
            let number = record[letters..].find(|c: char| !c.is_ascii_digit());
            number.map_or(record.len(), |number| letters + number)
        }
    };
    record.split_at(end)
}

/// Returns the first few characters of a record, for a message.
fn shown(text: &str) -> String {
    let few: String = text.chars().take(12).collect();
    few.escape_debug().to_string()
}

/// Seed for the openings and the random positions of a case. The number is arbitrary.
pub const CASE_SEED: u64 = 4;

/// Returns the distinct positions after `plies` plies, in a fixed random order.
pub fn openings_after<P: Play>(play: &P, plies: u32) -> Vec<P::Position> {
    let mut positions = vec![play.start()];
    for _ in 0..plies {
        let next = positions.iter().flat_map(|position| {
            let moves = play.moves(position).into_iter();
            moves.filter_map(|mv| play.play(position, mv))
        });
        positions = next.collect();
    }
    let mut seen = HashSet::new();
    positions.retain(|position| seen.insert(play.identity(position)));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(CASE_SEED);
    for place in (1..positions.len()).rev() {
        positions.swap(place, random.random_range(0..=place));
    }
    positions
}

/// Maximum average number of games per position. More games would find hardly any new positions.
const GAMES_A_POSITION: usize = 64;

/// Picks distinct positions from random games, at most one per game and all equally likely. Cases use [`CASE_SEED`].
pub fn random_positions<P: Play>(
    play: &P,
    count: usize,
    seed: u64,
) -> Result<Line<P::Position>, Fault> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut drawn = Line {
        positions: Vec::with_capacity(count),
        choices: Vec::with_capacity(count),
        moves: String::new(),
    };
    let mut seen = HashSet::new();
    for _ in 0..GAMES_A_POSITION * count {
        let mut game = Vec::new();
        let mut position = play.start();
        loop {
            match play.turn(&position) {
                Turn::Over(_) => break,
                Turn::Pass(passed, _) => position = passed,
                Turn::Move => {
                    let moves = play.moves(&position);
                    let next = play.play(&position, moves[random.random_range(0..moves.len())]);
                    let Some(next) = next else { break };
                    game.push((std::mem::replace(&mut position, next), moves.len() as u32));
                }
            }
        }
        let (position, choices) = game.swap_remove(random.random_range(0..game.len()));
        if seen.insert(play.identity(&position)) {
            drawn.positions.push(position);
            drawn.choices.push(choices);
        }
        if drawn.positions.len() == count {
            return Ok(drawn);
        }
    }
    let found = drawn.positions.len();
    Err(Fault::Input(format!(
        "plies: `random-{count}`; random games of this board have {found} different positions"
    )))
}
