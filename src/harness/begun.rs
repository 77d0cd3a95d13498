//! The samples that earlier invocations took of a cell. A resumed run adds missing passes, passes beside new cells, and
//! the next games of a match.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::protocol::Sampled;
use crate::config::Shard;
use crate::results::{FactRow, MeasurementRow, SampleRow};
use crate::words::{Counters, MatchScore, Parts, Task};

/// A sample and its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// Its position in the order of all samples in the folder.
    pub order: u64,
    pub invocation: String,
    pub pass: u64,
    /// Its start time, since the invocation's start.
    pub at: Duration,
    pub sampled: Sampled,
}

impl Taken {
    /// Its pass among those of all invocations.
    pub fn pass(&self) -> (&str, u64) {
        (&self.invocation, self.pass)
    }
}

/// The earlier part of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Begun {
    pub samples: Vec<Taken>,
    /// A match's games by opening, untimed samples included; all openings from 0 on, of a shard all its own.
    pub games: BTreeMap<u64, MatchScore>,
    /// Units in a sample.
    pub units: u64,
}

impl Begun {
    /// Reads a row and its samples; `None` if they are incomplete.
    ///
    /// `shard`: the part of a match whose games they are.
    pub fn new(row: &MeasurementRow, samples: &[SampleRow], shard: Option<Shard>) -> Option<Begun> {
        let is_match = row.task == Task::Match.word();
        let games = match is_match {
            true => pairs_of(row.match_score()?, shard)?,
            false => BTreeMap::new(),
        };
        // A row has no time parts if one of its samples had none that can be trusted.
        let untrusted = row.kernel_ns.is_none();
        let samples: Vec<_> = samples
            .iter()
            .filter(|sample| sample.key == row.key)
            .map(|sample| Taken {
                order: sample.order,
                invocation: sample.invocation.clone(),
                pass: sample.pass,
                at: Duration::from_nanos(sample.at_ns),
                sampled: sampled(sample, untrusted),
            })
            .collect();
        (!samples.is_empty() && samples.len() as u64 == row.samples).then_some(Begun {
            samples,
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

fn sampled(row: &SampleRow, untrusted: bool) -> Sampled {
    Sampled {
        total_ns: row.total_ns,
        opponent_ns: row.opponent_ns,
        parts: Parts {
            upload_ns: row.upload_ns,
            queue_ns: row.queue_ns,
            kernel_ns: row.kernel_ns,
            download_ns: row.download_ns,
            launches: row.launches,
            bytes_up: row.bytes_up,
            bytes_down: row.bytes_down,
            untrusted,
            ..Parts::default()
        },
        counters: Counters {
            nodes: row.nodes,
            leaves: row.leaves,
            playouts: row.playouts,
            plies: row.plies,
        },
        positions_ns: row.positions_ns.clone(),
        ..Sampled::default()
    }
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
