//! Checks the scores of matches against the games, and the games against the rules.

use std::collections::HashMap;

use super::data::{Data, Place, Problem};
use crate::results::MeasurementRow;
use crate::words::{Case, Status, Task};

pub fn check(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let mut replayed = Replayed::new();
    for (at, row) in data.run.measurements.iter().enumerate() {
        if row.status != Status::Ok {
            continue;
        }
        let what = match data.experiment.task {
            Task::Match => of_match(data, row, &mut replayed),
            _ if row.score.is_empty() => None,
            task => Some(format!("score {:?}; the task {task} has none", row.score)),
        };
        problems.extend(what.map(|what| Problem::new(Place::Row(at), what)));
    }
}

/// Results of replaying a case's games. Several techniques may play the same games.
type Replayed<'a> = HashMap<(&'a str, &'a str), Result<usize, String>>;

fn of_match<'a>(
    data: &Data<'a>,
    row: &'a MeasurementRow,
    replayed: &mut Replayed<'a>,
) -> Option<String> {
    let score = row.match_score();
    let Some(score) = score.filter(|score| score.to_string() == row.score) else {
        return Some("its score is no count of games and a list of them".to_owned());
    };
    let of = |sign: i64| {
        let games = score.games.iter();
        games.filter(|(own, _)| own.signum() == sign).count() as u64
    };
    let listed = [of(1), of(0), of(-1)];
    if listed != [score.wins, score.draws, score.losses] {
        let [wins, draws, losses] = listed;
        return Some(format!(
            "score {}; its games are {wins} won, {draws} drawn, {losses} lost",
            score.counts()
        ));
    }
    let pairs = score.games.len() / 2;
    if score.games.is_empty() || !score.games.len().is_multiple_of(2) {
        return Some(format!(
            "score: {} games; each opening has two",
            score.games.len()
        ));
    }
    if row.units != 2 {
        return Some(format!(
            "units is {}; a sample of a match is 2 games",
            row.units
        ));
    }
    let case = Case::parse(&row.cell.case)?;
    let game = data.catalogue.game(&data.experiment.game)?;
    let known = replayed
        .entry((&row.cell.case, &row.score))
        .or_insert_with(|| (game.replay)(&case, &data.experiment.options, &score.games));
    match known {
        Err(what) => Some(format!("score: {what}")),
        // A match with fewer openings than samples repeats its games.
        Ok(openings) => {
            let due = (*openings).min(row.samples as usize);
            (pairs < due).then(|| {
                format!("score: {pairs} pairs of games, and its samples are of {due} openings")
            })
        }
    }
}
