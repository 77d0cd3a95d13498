//! Checks the scores of matches against the games, and the games against the rules.

use std::collections::HashMap;

use super::{Data, Problem};
use crate::results::MeasurementRow;
use crate::words::{Case, Task};

pub fn check(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let mut replayed = Replayed::new();
    for row in data.answered() {
        let what = match data.experiment.task {
            Task::Match => of_match(data, row, &mut replayed),
            _ if row.score.is_empty() => None,
            task => Some(format!("score {:?}; the task {task} has none", row.score)),
        };
        problems.extend(what.map(|what| Problem::row(&row.cell, what)));
    }
}

/// Results of replays, keyed by case and score. Several techniques may have played the same games.
type Replayed<'a> = HashMap<(&'a str, &'a str), Result<usize, String>>;

fn of_match<'a>(
    data: &Data<'a>,
    row: &'a MeasurementRow,
    replayed: &mut Replayed<'a>,
) -> Option<String> {
    let score = row.match_score();
    let Some(score) = score.filter(|score| score.to_string() == row.score) else {
        return Some("its score is not a count of games with a list of them".to_owned());
    };
    let (games, units) = (&score.games, row.units);
    let [wins, draws, losses] = [1, 0, -1].map(|sign| {
        let own = games.iter().filter(|(own, _)| own.signum() == sign);
        own.count() as u64
    });
    if [wins, draws, losses] != [score.wins, score.draws, score.losses] {
        let own = score.counts();
        let games = format!("{wins} won, {draws} drawn, {losses} lost");
        return Some(format!("score is {own}, but its games are {games}"));
    }
    let (count, pairs) = (games.len(), games.len() / 2);
    if games.is_empty() || count % 2 == 1 {
        return Some(format!("score has {count} games, but each opening has two"));
    }
    if units != 2 {
        return Some(format!("units is {units}; a sample of a match is 2 games"));
    }
    let case = Case::parse(&row.cell.case)?;
    let game = data.catalogue.game(&data.experiment.game)?;
    let known = replayed.entry((&row.cell.case, &row.score));
    match known.or_insert_with(|| (game.replay)(&case, &data.experiment.options, games)) {
        Err(what) => Some(format!("score: {what}")),
        // A match with fewer openings than samples repeats its games.
        Ok(openings) => {
            let due = (*openings).min(row.samples as usize);
            (pairs < due).then(|| {
                format!("score has {pairs} pairs of games, but its samples have {due} openings")
            })
        }
    }
}
