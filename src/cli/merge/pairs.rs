//! Joins a cell of a match from the shards that each played some of its pairs of games.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::anyhow;

use crate::config::{Experiment, Shard};
use crate::harness::{pairs_of, unmet_of_match};
use crate::results::{MeasurementRow, SampleRow};
use crate::words::{Case, Limit, MatchScore, Reason, Status, Warning};

pub struct Part {
    pub row: MeasurementRow,
    /// The row's samples, for a match.
    pub samples: Vec<SampleRow>,
    pub shard: Option<Shard>,
    pub folder: PathBuf,
}

/// The cell's row, and its samples with the key of the first shard's device. If a shard failed, the cell failed.
pub fn joined(
    mut parts: Vec<Part>,
    experiment: &Experiment,
) -> anyhow::Result<(MeasurementRow, Vec<SampleRow>)> {
    parts.sort_by_key(|part| part.shard);
    let of = |status: Status| parts.iter().position(|part| part.row.status == status);
    let bad = of(Status::Mismatch).or_else(|| {
        let lacks = |part: &Part| ![Status::Ok, Status::Unsupported].contains(&part.row.status);
        parts.iter().position(lacks)
    });
    let none = || of(Status::Ok).is_none().then_some(0);
    if let Some(at) = bad.or_else(none) {
        return Ok((parts.swap_remove(at).row, Vec::new()));
    }
    parts.retain(|part| part.row.status == Status::Ok);
    if let [only] = &mut parts[..] {
        return Ok((only.row.clone(), std::mem::take(&mut only.samples)));
    }
    let mut games: BTreeMap<u64, MatchScore> = BTreeMap::new();
    for part in &parts {
        let score = part.row.match_score();
        let own = score.and_then(|score| pairs_of(score, part.shard));
        let name = |what: &str| {
            let (folder, row) = (part.folder.display(), &part.row);
            anyhow!("{folder}: {} {}: {what}", row.case, row.technique)
        };
        for (opening, pair) in own.ok_or_else(|| name("its score is no list of games"))? {
            if games.insert(opening, pair).is_some() {
                return Err(name(&format!("opening {opening} was played by two shards")));
            }
        }
    }
    let mut row = parts[0].row.clone();
    let mut whole = MatchScore::default();
    games.values().for_each(|pair| whole.add(pair));
    row.score = whole.to_string();
    let samples = parts.iter_mut().flat_map(|part| part.samples.drain(..));
    let samples: Vec<SampleRow> = (0..)
        .zip(samples)
        .map(|(number, sample)| SampleRow {
            key: row.key.clone(),
            sample: number,
            ..sample
        })
        .collect();
    let trusted = parts.iter().all(|part| part.row.kernel_ns.is_some());
    row.sum_up(&samples.iter().collect::<Vec<_>>(), trusted);
    let reason = reason(&parts, &games, &samples, experiment);
    row.reason = reason.to_string();
    row.reason_code = Some(reason);
    let mut warnings: Vec<Warning> = Vec::new();
    for warning in parts.iter().flat_map(|part| part.row.warned()) {
        let is_like = |known: &Warning| known.to_string() == warning.to_string();
        if !warnings.iter().any(is_like) {
            warnings.push(warning);
        }
    }
    let sentences: Vec<String> = warnings.iter().map(Warning::to_string).collect();
    row.warnings = sentences.join("; ");
    row.warning_codes = Some(warnings).filter(|all| !all.is_empty());
    Ok((row, samples))
}

/// The condition that the whole match did not meet: a shard's cut, else whether all games together decide it.
fn reason(
    parts: &[Part],
    games: &BTreeMap<u64, MatchScore>,
    samples: &[SampleRow],
    experiment: &Experiment,
) -> Reason {
    let mut limit = Limit::Samples;
    for part in parts {
        match part.row.why() {
            Reason::Met => {}
            Reason::Wide { limit: own, .. } => limit = own,
            cut_off => return cut_off,
        }
    }
    let case = Case::parse(&parts[0].row.case).unwrap_or_default();
    unmet_of_match(games, &case, samples, (experiment, limit))
}
