//! Matches: the score, and how long each side thought.

use super::data::{Index, is_device};
use super::figure;
use super::grid::{Entry, Grid, Item, Section};
use super::names;
use super::number::Unit;
use super::paper::{comparison, few_samples, missing};
use super::sections::section;
use crate::results::MeasurementRow;
use crate::stats::share_interval;
use crate::words::{Case, MatchScore, Status};

/// The player's points over its games, a draw being half of one, and the 95 % interval of that share;
/// `None` of no games.
pub(crate) fn share(score: &MatchScore) -> Option<(f64, (f64, f64))> {
    let games = score.played();
    let won = score.wins as f64 + score.draws as f64 / 2.0;
    Some((won / games as f64, share_interval(won, games)?))
}

/// A share of points with its interval, for a reader.
pub(crate) fn points(score: &MatchScore) -> Entry {
    match share(score) {
        None => Entry::missing("–"),
        Some((share, (low, high))) => {
            let percent = |share: f64| format!("{:.1}", share * 100.0);
            Entry::number(format!("{} %", percent(share))).small(format!(
                "[{}–{}]",
                percent(low),
                percent(high)
            ))
        }
    }
}

/// A match that was played, and its score.
pub(crate) struct Match<'a> {
    pub case: &'a Case,
    /// Labels.
    pub player: &'a str,
    pub opponent: &'a str,
    pub device: &'a str,
    pub row: &'a MeasurementRow,
    pub score: MatchScore,
}

/// Every match that was played.
pub(crate) fn all<'a>(index: &'a Index<'a>) -> impl Iterator<Item = Match<'a>> {
    index.cells().filter_map(|(case, place, row)| {
        let row = row.filter(|row| row.status == Status::Ok)?;
        Some(Match {
            score: row.match_score()?,
            opponent: opponent(index, place.technique),
            player: place.technique,
            device: place.device,
            case,
            row,
        })
    })
}

/// Every match that was played, one line each, for a terminal.
pub(crate) fn lines(index: &Index<'_>) -> Vec<String> {
    let line = |own: Match<'_>| {
        let points = points(&own.score);
        format!(
            "{}: {} against {}: {}: {} {}",
            own.case,
            own.player,
            own.opponent,
            own.score.counts(),
            points.main,
            points.small.join(" ")
        )
    };
    all(index).map(line).collect()
}

/// Whom a player plays against, by label.
pub(crate) fn opponent<'a>(index: &'a Index<'_>, player: &str) -> &'a str {
    let mut choices = index.data.experiment.techniques.iter();
    choices
        .find(|choice| choice.label == player)
        .and_then(|choice| choice.opponent.as_deref())
        .unwrap_or("–")
}

/// Every match that was played; `None` in a run without any.
pub(crate) fn matches(index: &Index<'_>) -> Option<Section> {
    let mut grid = Grid::new([
        "case",
        "player",
        "opponent",
        "score",
        "points",
        "player's time",
        "opponent's time",
        "opponent's ÷ player's",
    ]);
    let mut games = Vec::new();
    for own in all(index) {
        let Match {
            case,
            opponent,
            row,
            ref score,
            ..
        } = own;
        let time = |ns: Option<u64>| match ns {
            Some(ns) => Entry::number(Unit::Time.show(ns as f64)),
            None => Entry::missing("–"),
        };
        let mut player = Entry::word(own.player);
        if is_device(own.device) {
            player.small.push(own.device.to_owned());
        }
        grid.rows.push(vec![
            Entry::word(names::case(case)),
            player,
            Entry::word(opponent),
            Entry::word(score.counts()),
            points(score),
            time(row.median_ns),
            time(row.opponent_ns),
            match figure::over_opponent(index, row) {
                Ok(known) => comparison(Unit::Plain, &known),
                Err(reason) => missing(&reason),
            },
        ]);
        games.extend(score.lines().map(|game| {
            format!(
                "{}, {} against {opponent}: {game}",
                names::case(case),
                own.player
            )
        }));
    }
    if grid.rows.is_empty() {
        return None;
    }
    let few = grid.has_few();
    let mut items = vec![
        Item::Table(grid),
        Item::Text(
            "Games won, drawn and lost by the player; its points, a draw being half of one, with \
             their 95 % interval (Wilson's; it takes the games as independent, though two of them share each \
             opening); the median time that each side thought in a pair of games, one with each colour; and the ratio of the two with its 95 % interval, above 1 where \
             the player is faster. Both play the same games, not the same positions."
                .to_owned(),
        ),
    ];
    items.extend(few.then(few_samples));
    if !games.is_empty() {
        let summary = format!(
            "The games ({}), each with its final difference",
            games.len()
        );
        items.push(Item::Folded(summary, vec![Item::List(games)]));
    }
    Some(section("matches", "Matches", items))
}
