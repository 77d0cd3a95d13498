//! Replays the games of a match from their record.

use std::collections::{HashMap, HashSet};

use super::{Play, Turn};

/// Replays the games of a match in pairs. Each game is legal, ends, and has the listed score. The two games of a pair
/// have the same opening, and different pairs have different openings. Returns the number of openings of the game.
pub fn replay<P: Play>(play: &P, games: &[(i64, String)]) -> Result<usize, String> {
    let openings = play.openings().map_err(|fault| fault.to_string())?;
    let starts: Vec<String> = match &openings[..] {
        // A record from the only opening is the moves from there.
        [_] => vec![String::new()],
        all => all.iter().map(ToString::to_string).collect(),
    };
    let mut played = HashSet::new();
    // Two deterministic players repeat a game with the other sides.
    let mut known: HashMap<&str, i64> = HashMap::new();
    for (number, pair) in games.chunks(2).enumerate() {
        let mut of_pair = None;
        for (side, (listed, moves)) in pair.iter().enumerate() {
            let game = 2 * number + side + 1;
            // `h8h1` begins `h8h10` as well.
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

/// The score of a game for the side that began.
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

/// The first move of a record, and what follows. Moves without a separator are a word with a number, or one sign.
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

/// A few signs of a record, for a message.
fn shown(text: &str) -> String {
    let few: String = text.chars().take(12).collect();
    few.escape_debug().to_string()
}
