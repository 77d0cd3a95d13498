//! Joins a cell of a match from the shards that each played some of its pairs of games.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::anyhow;

use crate::config::{Experiment, Shard};
use crate::harness::{pairs_of, unmet_of_match};
use crate::results::{MeasurementRow, Sample};
use crate::words::{Case, Limit, MatchScore, Reason, Status};

/// What a shard has of a cell.
pub struct Part {
    pub row: MeasurementRow,
    pub samples: Vec<Sample>,
    /// For a match.
    pub shard: Option<Shard>,
    pub folder: PathBuf,
}

/// The cell's row, and its samples with the key of the first shard's device. If a shard failed, the cell failed.
pub fn joined(
    mut parts: Vec<Part>,
    experiment: &Experiment,
) -> anyhow::Result<(MeasurementRow, Vec<Sample>)> {
    if parts.len() > 1 {
        parts.sort_by_key(|part| part.shard);
        // Unsupported: no opening was left for the shard.
        let rank = |part: &Part| match part.row.status {
            Status::Mismatch => 0,
            Status::Ok => 2,
            Status::Unsupported => 3,
            _ => 1,
        };
        parts.sort_by_key(rank);
        match parts[0].row.status {
            Status::Ok => parts.retain(|part| part.row.status == Status::Ok),
            _ => return Ok((parts.swap_remove(0).row, Vec::new())),
        }
    }
    if parts.len() == 1 {
        let only = parts.swap_remove(0);
        return Ok((only.row, only.samples));
    }
    let mut games: BTreeMap<u64, MatchScore> = BTreeMap::new();
    for part in &parts {
        let refused = |what: &str| {
            let (folder, row) = (part.folder.display(), &part.row);
            anyhow!("{folder}: {} {}: {what}", row.cell.case, row.cell.technique)
        };
        let score = part.row.match_score();
        let own = score.and_then(|score| pairs_of(score, part.shard));
        for (opening, pair) in own.ok_or_else(|| refused("its score is no list of games"))? {
            if games.insert(opening, pair).is_some() {
                let why = format!("opening {opening} was played by two shards");
                return Err(refused(&why));
            }
        }
    }
    let mut row = parts[0].row.clone();
    let mut whole = MatchScore::default();
    games.values().for_each(|pair| whole.add(pair));
    row.score = whole.to_string();
    let samples = parts.iter_mut().flat_map(|part| part.samples.drain(..));
    let mut samples: Vec<Sample> = samples.collect();
    for (number, sample) in (0..).zip(&mut samples) {
        sample.cell.clone_from(&row.cell);
        sample.sample = number;
    }
    let trusted = parts.iter().all(|part| part.row.kernel_ns.is_some());
    row.sum_up(&samples.iter().collect::<Vec<_>>(), trusted);
    // A shard's cut, else whether all games together decide the match.
    let mut limit = Limit::Samples;
    let cut_off = parts.iter().find_map(|part| match part.row.why() {
        Reason::Met => None,
        Reason::Wide { limit: own, .. } => {
            limit = own;
            None
        }
        cut_off => Some(cut_off),
    });
    let case = Case::parse(&row.cell.case).unwrap_or_default();
    let reason =
        cut_off.unwrap_or_else(|| unmet_of_match(&games, &case, &samples, (experiment, limit)));
    row.reason = reason.to_string();
    row.reason_code = Some(reason);
    let (mut sentences, mut warnings) = (Vec::new(), Vec::new());
    for warning in parts.iter().flat_map(|part| part.row.warned()) {
        let sentence = warning.to_string();
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
            warnings.push(warning);
        }
    }
    row.warnings = sentences.join("; ");
    row.warning_codes = Some(warnings).filter(|all| !all.is_empty());
    Ok((row, samples))
}
