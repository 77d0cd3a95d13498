//! The samples that earlier invocations took of a cell. A resumed run adds missing passes, passes beside new cells, and
//! the next games of a match.

use std::collections::{BTreeMap, HashMap};

use crate::config::Shard;
use crate::results::{FactRow, MeasurementRow, Sample};
use crate::words::{MatchScore, Task};

/// The earlier part of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Begun {
    pub samples: Vec<Sample>,
    /// Whether a sample has no times of its parts.
    pub untrusted: bool,
    /// A match's games by opening, untimed samples included; all openings from 0 on, of a shard all its own.
    pub games: BTreeMap<u64, MatchScore>,
    /// Units in a sample.
    pub units: u64,
}

impl Begun {
    /// The part of a row and its samples; `None` if they are incomplete.
    ///
    /// `shard`: the part of a match whose games they are.
    pub fn new(row: &MeasurementRow, samples: &[&Sample], shard: Option<Shard>) -> Option<Begun> {
        let is_match = row.task == Task::Match.word();
        let games = match is_match {
            true => pairs_of(row.match_score()?, shard)?,
            false => BTreeMap::new(),
        };
        let is_whole = !samples.is_empty() && samples.len() as u64 == row.samples;
        is_whole.then(|| Begun {
            samples: samples.iter().map(|sample| (*sample).clone()).collect(),
            untrusted: row.kernel_ns.is_none(),
            games,
            units: row.units,
        })
    }
}

/// What earlier invocations left in the folder for the cells of a run.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// Final rows, by key.
    pub kept: HashMap<String, MeasurementRow>,
    /// Samples and games, by key.
    pub begun: HashMap<String, Begun>,
    /// The number of the next sample in the folder's order.
    pub first_order: u64,
    /// Facts that the folder already has.
    pub facts: Vec<FactRow>,
}

/// The games of a score, by opening; each opening has two. Without the players' times. `shard`: the part of the match
/// that played them.
pub fn pairs_of(score: MatchScore, shard: Option<Shard>) -> Option<BTreeMap<u64, MatchScore>> {
    let games = score.games;
    if games.is_empty() || !games.len().is_multiple_of(2) {
        return None;
    }
    let pairs = games.chunks_exact(2).zip(0..).map(|(pair, number)| {
        let opening = shard.map_or(number, |shard| shard.index(number));
        let count = |sign| pair.iter().filter(|(own, _)| own.signum() == sign).count() as u64;
        let score = MatchScore {
            opening,
            wins: count(1),
            draws: count(0),
            losses: count(-1),
            games: pair.to_vec(),
            ..MatchScore::default()
        };
        (opening, score)
    });
    Some(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_read_as_it_was_written() {
        let pair = |opening, games: [(i64, &str); 2], wins, draws, losses| MatchScore {
            opening,
            wins,
            draws,
            losses,
            games: games.map(|(own, moves)| (own, moves.to_owned())).to_vec(),
            ..MatchScore::default()
        };
        let pairs = [
            pair(0, [(12, "f5d6"), (-12, "f5f4")], 1, 0, 1),
            pair(1, [(0, "22-17 11x18"), (0, "")], 0, 2, 0),
        ];
        let mut whole = MatchScore::default();
        pairs.iter().for_each(|pair| whole.add(pair));
        let read = MatchScore::read(&whole.to_string()).and_then(|score| pairs_of(score, None));
        let read = read.expect("games");
        assert_eq!(read.into_values().collect::<Vec<_>>(), pairs);
    }

    #[test]
    fn a_shards_games_are_of_its_own_openings() {
        let score = MatchScore::read("2 won, 0 drawn, 2 lost; +1 a; -1 b; +1 c; -1 d").unwrap();
        let shard = "2/3".parse().ok();
        let openings: Vec<u64> = pairs_of(score, shard).unwrap().into_keys().collect();
        assert_eq!(openings, [1, 4]);
    }

    #[test]
    fn what_is_no_score_gives_no_games() {
        for score in [
            "",
            "1 won, 0 drawn, 1 lost",
            "1 won, 0 drawn, 0 lost; +12 f5",
            "1 won, 0 drawn, 1 lost; +12 f5; f5f4",
            "1 won, 0 drawn, 1 lost; +12 f5; x f5f4",
        ] {
            let games = MatchScore::read(score).and_then(|score| pairs_of(score, None));
            assert_eq!(games, None, "{score}");
        }
    }
}
